"""The count without noise: distances evaluated per example, against the number of balls.

The growth is that of the dimension: in ten dimensions a search that knew the distance of the
nearest ball beforehand would have to look into nearly as many leaves. What is logarithmic is the
way down to a leaf, and the search as a whole where balls lie in few dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from abacoc.protocol import prequential
from abacoc.streams import Stream
from paper.bench.timing import Row


def count(data: Stream, sizes: Sequence[int], learner: Any) -> list[Row]:
    """One pass over ``data`` that stops at each size, and a tenth before it.

    The stream of a smaller size is the beginning of a larger one, so one pass serves all.
    """
    counts, seconds, done = list[Row](), 0.0, 0
    for size in sizes:
        for stop in (size - size // 10, size):
            before = learner.distance_evaluations
            run = prequential(learner, data.X[done:stop], data.y[done:stop], keep=False)
            seconds, done = seconds + run.seconds, stop
        evaluations = learner.distance_evaluations
        counts.append(
            {
                "stream": data.name,
                "examples": size,
                "balls": run.n_balls,
                "evaluations": (evaluations - before) / (size // 10),  # in the last tenth
                "evaluations_overall": evaluations / size,
                "seconds": seconds,  # of the loop, for all of them
                # of all arrays, with the room that is allocated ahead
                "bytes_per_ball": learner.n_bytes / run.n_balls,
            }
        )
    return counts


def with_laws(counts: pd.DataFrame) -> pd.DataFrame:
    """The counts, and how the evaluations of the last tenths grow on each stream.

    They grow like balls ** exponent, by least squares of the logarithms: by the factor
    ``per_tenfold`` where there are ten times as many balls.

    >>> counts = pd.DataFrame({"balls": [100, 1_000, 10_000], "evaluations": [30, 60, 120]})
    >>> with_laws(counts.assign(stream="s")).per_tenfold.round(3).tolist()
    [2.0, 2.0, 2.0]
    """
    laws = {}
    for stream, own in counts.groupby("stream"):
        if own.balls.nunique() < 2 or own.evaluations.min() <= 0:
            raise ValueError("a power law needs two different positive numbers of balls")
        laws[stream] = np.polyfit(np.log(own.balls), np.log(own.evaluations), 1)[0]
    exponent = counts.stream.map(laws)
    return counts.assign(exponent=exponent, per_tenfold=10**exponent)
