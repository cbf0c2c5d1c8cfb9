"""`abacoc regret`: the sparse comparator against the dense one, and the command."""

import dataclasses
import itertools
import json

import numpy as np
import pytest

from abacoc import Base
from abacoc.cli import main
from abacoc_theory import check_bound, from_points
from abacoc_theory.regret import near_comparator
from abacoc_theory.regret.comparator import best_lipschitz_sites
from abacoc_theory.regret.covering import farthest_point_radii
from abacoc_theory.regret.data import _least_dimension, distinct_points, regret_of_data
from abacoc_theory.regret.line_comparator import CertificateError
from abacoc_theory.regret.near_comparator import Straight, best_lipschitz_near

CONSTANTS = [0.0, 0.5, 1.0, 3.0, 5.5, 20.0, 100.0]


def some_points(rng, lattice):
    n, k = int(rng.integers(1, 60)), int(rng.integers(1, 4))
    points = rng.integers(0, 8, (n, k)) / 7 if lattice else rng.random((n, k))
    return np.unique(points / np.sqrt(k), axis=0)


@pytest.mark.parametrize("way", ["units", "dense"])
@pytest.mark.parametrize("lattice", [False, True])
def test_near_pairs_give_what_all_pairs_give(monkeypatch, way, lattice):
    """To the last bit, in batches of few pairs, with single units or with a matrix."""
    if way == "dense":
        monkeypatch.setattr(near_comparator, "_match_units", lambda *_: None)
    else:
        monkeypatch.setattr(near_comparator, "_transport", None)  # doubles are good enough
        monkeypatch.setattr(near_comparator, "FULL", 2.0)
    monkeypatch.setattr(near_comparator, "BATCH", 20)
    rng = np.random.default_rng(3)
    for _, L in itertools.product(range(12), CONSTANTS):
        points = some_points(rng, lattice)
        n = len(points)
        ones, zeros = rng.integers(0, 4, n), rng.integers(0, 4, n)
        told = []
        near = best_lipschitz_near(
            points, ones, zeros, L, progress=lambda *state, told=told: told.append(state)
        )
        matrix = Straight(points)(np.arange(n), np.arange(n))
        assert matrix.tolist() == [from_points(points).row(i).tolist() for i in range(n)]
        dense = best_lipschitz_sites(matrix, ones, zeros, L)
        assert (near.loss, near.dual_value, near.gap) == (dense.loss, dense.dual_value, 0)
        near.verify()
        assert not told or told[-1][0] == told[-1][1]


def test_a_wrong_function_or_matching_is_found():
    rng = np.random.default_rng(4)
    points, ones = rng.random((50, 2)) / 2, rng.integers(0, 2, 50)
    best = best_lipschitz_near(points, ones, 1 - ones, 5.0)
    f = best.f.copy()
    f[7] = 1 - f[7] if abs(f[7] - 0.5) > 0.2 else 0.0
    for change in ({"f": f}, {"f": f + 2}, {"matching": best.matching[1:]}, {"f": f[1:]}):
        with pytest.raises(CertificateError):
            dataclasses.replace(best, **change).verify()


def test_too_many_pairs_are_refused(monkeypatch):
    points = np.arange(10)[:, None] / 10
    ones = np.arange(10) % 2
    monkeypatch.setattr(near_comparator, "PAIRS", 24)
    with pytest.raises(ValueError, match="25 pairs of points with different labels"):
        best_lipschitz_near(points, ones, 1 - ones, 1.0)
    assert best_lipschitz_near(points, ones, 1 - ones, 1.0, limit=25).gap == 0
    assert best_lipschitz_near(points, ones, 1 - ones, 9.9).gap == 0
    monkeypatch.setattr(near_comparator, "DENSE", 24)
    with pytest.raises(ValueError, match="5 and 5 points hang together and come too often"):
        best_lipschitz_near(points, 9 * ones, 9 * (1 - ones), 9.9)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_stream_of_data_is_what_the_laboratory_finds(k):
    """The same mistakes, losses, regrets and bounds, to the last bit, with points that repeat."""
    rng = np.random.default_rng(k)
    X, y = rng.integers(0, 9, (400, k)) * 0.37, rng.integers(0, 2, 400)
    found = regret_of_data(X, y, CONSTANTS, covering=2.0, over_time=True)
    points, site, divided_by = distinct_points(X)
    assert divided_by == found.divided_by
    assert (points[site] == X / divided_by).all()
    reference, chances = Base(2.0), []
    for x, label in zip(points[site], y.tolist(), strict=True):
        chances.append(reference.probability(x))
        reference.update(x, label)
    assert (found.n_balls, found.phases) == (reference.n_balls, reference.phase)
    space = from_points(points, dimension=float(found.dimension), covering=2.0)
    assert len(found.over_time) == len(CONSTANTS) * 8
    for row in found.over_time:
        result = check_bound(space, (site, y), row.T, row.L, covering=2.0)
        assert result.p.tolist() == chances[: row.T]
        assert (row.mistakes, row.regret) == (result.mistakes, result.regret)
        assert (row.primal, row.dual, row.gap) == (result.comparator.loss, row.primal, 0)
        bounds = result.bounds
        assert row.without_hypotheses == bounds["without hypotheses"]
        assert (row.corrected, row.sharpened) == (bounds["corrected"], bounds["sharpened"])
        assert result.holds
    assert found.rows == [row for row in found.over_time if row.T == 400]


