"""A learner whose points are scaled as they arrive, by what it has learned so far.

An exception must leave learner and scaler both as before a call or both as after it. So what is
about to be learned is noted beside the statistics, and ``settle`` finds out afterwards how much of
it the learner has taken: the compiled learners count, the reference has another ``__dict__`` after
an update. It may be interrupted itself, and is run again then by whoever comes next.
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from abacoc import checks, modelfile
from abacoc.ballset import BallSet, CopiedWhole, Label
from abacoc.budget import MOST
from abacoc.scaling import NOTHING, ONLINE, Floats, Statistics

if TYPE_CHECKING:
    from abacoc.explain import Explanation
    from abacoc.protocol import Learner

# What has nothing to do with points: it is the learner's, if it has it.
PASSED_ON = ["balls", "classes", "vote", "runs_as", "is_compiled", "must_compile", "engine"]
PASSED_ON += ["check_matrix", "named", "recursive_accuracy"]
ONE_ROW = np.ones(1, dtype=np.bool_)


class Pending(NamedTuple):
    """What is being learned: rows, and the statistics when all of it has been learned."""

    mark: Any  # of the learner before, see ``_mark``
    X: Floats
    learned: NDArray[np.bool_]
    after: Statistics


class Scaled(CopiedWhole):
    """Any learner of vectors, on points that are scaled without looking ahead.

    ``online`` scales each attribute to mean 0 and deviation 1, ``online-minmax`` to [0, 1], over
    the examples that were learned and the point itself: the scaler learns what the learner learns,
    of a point to be predicted nothing is kept. Balls stay where they were stored; they and
    ``explain`` are in scaled units.

    It is for data whose attributes have different units. Where they are alike, or where their
    range tells something, scaling may cost accuracy; ``abacoc run STREAM --scale compare`` tells.

    >>> from abacoc import AutoAdj, prequential
    >>> X, y = [[0.0, 100.0], [1.0, 900.0], [0.1, 800.0], [0.9, 200.0]], ["a", "b", "a", "b"]
    >>> prequential(AutoAdj(), X, y).predictions
    [None, 'a', 'b', 'a']
    >>> learner = Scaled(AutoAdj(), "online-minmax")
    >>> prequential(learner, X, y).predictions
    [None, 'a', 'a', 'b']
    >>> learner, learner.statistics.high.tolist()
    (Scaled(AutoAdj(), 'online-minmax', n=4), [1.0, 900.0])
    """

    columns: dict[str, Any] | None = None  # as those of `BallSet`

    def __init__(self, learner: Learner, how: str = "online") -> None:
        if how not in ONLINE:
            raise ValueError(f"a learner is scaled {' or '.join(ONLINE)}, not {how!r}")
        if isinstance(learner, Scaled):
            raise ValueError("this learner is scaled already")
        if getattr(learner, "_dimension", None) is not None:
            raise ValueError("the learner has learned points that were not scaled: take a new one")
        self._set(learner, how, NOTHING)

    def _set(self, learner: Any, how: str, statistics: Statistics) -> None:
        self.learner, self.how = learner, how
        self._state: tuple[Statistics, Pending | None] = (statistics, None)

    def __repr__(self) -> str:
        """The class of the learner, the scaling and how many examples were learned."""
        learner = type(self.learner).__name__
        return f"{type(self).__name__}({learner}(), {self.how!r}, n={self.statistics.n})"

    def __getattr__(self, name: str) -> Any:
        if name in PASSED_ON and "learner" in self.__dict__:
            return getattr(self.learner, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """For copies: a mark of one learner says nothing of another."""
        self.settle()
        return self.__dict__.copy()

    # Scaling --------------------------------------------------------------------------------------

    @property
    def statistics(self) -> Statistics:
        """Of the examples that were learned."""
        if self._state[1] is not None:
            self.settle()
        return self._state[0]

    def settle(self) -> None:
        """After an exception: take into the statistics what the learner has learned, no more."""
        before, pending = self._state
        if pending is None:
            return
        rows = np.flatnonzero(pending.learned)
        taken = self._taken_since(pending.mark)
        if taken == len(rows):
            now = pending.after
        elif taken == 0:
            now = before
        else:  # rows are learned in their order
            end = rows[taken - 1] + 1
            _, now = before.take_rows(pending.X[:end], pending.learned[:end], self.how)
        self._state = now, None

    def _mark(self) -> Any:
        """What differs after the learner has learned an example."""
        n_learned = getattr(self.learner, "n_learned", None)
        return self.learner.__dict__ if n_learned is None else n_learned

    def _taken_since(self, mark: Any) -> int:
        now = self._mark()
        return now - mark if isinstance(mark, int) else int(now is not mark)

    def scale(self, x: Any) -> Floats:
        """A point as the learner would see it now."""
        point = self.check_point(x)
        return self.statistics.including(point).scale(point, self.how)

    # A learner ------------------------------------------------------------------------------------

    @property
    def n_balls(self) -> int:
        """The model size."""
        n_balls: int = self.learner.n_balls
        return n_balls

    @property
    def n_bytes(self) -> int:
        """Memory of the model in bytes, with that of the statistics."""
        own = sum(array.nbytes for array in self.statistics[1:])
        n_bytes: int = self.learner.n_bytes
        return n_bytes + own

    def check_point(self, x: Any) -> Floats:
        """A copy of the point as a vector, not scaled; ValueError if it cannot be learned."""
        vector = checks.as_vector(x, f"{type(self).__name__} scales attributes")
        dimension = self.statistics.mean.size or None
        checks.check_attributes(vector, dimension, checks.largest_to_square(vector.size))
        return vector

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""
        label: Label = self.learner.check_label(y)
        return label

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None for 'no prediction yet'."""
        label: Label | None = self.learner.predict(self.scale(x))
        return label

    def probability(self, x: Any) -> float:
        """p_t of BASE."""
        p: float = self.learner.probability(self.scale(x))
        return p

    def closest_counts(self, x: Any) -> list[int]:
        """Label counts of the ball that predicts ``x``, by class number; none without a ball."""
        counts: list[int] = self.learner.closest_counts(self.scale(x))
        return counts

    def explain(self, x: Any, k: int = 1) -> Explanation:
        """What ``predict`` says of ``x`` and why, in scaled units; nothing changes."""
        why: Explanation = self.learner.explain(self.scale(x), k)
        return why

    def update(self, x: Any, y: Label) -> None:
        """Learn one example, and its attributes for the scaling."""
        point, before = self.check_point(x), self.statistics
        after = before.including(point)
        self._state = before, Pending(self._mark(), point[np.newaxis], ONE_ROW, after)
        try:
            self.learner.update(after.scale(point, self.how), y)
        except BaseException:
            self.settle()
            raise
        self._state = after, None

    def run_rows(self, X: Floats, labels: Any, learned: NDArray[np.bool_]) -> Any:
        """As that of the compiled learners, see `abacoc.engine.rows`."""
        started = time.perf_counter()
        before = self.statistics
        Z, after = before.take_rows(X, learned, self.how)
        seconds = time.perf_counter() - started
        self._state = before, Pending(self._mark(), X, learned, after)
        try:
            answer = self.learner.run_rows(Z, labels, learned)
        except BaseException:
            self.settle()
            raise
        self._state = after, None
        return answer._replace(seconds=answer.seconds + seconds)

    def compile_now(self) -> None:
        """Compile the kernels, or load them from disk, if that has not been done."""
        self.learner.compile_now()
        _warm_up()

    def get_ready(self) -> None:
        """Do what the clock of a run shall not count, such as to compile."""
        self.learner.get_ready()
        _warm_up()

    # Files ----------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write learner and scaler to one file, atomically; `abacoc.load` reads it."""
        if not isinstance(self.learner, BallSet):
            raise ValueError(f"a {type(self.learner).__name__} cannot be saved")
        modelfile.save(self, path)

    @property
    def scaler(self) -> dict[str, Any]:
        """The scaling as plain JSON values, for the model file."""
        n, *columns = self.statistics
        lists = [array.tolist() for array in columns]
        return {"how": self.how, "n": n, **dict(zip(Statistics._fields[1:], lists, strict=True))}

    @classmethod
    def restored(cls, learner: Any, scaler: dict[str, Any]) -> Self:
        """A learner that has learned scaled points and its scaler; ValueError if they do not fit.

        What is checked holds of all that ``Statistics`` makes of any points.
        """
        lists = {name: scaler[name] for name in Statistics._fields[1:]}
        how, n = scaler["how"], scaler["n"]
        if how not in ONLINE or len(scaler) != 2 + len(lists):
            raise ValueError("an unknown scaler")
        width = len(lists["mean"])
        if learner._needs_vectors and width != (learner._dimension or 0):
            raise ValueError("a scaler of other attributes than the centres")
        for name, values in lists.items():
            if not all(type(value) is float for value in values) or len(values) != width:
                raise ValueError(f"{name} of the scaler is not one number per attribute")
        mean, variance, low, high = (
            np.array(values, dtype=np.float64) for values in lists.values()
        )
        examples = sum(sum(ball.counts) for ball in learner._all_balls())
        fits = max(1, examples) <= n < MOST if width else n == 0
        if type(n) is not int or not fits:
            raise ValueError(f"a scaler of {n} examples for balls of {examples}")
        limit = checks.largest_to_square(max(1, width))
        # not true of NaN either
        if not ((-limit <= low) & (low <= mean) & (mean <= high) & (high <= limit)).all():
            raise ValueError("means of the scaler beyond its ranges")
        if not ((variance >= 0.0) & (variance <= (high - low) * (high - low))).all():
            raise ValueError("variances of the scaler beyond its ranges")
        new = object.__new__(cls)
        new._set(learner, how, Statistics(n, mean, variance, low, high) if width else NOTHING)
        return new


@cache
def _warm_up() -> None:
    NOTHING.take_rows(np.zeros((1, 1)), ONE_ROW, "online")
