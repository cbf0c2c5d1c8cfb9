"""The whole benchmark: measure stream after stream, print, and write the files."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from abacoc.files import write_atomically
from paper.bench import entrants, machine
from paper.bench.comparisons import Say, Setup, compare_heads, compare_whole
from paper.bench.data import Data, open_data
from paper.bench.growth import FITTED, SEARCHES, Count, Fit, count, fits
from paper.bench.profiles import PEERS, PROFILES, STREAMS, UNIFORM, chosen
from paper.bench.rows import Row
from paper.bench.soak import soak
from paper.bench.summary import summary
from paper.bench.tables import LEGEND, growth_table, number, speed_table
from paper.bench.timing import spread
from paper.bench.windows import compare_windows
from paper.notebooks import ROOT

HEADLINE = "uniform-5"  # the stream whose time is told by name


@dataclass
class Results:
    """Everything that was measured."""

    machine: dict[str, str]
    rows: list[Row] = field(default_factory=list)
    counts: list[Count] = field(default_factory=list)
    fits: dict[str, Fit] = field(default_factory=dict)
    headline: str = ""

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "machine": self.machine,
            "speed": [row.cells() for row in self.rows],
            "growth": self.growth_cells(),
            "headline": self.headline,
        }

    def growth_cells(self) -> list[dict[str, Any]]:
        """The counts, those that were fitted with what came out."""
        rows = []
        for c in self.counts:
            law = self.fits[c.stream] if c.search == FITTED else None
            growth = {"exponent": law and law.exponent, "per_tenfold": law and law.per_tenfold}
            rows.append(asdict(c) | growth)
        return rows


def bench(
    profile: str,
    streams: str | None,
    peers: str | None,
    repeats: int,
    output: str | Path,
    show: Say,
    say: Say,
) -> dict[str, Any]:
    """Measure, show tables and write files; what was measured, and the files, for scripts.

    ``streams`` and ``peers`` are lists such as ``a,b``; None stands for all of them.
    """
    if repeats < 1:
        raise ValueError(f"--repeats must be at least 1, not {repeats}")
    level = PROFILES[profile]
    names = level.streams if streams is None else chosen(streams, STREAMS, "stream")
    asked = chosen(peers, PEERS, "peer")
    folder = Path(output)
    for part in ("reproduced", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    say("compiling")
    entrants.warm_up()
    results = Results({"profile": profile, "repeats": str(repeats)} | machine.describe())
    show("\n".join(f"{name:10} {value}" for name, value in results.machine.items()) + "\n")
    show(LEGEND + "\n")
    for name in names:
        try:
            data = open_data(name, level)
        except ValueError as error:
            show(f"{name}: skipped, {error}\n")
            continue
        _speed(Setup(data, asked, level, repeats, say), results, show)
        if name in UNIFORM:
            _growth(data, level.sizes, results, say)
        _write(folder, results)  # what is measured stays, whatever happens to the rest
    if results.counts:
        show(growth_table(results.counts, results.fits) + "\n")
    if results.headline:
        show(results.headline + "\n")
    if not results.rows:
        raise ValueError("nothing was measured")
    written = _write(folder, results) + _draw(folder / "figures", results, show)
    if results.counts:
        table = folder / "reproduced" / "bench_table.md"
        with write_atomically(table) as file:
            file.write(summary(table.parent))
        written.append(str(table))
    for path in written:
        show(path)
    return results.as_json() | {"written": written}


def _speed(setup: Setup, results: Results, show: Say) -> None:
    rows, whole = compare_whole(setup)
    rows += compare_heads(setup, whole)
    rows += compare_windows(setup, whole)
    results.rows += rows
    show(speed_table(setup.data, rows) + "\n")
    if setup.data.name == HEADLINE:
        n, d = setup.data.X.shape
        seconds = spread(timing.seconds for timing in whole)
        results.headline = (
            f"{n:,} examples, d = {d}, {rows[0].balls:,} balls: {number(seconds.median)} seconds "
            f"for the whole call [{number(seconds.low)} .. {number(seconds.high)}]"
        )


def _growth(data: Data, sizes: Sequence[int], results: Results, say: Say) -> None:
    for search in SEARCHES:
        say(f"{data.name}: counting distances, {search}")
        results.counts += count(data, sizes, entrants.ours(search))
    results.fits = fits(results.counts)


def _write(folder: Path, results: Results) -> list[str]:
    """The tables that have rows, and where they come from; another table stays as it was."""
    folder = folder / "reproduced"
    tables = {
        folder / "bench_speed.csv": [row.cells() for row in results.rows],
        folder / "bench_growth.csv": results.growth_cells(),
    }
    tables = {path: rows for path, rows in tables.items() if rows}
    for path, rows in tables.items():
        _write_table(path, rows)
    source = folder / "bench_machine.json"
    with write_atomically(source) as file:
        where = results.machine | {"headline": results.headline}
        file.write(json.dumps(where, indent=2) + "\n")
    return [str(path) for path in (*tables, source)]


def _write_table(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    with write_atomically(path) as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})


def _draw(folder: Path, results: Results, show: Say) -> list[str]:
    try:
        from paper.bench.figures import growth_figure, speed_figure

        written = []
        if results.rows:
            written.append(folder / "bench_speed.png")
            speed_figure(written[-1], results.rows)
        if results.counts:
            written.append(folder / "bench_growth.png")
            growth_figure(written[-1], results.counts, results.fits)
    except ModuleNotFoundError as error:
        show(f"no figures: {error} (the extra plots has it)")
        return []
    return [str(path) for path in written]


def command(options: argparse.Namespace) -> int:
    """`abacoc bench`."""

    def show(line: str) -> None:
        if not options.json:
            print(line, flush=True)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    output = options.output or ROOT / "paper_results"
    if options.soak is not None:
        result = soak(options.soak, output, show, say)
    else:
        asked = options.profile, options.streams, options.peers, options.repeats
        result = bench(*asked, output, show, say)
    if options.json:
        print(json.dumps(result, indent=2))
    return 0
