"""The grids of the items, what they leave out, and the tables that come of them."""

import csv
import json
from collections import defaultdict
from dataclasses import replace

import pytest

from abacoc.grid.jobs import make_job
from abacoc.grid.keys import identity
from abacoc.grid.store import Store
from abacoc.grid.tables import Record, Table
from abacoc.methods import YARDSTICKS
from abacoc.scaling import SCALES
from paper import batch, grids
from paper.batch import choose, run_batch, stored_choice
from paper.grids import (
    EAGER,
    FIX,
    ITEMS,
    LEAVES,
    NINE,
    OTHERS,
    OWN,
    PROFILES,
    RATES,
    WIDTHS,
    grid,
    set_of,
)
from paper.reproduce import NOTEBOOKS


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path))
    monkeypatch.setattr("abacoc.streams.finding._platform_cache", lambda: tmp_path)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("item", ITEMS)
def test_each_job_once_and_several_seeds_where_there_is_chance(item, profile):
    jobs = grid(item, profile).jobs
    assert len(set(jobs)) == len(jobs)
    seeds = defaultdict(set)
    for job in jobs:
        if job.order == "file":
            seeds[replace(job, seed=0)].add(job.seed)
        else:  # every seed has an order of its own
            assert job.order == f"shuffle={job.seed}"
    for job, found in seeds.items():
        if item == OTHERS:  # one mask where it takes long
            assert 0 in found
            continue
        # the competitors are tuned on one mask, and IBLStreams is slow on two sets
        once = item == "tuning" or (item == "iblstreams" and set_of(job.stream) in grids.LONG)
        chance = job.is_random and not once
        assert found == (set(PROFILES[profile].seeds) if chance else {0}), job


def test_full_profile_has_what_the_paper_has(data_folder):
    full = PROFILES["full"]
    assert len(full.streams) == 12  # those of Table I, and banana
    assert len(full.seeds) >= 5
    streams = {job.stream for job in grid("fig3", "full").jobs}
    assert {"covtype", "kddcup99", "poker", "electricity", "connect-4"} <= streams
    figure3 = {(job.method, job.rate) for job in grid("fig3", "full").jobs if job.stream == "sea"}
    assert figure3 == {(m, rate) for m in (*NINE, *YARDSTICKS) for rate in (*RATES, 1.0)}
    figure2 = {(job.method, job.rate) for job in grid("fig2", "full").jobs}
    assert figure2 == {(method, 1.0) for method in OWN}
    tables = {(j.method, j.rate, dict(j.settings).get("budget")) for j in grid("tables").jobs}
    assert tables == {(FIX, 1.0, 0.1), (FIX, 1.0, 0.01)} | {
        (method, rate, None) for method in ("nn3", "auto-adj") for rate in (0.1, 0.01)
    }
    both = {*grid("fig4", "full").jobs, *grid("paper", "full").jobs}  # the two protocols
    assert set(grid("tables", "full").jobs) < both


@pytest.mark.parametrize("item", ITEMS)
def test_quick_is_a_part_of_full(item):
    """So each of its runs can be compared with the stored one."""
    assert set(grid(item, "quick").jobs) <= set(grid(item, "full").jobs)


def test_base_gets_unit_vectors_unless_that_is_the_question():
    varied = {"ablation", "identity", "tables", "paper", "claims", "iblstreams", "tuning"}
    for item in ITEMS.keys() - {*varied, OTHERS}:
        for job in grid(item, "tiny").jobs:
            assert job.scale == ("unit" if job.method in ("base", "base-adj") else "none")


def test_row_identity_treats_all_real_sets_alike(data_folder):
    seen = defaultdict(set)
    for job in grid("identity", "full").jobs:
        cell = (job.method, job.rate, job.settings)
        seen[job.stream].add((*cell, job.scale, job.order if job.order == "file" else "permuted"))
    codes = seen.pop("kddcup99-41")
    assert {*seen} == {
        "kddcup99",
        "poker",
        "connect-4",
        "electricity",
        "powersupply",
        "sea",
        "covtype",
    }
    assert len(seen["sea"]) == 6 * len(SCALES) * 2  # cells, scalings, orders
    assert all(found == seen["sea"] for found in seen.values())
    assert codes < seen["sea"]


