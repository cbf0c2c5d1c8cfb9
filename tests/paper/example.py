"""A made-up table of runs, to try the items and to test them: no number in it was measured.

The accuracies are near the published means, so that pictures look as they would with real runs.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from abacoc.methods import EPOCHS
from paper import published
from paper.plots import NAMES
from paper.runs import COMPETITORS, FIX, LEVELS, OWN

SETS = {"powersupply": 29_928, "sea": 60_000, "poker": 25_010, "electricity": 45_312}
LIKE_TABLE = {"powersupply": 0.45, "sea": 0.85, "poker": 0.5, "electricity": 0.8}  # best accuracy
VARIATIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("none", {"d_hat": float(d)}) for d in (1, 4, 8)),
    *(("none", {"reading": reading}) for reading in ("literal", "authors")),
    ("none", {"radius_rule": "plus"}),
    ("minmax", {}),
    ("unit", {}),
)
JOB = ["stream", "method", "rate", "seed", "scale", "settings", "order"]
FOUND = ["accuracy", "model_size", "model_share", "n_examples", "n_updates"]
HEAD = [*JOB, *FOUND, "seconds", "epoch", "status", "reason"]


def write_example(folder: Path, streams: Sequence[str] = tuple(SETS), windows: int = 20) -> Path:
    """The files that the grid exports: runs and curves; the path of the first.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_example(Path(folder), ["sea"]).name
    'results.csv'
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    runs = [run for stream in streams for run in _runs(stream, rng)]
    told = [[*run, EPOCHS[run[1]], "done", ""] for run in runs]
    job = ["airlines", "k-perc", 1.0, 0, "none", "{}", "file"]
    omitted = [*job, *[""] * len(FOUND), "", "", "omitted", "not here"]
    _write(folder / "results.csv", [HEAD, *told, omitted])
    curves = [[*JOB, "end", "accuracy", "model_size"]]
    for run in runs:
        for window in range(windows):
            drop = 0.1 * math.sin(window / 3)  # as if the concept came and went
            accuracy, size = min(max(run[7] + drop, 0), 1), run[8] * (window + 1) // windows
            end = (window + 1) * run[10] // windows
            curves.append([*run[:7], end, f"{accuracy:.6f}", size])
    _write(folder / "curves.csv", curves)
    return folder / "results.csv"


def _write(path: Path, rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _runs(stream: str, rng: np.random.Generator) -> Iterator[list[Any]]:
    """The grid of the figures on one stream, and the ablations."""
    plotted, bars = published.figure3(), published.figure2()
    best = LIKE_TABLE[stream] * 0.95
    for method in (*OWN, *COMPETITORS):
        scale = "unit" if method in OWN[:2] else "none"
        for rate in (*LEVELS, 1.0):
            last = plotted[NAMES[method], min(rate, 0.1)]
            size, accuracy = last.size * (10 if rate == 1 else 1), last.accuracy
            if rate == 1:
                accuracy = bars["b"].get(NAMES[method], min(1, accuracy * 1.08))
            for seed in range(1 if rate == 1 else 3):
                yield _run(stream, method, rate, seed, scale, {}, best * accuracy, size, rng)
    for level in LEVELS:
        point = published.figure4()["AUTO-ADJ FIX", level]
        for seed in range(3):
            settings = {"budget": level}
            yield _run(
                stream, FIX, 1.0, seed, "none", settings, best * point.accuracy, point.size, rng
            )
    for method in ("auto", "auto-adj"):
        for scale, settings in VARIATIONS:
            yield _run(stream, method, 1.0, 0, scale, settings, 0.97 * best, 0.14, rng)
    rng = np.random.default_rng(1)  # what follows leaves the numbers above as they are
    for settings, rate in itertools.product(({}, {"reading": "moa"}), (*LEVELS, 1.0)):
        for seed in range(1 if rate == 1 else 3):
            yield _run(stream, "iblstreams", rate, seed, "none", settings, 0.8 * best, rate, rng)


def _run(
    stream: str,
    method: str,
    rate: float,
    seed: int,
    scale: str,
    settings: dict[str, Any],
    accuracy: float,
    share: float,
    rng: np.random.Generator,
) -> list[Any]:
    n = SETS[stream]
    accuracy = float(np.clip(accuracy * (1 + 0.02 * rng.normal()), 0.01, 0.99))
    size = max(1, round(n * share * float(np.exp(0.1 * rng.normal()))))
    seconds = n * 1e-5 * (1 + 20 * share) * float(np.exp(0.2 * rng.normal()))
    told = [stream, method, rate, seed, scale, json.dumps(settings), "file"]
    return [*told, accuracy, size, size / n, n, round(n * rate), seconds]
