"""The best L-Lipschitz comparator of tens of thousands of points: only near pairs are looked at.

Pairs at least 1 / L apart do not bind. A k-d tree finds the others, so that memory grows with
their number and not with the square of that of the points. What hangs together by them is matched
on its own: one unit of mass at a time by SciPy's sparse assignment, in doubles, and then proved
best by prices in integers, which do not round. Where the masses are too large for that, most pairs
are near, or the doubles went wrong, the dense way of ``comparator`` takes over.

T points that fill d dimensions have about T^2 L^-d near pairs. For a given memory, which is what
ends it first, the largest T thus grows as L^(d/2), from some 9,000 where all pairs are near.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from operator import mul

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching
from scipy.spatial import cKDTree

from .comparator import CELLS, Comparator, _scaled, _transport, best_constant
from .line_comparator import ONE, BoolArray, FloatArray, IntArray, counts, labelled, require

PAIRS = 20_000_000  # near pairs at most, unless told; 105 to 166 bytes each, as measured
DENSE = 30_000_000  # cells of a component that is solved with a whole matrix, 16 bytes each
FULL = 0.25  # from this share of all pairs on, the matrix is faster as well
BATCH = 20_000  # near pairs that are matched at a time; a component is never cut
# A tree rounds its distances otherwise than we do; it is asked for a little more.
_WIDER = 1 + 2.0**-40


class NearComparator(Comparator):
    """A comparator that is verified by near pairs: f is in [0, 1], so that the others are free."""

    def _verify_lipschitz(self, metric_error: float) -> None:
        f = self.f
        require(f.shape == self.ones.shape, "f has the wrong length")
        require(bool(np.all((f >= 0) & (f <= 1))), "f leaves [0, 1]")
        slack = 2.0**-52 + 4 * metric_error  # as in ``Comparator``
        distance = self.distance
        assert isinstance(distance, Straight)
        for i, j in distance.near(_WIDER / self.L):
            reach = _scaled(self.L, distance.pairs(i, j))
            require(not np.any(np.abs(f[i] - f[j]) - reach > slack), "f is not L-Lipschitz")


class Straight:
    """Euclidean distances with the bits of ``spaces.from_points``: squares are added in order.

    >>> Straight([[0.0, 0.0], [0.3, 0.4]])(np.array([0]), np.array([0, 1])).tolist()
    [[0.0, 0.5]]
    """

    def __init__(self, points: npt.ArrayLike) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.columns = np.ascontiguousarray(self.points.T)

    def pairs(self, i: IntArray, j: IntArray) -> FloatArray:
        """Between i and j, one by one, or all of them if their shapes say so; 1 at most."""
        gaps = (column[j] - column[i] for column in self.columns)
        squares: FloatArray = functools.reduce(np.add, (gap * gap for gap in gaps))
        return np.minimum(np.sqrt(squares), 1.0)

    def __call__(self, p: IntArray, q: IntArray) -> FloatArray:
        """All distances between two lists of sites."""
        return self.pairs(p[:, None], q)

    def near(self, radius: float) -> Iterator[tuple[IntArray, IntArray]]:
        """All pairs within a radius, in slices."""
        tree = cKDTree(self.points)
        n = len(self.points)
        expected = max(1, tree.count_neighbors(tree, radius) // n)
        step = max(1, CELLS // 8 // expected)
        for at in range(0, n, step):
            found = tree.query_ball_point(self.points[at : at + step], radius)
            sizes = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
            here = np.repeat(np.arange(at, at + len(found)), sizes)
            yield here, np.concatenate(found).astype(np.int64)


def best_lipschitz_near(
    points: npt.ArrayLike,
    ones: npt.ArrayLike,
    zeros: npt.ArrayLike,
    L: float,
    *,
    progress: Callable[[int, int], None] = lambda done, of: None,
    limit: int | None = None,
) -> Comparator:
    """The best L-Lipschitz f for points at most 1 apart that came with so many ones and zeros.

    ``progress`` is told how many of the near pairs are done. Where there would be more of them
    than the limit (``PAIRS``), a ValueError says how many.

    >>> best = best_lipschitz_near([[0, 0], [0.3, 0.4]], [900, 10], [0, 500], L=1.0)
    >>> best.loss, best.gap, best.verify()
    (255.0, 0.0, 0.0)
    """
    some, others = counts(ones), counts(zeros)
    labelled(np.zeros(len(some)), others, L)  # only to check them
    distance = Straight(points)
    if L == 0:
        return best_constant(distance, some, others)
    positive, stay, rest = some >= others, np.minimum(some, others), np.abs(some - others)
    i, j, w = _near_pairs(distance, positive, L, PAIRS if limit is None else limit)
    own = np.flatnonzero(stay)
    matching = [np.stack([own, own, stay[own]], axis=1)]
    price = np.zeros(len(some), dtype=np.int64)
    done = 0
    for part in _batches(i, j, len(some)):
        p, q = np.unique(i[part]), np.unique(j[part])
        edges = np.searchsorted(p, i[part]), np.searchsorted(q, j[part]), w[part]
        flow, price[p], price[q] = _match(*edges, rest[p], rest[q])
        a, b, mass = flow.T
        matching.append(np.stack([p[a], q[b], mass], axis=1))
        done += len(edges[0])
        progress(done, len(i))
    pairs = np.concatenate(matching)
    k = pairs[:, 0] != pairs[:, 1]
    weights = _weights(L, distance.pairs(pairs[k, 0], pairs[k, 1]))
    whole = ONE * int(stay.sum())
    primal = whole + sum(map(mul, rest.tolist(), price.tolist()))
    dual = whole + sum(map(mul, pairs[k, 2].tolist(), weights.tolist()))
    if primal != dual:
        raise AssertionError("integers do not round: there can be no gap")
    return NearComparator(
        loss=primal / ONE,
        f=np.where(positive, ONE - price, price) / ONE,
        matching=pairs,
        primal_value=primal / ONE,
        dual_value=dual / ONE,
        gap=(primal - dual) / ONE,
        L=L,
        ones=some,
        zeros=others,
        positive=positive,
        distance=distance,
    )


def _weights(L: float, rho: FloatArray) -> IntArray:
    return (np.maximum(0.0, 1.0 - _scaled(L, rho)) * ONE).astype(np.int64)


def _near_pairs(
    distance: Straight, positive: BoolArray, L: float, limit: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Sites of either side that are less than 1 / L apart, and their weights."""
    p, q = np.flatnonzero(positive), np.flatnonzero(~positive)
    if not len(p) or not len(q):
        return (np.empty(0, dtype=np.int64),) * 3
    here, there = cKDTree(distance.points[p]), cKDTree(distance.points[q])
    radius = min(2.0, _WIDER / L)  # all are at most 1 apart
    number = int(here.count_neighbors(there, radius))
    if number > limit:
        raise ValueError(
            f"at L = {L:g} there are {number:,} pairs of points with different labels less than "
            f"1/L apart, more than the limit of {limit:,} (--pairs): a larger L or a shorter "
            "stream has fewer"
        )
    found = here.sparse_distance_matrix(there, radius, output_type="coo_matrix")
    i, j = p[found.row], q[found.col]
    w = _weights(L, distance.pairs(i, j))
    return i[w > 0], j[w > 0], w[w > 0]