def test_what_takes_too_long_is_left_out_with_a_reason(data_folder):
    (omission,) = grid("fig3", "full").omitted
    assert str(omission.job) == "k-perc on covtype, rate 1, seed 0"
    assert omission.reason.endswith("more than the 600 s of this profile")


def test_without_moa(monkeypatch):
    monkeypatch.setattr(grids, "has_moa", lambda: False)
    omitted = grid("fig3", "tiny").omitted
    assert {omission.job.method for omission in omitted} == {"rules"}
    assert {omission.reason for omission in omitted} == {"RULES needs the extra moa"}


def test_without_data(no_data):
    found = grid("tables", "full")
    assert {job.stream for job in found.jobs} == {*grids.STAND_INS.values(), "banana"}
    missing = dict(found.missing)
    assert len(missing) == 11
    assert missing["sea"].endswith("; generated:sea,variant=file stands in for it")
    assert "abacoc data fetch covtype" in missing["covtype"]


@pytest.mark.parametrize(("item", "profile"), [("fig9", "tiny"), ("fig2", "huge")])
def test_unknown(item, profile):
    with pytest.raises(ValueError, match=r"unknown (item|profile) '(fig9|huge)': it is one of"):
        grid(item, profile)


def test_best_settings(tmp_path):
    """Of equals the ones that say least (4 and 8 say as much), in whatever order they come."""
    store = Store(tmp_path)
    stream = "generated:banana,n=60"
    trials = {g: make_job(stream, "k-perc", 0.1, relative_gamma=g) for g in (8, 4, 2, 1, 16)}
    for job, accuracy in zip(trials.values(), (0.7, 0.7, 0.5, 0.6, None), strict=True):
        failed = accuracy is None
        result = None if failed else {"accuracy": accuracy}
        store.write(Record(identity(job), result, "it failed" if failed else "", {}))
    jobs = list(trials.values())
    for order in (jobs, jobs[::-1]):
        assert choose(store, order) == {(stream, "k-perc", "none"): {"relative_gamma": 4.0}}
    store.write(Record(identity(trials[1]), {"accuracy": 0.7}, "", {}))  # 1 is the default
    for order in (jobs, jobs[::-1]):
        assert choose(store, order) == {(stream, "k-perc", "none"): {}}
    tuned = {
        job
        for job in grid(
            "fig3",
            "tiny",
            {(s, "k-perc", "none"): {"relative_gamma": 2.0} for s in PROFILES["tiny"].streams},
        ).jobs
        if job.method == "k-perc"
    }
    assert {job.settings for job in tuned} == {(("relative_gamma", 2.0),)}


def test_stored_choice(tmp_path):
    """From the table of trials, as committed: a trial on the head of a stream is for all of it."""
    store = Store(tmp_path)
    assert stored_choice(store) == {}
    trials = [
        ("sea", "rules", "none", '{"grace_period":50}', "0.5"),
        ("sea", "rules", "none", '{"grace_period":90}', "0.75"),
        ("sea", "rules", "none", "{}", "0.5"),
        ("sea", "rules", "unit", "{}", "0.25"),
        ("sea", "vfdt", "none", "{}", ""),
        ("covtype,head=100", "vfdt", "none", "{}", "0.1"),
        ("covtype,head=100", "vfdt", "none", '{"leaf_prediction":"MC"}', "0.2"),
        ("sea", "k-perc", "none", '{"gamma":4.0}', "0.3"),
        ("sea", "k-perc", "none", '{"gamma":8.0}', "0.4"),
        ("sea", "k-perc", "none", '{"relative_gamma":2.0}', "0.1"),
    ]
    names = ("stream", "method", "scale", "settings", "accuracy")
    store.table.tuning = {trial: dict(zip(names, trial, strict=True)) for trial in trials}
    assert stored_choice(store) == {
        ("sea", "rules", "none"): {"grace_period": 90},
        ("sea", "rules", "unit"): {},
        ("covtype", "vfdt", "none"): {},
        ("covtype", "vfdt MC", "none"): {"leaf_prediction": "MC"},
        ("sea", "k-perc gamma", "none"): {"gamma": 8.0},
        ("sea", "k-perc", "none"): {"relative_gamma": 2.0},
    }


