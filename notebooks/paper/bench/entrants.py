"""Who takes part: this project's ways to run AUTO-ADJ, and its peers where installed.

A peer that is not installed raises ImportError when it is made, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abacoc import AutoAdj
from abacoc.auto import AutoAdj as Reference
from abacoc.protocol import prequential
from abacoc.streams import Stream
from paper.bench.timing import Floats, Model, Timing, timed


def ours(search: str = "auto", reading: str = "paper") -> Any:
    """AUTO-ADJ as users get it, with one of the ways to find the nearest ball."""
    if AutoAdj is Reference:  # it would be timed in place of the compiled one
        raise ValueError("abacoc bench needs the compiled learners, and these need numba")
    learner: Any = AutoAdj(reading=reading)
    learner.search = search
    return learner


class Pass(NamedTuple):
    """One pass over a stream."""

    loop: Timing  # predicting and learning alone, as `abacoc run` counts it
    call: Timing  # all that a caller waits for: also the checks, the labels and the score
    balls: int


def run_ours(data: Stream, search: str = "auto", reading: str = "paper") -> Pass:
    """Algorithm 5 over the whole of ``data``."""
    learner = ours(search, reading)
    started = perf_counter()
    run = prequential(learner, data.X, data.y, keep=False)
    call = Timing(run.n_examples, perf_counter() - started)
    return Pass(Timing(run.n_examples, run.seconds), call, run.n_balls)


def _one_at_a_time(data: Stream) -> Pass:
    learner = ours()
    timing = timed(as_model(learner), list(data.X), data.y.tolist())
    return Pass(timing, timing, learner.n_balls)


def as_model(learner: Any) -> Model:
    """A learner of this project, called once per example."""
    return Model(learner.predict, learner.update)


def _river(model: Any) -> Model:
    def as_dicts(X: NDArray[np.float64]) -> list[dict[int, float]]:
        return [dict(enumerate(row)) for row in X.tolist()]

    return Model(model.predict_one, model.learn_one, as_dicts)


def _river_tree() -> Model:
    from river.tree import HoeffdingTreeClassifier

    return _river(HoeffdingTreeClassifier())


def _river_knn(engine: str, **settings: Any) -> Model:
    from river import neighbors

    search = getattr(neighbors, engine)(**settings)
    return _river(neighbors.KNNClassifier(n_neighbors=1, engine=search))


def _moa_knn(window: int) -> Model:
    from abacoc.baselines.moa import MoaKnn

    try:
        return as_model(MoaKnn(k=1, window=window))
    except ValueError as error:  # a package that it needs is not there
        raise ImportError(str(error)) from None


class KdTree:
    """The nearest stored example, by scikit-learn's tree over all and a scan over the newest.

    The tree cannot grow: it is built anew whenever there are twice as many examples.
    """

    def __init__(self, window: int) -> None:
        from sklearn.neighbors import KDTree

        self.build, self.tree, self.window = KDTree, None, window
        self.built = self.n = 0
        self.labels: list[Any] = []

    def learn(self, x: Floats, label: Any) -> None:
        """Store an example."""
        if not self.n:
            self.points = np.empty((2 * self.window + 1, len(x)))
        elif self.n == len(self.points):
            self.points = np.concatenate([self.points, np.empty_like(self.points)])
        self.points[self.n] = x
        self.n += 1
        self.labels.append(label)
        if self.n >= 2 * self.built:
            self.tree, self.built = self.build(self.points[: self.n]), self.n

    def predict(self, x: Floats) -> Any:
        """The label of the nearest one; None if there is none."""
        if self.tree is None:
            return None
        (distance,), (best,) = (found[0] for found in self.tree.query(x[np.newaxis], 1))
        if self.n > self.built:
            squares = ((self.points[self.built : self.n] - x) ** 2).sum(axis=1)
            newest = int(squares.argmin())
            if squares[newest] < distance * distance:
                best = self.built + newest
        return self.labels[best]


def _kd_tree(window: int) -> Model:
    tree = KdTree(window)
    return Model(tree.predict, tree.learn)


# Over the whole stream.
WHOLE: dict[str, Callable[[Stream], Pass]] = {
    "ours": run_ours,
    "plain": lambda data: run_ours(data, "plain"),
    "scan": lambda data: run_ours(data, "scan"),
    # the reading and the exhaustive search of the authors' library, in our own code
    "authors": lambda data: run_ours(data, "plain", "authors"),
    "one-at-a-time": _one_at_a_time,
}
# Over as much of its beginning as the time allows.
HEAD: dict[str, Callable[[], Model]] = {
    "reference": lambda: as_model(Reference()),
    "river-tree": _river_tree,
}
# With as many points in the window as ours has balls.
WINDOW: dict[str, Callable[[int], Model]] = {
    # without a distance of one's own this is River's compiled Euclidean scan
    "river-lazy": lambda n: _river_knn("LazySearch", window_size=n, min_distance_keep=0.0),
    # its graph is built after 500 points, as River has it
    "river-swinn": lambda n: _river_knn("SWINN", maxlen=n, warm_up=min(500, n), seed=0),
    "moa-knn": _moa_knn,
    "kd-tree": _kd_tree,
}
