"""Algorithms 2 and 3: BASE and BASE-ADJ, whose balls all share a radius that shrinks with time."""

from __future__ import annotations

import itertools
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


def exceeds(size: int, constant: float, k: int, d: int, e: int) -> bool:
    """Whether size > C (2 / eps)^e with eps = k^(-1/(2+d)) (Alg. 2, line 15, where e = d).

    Both sides are raised to the power 2 + d, which leaves whole numbers: a rounded radius would
    see more than six balls here, where there are exactly as many as 2 / 27^(-1/3).

    >>> exceeds(6, 1.0, 27, 1, 1), 6 > 2 / 27 ** (-1 / 3)
    (False, True)
    """
    above, below = constant.as_integer_ratio()  # a float is a fraction
    return bool((size * below) ** (2 + d) > (above * 2**e) ** (2 + d) * k**e)


def dimension_for(size: int, constant: float, k: int, d: int) -> int:
    """ceil(log(size / C) / log(2 / eps)) (line 17): the smallest dimension with so much room.

    >>> dimension_for(6, 1.0, 27, 1), dimension_for(7, 1.0, 27, 1)
    (1, 2)
    """
    return next(e for e in itertools.count() if not exceeds(size, constant, k, d, e))


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
        if (
            not 1 <= covering_constant <= math.nextafter(math.inf, 0)
        ):  # N(1) = 1 already asks for C_S >= 1
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
        size, constant = self.n_balls + 1, self.covering_constant
        step, d = self._step, self.dimension
        if exceeds(size, constant, step, d, d):  # line 15: dimension check
            self._discard_all()
            size = size if self.reading.size_before_reset else 1
            self.dimension = dimension_for(size, constant, step, d)
            self.phase += 1
            self.steps = 0
        self.steps += 1
        return self._store(x, k)

    def update_epsilon(self, ball: Ball) -> None:
        """Shrink the radius of all balls with time."""
        self.epsilon = self._radius()

    @property
    def _step(self) -> int:
        """The step of the phase whose radius is the current one."""
        return self.steps + 1 if self.reading.start_at_diameter else self.steps

    def _radius(self) -> float:
        step = self._step
        return math.inf if step == 0 else step ** (-1 / (2 + self.dimension))  # line 28

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
