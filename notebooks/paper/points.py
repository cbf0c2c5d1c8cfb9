"""Means over seeds, and the points of Figures 3 and 4, from the table of runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import pandas as pd

from paper.runs import best_of_each_stream, every_seed, streams_of_the_paper


class Missing(Exception):
    """There are no runs to compare."""


class Mean(NamedTuple):
    """A mean over seeds, the standard deviation between them, and how many there were."""

    value: float
    spread: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" ± {self.spread:.3f}" if self.n > 1 else "")


class Point(NamedTuple):
    """A method at a rate, or FIX with a budget."""

    share: Mean  # model size as a fraction of the stream
    accuracy: Mean


def mean(values: Iterable[float]) -> Mean:
    """The mean with its spread.

    >>> str(mean([0.5, 0.7]))
    '0.600 ± 0.141'
    """
    numbers = list(values)
    return Mean(fmean(numbers), stdev(numbers) if len(numbers) > 1 else 0.0, len(numbers))


def better(a: Mean, b: Mean) -> int:
    """1 if a is above b by more than two standard errors, -1 if below, 0 if they are even."""
    error = math.hypot(a.spread / math.sqrt(a.n), b.spread / math.sqrt(b.n))
    gap = a.value - b.value
    return 0 if abs(gap) <= 2 * error else (1 if gap > 0 else -1)


def covered(runs: pd.DataFrame, methods: Sequence[str], levels: Sequence[float]) -> list[str]:
    """The streams, by name, on which all these methods ran at all these levels; at least one."""
    if not (streams := streams_of_the_paper(runs, methods, levels)):
        raise Missing
    return sorted(streams)


def on_stream(runs: pd.DataFrame, stream: str, method: str, level: float) -> Point:
    """Size and accuracy of a method on one stream."""
    own = _select(runs, [stream], method, level)
    return Point(mean(own.model_share), mean(own.accuracy))


def over_streams(runs: pd.DataFrame, streams: Sequence[str], method: str, level: float) -> Point:
    """Mean size, and mean accuracy relative to the best of each stream, seed by seed.

    So the spread is that of the figure, not that of a single stream.
    """
    own = every_seed(_select(runs, streams, method, level))
    relative = own.accuracy / own.stream.map(best_of_each_stream(runs))
    by_seed = own.assign(relative=relative).groupby("seed")[["model_share", "relative"]].mean()
    return Point(mean(by_seed.model_share), mean(by_seed.relative))


def _select(runs: pd.DataFrame, streams: Sequence[str], method: str, level: float) -> pd.DataFrame:
    wanted = runs.standard & (runs.method == method) & (runs.level == level)
    return runs[wanted & runs.stream.isin(streams)]


def at_the_same_size(curve: Iterable[Point], share: float) -> float | None:
    """Accuracy of a curve at a model size, along the line between its points; None outside."""
    points = sorted((p.share.value, p.accuracy.value) for p in curve)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= share <= x1:
            return y0 if x0 == x1 else y0 + (y1 - y0) * (share - x0) / (x1 - x0)
    return None
