"""Claims on made-up results: each verdict can come out either way."""

import csv
import json
from dataclasses import replace

import pytest

from paper import claims as c
from paper.claim_list import CLAIMS
from paper.claims_table import write_table
from paper.normalised import COMPETITORS, FIX, LEVELS, OWN, covered, point
from paper.reproduce import ITEMS
from paper.results import Result, Results, mean

STREAMS = ("electricity", "poker")


def row(stream, method, rate, seed, accuracy, share, **settings):
    scale = "unit" if method in OWN[:2] else "none"
    return Result(
        stream,
        method,
        rate,
        seed,
        scale,
        settings,
        accuracy,
        int(share * 1000),
        share,
        1000,
        1.0,
        int(rate * 1000),
    )


def table(**changes):
    """AUTO-ADJ is best, FIX better still, the others behind; ``changes`` by method."""
    rank = {m: 0.8 - 0.02 * i for i, m in enumerate(("auto-adj", "auto", "base-adj", "base"))}
    rank |= {"nn3": 0.79, "cnn": 0.7, "k-perc": 0.65, "rules": 0.6, "vfdt": 0.6, FIX: 0.9}
    rank |= changes
    share = {m: 0.2 + 0.01 * i for i, m in enumerate(("auto-adj", "auto", "base-adj", "base"))}
    share |= {"nn3": 1.0, "cnn": 0.5, "k-perc": 0.5, "rules": 0.001, "vfdt": 0.001}
    rows = []
    for stream in STREAMS:
        for method in (*OWN, *COMPETITORS):
            rows.append(row(stream, method, 1.0, 0, rank[method], share[method]))
            for level in LEVELS:
                for seed in range(3):
                    noise = 0.001 * (seed - 1)
                    accuracy = rank[method] * (0.9 + level / 2) + noise
                    rows.append(row(stream, method, level, seed, accuracy, share[method] * level))
        for level in LEVELS:
            for seed in range(3):
                accuracy = rank[FIX] * (0.9 + level / 2) + 0.001 * seed
                if stream == "electricity":
                    accuracy += 0.05
                rows.append(row(stream, FIX, 1.0, seed, accuracy, level, budget=level))
        for d_hat in (0.0, 5.0, 10.0):
            rows.append(row(stream, "auto-adj", 1.0, 0, 0.8 - d_hat / 1000, 0.2, d_hat=d_hat))
    return Results(rows)


def verdicts(results, folder):
    return {r["id"]: r["verdict"] for r in c.check_claims(results, folder)}


def test_all_is_reproduced_where_all_is_as_the_paper_says(tmp_path):
    found = verdicts(table(), tmp_path)
    for name in ("adjustment", "smallest-and-best", "base-adj", "auto-base", "cnn-kperc"):
        assert found[name] == c.REPRODUCED
    for name in ("fix-10", "fix-1", "fix-drift", "bounding-helps", "d-hat", "rate-is-a-bound"):
        assert found[name] == c.REPRODUCED
    assert found["guarantee"] == found["logarithmic"] == c.UNTESTED  # no files there


def test_nothing_is_reproduced_where_it_is_the_other_way_round(tmp_path):
    wrong = table(**{"auto-adj": 0.3, "base-adj": 0.2, FIX: 0.1, "cnn": 0.1, "auto": 0.35})
    found = verdicts(wrong, tmp_path)
    for name in ("base-adj", "auto-base", "cnn-kperc", "cnn-vfdt", "fix-10", "fix-1"):
        assert found[name] == c.NOT
    assert found["bounding-helps"] == c.NOT
    assert found["smallest-and-best"] == c.PARTLY  # still the smallest


def test_equal_sizes(tmp_path):
    """NN3 has 0.1 of the stream at rate 0.1; what it has there is what counts, not the rate."""
    found = {r["id"]: r for r in c.check_claims(table(), tmp_path)}["fix-same-size"]
    assert found["verdict"] == c.REPRODUCED
    assert found["result"].startswith("above NN3 in 8 of 8; above AUTO-ADJ in 8 of 8")
    found = {r["id"]: r for r in c.check_claims(table(nn3=0.99), tmp_path)}["fix-same-size"]
    assert found["verdict"] == c.PARTLY
    assert "above AUTO-ADJ in 8 of 8" in found["result"]


