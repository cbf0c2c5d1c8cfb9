"""What the learners with kernels share: whole matrices are checked, run, and answered in labels.

New labels get their numbers before the examples that bring them are learned. An exception in
between must not leave a class of which nothing was learned: ``promise`` notes what there was
before, the kernels count the classes that they have seen, and ``settle`` takes the others back. It
may be interrupted itself, and is run again then by whoever comes next.
"""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from abacoc import checks
from abacoc.ballset import CopiedWhole, Label
from abacoc.engine.state import Flags, Floats, Ints


class Answer(NamedTuple):
    """What ``run_rows`` gives back, one entry per row."""

    codes: Ints  # of the true labels; -2: a label that has not been learned
    predicted: Ints  # numbers of classes; -1: no prediction
    sizes: Ints
    chances: Floats  # p_t, for the randomised vote alone
    seconds: float = 0.0
    by_reference: int = 0  # so many rows, the first ones

    def rest(self, t: int) -> Answer:
        """What is to be written from row t on."""
        return Answer(self.codes[t:], self.predicted[t:], self.sizes[t:], self.chances[t:])


def blank(codes: Ints) -> Answer:
    """An answer to be written by a kernel."""
    n = len(codes)
    predicted, sizes = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    return Answer(codes, predicted, sizes, np.full(n, 0.5))


class Rows(CopiedWhole, ABC):
    """A learner of points in Euclidean space that takes many examples at once."""

    classes: list[Label]  # in the order in which they were learned first
    _class_number: dict[Label, int]
    _dimension: int | None  # None before the first example is learned
    _promised: tuple[int, int | None] | None = None  # classes and attributes before a call

    @property
    @abstractmethod
    def engine(self) -> str:
        """Who serves now, ``reference`` or ``compiled``; no answer depends on it."""

    @abstractmethod
    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""

    @abstractmethod
    def _prepare(self, x: Floats, labels: Iterable[Label]) -> None:
        """Arrays for points like ``x``, and numbers for labels that are new; all is checked."""

    @abstractmethod
    def _n_seen(self) -> int:
        """How many classes the kernels have learned an example of, since there are arrays."""

    @abstractmethod
    def _taken_back(self, all_of_it: bool) -> None:
        """After some classes were taken back; with ``all_of_it`` nothing was learned at all."""

    @property
    def n_learned(self) -> int | None:
        """Examples that the kernels have learned since this was made or loaded; None: no kernels.

        It tells after an exception how many of those that were handed over have been learned.
        """
        return None

    def _promise(self, x: Floats, labels: Iterable[Label]) -> None:
        """As ``_prepare``, for examples that are learned next."""
        self._promised = (len(self.classes), self._dimension)
        self._prepare(x, labels)

    def _number(self, labels: Iterable[Label]) -> None:
        """Give numbers to those labels that are new."""
        for y in labels:
            if y not in self._class_number:
                self._class_number[y] = len(self.classes)
                self.classes.append(y)

    def settle(self) -> None:
        """Take back the classes that were promised and not learned."""
        if self._promised is None:
            return
        n, dimension = self._promised
        seen = self._n_seen()
        nothing = dimension is None and seen == 0
        n = max(n, seen)
        if nothing or n < max(len(self.classes), len(self._class_number)):
            del self.classes[n:]
            self._class_number = {y: k for k, y in enumerate(self.classes)}
            self._dimension = None if nothing else self._dimension
            self._taken_back(nothing)
        self._promised = None

    @abstractmethod
    def get_ready(self) -> None:
        """Do what the clock of a run shall not count, such as to compile."""

    @abstractmethod
    def _run(self, X: Floats, learned: Flags, out: Answer) -> None:
        """Predict each row, then learn it if it is to be learned."""

    def check_matrix(self, X: Any, y: Any) -> Floats | None:
        """The points as a matrix if all is well with them and the labels; None if not, or maybe."""
        if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "fiub" or not X.size:
            return None
        matrix = np.require(X, np.float64, ["C", "W"])
        if self._dimension not in (None, matrix.shape[1]):
            return None
        limit = checks.largest_to_square(matrix.shape[1])
        if not (matrix.max() <= limit and matrix.min() >= -limit):  # not true with NaN
            return None
        try:
            for label in dict.fromkeys(y.tolist() if isinstance(y, np.ndarray) else y):
                self.check_label(label)
        except (TypeError, ValueError):
            return None
        return matrix

    def run_rows(self, X: Floats, labels: Any, learned: Flags) -> Answer:
        """Predict each example, then learn it if it is to be learned; all have been checked.

        After an exception those up to some row have been learned, and the others not.
        """
        self.settle()
        try:
            if learned.any():
                self._promise(X[0], dict.fromkeys(itertools.compress(labels, learned)))
            answer = blank(self._codes(labels))
            started = time.perf_counter()
            if self._dimension is not None:
                self._run(X, learned, answer)
            return answer._replace(seconds=time.perf_counter() - started)
        finally:
            self.settle()

    def _codes(self, labels: Any) -> Ints:
        numbers = map(self._class_number.get, labels, itertools.repeat(-2))
        return np.fromiter(numbers, np.int64, len(labels))

    def named(self, answer: Answer) -> list[Label | None]:
        """The predicted labels; None for no prediction."""
        labels = [*self.classes, None]  # -1 is the last one
        return [labels[k] for k in answer.predicted.tolist()]

    def recursive_accuracy(self, hits: Flags, m: float, t: int) -> float:
        """M_t from M_(t - 1) by the recursion of Algorithm 5."""
        if self.engine == "reference":  # no kernel is loaded for it
            for hit in hits.tolist():
                t += 1
                m = (1 - 1 / t) * m + hit / t
            return m
        from abacoc.engine.loop import recursive_mean

        result: float = recursive_mean(hits, m, t)
        return result
