"""What the baselines that store examples share: classes, checks, and rows that run compiled."""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc import checks
from abacoc.ballset import Label
from abacoc.engine.learners import Answer
from abacoc.engine.loop import recursive_mean

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class ExampleLearner(ABC):
    """A method whose model is a set of stored examples under the Euclidean distance.

    The work is done row by row in compiled code: a subclass says how arrays are made
    (``_allocate``) and how rows are predicted and learned (``_run``). One example at a time is a
    matrix of one row, so both ways give the same answers.
    """

    is_compiled = True  # the protocol hands over whole matrices

    def __init__(self) -> None:
        self.classes: list[Label] = []  # in the order in which they were learned first
        self._number: dict[Label, int] = {}
        self._dimension: int | None = None  # None before the first example is learned

    @property
    @abstractmethod
    def n_balls(self) -> int:
        """The model size: the number of stored examples."""

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """Memory of the model in bytes, with the room that is allocated ahead."""

    @abstractmethod
    def _allocate(self, dimension: int) -> None:
        """Make the arrays for examples with so many attributes."""

    @abstractmethod
    def _run(self, X: Floats, codes: Ints, learned: Flags, predictions: Ints, sizes: Ints) -> None:
        """Predict each row, then learn it if it is to be learned; class numbers go in and out."""

    @abstractmethod
    def compile_now(self) -> None:
        """Compile the kernels, or load them from disk, if that has not been done."""

    @abstractmethod
    def must_compile(self) -> bool:
        """True if the kernels are not on disk yet."""

    # One example at a time ------------------------------------------------------------------------

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None while nothing was learned."""
        vector = self.check_point(x)
        if self._dimension is None:
            return None
        k = self._one_row(vector, -1)
        return self.classes[k]

    def update(self, x: Any, y: Label) -> None:
        """Learn one example."""
        vector, y = self.check_point(x), self.check_label(y)
        self._prepare(vector.size, [y])
        self._one_row(vector, self._number[y])

    def _one_row(self, vector: Floats, k: int) -> int:
        """The class predicted; then the example is learned if k is a class."""
        prediction, size = np.empty(1, dtype=np.int64), np.empty(1, dtype=np.int64)
        codes, learned = np.array([k], dtype=np.int64), np.array([k >= 0])
        self._run(vector[np.newaxis], codes, learned, prediction, size)
        return int(prediction[0])

    def check_point(self, x: Any) -> Floats:
        """A copy of ``x`` as a vector; ValueError if it cannot be stored."""
        vector = checks.as_vector(x, f"{type(self).__name__} uses the Euclidean distance")
        checks.check_attributes(vector, self._dimension, checks.largest_to_square(vector.size))
        return vector

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""
        return checks.check_label(y)

    def _prepare(self, dimension: int, labels: Any) -> None:
        """Arrays, and numbers for labels that are new; all has been checked."""
        if self._dimension is None:
            self._allocate(dimension)
            self._dimension = dimension
        for y in labels:
            if y not in self._number:
                self._number[y] = len(self.classes)
                self.classes.append(y)

    # Many examples --------------------------------------------------------------------------------

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
        """Predict each example, then learn it if it is to be learned; all have been checked."""
        n = len(X)
        predicted, sizes = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
        if self._dimension is not None or learned.any():
            self._prepare(X.shape[1], dict.fromkeys(itertools.compress(labels, learned)))
        number = self._number
        codes = np.fromiter((number.get(label, -2) for label in labels), np.int64, n)
        started = time.perf_counter()
        if self._dimension is not None:
            self._run(X, codes, learned, predicted, sizes)
        seconds = time.perf_counter() - started
        return Answer(predicted, codes, sizes, np.empty(0), seconds)

    def named(self, answer: Answer) -> list[Label | None]:
        """The predicted labels; None for no prediction."""
        labels = [*self.classes, None]  # -1 is the last one
        return [labels[k] for k in answer.predicted.tolist()]

    def recursive_accuracy(self, hits: Flags, m: float, t: int) -> float:
        """M_t from M_(t - 1) by the recursion of Algorithm 5."""
        result: float = recursive_mean(hits, m, t)
        return result
