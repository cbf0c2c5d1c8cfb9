"""Is what was computed now what is committed? Every table and notebook is compared."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from abacoc.files import write_atomically
from abacoc.grid.tables import read_rows

# Made by `abacoc bench` and paper.successors, which time things: nobody gets the same twice.
MEASURED = ("bench_*", "soak*", "successors*")
TIMED = "seconds"  # the column that nothing is compared with


@dataclass
class Difference:
    """A table that is not as committed, and where."""

    table: str
    where: list[str] = field(default_factory=list)  # a line each

    def __str__(self) -> str:
        more = f" (and {len(self.where) - 1} more)" if len(self.where) > 1 else ""
        return f"{self.table}: {textwrap.shorten(self.where[0], 150)}{more}"


def tables(folder: Path) -> list[Path]:
    """What is compared below a folder: the tables of numbers, and the report with its words."""
    found = {*folder.glob("reproduced/*.csv"), *folder.glob("reproduced/*.md")}
    found |= {path for name in ("claims.csv", "README.md") if (path := folder / name).is_file()}
    measured = {path for name in MEASURED for path in folder.glob(f"reproduced/{name}")}
    return sorted(path.relative_to(folder) for path in found - measured)


def compare(
    committed: Path, now: Path, notebooks: Path | None = None, made: Collection[str] = ()
) -> list[Difference]:
    """The tables that differ, and of the notebooks ``made`` now those that do."""
    pairs = {str(n): (committed / n, now / n) for n in {*tables(committed), *tables(now)}}
    if notebooks:
        ran = _executed(now, made)
        pairs |= {f"notebooks/{path.name}": (notebooks / path.name, path) for path in ran}
    found = {name: list(_differences(*pair)) for name, pair in sorted(pairs.items())}
    return [Difference(name, where) for name, where in found.items() if where]


def _differences(committed: Path, now: Path) -> Iterator[str]:
    if not committed.is_file():
        yield "is not committed"
    elif not now.is_file():
        yield "was not made"
    elif committed.suffix == ".csv":
        yield from _cells(read_rows(committed), read_rows(now))
    else:
        read = _shown if committed.suffix == ".ipynb" else _lines
        yield from _cells(read(committed), read(now))


def _shown(path: Path) -> list[dict[str, str]]:
    """The cells of a notebook and what they show in words; pictures are made of the tables."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = []
    for cell in cells:
        shown = [output.get("data", output) for output in cell.get("outputs", [])]
        words = [data.get("text/html", data.get("text/plain", data.get("text"))) for data in shown]
        texts = ["".join(word) for word in words if word and "<Figure" not in "".join(word)]
        lines += "\n".join(["".join(cell["source"]), *texts]).splitlines()
    return [{"text": line.strip()} for line in lines]


def _lines(path: Path) -> list[dict[str, str]]:
    return [{"text": line} for line in path.read_text(encoding="utf-8").splitlines()]


def _cells(committed: list[dict[str, str]], now: list[dict[str, str]]) -> Iterator[str]:
    """Rows are compared in order; a missing one shifts the rest, so its number is told first."""
    if len(committed) != len(now):
        yield f"{len(now)} rows, {len(committed)} committed"
    for number, (old, new) in enumerate(zip(committed, now, strict=False), start=1):
        if list(old) != list(new):
            yield f"columns {', '.join(new)}; committed are {', '.join(old)}"
            return
        for column, cell in old.items():
            if column != TIMED and cell != new[column]:
                yield f"row {number}, {column}: {new[column]}; committed is {cell}"


def begin(committed: Path, folder: Path) -> None:
    """Lay out a folder to compute in: what will not be made anew is there as committed."""
    for part in ("reproduced", "figures"):
        if (committed / part).is_dir():
            shutil.copytree(committed / part, folder / part, dirs_exist_ok=True)
    for name in ("claims.csv", "README.md"):
        if (committed / name).is_file():
            shutil.copyfile(committed / name, folder / name)


def _executed(folder: Path, made: Collection[str]) -> list[Path]:
    """The notebooks that were made now; those of a run before may be older than their sources."""
    return [path for path in sorted(folder.glob("executed/*.ipynb")) if path.stem in made]


def update(committed: Path, folder: Path, notebooks: Path, made: Collection[str]) -> None:
    """Take over what was computed: tables, figures, report, the notebooks that were made."""
    files = [folder / name for name in tables(folder)] + sorted(folder.glob("figures/*.png"))
    pairs = [(path, committed / path.relative_to(folder)) for path in files]
    pairs += [(path, notebooks / path.name) for path in _executed(folder, made)]
    for path, target in pairs:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != path.read_bytes():
            with write_atomically(target, "wb") as file:
                file.write(path.read_bytes())
