"""Algorithm 5: test each example, then learn it with a certain probability."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abacoc.ballset import Label

BAR_DELAY = 1.0  # seconds; a shorter run shows no bar


class Learner(Protocol):
    """What the protocol asks of a method."""

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None for 'no prediction yet'."""
        ...

    def update(self, x: Any, y: Label) -> None:
        """Learn one example."""
        ...

    def check_point(self, x: Any) -> Any:
        """The point as the method keeps it, or ValueError."""
        ...

    def check_label(self, y: Label) -> Label:
        """The label, or ValueError."""
        ...

    @property
    def n_balls(self) -> int:
        """The model size."""
        ...


@dataclass(frozen=True)
class Run:
    """What came out of one pass over a stream."""

    accuracy: float  # the plain mean of the correct predictions
    recursive_accuracy: float  # M_T by the recursion of Algorithm 5, line 6
    n_balls: int  # the model size at the end
    n_examples: int
    n_updates: int  # how many examples the sub-sampling let through
    seconds: float  # the loop alone
    predictions: list[Label | None] | None  # None in the list: no prediction yet
    model_sizes: NDArray[np.int64] | None  # after each example


def sampling_mask(n: int, rate: float, seed: int) -> NDArray[np.bool_]:
    """Which examples are learned: ``rand() < rate`` (line 7), the same for every method.

    The numbers depend on the seed alone, so what is learned at a lower rate is also learned at
    every higher one.

    >>> sampling_mask(8, 0.5, seed=0).tolist()
    [False, True, True, True, False, False, False, False]
    """
    return np.random.default_rng([seed, 0]).random(n) < rate


def online_accuracy(correct: Iterable[bool]) -> list[float]:
    """M_1, M_2, ... by the recursion M_t = (1 - 1/t) M_{t-1} + I{correct} / t (line 6).

    >>> online_accuracy([True, False, True, True])
    [1.0, 0.5, 0.6666666666666667, 0.75]
    """
    curve, m = [], 0.0
    for t, hit in enumerate(correct, start=1):
        m = (1 - 1 / t) * m + hit / t
        curve.append(m)
    return curve


def prequential(
    learner: Learner,
    X: Sequence[Any] | NDArray[np.float64],
    y: Sequence[Label] | NDArray[Any],
    *,
    rate: float = 1.0,
    seed: int = 0,
    keep: bool = True,
    progress: bool | None = False,
) -> Run:
    """Algorithm 5 on the stream ``X``, ``y``.

    The whole stream is checked before the first example is learned, so bad input leaves the
    learner as it was. A method with a ``probability`` (BASE) has its coin tossed here. With
    ``keep=False`` the predictions and model sizes are not kept. ``progress=None`` shows a bar if
    the terminal is one, True always.

    >>> from abacoc import AutoAdj
    >>> run = prequential(AutoAdj(), [[0.0], [1.0], [0.1], [0.9]], ["a", "b", "a", "b"])
    >>> run.accuracy, run.n_balls, run.predictions
    (0.5, 2, [None, 'a', 'a', 'b'])
    """
    n = _check_stream(learner, X, y, rate)
    labels: Sequence[Label] = y.tolist() if isinstance(y, np.ndarray) else y
    learned = sampling_mask(n, rate, seed)
    predict = _prediction_rule(learner, seed)
    predictions: list[Label | None] = []
    sizes = np.empty(n if keep else 0, dtype=np.int64)
    hits, m = 0, 0.0
    pairs = _with_bar(zip(X, labels, strict=True), n, progress)
    started = time.perf_counter()
    for t, (x, label) in enumerate(pairs):
        prediction = predict(x)
        hit = prediction is not None and bool(prediction == label)
        hits += hit
        m = (1 - 1 / (t + 1)) * m + hit / (t + 1)
        if learned[t]:
            learner.update(x, label)
        if keep:
            predictions.append(prediction)
            sizes[t] = learner.n_balls
    seconds = time.perf_counter() - started
    return Run(
        accuracy=hits / n,
        recursive_accuracy=m,
        n_balls=learner.n_balls,
        n_examples=n,
        n_updates=int(learned.sum()),
        seconds=seconds,
        predictions=predictions if keep else None,
        model_sizes=sizes if keep else None,
    )


def _prediction_rule(learner: Learner, seed: int) -> Callable[[Any], Label | None]:
    """The learner's own rule, or a coin with the learner's probability for Algorithm 2."""
    if getattr(learner, "vote", None) != "randomized":
        return learner.predict
    probability: Callable[[Any], float] = learner.probability  # type: ignore[attr-defined]
    coin = np.random.default_rng([seed, 1])
    return lambda x: int(coin.random() < probability(x))


def _check_stream(learner: Learner, X: Any, y: Any, rate: float) -> int:
    """Length of the stream; ValueError that names the row (and column) if something is wrong."""
    if not 0 < rate <= 1:
        raise ValueError(f"the rate must be above 0 and at most 1, not {rate}")
    n = len(X)
    if n == 0:
        raise ValueError("the stream is empty")
    if len(y) != n:
        raise ValueError(f"{n} instances but {len(y)} labels")
    size = None
    for row, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        try:
            point = learner.check_point(x)
            learner.check_label(label)
            if isinstance(point, np.ndarray):
                size = size or point.size
                if point.size != size:
                    raise ValueError(f"{point.size} attributes where the first row has {size}")
        except ValueError as error:
            raise ValueError(f"row {row}: {error}") from None
    return n


def _with_bar(pairs: Iterable[Any], n: int, progress: bool | None) -> Iterable[Any]:
    if progress is False:
        return pairs
    from tqdm import tqdm

    # None: no bar unless the terminal is one
    disable = None if progress is None else False
    return tqdm(pairs, total=n, unit="ex", delay=BAR_DELAY, leave=False, disable=disable)
