"""The figures of the benchmark."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from abacoc.plots import quiet
from paper.bench.profiles import OURS, TITLES

# Predicting and learning, each entrant where it is compared best.
SHOWN = ("whole", "head", "learn")
SOAKED = {
    "processor time per example, microseconds": "cpu_seconds_per_example",
    "distances per example": "evaluations_per_example",
    "resident memory, MiB": "resident_mib",
    "balls": "balls",
}


def growth_figure(counts: pd.DataFrame) -> Figure:
    """Evaluations per example against balls, a line per stream, and the scan."""
    figure = _new(6, 5.5)
    axes = figure.subplots()
    for stream, own in counts.groupby("stream", sort=False):
        law = f"{stream}: balls$^{{{own.exponent.iloc[0]:.2f}}}$"
        axes.plot(own.balls, own.evaluations, ".-", label=law)
    ends = [counts.balls.min(), counts.balls.max()]
    axes.plot(ends, ends, "k--", label="scan: as many as balls")
    axes.set(xscale="log", yscale="log", xlabel="balls", ylabel="distances evaluated per example")
    axes.set_title("Work to find the nearest ball")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def speed_figure(rows: pd.DataFrame) -> Figure:
    """Examples per second, and how many times as fast ours is on the same examples."""
    rows = rows[rows.part.isin(SHOWN) & (rows.rounds > 0)]
    rows = rows[(rows.entrant != OURS) | (rows.part == "whole")]
    streams = list(rows.stream.unique())
    names = [name for name in TITLES if name in set(rows.entrant)]
    figure = _new(11, 1.5 + 0.14 * len(streams) * len(names))
    panels = figure.subplots(1, 2, sharey=True)
    for k, name in enumerate(names):
        own = rows[rows.entrant == name]
        # one line per entrant within the stream, so that no mark hides another
        at = own.stream.map(streams.index) + 0.8 * (k / max(1, len(names) - 1) - 0.5)
        colour = "k" if name == OURS else f"C{k - 1}"
        panels[0].plot(own.per_second, at, "o", color=colour, label=TITLES[name])
        panels[1].plot(own.ratio, at, "o", color=colour)
        panels[1].hlines(at, own.ratio_low, own.ratio_high, color=colour)
    panels[0].set(xscale="log", xlabel="examples per second, predicted and learned")
    panels[0].set_yticks(range(len(streams)), streams)
    panels[0].set_ylim(len(streams) - 0.5, -0.5)  # the first stream on top
    panels[1].axvline(1.0, color="k", linewidth=1)
    panels[1].set(xscale="log", xlabel="ours is so many times as fast, on the same examples")
    for axes in panels:
        axes.grid(axis="x", alpha=0.3)
        for i in range(1, len(streams)):
            axes.axhline(i - 0.5, color="0.8", linewidth=0.8)
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def soak_figure(blocks: pd.DataFrame, budget: int) -> Figure:
    """Time, distances, memory and size along the stream, each from zero up."""
    figure = _new(9, 5.5)
    panels = figure.subplots(2, 2, sharex=True)
    for axes, (title, name) in zip(panels.flat, SOAKED.items(), strict=True):
        values = blocks[name] * (1e6 if "microseconds" in title else 1)
        axes.plot(blocks.examples, values, ".-", color="C0")
        axes.set(title=title, ylim=(0, 1.25 * values.max()))
        axes.grid(alpha=0.3)
    panels[1, 1].axhline(budget, color="k", linestyle="--", label="budget")
    panels[1, 1].legend(loc="lower right")
    for axes in panels[1]:
        axes.set_xlabel("examples")
    n = blocks.examples.iloc[-1]
    figure.suptitle(f"AUTO-ADJ FIX over {n:,} examples of a drifting stream")
    return figure


def _new(width: float, height: float) -> Figure:
    quiet()
    return Figure(figsize=(width, height), layout="constrained")
