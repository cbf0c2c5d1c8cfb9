"""Algorithm 5: test each example, then learn it with a certain probability."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from abacoc.ballset import Label
from abacoc.chance import permutation
from abacoc.chance import sampling_mask as sampling_mask
from abacoc.scores import Scores
from abacoc.windows import Trace, Windows
from abacoc.wording import number

BAR_DELAY = 1.0  # seconds; a shorter run shows no bar
SLICE = 1 << 14  # examples that a compiled learner takes at a time; the bar moves in between


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
    kappa: float  # see `abacoc.scores`
    kappa_temporal: float
    macro_f1: float
    no_change: float  # the accuracy of repeating the last label of the stream
    predictions: list[Label | None] | None  # None in the list: no prediction yet
    model_sizes: NDArray[np.int64] | None  # after each example
    trace: Trace = field(compare=False, repr=False)  # the same over time, in blocks of the stream
    # how many examples the reference served until an engine could; no answer depends on it
    by_reference: int = field(default=0, compare=False)

    @property
    def windows(self) -> Windows:
        """Accuracy, kappa, NoChange and model size in windows, one after the other.

        >>> from abacoc.baselines.constant import Majority
        >>> labels = ["a", "a", "a", "a", "b", "a", "b", "b"]
        >>> run = prequential(Majority(), [[0.0]] * 8, labels, window=4)
        >>> run.windows.end.tolist(), run.windows.accuracy.tolist(), run.windows.no_change.tolist()
        ([4, 8], [0.75, 0.25], [0.75, 0.25])
        """
        return self.trace.windows()


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


def is_hit(prediction: Label | None, label: Label) -> bool:
    """True if the prediction is the label, as one key of a dict is another: so classes are told.

    A mere ``==`` will not do: NumPy compares its numbers with a tuple element by element.

    >>> is_hit(1.0, 1), is_hit(np.int64(1), (1,)), bool(np.int64(1) == (1,))
    (True, False, True)
    """
    return prediction in {label}


def prequential(
    learner: Learner,
    X: Any,
    y: Sequence[Label] | NDArray[Any] | None = None,
    *,
    rate: float = 1.0,
    seed: int = 0,
    keep: bool = True,
    progress: bool | None = False,
    shuffle: int | None = None,
    window: int | None = None,
) -> Run:
    """Algorithm 5 on the stream ``X``, ``y``, or with ``shuffle=SEED`` on a permutation of it.

    ``X`` is a matrix, a list of points, a frame or a sparse matrix. Without ``y`` it is whatever
    `abacoc.streams.as_stream` takes: a frame with its label last, the path of a file, a stream, an
    iterator of examples; the labels are texts then, but for the 0 and 1 of a BASE with a coin.

    The whole stream is checked before the first example is learned, so bad input leaves the
    learner as it was. A method with a ``probability`` (BASE) has its coin tossed here. With
    ``keep=False`` the predictions and model sizes are not kept. ``progress=None`` shows a bar if
    the terminal is one, True always. ``window`` is the length of the windows of ``Run.windows`` in
    examples (without it, a twentieth of the stream).

    >>> from abacoc import AutoAdj
    >>> run = prequential(AutoAdj(), [[0.0], [1.0], [0.1], [0.9]], ["a", "b", "a", "b"])
    >>> run.accuracy, run.n_balls, run.predictions
    (0.5, 2, [None, 'a', 'a', 'b'])
    """
    _check_rate(rate)
    if y is None or not isinstance(X, list | tuple | np.ndarray):
        from abacoc.streams.examples import points_and_labels

        X, y = points_and_labels(X, y, _is_coded(learner))
    if len(X) == 0:
        raise ValueError("the stream is empty")
    if shuffle is not None and len(X) == len(y):
        order = permutation(len(X), shuffle)
        X, y = (
            part[order] if isinstance(part, np.ndarray) else [part[i] for i in order.tolist()]
            for part in (X, y)
        )
    experiment = _Experiment(learner, rate, seed, keep, window)
    with progress_bar(len(X), progress) as bar:
        experiment.take_up(X, y, bar)
    return experiment.run()


def prequential_pieces(
    learner: Learner,
    pieces: Any,
    *,
    rate: float = 1.0,
    seed: int = 0,
    keep: bool = False,
    progress: bool | None = False,
    n_examples: int | None = None,
    after_piece: Callable[[Any, Run], None] | None = None,
    window: int | None = None,
) -> Run:
    """Algorithm 5 on a stream that comes in pieces ``(X, y)``, one of them in memory at a time.

    The answers are those of ``prequential`` on the whole stream. Each piece is checked before its
    first example is learned; what was learned from the pieces before a bad one stays learned.
    ``pieces`` may also be whatever `abacoc.streams.as_pieces` takes, such as the path of a file or
    an iterator of frames. ``n_examples`` is for the bar alone. ``after_piece`` is called with the
    labels of each piece and a ``Run`` of that piece, with its predictions and model sizes, for
    those who write them away; nothing is kept then. Its trace is that of the whole stream, and goes
    on.

    >>> from abacoc import AutoAdj
    >>> pieces = [([[0.0], [1.0]], ["a", "b"]), ([[0.1], [0.9]], ["a", "b"])]
    >>> prequential_pieces(AutoAdj(), pieces).accuracy
    0.5
    """
    _check_rate(rate)
    experiment = _Experiment(learner, rate, seed, keep or after_piece is not None, window)
    with progress_bar(n_examples, progress) as bar:
        for X, y in _in_pieces(learner, pieces):
            experiment.take_up(X, y, bar)
            if after_piece is not None:
                after_piece(y, experiment.run())
                experiment.forget()
    if experiment.t == 0:
        raise ValueError("the stream is empty")
    return experiment.run()


def side_by_side(
    learners: Sequence[tuple[Learner, Callable[[Any], Any]]],
    pieces: Iterable[tuple[Any, Any]],
    *,
    rate: float = 1.0,
    seed: int = 0,
    progress: bool | None = False,
    n_examples: int | None = None,
) -> list[Run]:
    """Algorithm 5 for several learners in one pass over a stream that comes in pieces ``(X, y)``.

    Each learner has a function that makes of ``X`` what it is given. The answers are those of
    ``prequential_pieces``, learner by learner.

    >>> from abacoc import AutoAdj
    >>> pieces = [([[0.0], [1.0]], ["a", "b"]), ([[0.1], [0.9]], ["a", "b"])]
    >>> learners = [(AutoAdj(), lambda X: X), (AutoAdj(), lambda X: [[x * x] for (x,) in X])]
    >>> [run.accuracy for run in side_by_side(learners, pieces)]
    [0.5, 0.5]
    """
    _check_rate(rate)
    experiments = [_Experiment(learner, rate, seed, False) for learner, _ in learners]
    n = 0
    with progress_bar(None if n_examples is None else n_examples * len(learners), progress) as bar:
        for X, y in pieces:
            for experiment, (_, given) in zip(experiments, learners, strict=True):
                experiment.take_up(given(X), y, bar)
                experiment.forget()
            n += len(y)
    if n == 0:
        raise ValueError("the stream is empty")
    return [experiment.run() for experiment in experiments]


class _Experiment:
    """A learner, the chance of the protocol, and the score so far."""

    def __init__(
        self, learner: Learner, rate: float, seed: int, keep: bool, window: int | None = None
    ) -> None:
        self.learner, self.rate, self.keep = learner, rate, keep
        self.mask = np.random.default_rng([seed, 0])
        self.coin = np.random.default_rng([seed, 1])
        self.randomized = _is_coded(learner)
        self.hits, self.m, self.t, self.n_updates, self.seconds = 0, 0.0, 0, 0, 0.0
        self.scores, self.trace = Scores(), Trace(window)
        self.by_reference = 0
        self.forget()

    def forget(self) -> None:
        """Drop the predictions and model sizes that were kept."""
        self.predictions: list[Label | None] = []
        self.sizes: list[NDArray[np.int64]] = []

    def run(self) -> Run:
        """What came out so far."""
        sizes = np.concatenate([np.empty(0, dtype=np.int64), *self.sizes])
        return Run(
            accuracy=self.hits / self.t,
            recursive_accuracy=self.m,
            n_balls=self.learner.n_balls,
            n_examples=self.t,
            n_updates=self.n_updates,
            seconds=self.seconds,
            by_reference=self.by_reference,
            kappa=self.scores.kappa,
            kappa_temporal=self.scores.kappa_temporal,
            macro_f1=self.scores.macro_f1,
            no_change=self.scores.no_change,
            predictions=self.predictions if self.keep else None,
            model_sizes=sizes if self.keep else None,
            trace=self.trace,
        )

    def take_up(self, X: Any, y: Any, bar: Any) -> None:
        """One piece of the stream, or all of it."""
        rows = _check_piece(self.learner, X, y, self.t)
        labels: Sequence[Label] = y.tolist() if isinstance(y, np.ndarray) else y
        learned = self.mask.random(len(labels)) < self.rate  # as in sampling_mask
        self.n_updates += int(learned.sum())
        if getattr(self.learner, "is_compiled", False):
            self._compiled(rows, labels, learned, bar)
        else:
            self._one_by_one(rows, labels, learned, bar)

    def _one_by_one(self, rows: Any, labels: Any, learned: NDArray[np.bool_], bar: Any) -> None:
        learner, predict, m = self.learner, self.learner.predict, self.m
        if self.randomized:
            predict = self._toss
        sizes = np.zeros(len(labels), dtype=np.int64)
        # elsewhere nobody looks, and to count the leaves of a tree may take its time
        wanted = (
            [True] * len(labels) if self.keep else self.trace.ends_of_blocks(len(labels)).tolist()
        )
        predictions: list[Label | None] = []
        started = time.perf_counter()
        for i, (x, label) in enumerate(zip(rows, labels, strict=True)):
            prediction = predict(x)
            hit = is_hit(prediction, label)
            self.hits += hit
            self.t += 1
            m = (1 - 1 / self.t) * m + hit / self.t
            if learned[i]:
                learner.update(x, label)
            predictions.append(prediction)
            if wanted[i]:
                sizes[i] = learner.n_balls
            bar.update()
        self.seconds += time.perf_counter() - started
        self.m = m
        self._score(labels, predictions, sizes)

    def _toss(self, x: Any) -> Label:
        p: float = self.learner.probability(x)  # type: ignore[attr-defined]
        return int(self.coin.random() < p)

    def _compiled(self, rows: Any, labels: Any, learned: NDArray[np.bool_], bar: Any) -> None:
        learner: Any = self.learner
        learner.get_ready()  # so that the clock does not count it
        for start in range(0, len(labels), SLICE):
            part = slice(start, min(start + SLICE, len(labels)))
            n = part.stop - start
            answer = learner.run_rows(rows[part], labels[part], learned[part])
            self.seconds += answer.seconds
            self.by_reference += answer.by_reference
            if self.randomized:
                said = self.coin.random(n) < answer.chances
                hits = said == np.fromiter((label == 1 for label in labels[part]), np.bool_, n)
            else:
                hits = answer.predicted == answer.codes
            self.hits += int(hits.sum())
            self.m = learner.recursive_accuracy(hits, self.m, self.t)
            self.t += n
            named = said.astype(int).tolist() if self.randomized else learner.named(answer)
            self._score(labels[part], named, answer.sizes)
            bar.update(n)

    def _score(
        self, labels: Sequence[Label], predictions: list[Label | None], sizes: NDArray[np.int64]
    ) -> None:
        self.trace.add(*self.scores.add(labels, predictions), sizes)
        if self.keep:
            self.predictions.extend(predictions)
            self.sizes.append(sizes)


def _is_coded(learner: Learner) -> bool:
    """Whether it knows the labels 0 and 1 alone, and its coin is tossed here."""
    return getattr(learner, "vote", None) == "randomized"


def _in_pieces(learner: Learner, pieces: Any) -> Iterable[tuple[Any, Any]]:
    """Pieces ``(X, y)``; the usual ones go on without a look at what else there might be."""
    if isinstance(pieces, Iterator | list | tuple):
        items = iter(pieces)
        first = next(items, None)
        if first is None:
            return ()
        is_pair = isinstance(first, tuple) and len(first) == 2
        pieces = chain([first], items)
        if is_pair and isinstance(first[0], list | np.ndarray) and np.ndim(first[1]) > 0:
            return pieces  # type: ignore[no-any-return]
    from abacoc.streams.examples import labelled_pieces

    return labelled_pieces(pieces, _is_coded(learner))


def _check_rate(rate: float) -> None:
    if not 0 < rate <= 1:
        raise ValueError(f"the rate must be above 0 and at most 1, not {rate}")


def _check_piece(learner: Learner, X: Any, y: Any, before: int) -> Any:
    """The rows; ValueError that names the row (and column) if something is wrong."""
    n = len(X)
    if len(y) != n:
        raise ValueError(f"{number(n, 'instances')} but {number(len(y), 'labels')}")
    if getattr(learner, "is_compiled", False):
        matrix = learner.check_matrix(X, y)  # type: ignore[attr-defined]
        if matrix is not None:
            return matrix
    size = None
    points = []
    for row, (x, label) in enumerate(zip(X, y, strict=True), start=before + 1):
        try:
            point = learner.check_point(x)
            learner.check_label(label)
            if isinstance(point, np.ndarray):
                size = size or point.size
                if point.size != size:
                    seen = number(point.size, "attributes")
                    raise ValueError(f"{seen} where the first row has {size}")
        except ValueError as error:
            raise ValueError(f"row {row}: {error}") from None
        points.append(point)
    return np.array(points) if getattr(learner, "is_compiled", False) else X


class _NoBar:
    """In the place of one that is not wanted.

    A hidden one of tqdm has a lock between processes as well, and a worker of a grid that is killed
    would leave the semaphore behind.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: int = 1) -> None:
        """Show nothing."""


def progress_bar(
    n: int | None, progress: bool | None, unit: str = "ex", what: str | None = None
) -> Any:
    """A bar of ``n`` units: for True, for None if the terminal is one; it shows up after a while.

    >>> with progress_bar(5, progress=False) as bar:
    ...     bar.update(5)
    """
    if progress is False:
        return _NoBar()
    from tqdm import tqdm

    # None: no bar unless the terminal is one
    disable = None if progress is None else False
    return tqdm(
        total=n,
        desc=what,
        unit=unit,
        unit_scale=unit == "B",
        unit_divisor=1024,
        delay=BAR_DELAY,
        leave=False,
        disable=disable,
    )
