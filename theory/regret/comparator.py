"""The best L-Lipschitz comparator: min over L-Lipschitz f: X -> [0, 1] of sum_t |f(x_t) - y_t|.

Write u = 1 - f on the positive points and v = f on the negative ones. Every such f has
u_i + v_j >= w_ij = max(0, 1 - L rho(x_i, x_j)). Conversely u, v >= 0 that meet these constraints
and cannot be lowered are McShane extensions of each other, so f is L-Lipschitz in any metric.
The least loss is therefore min sum u + sum v, and its dual is a maximum-weight matching of
positives with negatives: a transport problem, once points have multiplicities.

It is solved in integers. The double 1 - L rho in [0, 1] is always a multiple of 2^-53 (it is exact
where L rho >= 1/2, and otherwise at least 1/2), so in that unit the weights are integers up to 2^53
and no step rounds: primal and dual agree to the last bit. What remains is the rounding of the
weights themselves, at most 2^-53 for each unit of matched mass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from .line_comparator import ONE, BoolArray, FloatArray, IntArray, counts, labelled, require

# The distances between two lists of sites, as a matrix; nan where they are not known.
Distance = Callable[[IntArray, IntArray], FloatArray]

FAR = np.int64(2**62)  # beyond every path: lengths stay below 3 * 2^53
CELLS = 2**22  # distances are looked at in slices of about this many: 32 MiB
# Relative error that a metric may have: eight units in the last place, enough for Euclidean
# distances in up to 12 dimensions ((d / 2 + 2) half units each).
METRIC_ERROR = 2.0**-50


@dataclass(frozen=True, eq=False)
class Comparator:
    """An optimal f at all sites and a matching that proves it optimal."""

    loss: float
    f: FloatArray
    matching: IntArray  # rows (i, j, mass): ones of site i matched with zeros of site j
    primal_value: float
    dual_value: float
    gap: float
    L: float
    ones: IntArray
    zeros: IntArray
    positive: BoolArray  # the sites on the side of the ones
    distance: Distance

    def verify(self, metric_error: float = METRIC_ERROR) -> float:
        """Check everything anew from the distances; return the gap, here computed in doubles."""
        self._verify_lipschitz(metric_error)
        i, j, mass = self.matching.T
        inside = (mass > 0) & (np.minimum(i, j) >= 0) & (np.maximum(i, j) < len(self.ones))
        require(bool(np.all(inside)), "a matched pair is none, or without mass")
        for side, used in ((self.ones, i), (self.zeros, j)):
            spent = np.zeros_like(side)
            np.add.at(spent, used, mass)
            require(bool(np.all(spent <= side)), "the matching uses more than there is")
        pairs = zip(i[:, None], j[:, None], mass.tolist(), strict=True)
        reach = ((_scaled(self.L, self.distance(p, q)).item(), m) for p, q, m in pairs)
        dual = math.fsum(m * max(0.0, 1.0 - r) for r, m in reach)
        primal = math.fsum(np.append(self.ones * (1.0 - self.f), self.zeros * self.f))
        # f and the weights are exact. Each product rounds by 2^-53 of itself, and so does each of
        # the two sums: 2^-52 of the value in the primal and in the dual.
        bound = 2.0**-51 * primal
        for value in (self.loss, self.primal_value, self.dual_value, dual):
            require(abs(primal - value) <= bound, f"f loses {primal}, not {value}")
        require(self.gap == self.primal_value - self.dual_value, "the gap is another one")
        return primal - dual

    def _verify_lipschitz(self, metric_error: float) -> None:
        f, everywhere = self.f, np.arange(len(self.ones))
        require(f.shape == everywhere.shape, "f has the wrong length")
        require(bool(np.all((f >= 0) & (f <= 1))), "f leaves [0, 1]")
        # 1 - L rho rounds by up to 2^-54, and so does the comparison here. Sites of one side are
        # compared through the other: errors in three distances, at most 1/L, 2/L and 1/L.
        slack = 2.0**-52 + 4 * metric_error
        for some in _slices(len(f), len(f)):
            reach = _scaled(self.L, self.distance(everywhere[some], everywhere))
            unknown = np.isnan(reach)
            require(not np.any(np.abs(f[some, None] - f) - reach > slack), "f is not L-Lipschitz")
            if unknown.any():
                # Within a side, f is Lipschitz in every metric that is possible if it is the
                # McShane extension of its values on the other side.
                least = np.where(unknown, 1.0, f + reach).min(axis=1, initial=1.0)
                greatest = np.where(unknown, 0.0, f - reach).max(axis=1, initial=0.0)
                extension = np.where(self.positive[some], least, greatest)
                require(bool(np.all(np.abs(extension - f[some]) <= slack)), "f is no extension")


def best_lipschitz(
    distances: npt.ArrayLike | Distance, y: npt.ArrayLike, L: float, weights: Any = None
) -> Comparator:
    """The L-Lipschitz f of least loss in any finite metric space; ``weights`` are multiplicities.

    ``distances`` are those of all points, or of the positive (rows) from the negative ones
    (columns) only, or a function that gives them for two lists of indices.

    >>> best_lipschitz([[0.25], [2.0]], [1, 0, 1], L=1).loss
    0.75
    """
    ones, zeros = labelled(y, weights, L)
    label = np.asarray(y, dtype=bool)
    if callable(distances) or np.shape(distances) == (len(label), len(label)):
        return _solve(_within(distances, len(label)), ones, zeros, label, L)
    block = np.reshape(np.asarray(distances, dtype=np.float64), (label.sum(), (~label).sum()))
    place = np.where(label, np.cumsum(label), np.cumsum(~label)) - 1

    def across(p: IntArray, q: IntArray) -> FloatArray:
        found = np.full((len(p), len(q)), np.nan)
        a, b = label[p], label[q]
        found[np.ix_(a, ~b)] = block[np.ix_(place[p[a]], place[q[~b]])]
        found[np.ix_(~a, b)] = block[np.ix_(place[q[b]], place[p[~a]])].T
        return found

    return _solve(across, ones, zeros, label, L)


def best_lipschitz_points(
    points: Any,
    y: npt.ArrayLike,
    L: float,
    metric: str | Callable[[Any, Any], float] = "euclidean",
    weights: Any = None,
) -> Comparator:
    """The same for points and a metric: a name that scipy's ``cdist`` knows, or any function.

    >>> best_lipschitz_points([[0, 0], [3, 4]], [0, 1], L=0.1).loss
    0.5
    """
    return best_lipschitz(between(points, metric), y, L, weights)


def best_lipschitz_sites(
    distances: npt.ArrayLike | Distance, ones: npt.ArrayLike, zeros: npt.ArrayLike, L: float
) -> Comparator:
    """The same for a stream over few sites, where site s came with ``ones[s]``, ``zeros[s]``.

    >>> best_lipschitz_sites([[0, 0.5], [0.5, 0]], [900, 10], [0, 500], L=1).loss
    255.0
    """
    some, others = counts(ones), counts(zeros)
    labelled(np.zeros(len(some)), others, L)  # only to check them
    return _solve(_within(distances, len(some)), some, others, some >= others, L)


def best_constant(
    distances: npt.ArrayLike | Distance, ones: npt.ArrayLike, zeros: npt.ArrayLike
) -> Comparator:
    """The same for L = 0, where all pairs weigh 1: match in the order of the sites.

    >>> best_constant([[0, 0.5], [0.5, 0]], [900, 10], [0, 500]).matching.tolist()
    [[0, 1, 500]]
    """
    some, others = counts(ones), counts(zeros)
    total = int(min(some.sum(), others.sum()))
    # Lay the ones end to end, the zeros below them: each stretch between two ends is a pair.
    ends = [np.cumsum(side) for side in (some, others)]
    cuts = np.unique(np.minimum(np.concatenate([[0], *ends]), total))
    i, j = (np.searchsorted(end, cuts[:-1], side="right") for end in ends)
    f = np.full(len(some), float(some.sum() >= others.sum()))
    return Comparator(
        loss=float(total),
        f=f,
        matching=np.stack([i, j, np.diff(cuts)], axis=1),
        primal_value=float(total),
        dual_value=float(total),
        gap=0.0,
        L=0.0,
        ones=some,
        zeros=others,
        positive=f == 1,
        distance=_within(distances, len(some)),
    )


def between(points: Any, metric: str | Callable[[Any, Any], float] = "euclidean") -> Distance:
    """Distances between points, by the name of a metric or by a function of two points.

    >>> between(["a", "abc"], lambda a, b: abs(len(a) - len(b)))(np.array([0]), np.array([0, 1]))
    array([[0., 2.]])
    """
    if isinstance(metric, str):
        table = np.asarray(points, dtype=np.float64)
        return lambda p, q: cdist(table[p], table[q], metric)

    def pairwise(p: IntArray, q: IntArray) -> FloatArray:
        each = [metric(points[i], points[j]) for i in p for j in q]
        return np.array(each, dtype=np.float64).reshape(len(p), len(q))

    return pairwise


def _within(distances: npt.ArrayLike | Distance, n: int) -> Distance:
    if callable(distances):
        return distances
    matrix = np.reshape(np.asarray(distances, dtype=np.float64), (n, n))
    return lambda p, q: matrix[np.ix_(p, q)]


def _slices(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, CELLS // max(1, columns))
    return (slice(start, start + step) for start in range(0, rows, step))


def _scaled(L: float, rho: FloatArray) -> FloatArray:
    """L rho, where infinity times 0 is 0: at L = inf only the same place binds."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(rho == 0, 0.0, L * rho)


