"""Finite metric spaces of diameter at most 1, with a dimension d and a covering constant C_S.

``covering`` is such that every 0 < eps <= 1 has an eps-cover of at most covering * eps^-d closed
balls. (The paper says "for all eps > 0", which no set satisfies: eps^-d tends to 0.) Centres may
lie anywhere in the space that the sites are taken from: the line for ``points_on_line``, say.
Lemma 1 only needs that no such ball holds two points that are more than 2 eps apart.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abacoc.metrics import Metric, edit_distance

from .covering import covering_constant

FloatArray = NDArray[np.float64]

# A diameter of 1 comes out as up to 1 + 2^-50 where coordinates, squares and the root round;
# distances are cut at 1, and a metric cut at 1 is a metric.
_ROUNDING = 2.0**-50


@dataclass(frozen=True, eq=False)
class FiniteSpace:
    """The sites 0, ..., n - 1 and their distances; ``measure(i, a, b)`` has those to sites a..b-1.

    Rows are computed on demand. Element-wise float64 operations give the same bits whatever the
    length of the array, so that ``distance`` agrees with ``row``.

    >>> space = interval(5)
    >>> space.row(1).tolist(), space.distance(1, 4), space.dimension, space.covering
    ([0.25, 0.0, 0.25, 0.5, 0.75], 0.75, 1.0, 1.0)
    """

    name: str
    n: int
    dimension: float
    measure: Callable[[int, int, int], FloatArray] = field(repr=False)
    known_covering: float | None = None
    points: FloatArray | None = field(default=None, repr=False)  # coordinates, where there are

    def row(self, i: int) -> FloatArray:
        """Distances from site i to all sites."""
        if not 0 <= i < self.n:
            raise IndexError(f"no site {i} in {self.name}")
        return self.measure(i, 0, self.n)

    def distance(self, i: int, j: int) -> float:
        """Distance between two sites."""
        if not (0 <= i < self.n and 0 <= j < self.n):
            raise IndexError(f"no sites {i} and {j} in {self.name}")
        return float(self.measure(i, j, j + 1)[0])

    @functools.cached_property
    def covering(self) -> float:
        """C_S for ``dimension``: known from theory, or else from a farthest-point traversal."""
        if self.known_covering is not None:
            return self.known_covering
        return covering_constant(self, self.dimension)

    def at_dimension(self, d: float) -> FiniteSpace:
        """The same sites, with the covering constant of another dimension."""
        return replace(self, dimension=float(d), known_covering=None)


# From data ------------------------------------------------------------------------------------


def from_points(
    points: ArrayLike,
    metric: Literal["euclidean", "chebyshev"] = "euclidean",
    *,
    name: str = "points",
    dimension: float | None = None,
    covering: float | None = None,
) -> FiniteSpace:
    """The rows of an (n, k) array; the dimension is k unless another one is known.

    A box of diameter 1 has C_S = 1 for d = k: cut into m^k equal boxes it is covered within
    1/(2m), so that N(eps) <= ceil(1 / (2 eps))^k, which is at most eps^-k for eps <= 1.

    >>> from_points([[0.0, 0.0], [0.3, 0.4]]).distance(0, 1)
    0.5
    """
    array = np.array(points, dtype=np.float64)
    if array.ndim != 2 or array.size == 0 or not np.isfinite(array).all():
        raise ValueError("points must be a matrix of finite numbers with at least one row")
    if metric not in ("euclidean", "chebyshev"):
        raise ValueError(f"the metric is euclidean or chebyshev, not {metric!r}")
    (n, k), columns = array.shape, np.ascontiguousarray(array.T)

    def norm(gaps: Iterable[FloatArray]) -> FloatArray:
        if metric == "chebyshev":
            return functools.reduce(np.maximum, (np.abs(gap) for gap in gaps))
        squares = (gap * gap for gap in gaps)  # in order: the bits of abacoc.metrics.euclidean
        return np.sqrt(functools.reduce(np.add, squares))

    def measure(i: int, a: int, b: int) -> FloatArray:
        return np.minimum(norm(column[a:b] - column[i] for column in columns), 1.0)

    limit = 1 + _ROUNDING if metric == "euclidean" and k > 1 else 1.0
    box = float(norm(column.max(keepdims=True) - column.min() for column in columns)[0])
    if box > limit:  # then look at all pairs
        if max(norm(c - c[i] for c in columns).max() for i in range(n)) > limit:
            raise ValueError("the diameter must be at most 1")
    elif dimension is None and covering is None:
        covering = 1.0
    d = float(k) if dimension is None else dimension
    return FiniteSpace(name, n, d, measure, covering, array)


def from_matrix(D: ArrayLike, *, name: str = "matrix", dimension: float = 0.0) -> FiniteSpace:
    """A matrix of distances, checked (in n^3 steps); finite sets have dimension 0, with C_S = n.

    >>> from_matrix([[0, 0.5], [0.5, 0]]).row(1).tolist()
    [0.5, 0.0]
    """
    table = np.array(D, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.size == 0:
        raise ValueError("the distances must be a square matrix")
    if not ((table >= 0) & (table <= 1) & (table == table.T)).all() or table.diagonal().any():
        raise ValueError("distances must be symmetric, from 0 to 1, and 0 on the diagonal")
    for row in table:  # three distances and one sum, each rounded by at most 2^-53
        if (table > row[:, None] + row + 2.0**-51).any():
            raise ValueError("the distances do not satisfy the triangle inequality")
    return FiniteSpace(name, len(table), dimension, lambda i, a, b: table[i, a:b].copy())


def from_metric(
    points: Sequence[Any], metric: Metric, *, name: str = "metric", dimension: float = 0.0
) -> FiniteSpace:
    """Any points and any metric with values up to 1; it is called again for every row.

    >>> from_metric([0.25, 1.75], lambda a, b: abs(a - b) / 2).distance(0, 1)
    0.75
    """

    def measure(i: int, a: int, b: int) -> FloatArray:
        row = np.array([metric(points[i], p) for p in points[a:b]], dtype=np.float64)
        if not ((row >= 0) & (row <= 1)).all():
            raise ValueError(f"a distance from {points[i]!r} is not between 0 and 1")
        return row

    return FiniteSpace(name, len(points), dimension, measure)


def strings(words: Sequence[str], *, dimension: float = 0.0) -> FiniteSpace:
    """Words under the edit distance, divided by the length of the longest one.

    >>> strings(["ball", "bell", "a"]).row(0).tolist()
    [0.0, 0.25, 0.75]
    """
    longest = max(1, *map(len, words))
    table = np.zeros((len(words), len(words)))
    for i, j in itertools.combinations(range(len(words)), 2):
        table[i, j] = table[j, i] = edit_distance(words[i], words[j]) / longest
    return FiniteSpace("strings", len(words), dimension, lambda i, a, b: table[i, a:b].copy())


def points_on_line(points: ArrayLike, *, name: str = "line") -> FiniteSpace:
    """Real numbers at most 1 apart, in the given order; C_S = 1, as for every interval.

    >>> points_on_line([0.5, 0.0, 1.0]).row(1).tolist()
    [0.5, 0.0, 1.0]
    """
    return from_points(np.asarray(points, dtype=np.float64).reshape(-1, 1), name=name)


# By name --------------------------------------------------------------------------------------


def interval(n: int) -> FiniteSpace:
    """n equally spaced points of [0, 1].

    >>> interval(3).row(0).tolist()
    [0.0, 0.5, 1.0]
    """
    return points_on_line(np.arange(n) / max(1, n - 1), name=f"interval({n})")


def square(n_side: int) -> FiniteSpace:
    """A lattice of n_side^2 points in a square of diameter 1.

    >>> square(3).n, round(square(3).distance(0, 8), 15), square(3).covering
    (9, 1.0, 1.0)
    """
    return _lattice(f"square({n_side})", n_side, 2)


def cube(n_side: int) -> FiniteSpace:
    """A lattice of n_side^3 points in a cube of diameter 1.

    >>> cube(2).n, round(cube(2).distance(0, 7), 15), cube(2).dimension
    (8, 1.0, 3.0)
    """
    return _lattice(f"cube({n_side})", n_side, 3)


def _lattice(name: str, n_side: int, k: int) -> FiniteSpace:
    axis = np.arange(n_side) / (max(1, n_side - 1) * math.sqrt(k))
    return from_points(list(itertools.product(axis, repeat=k)), name=name)


def circle(n: int) -> FiniteSpace:
    """n equally spaced points of a circle of circumference 2, by arc length.

    An arc of radius eps has length 2 eps, so N(eps) <= ceil(1 / eps) and C_S = 2 (as eps -> 1).

    >>> circle(4).row(1).tolist()
    [0.5, 0.0, 0.5, 1.0]
    """
    sites = np.arange(n)

    def measure(i: int, a: int, b: int) -> FloatArray:
        steps = np.abs(sites[a:b] - i)
        return np.asarray(2 * np.minimum(steps, n - steps) / n, dtype=np.float64)

    return FiniteSpace(f"circle({n})", n, 1.0, measure, 2.0)


def cantor(level: int, ratio: float = 1 / 3) -> FiniteSpace:
    """Ends of the 2^level intervals of length ratio^level that are left of [0, 1].

    2^k balls cover within ratio^k / 2, so N(eps) eps^d <= 2^(1-d) for d = log 2 / log(1/ratio). But
    the points are rounded, which is much where ratio^level is small: ``covering`` is computed.

    >>> cantor(1).row(0).round(3).tolist()
    [0.0, 0.333, 0.667, 1.0]
    """
    if not 0 < ratio < 0.5:
        raise ValueError(f"the ratio must be between 0 and 1/2, not {ratio}")
    points = np.array([0.0, 1.0])
    for _ in range(level):
        points = np.concatenate([ratio * points, 1 - (ratio * points)[::-1]])
    if (np.diff(points) <= 0).any():
        raise ValueError(f"at level {level} points fall together in float64")
    d = math.log(2) / math.log(1 / ratio)
    return from_points(points[:, None], name=f"cantor({level}, {ratio:.3g})", dimension=d)


def cantor_product(level: int, ratio: float = 1 / 3, d: int = 2) -> FiniteSpace:
    """d-fold product of a Cantor set; with ratio = 2^(-d/D) the dimension is D.

    >>> cantor_product(2).n, round(cantor_product(2, 2 ** (-2 / 1.5)).dimension, 9)
    (64, 1.5)
    """
    space = functools.reduce(product_max, [cantor(level, ratio)] * d)
    return replace(space, name=f"cantor_product({level}, {ratio:.3g}, {d})")


def product_max(A: FiniteSpace, B: FiniteSpace) -> FiniteSpace:
    """Pairs (a, b) as sites a * B.n + b under the larger of the two distances.

    Products of balls are balls: dimensions add up, and covering constants multiply.

    >>> product_max(interval(2), interval(3)).row(0).tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0, 1.0]
    """

    def measure(i: int, a: int, b: int) -> FloatArray:
        (p, q), (first, second) = divmod(i, B.n), divmod(a, B.n)
        if b - a == 1:  # one distance, without making two rows
            return np.maximum(A.measure(p, first, first + 1), B.measure(q, second, second + 1))
        pairs: FloatArray = np.maximum.outer(A.row(p), B.row(q)).ravel()
        return pairs[a:b]

    name, d = f"{A.name} x {B.name}", A.dimension + B.dimension
    return FiniteSpace(name, A.n * B.n, d, measure, A.covering * B.covering)


def sierpinski(level: int) -> FiniteSpace:
    """Corners of the 3^level triangles that are left of a triangle of side 1.

    3^k balls cover within 2^-k / sqrt(3) (circumscribed circles), so N(eps) eps^d <= 3^(1-d/2).

    >>> sierpinski(1).n, sierpinski(5).n, sierpinski(1).dimension == math.log2(3)
    (6, 366, True)
    """
    k, d = 2**level, math.log2(3)
    lower = [(a, b) for a in range(k) for b in range(k - a) if a & b == 0]
    corners = {(a + p, b + q) for a, b in lower for p, q in ((0, 0), (1, 0), (0, 1))}
    points = [((a + b / 2) / k, b * math.sqrt(0.75) / k) for a, b in sorted(corners)]
    # The heights are wrong by up to 2^-52, compared with a radius of 2^-level / sqrt(3).
    C = 3 ** (1 - d / 2) * (1 + 2.0 ** (level - 50))
    return from_points(points, name=f"sierpinski({level})", dimension=d, covering=C)


def tree(branching: int, depth: int, ratio: float = 0.5) -> FiniteSpace:
    """Words of ``depth`` letters, ratio^k apart if they share the first k letters and no more.

    A ball of radius ratio^k is the set of words with the same k first letters, so that N(eps) is
    branching^k for ratio^k <= eps < ratio^(k-1): C_S = branching (as eps -> ratio^(k-1)).

    >>> tree(2, 3).row(0).tolist()
    [0.0, 0.25, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0]
    """
    if branching < 2 or depth < 1 or not 0 < ratio < 1:
        raise ValueError("a tree needs two branches, one level, and a ratio between 0 and 1")
    blocks = [(branching ** (depth - k), ratio**k) for k in range(1, depth)] + [(1, 0.0)]

    def measure(i: int, a: int, b: int) -> FloatArray:
        row = np.ones(b - a)
        for size, value in blocks:  # words that share k letters are neighbours
            start = i // size * size - a
            row[max(0, start) : max(0, start + size)] = value
        return row

    n, d = branching**depth, math.log(branching) / math.log(1 / ratio)
    name = f"tree({branching}, {depth}, {ratio:.3g})"
    # d and the powers of ratio are rounded: by 2^-51 d and 2^-53, which changes N(eps) eps^d by
    # 2^-51 (d log(1/eps) + d), and d log(1/eps) is log n at most; so 2^-44 is enough for d < 80.
    return FiniteSpace(name, n, d, measure, branching * (1 + 2.0**-44))


def star(legs: int, n_per_leg: int) -> FiniteSpace:
    """A hub (site 0) and legs of length 1/2, each with n_per_leg equally spaced points.

    The tips are 1 apart: a ball with eps < 1/2 holds one of them, one per leg does for eps >= 1/4,
    and the hub's for eps >= 1/2. So C_S = legs / 2 (as eps -> 1/2); N(eps) eps -> legs / 4.

    >>> star(3, 2).row(2).tolist()
    [0.5, 0.25, 0.0, 0.75, 1.0, 0.75, 1.0]
    """
    leg = np.append(-1, np.repeat(np.arange(legs), n_per_leg))
    height = np.append(0, np.tile(np.arange(1, n_per_leg + 1), legs))

    def measure(i: int, a: int, b: int) -> FloatArray:
        across, along = height[a:b] + height[i], np.abs(height[a:b] - height[i])
        steps = np.where(leg[a:b] == leg[i], along, across)
        return np.asarray(steps / (2 * n_per_leg), dtype=np.float64)

    n = legs * n_per_leg + 1
    return FiniteSpace(f"star({legs}, {n_per_leg})", n, 1.0, measure, max(1.0, legs / 2))


def discrete(n: int, distance: float = 1.0) -> FiniteSpace:
    """n sites, all equally far apart: dimension 0, C_S = n.

    >>> discrete(3, 0.25).row(1).tolist()
    [0.25, 0.0, 0.25]
    """
    if not 0 < distance <= 1:
        raise ValueError(f"the distance must be between 0 and 1, not {distance}")

    def measure(i: int, a: int, b: int) -> FloatArray:
        row = np.full(b - a, distance)
        row[max(0, i - a) : max(0, i + 1 - a)] = 0.0
        return row

    return FiniteSpace(f"discrete({n}, {distance:.3g})", n, 0.0, measure, float(n))