def test_a_model_larger_than_what_it_was_given(tmp_path):
    rows = table().rows
    grown = [replace(r, model_size=r.n_updates + 1) if r.method == "cnn" else r for r in rows]
    assert verdicts(Results(grown), tmp_path)["rate-is-a-bound"] == c.PARTLY


def test_gains_with_drift(tmp_path):
    """Electricity drifts, poker does not."""
    found = [row for row in table().rows if row.method == FIX]
    rest = [row for row in table().rows if row.method != FIX]
    even = [replace(r, accuracy=0.9 + (0.1 if r.stream == "poker" else 0)) for r in found]
    assert verdicts(Results(rest + even), tmp_path)["fix-drift"] == c.NOT


def test_without_results_nothing_can_be_tested(tmp_path):
    found = verdicts(Results([]), tmp_path)
    by_tests = {"new-classes"}
    assert {name for name, verdict in found.items() if verdict != c.UNTESTED} == by_tests


def test_every_claim_has_a_name_of_its_own_and_is_written(tmp_path):
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    path = c.write_claims(tmp_path)
    with path.open(newline="") as file:
        assert [r["id"] for r in csv.DictReader(file)] == [claim.id for claim in CLAIMS]


def test_a_difference_within_the_noise_is_none():
    assert c.better(mean([0.5, 0.6, 0.7]), mean([0.52, 0.62, 0.66])) == 0
    assert c.better(mean([0.5, 0.51]), mean([0.7, 0.71])) == -1


def test_results_come_back_from_a_file(tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(
        "stream,method,rate,seed,scale,settings,accuracy,model_size,model_share,n_examples,"
        "n_updates,seconds,epoch\n"
        'sea,auto-adj-fix,1.0,3,none,"{""budget"": 0.01}",0.5,10,0.01,1000,1000,0.1,1\n'
        "sea,rules,1.0,3,none,{},,,,,,,\n"
    )
    (only,) = Results.read(path).rows
    assert (only.budget, only.seed, only.model_size) == (0.01, 3, 10)
    assert json.dumps(only.settings) == '{"budget": 0.01}'
    path.write_text(path.read_text().replace(",0.1,1\n", ",0.1,0\n"))
    with pytest.raises(ValueError, match="auto-adj-fix of epoch 0, now it is 1: abacoc reproduce"):
        Results.read(path)


def test_points_are_relative_to_the_best_of_each_stream():
    results = table()
    assert covered(results, ("auto-adj", FIX), LEVELS) == list(STREAMS)
    full = point(results, "auto-adj", 1.0, STREAMS)
    assert full.accuracy.value == pytest.approx(1.0, abs=0.005)
    assert point(results, "nn3", 0.1, STREAMS).share.value == pytest.approx(0.1)


def test_table_for_the_readme(tmp_path):
    """Command, result and verdict of each claim; nothing outside the folder changes."""
    (tmp_path / "reproduced").mkdir()
    c.write_claims(tmp_path)
    text = write_table(tmp_path).read_text()
    assert text.startswith(f"{len(CLAIMS)} claims, ")
    lines = {line.split(" | ")[0].strip("| "): line for line in text.splitlines()[2:]}
    figure = lines["AUTO-ADJ's curve dominates the other ones"]
    assert "| `abacoc reproduce --only fig3 --profile full` | " in figure
    proofs = lines["a performance guarantee without stochastic assumptions"]
    assert "| `abacoc verify` | " in proofs
    assert "reproduced" in lines["multiclass, and new classes are taken up as they appear"]


def test_every_claim_names_something_to_run():
    assert {claim.item for claim in CLAIMS} <= {*ITEMS, "verify", "bench", "claims"}


def test_a_smaller_model_that_is_more_accurate_is_not_dominated(tmp_path):
    """VFDT with a thousandth of the stream, and above AUTO-ADJ."""
    claim = next(claim for claim in CLAIMS if claim.id == "dominates")
    told, _ = claim.check(table(), tmp_path)
    assert "VFDT" not in told
    told, verdict = claim.check(table(vfdt=0.95), tmp_path)
    assert "below 4 of VFDT" in told
    assert verdict == c.PARTLY