def _solve(
    distance: Distance, ones: IntArray, zeros: IntArray, positive: BoolArray, L: float
) -> Comparator:
    """Match at every site what it can, at a loss of 1 whatever f is; then the rest."""
    stay, rest = np.minimum(ones, zeros), np.abs(ones - zeros)
    own = np.flatnonzero(stay)
    matching = [np.stack([own, own, stay[own]], axis=1)]
    primal = dual = ONE * int(stay.sum())
    price = np.zeros(len(ones), dtype=np.int64)  # 0 where no site of the other side is near
    for p, q in _components(distance, positive, L):
        w = (np.maximum(0.0, 1.0 - _scaled(L, distance(p, q))) * ONE).astype(np.int64)
        flow, price[p], price[q] = _transport(w, rest[p], rest[q])
        i, j, mass = flow.T
        matching.append(np.stack([p[i], q[j], mass], axis=1))
        dual += sum(map(mul, mass.tolist(), w[i, j].tolist()))
    primal += sum(map(mul, rest.tolist(), price.tolist()))
    if primal != dual:
        raise AssertionError("integers do not round: there can be no gap")
    return Comparator(
        loss=primal / ONE,
        f=np.where(positive, ONE - price, price) / ONE,
        matching=np.concatenate(matching),
        primal_value=primal / ONE,
        dual_value=dual / ONE,
        gap=(primal - dual) / ONE,
        L=L,
        ones=ones,
        zeros=zeros,
        positive=positive,
        distance=distance,
    )


