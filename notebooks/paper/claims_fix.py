"""The claims of Section VII: AUTO-ADJ FIX, whose size is bounded, against the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from paper.claims import (
    DRIFTING,
    NO_RESULTS,
    NOT,
    PARTLY,
    REPRODUCED,
    Outcome,
    accuracy_of,
    at_the_same_size,
    better,
    by_share,
    share_of,
)
from paper.items.chosen import label, set_of
from paper.normalised import FIX, LEVELS, Point, covered, runs
from paper.results import Results, mean


def _fix_wins(results: Results, level: float, streams: Sequence[str]) -> tuple[int, int, list[str]]:
    wins, cases, lost = 0, 0, []
    for stream in streams:
        ours = accuracy_of(results, stream, FIX, level)
        for other in ("nn3", "auto-adj"):
            cases += 1
            if better(ours, accuracy_of(results, stream, other, level)) == 1:
                wins += 1
            else:
                lost.append(f"{other.upper()} on {label(stream)}")
    return wins, cases, lost


def at_the_level(level: float) -> Callable[[Results, Path], Outcome]:
    """Tables II and III: FIX with a budget against NN3 and AUTO-ADJ with a rate of as much."""

    def check(results: Results, folder: Path) -> Outcome:
        streams = covered(results, (FIX, "nn3", "auto-adj"), (level,))
        if not streams:
            return NO_RESULTS
        wins, cases, lost = _fix_wins(results, level, streams)
        told = f"better in {wins} of {cases} comparisons on {len(streams)} streams"
        told += f"; not better than {', '.join(lost)}" if lost else ""
        sizes = [
            share_of(results, s, "auto-adj", level).value / share_of(results, s, FIX, level).value
            for s in streams
        ]
        told += (
            f" (FIX learns all labels; AUTO-ADJ has {median(sizes):.0%} of its balls, in median)"
        )
        return told, by_share(wins, cases)

    return check


def fix_at_equal_size(results: Results, folder: Path) -> Outcome:
    """FIX against what NN3 and AUTO-ADJ have with as many balls, whatever rate that takes."""
    others = ("nn3", "auto-adj")
    free = covered(results, others, (1.0,))
    streams = [s for s in covered(results, (FIX, *others), LEVELS) if s in free]
    if not streams:
        return NO_RESULTS
    wins, cases = dict.fromkeys(others, 0), 0
    for stream in streams:
        curves = {m: _curve(results, stream, m, (*LEVELS, 1.0)) for m in others}
        for ours in _curve(results, stream, FIX, LEVELS):
            cases += 1
            for method, curve in curves.items():
                theirs = at_the_same_size(curve, ours.share.value)
                if theirs is None:  # it never gets as large: what it has at its largest
                    theirs = max(curve, key=lambda p: p.share.value).accuracy.value
                wins[method] += ours.accuracy.value > theirs
    told = "; ".join(f"above {m.upper()} in {n} of {cases}" for m, n in wins.items())
    return f"{told}: {len(streams)} streams, four budgets", by_share(
        sum(wins.values()), cases * len(others)
    )


def _curve(results: Results, stream: str, method: str, levels: Sequence[float]) -> list[Point]:
    """Size and accuracy of a method on one stream."""
    return [
        Point(share_of(results, stream, method, level), accuracy_of(results, stream, method, level))
        for level in levels
    ]


def fix_on_drift(results: Results, folder: Path) -> Outcome:
    """The gain of FIX over AUTO-ADJ at 1 %, with and without drift."""
    streams = covered(results, (FIX, "auto-adj"), (0.01,))
    gains = {
        s: accuracy_of(results, s, FIX, 0.01).value
        - accuracy_of(results, s, "auto-adj", 0.01).value
        for s in streams
    }
    drifting = [gains[s] for s in streams if set_of(s) in DRIFTING]
    others = [gains[s] for s in streams if set_of(s) not in DRIFTING]
    if not drifting or not others:
        return NO_RESULTS
    told = f"mean gain {mean(drifting).value:+.3f} with drift, {mean(others).value:+.3f} without ("
    told += ", ".join(f"{label(s)} {gain:+.3f}" for s, gain in gains.items()) + ")"
    if min(drifting) > max(others):
        return told, REPRODUCED
    return told, PARTLY if mean(drifting).value > mean(others).value else NOT


def bounding_can_improve(results: Results, folder: Path) -> Outcome:
    """FIX at 1 or 10 % against AUTO-ADJ with all labels and no bound, on sets with drift."""
    streams = [s for s in covered(results, (FIX,), (0.01, 0.1)) if set_of(s) in DRIFTING]
    streams = [s for s in streams if runs(results, s, "auto-adj", 1.0)]
    if not streams:
        return NO_RESULTS
    told, wins = [], 0
    for stream in streams:
        free = accuracy_of(results, stream, "auto-adj", 1.0)
        bound = max(
            (accuracy_of(results, stream, FIX, level) for level in (0.01, 0.1)),
            key=lambda m: m.value,
        )
        wins += better(bound, free) == 1
        told.append(f"{label(stream)} {bound} against {free.value:.3f}")
    return ", ".join(told), REPRODUCED if wins else NOT