def test_the_dimension_has_the_covers_that_it_promises():
    """By the whole traversal, and one dimension less would not do; the attributes always do."""
    rng, seen = np.random.default_rng(8), set()
    for k, C in itertools.product((2, 3, 5), (1.0, 3.0, 20.0, 200.0)):
        points = rng.random((150, k)) / np.sqrt(k)
        points[:, 2:] *= 0.01
        space = from_points(points)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        centre = int(((points - middle) ** 2).sum(axis=1).argmin())
        radii = np.minimum(farthest_point_radii(space, centre), 0.5)
        radii[0] = 1.0

        def largest(d, radii=radii):
            return max((i + 1) * r**d for i, r in enumerate(radii[:-1].tolist()))

        D = _least_dimension(space, C)
        least = next(d for d in itertools.count(1) if d == k or largest(d) <= C)
        assert least == D
        seen.add((k, D))
    assert {(2, 2), (2, 1), (5, 2), (5, 1)} <= seen


def test_points_that_need_no_division_are_left_alone():
    assert regret_of_data([[0.25], [0.75]], [0, 1], [1.0]).divided_by == 1
    far = regret_of_data([[1e6, 0.0], [1e6 + 7, 0.0]], [0, 1], [1.0])
    assert far.divided_by == pytest.approx(7, rel=1e-6)  # 2^-45 of the largest coordinate more
    assert far.rows[0].primal == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("X", "y", "L", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], 1, "finite"),
        ([[1.0]], [2], 1, "a label 0 or 1"),
        ([[1.0]], [0, 1], 1, "a label 0 or 1"),
        ([[1.0]], [0], -1, "L must be"),
        ([[1e308], [-1e308]], [0, 1], 1, "too large"),
    ],
)
def test_nonsense(X, y, L, message):
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=message):
        regret_of_data(X, y, [L])


# The command ----------------------------------------------------------------------------------


def call(capsys, *arguments):
    status = main(["regret", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_command(capsys, tmp_path):
    stream, picture = "generated:sea,n=300", tmp_path / "a.png"
    status, out, err = call(capsys, stream, "--lipschitz", "0,8", "--plot", picture)
    assert (status, err) == (0, "")
    assert picture.stat().st_size > 1000
    assert "300 distinct points, divided by" in out
    status, told, err = call(capsys, stream, "--lipschitz", "8,0,8", "--json")
    found = json.loads(told)
    assert (status, err) == (0, "")
    assert {*found} == {
        *("stream", "n_examples", "n_points", "n_attributes", "divided_by", "covering_constant"),
        *("dimension", "phases", "n_balls", "rows", "over_time"),
    }
    assert [row["L"] for row in found["rows"]] == [8, 0]
    keys = {"L", "T", "mistakes", "primal", "dual", "gap", "regret", "without_hypotheses"}
    assert {*found["rows"][0]} == keys | {"corrected", "sharpened"}
    for row in found["rows"]:
        assert f"{row['regret']:,.3f}" in out
        assert row["gap"] == 0


def test_command_takes_a_file_and_the_options_of_run(capsys, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{a!r},{b!r},{'ab'[int(a > b)]}" for a, b in (9 * rng.random((60, 2))).tolist()]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    more = ["--scale", "minmax", "--shuffle", "3", "--head", "40", "--covering-constant", "2"]
    status, told, _ = call(capsys, tmp_path / "mine.csv", "--lipschitz", "4", "--json", *more)
    found = json.loads(told)
    assert (status, found["n_examples"], found["covering_constant"]) == (0, 40, 2)
    assert found["divided_by"] == pytest.approx(np.sqrt(2), abs=0.05)  # a box of sides near 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["generated:sea,n=50", "--lipschitz", "-1"], "--lipschitz takes numbers"),
        (["generated:sea,n=50", "--lipschitz", "1,x"], "--lipschitz takes numbers"),
        (["generated:sea,n=50", "--lipschitz", "inf"], "--lipschitz takes numbers"),
        (["generated:sea,n=50", "--lipschitz", "1", "--head", "0"], "--head"),
        (["generated:sea,n=50", "--lipschitz", "1", "--plot", "a.txt"], "a.txt"),
        (["generated:sea,n=50", "--lipschitz", "1", "--pairs", "0"], "--pairs"),
        (["generated:sea,n=50", "--lipschitz", "1", "--pairs", "9"], "the limit of 9 (--pairs)"),
        (["generated:sea,n=50", "--lipschitz", "1", "--covering-constant", "0"], "covering"),
        (["three.csv", "--lipschitz", "1"], "two classes, not 3"),
        (["nothing.csv", "--lipschitz", "1"], "nothing.csv"),
    ],
)
def test_command_says_what_is_wrong_in_one_line(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.csv").write_text("1,a\n2,b\n3,c\n")
    status, out, err = call(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
