"""The set S, and what the pseudo-code takes for granted: classes, the closest ball, bad input."""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from abacoc import checks, wording
from abacoc.metrics import BY_NAME, Metric
from abacoc.readings import Reading, as_reading
from abacoc.search import EuclideanScan, MetricScan, Search

Label = Hashable


@dataclass(slots=True)
class Ball:
    """One local classifier: a centre and what it has seen.

    ``counts[k]`` is n_s(k) for the class with number k; classes that came later may be missing
    at the end. AUTO also keeps R_s (``birth_radius``), its current radius and m_s
    (``mistakes``); u_s (``moves``) serves the methods that move centres.
    """

    centre: Any
    counts: list[int] = field(default_factory=list)
    birth_radius: float = math.nan
    radius: float = math.nan
    mistakes: int = 0
    moves: int = 1

    def copy(self) -> Ball:
        """A ball that can change without a change to this one; a centre is only ever replaced."""
        # copy.copy takes ten times as long, and this is done at every update
        counts = self.counts.copy()
        return Ball(self.centre, counts, self.birth_radius, self.radius, self.mistakes, self.moves)

    def count(self, k: int) -> None:
        """Add one example of class k."""
        self.counts.extend([0] * (k + 1 - len(self.counts)))
        self.counts[k] += 1

    def majority(self) -> int:
        """argmax_k n_s(k); ties go to the class that was seen first, the one with the lower k."""
        return self.counts.index(max(self.counts))


class BallList:
    """A list of balls of which a draft is made in no time: it shares the memory.

    A draft can change without a change to the list. It adds beyond the balls that are in use,
    removes into other memory, and notes what it replaces. That is carried out when a draft of the
    draft is made: by then it has taken the place of the list. An exception may come at any moment:
    what was done halfway is done again, or lies beyond what is in use.

    >>> one, two, three = Ball("1"), Ball("2"), Ball("3")
    >>> balls = BallList()
    >>> balls.append(one)
    >>> balls.append(two)
    >>> draft = balls.draft()
    >>> draft[0] = three
    >>> draft.append(one)
    >>> [ball.centre for ball in balls], [ball.centre for ball in draft], draft[-1].centre
    (['1', '2'], ['3', '2', '1'], '1')
    """

    __slots__ = ("_balls", "_n", "_noted")
    _balls: list[Ball]
    _n: int  # of those in use
    _noted: dict[int, Ball]

    def __init__(self) -> None:
        self.clear()

    def draft(self) -> BallList:
        """A list that can change without a change to this one."""
        if self._noted:
            for i, ball in self._noted.items():
                self._balls[i] = ball
            self._noted = {}
        draft = object.__new__(BallList)
        draft._balls, draft._n, draft._noted = self._balls, self._n, {}
        return draft

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[Ball]:
        return map(self.__getitem__, range(self._n))

    def __getitem__(self, i: int) -> Ball:
        i = range(self._n)[i]
        return self._noted[i] if i in self._noted else self._balls[i]

    def __setitem__(self, i: int, ball: Ball) -> None:
        self._noted[range(self._n)[i]] = ball

    def __delitem__(self, i: int) -> None:
        balls = list(self)
        del balls[i]
        self._balls, self._n, self._noted = balls, len(balls), {}

    def append(self, ball: Ball) -> None:
        """Add a ball after all others."""
        self._balls[self._n :] = [ball]
        self._n += 1

    def clear(self) -> None:
        """Forget all balls."""
        self._balls, self._n, self._noted = [], 0, {}


class Balls(NamedTuple):
    """A copy of the cover, ball by ball in order of storage."""

    centres: Any  # (n, d) array of vectors, or a list of points
    radii: NDArray[np.float64]
    counts: NDArray[np.int64]  # (n, K), one column per class, in the order of ``classes``
    mistakes: NDArray[np.int64] | None  # None for BASE and BASE-ADJ, which do not count them


class CopiedWhole:
    """What shares no memory with its copies: two learners would write into each other's."""

    def __copy__(self) -> Self:
        return copy.deepcopy(self)


