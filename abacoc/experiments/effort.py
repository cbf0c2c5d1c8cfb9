"""How long each item took, for those who come after: its runs, its notebook, or its command."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from abacoc.experiments.tables import read_rows
from abacoc.files import write_atomically

FILE = "effort.csv"
COLUMNS = ("item", "part", "minutes", "workers")
Part = tuple[str, str]  # an item, and its 'runs', its 'notebook' or its 'command'


def note(folder: str | Path, seconds: Mapping[Part, float], workers: int = 1) -> Path:
    """Write down how long parts took, beside what is known of the others.

    ``seconds`` are those of one core; with two workers it takes half as many.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = note(folder, {("fig3", "runs"): 7200.0}, workers=2)
    ...     _ = note(folder, {("fig3", "notebook"): 30.0})
    ...     minutes(folder)
    {'fig3': 60.5}
    """
    path = Path(folder) / FILE
    known = {(row["item"], row["part"]): row for row in read_rows(path)}
    for (item, part), time in seconds.items():
        told = (item, part, f"{time / 60 / workers:.2f}", str(workers))
        known[item, part] = dict(zip(COLUMNS, told, strict=True))
    with write_atomically(path) as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(known[place] for place in sorted(known))
    return path


def minutes(folder: str | Path) -> dict[str, float]:
    """The minutes of each item, its runs included."""
    found: dict[str, float] = {}
    for row in read_rows(Path(folder) / FILE):
        found[row["item"]] = found.get(row["item"], 0.0) + float(row["minutes"])
    return found
