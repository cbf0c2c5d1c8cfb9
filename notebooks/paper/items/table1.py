"""Table I: the data sets as the paper prints them and as they were found."""

from __future__ import annotations

from abacoc.streams import get
from paper import published
from paper.items.chosen import label, set_of
from paper.items.item import Given, Item, Table, kept, write_rows

TITLE = "Table I: the data sets"
HEAD = ["set", "classes", "dimension", "examples", "drift", "source", "found_classes"]
HEAD += ["found_dimension", "found_examples", "streams_run"]


def make(given: Given) -> Item:
    """The registry beside the printed table, and what was run."""
    rows, shown, differ = [], [], []
    for name, printed in published.table1().items():
        entry = get(name)
        ran = [stream for stream in given.results.streams if set_of(stream) == name]
        paper = (printed.classes, printed.dimension, printed.examples)
        found = (entry.classes, entry.attributes, entry.rows)
        about = ("yes" if printed.drift else "no", printed.source)
        rows.append([name, *paper, *about, *found, " ".join(ran)])
        pairs = [_both(a, b) for a, b in zip(paper, found, strict=True)]
        run = ", ".join(map(label, ran)) or "no"
        shown.append([name, *pairs, *about, run, entry.remark])
        differ += [name] if paper != found else []
    files = [write_rows(given, "table1.csv", HEAD, rows)]
    head = ["set", "classes", "dimension", "examples", "drift", "source"]
    told = [
        "A number is the paper's; where the registry has another one, it stands behind an arrow. "
        "`abacoc data` says which sets are on a machine, and how to get the others.",
        f"Other sizes than printed: {', '.join(differ)}." if differ else "All sizes agree.",
    ]
    tables = [Table("As printed → as found", [*head, "in our runs", "remark"], shown)]
    return kept(Item("table1", TITLE, told, tables=tables, files=files, from_runs=False), given)


def _both(paper: int, found: int) -> str:
    return f"{paper:,}" if paper == found else f"{paper:,} → {found:,}"
