"""The short table for the README, made of the files that the benchmark wrote."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from paper.bench.tables import number

Cells = dict[str, str]
# column: part of the comparison, entrant, cell
COLUMNS = {
    "plain compiled scan": ("whole", "plain", "ratio"),
    "best compiled scan": ("whole", "scan", "ratio"),
    "reference": ("head", "reference", "ratio"),
    "River exact KNN, as full, one call each": ("predict", "river-lazy", "ratio"),
    "the same, ours over arrays": ("learn", "river-lazy", "whole_ratio"),
    "MOA lazy.kNN, as full, one call each": ("predict", "moa-knn", "ratio"),
}

LEGEND = (
    '- "at": so many balls, where another could not do the whole stream in its time; '
    "no number: it took too long to be asked"
)


def summary(folder: Path) -> str:
    """A Markdown table of speeds and ratios, then a line per law of growth and the headline."""
    speed = {(row["stream"], row["part"], row["entrant"]): row for row in _rows(folder, "speed")}
    lines = [
        f"| stream | balls | ours, examples/s | one call each | {' | '.join(COLUMNS)} |",
        f"|---|{'---:|' * (3 + len(COLUMNS))}",
    ]
    for stream in dict.fromkeys(key[0] for key in speed):
        ours = speed[stream, "whole", "ours"]
        one = speed.get((stream, "whole", "one-at-a-time"), {})
        cells = [stream, number(float(ours["balls"])), number(float(ours["per_second"]))]
        cells.append(_number(one, "per_second"))
        for part, entrant, cell in COLUMNS.values():
            cells.append(_ratio(speed.get((stream, part, entrant), {}), cell, ours["balls"]))
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", LEGEND]
    growth = [row for row in _rows(folder, "growth") if row["search"] == "tree"]
    for stream in dict.fromkeys(row["stream"] for row in growth):
        own = [row for row in growth if row["stream"] == stream]
        few, many = own[0], own[-1]
        lines.append(
            f"- {stream}: {_number(few, 'evaluations')} distances per example at "
            f"{_number(few, 'balls')} balls, {_number(many, 'evaluations')} at "
            f"{_number(many, 'balls')}: {float(many['per_tenfold']):.2f} "
            "times as many for ten times the balls; "
            f"{float(many['bytes_per_ball']):.0f} bytes per ball"
        )
    machine = json.loads((folder / "bench_machine.json").read_text())
    lines.append(f"- {machine['headline']}")
    lines.append(f"- measured with `abacoc bench --profile {machine['profile']}` on one core of")
    lines[-1] += f" {machine['processor']}"
    return "\n".join(lines) + "\n"


def _rows(folder: Path, name: str) -> list[Cells]:
    with open(folder / f"bench_{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def _number(row: Cells, cell: str) -> str:
    return number(float(row[cell])) if row.get(cell) else ""


def _ratio(row: Cells, cell: str, balls: str) -> str:
    """How many times as fast, and with how many balls if it was not measured with all of them."""
    if not row.get(cell):
        return ""
    where = "" if row["balls"] == balls else f" at {_number(row, 'balls')}"
    return f"{_number(row, cell)} x{where}"
