"""Which streams stand for the paper's sets, and how to say so."""

from __future__ import annotations

from collections.abc import Sequence

from abacoc.streams.generators import is_generated
from paper import published
from paper.grids import set_of
from paper.normalised import covered
from paper.results import Results

__all__ = ["NO_RUNS", "coverage", "label", "only", "paper_streams", "set_of", "with_runs"]
NO_RUNS = "There are no runs for it in the table of results."


def label(stream: str) -> str:
    """A stream for people.

    >>> label("covtype,head=20000"), label("generated:hyperplane,n=1000,seed=1")
    ('covtype (first 20,000)', 'hyperPlane (generated)')
    """
    if is_generated(stream):
        return f"{set_of(stream)} (generated)"
    name, _, head = stream.partition(",head=")
    return f"{name} (first {int(head):,})" if head else name


def paper_streams(
    results: Results, methods: Sequence[str], levels: Sequence[float], stand_ins: bool = True
) -> list[str]:
    """The streams of Table I on which all these methods ran at all these levels.

    Of a set and its heads the longest that qualifies is taken, and a generated stand-in only if
    nothing else does. In the order of Table I.
    """
    lengths = {row.stream: row.n_examples for row in results.rows}
    # relative accuracies need a run with all labels
    complete = {row.stream for row in results.select(rate=1.0, budget=None)}
    found: dict[str, list[str]] = {}
    for stream in covered(results, methods, levels):
        if stream in complete and (stand_ins or not is_generated(stream)):
            found.setdefault(set_of(stream), []).append(stream)
    return [
        max(found[name], key=lambda stream: (not is_generated(stream), lengths[stream]))
        for name in published.table1()
        if name in found
    ]


def with_runs(results: Results, methods: Sequence[str], levels: Sequence[float]) -> list[str]:
    """The methods that ran at all these levels on at least one set of Table I."""
    return [method for method in methods if paper_streams(results, [method], levels)]


def coverage(streams: Sequence[str], means: bool = True) -> str:
    """Which sets a mean is over, or a table has, and which are not in it.

    >>> coverage(["sea"])[:62]
    'Ours is over 1 of the 11 sets: sea. Not in it: sensor, kddcup9'
    """
    known = published.table1()
    lacking = [name for name in known if name not in map(set_of, streams)]
    told = f"Ours {'is over' if means else 'has'} {len(streams)} of the {len(known)} sets: "
    told += ", ".join(map(label, streams)) + "."
    if lacking:
        told += f" Not in it: {', '.join(lacking)}."
        told += " The published means are over all eleven." if means else ""
    return told


def only(results: Results, streams: Sequence[str]) -> Results:
    """The runs on these streams: selecting among fewer is faster."""
    return Results([row for row in results.rows if row.stream in set(streams)])
