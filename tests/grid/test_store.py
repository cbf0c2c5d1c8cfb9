"""The store: whole, unaltered results or none; tables that read back the same."""

import csv
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc.grid.jobs import make_job, run_job
from abacoc.grid.keys import identity
from abacoc.grid.runner import run_grid
from abacoc.grid.store import STALE, Damaged, Store
from abacoc.grid.tables import (
    OTHER,
    TUNING,
    Omission,
    Record,
    Table,
    export,
    export_curves,
    is_valid,
    place,
    read_rows,
)
from abacoc.methods import EPOCHS

RECORD = Record(
    {"job": {"stream": "sea"}, "data": "d", "epoch": 1, "programs": ""},
    {"accuracy": 0.1 + 0.2, "curve": {"ends": [1, 2]}},
    "",
    {"seconds": 1e-300, "traceback": "Ünïcode"},
)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_round_trip(store):
    assert store.read(RECORD.key) is None
    store.write(RECORD)
    assert store.read(RECORD.key) == RECORD
    assert [path.name for path in store.folder.rglob("*.*")] == [f"{RECORD.key}.json"]
    again = RECORD._replace(provenance={"seconds": 2.0})
    store.write(again)
    assert store.read(RECORD.key) == again


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    store.write(RECORD)
    return store, store.path(RECORD.key), store.path(RECORD.key).read_bytes()


@given(st.data())
def test_any_altered_byte_is_noticed(written, data):
    store, path, content = written
    place = data.draw(st.integers(0, len(content) - 2))  # the last one ends the line
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != content[place]))
    path.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
    with pytest.raises(Damaged, match="truncated or altered"):
        store.read(RECORD.key)


@given(st.data())
def test_any_truncation_is_noticed(written, data):
    store, path, content = written
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 2))])
    with pytest.raises(Damaged):
        store.read(RECORD.key)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 500,
        b"[]",
        b"1",
        b"{}",
        b'{"content":{}}',
        b"[" * 100_000,
        b'{"checksum":NaN}',
    ],
)
def test_anything_else_is_noticed(written, content):
    store, path, _ = written
    path.write_bytes(content)
    with pytest.raises(Damaged):
        store.read(RECORD.key)


def test_result_under_another_key_is_noticed(store):
    store.write(RECORD)
    other = "f" * 64
    store.path(other).parent.mkdir(exist_ok=True)
    store.path(RECORD.key).rename(store.path(other))
    with pytest.raises(Damaged):
        store.read(other)


def test_sweep_takes_old_remains_only(store):
    store.write(RECORD)
    old, new = (store.path(RECORD.key).parent / f".{RECORD.key}.json.{x}" for x in ("old", "new"))
    for path in (old, new):
        path.write_text("{")
    os.utime(old, (0, old.stat().st_mtime - STALE - 1))
    assert store.sweep() == 1
    assert not old.exists()
    assert new.exists()
    assert store.read(RECORD.key) == RECORD


def fill(store, jobs):
    for job in jobs:
        result = run_job(job)
        seconds = {"seconds": result.pop("seconds")}
        store.write(Record(identity(job), result, "", seconds))


def test_export(store, tmp_path):
    stream = "generated:banana,n=150"
    jobs = [make_job(stream, method, 0.37, seed) for method in ("nn3", "auto") for seed in (1, 0)]
    failed, not_run = make_job(stream, "base", 0.37), make_job(stream, "cnn", 0.37)
    fill(store, jobs)
    store.write(Record(identity(failed), None, "E: bad, bad", {}))
    slow = Omission(make_job(stream, "k-perc"), "too slow")
    table = tmp_path / "table.csv"
    export(store.find, [*jobs, failed, not_run], table, [slow])
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["method"], row["seed"], row["status"]) for row in rows] == [
        ("auto", "0", "done"),
        ("auto", "1", "done"),
        ("base", "0", "failed"),
        ("cnn", "0", "not run"),
        ("k-perc", "0", "omitted"),
        ("nn3", "0", "done"),
        ("nn3", "1", "done"),
    ]
    assert [row["reason"] for row in rows if row["reason"]] == ["E: bad, bad", "too slow"]
    for row in rows:
        if row["status"] == "done":
            job = make_job(row["stream"], row["method"], float(row["rate"]), int(row["seed"]))
            result = run_job(job)
            assert json.loads(row["settings"]) == dict(job.settings)
            for name in ("accuracy", "model_share", "model_size", "n_updates"):
                assert float(row[name]) == result[name]
        else:
            assert not row["accuracy"]
    done = [row for row in rows if row["status"] == "done"]
    assert {row["epoch"] for row in done} == {"1"}
    assert {len(row["data"]) for row in done} == {16}


def test_table_does_not_tell_when_it_was_computed(store, tmp_path):
    jobs = [make_job("generated:banana,n=150", "auto-adj", 0.5, seed) for seed in (0, 1)]
    tables = []
    for run in ("first", "second"):
        fill(store, reversed(jobs))
        table = tmp_path / f"{run}.csv"
        export(store.find, jobs, table)
        tables.append([row | {"seconds": ""} for row in read_rows(table)])
    assert tables[0] == tables[1]


