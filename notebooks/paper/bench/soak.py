"""The long run: a bounded learner on a stream without end must neither slow down nor grow.

AUTO-ADJ FIX on rotating hyperplanes, one after the other: within a piece the concept turns, at its
end it jumps. Nothing is kept of a piece, so what stays in memory is the learner.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abacoc import AutoAdj
from abacoc.engine import warm_up
from abacoc.protocol import Run, prequential_pieces
from abacoc.streams import generate
from paper.bench import machine
from paper.bench.comparisons import Say
from paper.bench.figures import soak_figure
from paper.bench.tables import number
from paper.bench.timing import Row
from paper.output import Output, records

BUDGET = 1_000  # balls
BLOCKS = 100  # pieces of the stream, and rows of the table
FEWEST = 100 * BLOCKS  # examples; with fewer a block says nothing
# line of the short table: column, unit, what is told of a tenth of the stream
SHOWN = {
    "microseconds of the processor per example, median": ("cpu_seconds_per_example", 1e6, "median"),
    "by the clock, without checks but with other programs": ("seconds_per_example", 1e6, "median"),
    "distances per example, median": ("evaluations_per_example", 1.0, "median"),
    "memory of the process at most, MiB": ("resident_mib", 1.0, "max"),
    "memory of the learner at most, KiB": ("model_bytes", 2.0**-10, "max"),
    "balls at most": ("balls", 1.0, "max"),
    "accuracy, median": ("accuracy", 1.0, "median"),
}
Piece = tuple[NDArray[np.float64], NDArray[np.int64]]


def pieces(n: int) -> Iterator[Piece]:
    """The stream: ``BLOCKS`` pieces, ``n`` examples in all, each piece with a seed of its own.

    >>> sizes = [len(y) for _, y in pieces(1_050)]
    >>> sum(sizes), min(sizes), max(sizes)
    (1050, 10, 11)
    """
    for i in range(BLOCKS):
        size = n * (i + 1) // BLOCKS - n * i // BLOCKS
        stream = generate("hyperplane", n=size, seed=i, d=4, drifting=4)
        # a stream numbers its labels as they come; here a number means one label throughout
        yield stream.X, np.array([int(label) for label in stream.labels])[stream.y]


def measure(learner: Any, n: int, say: Say = lambda line: None) -> pd.DataFrame:
    """Algorithm 5 over the stream, a row per piece; ValueError if there is ever a ball too many."""
    blocks: list[Row] = []
    seconds, evaluations, started = 0.0, 0, 0.0

    def stream() -> Iterator[Piece]:
        nonlocal started
        for piece in pieces(n):
            started = process_time()  # making the piece is not part of it
            yield piece

    def after_piece(y: NDArray[np.int64], run: Run) -> None:
        nonlocal seconds, evaluations
        cpu_seconds = process_time() - started
        assert run.predictions is not None
        assert run.model_sizes is not None
        balls = int(run.model_sizes.max())
        if balls > learner.budget.limit:
            raise ValueError(f"{balls} balls, though the budget is {learner.budget.limit}")
        counted = learner.distance_evaluations
        block = {
            "examples": run.n_examples,  # so far; all else is of this piece
            "seconds_per_example": (run.seconds - seconds) / len(y),  # predicting and learning
            # of the processor, with the checks; other programs do not count
            "cpu_seconds_per_example": cpu_seconds / len(y),
            "resident_mib": resident_bytes() / 2**20,  # of the whole process
            "model_bytes": learner.n_bytes,  # of it the arrays of the learner
            "evaluations_per_example": (counted - evaluations) / len(y),
            "balls": balls,  # the most there were
            "accuracy": float((np.asarray(run.predictions) == y).mean()),
        }
        seconds, evaluations = run.seconds, counted
        blocks.append(block)
        if len(blocks) % (BLOCKS // 10) == 0:
            each, memory = 1e6 * block["seconds_per_example"], block["resident_mib"]
            say(f"soak: {run.n_examples:,} examples, {each:.2f} us each, {memory:.0f} MiB")

    prequential_pieces(learner, stream(), after_piece=after_piece)
    return pd.DataFrame(blocks)


def resident_bytes() -> int:
    """Memory that this process holds now; where the system does not tell, the most it ever held.

    >>> resident_bytes() > 10**6
    True
    """
    path = Path("/proc/self/statm")
    if path.is_file():
        return int(path.read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ModuleNotFoundError:
        raise ValueError("--soak measures memory as Linux and macOS tell it") from None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if platform.system() == "Darwin" else 1024 * most


def soak(n: int, output: Output, show: Say, say: Say) -> dict[str, Any]:
    """Run, show the table and write the files; what was measured, and the files, for scripts."""
    if n < FEWEST:
        raise ValueError(f"--soak needs at least {FEWEST:,} examples, not {n:,}")
    say("compiling")
    warm_up()
    blocks = measure(AutoAdj(budget=BUDGET), n, say)
    told = short_table(blocks, machine.processor())
    written = [
        str(output.table(blocks, "soak.csv")),
        str(output.text(told, "soak_table.md")),
        str(output.figure(soak_figure(blocks, BUDGET), "soak.png")),
    ]
    for line in (told, *written):
        show(line)
    return {"blocks": records(blocks), "written": written}


def short_table(blocks: pd.DataFrame, processor: str) -> str:
    """The second tenth of the stream beside the last: by then the budget has been reached."""
    tenth, n = len(blocks) // 10, blocks.examples.iloc[-1]
    parts = blocks.iloc[tenth : 2 * tenth], blocks.iloc[-tenth:]
    lines = [
        f"| of {n:,} examples, {BUDGET:,} balls | second tenth | last tenth |\n|---|---:|---:|"
    ]
    for title, (name, factor, how) in SHOWN.items():
        second, last = (number(factor * part[name].agg(how)) for part in parts)
        lines.append(f"| {title} | {second} | {last} |")
    lines += [
        "",
        "- rotating hyperplanes, 4 attributes, 5 classes, another one after every"
        f" {blocks.examples.iloc[0]:,} examples",
        f"- measured with `abacoc bench --soak {n}` on one core of {processor}",
    ]
    return "\n".join(lines) + "\n"
