"""Whether the paper's numbers agree with each other; no run is needed for that."""

from __future__ import annotations

from collections import Counter

from paper.items.item import Given, Item, Table, kept, write_rows
from paper.published import Numbers, findings

HEAD = ["id", "where", "statement", "verdict", "numbers"]
TITLE = "The paper's numbers among themselves"


def make(given: Given) -> Item:
    """Every statement that the tables and figures make or imply, judged by the others."""
    found = findings()
    rows = [[f.id, f.where, f.statement, f.verdict, numbers(f.numbers)] for f in found]
    files = [write_rows(given, "published.csv", HEAD, rows)]
    counted = Counter(f.verdict for f in found)
    told = [
        f"{len(found)} statements that the published tables and figures make, or that follow from "
        "how they are said to be made: "
        + ", ".join(f"{n} `{verdict}`" for verdict, n in counted.most_common())
        + ". Digits that are cut or rounded are allowed for."
    ]
    shown = [
        [statement, f"`{verdict}`", told, where] for _, where, statement, verdict, told in rows
    ]
    tables = [Table("", ["statement", "verdict", "numbers", "where"], shown)]
    item = Item("published", TITLE, told, tables=tables, files=files, from_runs=False)
    return kept(item, given)


def numbers(found: Numbers) -> str:
    """Numbers with their names, in one line.

    >>> numbers({"least": 0.123456, "row": "sea"})
    'least 0.1235; row: sea'
    """
    return "; ".join(
        f"{name}: {value}" if isinstance(value, str) else f"{name} {value:.4g}"
        for name, value in found.items()
    )
