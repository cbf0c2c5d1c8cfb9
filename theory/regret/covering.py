"""Covering numbers of the points really streamed, and the constant C_S that they need.

The paper wants N(eps) <= C_S eps^-d "for all eps > 0". This cannot be meant for eps > 1, where
the right side tends to 0 and N(eps) >= 1; here it is asked for 0 < eps <= 1, the diameter. So
C_S >= 1. (Lemma 1 uses N(eps_t / 2) only, so eps <= 1/2.)
"""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .powers import powers

if TYPE_CHECKING:  # spaces have covering constants
    from .spaces import FiniteSpace

FloatArray = NDArray[np.float64]

# k r^d in float64 is a power and a product, wrong by less than 2^-51; so is the number it is
# compared with, and C eps^-d where somebody checks it.
_SAFE = 1 + 2.0**-49


def farthest_point_radii(space: FiniteSpace, first: int = 0) -> FloatArray:
    """r_0 = 1 >= r_1 >= ... >= r_m = 0: k sites cover the space within r_k.

    Each new centre is the site farthest from all others; the first is given. So the first k + 1
    centres are also at least r_k apart, for k >= 1.

    >>> from abacoc_theory.regret.spaces import interval
    >>> farthest_point_radii(interval(5)).tolist()
    [1.0, 1.0, 0.5, 0.25, 0.25, 0.0]
    """
    radii, gap = [1.0], space.row(first)
    while radii[-1] > 0:
        far = int(gap.argmax())
        radii.append(float(gap[far]))
        np.minimum(gap, space.row(far), out=gap)
    return np.array(radii)


def covering_constant(space: FiniteSpace, d: float) -> float:
    """A valid C_S(d), never too small: exact on the line, elsewhere with centres at the sites.

    k balls do for eps >= r_k, so that N(eps) eps^d <= k r_{k-1}^d for r_k <= eps < r_{k-1}. Both
    the traversals from site 0 and from the most central site count, for each k the better one.

    >>> from abacoc_theory.regret.spaces import discrete, interval, tree
    >>> covering_constant(interval(65), 1), covering_constant(discrete(7), 0)
    (1.0, 7.0)
    >>> covering_constant(tree(3, 4, 0.25), math.log(3, 4)) - 3 < 1e-12
    True
    """
    if space.points is not None and space.points.shape[1] == 1:
        return line_covering_constant(space.points[:, 0], d)
    centre = min(range(space.n), key=lambda i: space.row(i).max())
    a, b = farthest_point_radii(space), farthest_point_radii(space, centre)
    k = min(len(a), len(b)) - 1  # distinct sites: in either traversal none is left uncovered
    return _supremum(np.arange(1, k + 1), np.minimum(a[:k], b[:k]), d)


def _supremum(k: NDArray[np.int64], radii: FloatArray, d: float) -> float:
    """max k r^d, rounded up; without rounding where d is an integer."""
    if d < 0:
        raise ValueError(f"the dimension must not be negative: {d}")
    values = k * powers(radii, d)
    best = float(values.max())
    if d != int(d):
        return max(1.0, best * _SAFE)
    near = values >= best / _SAFE
    exact = max(int(i) * Fraction(r) ** int(d) for i, r in zip(k[near], radii[near], strict=True))
    best = float(exact)
    return best if best >= exact else math.nextafter(best, math.inf)


def packing_number_greedy(space: FiniteSpace, eps: float) -> int:
    """Size of a maximal set of sites more than eps apart: site 0, then always the next possible.

    It is at least N(eps), and at most N(eps / 2). On sorted points of the line no packing is
    larger.

    >>> from abacoc_theory.regret.spaces import interval, star
    >>> packing_number_greedy(interval(1001), 0.2), packing_number_greedy(star(4, 500), 0.2)
    (5, 9)
    """
    free, size = np.ones(space.n, dtype=bool), 0
    while free.any():
        free &= space.row(int(free.argmax())) > eps
        size += 1
    return size


