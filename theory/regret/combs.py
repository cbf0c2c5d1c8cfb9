"""Streams that attain the bound: combs, and combs whose balls share the ends of their wedges.

The leading constant of BASE's regret, K = 3/4 sqrt(C) 2^(d/2) + (2+d)/(1+d) L, is the truth at
every L. The streams that show it live in a product of three spaces under the maximum distance:

- a *comb*: leaf i is g_i from all later leaves, and g_i falls with i. It is visited leaf by leaf, n
  times each, and g_i is the radius at the last visit of leaf i: leaf i + 1 opens a ball of its own
  as soon as it comes. Hubs, which are not streamed, are half as far away: hub i covers all leaves
  from i on within g_i / 2. So the balls are as many as N(r) <= C r^-d permits;
- a *line*, on the last leaf of the comb: at step t a label 1 is put at height z and a label 0 at -z
  with z <= radius(t). From the centre of the ball that is served it is max(g_i, z) away, so that
  the ball takes it, and f = q + L z gains L z. *All balls share these ends*: they cost few covers;
- a *star* of few points as far apart as possible, which brings BASE to the dimension d > 1.

All points streamed are at most 1 apart. Everything that decides a tie is exact: g_i and the heights
are radii t^(-1/(2+d)) in the very floats that BASE computes, and maxima and differences with 0 do
not round.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abacoc.base import dimension_for, exceeds

from .adversaries import OneBallPolicy, Random, against
from .spaces import FiniteSpace

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# N(r) r^d in float64 is a power and a product, wrong by less than 2^-51
_SAFE = 1 + 2.0**-49
LEVELS = 300  # heights at each side of the line


def radius(t: int, d: int) -> float:
    """BASE's radius for the t-th example of a phase of dimension d (Alg. 2, line 28).

    >>> radius(8, 1)
    0.5
    """
    return float(t ** (-1 / (2 + d)))


# The star ---------------------------------------------------------------------------------------


class Climb(NamedTuple):
    """A star, and the order of its points that takes BASE from dimension 1 to another."""

    n: int  # points
    gap: float  # between any two
    order: list[int]  # the last one starts the phase of that dimension


def climb(d: int, C: float = 1.0) -> Climb:
    """A star that will do, as wide as possible, n + 2 <= C (2/gap)^d: the line needs two more.

    As soon as the radius is below the gap, a point that has no ball comes at every step, until the
    dimension check fires.

    >>> climb(1), climb(2)
    (Climb(n=1, gap=0.0, order=[0]), Climb(n=3, gap=0.89, order=[0, 1, 2]))
    """
    if d == 1:
        return Climb(1, 0.0, [0])
    for percent in range(100, 0, -1):
        gap = percent / 100
        n = math.floor(C * (2 / gap) ** d / _SAFE) - 2
        order = _climbed(d, C, gap, n)
        if order:
            return Climb(max(order) + 1, gap, order)
    raise ValueError(f"no star of gap 0.01 or more takes BASE with C = {C:g} to dimension {d}")


def _climbed(d: int, C: float, gap: float, n: int) -> list[int]:
    """The order of visits to the points 0, ..., n - 1, or none if they are too few."""
    order, balls, dimension, step = [0], [0], 1, 1
    while dimension < d:
        step += 1
        if radius(step, dimension) >= gap:
            order.append(balls[-1])
            continue
        fresh = next((x for x in range(n) if x not in balls), None)
        if fresh is None:
            return []
        order.append(fresh)
        balls.append(fresh)
        if exceeds(len(balls), C, step, dimension, dimension):
            dimension = dimension_for(len(balls), C, step, dimension)
            balls, step = [fresh], 1
    return order


# Covers -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """What decides the covering numbers: the star, the gaps of the comb, the ends of the line."""

    star: int  # points, of which one has the comb
    star_gap: float
    gaps: list[float]  # g_0 > g_1 > ..., one less than there are leaves
    up: float  # the largest height of a label 1
    down: float  # and of a label 0, downwards

    def cover(self, r: float) -> int:
        """So many closed balls of radius r do.

        One for each leaf with g_i > 2 r and one around a hub for the others, which also covers the
        heights up to r; then intervals of length 2 r for the rest of the line; one for each
        further point of the star, unless a ball around its hub holds them all.

        >>> shape = Shape(3, 1.0, [0.25, 0.125], 0.2, 0.25)
        >>> [shape.cover(r) for r in (0.5, 0.25, 0.2, 0.0625)]
        [1, 3, 4, 8]
        """
        leaves = bisect_left(self.gaps, -2 * r, key=lambda g: -g)  # those with g > 2 r
        line = sum(max(0, math.ceil((end - r) / (2 * r))) for end in (self.up, self.down))
        return leaves + 1 + line + (self.star - 1 if r < self.star_gap / 2 else 0)

    def constant(self, d: int) -> float:
        """At least the supremum of ``cover(r)`` r^d over 0 < r <= 1, rounded up.

        The number is constant between its jumps, so the supremum is reached just below one of them:
        r = g_i / 2, half the star's gap, or r = end / (2 j + 1), where the line needs j + 1
        balls at that side. Below the last gap a side has at most end / (2 r) + 1/2, which times r^d
        grows with r.

        >>> round(Shape(3, 1.0, [0.25, 0.125], 0.2, 0.25).constant(1), 9)
        1.5
        """
        finest = min([self.star_gap or 1.0, *self.gaps[-1:]]) / 2
        jumps = [self.star_gap / 2, *(gap / 2 for gap in self.gaps)]
        for end in (self.up, self.down):
            jumps += [end / (2 * j + 1) for j in range(math.ceil(end / finest))]
        # so near below a jump there is no other one, and no rounding hides it
        found = [self.cover(r * (1 - 2.0**-45)) * r**d for r in jumps if finest <= r]
        line = (end / (2 * finest) + 0.5 for end in (self.up, self.down) if end)
        tail = len(self.gaps) + self.star + sum(line)
        return max(1.0, max([tail * finest**d, *found]) * _SAFE)  # one ball of radius 1 does


# The stream -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Comb:
    """A space and an adversary in it: ``check_bound(comb.space, comb, comb.T, comb.L)``."""

    d: int
    T: int
    L: float
    C: float
    n_balls: int  # leaves of the comb
    shape: Shape
    space: FiniteSpace = field(repr=False)
    f: FloatArray = field(repr=False)  # an L-Lipschitz function on the sites, close to the best
    prefix: list[int] = field(repr=False)  # the sites of the star that come first
    ups: list[int] = field(repr=False)  # steps whose radii are the heights of the ends above
    downs: list[int] = field(repr=False)
    constant: float  # f at all leaves

    @property
    def n_steps(self) -> int:
        """Steps of the phase of dimension d."""
        return self.T - len(self.prefix)

    def __call__(self, learner: Any, T: int, rng: Random) -> Iterator[tuple[int, int]]:
        """The moves; BASE is asked only for what it says before a leaf comes for the first time."""
        del T, rng
        K, n = self.n_balls, self.n_steps // self.n_balls
        policies = OneBallPolicy(n, self.constant), OneBallPolicy(n + 1, self.constant)
        for site in self.prefix:
            yield site, policies[0].first(learner.probability(site))
        first = K + self.shape.star - 1  # of the ends
        steps = np.arange(1, self.n_steps + 1)
        above = first + np.searchsorted(self.ups, steps)
        below = first + len(self.ups) + np.searchsorted(self.downs, steps)
        known: dict[tuple[int, int], IntArray] = {}  # labels of a ball, after the first
        start = 0
        for leaf, end in enumerate(last_steps(self.n_steps, K)):
            size, p = end - start, learner.probability(leaf)
            policy = policies[size - n]
            # a long ball has no table, but a pair that begins with a mistake is the better one
            label = policy.first(p) if size <= policy.LONGEST else against(p)
            yield leaf, label
            if (size, label) not in known:
                known[size, label] = labels_after(policy, label)
            labels, now = known[size, label], slice(start + 1, end)
            sites = np.where(labels, above[now], below[now]) if self.ups else labels * 0 + leaf
            yield from zip(sites.tolist(), labels.tolist(), strict=True)
            start = end


def labels_after(policy: OneBallPolicy, first: int) -> IntArray:
    """All labels after the first: what comes next depends on nothing else."""
    labels, ones = [], first
    for seen in range(1, policy.n):
        labels.append(policy.label(ones, seen))
        ones += labels[-1]
    return np.array(labels, dtype=np.int64)


def last_steps(T: int, K: int) -> list[int]:
    """The last steps of the K leaves, which share T steps evenly."""
    return [T * (i + 1) // K for i in range(K)]


def comb(d: int, T: int, L: float = 0.0, C: float = 1.0, levels: int = LEVELS) -> Comb:
    """The comb for so many steps in dimension d, with shared wedges if L > 0; C_S = C.

    >>> from abacoc_theory import check_bound
    >>> found = comb(1, 20_000, L=1)
    >>> result = check_bound(found.space, found, found.T, found.L)
    >>> result.is_promised, result.holds, round(result.regret / found.T ** (2 / 3), 2)
    (True, True, 2.29)
    """
    if C < 1 or d != int(d) or d < 1 or L < 0:
        raise ValueError("the dimension is whole, at least 1, L at least 0 and C at least 1")
    star = climb(d, C)
    prefix = star.order[:-1]
    steps = T - len(prefix)
    K, up, down = _design(d, max(1, steps), L, C, star)
    shape = _shape(d, steps, K, star, up, down)
    while shape.constant(d) > C and K > 1:  # the design counts roughly
        K -= 1 + K // 1000
        shape = _shape(d, steps, K, star, up, down)
    if K < 2:
        raise ValueError(f"{T} steps are too few for a comb of dimension {d} with L = {L:g}")
    ups, downs = (_levels(end, steps, d, levels) for end in (up, down))
    above, below = [min(up, radius(t, d)) for t in ups], [-min(down, radius(t, d)) for t in downs]
    z = np.array([0.0] * (K + star.n - 1) + above + below)
    constant = 1 - L * up
    # star points other than the last, which has the comb, are sites K, K + 1, ...
    last = star.order[-1]
    sites = {x: K + i for i, x in enumerate(x for x in range(star.n) if x != last)} | {last: 0}
    return Comb(
        d, T, float(L), float(C), K, shape, _space(d, C, K, shape, z),
        np.clip(constant + L * z, 0.0, 1.0), [sites[x] for x in prefix], ups, downs, constant,
    )  # fmt: skip


def _shape(d: int, steps: int, K: int, star: Climb, up: float, down: float) -> Shape:
    gaps = [radius(end, d) for end in last_steps(steps, K)[:-1]]
    return Shape(star.n, star.gap, gaps, up, down)


def _levels(height: float, steps: int, d: int, levels: int) -> list[int]:
    """Steps whose radii are a geometric sequence, from where the radius falls below the height."""
    if height == 0:
        return []
    first = min(steps, math.floor(height ** -(2 + d)))
    ratio = steps / first
    return sorted({min(steps, round(first * ratio ** (i / (levels - 1)))) for i in range(levels)})


def _space(d: int, C: float, K: int, shape: Shape, z: FloatArray) -> FiniteSpace:
    """Leaves 0, ..., K - 1; other points of the star, at leaf 0; ends, at leaf K - 1."""
    ends = K + shape.star - 1  # the first of them
    gaps = np.array([*shape.gaps, 0.0])  # the last leaf has none after it

    def measure(i: int, a: int, b: int) -> FloatArray:
        leaf = i if i < K else 0 if i < ends else K - 1
        row = np.full(len(z), gaps[leaf])
        row[:leaf] = gaps[:leaf]
        row[leaf] = 0.0
        row[K:ends] = gaps[0] if leaf else 0.0
        if K <= i < ends:  # a point of the star, all others are as far as its gap
            np.maximum(row, shape.star_gap, out=row)
            row[i] = 0.0
        else:
            np.maximum(row[K:ends], shape.star_gap, out=row[K:ends])
        some = slice(ends if i < ends else 0, None)  # elsewhere both heights are 0
        np.maximum(row[some], np.abs(z[some] - z[i]), out=row[some])
        return row[a:b]

    name = f"comb({d}, {K} leaves, {len(z) - K - shape.star + 1} ends)"
    return FiniteSpace(name, len(z), float(d), measure, float(C))


def _design(d: int, T: int, L: float, C: float, star: Climb) -> tuple[int, float, float]:
    """Leaves, and the greatest heights above and below.

    A ball with n examples, f = 1 - L u at its centre and ends at heights z <= u and -z gives about
    (1/2 + (1/2 - L u)^2) sqrt(n) + n L z: a larger u lets early balls have larger z, but costs all
    balls, and covers. The best on a grid is taken; it need not be exact, as all is counted later.
    """
    room, power = C * 2**d * T ** (d / (2 + d)) - star.n + 1, (1 + d) / (2 + d)

    def heights(most: float) -> float:  # the integral of min(radius, most) over the stream
        first = min(T, most ** -(2 + d))
        return most * first + float(T**power - first**power) / power

    def gain(K: float, up: float, down: float) -> float:
        balls = K * ((0.5 + (0.5 - L * up) ** 2) * math.sqrt(T / K + 1) - 0.2)
        return balls + (L / 2 * (heights(up) + heights(down)) if L else 0.0)

    tried = [(0.0, 0.0)]
    if L > 0:
        grid = [T ** (-i / (60 * (2 + d))) for i in range(61)]
        grid += [i / (20 * L) for i in range(1, 20)]
        tried = [
            (up, down) for up in grid for down in grid
            if up <= down <= 0.5 and L * up <= 0.5 and L * (up + down) <= 1
        ]  # fmt: skip
    best = (-math.inf, 0, 0.0, 0.0)
    for up, down in tried:
        most = room - (up + down) * T ** (1 / (2 + d))
        for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1):
            K = math.floor(share * most)
            if 2 <= K <= T // 2:
                best = max(best, (gain(K, up, down), K, up, down))
    return best[1:]
