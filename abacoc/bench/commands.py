"""What the README's two commands take, measured in a fresh clone: time, memory, disk.

Run by ``make measure``; it writes ``commands.csv`` and the table in the README.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from abacoc.bench.machine import describe
from abacoc.files import put_between_marks, write_atomically

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("make test", "make reproduce")
COLUMNS = ("command", "minutes", "largest_process_mb", "disk_mb", "status", "processor", "data")


class Measured(NamedTuple):
    """One command: all in whole units, it is a guide and no benchmark."""

    command: str
    minutes: float
    largest_process_mb: int
    disk_mb: int
    status: int
    processor: str
    data: str  # whether the paper's data sets were at hand


def measure(folder: Path, commands: Sequence[str] = COMMANDS) -> list[Measured]:
    """Run the commands one after the other in ``folder``; the first one also installs."""
    found = []
    data = "yes" if os.environ.get("ABACOC_DATA") else "no"
    for command in commands:
        start = time.monotonic()
        status = subprocess.run(command.split(), cwd=folder, check=False).returncode
        seconds = time.monotonic() - start
        # of all children so far: the unit is kB, but bytes on macOS
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        megabytes = peak // (1 << 20 if sys.platform == "darwin" else 1 << 10)
        found.append(
            Measured(
                command,
                round(seconds / 60, 1),
                megabytes,
                _size(folder) >> 20,
                status,
                describe()["processor"],
                data,
            )
        )
    return found


def table(rows: Sequence[Measured]) -> str:
    """For the README."""
    lines = ["| command | minutes | largest process | disk afterwards |", "|---|---:|---:|---:|"]
    for row in rows:
        sizes = f"{row.largest_process_mb:,} MB | {row.disk_mb:,} MB"
        lines.append(f"| `{row.command}` | {row.minutes:g} | {sizes} |")
    where = f"on two cores of {rows[0].processor}"
    beside = "with" if rows[0].data == "yes" else "without"
    lines += ["", f"Measured by `make measure` in a fresh clone, {where}, {beside} the data sets."]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Clone, measure, write; the status is that of the first command that fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", default=COMMANDS, help="instead of the two")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        clone = Path(name) / "main"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        rows = measure(clone, options.commands)
    status = next((row.status for row in rows if row.status), 0)
    if status:
        print("a command failed: nothing is written", file=sys.stderr)
        return status
    with write_atomically(ROOT / "paper_results" / "reproduced" / "commands.csv") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])
    put_between_marks(ROOT / "README.md", "commands table", table(rows))
    print(table(rows))
    return 0


def _size(folder: Path) -> int:
    return sum(
        path.lstat().st_size for path in folder.rglob("*") if path.is_file() or path.is_symlink()
    )


if __name__ == "__main__":
    sys.exit(main())
