"""The best Lipschitz comparator: against a plain linear program, and its certificates."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist
from spaces import streams

from abacoc_theory.regret import comparator
from abacoc_theory.regret.comparator import (
    best_lipschitz,
    best_lipschitz_points,
    best_lipschitz_sites,
    between,
)
from abacoc_theory.regret.line_comparator import CertificateError

CONSTANTS = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.3, 64.0, 1e6, math.inf]), st.floats(0, 20)
)


def linear_program(matrix, ones, zeros, L):
    """The least loss with all pairs constrained, as plainly as it can be written down."""
    matrix, ones, zeros = np.asarray(matrix), np.asarray(ones), np.asarray(zeros)
    unit = np.eye(len(ones))
    rows, limits = [], []
    for a, b in zip(*np.nonzero(~unit.astype(bool)), strict=True):
        reach = L * matrix[a, b] if matrix[a, b] > 0 else 0.0
        if reach < 1:  # farther pairs have no constraint within [0, 1]
            rows.append(unit[a] - unit[b])
            limits.append(reach)
    limited = {"A_ub": np.array(rows), "b_ub": limits} if rows else {}
    solved = linprog((zeros - ones).astype(float), bounds=(0, 1), **limited)
    return solved.fun + ones.sum()


def assert_optimal(found, matrix, metric_error=2.0**-50):
    expected = linear_program(matrix, found.ones, found.zeros, found.L)
    # HiGHS is content when constraints and reduced costs are met to 1e-7, for each unit of mass.
    content = 2e-7 * (1 + found.ones.sum() + found.zeros.sum())
    assert found.loss == pytest.approx(expected, rel=0, abs=content)
    assert_certified(found, metric_error)


def assert_certified(found, metric_error=2.0**-50):
    assert found.gap == 0
    assert found.loss == found.primal_value == found.dual_value
    assert abs(found.verify(metric_error)) <= 2.0**-51 * found.loss  # as derived in verify


@st.composite
def metrics(draw, max_size=9):
    """Shortest paths in a random graph: any finite metric, with many ties, or a pseudometric."""
    n = draw(st.integers(1, max_size))
    edge = st.one_of(st.integers(0, 6).map(lambda k: k / 4), st.floats(0.01, 3))
    upper = np.zeros((n, n))
    for a, b in zip(*np.triu_indices(n, 1), strict=True):
        upper[a, b] = draw(edge)
    apart = upper + upper.T
    for k in range(n):
        apart = np.minimum(apart, apart[:, k, None] + apart[k])
    return apart


@st.composite
def tallies(draw, most=9):
    matrix = draw(metrics())
    tally = st.lists(st.integers(0, most), min_size=len(matrix), max_size=len(matrix))
    return matrix, np.array(draw(tally)), np.array(draw(tally))


@given(streams(st.integers(0, 1), max_size=12), CONSTANTS, st.data())
def test_every_input_gives_the_optimum_of_the_plain_program(stream, L, data):
    space, points, y = stream
    # The circle's distances have an absolute error of 2^-53, not a relative one.
    L = min(L, 20.0) if space.name == "circle" else L
    metric_error = max(8.0, L) * 2.0**-53 if space.name == "circle" else 2.0**-50
    # math.dist has no squares that vanish.
    distance = math.dist if space.metric == "euclidean" else space.distance
    matrix = np.array([[distance(a, b) for b in points] for a in points])
    each = st.lists(st.integers(0, 4), min_size=len(y), max_size=len(y))
    weights = data.draw(st.none() | each)
    found = best_lipschitz_points(points, y, L, distance, weights)
    assert_optimal(found, matrix, metric_error)
    label = np.array(y, dtype=bool)
    for distances in (matrix, matrix[label][:, ~label]):
        same = best_lipschitz(distances, y, L, weights)
        assert same.loss == found.loss
        assert_certified(same, metric_error)


@given(tallies(), CONSTANTS)
def test_sites_in_any_metric(tallied, L):
    matrix, ones, zeros = tallied
    found = best_lipschitz_sites(matrix, ones, zeros, L)
    assert_optimal(found, matrix)
    site = np.concatenate([np.repeat(np.arange(len(ones)), n) for n in (ones, zeros)])
    y = np.repeat([1, 0], [ones.sum(), zeros.sum()])
    single = best_lipschitz(matrix[np.ix_(site, site)], y, L)
    # Summing up before or after matching is the same only up to the rounded triangle inequality.
    assert single.loss == pytest.approx(found.loss, rel=0, abs=2.0**-50 * len(y))
    assert_certified(single)


@given(tallies(10**6), st.lists(CONSTANTS, min_size=2, max_size=4))
def test_loss_falls_from_the_best_constant_to_the_best_function(tallied, constants):
    matrix, ones, zeros = tallied
    ladder = [0.0, *sorted(constants), math.inf]
    found = [best_lipschitz_sites(matrix, ones, zeros, L) for L in ladder]
    for each in found:
        assert_certified(each)
    losses = [each.loss for each in found]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == min(ones.sum(), zeros.sum())
    together = (matrix == 0).astype(int)  # a pseudometric: sites may be at the same place
    first = together.argmax(axis=1)
    assert losses[-1] == sum(
        min(ones[first == s].sum(), zeros[first == s].sum()) for s in set(first.tolist())
    )


@given(tallies(), CONSTANTS, st.data())
def test_a_certificate_that_was_tampered_with_is_refused(tallied, L, data):
    matrix, ones, zeros = tallied
    found = best_lipschitz_sites(matrix, ones, zeros, L)
    s = data.draw(st.integers(0, len(ones) - 1))
    if ones[s] != zeros[s]:
        # Its loss is another one, or it leaves [0, 1].
        for change in (-0.25, -1e-9, 1e-9, 0.25):
            f = found.f.copy()
            f[s] += change
            with pytest.raises(CertificateError):
                replace(found, f=f).verify()
    for name in ("loss", "primal_value", "dual_value", "gap"):
        with pytest.raises(CertificateError):
            replace(found, **{name: getattr(found, name) + 1e-6 * (1 + found.loss)}).verify()
    if len(found.matching):
        k = data.draw(st.integers(0, len(found.matching) - 1))
        i, j, mass = found.matching[k]
        others = np.delete(found.matching, k, axis=0)
        forged = [
            found.matching * [1, 1, -1],
            found.matching - [len(ones), 0, 0],
            np.vstack([others, [i, j, mass + ones[i] + zeros[j]]]),  # more than there is
        ]
        if matrix[i, j] == 0 or L * matrix[i, j] < 1 - 1e-6:  # else it proves next to nothing
            forged.append(others)
        for matching in forged:
            with pytest.raises(CertificateError):
                replace(found, matching=matching).verify()


def test_a_block_certificate_is_refused_if_f_is_not_an_extension():
    """Two positives far from all negatives: only how they extend could tell that f varies."""
    found = best_lipschitz([[3.0], [3.0]], [1, 0, 1], L=1, weights=[0, 1, 1])
    assert_certified(found)
    with pytest.raises(CertificateError, match="extension"):
        replace(found, f=np.array([0.5, 0.0, 1.0])).verify()


def plane(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    return X, rng.random(n) < 0.5 + 0.4 * np.sin(6 * X[:, 0]) * np.cos(6 * X[:, 1])


@pytest.mark.parametrize("L", [0.25, 1, 4, 16, 200])
@pytest.mark.parametrize("grid", [None, 12, 5])
def test_hundreds_of_points_in_the_plane(L, grid):
    """On grids, nearly equal paths abound, so that the matching in doubles is not quite optimal."""
    X, y = plane(600)
    X = X if grid is None else np.round(X * grid) / grid
    found = best_lipschitz_points(X, y, L)
    assert_certified(found)
    weight = np.maximum(0, 1 - L * cdist(X[y], X[~y]))
    # The solver's doubles: each of its sums rounds at 2^-53 of at most 600.
    assert found.loss == pytest.approx(
        weight[linear_sum_assignment(weight, maximize=True)].sum(), rel=0, abs=600 * 600 * 2.0**-53
    )


def test_a_poor_start_costs_time_only(monkeypatch):
    X, y = plane(200)
    expected = best_lipschitz_points(X, y, 2)
    rng = np.random.default_rng(1)

    def nonsense(back, a, b):
        n = min(len(a), len(b)) // 2
        start = np.stack([rng.permutation(len(a))[:n], rng.permutation(len(b))[:n]], axis=1)
        return start, rng.integers(0, comparator.ONE, len(b))

    monkeypatch.setattr(comparator, "_units", nonsense)
    found = best_lipschitz_points(X, y, 2)
    assert_certified(found)
    assert found.loss == expected.loss


def test_clusters_that_are_far_apart_are_solved_on_their_own(monkeypatch):
    X, y = plane(120)
    alone = best_lipschitz_points(X, y, 1)
    sizes = []
    solve = comparator._transport
    monkeypatch.setattr(
        comparator, "_transport", lambda w, a, b: sizes.append(w.shape) or solve(w, a, b)
    )
    shifts = [0, 4, 8]
    found = best_lipschitz_points(np.concatenate([X + s for s in shifts]), np.tile(y, 3), 1)
    assert_certified(found)
    assert sizes == [(y.sum(), (~y).sum())] * 3
    # Shifting by up to 8 rounds a coordinate by up to 2^-51, hence a distance by less than 2^-49.
    assert found.loss == pytest.approx(3 * alone.loss, rel=0, abs=360 * 2.0**-49)


def test_slices_of_any_size_give_the_same(monkeypatch):
    X, y = plane(60)
    expected = best_lipschitz_points(X, y, 3)
    monkeypatch.setattr(comparator, "CELLS", 100)
    found = best_lipschitz_points(X, y, 3)
    assert_certified(found)
    assert found.loss == expected.loss
    f = found.f.copy()
    f[np.flatnonzero(y)[-1]] += 1e-9
    with pytest.raises(CertificateError):
        replace(found, f=f).verify()


@pytest.mark.parametrize("y", [[], [0], [1], [0, 0, 0], [1, 1, 1]])
@pytest.mark.parametrize("L", [0, 1, math.inf])
def test_nothing_is_lost_without_two_labels(y, L):
    points = np.arange(len(y), dtype=float).reshape(-1, 1)
    for found in (
        best_lipschitz_points(points, y, L),
        best_lipschitz(np.zeros((sum(y), len(y) - sum(y))), y, L),
        best_lipschitz_sites(between(points), y, 1 - np.array(y), L),
    ):
        assert_certified(found)
        assert found.loss == 0
        assert found.f.tolist() == y


def test_masses_near_the_limit_do_not_overflow():
    found = best_lipschitz_sites([[0, 0.5], [0.5, 0]], [2**52, 0], [2**40, 2**52 - 1], L=1)
    assert_certified(found)
    assert found.loss == 2**40 + (2**52 - 2**40) / 2


def test_sites_need_as_many_counts_of_both_labels_and_distances():
    for distances, zeros in (([[0.0]], [1, 2]), ([[0.0, 1.0], [1.0, 0.0]], [1])):
        with pytest.raises(ValueError, match=r".+"):
            best_lipschitz_sites(distances, [1], zeros, 1)


@pytest.mark.parametrize(
    ("distances", "y", "L", "weights"),
    [
        ([[1.0]], [0, 2], 1, None),
        ([[1.0]], [0, 1], -1, None),
        ([[1.0]], [0, 1], math.nan, None),
        ([[1.0]], [0, 1], 1, [1]),
        ([[1.0]], [0, 1], 1, [1, 0.5]),
        ([[1.0]], [0, 1], 1, [1, -1]),
        ([[1.0]], [0, 1], 1, [1, 2**53]),
        ([[1.0, 1.0]], [0, 1], 1, None),
        ([[-1.0]], [0, 1], 1, None),
        ([[math.nan]], [0, 1], 1, None),
    ],
)
def test_input_that_makes_no_sense_is_refused(distances, y, L, weights):
    with pytest.raises(ValueError, match=r".+"):
        best_lipschitz(distances, y, L, weights)
