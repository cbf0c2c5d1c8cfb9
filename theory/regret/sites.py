"""BASE on a finite space, fast: every site knows its nearest ball."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abacoc.base import ball_probability, dimension_for, exceeds

from .spaces import FiniteSpace


class Phase(NamedTuple):
    """One phase of BASE; steps of the stream are counted from 1."""

    phase: int  # i
    dimension: int  # d_i
    first_step: int
    n_steps: int  # n_i
    n_balls: int  # at its end


def expected_mistakes(p: ArrayLike, y: ArrayLike) -> float:
    """Sum of |y_t - p_t|, exact up to one rounding: 1 - p_t is not rounded on the way.

    >>> expected_mistakes([0.5, 0.25, 2.0**-60], [1, 0, 1])
    1.75
    """
    chances, labels = np.asarray(p, dtype=np.float64), np.asarray(y)
    signed = np.where(labels == 1, -chances, chances)
    return math.fsum([float(np.count_nonzero(labels == 1)), *signed.tolist()])


class SiteBase:
    """Algorithm 2 in the reading ``paper``, bit for bit ``abacoc.Base(metric=space.distance)``.

    ``nearest`` and ``nearest_distance`` hold, for every site, its nearest ball (ties to the ball
    stored first) and how far it is; -1 and infinity without balls. A new ball costs O(n), any
    other step O(1).

    >>> from abacoc_theory.regret.spaces import interval
    >>> learner = SiteBase(interval(11))
    >>> learner.run([1, 1, 9], [1, 1, 0]).tolist()
    [0.5, 0.7886751345948128, 1.0]
    >>> learner.centres, learner.ones, learner.counts, learner.probability(2)
    ([1, 9], [2, 0], [2, 1], 1.0)
    """

    expected_mistakes = staticmethod(expected_mistakes)

    def __init__(self, space: FiniteSpace, covering_constant: float = 1.0) -> None:
        if not 1 <= covering_constant < math.inf:
            raise ValueError(f"the covering constant must be at least 1, not {covering_constant}")
        self.space = space
        self.covering_constant = float(covering_constant)
        self.phase, self.steps, self.dimension = 1, 0, 1  # i, t_i, d_i
        self.epsilon = 1.0  # tests the next example
        self.nearest: NDArray[np.int64] = np.full(space.n, -1, dtype=np.int64)
        self.nearest_distance: NDArray[np.float64] = np.full(space.n, math.inf)
        self.centres: list[int] = []
        self.ones: list[int] = []
        self.counts: list[int] = []
        self.past_counts: list[int] = []  # of the balls that the earlier phases ended with
        self.travelled = 0.0  # the distances of all examples from the balls that took them
        self._past: list[Phase] = []
        # One element of a memoryview is read about as fast as one of a list.
        self._nearest, self._distance = self.nearest.data, self.nearest_distance.data

    @property
    def n_balls(self) -> int:
        """The model size."""
        return len(self.centres)

    @property
    def is_full(self) -> bool:
        """True if one more ball would be too many for the dimension (line 15)."""
        size, k, d = self.n_balls + 1, self.steps + 1, self.dimension
        return exceeds(size, self.covering_constant, k, d, d)

    @property
    def history(self) -> list[Phase]:
        """All phases; the last one is still running."""
        first = self._past[-1].first_step + self._past[-1].n_steps if self._past else 1
        return [*self._past, Phase(self.phase, self.dimension, first, self.steps, self.n_balls)]

    def probability(self, site: int) -> float:
        """p_t: the chance of predicting 1 at the site."""
        s = self._nearest[site]
        return 0.5 if s < 0 else ball_probability(self.ones[s], self.counts[s])

    def update(self, site: int, label: int) -> None:
        """Learn one example."""
        if not 0 <= site < self.space.n or label not in (0, 1):
            raise ValueError(f"no site {site} or no label {label!r}")
        self._learn(site, int(label))

    def run(self, sites: ArrayLike, labels: ArrayLike) -> NDArray[np.float64]:
        """Predict and learn a stream; the p_t."""
        x, y = np.asarray(sites, dtype=np.int64), np.asarray(labels)
        if x.ndim != 1 or x.shape != y.shape:
            raise ValueError("sites and labels must be two sequences of the same length")
        if ((x < 0) | (x >= self.space.n)).any() or not ((y == 0) | (y == 1)).all():
            raise ValueError("a site is not in the space, or a label is neither 0 nor 1")
        return np.array(list(self._stream(x.tolist(), y.astype(int).tolist())), dtype=np.float64)

    def _stream(self, sites: list[int], labels: list[int]) -> Iterable[float]:
        nearest, ones, counts = self._nearest, self.ones, self.counts
        for x, y in zip(sites, labels, strict=True):
            s = nearest[x]
            yield ball_probability(ones[s], counts[s]) if s >= 0 else 0.5
            self._learn(x, y)

    def _learn(self, site: int, label: int) -> None:
        distance = self._distance[site]
        if distance <= self.epsilon:
            self.travelled += distance
            s = self._nearest[site]
            self.counts[s] += 1
            self.ones[s] += label
        else:
            self._add_ball(site, label)
        self.steps += 1
        self.epsilon = (self.steps + 1) ** (-1 / (2 + self.dimension))  # line 28

    def _add_ball(self, site: int, label: int) -> None:
        if self.is_full:
            size, k = self.n_balls + 1, self.steps + 1
            self._start_phase(dimension_for(size, self.covering_constant, k, self.dimension))
        row = self.space.row(site)
        self.nearest[row < self.nearest_distance] = self.n_balls
        np.minimum(self.nearest_distance, row, out=self.nearest_distance)
        self.centres.append(site)
        self.ones.append(label)
        self.counts.append(1)

    def _start_phase(self, d: int) -> None:
        self._past = self.history
        self.past_counts += self.counts
        self.phase, self.steps, self.dimension = self.phase + 1, 0, d
        self.nearest.fill(-1)
        self.nearest_distance.fill(math.inf)
        for balls in self.centres, self.ones, self.counts:
            balls.clear()
