"""A local search over short streams for the largest regret, with restarts from random streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .adversaries import IntArray, comparator
from .sites import SiteBase, expected_mistakes
from .spaces import FiniteSpace

Bound = Callable[[int, float, float, float], float]


@dataclass(frozen=True, eq=False)
class Found:
    """The worst stream that a search met."""

    ratio: float
    T: int
    L: float
    regret: float
    sites: IntArray
    labels: IntArray


def search(
    space: FiniteSpace,
    bound: Bound,
    *,
    horizons: Sequence[int] = (1, 2, 3, 5, 8, 13, 21),
    constants: Sequence[float] = (0.0, 1.0, 4.0),
    restarts: int = 3,
    steps: int = 60,
    seed: int = 0,
) -> Found:
    """The stream with the largest regret / bound(T, d, C, L) among all that were tried."""
    rng, best = np.random.default_rng(seed), None
    for T in horizons:
        for L in constants:
            allowed = bound(T, space.dimension, space.covering, L)
            for _ in range(restarts):
                sites, labels = rng.integers(space.n, size=T), rng.integers(2, size=T)
                regret = _regret(space, sites, labels, L)
                for _ in range(steps):
                    x, y = _neighbour(space, sites, labels, rng)
                    new = _regret(space, x, y, L)
                    if new >= regret:  # a move along a plateau may lead off it
                        sites, labels, regret = x, y, new
                found = Found(regret / allowed, T, L, regret, sites, labels)
                best = found if best is None or found.ratio > best.ratio else best
    if best is None:
        raise ValueError("nothing to search: no horizon, no constant or no restart")
    return best


def _neighbour(
    space: FiniteSpace, sites: IntArray, labels: IntArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """One example changed, or two exchanged."""
    x, y = sites.copy(), labels.copy()
    i, j = rng.integers(len(x), size=2)
    kind = rng.integers(4)
    if kind == 0:
        y[i] = 1 - y[i]
    elif kind == 1:
        x[i] = rng.integers(space.n)
    elif kind == 2:
        x[i] = x[j]
        y[i] = rng.integers(2)
    else:
        x[[i, j]], y[[i, j]] = x[[j, i]], y[[j, i]]
    return x, y


def _regret(space: FiniteSpace, sites: IntArray, labels: IntArray, L: float) -> float:
    p = SiteBase(space, space.covering).run(sites, labels)
    return expected_mistakes(p, labels) - comparator(space, sites, labels, L)