# The line -------------------------------------------------------------------------------------
# Lengths are float64 differences, as in ``points_on_line``. Rounding is monotone, so the greedy
# cover from the left is the smallest one for these lengths too, and N changes at some of them.


def line_covering_number(points: ArrayLike, eps: float) -> int:
    """Fewest closed intervals of radius eps that hold all points, wherever their centres are.

    >>> line_covering_number([0.0, 0.25, 0.5, 1.0], 0.25)
    2
    """
    if eps < 0:
        raise ValueError(f"the radius must not be negative: {eps}")
    ordered = _sorted(points)
    return _greedy(ordered, 2 * eps, len(ordered))[0]


def line_covering_radius(points: ArrayLike, k: int) -> float:
    """The smallest eps for which k closed intervals of radius eps hold all points.

    >>> line_covering_radius([0.0, 0.25, 0.5, 1.0], 2)
    0.25
    """
    if k < 1:
        raise ValueError(f"it takes at least one interval, not {k}")
    ordered = _sorted(points)
    return _least_length(ordered, k, 0.0, ordered[-1] - ordered[0]) / 2


def line_covering_constant(points: ArrayLike, d: float) -> float:
    """The supremum of N(eps) eps^d over 0 < eps <= 1, for points at most 1 apart.

    With e_k = ``line_covering_radius(points, k)`` it is the largest (k + 1) e_k^d, since N > k
    below e_k. For d >= 1 it is 1: e_k <= 1/(2k), and (k + 1) / (2k) <= 1. For d < 1 a range of k
    is halved until its largest k + 1 and its largest e_k cannot beat what was found.

    >>> line_covering_constant([0.0, 0.25, 0.5, 1.0], 0.5)  # 1, sqrt(2), 1.5, sqrt(2)
    1.5000000000000027
    """
    ordered = _sorted(points)
    m = len(ordered)
    if not ordered[-1] - ordered[0] <= 1:
        raise ValueError("the points must be at most 1 apart")
    if d < 0:
        raise ValueError(f"the dimension must not be negative: {d}")
    if d >= 1 or m == 1:
        return 1.0
    if d == 0:
        return float(m)
    length = {1: ordered[-1] - ordered[0], m: 0.0}  # twice e_k
    best, ranges = max(1.0, 2 * (length[1] / 2) ** d), [(1, m)]
    while ranges:
        a, b = ranges.pop()  # still to do: the k with a < k < b
        if b - a < 2 or length[a] == length[b] or b * (length[a] / 2) ** d <= best:
            continue
        k = (a + b) // 2
        length[k] = _least_length(ordered, k, length[b], length[a])
        best = max(best, (k + 1) * (length[k] / 2) ** d)
        ranges += [(a, k), (k, b)]
    return best * _SAFE if best > 1 else 1.0


def _sorted(points: ArrayLike) -> list[float]:
    ordered: list[float] = np.unique(np.asarray(points, dtype=np.float64)).tolist()
    if not ordered or not math.isfinite(ordered[0]) or not math.isfinite(ordered[-1]):
        raise ValueError("there must be points, all finite")
    return ordered


def _greedy(ordered: list[float], length: float, limit: int) -> tuple[int, float, float]:
    """Intervals of that length from the left; stops at ``limit`` + 1 of them.

    Also the largest length that they needed, and the smallest that would have changed one.
    """
    count, i, needed, change = 0, 0, 0.0, math.inf
    while i < len(ordered) and count <= limit:
        start = ordered[i]
        i = bisect_right(ordered, length, lo=i, key=lambda x: x - start)
        needed = max(needed, ordered[i - 1] - start)
        if i < len(ordered):
            change = min(change, ordered[i] - start)
        count += 1
    return count, needed, change


def _least_length(ordered: list[float], k: int, low: float, high: float) -> float:
    """Smallest length for which k intervals do, between ``low`` and ``high``, which does."""
    while low < high:
        middle = low + (high - low) / 2
        if middle >= high:  # there is no number in between
            middle = low
        count, needed, change = _greedy(ordered, middle, k)
        if count <= k:
            high = needed
        else:
            low = change  # with less, the first k intervals stay as they are
    return high
