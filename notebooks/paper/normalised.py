"""Accuracy relative to the best method of each stream, averaged over streams (Figures 2 to 4).

The best is taken over all methods that saw every label (rate 1, no bound on the model), as the
caption of Figure 3 says. A mean over streams is made seed by seed, so that its spread is that of
the figure and not that of a single stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from paper.results import Mean, Result, Results, mean

OWN = ("base", "base-adj", "auto", "auto-adj")
COMPETITORS = ("nn3", "cnn", "k-perc", "rules", "vfdt")
FIX = "auto-adj-fix"
ABLATED = {"reading", "d_hat", "radius_rule", "covering_constant", "leaf_prediction"}
LEVELS = (0.01, 0.03, 0.05, 0.1)  # rates of Figure 3, and budgets of FIX in Figure 4


class Point(NamedTuple):
    """A point of Figure 3 or 4."""

    share: Mean  # model size as a fraction of the stream
    accuracy: Mean  # relative to the best of each stream


def best_unrestricted(results: Results, streams: Sequence[str]) -> dict[str, float]:
    """The highest accuracy of any method at rate 1 without a budget."""
    return {
        stream: max(
            row.accuracy
            for row in results.select(stream=stream, rate=1.0, budget=None)
            if _is_standard(row)
        )
        for stream in streams
    }


def _is_standard(row: Result) -> bool:
    """As the paper runs it: no ablation of readings, dimension or scaling."""
    return not ABLATED & set(row.settings) and row.scale == (
        "unit" if row.method in OWN[:2] else "none"
    )


def runs(results: Results, stream: str, method: str, level: float) -> list[Result]:
    """The runs of a method at a rate, or of FIX at a budget."""
    wanted = {"rate": 1.0, "budget": level} if method == FIX else {"rate": level, "budget": None}
    rows = results.select(stream=stream, method=method, **wanted)
    return [row for row in rows if _is_standard(row)]


def covered(results: Results, methods: Sequence[str], levels: Sequence[float]) -> list[str]:
    """The streams on which all these methods have a result at all these levels."""
    return [
        stream
        for stream in results.streams
        if all(runs(results, stream, m, level) for m in methods for level in levels)
    ]


def point(results: Results, method: str, level: float, streams: Sequence[str]) -> Point:
    """Mean share and mean relative accuracy over the streams, with the spread over seeds."""
    best = best_unrestricted(results, streams)
    by_stream = {stream: runs(results, stream, method, level) for stream in streams}
    seeds = sorted({row.seed for rows in by_stream.values() for row in rows})
    shares, accuracies = [], []
    for seed in seeds:
        # a run without chance, or one that was repeated less often, stands for every seed
        chosen = [
            next((row for row in rows if row.seed == seed), rows[0]) for rows in by_stream.values()
        ]
        shares.append(sum(row.model_share for row in chosen) / len(chosen))
        accuracies.append(sum(row.accuracy / best[row.stream] for row in chosen) / len(chosen))
    return Point(mean(shares), mean(accuracies))
