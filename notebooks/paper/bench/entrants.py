"""Who takes part: this project's ways to run AUTO-ADJ, and its peers where installed.

A peer that is not installed raises ImportError when it is made, not before.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abacoc.protocol import prequential
from paper.bench.data import Data
from paper.bench.timing import Model, Timing, time_test_then_learn

SWINN_WARM_UP = 500  # points before the graph is built, as River has it


def warm_up() -> None:
    """Compile everything, so that no measurement contains compilation."""
    importlib.import_module("abacoc.engine").warm_up()


def ours(search: str = "auto") -> Any:
    """AUTO-ADJ as users get it, with one of the ways to find the nearest ball."""
    from abacoc import AutoAdj

    if not hasattr(AutoAdj, "search"):  # else the reference would be timed in its place
        raise ValueError("abacoc bench needs the compiled learners, and these need numba")
    learner: Any = AutoAdj()
    learner.search = search
    return learner


def bounded(budget: int) -> Any:
    """AUTO-ADJ FIX as users get it."""
    from abacoc import AutoAdj

    return AutoAdj(budget=budget)


class Pass(NamedTuple):
    """One pass over a stream."""

    loop: Timing  # predicting and learning alone, as `abacoc run` counts it
    call: Timing  # all that a caller waits for: also the checks, the labels and the score
    balls: int


def run_ours(data: Data, search: str = "auto") -> Pass:
    """Algorithm 5 over the whole of ``data``."""
    learner = ours(search)
    started = perf_counter()
    run = prequential(learner, data.X, data.y, keep=False)
    seconds = perf_counter() - started
    n = run.n_examples
    return Pass(Timing(n, run.seconds), Timing(n, seconds), run.n_balls)


def _one_at_a_time(data: Data) -> Pass:
    learner = ours()
    timing = time_test_then_learn(as_model(learner), list(data.X), data.y.tolist())
    return Pass(timing, timing, learner.n_balls)


def as_model(learner: Any) -> Model:
    """A learner of this project, called once per example."""
    return Model(learner.predict, learner.update)


def _reference() -> Model:
    from abacoc.auto import AutoAdj

    return as_model(AutoAdj())


def _river(model: Any) -> Model:
    return Model(model.predict_one, model.learn_one, as_dicts)


def as_dicts(X: NDArray[np.float64]) -> list[dict[int, float]]:
    """Rows as River takes them.

    >>> as_dicts(np.array([[0.5, 2.0]]))
    [{0: 0.5, 1: 2.0}]
    """
    return [dict(enumerate(row)) for row in X.tolist()]


def _river_tree() -> Model:
    from river.tree import HoeffdingTreeClassifier

    return _river(HoeffdingTreeClassifier())


def _river_lazy(window: int) -> Model:
    from river.neighbors import KNNClassifier, LazySearch

    # without a distance of one's own this is River's compiled Euclidean scan
    engine = LazySearch(window_size=window, min_distance_keep=0.0)
    return _river(KNNClassifier(n_neighbors=1, engine=engine))


def _river_swinn(window: int) -> Model:
    from river.neighbors import SWINN, KNNClassifier

    engine = SWINN(maxlen=window, warm_up=min(SWINN_WARM_UP, window), seed=0)
    return _river(KNNClassifier(n_neighbors=1, engine=engine))


def _moa_knn(window: int) -> Model:
    moa = importlib.import_module("abacoc.baselines.moa")
    try:
        return as_model(moa.MoaKnn(k=1, window=window))
    except ValueError as error:  # a package that it needs is not there
        raise ImportError(str(error)) from None


# Over the whole stream.
WHOLE: dict[str, Callable[[Data], Pass]] = {
    "ours": run_ours,
    "plain": lambda data: run_ours(data, "plain"),
    "scan": lambda data: run_ours(data, "scan"),
    "one-at-a-time": _one_at_a_time,
}
# Over as much of its beginning as the time allows.
HEAD: dict[str, Callable[[], Model]] = {"reference": _reference, "river-tree": _river_tree}
# With as many points in the window as ours has balls.
WINDOW: dict[str, Callable[[int], Model]] = {
    "river-lazy": _river_lazy,
    "river-swinn": _river_swinn,
    "moa-knn": _moa_knn,
}
