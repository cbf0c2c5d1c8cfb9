"""Streams with wedges on the interval, where no two balls can share the ends of all others.

The best function there is a zigzag of slope L, and f = q at a centre gains L times the distance of
its examples on either side of it, as long as it is on a slope. For d = C = 1, where the constant of
the regret cannot exceed 1.061 + 1.5 L, three streams (e = radius at the time):

- ``scan(T, L)``: balls from left to right, one after the other, 2 e apart, with ends e away from
  the centre. There is room for T^(1/3) / 3 balls: 0.433 + 1.5 L;
- ``scan(T, L, share)``: a share s of the time for that, and then balls in the middles of the gaps,
  with ends half as far: ``scan_constant`` has what it gives;
- ``with_ends``: the refined interval, T^(1/3) / 1.11 balls. Half of them, the early ones, have gaps
  g that are split later: they gain L g / 2 in the first half of the stream, and the middles
  L g / 4 in the second. With g = 2 (x T)^(-1/3), x evenly in [1/2, 1]: 0.712 + 0.833 L.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from ..constants import ONE_BALL
from .adversaries import Moves, OneBallPolicy, Random, against
from .combs import labels_after, last_steps, radius
from .sites import SiteBase
from .spaces import FiniteSpace, points_on_line
from .tightness import Layout, refine

# A sum of coordinates of [0, 1] rounds: an end must not fall out of its ball, or into another.
_INSIDE = 1 - 1e-9


def scan_constant(L: float, share: float = 1.0) -> float:
    """What regret / T^(2/3) of ``scan`` tends to, if the stretches grow slowly with T.

    In the first pass K = (s T)^(1/3) / 3 balls share s T steps, in the second as many the rest. The
    first pass gains L 3/2 (s T)^(2/3); in the second the gaps are those of the first, on average
    2 * 3/2 (s T)^(-1/3), and a quarter of that is gained in each step.

    >>> round(scan_constant(0.0), 3), scan_constant(2.0) - scan_constant(1.0)
    (0.433, 1.5)
    """
    balls = math.sqrt(math.pow(share, 1 / 3) / 3) * (math.sqrt(share) + math.sqrt(1 - share))
    slopes = 1.5 * math.pow(share, 2 / 3) + 0.75 * (1 - share) * math.pow(share, -1 / 3)
    return ONE_BALL * balls + L * slopes


def _rises(i: int, stretch: int) -> bool:
    """Whether the zigzag rises at ball i: it turns after so many balls."""
    return i // stretch % 2 == 0


def _turned(j: int, stretch: int) -> tuple[int, int]:
    """Between balls j and j + 1: where zeros go, and ones; left -1, to the centre 0, right 1."""
    before, after = _rises(j, stretch), _rises(j + 1, stretch)
    if before == after:
        return (-1, 1) if before else (1, -1)
    return (1, 0) if before else (0, 1)  # at a peak ones stay, in a valley zeros


def scan(T: int, L: float = 1.0, share: float = 1.0, stretch: int = 1) -> tuple[FiniteSpace, Moves]:
    """Balls from left to right, then between them; f turns after each ``stretch`` of balls.

    >>> from abacoc_theory import check_bound
    >>> result = check_bound(*scan(20_000), 20_000, L=1)
    >>> result.phases[-1].n_balls, result.holds, round(result.regret / 20_000 ** (2 / 3), 2)
    (10, True, 1.75)
    """
    first = math.floor(share * T)  # steps of the first pass
    for K in range(1, T):
        if 2 * math.fsum(radius(end, 1) for end in last_steps(first, K + 1)) > 1:
            break
    reach = [_INSIDE * radius(end, 1) for end in last_steps(first, K)]
    ends = [0.0, *accumulate(2 * z for z in reach)]
    later = [first + end for end in last_steps(T - first, K - 1)] if first < T else []
    half = [min(z / 2, radius(end, 1)) * _INSIDE for z, end in zip(reach[1:], later, strict=False)]
    middles = ends[1 : len(later) + 1]
    # centres, then the ends of the first pass, then those of the second, left and right
    points = [a + z for a, z in zip(ends, reach, strict=False)] + middles + ends
    points += [m - z for m, z in zip(middles, half, strict=True)]
    points += [m + z for m, z in zip(middles, half, strict=True)]
    constant = max(0.5, 1 - L * stretch * reach[K // 2])  # f at the centres, about

    def goals(ball: int) -> tuple[int, int]:
        """Sites for the labels 0 and 1."""
        start = K + len(middles)
        if ball < K:
            zero = start + ball + (not _rises(ball, stretch))
            return zero, 2 * (start + ball) + 1 - zero
        where = {0: ball, -1: start + ball + 1, 1: start + ball + 1 + len(middles)}
        zero, one = _turned(ball - K, stretch)
        return where[zero], where[one]

    def moves(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
        del T, rng
        start = 0
        for ball, end in enumerate([*last_steps(first, K), *later]):
            label = against(learner.probability(ball))
            yield ball, label
            labels = labels_after(OneBallPolicy(end - start, constant), label)
            sites = np.array(goals(ball))[labels]
            yield from zip(sites.tolist(), labels.tolist(), strict=True)
            start = end

    return points_on_line(points, name=f"interval, {K} + {len(middles)} balls in a row"), moves


def with_ends(layout: Layout, stretch: int = 1) -> tuple[FiniteSpace, Moves]:
    """The refined interval, where examples go to the ends of their balls instead of the centres.

    >>> from abacoc_theory import check_bound
    >>> from abacoc_theory.regret.tightness import refined_interval
    >>> result = check_bound(*with_ends(refined_interval(20_000)), 20_000, L=1)
    >>> result.phases[-1].n_balls, result.holds, round(result.regret / 20_000 ** (2 / 3), 2)
    (25, True, 1.32)
    """
    # sites 0, ..., K are the ends of the gaps and K + 1, ... their middles, from left to right
    points = layout.space.points
    if points is None:
        raise ValueError("the layout must be an interval")
    given = points[:, 0]
    first, K = len(given), len(given) // 2
    gaps = np.diff(given[: K + 1])
    far, near = _INSIDE * gaps / 2, _INSIDE * gaps / 4
    left, right, middle = given[:K], given[1 : K + 1], given[K + 1 :]
    beside = [left + far, right - far, left + near, right - near, middle - near, middle + near]
    space = points_on_line(np.concatenate([given, *beside]), name=f"{layout.space.name} with ends")

    def nearby(centre: int, label: int) -> list[int]:
        """Sites that suit the label, the best first."""
        if centre > K:
            j = centre - K - 1
            side = _turned(j, stretch)[label]
            return [first + (4 + (side > 0)) * K + j] if side else []
        j = centre - 1 + (label == _rises(centre, stretch))  # the gap to the left, or to the right
        side = first + j + (j < centre) * K
        return [side, side + 2 * K] if 0 <= j < K else []

    def moves(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
        distance = learner.nearest_distance
        for site, label in refine(layout)(learner, T, rng):
            if distance[site] == 0:  # it has a ball
                ball = learner.nearest[site]
                for end in nearby(site, label)[::-1]:
                    if learner.nearest[end] == ball and distance[end] <= learner.epsilon:
                        site = end
            yield site, label

    return space, moves
