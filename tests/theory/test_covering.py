"""Covering numbers against brute force and against known answers; what Lemma 1 makes of them."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_spaces import SMALL, table

from abacoc_theory.regret import spaces as sp
from abacoc_theory.regret.covering import (
    covering_constant,
    farthest_point_radii,
    line_covering_constant,
    line_covering_number,
    line_covering_radius,
    packing_number_greedy,
)
from abacoc_theory.regret.sites import SiteBase
from abacoc_theory.regret.spaces import FiniteSpace

DIMENSIONS = [0.0, 0.3, 0.63, 1.0, 1.5, 2.0, 3.0]


def fewest(sets: list[frozenset[int]], n: int) -> int:
    """Smallest number of the sets that together hold 0, ..., n - 1."""
    sizes = range(1, n + 1)
    everything = set(range(n))
    return next(
        k
        for k in sizes
        if any(everything <= set().union(*some) for some in itertools.combinations(sets, k))
    )


def true_number(D: np.ndarray, eps: float) -> int:
    """N(eps), with centres at the sites."""
    return fewest([frozenset(np.flatnonzero(row <= eps).tolist()) for row in D], len(D))


def true_steps(D: np.ndarray) -> list[tuple[int, float]]:
    """(N, r): the covering number just below the radius r <= 1; it is 1 at r = 1."""
    radii = [*np.unique(D).tolist(), 1.0]
    return [(true_number(D, here), following) for here, following in itertools.pairwise(radii)]


def check_valid(steps: list[tuple[int, float]], C: float, d: float) -> None:
    """N <= C eps^-d for eps < r, so N r^d <= C: without rounding where d is an integer."""
    for n, r in steps:
        if d == int(d):
            assert n * Fraction(r) ** int(d) <= Fraction(C)
        else:
            assert n * r**d <= C


@st.composite
def shortest_paths(draw: st.DrawFn) -> np.ndarray:
    """A random network with lengths in 64ths, so that nothing rounds."""
    n = draw(st.integers(1, 7))
    D = np.zeros((n, n), dtype=np.int64)
    for i, j in itertools.combinations(range(n), 2):
        D[i, j] = D[j, i] = draw(st.integers(1, 64))
    for k in range(n):
        D = np.minimum(D, D[:, [k]] + D[k])
    return D / 64


@given(shortest_paths(), st.sampled_from(DIMENSIONS))
def test_valid_on_random_spaces(D: np.ndarray, d: float) -> None:
    space = sp.from_matrix(D, dimension=d)
    C = covering_constant(space, d)
    check_valid(true_steps(D), C, d)
    assert space.covering == C
    for k, r in enumerate(farthest_point_radii(space)[1:], start=1):
        assert true_number(D, r) <= k


@given(st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=7, unique=True))
def test_the_line_by_brute_force(points: list[float]) -> None:
    points.sort()
    n = len(points)
    lengths = sorted({b - a for a, b in itertools.combinations(points, 2)} | {0.0})
    numbers = []
    for length in lengths:
        sets = [
            frozenset(j for j in range(i, n) if points[j] - points[i] <= length) for i in range(n)
        ]
        numbers.append(fewest(sets, n))
        assert line_covering_number(points[::-1], length / 2) == numbers[-1]
    for k in range(1, n + 1):
        expected = next(w for w, size in zip(lengths, numbers, strict=True) if size <= k)
        assert line_covering_radius(points, k) == expected / 2
    steps = list(zip(numbers, [w / 2 for w in lengths[1:]] + [1.0], strict=True))
    for d in DIMENSIONS:
        C = line_covering_constant(points, d)
        check_valid(steps, C, d)
        best = max(size * r**d for size, r in steps)
        assert best * (1 + 2**-47) >= C  # the margin in the module is 2^-49; two roundings here
        assert covering_constant(sp.points_on_line(points), d) == C


@pytest.mark.parametrize("n", [60, 150])
def test_the_line_with_more_points(n: int) -> None:
    """Against the same supremum over all k, without the shortcuts."""
    points = np.random.default_rng(n).random(n) ** 2
    radii = [line_covering_radius(points, k) for k in range(1, n)]
    for d in (0.2, 0.5, 0.8, 0.97):
        best = max(1.0, *((k + 1) * r**d for k, r in enumerate(radii, start=1)))
        assert best <= line_covering_constant(points, d) <= best * (1 + 2**-47)
    assert all(line_covering_number(points, r) <= k for k, r in enumerate(radii, start=1))


@pytest.mark.parametrize("distance", [0.7, 0.3, 0.9, 1 / 3])
def test_rounding_is_on_the_safe_side(distance: float) -> None:
    """n r <= C for d = 1, and n sqrt(r) <= C for d = 1/2, in exact arithmetic."""
    for n in range(4, 30):
        space = sp.discrete(n, distance)
        assert n * Fraction(distance) <= Fraction(covering_constant(space, 1))
        C = covering_constant(space, 0.5)
        assert n**2 * Fraction(distance) <= Fraction(C) ** 2
        assert n <= C * math.nextafter(distance, 0) ** -0.5  # as somebody might check it
        points = np.arange(n) * (distance / n)
        C = line_covering_constant(points, 0.5)
        for k in range(1, n):
            r = line_covering_radius(points, k)
            assert (k + 1) ** 2 * Fraction(r) <= Fraction(C) ** 2


# Known answers --------------------------------------------------------------------------------


def test_interval() -> None:
    """N(eps) = ceil(1 / (2 eps)) on the whole interval; a grid is finer than the radius here."""
    points = np.arange(2**12 + 1) / 2**12
    assert line_covering_constant(points, 1) == 1  # attained at eps = 1
    assert line_covering_number(points, 1.0) == 1
    assert line_covering_number(points, np.nextafter(0.5, 0)) == 2  # N eps -> 1 once more
    for k in (1, 2, 5, 10, 20):
        eps = 0.5 / k
        assert k * (1 - k / 2**11) <= line_covering_number(points, eps) <= k
    assert line_covering_number(points, 2**-8) * 2**-8 == pytest.approx(1 / 2, rel=2**-4)
    assert packing_number_greedy(sp.interval(2**12 + 1), 2.0**-6) == 64


def test_finite_sets_have_dimension_zero() -> None:
    for n in (1, 2, 17):
        assert covering_constant(sp.discrete(n, 0.2), 0) == n
        assert covering_constant(sp.interval(n), 0) == n
    assert covering_constant(sp.discrete(10, 0.25), 1) == 2.5
    assert covering_constant(sp.discrete(10, 0.05), 1) == 1


def test_square_and_cube() -> None:
    """Theory gives 1; centres at sites found greedily cannot do much worse."""
    assert sp.square(9).covering == sp.cube(5).covering == 1
    assert 1 <= covering_constant(sp.square(33), 2) <= 1.25
    assert 1 <= covering_constant(sp.cube(9), 3) <= 1.25


@pytest.mark.parametrize("ratio", [1 / 3, 0.25, 0.45])
def test_cantor_set(ratio: float) -> None:
    """2^(1-d), from N = 2 below eps = 1/2 and again at every level."""
    space = sp.cantor(7, ratio)
    d = space.dimension
    # the smallest intervals are wrong by 2^-53, relative to their length
    assert space.covering == pytest.approx(2 ** (1 - d), rel=2**-50 / ratio**7)
    points = space.points
    assert points is not None
    for k in range(7):
        above = line_covering_number(points, ratio**k / 2 * (1 + 2**-20))
        below = line_covering_number(points, ratio**k / 2 * (1 - 2**-20))
        if ratio <= 1 / 3:  # then the gaps are as long as the intervals
            assert (above, below) == (2**k, 2 ** (k + 1))
        else:
            assert above <= 2**k < below <= 2 ** (k + 1)


def test_sierpinski_triangle() -> None:
    """3^(1-d/2) from circumscribed circles; a circle around a corner is 3^(d/2) times worse."""
    space = sp.sierpinski(5)
    d = space.dimension
    assert space.covering == pytest.approx(3 ** (1 - d / 2))
    assert space.covering <= covering_constant(space, d) <= 3
    for k in range(5):  # the corners of the triangles of level k are 2^-k apart
        eps = 2.0**-k * (1 - 2**-20)
        assert packing_number_greedy(space, eps) <= space.covering * (2 / eps) ** d


@pytest.mark.parametrize(("b", "depth", "ratio"), [(2, 6, 0.5), (3, 4, 0.3), (5, 3, 0.7)])
def test_tree(b: int, depth: int, ratio: float) -> None:
    """N(eps) = b^k exactly, for packings as for covers: two points of a ball are no farther."""
    space = sp.tree(b, depth, ratio)
    radii = farthest_point_radii(space)
    for k in range(depth):
        assert (radii[b**k : b ** (k + 1)] == ratio**k).all()
        assert packing_number_greedy(space, ratio**k) == b**k
        assert packing_number_greedy(space, np.nextafter(ratio**k, 0)) == b ** (k + 1)
    assert radii[-1] == 0
    assert len(radii) == space.n + 1
    assert covering_constant(space, space.dimension) == pytest.approx(b, rel=2**-44)
    assert space.covering == pytest.approx(b, rel=2**-43)


def test_star() -> None:
    """Total length 2 and twice the packing of the interval; but C_S is 2, for the four tips."""
    star, line = sp.star(4, 512), sp.interval(1025)
    for eps in (2.0**-4, 2.0**-5, 2.0**-6):
        inside = np.nextafter(eps, 0)
        ratio = packing_number_greedy(star, inside) / packing_number_greedy(line, inside)
        assert ratio == pytest.approx(2, rel=2 * eps)  # 2/eps + 1 of 1/eps + 1
    assert star.covering == 2
    assert 2 <= covering_constant(star, 1) <= 2.5  # greedy: the hub and four tips
    tips = [512, 1024, 1536, 2048]  # four balls for eps < 1/2
    assert all(star.distance(i, j) == 1 for i, j in itertools.combinations(tips, 2))


def test_circle() -> None:
    assert covering_constant(sp.circle(64), 1) == sp.circle(64).covering == 2


# Lemma 1 --------------------------------------------------------------------------------------


@given(st.data())
def test_dimensions_stay_between_the_bounds_of_lemma_1(data: st.DataObject) -> None:
    """i <= d_i <= max(1, ceil(d)), and never more balls than the dimension check allows."""
    space = data.draw(st.sampled_from(SMALL) | shortest_paths().map(sp.from_matrix))
    d = data.draw(st.sampled_from([space.dimension, *DIMENSIONS]))
    C = space.covering if d == space.dimension else covering_constant(space, d)
    learner = SiteBase(space, C)
    order = data.draw(st.permutations(range(space.n)))
    more = data.draw(st.lists(st.integers(0, space.n - 1), max_size=60))
    pauses = data.draw(st.integers(0, 20))  # repeat the first site: the radius shrinks
    for site in [order[0]] * pauses + order + more:
        learner.update(site, 0)
        assert learner.phase <= learner.dimension <= max(1, math.ceil(d))
        assert learner.n_balls <= C * (2 / learner.epsilon) ** learner.dimension


@pytest.mark.parametrize(
    "space", [sp.cube(8), sp.star(4, 100), sp.tree(4, 4), sp.sierpinski(5)], ids=lambda s: s.name
)
def test_lemma_1_on_long_streams(space: FiniteSpace) -> None:
    rng = np.random.default_rng(1)
    for C in (space.covering, covering_constant(space, space.dimension)):
        learner = SiteBase(space, C)
        learner.run(rng.integers(0, space.n, 20_000), rng.integers(0, 2, 20_000))
        for record in learner.history:
            assert record.phase <= record.dimension <= math.ceil(space.dimension)


def test_a_constant_below_c_s_breaks_lemma_1() -> None:
    """The star has dimension 1, but with C = 1 its tips look like dimension 2."""
    learner = SiteBase(sp.star(4, 100), 1.0)
    learner.run([100, 200, 300, 400], [0, 0, 0, 0])
    assert learner.dimension == 2


def test_the_most_central_site_is_worth_looking_for() -> None:
    space = sp.square(17)
    D = table(space)
    assert farthest_point_radii(space)[1] == D.max()
    assert farthest_point_radii(space, 144)[1] == pytest.approx(0.5, abs=2**-50)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="radius"):
        line_covering_number([0.0], -1)
    with pytest.raises(ValueError, match="interval"):
        line_covering_radius([0.0], 0)
    with pytest.raises(ValueError, match="1 apart"):
        line_covering_constant([0.0, 2.0], 1)
    with pytest.raises(ValueError, match="finite"):
        line_covering_number([0.0, math.nan], 1)
    for space in (sp.interval(3), sp.circle(3)):
        with pytest.raises(ValueError, match="negative"):
            covering_constant(space, -1)
