"""Algorithm 1: the ABACOC template, a loop and the five hooks that make a method of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

from abacoc import modelfile
from abacoc.ballset import Ball, BallSet, Label
from abacoc.explain import Explanation, explanation
from abacoc.metrics import Metric


class Cover(BallSet, ABC):
    """Algorithm 1. A method fills in the hooks, which are named after the paper's procedures.

    ``predict`` is lines 8 and 9; ``update`` is the body of the loop. Bad input raises
    ``ValueError`` before anything changes. The hooks work on a draft of the learner, which is
    taken over by one assignment in the end: an exception on the way leaves everything as it was.
    """

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None while there is no ball to predict it."""
        s, _ = self._closest(self.check_point(x))  # line 8
        if s < 0:
            return None
        return self.classes[self.output_prediction(self._balls[s])]  # line 9

    def update(self, x: Any, y: Label) -> None:
        """Learn one example (lines 4 to 16)."""
        x, y = self.check_point(x), self.check_label(y)
        draft = self._draft()
        draft._learn(x, y)
        self.__dict__ = draft.__dict__

    def _learn(self, x: Any, y: Label) -> None:
        s, distance = self._closest(x)  # line 8
        k = self._take_up(x, y)  # lines 5 and 6
        if self.init_procedure(x, k, distance):  # line 2, where it waits for examples
            return
        if s >= 0 and self._is_inside(distance, self._balls[s]):  # line 10
            ball = self._own(s)
            prediction = self.output_prediction(ball)  # line 9
            self.update_ball_information(ball, x, k, prediction)  # line 11
            if self.moves_centres:
                self._search.move(s, ball.centre)
        else:
            ball = self.add_new_ball(x, k, distance)  # line 13
        self.update_epsilon(ball)  # line 15

    def explain(self, x: Any, k: int = 1) -> Explanation:
        """What ``predict`` says of ``x`` and why: the ``k`` closest balls; nothing changes."""
        return explanation(self, x, k)

    def closest_counts(self, x: Any) -> list[int]:
        """Label counts of the ball that predicts ``x``, by class number; none without a ball.

        This goes through the learner's own search: for those who ask often.

        >>> from abacoc import Auto
        >>> learner = Auto()
        >>> for x, y in ([0.0], "a"), ([1.0], "b"), ([0.2], "a"):
        ...     learner.update(x, y)
        >>> learner.closest_counts([0.3])
        [2, 0]
        """
        s, _ = self._closest(self.check_point(x))
        counts = self._balls[s].counts if s >= 0 else []
        if self.predict(x) is None:  # also where a ball is not asked yet
            return []
        return counts + [0] * (len(self.classes) - len(counts))

    def save(self, path: str | Path) -> None:
        """Write the whole state to one file, atomically."""
        modelfile.save(self, path)

    @classmethod
    def load(cls, path: str | Path, metric: Metric | None = None) -> Self:
        """The learner saved in ``path``; a metric of one's own has to be given again."""
        family = [c for c in (cls, *cls.__subclasses__()) if c.__module__ == cls.__module__]
        learner: Self = modelfile.load(path, {c.__name__: c for c in family}, metric)
        return learner

    def _is_inside(self, distance: float, ball: Ball) -> bool:
        radius = self.radius_of(ball)
        return distance <= radius if self.reading.closed_balls else distance < radius

    # The hooks. ``k`` is the number of the class y_t, ``distance`` the one to the closest ball.

    def init_procedure(self, x: Any, k: int, distance: float) -> bool:
        """InitProcedure; true if it took the example up (the paper's ``continue``)."""
        return False

    @abstractmethod
    def output_prediction(self, ball: Ball) -> int:
        """OutputPrediction: the number of the class that the ball predicts."""

    @abstractmethod
    def update_ball_information(self, ball: Ball, x: Any, k: int, prediction: int) -> None:
        """UpdateBallInformation: take the example up in the ball it fell into."""

    @abstractmethod
    def add_new_ball(self, x: Any, k: int, distance: float) -> Ball:
        """AddNewBall: make the example the centre of a new ball."""

    @abstractmethod
    def update_epsilon(self, ball: Ball) -> None:
        """UpdateEpsilon: shrink the radius."""
