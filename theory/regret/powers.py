"""Powers whose digits do not depend on the processor."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def powers(bases: ArrayLike, exponent: float) -> NDArray[np.float64]:
    """Each number to the power, one at a time.

    NumPy raises a whole array with whatever registers the processor has, and the last digit is
    not the same in all of them; a table would then depend on the machine it was made on.

    >>> powers([1.0, 4.0, 9.0], 0.5).tolist()
    [1.0, 2.0, 3.0]
    """
    numbers = np.asarray(bases, dtype=np.float64).tolist()
    return np.array([number**exponent for number in numbers], dtype=np.float64)
