"""Seconds of loops, and the speeds that come out: one row of the comparison per entrant."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Row = dict[str, Any]


class Timing(NamedTuple):
    """So many examples took so many seconds."""

    examples: int
    seconds: float


@dataclass(frozen=True)
class Model:
    """A learner as the loops below see it: two bound methods, so that no wrapper is timed."""

    predict: Callable[[Any], Any]
    learn: Callable[[Any, Any], Any]
    points: Callable[[Floats], list[Any]] = list  # rows as its methods take them


def timed(
    model: Model,
    points: Sequence[Any],
    labels: Sequence[int] | None = None,
    budget: float = math.inf,
) -> Timing:
    """Predict, and learn with labels, one after the other until they or the seconds are used up."""
    predict, learn, n = model.predict, model.learn if labels is not None else None, 0
    started = perf_counter()
    for x, y in zip(points, points if labels is None else labels, strict=True):
        predict(x)
        if learn is not None:
            learn(x, y)
        n += 1
        if perf_counter() - started >= budget:
            break
    return Timing(n, perf_counter() - started)


def measured(
    stream: str,
    part: str,
    entrant: str,
    balls: int = 0,
    timings: Sequence[Timing] = (),
    ours: Sequence[Timing] = (),
    whole: Sequence[Timing] = (),
    note: str = "",
) -> Row:
    """What came out for one entrant; without timings it was not measured, and the note says why.

    ``balls`` is how many ours holds at the end of the examples, or how many points everybody holds
    at their beginning where the last examples are timed. ``ratio`` is ours over the entrant in
    examples per second, on the same examples; ``whole_ratio`` is the same with ours over the whole
    stream. Both are taken round by round; rounds that only one had do not count.

    >>> row = measured("sea", "head", "reference", 3, [Timing(10, 2.0)], [Timing(10, 0.5)])
    >>> row["per_second"], row["ours_per_second"], row["ratio"]
    (5.0, 20.0, 4.0)
    """
    rounds = len(timings)
    theirs, own, all_of_it = (
        np.array([timing.examples / timing.seconds for timing in side[:rounds]])
        for side in (timings, ours, whole)
    )
    return {
        "stream": stream,
        "part": part,
        "entrant": entrant,
        "balls": balls,
        "examples": min((timing.examples for timing in timings), default=0),  # in a round
        "per_second": spread(theirs)[0],
        "ours_per_second": spread(own)[0],
        "rounds": rounds,
        "note": note,
        **_ratio("ratio", own, theirs),
        **_ratio("whole_ratio", all_of_it, theirs),
    }


def spread(values: Floats) -> tuple[float, ...]:
    """Median, smallest and largest.

    >>> spread(np.array([3.0, 1.0, 2.0]))
    (2.0, 1.0, 3.0)
    """
    found = np.quantile(values, (0.5, 0.0, 1.0)) if len(values) else np.full(3, math.nan)
    return tuple(found.tolist())


def _ratio(name: str, ours: Floats, theirs: Floats) -> Row:
    found = spread(ours / theirs[: len(ours)])
    return dict(zip((name, f"{name}_low", f"{name}_high"), found, strict=True))
