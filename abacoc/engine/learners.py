"""The learners for everyday use: the reference's behaviour, on compiled arrays where that can be.

Each class is a subclass of its reference and gives the same answers bit for bit. Points of the
Euclidean space go to an ``Engine``; any other metric, and any subclass that changes a hook, is
served by the reference itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from abacoc import auto, base
from abacoc.ballset import Ball, Balls, Label
from abacoc.cover import Cover
from abacoc.engine import state as S
from abacoc.engine.rows import Answer, Rows
from abacoc.engine.state import Flags, Floats

SEARCHES = ("auto", "tree", "scan", "plain")
FLOAT64 = np.dtype(np.float64)


class Compiled(Cover, Rows):
    """What the four learners share: an engine instead of a list of balls."""

    @cached_property
    def _engine(self) -> Any:
        """The engine; None unless this is one of the four learners on Euclidean points."""
        if type(self) not in LEARNERS or self.metric != "euclidean":
            return None
        from abacoc.engine.engine import Engine

        engine = Engine(getattr(self, "budget", None))
        reading = self.reading
        header = {
            "METHOD": S.AUTO if self.counts_mistakes else S.BASE,
            "MOVES": self.moves_centres,
            "ONE": -1,
            "RADIUS_RULE": ("max", "plus", "infinite").index(reading.radius_rule),
            "CLOSED": reading.closed_balls,
            "JUDGE_FIRST": reading.judge_before_count,
            "WAIT": reading.wait_for_two_labels,
            "COUNT_EVERY_STEP": reading.count_every_step,
            "START_AT_DIAMETER": reading.start_at_diameter,
            "SIZE_BEFORE_RESET": reading.size_before_reset,
        }
        for name, value in (header | self._own_settings()).items():
            (engine.f if isinstance(value, float) else engine.h)[getattr(S, name)] = value
        return engine

    def _own_settings(self) -> dict[str, Any]:
        """What the header holds for this method alone; a float goes to the numbers."""
        raise NotImplementedError

    # The model ------------------------------------------------------------------------------------

    @property
    def n_balls(self) -> int:
        """The model size."""
        engine = self.__dict__.get("_engine")  # none is made to see that there is no ball
        if engine is None:
            return super().n_balls
        n = int(engine.h[S.N_BALLS])
        return 0 if n == 1 and self._keeps_first_aside else n

    @property
    def _keeps_first_aside(self) -> bool:
        return self.counts_mistakes and not self.reading.wait_for_two_labels

    @property
    def balls(self) -> Balls:
        """Centres, radii, label counts and mistakes of all balls, as copies."""
        engine = self._engine
        if engine is None:
            return super().balls
        self.settle()
        if engine.s is None or self.n_balls == 0:
            empty = np.empty((0, self._dimension or 0))
            counts = np.zeros((0, len(self.classes)), dtype=np.int64)
            mistakes = np.zeros(0, dtype=np.int64) if self.counts_mistakes else None
            return Balls(empty, np.empty(0), counts, mistakes)
        radii = engine.table(floats=S.RADIUS)
        if not self.counts_mistakes:
            radii = np.full(self.n_balls, engine.f[S.EPSILON])
        mistakes = engine.table(ints=S.MISTAKES) if self.counts_mistakes else None
        return Balls(engine.centres(), radii, engine.counts(len(self.classes)), mistakes)

    @property
    def search(self) -> str:
        """How the closest ball is found.

        ``auto`` decides by itself; ``tree``, ``scan`` and ``plain`` (every centre, row by row)
        are there to be compared, and can be chosen before the first example.
        """
        return "reference" if self._engine is None else str(self._engine.search)

    @search.setter
    def search(self, search: str) -> None:
        if search not in SEARCHES:
            raise ValueError(f"the search is one of {', '.join(SEARCHES)}, not {search!r}")
        if self._engine is None:
            raise ValueError("this learner is served by the reference, which has one search only")
        if self._engine.s is not None:
            raise ValueError("the search can be chosen before the first example only")
        self._engine.search = search

    @property
    def distance_evaluations(self) -> int:
        """How many centres have been compared with a point so far."""
        if self._engine is None:
            raise ValueError("this learner is served by the reference, which does not count")
        return int(self._engine.h[S.ALL_EVALUATIONS])

    @property
    def n_bytes(self) -> int:
        """Memory of the model in bytes, with the room that is allocated ahead."""
        if self._engine is None:
            raise ValueError("this learner is served by the reference, which does not count")
        return int(self._engine.nbytes)

    # One example at a time ------------------------------------------------------------------------

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None while there is no ball to predict it."""
        if self._engine is None:
            return super().predict(x)
        k = self._look(x)
        return self.classes[k] if k >= 0 else None

    def _look(self, x: Any) -> int:
        """Number of the class predicted, -1 for none; the engine knows the closest ball then."""
        engine = self._engine
        if self._promised is not None:
            self.settle()
        if engine.s is None:
            self.check_point(x)
            return -1
        k: int = engine.look(self._vector(x))
        if k == -2:
            self.check_point(x)  # says what is wrong
            raise AssertionError(f"{x!r} was refused for no reason")
        return k

    def closest_counts(self, x: Any) -> list[int]:
        """Label counts of the ball that predicts ``x``, by class number; none without a ball."""
        if self._engine is None:
            return super().closest_counts(x)
        if self._look(x) < 0:
            return []
        tallies = self._engine.tallies(self._engine.s.found[0])
        return [tallies.get(k, 0) for k in range(len(self.classes))]

    def update(self, x: Any, y: Label) -> None:
        """Learn one example (Algorithm 1, lines 4 to 16)."""
        if self._engine is None:
            super().update(x, y)
            return
        if self._promised is not None:
            self.settle()
        try:
            k = self._class_number.get(y, -1)
        except TypeError:
            k = -1
        if k < 0 or self._engine.s is None:
            point, y = self.check_point(x), self.check_label(y)
            try:
                self._promise(point, [y])
                self._engine.take(point, self._class_number[y])
            finally:
                self.settle()
        elif not self._engine.take(self._vector(x), k):
            self.check_point(x)
            raise AssertionError(f"{x!r} was refused for no reason")

    def _vector(self, x: Any) -> Floats:
        """The point as a plain vector; the kernel looks at its values itself."""
        if (
            type(x) is np.ndarray
            and x.dtype is FLOAT64
            and x.shape == (self._dimension,)
            and x.flags.c_contiguous
            and x.flags.writeable
        ):
            return x
        vector: Floats = self.check_point(x)
        return vector

    def _prepare(self, x: Floats, labels: Iterable[Label]) -> None:
        self._dimension = x.size
        self._number(labels)
        engine = self._engine
        if engine.s is None:
            engine.allocate(x.size, self._largest_number(x.size))
        engine.h[S.ONE] = self._class_number.get(1, -1)

    def _n_seen(self) -> int:
        return int(self._engine.h[S.SEEN])

    @property
    def n_learned(self) -> int | None:
        """Examples learned since this was made or loaded; None where the reference serves."""
        return None if self._engine is None else int(self._engine.h[S.LEARNED])

    def _taken_back(self, all_of_it: bool) -> None:
        if all_of_it:
            self._engine.drop()
        self._engine.h[S.ONE] = self._class_number.get(1, -1)

    # Many examples ------------------------------------------------------------------------------

    @property
    def is_compiled(self) -> bool:
        """True where ``run_rows`` can be used: Euclidean points, and no hook is changed."""
        return self._engine is not None

    def compile_now(self) -> None:
        """Compile the kernels, or load them from disk, if that has not been done."""
        from abacoc.engine import warm_up

        warm_up()

    def _run(self, X: Floats, learned: Flags, out: Answer) -> None:
        self._engine.run(X, out.codes, learned, (out.predicted, out.sizes, out.chances))

    # Files ----------------------------------------------------------------------------------------

    def _all_balls(self) -> list[Ball]:
        if self._engine is None:
            return super()._all_balls()
        self.settle()
        self._engine.settle()
        balls: list[Ball] = self._engine.balls()
        return balls

    def _restore(self, balls: list[Ball]) -> None:
        if self._engine is None:
            super()._restore(balls)
        elif self._dimension is not None:
            self._prepare(np.empty(self._dimension), [])
            self._engine.restore(balls)


