"""What the README's two commands take, measured in a fresh clone: time, memory, disk.

Run by ``make measure``; it writes ``commands.csv`` and the table in the README.
"""

from __future__ import annotations

import argparse
import csv
import os
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


class Measured(NamedTuple):
    """One command; rounded, since it is a guide and no benchmark."""

    command: str
    minutes: float
    largest_process_mb: int
    disk_mb: int
    status: int
    processor: str
    cores: str
    data: str  # whether the paper's data sets were at hand


def measure(folder: Path, commands: Sequence[str] = COMMANDS) -> list[Measured]:
    """Run the commands one after the other in ``folder``; the first one also installs."""
    found = []
    data = "yes" if os.environ.get("ABACOC_DATA") else "no"
    machine = describe()
    for command in commands:
        start = time.monotonic()
        child = subprocess.Popen(command.split(), cwd=folder)
        _, ended, used = os.wait4(child.pid, 0)  # what it and its own children used
        seconds = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(ended)
        # the unit is kB, but bytes on macOS
        megabytes = used.ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)
        found.append(
            Measured(
                command,
                round(seconds / 60, 1),
                megabytes,
                _size(folder) >> 20,
                child.returncode,
                machine["processor"],
                machine["cores"],
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
    where = f"on {rows[0].cores} cores of {rows[0].processor}"
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
        writer.writerows([Measured._fields, *rows])
    put_between_marks(ROOT / "README.md", "commands table", table(rows))
    print(table(rows))
    return 0


def _size(folder: Path) -> int:
    return sum(
        path.lstat().st_size for path in folder.rglob("*") if path.is_file() or path.is_symlink()
    )


if __name__ == "__main__":
    sys.exit(main())
