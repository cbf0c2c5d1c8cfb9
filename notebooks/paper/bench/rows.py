"""One line of the comparison: an entrant, what it was measured on, and how ours compares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from paper.bench.timing import Spread, Timing, ratios

# The four things that are timed, and what the tables say about them.
PARTS = {
    "whole": "the whole stream, each example predicted and learned",
    "head": "its first examples, predicted and learned; ours on the same ones",
    "predict": "its last examples, predicted only, one call each; everybody holds {balls} points",
    "learn": "its last examples, predicted and learned, one call each; "
    "everybody holds {balls} points",
}


@dataclass(frozen=True)
class Row:
    """What came out for one entrant; without rounds it was not measured, and the note says why.

    ``balls`` is how many ours holds at the end of the examples, or how many points everybody
    holds at their beginning where the last examples are timed. ``ratio`` is ours over the
    entrant in examples per second, on the same examples; ``whole_ratio`` is the same with ours
    over the whole stream.
    """

    stream: str
    part: str
    entrant: str
    balls: int = 0
    examples: int = 0  # in a round; where the rounds differ, in the shortest
    per_second: float | None = None
    ours_per_second: float | None = None
    ratio: Spread | None = None
    whole_ratio: Spread | None = None
    rounds: int = 0
    note: str = ""

    def cells(self) -> dict[str, Any]:
        """The row as it stands in the file."""
        cells = dict(vars(self))
        for name in ("ratio", "whole_ratio"):
            value: Spread | None = cells.pop(name)
            low, high = (value.low, value.high) if value else (None, None)
            cells |= {name: value and value.median, f"{name}_low": low, f"{name}_high": high}
        return cells


def measured(
    stream: str,
    part: str,
    entrant: str,
    balls: int,
    timings: Sequence[Timing],
    ours: Sequence[Timing] = (),
    whole: Sequence[Timing] = (),
    note: str = "",
) -> Row:
    """The row of an entrant that was timed; ``ours`` and ``whole`` are ours in the same rounds.

    >>> row = measured("sea", "head", "reference", 3, [Timing(10, 2.0)], [Timing(10, 0.5)])
    >>> row.per_second, row.ours_per_second, row.ratio.median
    (5.0, 20.0, 4.0)
    """
    rounds = len(timings)
    return Row(
        stream,
        part,
        entrant,
        balls,
        min(timing.examples for timing in timings),
        median(timing.per_second for timing in timings),
        median(timing.per_second for timing in ours[:rounds]) if ours else None,
        ratios(ours, timings) if ours else None,
        ratios(whole, timings) if whole else None,
        rounds,
        note,
    )
