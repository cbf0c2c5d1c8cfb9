"""What a model is made of at the end of a stream, and what its search could do at best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abacoc.engine import state as S
from abacoc.protocol import prequential
from abacoc.streams import Stream
from paper.bench.tables import number
from paper.bench.timing import Row

ASKED = 500  # of the last examples
SAMPLE, NEIGHBOURS = 20_000, 20  # examples whose dimension is estimated, and from how many others
CHUNK = 2_000_000  # coordinates compared at once
# bytes per ball, with the room that is allocated ahead
PARTS = {
    "centres": ("centres", "rows"),
    "copies": ("rough", "lanes", "bits", "floors", "planes"),
    "tree": (
        "node_i",
        "splits",
        "block_i",
        "boxes",
        "tops",
        "leaves",
        "first_blocks",
        "leaf_sizes",
    ),
    "balls": ("ball_i", "ball_n", "ball_f", "picked"),
    "counts": ("tally", "links", "tickets"),
}
LEGEND = """\
- dimension: in which the examples lie, by their distances from each other (Levina, Bickel 2004)
- distances: evaluated for one query at the end; an oracle's: the balls in the leaves that reach as
  near as the nearest ball is, which no search by these leaves can leave out. Both grow with the
  number of balls as the dimension has it; what is logarithmic is the way down to a leaf
- bytes per ball: with the room ahead; copies: what is searched, in blocks of 32"""


def anatomy(data: Stream, learner: Any) -> Row:
    """Memory by part, the dimension of the stream, and distances: evaluated, and by an oracle.

    The learner goes through the stream but for the last examples, which are asked for then: of
    those that it has learned many would be centres themselves.
    """
    prequential(learner, data.X[:-ASKED], data.y[:-ASKED], keep=False)
    state, balls = learner._engine.s, learner.n_balls
    asked = np.asarray(data.X[-ASKED:], dtype=np.float64)
    before = learner.distance_evaluations
    for x in asked:
        learner.predict(x)
    evaluations = (learner.distance_evaluations - before) / len(asked)
    centres = learner._engine.centres()
    of_part = {
        f"bytes_{part}": sum(getattr(state, name).nbytes for name in names) / balls
        for part, names in PARTS.items()
    }
    return {
        "stream": data.name,
        "attributes": data.n_attributes,
        "balls": balls,
        # not of the centres, which keep their distance from each other
        "dimension": intrinsic_dimension(data.X[:: -(-len(data.X) // SAMPLE)]),
        "evaluations": evaluations,
        "oracle": _oracle(state, asked, nearest(centres, asked, 1)[:, 0]),
        "bytes": learner.n_bytes / balls,
        **of_part,
    }


def nearest(
    centres: NDArray[np.float64], points: NDArray[np.float64], k: int
) -> NDArray[np.float64]:
    """The k least squared distances of each point to the centres."""
    step = max(1, CHUNK // centres.size)
    found = []
    for start in range(0, len(points), step):
        part = points[start : start + step, np.newaxis]
        squares = ((centres - part) ** 2).sum(axis=2)
        found.append(np.sort(np.partition(squares, k - 1)[:, :k]))
    return np.concatenate(found)


def intrinsic_dimension(points: NDArray[np.float64]) -> float:
    """The dimension in which points lie, by how the distances of their neighbours grow.

    The estimate of Levina and Bickel (2004) from the ``NEIGHBOURS`` nearest, its inverse averaged
    over the points as MacKay and Ghahramani advise.

    >>> round(intrinsic_dimension(np.random.default_rng(0).random((4000, 2))), 1)
    1.9
    """
    distinct = np.unique(points, axis=0)
    if len(distinct) <= NEIGHBOURS + 1:
        return float("nan")
    sample = distinct[:: -(-len(distinct) // ASKED)]
    squares = nearest(distinct, sample, NEIGHBOURS + 1)[:, 1:]  # the first is the point itself
    logs = np.log(squares[:, -1:] / squares[:, :-1]) / 2
    return (NEIGHBOURS - 2) / float(logs.sum(axis=1).mean())


def _oracle(state: Any, points: NDArray[np.float64], squares: NDArray[np.float64]) -> float:
    """Balls, on average, in leaves that reach as near as the nearest ball is."""
    if len(state.planes):
        return float(state.h[S.N_BALLS])  # bits in columns: there are no leaves
    n = int(state.h[S.N_SHELVES])
    in_use = np.arange(S.WIDTH) < state.n_leaves[:n, np.newaxis]
    boxes = np.moveaxis(state.boxes[:n], 2, 1)[in_use]
    sizes, low, high = state.leaf_sizes[:n][in_use], boxes[:, ::2], boxes[:, 1::2]
    looked = 0
    for x, square in zip(points[:, state.columns], squares, strict=True):
        outside = np.maximum(np.maximum(low - x, x - high), 0)
        looked += int(sizes[(outside**2).sum(axis=1) <= square].sum())
    return looked / len(points)


def anatomy_table(rows: pd.DataFrame) -> str:
    """The table in Markdown, with what its columns are."""
    parts = [f"bytes_{part}" for part in PARTS]
    head = ["stream", "columns", "balls", "dimension", "distances", "an oracle's", "bytes per ball"]
    lines = [f"| {' | '.join([*head, *PARTS])} |", f"|---|{'---:|' * (len(head) + len(parts) - 1)}"]
    for row in rows.to_dict("records"):
        cells = [row["stream"], number(row["attributes"]), number(row["balls"])]
        cells += [f"{row['dimension']:.1f}", number(row["evaluations"]), number(row["oracle"])]
        cells += [f"{row[name]:.0f}" for name in ("bytes", *parts)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", LEGEND])
