"""K-PERC: the multiclass Perceptron with a Gaussian kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from abacoc.baselines.arrays import ArrayLearner
from abacoc.engine import expansion
from abacoc.engine.expansion import run_expansion
from abacoc.engine.handle import as_handle
from abacoc.engine.kernels import Kernels
from abacoc.engine.loop import recursive_mean
from abacoc.engine.rows import Answer
from abacoc.engine.state import Flags, Floats

PAIRS = 2000  # pairs of examples behind the typical distance
SMALLEST = 1e-300  # a smaller square counts as 0: one over it might be infinite


def typical_square(X: Floats, seed: int = 0) -> float:
    """The median squared distance of random pairs of different examples; 1 if there are none.

    >>> typical_square(np.array([[0.0, 0.0], [3.0, 4.0]]))
    25.0
    """
    i, j = np.random.default_rng([seed, 2]).integers(0, len(X), (2, PAIRS))
    with np.errstate(over="ignore"):  # what cannot be squared is refused by the learner
        squares = ((X[i] - X[j]) ** 2).sum(axis=1)
    squares = squares[(squares > SMALLEST) & (squares < np.inf)]
    return float(np.median(squares)) if len(squares) else 1.0


class KPerc(ArrayLearner):
    """K-PERC (Crammer and Singer, 2003), kernel exp(-gamma |x - x'|^2).

    Every class has a score, a sum of kernel values over the stored examples; the highest score
    predicts, ties to the class that was learned first. An example is stored unless its own class
    scores above all others. It then counts +1 for its class and -1 for the highest of the other
    classes. This is the max-score member of the ultraconservative family (the others spread the
    -1 over the classes that score as high), the one that the paper's code, DOGMA, has as its
    default; there as here a tie is a reason to store. The model size is the number of stored
    examples.

    Classes are taken up as they come; DOGMA has to be told how many there are. So the first
    example has no other class to count against, and an example of a new class is always stored.

    >>> learner = KPerc(gamma=0.5)
    >>> for x, y in ([0.0], "a"), ([0.1], "a"), ([3.0], "b"), ([2.9], "b"):
    ...     learner.update(x, y)
    >>> learner.predict([0.3]), learner.predict([2.0]), learner.n_balls
    ('a', 'b', 2)
    """

    def __init__(self, gamma: float = 1.0) -> None:
        super().__init__()
        if isinstance(gamma, str) or not 0 < gamma < math.inf:
            raise ValueError(f"gamma must be above 0 and finite, not {gamma!r}")
        self.gamma = float(gamma)

    @property
    def n_balls(self) -> int:
        """The model size: the number of stored examples."""
        return self._count(expansion.N_STORED)

    def _allocate(self, dimension: int) -> None:
        self._state = expansion.empty(dimension)

    def _n_seen(self) -> int:
        return self._count(expansion.N_CLASSES)

    @property
    def n_learned(self) -> int:
        """Examples learned, stored or not."""
        return self._count(expansion.N_LEARNED)

    def _entry(self) -> Any:
        return run_expansion

    def _go(
        self, run: Any, state: Callable[[], Any], X: Floats, learned: Flags, out: Answer
    ) -> None:
        if len(self._state.scores) < len(self.classes):
            scores = np.resize(self._state.scores, 2 * len(self.classes))
            self._state = self._state._replace(scores=scores)
        rows = (X, out.codes, learned, out.predicted, out.sizes)
        t = run(state(), self.gamma, *rows, 0)
        while t < len(X):
            self._make_room()
            t = run(state(), self.gamma, *rows, t)

    def _make_room(self) -> None:
        """Twice as much."""
        s = self._state
        n_blocks = len(s.values)
        values = np.empty((2 * n_blocks, *s.values.shape[1:]))  # untouched pages cost nothing
        values[:n_blocks] = s.values
        signs = np.empty((2 * len(s.signs), 2), dtype=np.int64)
        signs[: len(s.signs)] = s.signs
        self._state = s._replace(values=values, signs=signs)


def compile_all() -> None:
    """Compile every entry, or load it from disk."""
    numbers, flags = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_)
    run_expansion(
        as_handle(expansion.empty(1)), 1.0, np.zeros((1, 1)), numbers, flags, numbers, numbers, 0
    )
    recursive_mean(flags, 0.0, 0)


ENTRIES = (run_expansion, recursive_mean)
KPerc.kernels = Kernels(f"{__name__}:compile_all", f"{__name__}:ENTRIES")
