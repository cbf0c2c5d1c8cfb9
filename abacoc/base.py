"""Algorithms 2 and 3: BASE and BASE-ADJ, whose balls all share a radius that shrinks with time."""

from __future__ import annotations

import math
from typing import Any, Literal

from abacoc.ballset import Ball, Label
from abacoc.cover import Cover
from abacoc.metrics import Metric
from abacoc.readings import Reading


def ball_probability(ones: int, n: int) -> float:
    """p_t in a ball with n examples, ``ones`` of them 1 (Alg. 2, lines 5 to 7).

    >>> ball_probability(1, 1), ball_probability(2, 2), ball_probability(1, 2)
    (0.7886751345948128, 1.0, 0.5)
    """
    q = (ones + 1) / (n + 2)
    gamma = 1 / (2 * math.sqrt(n + 2))
    if q < 0.5 - gamma:
        return 0.0
    if q > 0.5 + gamma:
        return 1.0
    p = 0.5 + (q - 0.5) / (2 * gamma)
    return min(1.0, max(0.0, p))  # at q = 1/2 + gamma, p is 1 up to rounding


class Base(Cover):
    """BASE, Algorithm 2, for labels 0 and 1; with ``vote="majority"`` for any labels.

    ``covering_constant`` is the paper's C-hat. The theorem asks for a space of diameter 1 and for
    C-hat at least C_S (so at least 1). ``probability`` is p_t, the chance with which Algorithm 2
    says 1; the coin is tossed by whoever runs the learner, so that a run can be repeated.
    ``predict`` is the majority vote: what the multiclass version of the paper's experiments
    says, and the likelier answer of Algorithm 2.

    >>> learner = Base()
    >>> for x, y in ([0.1], 1), ([0.1], 1), ([0.9], 0):
    ...     learner.update(x, y)
    >>> learner.n_balls, learner.probability([0.2]), learner.predict([0.9])
    (2, 1.0, 0)
    """

    settings = ("covering_constant", "vote")
    variables = ("phase", "steps", "dimension", "epsilon")

    def __init__(
        self,
        covering_constant: float = 1.0,
        *,
        vote: Literal["randomized", "majority"] = "randomized",
        metric: str | Metric = "euclidean",
        reading: str | Reading = "paper",
    ) -> None:
        super().__init__(metric, reading)
        if self.reading.name == "authors":
            raise ValueError("the authors' library has no BASE: the reading is paper or literal")
        if not 1 <= covering_constant < math.inf:  # N(1) = 1 already asks for C_S >= 1
            raise ValueError(f"the covering constant must be at least 1, not {covering_constant}")
        if vote not in ("randomized", "majority"):
            raise ValueError(f"the vote is randomized or majority, not {vote!r}")
        self.covering_constant = float(covering_constant)
        self.vote = vote
        self.phase, self.steps, self.dimension = 1, 0, 1  # i, t_i, d_i
        self.epsilon = self._radius()

    def radius_of(self, ball: Ball) -> float:
        """The common radius."""
        return self.epsilon

    def probability(self, x: Any) -> float:
        """p_t: the chance of predicting 1; one half while there is no ball."""
        s, _ = self._closest(self.check_point(x))
        if s < 0:
            return 0.5
        counts = self._balls[s].counts
        k = self._class_number.get(1, len(counts))
        return ball_probability(counts[k] if k < len(counts) else 0, sum(counts))

    def output_prediction(self, ball: Ball) -> int:
        """The majority of the ball."""
        return ball.majority()

    def update_ball_information(self, ball: Ball, x: Any, k: int, prediction: int) -> None:
        """Count the label, and the step."""
        ball.count(k)
        self.steps += self.reading.count_every_step  # the proof sums over all steps of the phase

    def add_new_ball(self, x: Any, k: int, distance: float) -> Ball:
        """Open a ball; if the cover is too large for its dimension, start a new phase first."""
        if self.n_balls + 1 > self._capacity(self.dimension):  # line 15: dimension check
            size = self.n_balls + 1 if self.reading.size_before_reset else 1
            self._discard_all()
            self.dimension = self._dimension_for(size)
            self.phase += 1
            self.steps = 0
        self.steps += 1
        return self._store(x, k)

    def update_epsilon(self, ball: Ball) -> None:
        """Shrink the radius of all balls with time."""
        self.epsilon = self._radius()

    def _radius(self) -> float:
        step = self.steps + 1 if self.reading.start_at_diameter else self.steps
        return math.inf if step == 0 else step ** (-1 / (2 + self.dimension))  # line 28

    def _capacity(self, d: int) -> float:
        return self.covering_constant * (2 / self.epsilon) ** d

    def _dimension_for(self, size: int) -> int:
        """ceil(log(size / C) / log(2 / eps)) (line 17), found without rounding a logarithm."""
        if self.epsilon == math.inf:  # only in the literal reading; there the quotient is 0
            return 0
        d = 0
        while size > self._capacity(d):
            d += 1
        return d

    def check_label(self, y: Label) -> Label:
        """The label; the randomised vote knows only 0 and 1."""
        if self.vote == "randomized" and y not in (0, 1):
            raise ValueError(f"BASE takes the labels 0 and 1, not {y!r}; vote='majority' takes any")
        return super().check_label(y)


class BaseAdj(Base):
    """BASE-ADJ, Algorithm 3: majority vote, and the centre follows the examples it gets right.

    The step is divided by the number of all examples in the ball, as written; with
    ``divisor="correct"`` by the number of correct ones, as in AUTO-ADJ.

    >>> learner = BaseAdj()
    >>> for x in [0.0], [0.3]:
    ...     learner.update(x, "blue")
    >>> learner.balls.centres.tolist()
    [[0.15]]
    """

    moves_centres = True
    settings = ("covering_constant", "divisor")

    def __init__(
        self,
        covering_constant: float = 1.0,
        *,
        divisor: Literal["total", "correct"] = "total",
        metric: str | Metric = "euclidean",
        reading: str | Reading = "paper",
    ) -> None:
        super().__init__(covering_constant, vote="majority", metric=metric, reading=reading)
        if divisor not in ("total", "correct"):
            raise ValueError(f"the divisor is total or correct, not {divisor!r}")
        self.divisor = divisor

    def update_ball_information(self, ball: Ball, x: Any, k: int, prediction: int) -> None:
        """Move the centre on a correct prediction, then count."""
        if k == prediction:
            ball.moves += 1
            n = sum(ball.counts) + 1  # Alg. 3, line 9: n_s counts every label of the ball
            self._move(ball, x, n if self.divisor == "total" else ball.moves)
        super().update_ball_information(ball, x, k, prediction)
