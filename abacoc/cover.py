"""Algorithm 1: the ABACOC template, a loop and the five hooks that make a method of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from abacoc.ballset import Ball, BallSet, Label
from abacoc.explain import Explanation, explanation


class Cover(BallSet, ABC):
    """Algorithm 1. A method fills in the hooks, which are named after the paper's procedures.

    ``predict`` is lines 8 and 9; ``update`` is the body of the loop. Bad input raises
    ``ValueError`` before anything changes.
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
        s, distance = self._closest(x)  # line 8
        k = self._take_up(x, y)  # lines 5 and 6; nothing can fail from here on
        if self.init_procedure(x, k, distance):  # line 2, where it waits for examples
            return
        if s >= 0 and self._is_inside(distance, self._balls[s]):  # line 10
            ball = self._balls[s]
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
