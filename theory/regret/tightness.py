"""How close to tight: streams whose regret comes near the bound, term by term.

The first term. Every phase has regret at most 0.75 sqrt(|S| (n + |S|)) at L = 0 with
|S| <= C (2/eps)^D. Equality to first order needs (1) as many balls as the dimension check lets
live, early enough that all get n/|S| examples: the number of balls at time t must be at least
|S| t/T; (2) the worst labels in every ball, all against the same constant. ``hub_tree`` has (1):
a set of which every part of diameter r fits into a ball of radius r/2 around a hub that is not
streamed. On an interval, whose packings are half as large as the capacity, ``refined_interval``
chooses the gaps so that (1) holds with |S| = T^(1/3) / 1.11: 0.7118 T^(2/3). On a dyadic grid
with the max metric all points of a generation come at once; by (1), not after 2^-d T.

The second term, (2+D)/(1+D) L T^((1+D)/(2+D)): one ball, with ones at one end and zeros at the
other, always eps_t away from its centre: ``wedge``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..constants import ONE_BALL
from .adversaries import (
    FloatArray,
    Moves,
    OneBallPolicy,
    Played,
    Random,
    Rota,
    against,
    balanced,
    play,
)
from .bounds import bounds, leading_constant, refined_bound, whole_dimension
from .powers import powers
from .sites import SiteBase
from .spaces import FiniteSpace, from_points, points_on_line

# Sets -----------------------------------------------------------------------------------------


def hub_tree(d: int, n: int, C: float = 1.0) -> FiniteSpace:
    """n leaves whose packings are as large as N(eps) <= C eps^-d allows, at every scale.

    With m leaves there, leaf m splits off the part of leaf m - 2^floor(log2 m), at the distance
    r_m = min(1, 2 (C/(m+1))^(1/d)) from it and as far from the others. For r_m > 2 eps >= r_{m+1}
    the set consists of m + 1 parts of diameter at most 2 eps. A hub is half the diameter of its
    part away from the leaves in it: so N(eps) = m + 1 <= C eps^-d. Leaves i and j whose binary
    digits differ for the first time at 2^k, from below, were parted by leaf (i mod 2^k) + 2^k.

    >>> hub_tree(1, 5).row(3).round(3).tolist(), hub_tree(2, 50).covering < 1 + 1e-12
    ([1.0, 0.5, 1.0, 0.0, 1.0], True)
    """
    if C < 1 or n < 1:
        raise ValueError("there must be leaves, and N(1) = 1 needs C >= 1")
    sites, m = np.arange(n), np.arange(1, n)
    radii = np.append(0.0, np.minimum(1.0, 2 * powers(C / (m + 1), 1 / d)))

    def measure(i: int, a: int, b: int) -> FloatArray:
        differ = sites[a:b] ^ i
        bit = differ & -differ
        parted = np.where(differ == 0, 0, (i & (bit - 1)) | bit)
        return np.asarray(radii[parted], dtype=np.float64)

    # C_S as the floats have it; power and product are off by less than 2^-51
    found = float(((m + 1) * powers(radii[1:] / 2, d)).max(initial=1.0)) * (1 + 2.0**-50)
    return FiniteSpace(f"hub_tree({d}, {n})", n, float(d), measure, found)


class Layout(NamedTuple):
    """A set and the order in which to open balls (none: always the farthest site)."""

    space: FiniteSpace
    order: list[int] | None
    n_balls: int  # at the end
    predicted: float  # the limit of regret / T^((1+d)/(2+d)) at L = 0


def hub_layout(d: int, T: int, C: float = 1.0, fill: float = 1.0) -> Layout:
    """A hub tree that fills the capacity C (2/eps)^d at all times up to T, or a part of it."""
    n = max(2, math.floor(fill * C * 2**d * T ** (d / (2 + d))))
    return Layout(hub_tree(d, n, C), None, n, ONE_BALL * math.sqrt(fill * C) * 2 ** (d / 2))


def _gaps(length: float, T: int) -> FloatArray:
    """Pairs of gaps: the i-th pair is parted in its middle when the radius is below its half.

    The relative times x = g^-3 / T of these splits are spread evenly over [1/2, 1].
    """
    for K in itertools.count(1):
        x = 0.5 + np.arange(K + 1) / (2 * (K + 1))
        if math.fsum(2 * powers(x * T, -1 / 3)) > length or K > T:
            break
    x = 0.5 + np.arange(K) / (2 * K)
    gaps = 2 * powers(x * T, -1 / 3)
    return np.asarray(gaps * (length / math.fsum(gaps)))


def _bisected(a: int, b: int) -> Iterator[tuple[int, int]]:
    """The whole numbers between a and b as (depth, number), halving breadth first."""
    ranges = [(a, b)]
    for depth in itertools.count():
        if not ranges:
            return
        halves = [(low, (low + high) // 2, high) for low, high in ranges if high - low > 1]
        yield from ((depth, middle) for _, middle, _ in halves)
        ranges = [part for low, mid, high in halves for part in ((low, mid), (mid, high))]


def refined_star(T: int, legs: int, length: float) -> Layout:
    """Legs that meet in site 0, each refined in its own time; one leg is an interval."""
    gaps = _gaps(length, T)
    K = len(gaps)
    ends = np.append(0.0, np.cumsum(gaps) * (length / math.fsum(gaps)))
    ends[-1] = length
    middles = (ends[1:] + ends[:-1]) / 2
    height = np.append(0.0, np.tile(np.append(ends[1:], middles), legs))
    leg = np.append(-1, np.repeat(np.arange(legs), 2 * K))
    # first the tips, then the ends of the gaps by halving, then the middles, widest gap first
    early = [K - 1, *(middle - 1 for _, middle in _bisected(0, K))]
    late = (K + np.argsort(-gaps, kind="stable")).tolist()
    order = [0] + [1 + s * 2 * K + i for i in early + late for s in range(legs)]
    # |S| T^(-1/3) tends to the total length over the mean of x^(-1/3), 3 (1 - 2^(-2/3))
    predicted = ONE_BALL * math.sqrt(legs * length / (3 * (1 - 2 ** (-2 / 3))))
    if legs == 1:
        return Layout(points_on_line(height), order, len(order), predicted)

    def measure(i: int, a: int, b: int) -> FloatArray:
        same = leg[a:b] == leg[i]
        gap = np.where(same, np.abs(height[a:b] - height[i]), height[a:b] + height[i])
        # the tips are 2 length <= 1 apart, up to rounding
        return np.asarray(np.minimum(gap, 1.0), dtype=np.float64)

    # tips are 1 apart, so N(eps) = legs for eps just below 1/2 (see theory.spaces.star)
    C = max(1.0, legs / 2)
    space = FiniteSpace(f"star of {legs} legs", len(height), 1.0, measure, C)
    return Layout(space, order, len(order), predicted)


def refined_interval(T: int) -> Layout:
    """[0, 1] with gaps that are split evenly in time during the second half of the stream."""
    return refined_star(T, 1, 1.0)


def dyadic_grid(d: int, k: int) -> tuple[Layout, int]:
    """A grid with 2^k cells a side, under the max metric, and the horizon it is meant for."""
    axis = np.arange(2**k + 1) / 2**k
    points = np.array(list(itertools.product(axis, repeat=d)))
    space = from_points(points, "chebyshev", name=f"dyadic grid({d}, {k})")
    T = 2**d * 2 ** (k * (2 + d))  # the last generation comes at 2^-d T
    return Layout(space, None, space.n, ONE_BALL * 2 ** (-d * d / (2 * (2 + d)))), T


# Streams --------------------------------------------------------------------------------------


def refine(layout: Layout) -> Moves:
    """Open the next ball as soon as the radius permits, else serve the one with fewest examples."""
    order = layout.order

    def moves(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
        del rng
        n, extra = divmod(T, layout.n_balls)
        policies = OneBallPolicy(n), OneBallPolicy(n + 1)
        rota, distance = Rota(learner), learner.nearest_distance
        known, site, away = (0, 0), 0, math.inf
        while True:
            if known != (learner.phase, learner.n_balls):
                known = (learner.phase, learner.n_balls)
                ahead = (s for s in order if distance[s] > 0) if order else ()
                site = next(iter(ahead), int(distance.argmax()))
                away = float(distance[site])
            if away > learner.epsilon:
                yield site, policies[0].first(learner.probability(site))
            else:
                ball = rota.next()
                policy = policies[ball < extra]  # the rota gives the remainder to the first balls
                yield learner.centres[ball], policy.label(learner.ones[ball], learner.counts[ball])

    return moves


@dataclass(frozen=True)
class Tightness:
    """A measured regret between the bounds."""

    layout: str
    d: int
    C: float
    L: float
    T: int
    n_balls: int
    phases: int
    regret: float
    refined: float
    corrected: float
    sharpened: float
    predicted: float  # what ``constant`` tends to

    @property
    def constant(self) -> float:
        """Regret / T^((1+d)/(2+d))."""
        return self.regret / float(self.T ** ((1 + self.d) / (2 + self.d)))

    @property
    def limit(self) -> float:
        """Leading constant of the step ``theorem-leading``: nothing exceeds it as T grows."""
        return leading_constant(self.d, self.C, self.L)


def measured(name: str, played: Played, L: float, predicted: float) -> Tightness:
    """Compare a stream with the bounds."""
    learner = played.learner
    T, C, d = len(played.p), learner.covering_constant, whole_dimension(learner.space.dimension)
    limits, history = bounds(T, d, C, L), learner.history
    return Tightness(
        name, d, C, L, T, learner.n_balls, learner.phase, played.regret(L),
        refined_bound(history, L), limits["corrected"], limits["sharpened"],
        predicted,
    )  # fmt: skip


def hub_layouts(d: int, T: int) -> list[Layout]:
    """Hub trees to try: with few examples for each ball, fewer balls may lose more."""
    fills = (1.0, 0.5, 0.25) if T <= 10**4 else (1.0,)
    return [hub_layout(d, T, fill=fill) for fill in fills]


def run_layout(name: str, layout: Layout, T: int) -> Tightness:
    """Play ``refine`` on a set, at L = 0."""
    learner = SiteBase(layout.space, layout.space.covering)
    return measured(name, play(learner, refine(layout), T), 0.0, layout.predicted)


# The second term ------------------------------------------------------------------------------


def wedge(d: int, T: int, levels: int = 100) -> Played:
    """One ball in dimension d with ones at one end and zeros at the other.

    Some leaves of a hub tree make BASE take the dimension d. The leaf that started the last phase
    is the middle of a segment with points at both sides. N(eps) <= eps^-d + eps^-1, so C = 2; for
    d = 1 there is only the segment, and C = 1. (Every metric space lies in one of the same
    diameter in which each set of diameter 2 eps has a ball of radius eps around it, its injective
    hull: parts of diameter 2 eps may be counted.)
    """
    # 64 leaves are as many as 2 (2/eps)^2 at step 64: it takes one more to get to d = 3
    tree, C = hub_tree(d, 2 ** (2 * d) + 1), 2.0 if d > 1 else 1.0
    scout = SiteBase(tree, C)
    trap: list[int] = []
    while scout.dimension < d:
        trap.append(int(scout.nearest_distance.argmax()))
        scout.update(trap[-1], 0)
    trap = trap or [0]
    centre = trap[-1]
    lowest = T ** (-1 / (2 + d))  # the heights are a geometric sequence that ends here
    heights = np.array([0.5 * (2 * lowest) ** (i / (levels - 1)) for i in range(levels)])
    space = _with_segment(tree, centre, heights)

    def moves(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
        del rng
        for site in trap:
            yield site, against(learner.probability(site))
        level = 0
        while True:
            while level < levels - 1 and heights[level] > learner.epsilon:
                level += 1
            label = balanced(learner, 0, False)
            yield tree.n + level + (0 if label else levels), label

    return play(SiteBase(space, C), moves, T)


def _with_segment(tree: FiniteSpace, centre: int, heights: FloatArray) -> FiniteSpace:
    """Two points at each height beside a leaf of an ultrametric set; opposite ones add up.

    From the other leaves they are as far as the leaf itself, or their height if that is more.
    """
    signed = np.concatenate([np.zeros(tree.n), heights, -heights])
    sites = np.arange(len(signed))
    leaf = np.where(sites >= tree.n, centre, sites)
    rows = {i: tree.row(i) for i in range(tree.n)}

    def measure(i: int, a: int, b: int) -> FloatArray:
        far = np.maximum(rows[int(leaf[i])][leaf[a:b]], np.abs(signed[a:b]) + abs(signed[i]))
        along = np.abs(signed[a:b] - signed[i])
        on_segment = leaf[a:b] == centre if leaf[i] == centre else np.zeros(b - a, dtype=bool)
        return np.asarray(np.where(on_segment, along, far), dtype=np.float64)

    return FiniteSpace(f"{tree.name} with a segment", len(signed), tree.dimension, measure, 2.0)