class _Variable:
    """An attribute of BASE that lives in the header of the engine once there is one."""

    def __init__(self, array: str, at: int) -> None:
        self.array, self.at = array, at

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, learner: Any, owner: type | None = None) -> Any:
        if learner is None:
            return self
        engine = learner.__dict__.get("_engine")
        if engine is None:
            return learner.__dict__[self.name]
        return getattr(engine, self.array)[self.at].item()

    def __set__(self, learner: Any, value: Any) -> None:
        engine = learner.__dict__.get("_engine")
        if engine is not None:
            getattr(engine, self.array)[self.at] = value
        learner.__dict__[self.name] = value


class Base(Compiled, base.Base):
    __doc__ = base.Base.__doc__

    phase = _Variable("h", S.PHASE)
    steps = _Variable("h", S.STEPS)
    dimension = _Variable("h", S.DIMENSION)
    epsilon = _Variable("f", S.EPSILON)

    def _own_settings(self) -> dict[str, Any]:
        return {
            "RANDOMIZED": self.vote == "randomized",
            "DIVISOR_TOTAL": getattr(self, "divisor", "total") == "total",
            "COVERING_CONSTANT": self.covering_constant,
            "PHASE": self.phase,
            "STEPS": self.steps,
            "DIMENSION": self.dimension,
            "EPSILON": self.epsilon,
        }

    def probability(self, x: Any) -> float:
        """p_t: the chance of predicting 1; one half while there is no ball."""
        if self._engine is None:
            return super().probability(x)
        if self._look(x) < 0:
            return 0.5
        p: float = self._engine.chance()
        return p


class BaseAdj(Base, base.BaseAdj):
    __doc__ = base.BaseAdj.__doc__


class Auto(Compiled, auto.Auto):
    __doc__ = auto.Auto.__doc__

    def _own_settings(self) -> dict[str, Any]:
        return {"EXPONENT": -1.0 / (2 + self.d_hat)}


class AutoAdj(Auto, auto.AutoAdj):
    __doc__ = auto.AutoAdj.__doc__


LEARNERS = (Base, BaseAdj, Auto, AutoAdj)
