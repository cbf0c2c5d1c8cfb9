"""Figures 3 and 4: accuracy against model size, means over the sets, published and ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from paper import published
from paper.items.chosen import NO_RUNS, coverage, only, paper_streams, with_runs
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.style import NAMES, colour, marker, picture, share
from paper.labels import Label, along, place
from paper.normalised import (
    COMPETITORS,
    FIX,
    LEVELS,
    OWN,
    Point,
    best_unrestricted,
    point,
)
from paper.results import Results, mean

Points = Mapping[tuple[str, float], Point]
FIGURES: dict[
    str, tuple[tuple[str, ...], Callable[[], Mapping[tuple[str, float], published.Point]]]
]
FIGURES = {
    "3": ((*OWN, *COMPETITORS), published.figure3),
    "4": (("nn3", "auto-adj", FIX), published.figure4),
}
HEAD = ["method", "rate", "published_size", "published_accuracy", "size", "size_spread"]
FLOOR = 3e-6  # a rule learner without a rule has size 0, which a logarithmic axis has no place for
HEAD += ["accuracy", "accuracy_spread", "seeds", "sets"]


def make(given: Given, number: str = "3") -> Item:
    """The picture with both, and the numbers behind it."""
    methods, published_points = FIGURES[number]
    plotted = published_points()
    id, title = f"fig{number}", f"Figure {number}: accuracy against model size"
    here = with_runs(given.results, methods, LEVELS)
    streams = paper_streams(given.results, here, LEVELS) if here else []
    results = only(given.results, streams)
    ours = {(m, r): point(results, m, r, streams) for m in here for r in LEVELS} if streams else {}
    name = f"figure{number}"
    _draw(given, name, methods, plotted, ours)
    rows: list[list[str | float]] = []
    for method in methods:
        for rate in LEVELS:
            paper, mine = plotted[NAMES[method], rate], ours.get((method, rate))
            rows.append([NAMES[method], rate, paper.size, paper.accuracy])
            if mine:
                size, accuracy = mine
                rows[-1] += [size.value, size.spread, accuracy.value, accuracy.spread]
                rows[-1] += [accuracy.n, len(streams)]
    files = [write_rows(given, f"{name}.csv", HEAD, rows)]
    told = [
        "Accuracies are relative to the best method of each set at rate 1 without a bound on the "
        "model; sizes are relative to the stream; both are means over the sets. Hollow: the "
        "paper's points. Filled: ours, with the spread over seeds. From left to right "
        + ("rates of 1, 3, 5 and 10 %" if number == "3" else "rates, for FIX budgets, of 1, 3, 5")
        + ("." if number == "3" else " and 10 %.")
    ]
    if streams:
        told.append(coverage(streams))
        told += _without(methods, here)
        told.append(_dominance(ours, number))
        if "vfdt" in here:
            told += _majority_leaves(results, streams)
    tables = [
        _table("Relative accuracy", methods, lambda m, r: f"{plotted[m, r].accuracy:.3f}", ours, 1),
        _table("Model size", methods, lambda m, r: share(plotted[m, r].size), ours, 0),
    ]
    item = Item(
        id,
        title,
        told,
        [Picture(f"{name}.png", f"{title}, published and reproduced")],
        tables,
        files,
        "" if streams else NO_RUNS + " The picture has the paper's points only.",
        streams=streams,
    )
    return kept(item, given)


def _table(
    what: str,
    methods: Sequence[str],
    paper: Callable[[str, float], str],
    ours: Points,
    part: Literal[0, 1],
) -> Table:
    """A line per method, a column per rate."""
    rows = []
    for method in methods:
        rows.append([NAMES[method]])
        for rate in LEVELS:
            mine = ours.get((method, rate))
            found = (share(mine.share.value), str(mine.accuracy))[part] if mine else "no runs"
            rows[-1].append(f"{paper(NAMES[method], rate)} → {found}")
    return Table(f"{what}: paper → ours", ["method", *(f"{r:.0%}" for r in LEVELS)], rows)


def _majority_leaves(results: Results, streams: Sequence[str]) -> list[str]:
    """VFDT as it may have been in the paper: each leaf predicts its majority class."""
    best, told = best_unrestricted(results, streams), []
    for level in (LEVELS[0], LEVELS[-1]):
        found = results.select(method="vfdt", rate=level, settings={"leaf_prediction": "MC"})
        by_seed: dict[int, list[float]] = {}
        for row in found:
            by_seed.setdefault(row.seed, []).append(row.accuracy / best[row.stream])
        whole = [sum(values) / len(values) for values in by_seed.values()]
        if whole and all(len(values) == len(streams) for values in by_seed.values()):
            told.append(f"{mean(whole)} at {level:.0%}")
    if len(told) < 2:
        return []
    return [
        f"MOA's VFDT predicts by naive Bayes where that has been better so far. With leaves that "
        f"predict their majority class it has {' and '.join(told)}; the paper does not say which "
        "it ran."
    ]


def _without(methods: Sequence[str], here: Sequence[str]) -> list[str]:
    lacking = [NAMES[method] for method in methods if method not in here]
    return [f"No runs of {', '.join(lacking)}."] if lacking else []


def _dominance(ours: Points, number: str) -> str:
    """Whether a method of ours has a point above AUTO-ADJ's at no larger a model."""
    hero = FIX if number == "4" else "auto-adj"
    mine = {rate: p for (m, rate), p in ours.items() if m == hero}
    above = {
        NAMES[m]
        for (m, _), p in ours.items()
        for own in mine.values()
        if m != hero and p.share.value <= own.share.value and p.accuracy.value > own.accuracy.value
    }
    if not mine:
        return ""
    names = ", ".join(sorted(above)) or "no other method"
    told = "each have" if len(above) > 1 else "has"
    return (
        f"In our runs {names} {told} a point that is smaller and more accurate than one of "
        f"{NAMES[hero]}'s."
    )


