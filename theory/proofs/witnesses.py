"""Streams that break the stated theorem where its hypotheses leave a gap.

Each begins with a part that is run as it is and ends with a long one whose expected mistakes are
known: a ball whose labels alternate, or balls with one example each. So lengths like 10^9 are at
hand; ``plain=True`` runs the whole stream instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from abacoc.base import Base

from ..regret.sites import SiteBase, expected_mistakes
from ..regret.spaces import from_matrix

LEFT, RIGHT = -2, -1  # the two points beside the last centre
FOREIGN = 1 / (2 * arb(3).sqrt())  # a ball with one example predicts 1/2 +- this


@dataclass(frozen=True)
class Witness:
    """A stream, what BASE loses on it, and the numbers that the theorem speaks of."""

    T: int
    d: Fraction
    C_S: Fraction  # at least C_S(d); C-hat is this unless told
    C_hat: Fraction
    L: Fraction
    regret: float  # against one comparator, so the true regret is at least this
    n_balls: int
    phases: int

    def __str__(self) -> str:
        same = self.C_hat == self.C_S
        told = (
            f"C-hat = {'C_S' if same else f'{float(self.C_hat):,.0f}, C_S'} = {float(self.C_S):g}"
        )
        return (
            f"d = {float(self.d):g}, T = {self.T:,}, {told}, L = {float(self.L):.4g}: "
            f"regret at least {self.regret:,.1f}"
        )


def alternating(m: int) -> arb:
    """Expected mistakes of m examples with labels 1, 0, 1, ... in a ball that had one 0 before.

    In turn the ball has one 0 more, and costs 1/2 + 1/(2 sqrt(n+2)) with n = 1, 3, 5, ..., or is
    even and costs 1/2. The sum of (2j+3)^(-1/2) over j < k is a difference of Hurwitz zetas.

    >>> round(float(alternating(3) - (0.5 + 0.5 / math.sqrt(3) + 0.5 + 0.5 + 0.5 / math.sqrt(5))), 12)
    0.0
    """
    k = (m + 1) // 2
    half, start = arb(1) / 2, arb(3) / 2
    sums = (half.zeta(start) - half.zeta(start + k)) / arb(2).sqrt()
    return arb(m) / 2 + sums / 2


@cache
def trap(T: int, d: Fraction, q: int = 1, plain: bool = False) -> Witness:
    """A dimension that is not whole: BASE takes D = max(1, ceil(d)), whose radius is too large.

    Leaves 1/q apart around a hub at half that distance, which is not streamed. In every phase wait
    in one leaf until the radius is below 1/q, then visit fresh leaves until the check fires, till
    the dimension is D (for d <= 1 the first example does). Then two points on opposite sides of the
    last centre, within the final radius, get opposite labels, while f with L = 1 / (their distance)
    tells them apart: 0 on the left and on all leaves, 1 on the right, 1/2 at the centre.
    """
    D = max(1, math.ceil(d))
    leaves = math.floor((2 * q) ** float(d)) - 2 if D > 1 else 1
    prefix = climb(leaves, q, D)
    rest, centre = T - len(prefix), prefix[-1]
    # within the final radius, and no farther apart than the leaves
    r = Fraction(math.floor(0.99 * 10**9 * (1 + rest) ** (-1 / (2 + D))), 10**9)
    r = min(r, Fraction(1, 2 * q))
    if not r ** (2 + D) * (1 + rest) <= 1:
        raise AssertionError("the two points leave the last ball")
    # N(eps) is 1 from the hub's distance on (without leaves: from r on), then the leaves, then all
    few = leaves * (2 * q) ** -float(d) if D > 1 else 0.0
    constant = Fraction(math.ceil(max(1.0, few, (leaves + 2) * float(r) ** float(d))))
    n = leaves + 2
    distances = np.full((n, n), 1 / q)
    distances[centre, [LEFT, RIGHT]] = distances[[LEFT, RIGHT], centre] = float(r)
    distances[LEFT, RIGHT] = distances[RIGHT, LEFT] = 2 * float(r)
    np.fill_diagonal(distances, 0)
    learner = SiteBase(from_matrix(distances), float(constant))
    turns = np.arange(rest if plain else 0) % 2  # right, left, right, ...
    sites = np.concatenate([prefix, np.where(turns == 0, n + RIGHT, n + LEFT)]).astype(int)
    labels = np.concatenate([np.zeros(len(prefix)), 1 - turns]).astype(int)
    told = learner.run(sites, labels)
    if (learner.dimension, learner.n_balls) != (D, 1):
        raise AssertionError(f"the trap ended with {learner.history}")
    lost = expected_mistakes(told, labels)
    lost += 0.0 if plain else float(alternating(rest))
    comparator = 0.5 * prefix.count(centre)
    return Witness(T, d, constant, constant, 1 / (2 * r), lost - comparator, 1, learner.phase)


def climb(leaves: int, q: int, D: int) -> list[int]:
    """Leaves to visit until BASE has dimension D and one ball, around the leaf that comes last.

    >>> [len(climb(leaves, q, D)) for leaves, q, D in ((1, 1, 1), (21, 10, 2), (292, 8, 3))]
    [1, 1020, 4887]
    """
    distances = np.full((leaves, leaves), 1 / q)
    np.fill_diagonal(distances, 0)
    learner, visited, fresh = SiteBase(from_matrix(distances)), [0], 0
    learner.update(0, 0)
    while learner.dimension < D:
        if learner.n_balls == leaves:
            raise ValueError("too few leaves: choose a larger d or q")
        if learner.epsilon < 1 / q:
            fresh = (fresh + 1) % leaves
        visited.append(fresh)
        learner.update(fresh, 0)
    return visited


@cache
def tree(generations: int, plain: bool = False) -> Witness:
    """C-hat far above C_S: every example opens a ball, in a set with N(eps) <= eps^-3.

    Leaves of a tree with 8 branches, 2^-k apart where k first letters agree, with its nodes as hubs
    half as far away: 8^k of them cover at radius 2^-(k+1), so C_S(3) = 1. In breadth-first order
    leaf t is 2^-k > t^(-1/3) from all before it, 8^k < t <= 8^(k+1), and closest to the leaf t mod
    8^k, which was there first. Labels alternate by generation, the last is all 1; f is 1.
    """
    T = 8**generations
    label = [(generations - g + 1) % 2 for g in range(generations + 1)]  # generation 0 is leaf 0
    C_hat = Fraction(max(1, 4**generations // 2))  # |S| + 1 = t <= 2 C-hat t^(1/3)
    zeros = sum(_leaves(g) for g in range(generations + 1) if label[g] == 0)
    if plain:
        lost = _run_tree(generations, label, float(C_hat))
    else:
        total = arb(1) / 2
        for g in range(1, generations + 1):
            # of the 8^(g-1) closest leaves _leaves(h) are of generation h; 7 examples come to each
            differ = 7 * sum(_leaves(h) for h in range(g) if label[h] != label[g])
            total += arb(_leaves(g)) / 2 + FOREIGN * (2 * differ - _leaves(g))
        lost = float(total)
    return Witness(T, Fraction(3), Fraction(1), C_hat, Fraction(0), lost - zeros, T, 1)


def _leaves(generation: int) -> int:
    return 7 * 8 ** (generation - 1) if generation else 1


def _run_tree(generations: int, label: list[int], C_hat: float) -> float:
    learner, p, y = Base(C_hat, metric=leaf_distance), [], []
    for t in range(8**generations):
        leaf = np.array([t // 8**k % 8 for k in range(generations)]).tobytes()
        y.append(label[next(g for g in range(generations + 1) if t < 8**g)])
        p.append(learner.probability(leaf))
        learner.update(leaf, y[-1])
    if learner.n_balls != 8**generations or learner.phase != 1:
        raise AssertionError("an example did not open a ball")
    return expected_mistakes(p, y)


def leaf_distance(a: bytes, b: bytes) -> float:
    """2^-(number of common first letters); 0 for the same leaf.

    >>> leaf_distance(np.array([1, 2]).tobytes(), np.array([1, 3]).tobytes())
    0.5
    """
    if a == b:
        return 0.0
    p, q = np.frombuffer(a, dtype=np.int64), np.frombuffer(b, dtype=np.int64)
    return float(2.0 ** -int(np.argmax(p != q)))


@cache
def star(q: int, plain: bool = False) -> Witness:
    """The same with less: balanced labels in one leaf, then a fresh leaf with label 1 at each step.

    Leaves 1/q apart around a hub, 2 q^3 examples in the first, then q^3 others: each is closest to
    the first leaf, which predicts 1/2. N(eps) <= q^3 + 1 <= (2q)^3 below 1/(2q): C_S = 1 for every
    d >= 3. The comparator is 1 and loses the q^3 zeros.
    """
    K = q**3
    T, C_hat = 3 * K, Fraction(K + 2)
    if plain:
        distances = np.full((K + 1, K + 1), 1 / q)
        np.fill_diagonal(distances, 0)
        sites = np.concatenate([np.zeros(2 * K, dtype=np.int64), np.arange(1, K + 1)])
        labels: NDArray[np.int64] = np.concatenate([np.tile([0, 1], K), np.ones(K, dtype=np.int64)])
        learner = SiteBase(from_matrix(distances), float(C_hat))
        lost = expected_mistakes(learner.run(sites, labels), labels)
        if learner.history[-1][1:] != (1, 1, T, K + 1):
            raise AssertionError(f"the star ended with {learner.history}")
    else:
        lost = float(arb(1) / 2 + alternating(2 * K - 1) + arb(K) / 2)
    return Witness(T, Fraction(3), Fraction(1), C_hat, Fraction(0), lost - K, K + 1, 1)
