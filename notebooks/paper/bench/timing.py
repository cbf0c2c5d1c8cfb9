"""Seconds, speeds and ratios of speeds, with their spread over the rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Timing(NamedTuple):
    """So many examples took so many seconds."""

    examples: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Examples per second."""
        return self.examples / self.seconds


class Spread(NamedTuple):
    """The median over the rounds, with the smallest and the largest."""

    median: float
    low: float
    high: float


def spread(values: Iterable[float]) -> Spread:
    """Median, smallest and largest.

    >>> spread([3.0, 1.0, 2.0])
    Spread(median=2.0, low=1.0, high=3.0)
    """
    values = list(values)
    return Spread(median(values), min(values), max(values))


def ratios(ours: Sequence[Timing], theirs: Sequence[Timing]) -> Spread:
    """How many times as fast ours is, round by round; rounds that only one had do not count.

    >>> ratios([Timing(100, 1.0), Timing(100, 2.0)], [Timing(10, 1.0), Timing(10, 1.0)])
    Spread(median=7.5, low=5.0, high=10.0)
    """
    return spread(a.per_second / b.per_second for a, b in zip(ours, theirs, strict=False))


@dataclass(frozen=True)
class Model:
    """A learner as the loops below see it: two bound methods, so that no wrapper is timed."""

    predict: Callable[[Any], Any]
    learn: Callable[[Any, Any], Any]
    points: Callable[[NDArray[np.float64]], list[Any]] = list  # rows as its methods take them


def time_predictions(model: Model, points: Sequence[Any], budget: float = math.inf) -> Timing:
    """Predict one point after the other, until the points or the seconds are used up."""
    predict, n = model.predict, 0
    started = perf_counter()
    for x in points:
        predict(x)
        n += 1
        if perf_counter() - started >= budget:
            break
    return Timing(n, perf_counter() - started)


def time_test_then_learn(
    model: Model, points: Sequence[Any], labels: Sequence[int], budget: float = math.inf
) -> Timing:
    """Predict and learn one example after the other, until they or the seconds are used up."""
    predict, learn, n = model.predict, model.learn, 0
    started = perf_counter()
    for x, y in zip(points, labels, strict=True):
        predict(x)
        learn(x, y)
        n += 1
        if perf_counter() - started >= budget:
            break
    return Timing(n, perf_counter() - started)
