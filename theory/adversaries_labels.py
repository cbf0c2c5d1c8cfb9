"""How adversaries choose labels: the one-ball game, balance, and contradiction."""

from __future__ import annotations

import math

import numpy as np

from . import one_ball
from .sites import SiteBase


class OneBallPolicy:
    """The best labels for a ball that is to get n examples, against the constant 1.

    ``first`` takes the prediction of the ball's first example, which is somebody else's. Against
    the constant 1 all balls can be extremal at once: the same f is best in each of them.

    >>> policy = OneBallPolicy(4)
    >>> policy.first(0.0), [policy.label(ones, n) for ones, n in ((1, 1), (1, 2), (2, 3), (4, 4))]
    (1, [0, 1, 1, 1])
    """

    LONGEST = 4096  # the table has n^2 / 2 bytes

    def __init__(self, n: int) -> None:
        self.n = n
        self.run = math.isqrt(n)  # W(n) is reached to first order by balance and such a run
        self.gain = np.zeros(max(2, n + 1))  # after n examples nothing more is to be won
        self._table: list[bytes] = []
        if n > self.LONGEST:
            self.gain = np.zeros(2)
            return
        for k in range(n - 1, 0, -1):
            p = one_ball.probabilities(k)
            by_one, by_zero = 1 - p + self.gain[1 : k + 2], p - 1 + self.gain[: k + 1]
            self._table.append((by_one >= by_zero).astype(np.uint8).tobytes())
            self.gain = np.maximum(by_one, by_zero)
        self._table.append(b"")  # the first example is not the ball's own
        self._table.reverse()

    def first(self, p: float) -> int:
        """The first label, given the chance with which another ball predicts 1."""
        return int(1 - p + self.gain[1] >= p - 1 + self.gain[0])

    def label(self, ones: int, n: int) -> int:
        """The next label of a ball with n examples, ``ones`` of them 1."""
        if n >= self.n:
            return 1  # p is 1 already, or almost: this costs BASE little and f nothing
        if self._table:
            return self._table[n][ones]
        return int(2 * ones <= n or n >= self.n - self.run)


def balanced(learner: SiteBase, ball: int, ending: bool) -> int:
    """Whichever label the ball has seen less; at the end of the stream 1."""
    return int(ending or 2 * learner.ones[ball] <= learner.counts[ball])


def against(p: float) -> int:
    """The less likely prediction."""
    return int(p <= 0.5)
