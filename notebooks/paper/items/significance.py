"""Friedman's test and Holm's procedure: is AUTO-ADJ better than the others?

A passage of the paper that is commented out in its source compares the methods so, at equal model
sizes: each at the rate whose model size is closest. Both are shown, equal sizes and equal rates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paper.items.chosen import NO_RUNS, coverage, only, paper_streams, with_runs
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.style import NAMES, picture
from paper.normalised import COMPETITORS, LEVELS, OWN, runs
from paper.ranks import Comparison, Friedman, closest, friedman, holm
from paper.results import Results, mean

CONTROL = "auto-adj"
TARGETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)  # model sizes as shares of the stream
TITLE = "Friedman's test with Holm's procedure"
HEAD = ["compared_at", "value", "method", "rate", "average_rank", "holm_p", "friedman_p", "sets"]


class Compared(NamedTuple):
    """The methods at one size or one rate."""

    at: str
    value: float
    rates: dict[str, float]
    told: Friedman
    holm: dict[str, Comparison]


def make(given: Given) -> Item:
    """Average ranks and adjusted p-values, as tables and as a picture."""
    methods = with_runs(given.results, (*OWN, *COMPETITORS), LEVELS)
    streams = paper_streams(given.results, methods, LEVELS) if methods else []
    if len(streams) < 2 or len(methods) < 3 or CONTROL not in methods:
        missing = NO_RUNS + " It needs AUTO-ADJ and two other methods, at four rates, on two sets."
        return kept(Item("ranks", TITLE, missing=missing), given)
    compared = compare(only(given.results, streams), methods, streams)
    _draw(given, methods, compared)
    rows = [
        [
            *(c.at, c.value, NAMES[m], c.rates[m], c.told.average_ranks[m]),
            *(c.holm[m].adjusted if m in c.holm else None, c.told.f_p_value, len(streams)),
        ]
        for c in compared
        for m in methods
    ]
    files = [write_rows(given, "ranks.csv", HEAD, rows)]
    shown = [[f"{c.at} {100 * c.value:g} %", *_line(c)] for c in compared]
    told = [
        "Rank 1 is the best. The p-value is that of Iman and Davenport's F; a method differs from "
        "AUTO-ADJ if Holm's adjusted p-value is at most 0.05. With so few sets only large "
        "differences can show.",
        coverage(streams, means=False),
        verdict(compared),
    ]
    head = ["compared at equal", "best rank", "rank of AUTO-ADJ", "do they differ?"]
    head += ["worse than AUTO-ADJ", "better than AUTO-ADJ"]
    item = Item(
        "ranks",
        TITLE,
        told,
        [Picture("ranks.png", "Average ranks of the methods at equal sizes and equal rates")],
        [Table("All comparisons", head, shown)],
        files,
        streams=streams,
    )
    return kept(item, given)


def compare(results: Results, methods: list[str], streams: list[str]) -> list[Compared]:
    """At equal sizes, then at equal rates."""
    accuracies, sizes = {}, {}
    for method in methods:
        for rate in LEVELS:
            found = [runs(results, stream, method, rate) for stream in streams]
            accuracies[method, rate] = [mean(r.accuracy for r in rows).value for rows in found]
            shares = [mean(r.model_share for r in rows).value for rows in found]
            sizes[method, rate] = sum(shares) / len(shares)
    chosen = []
    for target in TARGETS:
        by_method = {m: {str(rate): sizes[m, rate] for rate in LEVELS} for m in methods}
        rates = {m: float(rate) for m, rate in closest(by_method, target).items()}
        chosen.append(("model size", target, rates))
    chosen += [("rate", rate, dict.fromkeys(methods, rate)) for rate in LEVELS]
    compared = []
    for at, value, rates in chosen:
        try:
            told = friedman({m: accuracies[m, rates[m]] for m in methods})
        except ValueError:  # all tied on all sets: there is nothing to compare
            continue
        adjusted = {c.method: c for c in holm(told, CONTROL)}
        compared.append(Compared(at, value, rates, told, adjusted))
    return compared


def _line(c: Compared) -> list[str]:
    ranks = c.told.average_ranks
    best = min(ranks, key=ranks.__getitem__)
    worse = [NAMES[m] for m, one in c.holm.items() if one.rejected() and one.difference > 0]
    better = [NAMES[m] for m, one in c.holm.items() if one.rejected() and one.difference < 0]
    return [
        f"{NAMES[best]} {ranks[best]:.2f}",
        f"{ranks[CONTROL]:.2f}",
        f"{'yes' if c.told.f_p_value <= 0.05 else 'not shown'} (p = {c.told.f_p_value:.2g})",
        ", ".join(worse) or "none",
        ", ".join(better) or "none",
    ]


def at_small_sizes(compared: list[Compared]) -> tuple[int, int, int]:
    """Of the model sizes compared: how many, where AUTO-ADJ ranks first, where it beats all."""
    sizes = [c for c in compared if c.at == "model size"]
    first = sum(min(c.told.average_ranks.values()) == c.told.average_ranks[CONTROL] for c in sizes)
    all_others = sum(
        all(one.rejected() and one.difference > 0 for one in c.holm.values()) for c in sizes
    )
    return len(sizes), first, all_others


def verdict(compared: list[Compared]) -> str:
    """In a sentence, beside what the passage says."""
    sizes, first, all_others = at_small_sizes(compared)
    return (
        f"AUTO-ADJ has the best average rank at {first} of {sizes} model sizes, and is "
        f"significantly better than all others at {all_others}. The passage says: the best from "
        "1 % to 25 %, and p below 0.13 from 1 % to 7 %, which at the usual levels is not "
        "significant."
    )


def _draw(given: Given, methods: list[str], compared: list[Compared]) -> None:
    ranks = np.array([[c.told.average_ranks[m] for c in compared] for m in methods])
    path = given.output / "figures" / "ranks.png"
    with picture(path, figsize=(9.5, 0.8 + 0.42 * len(methods))) as (figure, axes):
        image = axes.imshow(ranks, cmap="cividis_r", vmin=1, vmax=len(methods), aspect="auto")
        middle = (1 + len(methods)) / 2
        for i, method in enumerate(methods):
            for j, c in enumerate(compared):
                differs = method in c.holm and c.holm[method].rejected()
                ink = "white" if ranks[i, j] > middle else "black"
                text = f"{ranks[i, j]:.1f}" + ("*" if differs else "")
                axes.text(j, i, text, ha="center", va="center", color=ink, fontsize=8.5)
        axes.set_yticks(range(len(methods)), [NAMES[m] for m in methods])
        axes.get_yticklabels()[methods.index(CONTROL)].set_fontweight("bold")
        axes.set_xticks(range(len(compared)), [f"{100 * c.value:g} %" for c in compared])
        split = sum(c.at == "model size" for c in compared)
        axes.axvline(split - 0.5, color="white", lw=4)
        where = axes.get_xaxis_transform()
        for text, first, last in (
            ("model size", 0, split - 1),
            ("rate", split, len(compared) - 1),
        ):
            at = (first + last) / 2, -0.1
            axes.text(*at, f"at equal {text}", transform=where, ha="center", va="top")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        figure.colorbar(image, label="average rank, 1 is the best")
        axes.set_title("*: differs from AUTO-ADJ (Holm, 0.05)", fontsize=9)
