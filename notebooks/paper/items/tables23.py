"""Tables II and III: NN3, AUTO-ADJ and AUTO-ADJ FIX on each set, published beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from paper import identity, published
from paper.items.chosen import NO_RUNS, coverage, label
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.rows import METHODS, matching, streams
from paper.items.style import colour, picture, share
from paper.normalised import runs
from paper.results import Mean, mean

HEAD = ["set", "method", "published_accuracy", "published_size", "accuracy", "accuracy_spread"]
HEAD += ["size", "size_spread", "seeds", "row_like_ours", "its_accuracy", "its_size"]


class Ours(NamedTuple):
    """Our cell."""

    accuracy: Mean
    size: Mean


Cells = Mapping[tuple[str, str], published.Cell]  # by set and method
Mine = Mapping[tuple[str, str], Ours]


def make(given: Given, table: str = "II") -> Item:
    """The table, and a picture of its accuracies."""
    level = published.TABLES[table]
    number = {"II": 2, "III": 3}[table]
    title = f"Table {table}: three methods with {level:.0%} of the stream"
    cells = {(c.data, c.method): c for c in published.tables() if c.table == table}
    chosen = streams(given.results, stand_ins=True)
    mine = {
        (name, printed): Ours(
            mean(row.accuracy for row in found), mean(row.model_share for row in found)
        )
        for name, stream in chosen.items()
        for method, printed in METHODS.items()
        if (found := runs(given.results, stream, method, level))
    }
    matched = matching(given.results)
    like = _like(matched)
    _draw(given, f"table{number}", cells, mine, like, chosen)
    rows, shown = [], []
    for name in dict.fromkeys(cell.data for cell in cells.values()):
        line = [label(chosen.get(name, name))]
        for printed in METHODS.values():
            cell, ours = cells[name, printed], mine.get((name, printed))
            line.append(f"{cell.accuracy:.3f} ({share(cell.size)})")
            line[-1] += f" → {ours.accuracy} ({share(ours.size.value)})" if ours else ""
            rows.append(_row(cell, ours, like.get(name, ""), cells))
        shown.append([*line, _verdict(matched, name), _shown(matched, name, chosen, cells)])
    files = [write_rows(given, f"table{number}.csv", HEAD, rows)]
    head = ["set", *METHODS.values(), "its row looks like", "row like our runs"]
    told = [
        "Accuracy (model size), the paper's → ours. NN3 and AUTO-ADJ learn "
        f"{level:.0%} of the labels; AUTO-ADJ FIX learns all, with at most {level:.0%} of the "
        "stream as balls. Ours are means over seeds with their standard deviation.",
    ]
    if chosen:
        other = [name for name, row in like.items() if name != row]
        told.append(
            "The last columns are those of the row identity. "
            + (
                f"Our runs on {', '.join(other)} look more like the paper's row of another name; "
                "there, compare with that row."
                if other
                else "No set of ours looks more like the paper's row of another name."
            )
        )
        told.append(coverage(list(chosen.values()), means=False))
    item = Item(
        f"table{number}",
        title,
        told,
        [Picture(f"table{number}.png", f"{title}: accuracies, published and ours")],
        [Table("Paper and ours", head, shown)],
        files,
        "" if chosen else NO_RUNS + " Below are the paper's numbers only.",
        streams=list(chosen.values()),
    )
    return kept(item, given)


def _like(matched: identity.Matching | None) -> dict[str, str]:
    """For each of our sets the name of the published row that is assigned to it."""
    rows = matched.rows if matched else []
    return {row.answer: row.named for row in rows if row.answer != identity.NOTHING}


def _shown(
    matched: identity.Matching | None, name: str, chosen: Mapping[str, str], cells: Cells
) -> str:
    """The row that is assigned to a set of ours, its accuracies, and whether that is sure."""
    rows = [row for row in matched.rows if row.answer == name] if matched else []
    if not rows or name not in chosen:
        return ""
    unsure = rows[0].verdict.startswith(identity.UNDECIDED)
    printed = ", ".join(f"{cells[rows[0].named, m].accuracy:.3f}" for m in METHODS.values())
    return f"{rows[0].named}{' (undecided)' if unsure else ''}: {printed}"


def _verdict(matched: identity.Matching | None, name: str) -> str:
    answers = {row.named: row.verdict for row in matched.rows} if matched else {}
    told = answers.get(name, "")
    return told.removeprefix("looks like ").replace("matches nothing at hand", "nothing at hand")


def _row(cell: published.Cell, ours: Ours | None, like: str, cells: Cells) -> list[Any]:
    told: list[Any] = [cell.data, cell.method, cell.accuracy, cell.size]
    if ours is None:
        return told
    accuracy, size = ours
    told += [accuracy.value, accuracy.spread, size.value, size.spread, accuracy.n]
    other = cells.get((like, cell.method))
    return told + ([like, other.accuracy, other.size] if other else [])


def _draw(
    given: Given,
    name: str,
    cells: Cells,
    mine: Mine,
    like: Mapping[str, str],
    chosen: Mapping[str, str],
) -> None:
    sets = list(dict.fromkeys(cell.data for cell in cells.values()))
    sets.sort(key=lambda data: (data, "NN3") in mine)  # the axis goes upwards: ours on top
    path = given.output / "figures" / f"{name}.png"
    with picture(path, 1, 3, figsize=(11, 5.6), sharex=True, sharey=True) as (figure, panels):
        for axes, (method, printed) in zip(panels, METHODS.items(), strict=True):
            own = colour(method)
            for y, data in enumerate(sets):
                axes.axhline(y, color="0.9", lw=0.8, zorder=0)
                paper = cells[data, printed].accuracy
                axes.plot(paper, y, "o", mfc="white", mec=own, ms=8, mew=1.4)
                ours = mine.get((data, printed))
                if ours:
                    bar = ours.accuracy.spread
                    axes.errorbar(ours.accuracy.value, y, xerr=bar, fmt="o", color=own, ms=6)
                other = cells.get((like.get(data, ""), printed))
                if other and other.data != data:
                    axes.plot(other.accuracy, y, "D", mfc="white", mec=own, ms=6.5, mew=1.4)
            axes.set_title(printed, color=own, fontweight="bold")
            axes.set_xlabel("accuracy")
            axes.grid(axis="x", alpha=0.25)
        ticks = []
        for data in sets:  # with the name of the other row, where there is one
            row = like.get(data, data)
            ticks.append(label(chosen.get(data, data)) + (f"\n◇ {row}" if row != data else ""))
        panels[0].set_yticks(range(len(sets)), ticks)
        handles = [
            *panels[0].plot([], [], "o", mfc="white", mec="0.3", ms=8, label="row of that name"),
            *panels[0].plot(
                [], [], "D", mfc="white", mec="0.3", ms=6.5, label="row that fits our runs better"
            ),
            *panels[0].plot([], [], "o", color="0.3", ms=6, label="ours"),
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
