"""How long the best Lipschitz comparator takes: points in the plane, sites, the line.

``python -m theory.comparator_benchmark [OUTPUT]`` writes ``reproduced/comparator_benchmark.csv``.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

from .comparator import Comparator, best_lipschitz_points, best_lipschitz_sites, between
from .line_comparator import BoolArray, FloatArray, LineComparator, best_lipschitz_line

HEADER = ("case", "size", "examples", "L", "loss", "gap", "seconds")
CONSTANTS = {"plane": (1, 4, 16), "sites": (1, 4, 16), "line": (1, 64, 4096)}
SEED = 20260728


def run(output: Path) -> list[Path]:
    """Measure at full size: 4,000 points, 400 sites, and a million examples on the line."""
    return [measure(output, points=4000, sites=400, examples=10**6)]


def measure(output: Path, points: int, sites: int, examples: int) -> Path:
    """Measure at the given size and write the table; every certificate is verified, untimed."""
    path = output / "reproduced" / "comparator_benchmark.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEADER)
        for case, size, count, solve in _cases(points, sites, examples):
            for L in CONSTANTS[case]:
                start = perf_counter()
                found = solve(L)
                seconds = perf_counter() - start
                gap = found.verify()
                table.writerow([case, size, count, L, found.loss, gap, f"{seconds:.3f}"])
    return path


def _cases(
    points: int, sites: int, examples: int
) -> Iterator[tuple[str, int, int, Callable[[float], Comparator | LineComparator]]]:
    rng = np.random.default_rng(SEED)
    X = rng.random((points, 2))
    y = rng.random(points) < _chance(X)
    yield "plane", points, points, lambda L: best_lipschitz_points(X, y, L)

    place = rng.random((sites, 2))
    came = rng.multinomial(examples, np.full(sites, 1 / sites))
    # Half of each site's probability is its own, so that neighbours disagree as well.
    ones = rng.binomial(came, (_chance(place) + rng.random(sites)) / 2)
    yield (
        "sites",
        sites,
        examples,
        lambda L: best_lipschitz_sites(between(place), ones, came - ones, L),
    )

    x = rng.random(examples)
    chance = np.array([0.5 + 0.4 * math.sin(20 * value) for value in x.tolist()])
    labels: BoolArray = rng.random(examples) < chance
    yield "line", examples, examples, lambda L: best_lipschitz_line(x, labels, L)


def _chance(X: FloatArray) -> FloatArray:
    """Probability of label 1: hills and valleys, between 0.1 and 0.9."""
    # one by one: NumPy's sine has other last digits on other processors
    return np.array([0.5 + 0.4 * math.sin(6 * a) * math.cos(6 * b) for a, b in X.tolist()])


if __name__ == "__main__":
    for written in run(Path(sys.argv[1] if len(sys.argv) > 1 else "paper_results")):
        print(written)
