"""The bounds that regrets are compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ..constants import (
    BALL,
    ONE_BALL,
    ONE_BALL_LESS,
    PHASES,
    RADII,
    SHARP_BALLS,
    SHARP_RADII,
)
from .sites import Phase, SiteBase


def whole_dimension(d: float) -> int:
    """D = max(1, ceil(d)), for which the corrected theorem holds.

    >>> whole_dimension(0.63), whole_dimension(2.0), whole_dimension(2.1)
    (1, 2, 3)
    """
    return max(1, math.ceil(d))


def stated_bound(
    T: float,
    d: float,
    C: float,
    L: float,
    c: float = PHASES,
    ball: float = BALL,
    lip: float = RADII,
) -> float:
    """c (ball sqrt(C) 2^d + lip L) T^((1+d)/(2+d)), Theorem 1.

    >>> round(stated_bound(10**6, 1, 1, 0))
    63000
    """
    per_step = ball * math.sqrt(C) * math.pow(2, d) + lip * L
    return c * per_step * math.pow(T, (1 + d) / (2 + d))


def bounds(T: float, d: float, C: float, L: float) -> dict[str, float]:
    """The stated bound with d as it is, the corrected one with D = max(1, ceil(d)), the sharper.

    >>> {name: round(bound) for name, bound in bounds(10**6, 1, 1, 0).items()}
    {'stated': 63000, 'corrected': 63000, 'sharpened': 14962}
    """
    D = whole_dimension(d)
    per_step = SHARP_BALLS * math.sqrt(C) * 2 ** (D / 2) + SHARP_RADII * L
    return {
        "stated": stated_bound(T, d, C, L),
        "corrected": stated_bound(T, D, C, L),
        "sharpened": per_step * T ** ((1 + D) / (2 + D)),
    }


def leading_constant(d: int, C: float, L: float) -> float:
    """What regret / T^((1+d)/(2+d)) cannot exceed as T grows: step ``theorem-leading``.

    >>> leading_constant(2, 1.0, 3.0)
    5.5
    """
    return ONE_BALL * math.sqrt(C) * 2 ** (d / 2) + (2 + d) / (1 + d) * L


def refined_bound(history: Sequence[Phase], L: float) -> float:
    """The bound with the balls and steps that the phases really had.

    >>> round(refined_bound([Phase(1, 1, 1, 1000, 10)], 0.0), 2)
    75.37
    """
    total = 0.0
    for phase in history:
        n, size, d = phase.n_steps, phase.n_balls, phase.dimension
        total += ONE_BALL * math.sqrt(size * (n + size))
        total += (2 + d) / (1 + d) * L * n ** ((1 + d) / (2 + d))
    return total


def bound_without_hypotheses(learner: SiteBase, L: float) -> float:
    """What BASE can have lost at most on the stream that it has seen, in any metric space.

    A ball with n examples loses at most min(sqrt(n), 3/4 sqrt(n+1) - 0.06) more than the best
    constant, and a constant at its centre is as good as f up to L times the distances at which
    its examples were assigned. No dimension, no covering constant, no diameter comes in.

    >>> from abacoc_theory.regret.spaces import interval
    >>> learner = SiteBase(interval(5))
    >>> _ = learner.run([0, 1, 4, 4], [1, 1, 0, 0])  # two balls; 0 and 1 are 1/4 apart
    >>> round(bound_without_hypotheses(learner, 0.0), 3)
    2.478
    >>> bound_without_hypotheses(learner, 2.0) - bound_without_hypotheses(learner, 0.0)
    0.5
    """
    sizes = Counter(learner.past_counts) + Counter(learner.counts)
    balls = math.fsum(
        times * min(math.sqrt(n), ONE_BALL * math.sqrt(n + 1) - ONE_BALL_LESS)
        for n, times in sizes.items()
    )
    return balls + L * learner.travelled
