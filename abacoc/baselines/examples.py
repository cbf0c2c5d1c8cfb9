"""What the baselines that store examples share: classes, checks, and rows that run compiled."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from abacoc import checks, wording
from abacoc.ballset import Label
from abacoc.engine.kernels import Kernels
from abacoc.engine.rows import Answer, Rows, blank
from abacoc.engine.state import Flags, Floats


class ExampleLearner(Rows):
    """A method whose model is a set of stored examples under the Euclidean distance.

    The work is done row by row in compiled code, or in Python until it is there: a subclass says
    how arrays are made (``_allocate``) and how rows are predicted and learned. One example at a
    time is a matrix of one row, so both ways give the same answers.
    """

    is_compiled = True  # the protocol hands over whole matrices
    kernels: ClassVar[Kernels]
    _by_python = 0  # so many rows were served without kernels

    def __init__(self) -> None:
        self.classes, self._class_number = [], {}
        self._dimension = None

    def __repr__(self) -> str:
        return wording.learner(self, "stored examples")

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
    def _run_compiled(self, X: Floats, learned: Flags, out: Answer) -> None:
        """Predict each row, then learn it if it is to be learned."""

    @abstractmethod
    def _run_in_python(self, X: Floats, learned: Flags, out: Answer) -> int:
        """The same for some of the rows, the first ones; how many. An exception changes nothing."""

    @property
    def engine(self) -> str:
        """Who serves now, ``reference`` or ``compiled``; no answer depends on it."""
        return "compiled" if self.kernels.are_loaded else "reference"

    def compile_now(self) -> None:
        """Go on compiled from now on, even if kernels have to be compiled first."""
        self.kernels.load()

    def must_compile(self) -> bool:
        """True if the kernels are not on disk yet."""
        return self.kernels.must_compile()

    def get_ready(self) -> None:
        """Let kernels serve if they are there."""
        self.kernels.are_ready()

    def run_rows(self, X: Floats, labels: Any, learned: Flags) -> Answer:
        """Predict each example, then learn it if it is to be learned; all have been checked.

        After an exception those up to some row have been learned, and the others not.
        """
        rows, waited = self._by_python, self.kernels.waited
        answer = super().run_rows(X, labels, learned)
        seconds = answer.seconds - (self.kernels.waited - waited)
        return answer._replace(seconds=seconds, by_reference=self._by_python - rows)

    def _run(self, X: Floats, learned: Flags, out: Answer) -> None:
        t = 0
        self.get_ready()
        while t < len(X) and self.engine == "reference":
            with self.kernels.at_work():
                t += self._run_in_python(X[t:], learned[t:], out.rest(t))
            self.get_ready()
        self._by_python += t
        if t < len(X):
            self._run_compiled(X[t:], learned[t:], out.rest(t))

    # One example at a time ------------------------------------------------------------------------

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None while nothing was learned, or too little."""
        self.settle()
        vector = self.check_point(x)
        if self._dimension is None:
            return None
        k = self._one_row(vector, -1)
        return self.classes[k] if k >= 0 else None

    def update(self, x: Any, y: Label) -> None:
        """Learn one example."""
        self.settle()
        vector, y = self.check_point(x), self.check_label(y)
        try:
            self._promise(vector, [y])
            self._one_row(vector, self._class_number[y])
        finally:
            self.settle()

    def _one_row(self, vector: Floats, k: int) -> int:
        """The class predicted; then the example is learned if k is a class."""
        answer = blank(np.array([k], dtype=np.int64))
        self._run(vector[np.newaxis], np.array([k >= 0]), answer)
        return int(answer.predicted[0])

    def check_point(self, x: Any) -> Floats:
        """A copy of ``x`` as a vector; ValueError if it cannot be stored."""
        vector = checks.as_vector(x, f"{type(self).__name__} uses the Euclidean distance")
        checks.check_attributes(vector, self._dimension, checks.largest_to_square(vector.size))
        return vector

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""
        return checks.check_label(y)

    def _prepare(self, x: Floats, labels: Iterable[Label]) -> None:
        if self._dimension is None:
            self._allocate(x.size)
            self._dimension = x.size
        self._number(labels)

    def _taken_back(self, all_of_it: bool) -> None:
        pass  # without a dimension the arrays are made anew
