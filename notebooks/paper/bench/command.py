"""The whole benchmark: measure stream after stream, print, and write the files."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from abacoc.engine import warm_up
from paper.bench import entrants, machine
from paper.bench.anatomy import anatomy, anatomy_table
from paper.bench.comparisons import Say, Setup, compare_heads, compare_whole
from paper.bench.figures import growth_figure, speed_figure
from paper.bench.growth import count, with_laws
from paper.bench.profiles import PEERS, PROFILES, STREAMS, UNIFORM, chosen, open_data
from paper.bench.soak import soak
from paper.bench.tables import LEGEND, growth_table, number, short_table, speed_table
from paper.bench.timing import Row, spread
from paper.bench.windows import compare_windows
from paper.notebooks import ROOT
from paper.output import Output, records

HEADLINE = "uniform-5"  # the stream whose time is told by name


def bench(
    profile: str,
    streams: str | None,
    peers: str | None,
    repeats: int,
    output: Output,
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
    say("compiling")
    warm_up()
    where = {"profile": profile, "repeats": str(repeats)} | machine.describe()
    where |= machine.read_rates()
    show("\n".join(f"{name:13} {value}" for name, value in where.items()) + "\n")
    show(LEGEND + "\n")
    where["headline"] = ""
    rows: list[Row] = []
    counts: list[Row] = []
    models: list[Row] = []
    speed = growth = pd.DataFrame()
    written: list[Path] = []
    for name in names:
        try:
            data = open_data(name, level)
        except ValueError as error:
            show(f"{name}: skipped, {error}\n")
            continue
        setup = Setup(data, asked, level, repeats, say)
        own, whole = compare_whole(setup)
        own += compare_heads(setup, whole) + compare_windows(setup, whole)
        show(speed_table(data, pd.DataFrame(own)) + "\n")
        rows += own
        if name == HEADLINE:
            middle, low, high = map(number, spread(np.array([call.seconds for call in whole])))
            where["headline"] = (
                f"{data.n_examples:,} examples, d = {data.n_attributes}, {own[0]['balls']:,} balls:"
                f" {middle} seconds for the whole call [{low} .. {high}]"
            )
        if name in UNIFORM:
            say(f"{name}: counting distances")
            counts += count(data, level.sizes, entrants.ours())
        say(f"{name}: looking at the model")
        models.append(anatomy(data, entrants.ours()))
        # what is measured stays, whatever happens to the rest
        speed = pd.DataFrame(rows)
        written = [output.table(speed, "bench_speed.csv")]
        if counts:  # without any another table stays as it was
            growth = with_laws(pd.DataFrame(counts))
            written.append(output.table(growth, "bench_growth.csv"))
        written.append(output.table(pd.DataFrame(models), "bench_anatomy.csv"))
        written.append(output.text(json.dumps(where, indent=2) + "\n", "bench_machine.json"))
    if not rows:
        raise ValueError("nothing was measured")
    of_models = anatomy_table(pd.DataFrame(models))
    show(of_models + "\n")
    written.append(output.text(of_models + "\n", "bench_anatomy.md"))
    written.append(output.figure(speed_figure(speed), "bench_speed.png"))
    if counts:
        show(growth_table(growth) + "\n")
        written.append(output.figure(growth_figure(growth), "bench_growth.png"))
        # of the numbers as they are written, so that the table can be made again from the files
        speed, growth = (pd.read_csv(path) for path in written[:2])
        written.append(output.text(short_table(speed, growth, where), "bench_table.md"))
    for line in (where["headline"], *map(str, written)):
        show(line)
    tables = {"speed": records(speed), "growth": records(growth)}
    told = {"headline": where.pop("headline"), "written": list(map(str, written))}
    return {"machine": where, **tables, **told}


def command(options: argparse.Namespace) -> int:
    """`abacoc bench`."""

    def show(line: str) -> None:
        if line and not options.json:
            print(line, flush=True)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    output = Output(options.output or ROOT / "paper_results")
    if options.soak is not None:
        result = soak(options.soak, output, show, say)
    else:
        asked = options.profile, options.streams, options.peers, options.repeats
        result = bench(*asked, output, show, say)
    if options.json:
        print(json.dumps(result, indent=2))
    return 0