def test_curves(store, tmp_path):
    job = make_job("generated:banana,n=250", "auto-adj")
    fill(store, [job])
    export_curves(store.find, [job], tmp_path / "curves.csv")
    with (tmp_path / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    curve = run_job(job)["curve"]
    assert [float(row["accuracy"]) for row in rows] == curve["accuracy"]
    assert [int(row["end"]) for row in rows] == curve["ends"]
    assert [int(row["model_size"]) for row in rows] == curve["model_sizes"]


def test_nothing_to_export(store, tmp_path):
    table = tmp_path / "table.csv"
    export(store.find, [], table)
    assert len(table.read_text().splitlines()) == 1


BANANA, SEA = "generated:banana,n=150", "generated:sea,n=100"


@pytest.fixture
def table(store, tmp_path):
    """A folder with a table of two runs, one of them with its curve."""
    jobs = [make_job(BANANA, "auto"), make_job(SEA, "auto")]
    fill(store, jobs)
    export(store.find, jobs, tmp_path / "results.csv")
    export_curves(store.find, jobs[:1], tmp_path / "curves.csv")
    return tmp_path


def test_a_table_is_a_store(table, tmp_path):
    """A clone elsewhere, with nothing but the table, goes on from it and writes it again."""
    jobs = [make_job(BANANA, "auto"), make_job(SEA, "auto"), make_job(SEA, "nn3")]
    clone = Store(tmp_path / "elsewhere", Table(table))
    summary = run_grid(jobs, clone, workers=1)
    assert (summary.taken, summary.computed, summary.failures) == (2, 1, [])
    again = run_grid(jobs, clone, workers=1, again=True)
    assert (again.taken, again.found, again.computed) == (0, 1, 2)
    with_curves = Store(tmp_path / "curves", Table(table))
    summary = run_grid(jobs[:2], with_curves, workers=1, curves=set(jobs[:2]))
    assert (summary.taken, summary.computed) == (1, 1)  # one curve is not in the table
    export(Store(tmp_path / "none", Table(table)).find, jobs[:2], tmp_path / "copy.csv")
    assert (tmp_path / "copy.csv").read_bytes() == (table / "results.csv").read_bytes()
    export_curves(clone.find, jobs[:1], tmp_path / "copy.csv")
    assert (tmp_path / "copy.csv").read_bytes() == (table / "curves.csv").read_bytes()


@pytest.mark.parametrize("name", [TUNING, OTHER])
def test_a_run_that_only_another_table_has_is_found(store, table, tmp_path, name):
    """Though the results say that it has not been run."""
    job = make_job(SEA, "nn3")
    export(store.find, [job], table / "results.csv")
    assert Table(table).find(job) is None
    fill(store, [job])
    export(store.find, [job], table / name)
    assert Table(table).find(job).result["n_updates"] == store.find(job).result["n_updates"]


def test_a_run_of_another_epoch_is_computed_anew(table, tmp_path, monkeypatch):
    job = make_job(BANANA, "auto")
    assert Table(table).find(job)
    before = identity(job)
    monkeypatch.setitem(EPOCHS, "auto", EPOCHS["auto"] + 1)
    assert identity(job) != before
    assert Table(table).results == {}
    assert Table(table).curves == {}
    store = Store(tmp_path / "new", Table(table))
    assert store.find(job) is None
    assert run_grid([job], store, workers=1).computed == 1


@pytest.mark.parametrize(
    ("column", "value"), [("data", "0" * 16), ("epoch", "0"), ("epoch", ""), ("method", "gone")]
)
def test_a_row_of_other_data_is_not_valid(table, column, value):
    path = table / "results.csv"
    rows = read_rows(path)
    rows[0][column] = value
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert len(Table(table).results) == 1


@pytest.mark.parametrize(
    ("program", "valid"), [("", True), ("numpy 0.1", False), ("not_installed_here 7", True)]
)
def test_runs_of_a_program_that_is_not_installed_stay(table, program, valid):
    """Another version of what is installed here might give another answer: it is run again."""
    (row, _) = read_rows(table / "results.csv")
    assert is_valid(row | {"programs": program}) is valid


def test_rows_that_are_kept_stay_where_nothing_newer_is(store, table, tmp_path):
    job = make_job(BANANA, "auto")
    old = Table(table).results
    record = store.find(job)
    store.write(record._replace(provenance={"seconds": 9.0}))
    export(store.find, [job], tmp_path / "new.csv", kept=old, old=old)
    assert (tmp_path / "new.csv").read_bytes() == (table / "results.csv").read_bytes()
    export(store.find, [job], tmp_path / "new.csv", old=old)  # of what is not kept as well
    (row,) = read_rows(tmp_path / "new.csv")
    assert row in old.values()
    store.write(record._replace(result=record.result | {"accuracy": 0.25}))
    export(store.find, [job], tmp_path / "new.csv", kept=old, old=old)
    new = {place(row): row for row in read_rows(tmp_path / "new.csv")}
    assert len(new) == 2
    assert [row["accuracy"] for at, row in new.items() if row != old[at]] == ["0.25"]


def test_an_omitted_job_does_not_hide_a_stored_result(table, tmp_path):
    job = make_job(BANANA, "auto")
    kept = Table(table).results
    export(lambda job: None, [], tmp_path / "new.csv", [Omission(job, "slow")], kept)
    assert (tmp_path / "new.csv").read_bytes() == (table / "results.csv").read_bytes()


def test_an_omitted_job_leaves_the_reason_of_an_earlier_one(tmp_path):
    """The larger profile tried harder."""
    job, path = make_job(BANANA, "auto"), tmp_path / "results.csv"
    for reason in ("more than 600 s", "more than 2 s"):
        kept = Table(tmp_path).results
        export(lambda job: None, [], path, [Omission(job, reason)], kept)
    assert "more than 600 s" in path.read_text()
