"""Streams that break the stated theorem where its hypotheses leave a gap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc.base import Base

from ..constants import BALL, PHASES, RADII
from ..regret.bounds import stated_bound
from ..regret.sites import SiteBase, expected_mistakes
from ..regret.spaces import FiniteSpace, from_matrix


@dataclass(frozen=True)
class Witness:
    """A stream, what BASE loses on it, and what the theorem allows."""

    T: int
    d: float
    C: float  # C_S, and C-hat too except in `growth`
    L: float
    regret: float  # against one comparator, so the true regret is at least this
    n_balls: int
    phases: int

    def bound(
        self, d: float | None = None, c: float = PHASES, ball: float = BALL, lip: float = RADII
    ) -> float:
        """The paper's bound; with another d the corrected one."""
        return stated_bound(self.T, self.d if d is None else d, self.C, self.L, c, ball, lip)


def low_dimension(T: int, d: float = 0.0) -> Witness:
    """d < 1: three points on a line, the outer two with opposite labels, all in one ball.

    The middle one opens the ball; the others lie within its final radius T^(-1/3), so it never
    splits, while a comparator with L = 1 / (their distance) makes no mistake on them.
    """
    r = 0.99 * T ** (-1 / 3)
    space = from_matrix(np.array([[0, r, r], [r, 0, 2 * r], [r, 2 * r, 0]]))
    sites = np.tile([1, 2], T // 2 + 1)[: T - 1]
    stream = np.concatenate([[0], sites])
    labels = np.concatenate([[0], sites == 2]).astype(int)
    # N(eps) = 1 for eps >= r and 3 below: C_S(d) = max(1, 3 r^d), which is 3 for d = 0
    constant = max(1.0, 3 * r**d)
    L = 1 / (2 * r)
    # f is 0 at site 1, 1 at site 2 and 1/2 in the middle: it loses 1/2, on the first example
    return _run(space, stream, labels, d, constant, L, comparator=0.5)


def non_integer_dimension(T: int, d: float = 1.05, delta: float = 0.1) -> Witness:
    """1 < d < 2: a trap of equidistant points makes BASE take d_2 = 2, whose radius is too large.

    M points at distance delta, all delta/2 from a hub that is not streamed: N(eps) = M for
    eps < delta/2 and 1 from there on. With M = floor((2/delta)^d) points C_S(d) = 1, and as soon
    as the radius of phase 1 is below delta, M > 2 / eps starts phase 2. Its first ball sits on the
    last point of the trap; two more points on opposite sides of that one, within the final radius
    T^(-1/4), get opposite labels.
    """
    M = math.floor((2 / delta) ** d)
    waiting = math.floor(delta**-3) + 1  # after so many steps the radius is below delta
    n_last = T - waiting  # an upper bound on the steps of phase 2
    r = 0.99 * n_last ** (-1 / 4)
    if not 2 / delta < M - 1 or not r <= delta / 2:
        raise ValueError("choose d, delta and T so that the trap is large enough")
    n = M + 2
    D = np.full((n, n), delta)
    np.fill_diagonal(D, 0)
    # The two points beside the last site of the trap keep its distances to the others: a valid
    # metric, since 2 r <= delta.
    last, left, right = M - 1, M, M + 1
    D[last, [left, right]] = D[[left, right], last] = r
    D[left, right] = D[right, left] = 2 * r
    space = from_matrix(D)
    learner = SiteBase(space, 1.0)
    trap = [0] * waiting + list(range(1, M))
    for site in trap:
        learner.update(site, 0)
        if learner.phase == 2:
            break
    opened = learner.centres[-1]
    # The trap closed at the site `opened`; the two points belong beside that one.
    swap = np.arange(n)
    swap[[opened, last]] = last, opened
    space = from_matrix(D[np.ix_(swap, swap)])
    first = trap[: waiting + opened]
    n_rest = T - len(first)
    rest = np.tile([left, right], n_rest // 2 + 1)[:n_rest]
    stream = np.concatenate([first, rest])
    labels = np.concatenate([np.zeros(len(first)), rest == right]).astype(int)
    L = 1 / (2 * r)
    # f is 0 on the left, 1 on the right and 1/2 on the point between, whose label 0 costs 1/2. On
    # the rest of the trap f = 0: it is delta away, and L delta >= 1 since 2 r <= delta.
    comparator = 0.5
    return _run(space, stream, labels, d, 1.0, L, comparator)


def growth(T: int, branching: int = 8) -> Witness:
    """C-hat far above C_S: BASE stays at d_1 = 1 in a space of dimension 3.

    Leaves of a tree, half as far apart at each of its levels, in breadth-first order: the t-th
    one is farther than t^(-1/3) from all before it, so each example opens a ball. Its label is
    the opposite of its nearest ball's, which costs 1/2 + 1/(2 sqrt 3) every time, while the better
    constant loses at most 1/2 per example. So the regret is at least 0.288 T, for every T.
    """
    depth = math.ceil(math.log(T, branching) - 1e-9)
    digits = _breadth_first(T, branching, depth)
    learner_p, labels = _one_ball_each(digits)
    comparator = float(min(labels.sum(), T - labels.sum()))
    regret = expected_mistakes(learner_p, labels) - comparator
    return Witness(T, 3.0, float(branching), 0.0, regret, T, 1)


def _breadth_first(T: int, b: int, depth: int) -> NDArray[np.int64]:
    """Leaf t differs from all earlier ones as early in the word as possible."""
    t = np.arange(T)
    return np.stack([(t // b**k) % b for k in range(depth)], axis=1)


def _one_ball_each(digits: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """BASE itself on these leaves, with C-hat so large that the check never fires."""
    learner = Base(1e12, metric=leaf_distance)
    p, labels = [], []
    for row in digits:
        leaf = row.tobytes()
        p.append(learner.probability(leaf))
        labels.append(int(p[-1] < 0.5))
        learner.update(leaf, labels[-1])
    if learner.n_balls != len(digits) or learner.phase != 1:
        raise AssertionError("an example did not open a ball")
    return np.array(p), np.array(labels)


def leaf_distance(a: bytes, b: bytes) -> float:
    """2^-(number of common first letters); 0 for the same leaf.

    >>> leaf_distance(np.array([1, 2]).tobytes(), np.array([1, 3]).tobytes())
    0.5
    """
    if a == b:
        return 0.0
    p, q = np.frombuffer(a, dtype=np.int64), np.frombuffer(b, dtype=np.int64)
    return float(2.0 ** -int(np.argmax(p != q)))


def _run(
    space: FiniteSpace, stream: Any, labels: Any, d: float, C: float, L: float, comparator: float
) -> Witness:
    learner = SiteBase(space, C)
    p = learner.run(stream, labels)
    regret = expected_mistakes(p, labels) - comparator
    return Witness(len(stream), d, C, L, regret, learner.n_balls, learner.phase)
