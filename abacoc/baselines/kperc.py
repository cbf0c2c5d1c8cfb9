"""K-PERC: the multiclass Perceptron with a Gaussian kernel."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from abacoc.baselines.examples import ExampleLearner
from abacoc.engine.expansion import (
    EXPANSION_INTS,
    N_CLASSES,
    N_LEARNED,
    N_STORED,
    run_expansion,
)
from abacoc.engine.jit import is_on_disk
from abacoc.engine.loop import recursive_mean
from abacoc.engine.rows import Answer
from abacoc.engine.state import DONE, WIDTH, Flags, Floats, Ints

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


class KPerc(ExampleLearner):
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
        self._h: Ints = np.zeros(EXPANSION_INTS, dtype=np.int64)
        self._scores: Floats = np.zeros(8)
        self._totals: Floats = np.zeros(WIDTH)

    @property
    def n_balls(self) -> int:
        """The model size: the number of stored examples."""
        return int(self._h[N_STORED])

    @property
    def n_bytes(self) -> int:
        """Memory of the model in bytes, with the room that is allocated ahead."""
        return 0 if self._dimension is None else self._values.nbytes + self._signs.nbytes

    def compile_now(self) -> None:
        """Compile the kernels, or load them from disk, if that has not been done."""
        _warm_up()

    def must_compile(self) -> bool:
        """True if the kernels are not on disk yet."""
        return not is_on_disk(run_expansion)

    def _allocate(self, dimension: int) -> None:
        self._x: Floats = np.zeros(dimension)
        self._values: Floats = np.zeros((1, dimension, WIDTH))
        self._signs: Ints = np.zeros((WIDTH, 2), dtype=np.int64)

    def _n_seen(self) -> int:
        return int(self._h[N_CLASSES])

    @property
    def n_learned(self) -> int:
        """Examples learned, stored or not."""
        return int(self._h[N_LEARNED])

    def _run(self, X: Floats, learned: Flags, out: Answer) -> None:
        if len(self._scores) < len(self.classes):
            self._scores = np.resize(self._scores, 2 * len(self.classes))
        t, status = 0, -1
        while status != DONE:
            if status >= 0:
                self._make_room()
            arrays = (self._values, self._signs, self._x, self._totals, self._scores)
            rows = (X, out.codes, learned, out.predicted, out.sizes)
            t, status = run_expansion(self._h, self.gamma, *arrays, *rows, t)

    def _make_room(self) -> None:
        """Twice as much."""
        n_blocks = len(self._values)
        values = np.empty((2 * n_blocks, *self._values.shape[1:]))  # untouched pages cost nothing
        values[:n_blocks] = self._values
        signs = np.empty((2 * len(self._signs), 2), dtype=np.int64)
        signs[: len(self._signs)] = self._signs
        self._values = values  # before the signs, whose number says how much room there is
        self._signs = signs


@cache
def _warm_up() -> None:
    KPerc().update([0.0], 0)
    recursive_mean(np.zeros(1, dtype=np.bool_), 0.0, 0)
