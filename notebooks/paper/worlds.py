"""Where a claim is tested: on the paper's own numbers, and on our runs under each protocol.

All answer the same questions, so that one test serves for all of them. What they answer is a number
for every seed: methods share seeds, so differences are taken seed by seed. The paper has one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import pandas as pd
from scipy import stats

from paper import published
from paper.plots import NAMES
from paper.runs import (
    FIX,
    LEVELS,
    as_published,
    as_text,
    best_of_each_stream,
    every_seed,
    streams_of_the_paper,
    under,
)

PRINTED = published.BELOW + published.ABOVE  # by which a difference of two printed cells may be off


class Missing(Exception):
    """There are no numbers to compare."""


class Effect(NamedTuple):
    """A mean over seeds with its 95 % interval (Student's t); a point where there is one number."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = f" [{self.low:+.3f}, {self.high:+.3f}]" if self.low < self.high else ""
        return f"{self.value:+.3f}{interval}"


def effect(numbers: Iterable[float], off: float = 0.0) -> Effect:
    """The mean of some numbers, each of which may be ``off`` by as much.

    >>> print(effect([0.1, 0.2, 0.3]), effect([0.1]))
    +0.200 [-0.048, +0.448] +0.100
    """
    told = list(numbers)
    n, mean = len(told), fmean(told)
    half = off + (stats.t.ppf(0.975, n - 1) * stdev(told) / math.sqrt(n) if n > 1 else 0.0)
    return Effect(mean, mean - half, mean + half)


class Points(NamedTuple):
    """Means over the sets, a row per method and level, a column per seed."""

    accuracy: pd.DataFrame  # relative to the best of each set
    share: pd.DataFrame  # model size as a fraction of the stream


def points_of(cells: pd.DataFrame) -> Points:
    """The means of some cells; what is not left to chance is the same for every seed."""
    mean = cells.groupby(["method", "level", "seed"])[["accuracy", "share"]].mean().unstack()
    return Points(*(mean[what].ffill(axis=1) for what in ("accuracy", "share")))


class OurRuns:
    """Our runs under a protocol, one stream for each set of Table I."""

    off = 0.0

    def __init__(self, name: str, runs: pd.DataFrame) -> None:
        self.name = name
        here = runs[runs.stream.isin(streams_of_the_paper(under(runs, name)))]
        self.runs = under(here, name)
        # those with other settings, too, by which a method is varied
        self.varied = here[as_text(here) if name == "raw" else as_published(here)]

    def streams(self, methods: Sequence[str], levels: Sequence[float]) -> list[str]:
        """The streams on which all these methods ran at all these levels; at least one."""
        if not methods or not (found := streams_of_the_paper(self.runs, methods, levels)):
            raise Missing
        return found

    def ran(self, methods: Iterable[str], needed: str = "auto-adj") -> list[str]:
        """Those of the methods that ran at the four rates on some set, one of them for certain."""
        found = [m for m in methods if streams_of_the_paper(self.runs, [m], LEVELS)]
        if needed not in found:
            raise Missing
        return found

    def table(self, methods: Sequence[str], levels: Sequence[float]) -> pd.DataFrame:
        """A row per set, method, level and seed: accuracy, as it is and relative, and share."""
        streams = self.streams(methods, levels)
        wanted = self.runs.method.isin(methods) & self.runs.level.isin(levels)
        own = every_seed(self.runs[wanted & self.runs.stream.isin(streams)])
        own["relative"] = own.accuracy / own.stream.map(best_of_each_stream(self.runs))
        return own.rename(columns={"model_share": "share"})

    def points(self, methods: Sequence[str], levels: Sequence[float] = LEVELS) -> Points:
        """The points of Figures 2 to 4."""
        cells = self.table(methods, levels)
        return points_of(cells.assign(accuracy=cells.relative))


def curves(world: OurRuns, methods: Sequence[str], levels: Sequence[float]) -> pd.DataFrame:
    """The points of a figure, a row per method and level: means over seeds, and their spread."""
    accuracy, share = world.points(methods, levels)
    frame = {"size": share.mean(axis=1), "size_spread": share.std(axis=1)}
    frame |= {"accuracy": accuracy.mean(axis=1), "accuracy_spread": accuracy.std(axis=1)}
    found = pd.DataFrame(frame).fillna(0)
    return found.assign(seeds=accuracy.shape[1], sets=len(world.streams(methods, levels)))


class Printed:
    """The paper's own numbers, as printed and plotted."""

    name, off = "published", PRINTED

    def __init__(self, reverse: bool = False) -> None:
        names = published.names()
        self.names = dict(zip(names, names[::-1] if reverse else names, strict=True))

    def ran(self, methods: Iterable[str]) -> list[str]:
        """All the methods: the paper has them all."""
        return list(methods)

    def table(self, methods: Sequence[str], levels: Sequence[float]) -> pd.DataFrame:
        """The cells of Tables II and III, a row each; the only numbers set by set."""
        cells = published.tables().rename(columns={"data": "set", "size": "share"})
        cells["set"] = cells.set.map(self.names)
        cells["method"] = cells.method.map({title: name for name, title in NAMES.items()})
        cells["level"], cells["seed"] = cells.table.map(published.TABLES), 0
        if not set(levels) <= set(cells.level) or not set(methods) <= set(cells.method):
            raise Missing
        return cells[cells.method.isin(methods) & cells.level.isin(levels)]

    def points(self, methods: Sequence[str], levels: Sequence[float] = LEVELS) -> Points:
        """Figure 2 for rate 1, Figure 4 if FIX is asked for, else Figure 3."""
        bars, figure = published.figure2(), published.figure3()
        figure = published.figure4() if FIX in methods else figure
        rows = {}
        for method, level in [(m, level) for m in methods for level in levels]:
            title = NAMES[method]
            if level == 1 and title in bars["a"]:
                rows[method, level] = bars["b"][title], bars["a"][title]
            elif (title, level) in figure:
                rows[method, level] = figure[title, level].accuracy, figure[title, level].size
            else:
                raise Missing
        frame = pd.DataFrame(rows, ["accuracy", "share"]).T.rename_axis(["method", "level"])
        return points_of(frame.assign(seed=0).reset_index())


World = OurRuns | Printed
