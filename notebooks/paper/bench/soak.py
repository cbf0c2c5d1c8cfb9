"""The long run: a bounded learner on a stream without end must neither slow down nor grow.

AUTO-ADJ FIX on rotating hyperplanes, one after the other: within a piece the concept turns, at its
end it jumps. Nothing is kept of a piece, so what stays in memory is the learner.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc.files import write_atomically
from abacoc.protocol import Run, prequential_pieces
from paper.bench import entrants, machine
from paper.bench.comparisons import Say
from paper.bench.tables import number

BUDGET = 1_000  # balls
BLOCKS = 100  # pieces of the stream, and rows of the table
FEWEST = 100 * BLOCKS  # examples; with fewer a block says nothing


@dataclass(frozen=True)
class Block:
    """What was measured over one piece of the stream."""

    examples: int  # so far
    seconds_per_example: float  # predicting and learning, in this block
    cpu_seconds_per_example: float  # of the processor, with the checks; other programs do not count
    resident_mib: float  # memory of the whole process, after this block
    model_bytes: int  # of it the arrays of the learner
    evaluations_per_example: float  # distances, in this block
    balls: int  # the most there were in this block
    accuracy: float  # in this block


def pieces(n: int) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """The stream: ``BLOCKS`` pieces, ``n`` examples in all, each piece with a seed of its own.

    >>> sizes = [len(y) for _, y in pieces(1_050)]
    >>> sum(sizes), min(sizes), max(sizes)
    (1050, 10, 11)
    """
    from abacoc.streams import generate

    for i in range(BLOCKS):
        size = n * (i + 1) // BLOCKS - n * i // BLOCKS
        stream = generate("hyperplane", n=size, seed=i, d=4, drifting=4)
        # a stream numbers its labels as they come; here a number means one label throughout
        yield stream.X, np.array([int(label) for label in stream.labels])[stream.y]


def measure(learner: Any, n: int, say: Say = lambda line: None) -> list[Block]:
    """Algorithm 5 over the stream; ValueError if there is ever a ball too many."""
    blocks: list[Block] = []
    seconds, evaluations, started = 0.0, 0, 0.0

    def stream() -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
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
        hits = sum(a == b for a, b in zip(run.predictions, y.tolist(), strict=True))
        block = Block(
            examples=run.n_examples,
            seconds_per_example=(run.seconds - seconds) / len(y),
            cpu_seconds_per_example=cpu_seconds / len(y),
            resident_mib=machine.resident_bytes() / 2**20,
            model_bytes=learner.n_bytes,
            evaluations_per_example=(counted - evaluations) / len(y),
            balls=balls,
            accuracy=hits / len(y),
        )
        seconds, evaluations = run.seconds, counted
        blocks.append(block)
        if len(blocks) % (BLOCKS // 10) == 0:
            say(
                f"soak: {block.examples:,} examples, {1e6 * block.seconds_per_example:.2f} us each,"
                f" {block.resident_mib:.0f} MiB"
            )

    prequential_pieces(learner, stream(), after_piece=after_piece)
    return blocks


def soak(n: int, output: str | Path, show: Say, say: Say) -> dict[str, Any]:
    """Run, show the table and write the files; what was measured, and the files, for scripts."""
    if n < FEWEST:
        raise ValueError(f"--soak needs at least {FEWEST:,} examples, not {n:,}")
    folder = Path(output)
    for part in ("reproduced", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    say("compiling")
    entrants.warm_up()
    blocks = measure(entrants.bounded(BUDGET), n, say)
    rows = [asdict(block) for block in blocks]
    target = folder / "reproduced" / "soak.csv"
    with write_atomically(target) as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()})
    told = summary(blocks)
    short = folder / "reproduced" / "soak_table.md"
    with write_atomically(short) as file:
        file.write(told)
    written = [str(target), str(short)]
    try:
        from paper.bench.figures import soak_figure

        soak_figure(folder / "figures" / "soak.png", blocks, BUDGET)
        written.append(str(folder / "figures" / "soak.png"))
    except ModuleNotFoundError as error:
        show(f"no figures: {error}")
    show(told)
    for path in written:
        show(path)
    return {"blocks": rows, "written": written}


def summary(blocks: Sequence[Block]) -> str:
    """The second tenth of the stream beside the last: by then the budget has been reached."""
    tenth = len(blocks) // 10
    parts = {"second tenth": blocks[tenth : 2 * tenth], "last tenth": blocks[-tenth:]}
    lines = [
        f"| of {blocks[-1].examples:,} examples, {BUDGET:,} balls | {' | '.join(parts)} |",
        "|---|---:|---:|",
    ]
    cells: dict[str, tuple[str, float, Callable[[list[float]], float]]] = {
        "microseconds of the processor per example, median": (
            "cpu_seconds_per_example",
            1e6,
            median,
        ),
        "by the clock, without checks but with other programs": (
            "seconds_per_example",
            1e6,
            median,
        ),
        "distances per example, median": ("evaluations_per_example", 1.0, median),
        "memory of the process at most, MiB": ("resident_mib", 1.0, max),
        "memory of the learner at most, KiB": ("model_bytes", 2.0**-10, max),
        "balls at most": ("balls", 1.0, max),
        "accuracy, median": ("accuracy", 1.0, median),
    }
    for title, (name, factor, over) in cells.items():
        values = [factor * over([getattr(b, name) for b in part]) for part in parts.values()]
        lines.append(f"| {title} | {' | '.join(map(number, values))} |")
    lines += [
        "",
        f"- rotating hyperplanes, 4 attributes, 5 classes, another one after every"
        f" {blocks[0].examples:,} examples",
        f"- measured with `abacoc bench --soak {blocks[-1].examples}` on one core of"
        f" {machine.describe()['processor']}",
    ]
    return "\n".join(lines) + "\n"
