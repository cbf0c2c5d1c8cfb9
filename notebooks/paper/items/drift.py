"""Beyond the paper: how AUTO-ADJ FIX follows a drifting stream, window by window.

The paper says that the gain of FIX 'is very evident on the datasets with drift'. Its tables compare
with methods that see few labels; here FIX is also beside AUTO-ADJ without any bound.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from paper import published
from paper.items.chosen import NO_RUNS, label, set_of
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.style import colour, picture
from paper.normalised import FIX

TITLE = "How AUTO-ADJ FIX follows drift"
PANELS = 6  # streams in the picture
EVEN = 0.005  # of accuracy: no difference
SMOOTH = 5  # windows in the moving mean of the picture
# name, colour, line, and the rate or the budget
LINES: dict[tuple[str, float], tuple[str, str, str]] = {
    (FIX, 0.01): ("AUTO-ADJ FIX, 1 %", colour(FIX), "-"),
    ("auto-adj", 1.0): ("AUTO-ADJ, all labels, no bound", colour("auto-adj"), "-"),
    ("auto-adj", 0.01): ("AUTO-ADJ, 1 % of the labels", colour("auto-adj"), "--"),
    ("nn3", 0.01): ("NN3, 1 % of the labels", colour("nn3"), "--"),
}
Curve = tuple[list[float], list[float]]  # accuracies, model sizes
Curves = Mapping[tuple[str, str, float], Curve]  # by stream, method and level


def make(given: Given) -> Item:
    """Accuracy and model size over time on the sets with drift."""
    curves = collect(given.curves)
    streams = _streams(curves)
    if not streams:
        missing = NO_RUNS + " It needs curves of AUTO-ADJ FIX with 1 % and of AUTO-ADJ."
        return kept(Item("drift", TITLE, missing=missing), given)
    _draw(given, curves, streams[:PANELS])
    head = ["stream", "method", "level", "window", "accuracy", "model_size"]
    rows = [
        [stream, *line, window, accuracy, size]
        for stream in streams
        for line in LINES
        if (stream, *line) in curves
        for window, (accuracy, size) in enumerate(zip(*curves[stream, *line], strict=True))
    ]
    files = [write_rows(given, "drift.csv", head, rows)]
    told = [
        f"Each stream is cut into {len(next(iter(curves.values()))[0])} windows; the picture shows "
        f"the accuracy in each, as a moving mean over {SMOOTH}, and the model size at its end. "
        "Curves are means over seeds.",
        _verdict(curves, streams),
    ]
    head = ["stream", "part", *(name for name, _, _ in LINES.values())]
    shown = [
        [label(stream), part, *(_mean(curves.get((stream, *line)), k) for line in LINES)]
        for stream in streams
        for k, part in enumerate(("first fifth", "last fifth", "all"))
    ]
    item = Item(
        "drift",
        TITLE,
        told,
        [Picture("drift.png", "Accuracy and model size over time on streams with drift")],
        [Table("Accuracy", head, shown)],
        files,
        streams=streams,
    )
    return kept(item, given)


def collect(rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, str, float], Curve]:
    """Means over seeds, of what the picture shows; runs with other settings are left out."""
    cells: dict[tuple[str, str, float], dict[int, list[tuple[float, float]]]] = {}
    for row in rows:
        settings = json.loads(row["settings"] or "{}")
        level = settings.pop("budget", float(row["rate"]))
        if settings or row["scale"] != "none" or (row["method"], level) not in LINES:
            continue
        windows = cells.setdefault((row["stream"], row["method"], level), {})
        pair = float(row["accuracy"]), float(row["model_size"])
        windows.setdefault(int(row["end"]), []).append(pair)
    return {
        key: (
            [sum(a for a, _ in windows[w]) / len(windows[w]) for w in sorted(windows)],
            [sum(s for _, s in windows[w]) / len(windows[w]) for w in sorted(windows)],
        )
        for key, windows in cells.items()
    }


def _streams(curves: Curves) -> list[str]:
    """Electricity and sea first, of which the paper speaks or which it calls drifting."""
    drifting = [name for name, row in published.table1().items() if row.drift]
    drifting.sort(key=lambda name: ("electricity", "sea", name).index(name))
    here = list(dict.fromkeys(stream for stream, _, _ in curves))
    found = [s for name in drifting for s in here if set_of(s) == name]
    return [s for s in found if (s, FIX, 0.01) in curves and (s, "auto-adj", 1.0) in curves]


def _mean(curve: Curve | None, part: int) -> str:
    if curve is None:
        return ""
    accuracies = curve[0]
    fifth = max(1, len(accuracies) // 5)
    chosen = (accuracies[:fifth], accuracies[-fifth:], accuracies)[part]
    return f"{sum(chosen) / len(chosen):.3f}"


def _verdict(curves: Curves, streams: Sequence[str]) -> str:
    gains = {
        stream: float(_mean(curves[stream, FIX, 0.01], 2))
        - float(_mean(curves[stream, "auto-adj", 1.0], 2))
        for stream in streams
    }
    told = {s: f"{label(s)} by {100 * abs(g):.1f} points" for s, g in gains.items()}
    helps = [told[s] for s, g in gains.items() if g > EVEN]
    costs = [told[s] for s, g in gains.items() if g < -EVEN]
    even = [told[s] for s, g in gains.items() if abs(g) <= EVEN]
    return (
        "Against AUTO-ADJ without a bound, over the whole stream, forgetting helps on "
        f"{', '.join(helps) or 'none'}, costs accuracy on {', '.join(costs) or 'none'}, and makes "
        f"no difference (half a point at most) on {', '.join(even) or 'none'}."
    )


def smoothed(values: Sequence[float], width: int = SMOOTH) -> list[float]:
    """Moving mean over windows around each; fewer at the ends.

    >>> smoothed([0.0, 3.0, 6.0], 3)
    [1.5, 3.0, 4.5]
    """
    half, array = width // 2, np.asarray(values, dtype=float)
    return [float(array[max(0, i - half) : i + half + 1].mean()) for i in range(len(array))]


def _draw(given: Given, curves: Curves, streams: Sequence[str]) -> None:
    columns = min(2 if len(streams) <= 4 else 3, len(streams))
    blocks = math.ceil(len(streams) / columns)
    options: dict[str, Any] = {"figsize": (11 / 3 * columns + 0.4, 3.8 * blocks + 0.5)}
    options |= {"squeeze": False, "height_ratios": [2, 1] * blocks}
    path = given.output / "figures" / "drift.png"
    with picture(path, 2 * blocks, columns, **options) as (figure, panels):
        for k in range(len(streams), blocks * columns):  # an odd one out
            panels[-2, k % columns].remove()
            panels[-1, k % columns].remove()
        for k, stream in enumerate(streams):
            block, column = divmod(k, columns)
            top, bottom = panels[2 * block, column], panels[2 * block + 1, column]
            for line, (name, ink, dash) in LINES.items():
                if (stream, *line) in curves:
                    accuracies, sizes = curves[stream, *line]
                    x = 100 * (np.arange(len(sizes)) + 1) / len(sizes)
                    top.plot(x, smoothed(accuracies), dash, color=ink, lw=1.5, label=name)
                    bottom.plot(x, np.maximum(sizes, 1), dash, color=ink, lw=1.5)
            top.set_title(label(stream), fontweight="bold")
            top.set_ylabel("accuracy")
            top.tick_params(labelbottom=False)
            bottom.set_yscale("log")
            bottom.yaxis.set_major_formatter(lambda y, _: f"{y:,g}")
            bottom.set_ylabel("model size")
            bottom.set_xlabel("per cent of the stream")
            for axes in (top, bottom):
                axes.set_xlim(0, 100)
                axes.grid(alpha=0.25)
        handles = panels[0, 0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper center", ncols=2)
