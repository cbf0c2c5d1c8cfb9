"""The proof ledger: every step of the proofs of Section V, how it was checked, what came out."""

from __future__ import annotations

import re
from collections import Counter

from abacoc.grid.tables import read_rows
from paper.items.item import Given, Item, Table, kept

TITLE = "Theorem 1: the proof ledger"
KINDS = ("holds", "holds amended", "fails", "not established")


def make(given: Given) -> Item:
    """The ledger that `abacoc verify` or the notebook of Theorem 1 wrote, for people."""
    path = given.output / "reproduced" / "ledger.csv"
    if not path.is_file():
        missing = "There is no ledger yet: `abacoc reproduce --only theorem1` writes it."
        return kept(Item("ledger", TITLE, missing=missing, from_runs=False), given)
    rows = read_rows(path)
    counted = Counter(row["verdict"] for row in rows)
    told = [
        f"{len(rows)} steps: "
        + ", ".join(f"{counted[kind]} {kind}" for kind in KINDS if counted[kind])
        + ". A step that holds amended names its amendment; a step that fails has a witness that "
        "is run again each time. `abacoc verify --details` checks all of them anew."
    ]
    wrong = [row["id"] for row in rows if row["as_recorded"] != "True"]
    if wrong:
        told.append(f"**Not as recorded: {', '.join(wrong)}.**")
    shown = [
        [
            *(row["id"], f"`{row['verdict']}`", math(row["statement"])),
            *(words_and_math(row["amendment"]), row["evidence"]),
            *(row["where"], f"{row['kind']}, {row['basis']}"),
        ]
        for row in rows
    ]
    head = ["step", "verdict", "statement", "amendment", "evidence", "where", "checked by"]
    tables = [Table("Every step", head, shown)]
    item = Item("ledger", TITLE, told, tables=tables, files=["ledger.csv"], from_runs=False)
    return kept(item, given)


def math(formula: str) -> str:
    r"""A formula for Markdown: its bars must not end a cell, and no reader may eat its spaces.

    >>> print(math(r"|x|\, y"))
    $\vert x\vert \thinspace  y$
    """
    for short, name in (("|", "vert"), ("\\,", "thinspace"), ("\\ ", "enspace")):
        formula = formula.replace(short, f"\\{name} ")
    return f"${formula.strip()}$"


def words_and_math(text: str) -> str:
    r"""A sentence with formulas in it, the formulas marked: they are all that is no word.

    >>> print(words_and_math(r"0 < \epsilon \le 1, the diameter"))
    $0 < \epsilon \le 1$, the diameter
    """
    if "\\" not in text:
        return text
    parts = re.split(r"((?:^|(?<= ))[A-Za-z]{2,}[,:;.]?(?= |$))", text)
    return "".join(_marked(part) for part in parts)


def _marked(part: str) -> str:
    body = part.strip().rstrip(",:;")
    if not re.search(r"[\\_^]", body):
        return part
    return part.replace(body, math(body))
