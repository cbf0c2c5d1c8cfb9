"""From below: the regret that no learner avoids against L-Lipschitz functions.

The learner tells p in [0, 1], the adversary a site x before it and a label y after it; the loss is
|p - y|. (A randomised learner gains nothing: the loss is linear in p.) A stream leaves at each site
s a *lead* D_s, its ones minus its zeros, and 1/2 per example minus the loss of f is the sum of
(f(x) - 1/2) times the sign of the label. So the best L-Lipschitz f has loss T/2 - G(D), where

    G(D) = max over L-Lipschitz f: X -> [0, 1] of sum_s D_s (f(s) - 1/2).

**The value.** Let V_t(D) be the largest regret that the adversary can force from time t on, where
losses count from 1/2 an example: V_T = G, and with A, B for V_{t+1} after a one and after a zero

    V_t(D) = max over x of min over p of max(1/2 - p + A, p - 1/2 + B) = max over x of (A + B) / 2.

The second equality: p = (1 + A - B) / 2 makes both sides equal, and it lies in [0, 1] if
|A - B| <= 1. That holds since A and B are values of the same function one label apart: changing one
label changes D_x by 2, G by at most 2 |f(x) - 1/2| <= 1, and means and maxima preserve this, by
induction from T down. (Cover 1965 for one site; Rakhlin, Sridharan and Tewari, JMLR 2015, where it
is a sequential Rademacher complexity.) So the minimax regret is a random walk whose coordinate the
adversary chooses; with the sites known in advance it is E G of fair coins, for any learner.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from .adversaries import FloatArray, IntArray, best_function
from .lab import BySite
from .sites import SiteBase
from .spaces import FiniteSpace

STATES = 10**7  # that a table may have


def gain(space: FiniteSpace, leads: Sequence[int] | IntArray, L: float) -> float:
    """G(D): half an example each, minus the loss of the best L-Lipschitz function.

    >>> from abacoc_theory.regret.spaces import interval
    >>> gain(interval(2), [3, -3], 0.5), gain(interval(2), [3, -3], 1.0)
    (1.5, 3.0)
    """
    lead = np.asarray(leads, dtype=np.int64)
    sites = np.repeat(np.arange(space.n), np.abs(lead))
    return len(sites) / 2 - best_function(space, sites, (lead[sites] > 0).astype(int), L)[1].loss


def minimax_value(
    space: FiniteSpace, T: int, L: float, sites: Sequence[int] | None = None
) -> float:
    """The least regret that a learner can guarantee in T steps, exactly, in small spaces.

    The adversary chooses the sites as it goes, or keeps to those that are given. The table has an
    entry for every D with |D_s| <= T.

    >>> from abacoc_theory.regret.spaces import interval
    >>> minimax_value(interval(1), 2, 0), minimax_value(interval(2), 2, 1)
    (0.5, 1.0)
    """
    if T < 0 or (2 * T + 1) ** space.n > STATES:
        raise ValueError(f"{T} steps on {space.n} sites: the table would be too large")
    if sites is not None and len(sites) != T:
        raise ValueError(f"{len(sites)} sites for {T} steps")
    value = np.zeros((2 * T + 1,) * space.n)
    for lead in itertools.product(range(-T, T + 1), repeat=space.n):
        size = sum(map(abs, lead))
        if size <= T and (T - size) % 2 == 0 and lead >= tuple(-D for D in lead):
            told = gain(space, lead, L)
            value[tuple(T + D for D in lead)] = value[tuple(T - D for D in lead)] = told
    for t in range(T - 1, -1, -1):
        steps = range(space.n) if sites is None else [sites[t]]
        value = functools.reduce(np.maximum, (_coin(value, x) for x in steps))
    return float(value.item())


def _coin(value: FloatArray, x: int) -> FloatArray:
    """The mean of the values after a one and after a zero at x; the table shrinks by one."""
    up, down = ([slice(1, -1)] * value.ndim for _ in range(2))
    up[x], down[x] = slice(2, None), slice(None, -2)
    return np.asarray((value[tuple(up)] + value[tuple(down)]) / 2)


def worst_case(
    space: FiniteSpace, T: int, L: float, algorithm: Callable[[], Any] | None = None
) -> float:
    """The largest regret of BASE, or of what ``algorithm()`` makes, over all (2n)^T streams.

    >>> from abacoc_theory.regret.spaces import interval
    >>> round(worst_case(interval(2), 2, 1), 4), minimax_value(interval(2), 2, 1)
    (1.2887, 1.0)
    """
    known = functools.cache(lambda lead: gain(space, lead, L))
    worst = -math.inf
    moves = [(x, y) for x in range(space.n) for y in (0, 1)]
    for stream in itertools.product(moves, repeat=T):
        learner: Any = SiteBase(space, space.covering)
        if algorithm is not None:
            learner = BySite(space, algorithm())
        lead, lost = [0] * space.n, 0.0
        for x, y in stream:
            p = learner.probability(x)
            lost += (0.5 - p) if y else (p - 0.5)
            learner.update(x, y)
            lead[x] += 2 * y - 1
        worst = max(worst, lost + known(tuple(lead)))
    return worst


# Larger spaces --------------------------------------------------------------------------------


class Estimate(NamedTuple):
    """A mean and its 95 % interval, by Student's distribution."""

    mean: float
    low: float
    high: float


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of independent values of one kind.

    >>> [round(number, 3) for number in estimate([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    mean, k = statistics.fmean(values), len(values)
    reach = float(student.ppf(0.975, k - 1)) * statistics.stdev(values) / math.sqrt(k)
    return Estimate(mean, mean - reach, mean + reach)


def rotation(space: FiniteSpace, T: int) -> NDArray[np.int64]:
    """All sites in turn, T of them.

    >>> from abacoc_theory.regret.spaces import interval
    >>> rotation(interval(3), 5).tolist()
    [0, 1, 2, 0, 1]
    """
    return np.arange(T) % space.n


def coin_gains(space: FiniteSpace, T: int, L: float, repeats: int, seed: int = 0) -> list[float]:
    """G of fair coins, all sites in turn: its mean is below the minimax regret, for every space.

    Whatever a learner tells, a coin costs it 1/2 in the mean: this is the expected regret of every
    learner on these streams. The coins are the same for every L.

    >>> from abacoc_theory.regret.spaces import interval
    >>> coin_gains(interval(5), 100, 0, 3), coin_gains(interval(5), 100, 4, 3)
    ([3.0, 6.0, 3.0], [13.0, 6.0, 11.0])
    """
    sites, gains = rotation(space, T), []
    for repeat in range(repeats):
        signs = 2 * np.random.default_rng([seed, repeat, T]).integers(0, 2, T) - 1
        leads = np.zeros(space.n, dtype=np.int64)
        np.add.at(leads, sites, signs)
        gains.append(gain(space, leads, L))
    return gains


@functools.cache
def mean_lead(n: int) -> float:
    """E |D| of n fair coins: 2k C(2k, k) / 4^k for n = 2k - 1 and n = 2k.

    >>> mean_lead(1), mean_lead(2), mean_lead(3)
    (1.0, 1.0, 1.5)
    """
    k = (n + 1) // 2
    return 2 * k * math.prod(1 - 1 / (2 * i) for i in range(1, k + 1))


def packing_value(T: int, d: int, L: float) -> float:
    """A lower bound of the minimax regret in a cube of diameter 1, in closed form, for every T.

    Sites h apart, coins in turn; f is 1/2 plus or minus min(1, L h) / 2 at each, as its lead says.
    The best lattice with m^d sites counts; one site has h = infinity.

    >>> packing_value(100, 1, 0) == mean_lead(100) / 2, round(packing_value(10**6, 1, 16))
    (True, 1645)
    """

    def of_lattice(m: int) -> float:
        n, h = int(m**d), 1 / (math.sqrt(d) * (m - 1)) if m > 1 else math.inf
        height = min(1.0, L * h) / 2 if m > 1 else 0.5
        visits, more = divmod(T, n)
        return height * ((n - more) * mean_lead(visits) + more * mean_lead(visits + 1))

    # few sides matter: those that L fills, and the one with a site for every step
    fresh = next(m for m in itertools.count(math.floor(T ** (1 / d))) if m**d >= T)
    return max(of_lattice(m) for m in {1, 2, math.floor(1 + L / math.sqrt(d)), fresh})
