"""The chance of the protocol: which examples are learned, and the order of a shuffled stream.

A generator is seeded with ``[seed, i]``: 0 is the mask, 1 the coin of BASE, 2 the choice of the
budget, 3 the order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def sampling_mask(n: int, rate: float, seed: int) -> NDArray[np.bool_]:
    """Which examples are learned: ``rand() < rate`` (line 7), the same for every method.

    The numbers depend on the seed alone, so what is learned at a lower rate is also learned at
    every higher one.

    >>> sampling_mask(8, 0.5, seed=0).tolist()
    [False, True, True, True, False, False, False, False]
    """
    return np.random.default_rng([seed, 0]).random(n) < rate


def permutation(n: int, seed: int) -> NDArray[np.int64]:
    """The order of a shuffled stream; it depends on the length and the seed alone.

    >>> permutation(5, seed=0).tolist()
    [3, 0, 2, 1, 4]
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"the seed of a shuffle is a whole number of at least 0, not {seed}")
    return np.random.default_rng([seed, 3]).permutation(n)
