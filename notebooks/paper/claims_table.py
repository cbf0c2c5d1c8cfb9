"""The claims for the README: what to run, what to expect, what we found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from abacoc.files import write_atomically
from abacoc.grid.tables import read_rows
from paper.claims import RULES, sets_used
from paper.items.item import Table
from paper.report import VERDICTS

FILE = "claims_table.md"
COMMANDS = {
    "verify": "abacoc verify",
    "bench": "abacoc bench --profile full",
    "claims": "abacoc reproduce --only claims",
    "fig1": "abacoc reproduce --only fig1",
}


def command(item: str) -> str:
    """What to run for an item.

    >>> command("fig3"), command("verify")
    ('abacoc reproduce --only fig3 --profile full', 'abacoc verify')
    """
    return COMMANDS.get(item, f"abacoc reproduce --only {item} --profile full")


def write_table(folder: str | Path) -> Path:
    """Write the table from ``claims.csv``."""
    folder = Path(folder)
    rows = read_rows(folder / "claims.csv")
    shown = []
    for row in rows:
        verdict = VERDICTS.get(row["verdict"], row["verdict"])
        run = f"`{command(row['item'])}`"
        shown.append([row["sentence"], row["where"], run, row["result"], verdict])
    head = ["the paper says", "where", "command", "we find", "verdict"]
    counted = Counter(row[-1] for row in shown)
    summary = ", ".join(f"{n} {verdict}" for verdict, n in counted.most_common())
    sets = f" Over {', '.join(used)}." if (used := sets_used(folder)) else ""
    tests = len({row["result"] for row in rows})
    told = f"{len(rows)} claims, {tests} tests: {summary}.{sets}\n\n{RULES}"
    text = f"{told}\n\n{Table('', head, shown).markdown()}\n"
    path = folder / "reproduced" / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as file:
        file.write(text)
    return path