def _batches(i: IntArray, j: IntArray, n: int) -> Iterator[IntArray]:
    """The pairs, a few components at a time."""
    graph = coo_array((np.ones(len(i), dtype=bool), (i, j)), shape=(n, n))
    group = connected_components(graph, directed=False)[1][i]
    order = np.argsort(group, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(group[order])) + 1, len(i))
    start = 0
    for end in ends.tolist():
        if end - start >= BATCH or (end == len(i) and end > start):
            yield order[start:end]
            start = end


def _match(
    i: IntArray, j: IntArray, w: IntArray, a: IntArray, b: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """A heaviest flow out of masses a into masses b, as rows (i, j, mass), and its prices."""
    cells = len(a) * len(b)
    is_full = FULL * cells < len(i) and cells <= DENSE
    if not is_full and int((a[i] * b[j]).sum()) <= PAIRS:
        found = _match_units(i, j, w, a, b)
        if found is not None:
            return found
    if cells > DENSE:
        raise ValueError(
            f"{len(a):,} and {len(b):,} points hang together and come too often: a matrix of "
            "them does not fit in memory; a larger L or a shorter stream has fewer"
        )
    matrix = np.zeros((len(a), len(b)), dtype=np.int64)
    matrix[i, j] = w
    return _transport(matrix, a, b)


def _match_units(
    i: IntArray, j: IntArray, w: IntArray, a: IntArray, b: IntArray
) -> tuple[IntArray, IntArray, IntArray] | None:
    """The same with single units; None if the doubles of the assignment were not good enough.

    Each unit of a can also stay alone, for a weight of nothing: SciPy asks for an assignment of
    every row, and for weights that are not 0, so that all of them are raised by 1.
    """
    unit_i, unit_j = np.repeat(np.arange(len(a)), a), np.repeat(np.arange(len(b)), b)
    rows, columns, weights = _copies(i, j, w, a, b)
    m, n = len(unit_i), len(unit_j)
    if m and n:
        alone = np.arange(m)
        graph = coo_array(
            (
                np.append(weights.astype(np.float64) + 1, np.ones(m)),
                (np.append(rows, alone), np.append(columns, n + alone)),
            ),
            shape=(m, n + m),
        )
        row, column = min_weight_full_bipartite_matching(graph.tocsr(), maximize=True)
        row, column = row[column < n], column[column < n]
    else:
        row = column = np.empty(0, dtype=np.int64)
    partner = np.full(n, -1)
    partner[column] = row
    # What a pair brings: its price u + v. Prices are longest paths, as in ``comparator._units``.
    brings = np.zeros(m, dtype=np.int64)
    is_matched = partner[columns] == rows
    brings[rows[is_matched]] = weights[is_matched]
    u = np.zeros(len(a), dtype=np.int64)  # of a site: its units have the same edges
    free = np.bincount(unit_j[column], minlength=len(b)) < b
    order = np.argsort(i, kind="stable")
    i, j, w = i[order], j[order], w[order]
    starts = np.flatnonzero(np.diff(i, prepend=-1))
    for _ in range(m + 2):  # paths are no longer than this, but rounding may have left a cycle
        v = np.where(free, 0, ONE)
        np.minimum.at(v, unit_j[column], brings[row] - u[unit_i[row]])
        if np.any(v < 0):
            return None
        better = np.zeros_like(u)
        better[i[starts]] = np.maximum(0, np.maximum.reduceat(w - v[j], starts))
        if np.array_equal(better, u):
            break
        u = better
    else:
        return None
    back = np.zeros_like(v)
    np.maximum.at(back, j, w - u[i])  # only prices without mass can still fall
    paid = sum(map(mul, a.tolist(), u.tolist())) + sum(map(mul, b.tolist(), back.tolist()))
    if paid != sum(brings.tolist()):
        return None
    used, mass = np.unique(
        np.stack([unit_i[row], unit_j[column]], axis=1), axis=0, return_counts=True
    )
    return np.column_stack([used, mass]).astype(np.int64).reshape(-1, 3), u, back


def _copies(
    i: IntArray, j: IntArray, w: IntArray, a: IntArray, b: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """The edges between all units of the sites."""
    first_a, first_b = np.cumsum(a) - a, np.cumsum(b) - b
    times = a[i] * b[j]
    edge = np.repeat(np.arange(len(i)), times)
    within = np.arange(len(edge)) - np.repeat(np.cumsum(times) - times, times)
    return (
        first_a[i][edge] + within // b[j][edge],
        first_b[j][edge] + within % b[j][edge],
        w[edge],
    )
