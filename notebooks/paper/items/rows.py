"""Row identity: which published rows of Tables II and III our runs resemble.

A row that names one set and looks like another is found by `paper.identity`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from abacoc.streams import get
from abacoc.streams.datasets import VARIANTS
from paper import identity, published
from paper.items.chosen import NO_RUNS, label, paper_streams, set_of
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.style import picture
from paper.normalised import FIX
from paper.results import Results

METHODS = {"nn3": "NN3", "auto-adj": "AUTO-ADJ", FIX: "AUTO-ADJ FIX"}
BEST = "#d55e00"  # the frame of the best assignment
TITLE = "Row identity: whose rows are those of Tables II and III?"
HEAD = ["published_row", "verdict", "answer", "distance", "label_distance", "runner_up"]
HEAD += ["margin", "support"]


def streams(results: Results, stand_ins: bool = False) -> dict[str, str]:
    """For each set the stream that stands for it: all columns of the tables are there."""
    levels = list(published.TABLES.values())
    found = paper_streams(results, list(METHODS), levels, stand_ins)
    return {set_of(stream): stream for stream in found}


def reproduced(results: Results) -> list[identity.Row]:
    """Our runs in the columns of the tables.

    Another scaling of a set, or another reading of its file, is a variant of its row.
    """
    found = []
    for name, stream in streams(results).items():
        readings = [stream, *(v for v in VARIANTS if get(v).variant_of == name)]
        for row in results.rows:
            printed = METHODS.get(row.method)
            plain = set(row.settings) <= {"budget"} and row.stream in readings
            for table, level in published.TABLES.items():
                if printed and plain and (row.budget or row.rate) == level:
                    variant = "" if row.stream == stream else row.stream
                    variant += "" if row.scale == "none" else f" {row.scale}"
                    size = row.model_share
                    found.append(
                        identity.Run(name, table, printed, row.accuracy, size, variant.strip())
                    )
    return identity.gather(found)


def matching(results: Results) -> identity.Matching | None:
    """The best assignment; None without runs."""
    ours = reproduced(results)
    return identity.match(identity.published_rows(), ours) if ours else None


def make(given: Given) -> Item:
    """The assignment, how sure it is, and a picture of all distances."""
    matched = matching(given.results)
    if matched is None:
        missing = NO_RUNS + (
            " It needs NN3, AUTO-ADJ and AUTO-ADJ FIX at 1 % and at 10 % on sets of Table I; what "
            "is generated in their place does not count."
        )
        return kept(Item("identity", TITLE, missing=missing), given)
    cost, names = identity.distances(identity.published_rows(), reproduced(given.results))
    _draw(given, cost, names, matched)
    files = [write_rows(given, "identity.csv", HEAD, [list(row) for row in matched.rows])]
    shown = [
        [
            *(r.named, r.verdict, _digits(r.distance), _digits(r.label_distance)),
            *(f"{r.runner_up} (+{r.margin:.2f})", f"{r.support:.0%}"),
        ]
        for r in matched.rows
    ]
    head = ["published row", "verdict", "distance", "to its own name"]
    head += ["next best answer", "variations that agree"]
    own = sum(r.verdict == "as labelled" for r in matched.rows)
    other = [r for r in matched.rows if r.verdict.startswith("looks like")]
    undecided = [r for r in matched.rows if r.verdict.startswith(identity.UNDECIDED)]
    told = [
        "Rows are compared by all accuracies and sizes of both tables, each in units of its spread "
        "over the published rows; 0 is equal, 2 is what two unrelated sets have. Each published "
        "row gets at most one of our sets, or none.",
        f"At hand: {', '.join(map(label, streams(given.results).values()))}. {own} rows are as "
        f"labelled; {len(other)} look like another set"
        + (f" ({'; '.join(f'{r.named} {r.verdict}' for r in other)})" if other else "")
        + (f"; undecided are {', '.join(r.named for r in undecided)}" if undecided else "")
        + f". Taking the labels at their word costs {matched.label_cost:.2f} against "
        f"{matched.cost:.2f} for the best assignment; "
        f"{matched.label_p_value:.0%} of all ways to name the rows are as good as the labels.",
    ]
    return kept(
        Item(
            "identity",
            TITLE,
            told,
            [Picture("identity.png", "Distances between published rows and our sets")],
            [Table("What each published row looks like", head, shown)],
            files,
            streams=list(streams(given.results).values()),
        ),
        given,
    )


def _digits(number: float) -> str:
    return "not here" if math.isnan(number) else f"{number:.2f}"


def _draw(
    given: Given, cost: published.Floats, names: list[str], matched: identity.Matching
) -> None:
    named = [row.named for row in matched.rows]
    size = (3.2 + 0.75 * len(names), 5.4)
    with picture(given.output / "figures" / "identity.png", figsize=size) as (figure, axes):
        shown = np.clip(cost, 0.02, 10)
        image = axes.imshow(np.log10(shown), cmap="cividis", vmin=-1.7, vmax=1, aspect="auto")
        for i, row in enumerate(matched.rows):
            for j, name in enumerate(names):
                ink = "black" if math.log10(shown[i, j]) > -0.2 else "white"
                text = f"{cost[i, j]:.2f}" if cost[i, j] < 9.95 else f"{cost[i, j]:.0f}"
                axes.text(j, i, text, ha="center", va="center", fontsize=8, color=ink)
                if row.named == name:
                    axes.add_patch(_frame(j, i, 0.47, edgecolor="white", linewidth=1.3))
                if row.answer == name:
                    axes.add_patch(_frame(j, i, 0.42, edgecolor=BEST, linewidth=2.6))
        axes.set_xticks(range(len(names)), names, rotation=35, ha="right")
        axes.set_yticks(range(len(named)), named)
        axes.set_xlabel("our runs")
        axes.set_ylabel("row printed in the paper")
        axes.spines[:].set_visible(False)
        bar = figure.colorbar(image, ticks=[-1, 0, 1], shrink=0.6)
        bar.ax.set_yticklabels(["0.1", "1", "10"])
        bar.set_label("distance of the two rows")
        axes.plot([], [], "s", mfc="none", mec=BEST, mew=2.4, ms=9, label="best assignment")
        axes.plot(
            [], [], "s", mfc="0.7", mec="white", mew=1.2, ms=9, label="same name (white frame)"
        )
        figure.legend(loc="outside upper center", ncols=2)


def _frame(x: float, y: float, half: float, **look: Any) -> Any:
    """A frame inside a cell."""
    from matplotlib.patches import Rectangle

    return Rectangle((x - half, y - half), 2 * half, 2 * half, fill=False, **look)
