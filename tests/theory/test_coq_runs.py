"""The table of exact runs that Coq's extracted BASE made, beside the learners: no Coq needed."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

import abacoc.base
from abacoc.base import ball_probability
from abacoc_theory.regret.exact import ExactBase

COQ = Path(__file__).parents[2] / "theory" / "coq"
RUNS = json.loads((COQ / "runs.json").read_text("utf-8"))
COLUMNS = ("sites", "labels", "ones", "zeros", "balls", "steps", "dimensions")


def numerators(run: dict) -> list[list[int]]:
    """The distances, times run["unit"]."""
    lower = run["distances"]
    n = len(lower)
    return [[lower[max(i, j)][min(i, j)] if i != j else 0 for j in range(n)] for i in range(n)]


def distances(run: dict) -> list[list[Fraction]]:
    known = {a: Fraction(a, run["unit"]) for row in numerators(run) for a in row}
    return [[known[a] for a in row] for row in numerators(run)]


@pytest.mark.parametrize("run", RUNS, ids=[run["space"] for run in RUNS])
def test_learner_does_what_the_extracted_base_does(run: dict) -> None:
    """Balls, t_i, d_i after every example, and the counts that predicted it."""
    rows = [[float(d) for d in row] for row in distances(run)]
    learner = abacoc.base.Base(float(Fraction(run["C"])), metric=lambda a, b: rows[a][b])
    for site, label, ones, zeros, *after in zip(*(run[name] for name in COLUMNS), strict=True):
        s, _ = learner._closest(site)
        if ones < 0:
            assert s < 0
            assert learner.probability(site) == 0.5
        else:
            counts = Counter(dict(zip(learner.classes, learner._balls[s].counts, strict=False)))
            assert (counts[1], counts[0]) == (ones, zeros)
            assert learner.probability(site) == ball_probability(ones, ones + zeros)
        learner.update(site, int(label))
        assert [learner.n_balls, learner.steps, learner.dimension] == after


@pytest.mark.parametrize("run", RUNS, ids=[run["space"] for run in RUNS])
def test_exact_base_does_what_the_extracted_base_does(run: dict) -> None:
    cover = ExactBase(distances(run), Fraction(run["C"]))
    for site, *after in zip(*(run[name] for name in ("sites", *COLUMNS[4:])), strict=True):
        assert [cover.update(site), cover.steps, cover.dimension] == after


def test_the_streams_have_phases_and_ties() -> None:
    """Or the comparison would say little: half reach phase 2, and every kind of tie occurs."""
    seen = Counter()
    for run in RUNS:
        rows, unit, constant = numerators(run), run["unit"], Fraction(run["C"])
        cover = ExactBase(distances(run), constant)
        for site in run["sites"]:
            k, d, size = cover.steps + 1, cover.dimension, len(cover.centres) + 1
            gaps = sorted(rows[c][site] for c in cover.centres)
            seen["equally close balls"] += gaps[:1] == gaps[1:2] and size > 2
            seen["at the radius"] += bool(gaps) and gaps[0] ** (2 + d) * k == unit ** (2 + d)
            opens = not gaps or gaps[0] ** (2 + d) * k > unit ** (2 + d)
            full = opens and size ** (2 + d) == (constant * 2**d) ** (2 + d) * k**d
            seen["full"] += full
            seen["rounded too full"] += full and size > constant * (2 / k ** (-1 / (2 + d))) ** d
            cover.update(site)
        seen[f"phase {cover.phase}"] += 1
    assert seen["phase 2"] + seen["phase 3"] >= len(RUNS) / 2
    assert seen["phase 3"] >= 5
    assert seen["equally close balls"] > 100
    assert seen["at the radius"] > 0
    assert seen["full"] > 20
    assert seen["rounded too full"] > 3


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("coqc"), reason="no coqc: apt install coq")
def test_the_table_is_what_coq_extracts() -> None:
    command = [sys.executable, str(COQ / "prove.py"), "--quick", "--runs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