class BallSet(CopiedWhole):
    """Balls in order of storage, classes in order of first appearance."""

    moves_centres: ClassVar[bool] = False
    counts_mistakes: ClassVar[bool] = False
    settings: ClassVar[tuple[str, ...]] = ()  # arguments of the constructor, for the model file
    variables: ClassVar[tuple[str, ...]] = ()  # what else changes while it learns
    columns: dict[str, Any] | None = None  # of the streams it is for, kept in its file

    def __init__(self, metric: str | Metric, reading: str | Reading) -> None:
        self.metric = "euclidean" if metric is BY_NAME["euclidean"] else metric
        self.reading = as_reading(reading)
        self.classes: list[Label] = []
        self._class_number: dict[Label, int] = {}
        self._balls = BallList()
        self._search = self._new_search()
        self._dimension: int | None = None  # attributes per point, where points are vectors
        self._last_query: tuple[bytes, int, float] | None = None

    def __repr__(self) -> str:
        return wording.learner(self, "balls")

    @property
    def n_balls(self) -> int:
        """The model size."""
        return len(self._balls)

    @property
    def balls(self) -> Balls:
        """Centres, radii, label counts and mistakes of all balls, as copies."""
        balls = list(self._balls)[: self.n_balls]
        counts = np.zeros((len(balls), len(self.classes)), dtype=np.int64)
        for row, ball in zip(counts, balls, strict=True):
            row[: len(ball.counts)] = ball.counts
        centres: Any = copy.deepcopy([ball.centre for ball in balls])
        if self._needs_vectors:
            centres = np.array(centres, dtype=np.float64).reshape(len(balls), self._dimension or 0)
        radii = np.array([self.radius_of(ball) for ball in balls], dtype=np.float64)
        mistakes = np.array([ball.mistakes for ball in balls], dtype=np.int64)
        return Balls(centres, radii, counts, mistakes if self.counts_mistakes else None)

    def radius_of(self, ball: Ball) -> float:
        """The ball's current radius."""
        return ball.radius

    # Storage ----------------------------------------------------------------------------------

    def _draft(self) -> Self:
        """A learner that can change without a change to this one; a ball, once it is its own."""
        draft = object.__new__(type(self))
        draft.__dict__ = self.__dict__ | {
            "_balls": self._balls.draft(),
            "_search": self._search.draft(),
        }
        return draft

    def _own(self, i: int) -> Ball:
        """Ball ``i``, as a copy that may change."""
        ball = self._balls[i] = self._balls[i].copy()
        return ball

    def _store(self, x: Any, k: int) -> Ball:
        """A new ball around ``x`` that has seen one example of class k."""
        ball = Ball(centre=x)  # a copy already, see check_point
        ball.count(k)
        self._balls.append(ball)
        self._search.add(ball.centre)
        return ball

    def _discard(self, i: int) -> None:
        """Forget ball ``i``; the others keep their order."""
        del self._balls[i]
        self._search.remove(i)

    def _discard_all(self) -> None:
        self._balls.clear()
        self._search.clear()

    def _move(self, ball: Ball, x: Any, divisor: int) -> None:
        """x_s = x_s + (x_t - x_s) / divisor, the step of K-means."""
        ball.centre = ball.centre + (x - ball.centre) / divisor

    def _closest(self, x: Any) -> tuple[int, float]:
        """Position of the ball closest to ``x`` and its distance; (-1, infinity) without balls.

        Algorithm 5 asks twice for the same point, to predict and to learn; a vector's answer is
        kept for the second time.
        """
        if not self._balls:
            return -1, math.inf
        key = x.tobytes() if self._needs_vectors else None
        if key is not None and self._last_query is not None and self._last_query[0] == key:
            return self._last_query[1:]
        s, distance = self._search.nearest(x)
        self._last_query = None if key is None else (key, s, distance)
        return s, distance

    def _new_search(self) -> Search:
        if self.metric == "euclidean":
            return EuclideanScan()
        if callable(self.metric):
            return MetricScan(self.metric)
        if self.metric in BY_NAME:
            return MetricScan(BY_NAME[self.metric])
        known = ", ".join(BY_NAME)
        raise ValueError(f"unknown metric {self.metric!r}; give a callable or one of {known}")

    # Input ------------------------------------------------------------------------------------

    @property
    def _needs_vectors(self) -> bool:
        return self.moves_centres or self.metric == "euclidean"

    def check_point(self, x: Any) -> Any:
        """The point as it will be stored (a vector is copied); ValueError if it cannot be."""
        if not self._needs_vectors:
            return self._check_any_point(x)
        why = "moves its centres" if self.moves_centres else "uses the Euclidean distance"
        vector = checks.as_vector(x, f"{type(self).__name__} {why}")
        limit = self._largest_number(vector.size)
        checks.check_attributes(vector, self._dimension, limit)
        return vector

    def _check_any_point(self, x: Any) -> Any:
        """A copy of a point of any kind; the metric must be able to take it."""
        try:
            x = copy.deepcopy(x)
        except MemoryError:
            raise  # no fault of the point
        except Exception as error:
            raise ValueError(f"{x!r} cannot be kept: {error}") from None
        distance = self._search.distance(x, x)
        if not 0.0 <= distance < math.inf:
            raise ValueError(f"the metric gave {distance} for {x!r} and itself")
        return x

    def _largest_number(self, n_attributes: int) -> float:
        """Where vectors are compared by their distance, squares must not overflow."""
        euclidean = self.metric == "euclidean"
        return checks.largest_to_square(n_attributes) if euclidean else checks.LARGEST

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""
        return checks.check_label(y)

    def _take_up(self, x: Any, y: Label) -> int:
        """Number of the class, a new one on the fly (lines 5 and 6); the input has been checked."""
        if self._needs_vectors:
            self._dimension = x.size
        if y not in self._class_number:
            self._class_number = self._class_number | {y: len(self.classes)}
            self.classes = [*self.classes, y]
        self._last_query = None
        return self._class_number[y]

    def _all_balls(self) -> list[Ball]:
        """All balls in order of storage, for the model file."""
        return list(self._balls)

    def _restore(self, balls: list[Ball]) -> None:
        """Take over the balls of a model file; there are none yet."""
        for ball in balls:
            self._balls.append(ball)
            self._search.add(ball.centre)