def test_nothing_stands_in_for_a_set_with_stored_runs(monkeypatch):
    """Else the set would be counted twice: once as it is, once as generated."""
    monkeypatch.setattr(grids, "locate", lambda entry: None)
    streams = {job.stream for job in grid("fig2", "quick").jobs}
    assert streams == {"generated:hyperplane", "generated:sea,variant=file"}
    stored = {"sea", "generated:hyperplane"}
    assert {job.stream for job in grid("fig2", "quick", stored=stored).jobs} == {
        "generated:hyperplane"
    }


def test_a_stand_in_leaves_when_the_set_comes(tmp_path, monkeypatch):
    """Its stored runs do not stay beside those of the set it stood for."""
    monkeypatch.setattr(grids, "NINE", OWN)
    known, instead, other = (
        "generated:sea,n=300",
        "generated:hyperplane,n=90",
        "generated:banana,n=9",
    )
    store = Store(tmp_path / "store")

    def run(*streams):
        monkeypatch.setitem(PROFILES, "tiny", grids.Profile(streams, (0,), 5.0, ()))
        run_batch("tiny", store, tmp_path, grids=["fig2"], workers=1, progress=False)
        store.table = Table(tmp_path)
        return store.table.streams

    assert run(known, instead) == {known, instead}
    monkeypatch.setattr(batch, "STAND_INS", {known: instead})
    assert run(other) == {known, other}


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_batch(tmp_path, monkeypatch):
    """Only Figure 3 is computed; the table has the whole profile."""
    monkeypatch.setattr(grids, "NINE", (*OWN, "nn3", "k-perc"))  # without Java
    monkeypatch.setitem(
        PROFILES, "tiny", grids.Profile(("generated:sea,n=300",), (0, 1), 5.0, ("k-perc",))
    )
    store, told = Store(tmp_path / "store"), []
    summary = run_batch(
        "tiny", store, tmp_path, grids=["fig3"], workers=1, progress=False, say=told.append
    )
    assert (summary.failures, summary.found) == ([], 1)  # the best setting was run in the tuning
    assert [line.partition(":")[0] for line in told] == ["tuning", "fig3"]
    assert {path.name for path in tmp_path.glob("*.csv")} == {
        "curves.csv",
        "other_settings.csv",
        "results.csv",
        "tuning.csv",
    }
    table = rows(tmp_path / "results.csv")
    done = [row for row in table if row["status"] == "done"]
    assert {row["method"] for row in done} == {*grids.NINE, *YARDSTICKS}
    assert {row["status"] for row in table} == {"done", "not run"}
    own = [row for row in table if row["method"] == "k-perc" and row["scale"] == "none"]
    settings = {row["settings"] for row in own}
    trials = [row for row in rows(tmp_path / "tuning.csv") if row["scale"] == "none"]
    assert len([row for row in trials if "gamma" in json.loads(row["settings"])]) == len(WIDTHS)
    trials = [row for row in trials if "gamma" not in json.loads(row["settings"])]
    best = max(float(row["accuracy"]) for row in trials)
    assert len(settings) == 1
    assert settings <= {row["settings"] for row in trials if float(row["accuracy"]) == best}
    assert len(rows(tmp_path / "curves.csv")) % 100 == 0
    again = run_batch("tiny", store, tmp_path, grids=["fig2"], workers=1, progress=False)
    assert (again.total, again.computed) == (4, 0)


