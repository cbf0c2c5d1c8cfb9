"""Section VII: constant model size. A new ball takes the place of one that errs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST = 2**62  # of anything that is counted: the sum of two still fits into 64 bits


def discard_probabilities(mistakes: Sequence[int]) -> NDArray[np.float64]:
    """Equation (1): the chance of each ball to be discarded, (m_i + 1) / (sum_j m_j + |S|).

    >>> discard_probabilities([0, 3, 1]).tolist() == [1 / 7, 4 / 7, 2 / 7]
    True
    """
    weights = np.asarray(mistakes, dtype=np.int64) + 1
    return np.asarray(weights / weights.sum(), dtype=np.float64)


class Budget:
    """A limit on the number of balls, and the coin that decides which one goes.

    >>> Budget(3, seed=0).choose([0, 10**6, 0])
    1
    """

    def __init__(self, limit: int, seed: int = 0) -> None:
        if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 2:
            raise ValueError(f"the budget must be a whole number of at least 2 balls, not {limit}")
        if limit >= MOST:
            raise ValueError("a budget of 2^62 balls or more is none")
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise ValueError(f"the seed must be a whole number of at least 0, not {seed}")
        self.limit = int(limit)
        self.seed = int(seed)
        # [seed, 0] draws the sub-sampling mask and [seed, 1] the coin of BASE (protocol.py);
        # a plain seed would give the numbers of [seed, 0] again
        self.generator = np.random.default_rng([seed, 2])
        self._spare = np.random.default_rng(0)

    def draft(self) -> Budget:
        """A budget that can draw without a change to this one, by the other of two generators.

        >>> budget = Budget(3)
        >>> budget.draft().choose([5, 5, 5]) == budget.draft().choose([5, 5, 5])
        True
        """
        draft = object.__new__(Budget)
        draft.__dict__ = self.__dict__ | {"generator": self._spare, "_spare": self.generator}
        draft.generator.bit_generator.state = self.generator.bit_generator.state
        return draft

    def choose(self, mistakes: Sequence[int]) -> int:
        """Draw the position of the ball to discard, exactly with the chances of equation (1).

        A whole number below the sum of the weights m_i + 1 falls on ball i in m_i + 1 cases.
        """
        upper = np.cumsum(np.asarray(mistakes, dtype=np.int64) + 1)
        ticket = self.generator.integers(upper[-1])
        return int(np.searchsorted(upper, ticket, side="right"))
