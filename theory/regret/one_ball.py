"""The one-ball game: how much one ball can lose against its best constant.

A ball with n examples, D more ones than zeros, predicts 1 with probability
clip(1/2 + D / (2 sqrt(n + 2)), 0, 1). Its first prediction is somebody else's and may cost 1.
``W(n)`` is the largest regret over all label sequences of length n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def probabilities(n: int) -> FloatArray:
    """p for every number of ones 0..n in a ball with n examples.

    >>> probabilities(2).tolist()
    [0.0, 0.5, 1.0]
    """
    lead = 2.0 * np.arange(n + 1) - n
    return np.clip(0.5 + lead / (2.0 * math.sqrt(n + 2)), 0.0, 1.0)


def worst_regrets(
    n_max: int, coin: Callable[[int], FloatArray] = probabilities, first: float = 1.0
) -> FloatArray:
    """W(1), ..., W(n_max) by dynamic programming over (examples, ones).

    Another coin can be tried, which has its own p for every number of ones; ``first`` is what the
    first example costs, 1/2 if that prediction is the coin's own.

    Every entry is a maximum of sums of at most n_max numbers of [0, 1], so the rounding is at
    most n_max half-ulps of n_max; ``rounding(n_max)`` bounds it.

    >>> worst_regrets(2).round(6).tolist()
    [1.0, 1.211325]
    """
    return np.array([_regrets(loss).max() for loss in _losses(n_max, coin, first)])


def _losses(
    n_max: int, coin: Callable[[int], FloatArray] = probabilities, first: float = 1.0
) -> Iterator[FloatArray]:
    """After 1, ..., n_max examples the largest loss so far, by the number of ones."""
    loss = np.full(2, first)
    yield loss
    for n in range(1, n_max):
        p = coin(n)
        grown = np.full(n + 2, -np.inf)
        grown[1:] = loss + (1.0 - p)  # one more 1
        grown[:-1] = np.maximum(grown[:-1], loss + p)  # one more 0
        loss = grown
        yield loss


def _regrets(loss: FloatArray) -> FloatArray:
    ones = np.arange(len(loss))
    return loss - np.minimum(ones, ones[::-1])


def rounding(n_max: int) -> float:
    """Bound on the error of ``worst_regrets``: p is off by 3 ulps at most, the sum by n_max more.

    >>> rounding(20_000) < 1e-7
    True
    """
    return n_max * (3 * 2.0**-53 + math.ulp(float(n_max)))


def worst_labels(n: int) -> list[int]:
    """A label sequence of length n that loses W(n); the first label is whatever was not predicted.

    >>> worst_labels(4)
    [0, 1, 0, 0]
    """
    losses = list(_losses(n))
    at = int(_regrets(losses[-1]).argmax())
    labels: list[int] = []
    for k in range(n - 1, 0, -1):  # k examples before the label that is looked for
        p, before = probabilities(k), losses[k - 1]
        by_one = before[at - 1] + (1.0 - p[at - 1]) if at > 0 else -np.inf
        by_zero = before[at] + p[at] if at <= k else -np.inf
        label = int(by_one >= by_zero)
        labels.append(label)
        at -= label
    labels.append(at)
    return labels[::-1]
