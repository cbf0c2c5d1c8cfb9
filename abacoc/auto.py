"""Algorithm 4: AUTO and AUTO-ADJ, where each ball's radius shrinks with its own mistakes."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from abacoc.ballset import Ball, Label
from abacoc.budget import Budget
from abacoc.cover import Cover
from abacoc.metrics import Metric
from abacoc.readings import RadiusRule, Reading


class Auto(Cover):
    """AUTO. ``d_hat`` is the guess of the intrinsic dimension; the paper sets it to 2.

    With ``budget`` the model never exceeds that many balls (Section VII); ``seed`` then decides
    which balls go. ``radius_rule`` overrides the reading's: ``max``, ``plus`` or ``infinite``.

    >>> learner = Auto()
    >>> for x, y in ([0.0], "a"), ([1.0], "b"), ([0.2], "a"), ([5.0], "c"):
    ...     learner.update(x, y)
    >>> learner.predict([0.3]), learner.n_balls, learner.balls.radii.tolist()
    ('a', 3, [1.0, 1.0, 4.0])
    """

    counts_mistakes = True
    settings = ("d_hat",)

    def __init__(
        self,
        d_hat: float = 2,
        *,
        budget: int | None = None,
        seed: int = 0,
        metric: str | Metric = "euclidean",
        reading: str | Reading = "paper",
        radius_rule: RadiusRule | None = None,
    ) -> None:
        super().__init__(metric, reading)
        if not 0 <= d_hat <= math.nextafter(math.inf, 0):
            raise ValueError(f"d_hat must be a number of at least 0, not {d_hat}")
        if radius_rule is not None:
            if radius_rule not in ("max", "plus", "infinite"):
                raise ValueError(f"the radius rule is max, plus or infinite, not {radius_rule!r}")
            self.reading = dataclasses.replace(self.reading, radius_rule=radius_rule)
        self.d_hat = d_hat
        self.budget = None if budget is None else Budget(budget, seed)

    def init_procedure(self, x: Any, k: int, distance: float) -> bool:
        """Wait until two different labels have come; the examples in between are not counted."""
        if len(self._balls) > 1:
            return False
        if not self._balls:
            self._store(x, k)
        elif k != self._balls[0].majority() or not self.reading.wait_for_two_labels:
            self._store(x, k)
            for ball in self._own(0), self._own(1):  # the first two balls share the radius
                ball.birth_radius = ball.radius = distance
        return True

    def output_prediction(self, ball: Ball) -> int:
        """The majority of the ball."""
        return ball.majority()

    def update_ball_information(self, ball: Ball, x: Any, k: int, prediction: int) -> None:
        """Count a mistake, or follow a correct example; then count the label."""
        if not self.reading.judge_before_count:
            ball.count(k)
            prediction = ball.majority()
        if k != prediction:
            ball.mistakes += 1
        elif self.moves_centres:
            ball.moves += 1
            self._move(ball, x, ball.moves)
        if self.reading.judge_before_count:
            ball.count(k)

    def add_new_ball(self, x: Any, k: int, distance: float) -> Ball:
        """Open a ball as large as its distance to the closest one; keep to the budget."""
        if self.budget is not None and self.n_balls >= self.budget.limit:
            self.budget = self.budget.draft()
            self._discard(self.budget.choose([ball.mistakes for ball in self._balls]))
        ball = self._store(x, k)
        ball.birth_radius = distance
        return ball

    def update_epsilon(self, ball: Ball) -> None:
        """Shrink the ball's radius with its mistakes (line 36)."""
        rule, m = self.reading.radius_rule, ball.mistakes
        if rule == "infinite" and m == 0:
            ball.radius = math.inf
            return
        m = m + 1 if rule == "plus" else max(m, 1)
        ball.radius = ball.birth_radius * m ** (-1.0 / (2 + self.d_hat))

    # The authors' library keeps the first example aside: it has no ball before the second.

    @property
    def n_balls(self) -> int:
        """The model size."""
        return 0 if self._only_aside() else len(self._balls)

    def predict(self, x: Any) -> Label | None:
        """Label predicted for ``x``; None while there is no ball to predict it."""
        return None if self._only_aside() else super().predict(x)

    def _only_aside(self) -> bool:
        return len(self._balls) == 1 and not self.reading.wait_for_two_labels


class AutoAdj(Auto):
    """AUTO-ADJ: AUTO whose balls follow the examples that they predict correctly.

    >>> learner = AutoAdj()
    >>> for x, y in ([0.0], "a"), ([1.0], "b"), ([0.2], "a"):
    ...     learner.update(x, y)
    >>> learner.balls.centres.tolist()
    [[0.1], [1.0]]
    """

    moves_centres = True