def _components(
    distance: Distance, positive: BoolArray, L: float
) -> Iterator[tuple[IntArray, IntArray]]:
    """Positive and negative sites that hang together by pairs nearer than 1 / L."""
    p, q = np.flatnonzero(positive), np.flatnonzero(~positive)
    near = [np.empty((0, 2), dtype=np.int64)]
    for some in _slices(len(p), len(q)):
        rho = distance(p[some], q)
        if not np.all(rho >= 0):
            raise ValueError("a distance is negative or not a number")
        i, j = np.nonzero(_scaled(L, rho) < 1)
        near.append(np.stack([p[some][i], q[j]], axis=1))
    i, j = np.concatenate(near).T
    graph = coo_array((np.ones(len(i), dtype=bool), (i, j)), shape=2 * positive.shape)
    number, group = connected_components(graph, directed=False)
    order = np.lexsort((~positive, group))
    for sites in np.split(order, np.cumsum(np.bincount(group, minlength=number))[:-1]):
        if len(sites) > 1:
            first = np.count_nonzero(positive[sites])
            yield sites[:first], sites[first:]


@dataclass
class _Side:
    """One side of a transport problem: weights to the other side, prices, free mass, flow."""

    w: IntArray
    price: IntArray
    free: list[int]
    flow: list[dict[int, int]]

    def move(self, other: _Side, i: int, j: int, mass: int) -> None:
        """Let so much more flow between i and j."""
        total = self.flow[i].pop(j, 0) + mass
        other.flow[j].pop(i, None)
        if total:
            self.flow[i][j] = other.flow[j][i] = total
        self.free[i] -= mass
        other.free[j] -= mass


