"""The learners for everyday use: the reference's behaviour, on compiled arrays where that can be.

Each class is a subclass of its reference and gives the same answers bit for bit. It begins as the
reference. On points of the Euclidean space an ``Engine`` takes over as soon as the kernels are
there; any other metric, and any subclass that changes a hook, stays with the reference.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy import ndarray

from abacoc import auto, base
from abacoc.ballset import Ball, BallList, Balls, Label
from abacoc.cover import Cover
from abacoc.engine import state as S
from abacoc.engine.kernels import OURS
from abacoc.engine.rows import Answer, Rows, blank
from abacoc.engine.state import Flags, Floats

SEARCHES = ("auto", "scan", "plain")
FLOAT64 = np.dtype(np.float64)


class Compiled(Cover, Rows):
    """What the four learners share: at first the reference's balls, then an engine instead."""

    _engine: Any = None  # None as long as the reference serves
    _learned = 0  # examples that the reference has learned

    # Who serves -----------------------------------------------------------------------------------

    @property
    def is_compiled(self) -> bool:
        """True where an engine can serve: Euclidean points, and no hook is changed."""
        return type(self) in LEARNERS and self.metric == "euclidean"

    @property
    def engine(self) -> str:
        """Who serves now, ``reference`` or ``compiled``; no answer depends on it."""
        return "reference" if self._engine is None else "compiled"

    def compile_now(self) -> None:
        """Go on compiled from now on, even if kernels have to be compiled first."""
        if self._engine is None and self.is_compiled:
            OURS.load()
            self._hand_over()

    def must_compile(self) -> bool:
        """True if ``compile_now`` has to compile: the kernels are not on disk."""
        return OURS.must_compile()

    def _engine_now(self) -> Any:
        """The engine, which takes over here if its kernels have come; None for the reference."""
        if self._engine is None and self.is_compiled and OURS.are_ready():
            self._hand_over()
        return self._engine

    def _hand_over(self) -> None:
        """Let an engine go on with all that was learned: by one assignment, or not at all."""
        from abacoc.engine.engine import Engine

        engine = Engine(getattr(self, "budget", None))
        reading = self.reading
        header = {
            "METHOD": S.AUTO if self.counts_mistakes else S.BASE,
            "MOVES": self.moves_centres,
            "ONE": self._class_number.get(1, -1),
            "LEARNED": self._learned,
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
        if self._dimension is not None:
            engine.allocate(self._dimension, self._largest_number(self._dimension))
            engine.restore(list(self._balls))
        nothing = {"_balls": BallList(), "_search": self._new_search(), "_last_query": None}
        self.__dict__ = self.__dict__ | nothing | {"_engine": engine}

    def _needed_engine(self) -> Any:
        """The engine, for what only it can tell."""
        self.compile_now()
        if self._engine is None:
            raise ValueError("this learner is served by the reference, which does not count")
        return self._engine

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
        radii = engine.table("ball_f", S.RADIUS)
        if not self.counts_mistakes:
            radii = np.full(self.n_balls, engine.f[S.EPSILON])
        mistakes = engine.table("ball_i", S.MISTAKES) if self.counts_mistakes else None
        return Balls(engine.centres(), radii, engine.counts(len(self.classes)), mistakes)

    @property
    def search(self) -> str:
        """How the closest ball is found.

        ``auto`` leaves out what cannot be the closest; ``scan`` (every block) and ``plain`` (every
        centre, row by row) are there to be compared, and can be chosen before the first example.
        """
        if self._engine is None:
            return "auto" if self.is_compiled else "reference"
        return str(self._engine.search)

    @search.setter
    def search(self, search: str) -> None:
        if search not in SEARCHES:
            raise ValueError(f"the search is one of {', '.join(SEARCHES)}, not {search!r}")
        if not self.is_compiled:
            raise ValueError("this learner is served by the reference, which has one search only")
        if self._dimension is not None:
            raise ValueError("the search can be chosen before the first example only")
        self._needed_engine().search = search

    @property
    def distance_evaluations(self) -> int:
        """How many centres the engine has compared with a point so far."""
        return int(self._needed_engine().h[S.EVALUATIONS])

    @property
    def n_bytes(self) -> int:
        """Memory of the model in bytes, with the room that is allocated ahead."""
        return int(self._needed_engine().nbytes)

    # One example at a time ------------------------------------------------------------------------

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None while there is no ball to predict it."""
        engine = self._engine
        if engine is None and (engine := self._engine_now()) is None:
            with OURS.at_work():
                return super().predict(x)
        k = -2
        if type(x) is ndarray and x.dtype is FLOAT64 and x.ndim == 1 and self._promised is None:
            look = engine.look
            if look is not None:
                k = look(x)
        if k == -2:
            k = self._look(x)
        return self.classes[k] if k >= 0 else None

    def _look(self, x: Any) -> int:
        """Number of the class predicted, -1 for none; the engine knows the closest ball then."""
        self.settle()
        point = self.check_point(x)
        return -1 if self._engine.s is None else int(self._engine.look(point))

    def closest_counts(self, x: Any) -> list[int]:
        """Label counts of the ball that predicts ``x``, by class number; none without a ball."""
        if self._engine_now() is None:
            return super().closest_counts(x)
        if self._look(x) < 0:
            return []
        tallies = self._engine.tallies(self._engine.s.found[0])
        return [tallies.get(k, 0) for k in range(len(self.classes))]

    def update(self, x: Any, y: Label) -> None:
        """Learn one example (Algorithm 1, lines 4 to 16)."""
        engine = self._engine
        if engine is None and (engine := self._engine_now()) is None:
            with OURS.at_work():
                return super().update(x, y)
        if type(x) is ndarray and x.dtype is FLOAT64 and x.ndim == 1 and self._promised is None:
            try:
                k = self._class_number[y]
            except (KeyError, TypeError):  # a new one, or none at all
                pass
            else:
                if engine.take_one is not None and engine.take(x, k):
                    return None
        self.settle()
        point, y = self.check_point(x), self.check_label(y)
        try:
            self._promise(point, [y])
            engine.take(point, self._class_number[y])
        finally:
            self.settle()
        return None

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
    def n_learned(self) -> int:
        """Examples learned since this was made or loaded."""
        return self._learned if self._engine is None else int(self._engine.h[S.LEARNED])

    def _learn(self, x: Any, y: Label) -> None:
        super()._learn(x, y)  # on a draft of this learner
        self._learned += 1

    def _taken_back(self, all_of_it: bool) -> None:
        if all_of_it:
            self._engine.drop()
        self._engine.h[S.ONE] = self._class_number.get(1, -1)

    # Many examples ------------------------------------------------------------------------------

    def get_ready(self) -> None:
        """Let an engine take over if it can."""
        self._engine_now()

    def run_rows(self, X: Floats, labels: Any, learned: Flags) -> Answer:
        """Predict each example, then learn it if it is to be learned; all have been checked.

        The reference begins, and an engine takes over at some row. After an exception those up to
        some row have been learned, and the others not.
        """
        if self._engine_now() is not None:
            return super().run_rows(X, labels, learned)
        n, t, before = len(X), 0, OURS.worked
        said = blank(np.empty(n, dtype=np.int64))
        randomized = getattr(self, "vote", None) == "randomized"
        while t < n and self._engine_now() is None:
            x = X[t]
            label = self.predict(x)
            said.predicted[t] = -1 if label is None else self._class_number[label]
            if randomized:
                said.chances[t] = self.probability(x)  # type: ignore[attr-defined]
            if learned[t]:
                self.update(x, labels[t])
            said.sizes[t] = self.n_balls
            t += 1
        answer = said._replace(seconds=OURS.worked - before, by_reference=t)
        if t < n:
            rest = super().run_rows(X[t:], labels[t:], learned[t:])
            for whole, part in zip(answer[1:4], rest[1:4], strict=True):
                whole[t:] = part
            answer = answer._replace(seconds=answer.seconds + rest.seconds)
        answer.codes[:] = self._codes(labels)
        return answer

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
        super()._restore(balls)
        if OURS.are_loaded:
            self.compile_now()


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
        if self._engine is None and self._engine_now() is None:
            with OURS.at_work():
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