def _draw(
    given: Given,
    name: str,
    methods: Sequence[str],
    plotted: Mapping[tuple[str, float], published.Point],
    ours: Points,
) -> None:
    labels, avoid = [], []
    with picture(given.output / "figures" / f"{name}.png", figsize=(10, 6.5)) as (_, axes):
        axes.set_xscale("log")
        for method in methods:
            look = {"color": colour(method), "marker": marker(method), "markersize": 6.5}
            theirs = [plotted[NAMES[method], rate] for rate in LEVELS]
            xy = [(p.size, p.accuracy) for p in theirs]
            axes.plot(*zip(*xy, strict=True), mfc="white", lw=0.8, ls=(0, (4, 3)), **look)
            avoid += along(xy, log_x=True)
            labels.append(Label(*xy[0], NAMES[method], colour(method), "normal"))
            mine = [ours[method, rate] for rate in LEVELS if (method, rate) in ours]
            if mine:
                xy = [(max(p.share.value, FLOOR), p.accuracy.value) for p in mine]
                bars = [p.accuracy.spread for p in mine]
                axes.errorbar(*zip(*xy, strict=True), bars, lw=1.6, elinewidth=0.8, **look)
                avoid += along(xy, log_x=True)
                for (x, y), bar in zip(xy, bars, strict=True):
                    avoid += along([(x, y - bar), (x, y + bar)])
                labels.append(Label(*xy[-1], NAMES[method], colour(method)))
        axes.set_xlabel("model size, in per cent of the stream (logarithmic)")
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:g} %")
        if len(methods) < 5:  # two decades rather than four: the decades alone are too few
            axes.set_xticks([0.002, 0.005, 0.01, 0.02, 0.05, 0.1])
        axes.set_ylabel("accuracy relative to the best of each set")
        axes.grid(alpha=0.25, which="major")
        axes.plot([], [], "o--", color="0.3", mfc="white", lw=0.8, label="published")
        axes.plot([], [], "o-", color="0.3", lw=1.6, label="ours")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
        place(axes, sorted(labels, key=lambda label: label.weight), avoid)