def _transport(w: IntArray, a: IntArray, b: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """A heaviest flow out of masses a into masses b, as rows (i, j, mass), and its prices.

    Prices u, v >= 0 with u_i + v_j >= w_ij, equal where mass flows, are kept throughout. They
    prove the flow optimal when in addition the price is 0 wherever mass is free.
    """
    back = np.ascontiguousarray(w.T)
    start = np.empty((0, 2), dtype=np.int64)
    v = np.zeros(len(b), dtype=np.int64)
    if a.sum() + b.sum() <= 2 * (len(a) + len(b)):  # else one would match too many single units
        start, v = _units(back, a, b)
    u = np.maximum(0, (w - v).max(axis=1))
    here = _Side(w, u, a.tolist(), [{} for _ in a])
    there = _Side(back, v, b.tolist(), [{} for _ in b])
    i, j = start.T
    for p, q in start[u[i] + v[j] == w[i, j]].tolist():
        here.move(there, p, q, 1)
    for side, other in ((here, there), (there, here)):
        for source in range(len(side.free)):
            while side.free[source] and side.price[source] > 0:
                _augment(side, other, source)
    # Only prices without mass can still fall; then all are extensions from the other side.
    u = np.maximum(0, (w - v).max(axis=1))
    v = np.maximum(0, (w - u[:, None]).max(axis=0))
    flow = [(p, q, mass) for p, row in enumerate(here.flow) for q, mass in row.items()]
    return np.array(flow, dtype=np.int64).reshape(-1, 3), u, v


def _units(back: IntArray, a: IntArray, b: IntArray) -> tuple[IntArray, IntArray]:
    """A matching of single units, and prices v that fit; good to the rounding of doubles.

    The prices are longest paths (Bellman-Ford): u_i must be at least w_ij - v_j for every j, and
    v_j = w_ij - u_i where i is matched with j. Only new prices need to be looked at again.
    """
    i, j = np.repeat(np.arange(len(a)), a), np.repeat(np.arange(len(b)), b)
    back = back[np.ix_(j, i)]
    rows, columns = linear_sum_assignment(back.T.astype(np.float64), maximize=True)
    unmatched = np.delete(np.arange(len(j)), columns)
    partner = np.full(len(i), -1)
    partner[rows] = columns
    most = np.zeros(len(i), dtype=np.int64)  # the price of a row cannot exceed what it brings
    most[rows] = back[columns, rows]
    u = np.minimum(most, back[unmatched].max(axis=0, initial=0))
    fresh = rows
    for _ in rows:  # paths are no longer than this, but rounding may have left a cycle
        v = most[fresh] - u[fresh]
        better = np.minimum(most, (back[partner[fresh]] - v[:, None]).max(axis=0, initial=0))
        fresh, u = np.flatnonzero(better > u), np.maximum(u, better)
        if not len(fresh):
            break
    prices = np.zeros(len(b), dtype=np.int64)
    prices[j[columns]] = most[rows] - u[rows]
    return np.stack([i[rows], j[columns]], axis=1), prices


def _augment(here: _Side, there: _Side, source: int) -> None:
    """Send mass along a shortest path (Dijkstra in the slacks) to where it can stay.

    That is a node over there with free mass, or one on this side whose own mass may go free as
    its price falls to 0; the source itself may be the one. Prices fall on this side and rise on
    the other, though not where mass is free.
    """
    length = np.full(len(there.free), FAR)
    key = length.copy()  # the same, but FAR again once a node is done
    parent = np.zeros(len(length), dtype=np.int64)
    reached, via = {source: 0}, {source: -1}
    frontier, now = [source], 0
    total, last, target = int(here.price[source]), source, -1
    while True:
        for i in frontier:
            slack = there.price - here.w[i] + (here.price[i] + now)
            better = slack < length
            parent[better] = i
            np.copyto(length, slack, where=better)
            np.copyto(key, slack, where=better)
        j = int(key.argmin())
        if key[j] >= total:
            break
        now, key[j] = int(key[j]), FAR
        if there.free[j]:
            total, last, target = now, int(parent[j]), j
            break
        frontier = [i for i in there.flow[j] if i not in reached]
        for i in frontier:
            reached[i], via[i] = now, j
            if now + here.price[i] < total:
                total, last = now + int(here.price[i]), i
    for i, at in reached.items():
        here.price[i] -= max(0, total - at)
    there.price += np.maximum(0, total - length)

    gain, loss = [(last, target)] if target >= 0 else [], []
    while last != source:
        loss.append((last, via[last]))
        last = int(parent[via[last]])
        gain.append((last, loss[-1][1]))
    if gain:
        room = [there.free[target]] if target >= 0 else []
        mass = min([here.free[source], *room, *(here.flow[i][j] for i, j in loss)])
        for i, j in gain:
            here.move(there, i, j, mass)
        for i, j in loss:
            here.move(there, i, j, -mass)
