"""The count without noise: distances evaluated per example, against the number of balls.

Ours (``auto``) is a scan where a tree would not pay, so over a range of sizes it mixes two laws.
What is fitted is therefore the search that always uses the tree; both are counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from abacoc.protocol import prequential
from paper.bench.data import Data

SEARCHES = ("auto", "tree")
FITTED = "tree"


@dataclass(frozen=True)
class Count:
    """What a search had done after so many examples of a stream."""

    stream: str
    search: str
    examples: int
    balls: int
    evaluations: float  # distances per example, over the last tenth of these examples
    evaluations_overall: float  # the same over all of them
    seconds: float  # of the loop, for all of them
    bytes_per_ball: float  # of all arrays, with the room that is allocated ahead


class Fit(NamedTuple):
    """evaluations = factor * balls ** exponent, by least squares of the logarithms."""

    exponent: float
    factor: float

    @property
    def per_tenfold(self) -> float:
        """Times as many evaluations where there are ten times as many balls."""
        return math.pow(10.0, self.exponent)


def fit(balls: Sequence[float], evaluations: Sequence[float]) -> Fit:
    """The power law through the points; two different numbers of balls are needed.

    >>> law = fit([100, 1_000, 10_000], [30, 60, 120])
    >>> round(law.exponent, 3), round(law.per_tenfold, 3)
    (0.301, 2.0)
    """
    if len(set(balls)) < 2 or min(*balls, *evaluations) <= 0:
        raise ValueError("a power law needs two different positive numbers of balls")
    x, y = [math.log(b) for b in balls], [math.log(e) for e in evaluations]
    x0, y0 = math.fsum(x) / len(x), math.fsum(y) / len(y)
    slope = math.fsum((a - x0) * (b - y0) for a, b in zip(x, y, strict=True))
    slope /= math.fsum((a - x0) ** 2 for a in x)
    return Fit(slope, math.exp(y0 - slope * x0))


def count(data: Data, sizes: Sequence[int], learner: Any) -> list[Count]:
    """One pass over ``data`` that stops at each size, and a tenth before it.

    The stream of a smaller size is the beginning of a larger one, so one pass serves all.
    """
    counts: list[Count] = []
    seconds, done = 0.0, 0
    for size in sizes:
        before = 0
        for stop in (size - size // 10, size):
            before = learner.distance_evaluations
            run = prequential(learner, data.X[done:stop], data.y[done:stop], keep=False)
            seconds, done = seconds + run.seconds, stop
        evaluations = learner.distance_evaluations
        counts.append(
            Count(
                data.name,
                learner.search,
                size,
                run.n_balls,
                (evaluations - before) / (size // 10),
                evaluations / size,
                seconds,
                learner.n_bytes / run.n_balls,
            )
        )
    return counts


def fits(counts: Sequence[Count]) -> dict[str, Fit]:
    """The law of each stream, over the last tenths."""
    laws: dict[str, Fit] = {}
    for stream in dict.fromkeys(c.stream for c in counts):
        own = [c for c in counts if (c.stream, c.search) == (stream, FITTED)]
        laws[stream] = fit([c.balls for c in own], [c.evaluations for c in own])
    return laws
