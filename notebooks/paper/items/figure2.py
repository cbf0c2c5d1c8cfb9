"""Figure 2: model size and relative accuracy of the four methods with all labels (rate 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paper import published
from paper.items.chosen import NO_RUNS, coverage, label, only, paper_streams
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.style import NAMES, colour, picture
from paper.normalised import OWN, point
from paper.results import Results

TITLE = "Figure 2: the four methods with all labels"
PANELS = (("a", "model size, share of the stream"), ("b", "accuracy relative to the best"))
Values = dict[str, dict[str, float]]  # method, stream


def make(given: Given) -> Item:
    """Bars of both, a dot per set on ours, and the numbers behind them."""
    bars = published.figure2()
    streams = paper_streams(given.results, OWN, [1.0])
    results = only(given.results, streams)
    values = {"a": _sizes(results, streams), "b": _accuracies(results, streams)}
    means: Values = {
        panel: {m: sum(v.values()) / len(v) for m, v in by_method.items() if v}
        for panel, by_method in values.items()
    }
    _draw(given, bars, means, values)
    head = ["panel", "method", "published", "mean", *streams]
    rows = [
        [panel, NAMES[m], bars[panel][NAMES[m]], means[panel].get(m), *values[panel][m].values()]
        for panel, _ in PANELS
        for m in OWN
    ]
    files = [write_rows(given, "figure2.csv", head, rows)]
    shown = [
        [NAMES[m], *(_number(means[panel].get(m), bars[panel][NAMES[m]]) for panel, _ in PANELS)]
        for m in OWN
    ]
    told = [
        "The whole stream is learned. Sizes are shares of the stream; accuracies are relative to "
        "the best method of each set, ours included and all others that were run without a bound."
    ]
    if streams:
        told += [coverage(streams), _verdict(means)]
    tables = [Table("Paper → ours", ["method", "model size", "relative accuracy"], shown)]
    if streams:
        tables.append(_by_set(values["b"], streams))
    item = Item(
        "fig2",
        TITLE,
        told,
        [Picture("figure2.png", "Bars of model size and relative accuracy, published and ours")],
        tables,
        files,
        "" if streams else NO_RUNS + " The picture has the paper's bars only.",
        streams=streams,
    )
    return kept(item, given)


def _sizes(results: Results, streams: list[str]) -> Values:
    return {m: {s: point(results, m, 1.0, [s]).share.value for s in streams} for m in OWN}


def _accuracies(results: Results, streams: list[str]) -> Values:
    return {m: {s: point(results, m, 1.0, [s]).accuracy.value for s in streams} for m in OWN}


def _number(ours: float | None, paper: float) -> str:
    return f"{paper:.3f} → " + ("no runs" if ours is None else f"{ours:.3f}")


def _by_set(values: Values, streams: list[str]) -> Table:
    rows = [[label(s), *(f"{values[m][s]:.3f}" for m in OWN)] for s in streams]
    return Table("Ours, relative accuracy by set", ["set", *(NAMES[m] for m in OWN)], rows)


def _verdict(means: Values) -> str:
    smallest = min(means["a"], key=means["a"].__getitem__)
    best = max(means["b"], key=means["b"].__getitem__)
    if smallest == best:
        told = f"{NAMES[best]} has the smallest model and the best accuracy"
    else:
        told = f"{NAMES[smallest]} has the smallest model and {NAMES[best]} the best accuracy"
    paper = "as" if smallest == best == "auto-adj" else "both are AUTO-ADJ's"
    return f"In our runs {told}; {paper} in the paper."


def _draw(
    given: Given,
    bars: Mapping[str, Mapping[str, float]],
    means: Values,
    values: Mapping[str, Values],
) -> None:
    path = given.output / "figures" / "figure2.png"
    dots: dict[str, Any] = {"marker": "o", "ls": "", "color": "k", "mfc": "w", "ms": 4, "mew": 0.8}
    with picture(path, 1, 2, figsize=(10, 4.2), sharey=True) as (figure, panels):
        for axes, (panel, name) in zip(panels, PANELS, strict=True):
            for y, method in enumerate(reversed(OWN)):
                paper, look = bars[panel][NAMES[method]], {"height": 0.36, "ec": colour(method)}
                axes.barh(y + 0.2, paper, color="white", hatch="///", **look)
                _value(axes, paper, y + 0.2, "normal")
                if method in means[panel]:
                    axes.barh(y - 0.2, means[panel][method], color=colour(method), **look)
                    sets = list(values[panel][method].values())
                    axes.plot(sets, [y - 0.2] * len(sets), **dots)
                    _value(axes, means[panel][method], y - 0.2, "bold")
            axes.set_xlabel(name)
            axes.set_yticks(range(4), [NAMES[m] for m in reversed(OWN)])
            axes.set_title(f"({panel})")
        figure.legend(
            handles=[
                panels[0].barh([0], [0], color="white", hatch="///", ec="0.3", label="published"),
                panels[0].barh([0], [0], color="0.3", label="ours, mean"),
                *panels[0].plot([], [], label="ours, one set", **dots),
            ],
            loc="outside upper center",
            ncols=3,
        )


def _value(axes: Any, value: float, y: float, weight: str) -> None:
    """The number of a bar, in a column of its own: beside the bar it would be among the dots."""
    axes.annotate(
        f"{value:.3f}",
        (1.02, y),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=8.5,
        fontweight=weight,
    )