def test_every_grid_that_a_notebook_needs_is_one():
    assert {name for names in NOTEBOOKS.values() for name in names} <= set(batch.ALL)


def test_iblstreams_is_run_as_rules_is(data_folder):
    """In both readings and from both starts, where RULES runs, and as RULES does."""
    found = defaultdict(set)
    for job in grid("iblstreams", "full").jobs:
        place = (job.rate, job.seed, job.scale, job.order)
        found[job.stream, job.method, job.settings].add(place)
    for stream in {stream for stream, *_ in found}:
        (rules,) = (
            places for (s, method, _), places in found.items() if (s, method) == (stream, "rules")
        )
        own = {
            settings: places
            for (s, m, settings), places in found.items()
            if (s, m) == (stream, "iblstreams")
        }
        readings = ((), (("reading", "moa"),))
        for reading in readings:
            early, usual = own[*reading, ("start", 50)], own[reading]
            assert early | usual == rules
            if set_of(stream) in grids.LONG:
                assert {rate for rate, *_ in usual} == {1.0}
                assert {rate for rate, *_ in early} == set(RATES)
            else:
                assert early == usual
    assert not {"iblstreams"} & {
        job.method for item in ITEMS.keys() - {"iblstreams"} for job in grid(item).jobs
    }


def test_the_protocol_of_the_paper(data_folder):
    """Norm 1 for every method; covtype in five orders; all else as the other protocol has it."""
    jobs = grid("paper", "full").jobs
    assert {job.scale for job in jobs} == {"unit"}
    orders = {(set_of(job.stream) == "covtype", job.order != "file") for job in jobs}
    assert orders == {(True, True), (False, False)}
    whole = [job for job in jobs if (job.stream, job.method, job.rate) == ("covtype", "auto", 1.0)]
    assert len({job.order for job in whole}) == len(PROFILES["full"].seeds)
    asked = {(job.method, job.rate) for job in jobs if job.stream == "sea"}
    assert asked >= {(m, rate) for m in (*NINE, *YARDSTICKS) for rate in (*RATES, 1.0)}
    assert {job.method for job in jobs if dict(job.settings).get("budget")} == {FIX}


def test_other_settings_of_the_competitors(data_folder):
    """MOA's own settings stay MOA's own; a family is run as it was tuned, under its scaling."""
    chosen = {
        ("poker", "vfdt", "none"): {"grace_period": 50},
        ("poker", "vfdt MC", "unit"): {"leaf_prediction": "MC", "tie_threshold": 0.2},
        ("poker", "k-perc gamma", "none"): {"gamma": 4.0},
    }
    jobs = grid(OTHERS, "full", chosen).jobs
    poker = {
        (job.method, job.scale, job.settings)
        for job in jobs
        if job.stream == "poker"
        and {"split_confidence", "grace_period"}.isdisjoint(dict(job.settings))
    }
    own = {("vfdt", ()), ("rules", ()), *(("vfdt", (("leaf_prediction", k),)) for k in LEAVES)}
    assert poker == {
        (method, scale, told) for method, told in own for scale in ("none", "unit")
    } | {
        ("vfdt", "unit", (("leaf_prediction", "MC"), ("tie_threshold", 0.2))),
        ("k-perc", "none", (("gamma", 4.0),)),
    }
    eager = [
        job for job in jobs if job.stream == "poker" and dict(job.settings).get("grace_period")
    ]
    assert len(eager) == 2 * len(EAGER) * len(RATES)
    assert {job.scale for job in eager} == {"unit"}
    assert {job.seed for job in jobs if job.stream == "covtype"} == {0}
    assert {job.order for job in jobs if job.stream == "covtype"} == {"file", "shuffle=0"}
    assert not {job.stream for job in jobs} & {"banana"}
    assert not grid(OTHERS, "quick", chosen).jobs
