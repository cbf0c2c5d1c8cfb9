"""What an item of the paper is made from, and what is left of it: text, tables, pictures, files.

An item is stored beside its files as JSON, so that the report can be written again without
making the item again.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from abacoc.files import write_atomically
from abacoc.grid.tables import read_rows
from paper.results import Results


@dataclass(frozen=True)
class Table:
    """A table for people; the numbers with all digits are in the CSV files.

    >>> print(Table("sizes", ["set", "n"], [["a|b", "1"]]).markdown())
    | set | n |
    |---|---|
    | a\\|b | 1 |
    """

    caption: str
    head: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """As a table of Markdown, without the caption."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        texts = ["| " + " | ".join(map(_cell, line)) + " |" for line in lines]
        texts[1] = "|" + "---|" * len(self.head)
        return "\n".join(texts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


@dataclass(frozen=True)
class Picture:
    """A picture below ``figures/``, and what it shows for those who cannot see it."""

    file: str
    alt: str


@dataclass(frozen=True)
class Item:
    """A table, a figure or an analysis, made."""

    id: str
    title: str
    told: list[str] = field(default_factory=list)  # paragraphs of Markdown
    pictures: list[Picture] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    files: list[str] = field(default_factory=list)  # below ``reproduced/``
    missing: str = ""  # why there is nothing to show
    from_runs: bool = True  # whether it is made of the runs in results.csv
    streams: list[str] = field(default_factory=list)  # whose runs

    def paths(self, output: Path) -> list[Path]:
        """The files of the item below the folder."""
        pictures = [output / "figures" / picture.file for picture in self.pictures]
        return pictures + [output / "reproduced" / name for name in self.files]


@dataclass(frozen=True)
class Given:
    """What the items are made from."""

    results: Results
    curves: list[dict[str, str]]  # a row per run and window of its stream
    output: Path
    profile: str = "quick"

    @classmethod
    def read(cls, results: str | Path, output: str | Path, profile: str = "quick") -> Given:
        """The table of runs and, beside it, the curves; a table that is not there is empty."""
        path = Path(results)
        curves = path.with_name("curves.csv")
        return cls(
            Results.read(path) if path.is_file() else Results([]),
            read_rows(curves),
            Path(output),
            profile,
        )


def write_rows(given: Given, name: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A CSV file below ``reproduced/``; its name."""
    folder = given.output / "reproduced"
    folder.mkdir(parents=True, exist_ok=True)
    with write_atomically(folder / name) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        for row in rows:
            writer.writerow([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row])
    return name


def kept(item: Item, given: Given) -> Item:
    """The item, stored for the report."""
    folder = given.output / "reproduced" / "items"
    folder.mkdir(parents=True, exist_ok=True)
    with write_atomically(folder / f"{item.id}.json") as file:
        json.dump(asdict(item), file, indent=1, ensure_ascii=False)
        file.write("\n")
    return item


def stored(output: Path, id: str) -> Item | None:
    """An item as it was made last; None if it never was."""
    path = output / "reproduced" / "items" / f"{id}.json"
    if not path.is_file():
        return None
    told = json.loads(path.read_text(encoding="utf-8"))
    told["pictures"] = [Picture(**picture) for picture in told["pictures"]]
    told["tables"] = [Table(**table) for table in told["tables"]]
    return Item(**told)
