"""What a grid found: a mean over seeds for each stream, method, rate and budget; and a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from abacoc.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from abacoc.grid.jobs import Job
    from abacoc.grid.tables import Record


@dataclass(frozen=True)
class Point:
    """Runs that differ in their seed only."""

    stream: str
    method: str
    rate: float
    settings: dict[str, Any]
    accuracy: float  # the mean over the seeds
    spread: float  # the standard deviation between them
    size: float
    share: float  # of the stream
    seeds: int

    @property
    def title(self) -> str:
        """The method for people, with what makes it another one than its neighbours."""
        more = [f"{name} {value}" for name, value in self.settings.items() if name != "budget"]
        budget = self.settings.get("budget")
        bound = [] if budget is None else [f"budget {budget:.3g} of the stream"]
        return ", ".join([METHODS[self.method].title, *bound, *more])


def points(found: Iterable[tuple[Job, Record | None]]) -> list[Point]:
    """The means; runs without a result are left out."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for job, record in found:
        if record is not None and record.result is not None:
            place = (job.stream, job.method, job.rate, job.settings)
            groups.setdefault(place, []).append(record.result)
    means = []
    for (stream, method, rate, settings), results in groups.items():
        accuracies = [result["accuracy"] for result in results]
        means.append(
            Point(
                *(stream, method, rate, dict(settings), fmean(accuracies)),
                spread=stdev(accuracies) if len(results) > 1 else 0.0,
                size=fmean(result["model_size"] for result in results),
                share=fmean(result["model_share"] for result in results),
                seeds=len(results),
            )
        )
    return means


def table(means: Sequence[Point]) -> str:
    """A table for the terminal, stream by stream, the most accurate first."""
    width = max((len(point.title) for point in means), default=0)
    lines = []
    for stream in dict.fromkeys(point.stream for point in means):
        lines += ["", f"{stream}", f"  {'method':{width}}  {'rate':>6}  accuracy           size"]
        own = [point for point in means if point.stream == stream]
        for point in sorted(own, key=lambda point: -point.accuracy):
            spread = f" ± {point.spread:.4f}" if point.seeds > 1 else ""
            unit = METHODS[point.method].unit
            lines.append(
                f"  {point.title:{width}}  {100 * point.rate:5g}%  {point.accuracy:.4f}{spread:9}  "
                f"{point.size:,.0f} {unit}, {point.share:.2%}"
            )
    return "\n".join(lines)


def draw(path: str | Path, means: Sequence[Point]) -> None:
    """Accuracy against model size, a panel per stream, a line per method over its rates."""
    from abacoc.plots import off_screen, save_picture

    plt = off_screen()
    streams = list(dict.fromkeys(point.stream for point in means))
    columns = min(3, len(streams))
    rows = math.ceil(len(streams) / columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(5.2 * columns, 4 * rows), squeeze=False, layout="constrained"
    )
    for panel, stream in zip(axes.flat, streams, strict=False):
        own = [point for point in means if point.stream == stream]
        for name in dict.fromkeys(point.method for point in own):
            curve = sorted((p for p in own if p.method == name), key=lambda p: p.share)
            panel.errorbar(
                [p.share for p in curve],
                [p.accuracy for p in curve],
                [p.spread for p in curve],
                color=METHODS[name].colour,
                marker=METHODS[name].marker,
                label=METHODS[name].title,
                linewidth=1,
            )
        panel.set(xscale="log", title=stream, xlabel="model size, share of the stream")
        panel.set_ylabel("accuracy")
        panel.grid(alpha=0.3)
    for panel in axes.flat[len(streams) :]:
        panel.set_visible(False)
    legend: dict[str, Any] = {}
    for panel in axes.flat[: len(streams)]:
        handles, names = panel.get_legend_handles_labels()
        legend |= dict(zip(names, handles, strict=True))
    figure.legend(legend.values(), legend.keys(), loc="outside lower center", ncols=5)
    save_picture(figure, path)
