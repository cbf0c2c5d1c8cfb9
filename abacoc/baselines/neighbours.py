"""NN3 and CNN: the nearest neighbours among stored examples, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from abacoc import checks
from abacoc.baselines.examples import ExampleLearner
from abacoc.baselines.stored import Stored
from abacoc.engine.engine import Engine
from abacoc.engine.kernels import Kernels
from abacoc.engine.loop import build, read_centres, recursive_mean
from abacoc.engine.neighbours import run_neighbours
from abacoc.engine.rows import Answer
from abacoc.engine.state import DONE, EVALUATIONS, LEARNED, SEEN, STATUS, Flags, Floats, Ints


class NeighbourEngine(Engine):
    """The search structure of our own methods, over examples instead of balls."""

    def __init__(self, condensed: bool) -> None:
        super().__init__()
        self.condensed = condensed
        self.size: Ints = np.zeros(1, dtype=np.int64)

    def _calls(self, handle: Any) -> dict[str, Any]:
        return {}  # one point is a matrix of one row

    def run(self, X: Floats, codes: Ints, learned: Any, out: tuple[Any, ...]) -> None:
        """Algorithm 5 on some rows, with predictions and sizes written to ``out``."""
        predictions, sizes = out
        t, status = 0, -1
        while status != DONE:
            if status >= 0:
                self._serve(status)  # makes room: the handle is a new one then
            rows = (X, codes, learned, self.condensed, predictions, sizes, self.size, t)
            t = run_neighbours(self._handle, *rows)
            status = int(self.h[STATUS])


class Nn3(ExampleLearner):
    """K-NN over all examples (Section VI), with the paper's K = 3: the k nearest vote.

    The distance is the Euclidean one in float64, the squares added attribute by attribute;
    ties go to the example stored first. Ties of the vote go to the class that was learned first.
    While fewer than k are stored, those vote. The model size is the number of stored examples:
    every one that was learned.

    The search is exact, by the k-d tree of our own methods; while there are no kernels for it
    (`abacoc.engine.kernels`), by looking at every example.

    >>> learner = Nn3()
    >>> for x, y in ([0.0], "a"), ([1.0], "b"), ([1.2], "b"), ([5.0], "a"):
    ...     learner.update(x, y)
    >>> learner.predict([0.4]), learner.predict([4.0]), learner.n_balls
    ('b', 'b', 4)
    """

    condensed = False

    def __init__(self, k: int = 3) -> None:
        super().__init__()
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"k is a whole number of at least 1, not {k!r}")
        self.k = int(k)
        self._engine = NeighbourEngine(self.condensed)
        self._stored = None if self.kernels.are_loaded else Stored(self.k, self.condensed)

    @property
    def engine(self) -> str:
        """Who serves now, ``reference`` or ``compiled``; no answer depends on it."""
        return "compiled" if self._stored is None else "reference"

    @property
    def n_balls(self) -> int:
        """The model size: the number of stored examples."""
        return int(self._engine.size[0]) if self._stored is None else self._stored.now.stored

    @property
    def n_bytes(self) -> int:
        """Memory of the model in bytes, with the room that is allocated ahead."""
        self.compile_now()
        return int(self._engine.nbytes)

    @property
    def distance_evaluations(self) -> int:
        """How many examples the engine has compared with a point so far."""
        self.compile_now()
        return int(self._engine.h[EVALUATIONS])

    def compile_now(self) -> None:
        """Go on compiled from now on, even if kernels have to be compiled first."""
        self.kernels.load()
        self._hand_over()

    def get_ready(self) -> None:
        """Let the engine take over if it can."""
        if self._stored is not None and self.kernels.are_ready():
            self._hand_over()

    def _hand_over(self) -> None:
        """Let the engine learn what is stored, and go on: by one assignment, or not at all."""
        if self._stored is None:
            return
        engine, now = NeighbourEngine(self.condensed), self._stored.now
        if self._dimension is not None:
            engine.allocate(self._dimension, checks.largest_to_square(self._dimension), self.k)
            X, codes = self._stored.examples()
            nobody_asked = np.empty_like(codes)
            engine.run(X, codes, np.ones(len(X), dtype=np.bool_), (nobody_asked, nobody_asked))
            engine.h[SEEN], engine.h[LEARNED] = now.seen, now.learned
        self.__dict__ = self.__dict__ | {"_engine": engine, "_stored": None}

    def _allocate(self, dimension: int) -> None:
        if self._stored is not None:
            self._stored.allocate(dimension)
        else:
            self._engine.allocate(dimension, checks.largest_to_square(dimension), self.k)

    def _n_seen(self) -> int:
        return int(self._engine.h[SEEN]) if self._stored is None else self._stored.now.seen

    @property
    def n_learned(self) -> int:
        """Examples learned, stored or not."""
        return int(self._engine.h[LEARNED]) if self._stored is None else self._stored.now.learned

    def _run_compiled(self, X: Floats, learned: Flags, out: Answer) -> None:
        self._engine.run(X, out.codes, learned, (out.predicted, out.sizes))

    def _run_in_python(self, X: Floats, learned: Flags, out: Answer) -> int:
        assert self._stored is not None
        out.predicted[0] = self._stored.row(X[0], int(out.codes[0]) if learned[0] else -1)
        out.sizes[0] = self._stored.now.stored
        return 1


class Cnn(Nn3):
    """Condensed nearest neighbour (Section VI): 1-NN that stores only what it gets wrong.

    The first example is stored, and then each one that differs from the class of its nearest
    stored example at the moment it is learned; nothing is ever removed or looked at again, as in
    'a streaming version of NN which only stores mistaken points'. The model size is the number of
    stored examples.

    >>> learner = Cnn()
    >>> for x, y in ([0.0], "a"), ([0.1], "a"), ([1.0], "b"), ([0.9], "b"):
    ...     learner.update(x, y)
    >>> learner.predict([0.6]), learner.n_balls
    ('b', 2)
    """

    condensed = True

    def __init__(self) -> None:
        super().__init__(k=1)


def compile_all() -> None:
    """Compile every entry, or load it from disk."""
    engine = NeighbourEngine(condensed=False)
    engine.allocate(1, 1.0)
    engine.centres()
    recursive_mean(np.zeros(1, dtype=np.bool_), 0.0, 0)
    numbers = np.zeros(1, dtype=np.int64)
    engine.run(np.zeros((1, 1)), numbers, numbers == 0, (numbers, numbers))


ENTRIES = (run_neighbours, build, read_centres, recursive_mean)
Nn3.kernels = Kernels(f"{__name__}:compile_all", f"{__name__}:ENTRIES")
