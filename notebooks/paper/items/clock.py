"""Beyond the paper: accuracy against wall-clock time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from paper.items.chosen import NO_RUNS, coverage, only, paper_streams, with_runs
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.style import NAMES, colour, marker, picture
from paper.labels import Label, along, place
from paper.normalised import COMPETITORS, FIX, LEVELS, OWN, Point, point, runs
from paper.results import Results

TITLE = "Accuracy against time"
RATES = (*LEVELS, 1.0)
HEAD = ["method", "rate_or_budget", "microseconds", "accuracy", "accuracy_spread", "size", "sets"]
CAPTION = "Microseconds per example and, behind it, relative accuracy, by rate or budget"
Points = Mapping[tuple[str, float], tuple[float, Point]]  # microseconds per example


def make(given: Given) -> Item:
    """A point per method and rate: time per example, relative accuracy."""
    methods = with_runs(given.results, (*OWN, *COMPETITORS), RATES)
    fix = with_runs(given.results, [FIX], LEVELS)
    streams = paper_streams(given.results, methods, RATES) if methods else []
    if fix:
        streams = [s for s in streams if s in paper_streams(given.results, fix, LEVELS)] or streams
    results = only(given.results, streams)
    points = {
        (m, level): (time, point(results, m, level, streams))
        for m in (*methods, *fix)
        for level in (LEVELS if m == FIX else RATES)
        if streams and (time := microseconds(results, m, level, streams))
    }
    if not points:
        missing = NO_RUNS + " It needs runs with their seconds, at four rates and at rate 1."
        return kept(Item("wallclock", TITLE, missing=missing), given)
    _draw(given, points)
    rows = [
        [NAMES[m], level, time, p.accuracy.value, p.accuracy.spread, p.share.value, len(streams)]
        for (m, level), (time, p) in points.items()
    ]
    files = [write_rows(given, "wallclock.csv", HEAD, rows)]
    shown = [
        [NAMES[m], *(_cell(points.get((m, level))) for level in RATES)] for m in (*methods, *fix)
    ]
    told = [
        "Time is that of the loop of Algorithm 5, predicting and learning, without reading and "
        "compiling; the geometric mean over the sets. Each run was timed once, on "
        "a machine whose two cores may have been shared. VFDT and RULES run in MOA, called from "
        "Python: `abacoc bench` has fairer comparisons of speed.",
        coverage(streams, means=False),
    ]
    item = Item(
        "wallclock",
        TITLE,
        told,
        [
            Picture(
                "wallclock.png", "Relative accuracy against time per example, by method and rate"
            )
        ],
        [Table(CAPTION, ["method", *(f"{level:.0%}" for level in RATES)], shown)],
        files,
        streams=streams,
    )
    return kept(item, given)


def microseconds(
    results: Results, method: str, level: float, streams: Sequence[str]
) -> float | None:
    """Geometric mean over the streams of the median time per example; None without times."""
    logs = []
    for stream in streams:
        times = sorted(r.seconds / r.n_examples for r in runs(results, stream, method, level))
        times = [time for time in times if time > 0]  # a time that is not known is NaN
        if not times:
            return None
        logs.append(math.log(1e6 * times[len(times) // 2]))
    return math.exp(sum(logs) / len(logs)) if logs else None


def _cell(found: tuple[float, Point] | None) -> str:
    return f"{found[0]:,.3g} µs, {found[1].accuracy.value:.3f}" if found else ""


def _draw(given: Given, points: Points) -> None:
    labels, avoid = [], []
    with picture(given.output / "figures" / "wallclock.png", figsize=(9.5, 6)) as (_, axes):
        axes.set_xscale("log")
        for method in dict.fromkeys(method for method, _ in points):
            mine = [(t, p) for (m, _), (t, p) in points.items() if m == method]
            xy = [(time, p.accuracy.value) for time, p in mine]
            look = {"color": colour(method), "marker": marker(method)}
            axes.plot(*zip(*xy, strict=True), lw=1.2, ms=5, **look)
            if method != FIX:  # the large marker is the whole stream
                axes.plot(*xy[-1], ms=9, ls="", **look)
            avoid += along(xy, log_x=True)
            labels.append(Label(*xy[-1], NAMES[method], colour(method)))
        axes.set_xlabel("microseconds per example (logarithmic)")
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,g}")
        axes.set_ylabel("accuracy relative to the best of each set")
        axes.set_title(
            "rates of 1, 3, 5, 10 and, large, 100 %; FIX: budgets of 1, 3, 5, 10 %", fontsize=9
        )
        axes.grid(alpha=0.25)
        place(axes, labels, avoid)
