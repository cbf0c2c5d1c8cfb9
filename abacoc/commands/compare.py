"""``abacoc run STREAM --scale compare``: the ways to scale, side by side in one pass."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import Any

from abacoc.commands import AHEAD, ONLINE, SCALES
from abacoc.protocol import side_by_side
from abacoc.scores import or_none

Seen = Callable[[Any], Any]  # what a learner is given of a piece


def compare(
    options: argparse.Namespace,
    stream: str,
    pieces: Iterator[tuple[Any, Any]],
    n_examples: int | None,
    make: Callable[[str], tuple[Any, Seen]],
) -> int:
    """Run a learner for each scaling; those that look ahead only on a stream in memory."""
    for option in ("dump", "save", "plot"):
        if getattr(options, option) is not None:
            raise ValueError(f"--{option} is for one learner, not for --scale compare")
    scales = [scale for scale in (*SCALES, *ONLINE) if scale not in AHEAD]
    scales += AHEAD if options.pieces is None else ()
    runs = side_by_side(
        [make(scale) for scale in scales],
        pieces,
        rate=options.rate,
        seed=options.seed,
        progress=None,
        n_examples=n_examples,
    )
    rows = [
        {
            "scale": scale,
            "looks_ahead": scale in AHEAD,
            "accuracy": run.accuracy,
            "kappa": or_none(run.kappa),
            "model_size": run.n_balls,
            "n_examples": run.n_examples,
            "seconds": run.seconds,
            "examples_per_second": run.n_examples / run.seconds,
        }
        for scale, run in zip(scales, runs, strict=True)
    ]
    print(json.dumps(rows, indent=2) if options.json else _table(rows, options, stream))
    return 0


def _table(rows: list[dict[str, Any]], options: argparse.Namespace, stream: str) -> str:
    n = rows[0]["n_examples"]
    lines = [
        f"{stream}: {n:,} examples, {options.method}, rate {options.rate:g}, seed {options.seed}",
        f"{'scale':14} {'accuracy':>9} {'kappa':>8} {'model size':>11} {'examples/s':>11}",
    ]
    for row in rows:
        kappa = "-" if row["kappa"] is None else f"{row['kappa']:.4f}"
        lines.append(
            f"{row['scale']:14} {row['accuracy']:9.6f} {kappa:>8} {row['model_size']:11,} "
            f"{row['examples_per_second']:11,.0f}{'  looks ahead' * row['looks_ahead']}"
        )
    fair = [row for row in rows if not row["looks_ahead"]]
    best = max(fair, key=lambda row: row["accuracy"])  # of equals the first, the plainer one
    lines.append(
        f"best without looking ahead: --scale {best['scale']}, accuracy {best['accuracy']:.6f}"
    )
    return "\n".join(lines)
