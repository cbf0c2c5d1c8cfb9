"""The figures of the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from abacoc.files import write_atomically
from abacoc.plots import off_screen
from paper.bench.growth import Count, Fit
from paper.bench.profiles import OURS, TITLES
from paper.bench.rows import Row
from paper.bench.soak import Block

# Predicting and learning, each entrant where it is compared best.
SHOWN = ("whole", "head", "learn")


def growth_figure(path: Path, counts: Sequence[Count], fits: dict[str, Fit]) -> None:
    """Evaluations per example against balls, a line per stream and search, and the scan."""
    plt = off_screen()
    figure, axes = plt.subplots(figsize=(6, 5.5), layout="constrained")
    for k, (stream, law) in enumerate(fits.items()):
        for search, style in (("auto", "o:"), ("tree", ".-")):
            own = [c for c in counts if (c.stream, c.search) == (stream, search)]
            label = f"{stream}, tree: balls$^{{{law.exponent:.2f}}}$"
            axes.plot(
                [c.balls for c in own],
                [c.evaluations for c in own],
                style,
                color=f"C{k}",
                markerfacecolor="none" if search == "auto" else None,
                label=label if search == "tree" else f"{stream}, ours",
            )
    ends = [min(c.balls for c in counts), max(c.balls for c in counts)]
    axes.plot(ends, ends, "k--", label="scan: as many as balls")
    axes.set(xscale="log", yscale="log", xlabel="balls", ylabel="distances evaluated per example")
    axes.set_title("Work to find the nearest ball")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2)
    _save(plt, figure, path)


def speed_figure(path: Path, rows: Sequence[Row]) -> None:
    """Examples per second, and how many times as fast ours is on the same examples."""
    plt = off_screen()
    rows = [row for row in rows if row.part in SHOWN and row.per_second is not None]
    rows = [row for row in rows if row.entrant != OURS or row.part == "whole"]
    streams = list(dict.fromkeys(row.stream for row in rows))
    names = [name for name in TITLES if any(row.entrant == name for row in rows)]
    size = (11, 1.5 + 0.14 * len(streams) * len(names))
    figure, panels = plt.subplots(1, 2, figsize=size, layout="constrained", sharey=True)
    for k, name in enumerate(names):
        own = [row for row in rows if row.entrant == name]
        # one line per entrant within the stream, so that no mark hides another
        height = {s: i + 0.8 * (k / max(1, len(names) - 1) - 0.5) for i, s in enumerate(streams)}
        colour = "k" if name == OURS else f"C{k - 1}"
        at = [height[row.stream] for row in own]
        panels[0].plot([row.per_second for row in own], at, "o", color=colour, label=TITLES[name])
        for row, y in zip(own, at, strict=True):
            if row.ratio is not None:
                panels[1].plot(row.ratio.median, y, "o", color=colour)
                panels[1].plot([row.ratio.low, row.ratio.high], [y, y], "-", color=colour)
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
    _save(plt, figure, path)


def soak_figure(path: Path, blocks: Sequence[Block], budget: int) -> None:
    """Time, distances, memory and size along the stream, each from zero up."""
    plt = off_screen()
    figure, panels = plt.subplots(2, 2, figsize=(9, 5.5), layout="constrained", sharex=True)
    examples = [block.examples for block in blocks]
    shown: dict[str, list[float]] = {
        "processor time per example, microseconds": [
            1e6 * block.cpu_seconds_per_example for block in blocks
        ],
        "distances per example": [block.evaluations_per_example for block in blocks],
        "resident memory, MiB": [block.resident_mib for block in blocks],
        "balls": [block.balls for block in blocks],
    }
    for axes, (title, values) in zip(panels.flat, shown.items(), strict=True):
        axes.plot(examples, values, ".-", color="C0")
        axes.set(title=title, ylim=(0, 1.25 * max(values)))
        axes.grid(alpha=0.3)
    panels[1, 1].axhline(budget, color="k", linestyle="--", label="budget")
    panels[1, 1].legend(loc="lower right")
    for axes in panels[1]:
        axes.set_xlabel("examples")
    figure.suptitle(f"AUTO-ADJ FIX over {examples[-1]:,} examples of a drifting stream")
    _save(plt, figure, path)


def _save(plt: Any, figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path, "wb") as file:
        figure.savefig(file, format="png", dpi=150)
    plt.close(figure)
