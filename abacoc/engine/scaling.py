"""Rows scaled as they arrive: `abacoc.scaling.Statistics`, compiled, for many rows at once."""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine.jit import entry


@entry
def scale_rows(
    X: np.ndarray,
    learned: np.ndarray,
    n: int,
    mean: np.ndarray,
    variance: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    standard: bool,
    Z: np.ndarray,
) -> int:
    """Write each row, scaled with itself among the n points seen; n after those learned."""
    for t in range(len(X)):
        for j in range(X.shape[1]):
            x = X[t, j]
            m, v, least, most = x, 0.0, x, x
            if n > 0:
                difference = x - mean[j]
                m = mean[j] + difference / (n + 1)
                v = variance[j] + (difference * (x - m) - variance[j]) / (n + 1)
                least = x if x < low[j] else low[j]
                most = x if x > high[j] else high[j]
            above, below = x - least, most - least
            if standard:
                above, below = x - m, math.sqrt(v)
            Z[t, j] = above / below if below > 0.0 else 0.0
            if learned[t]:
                mean[j], variance[j], low[j], high[j] = m, v, least, most
        n += 1 if learned[t] else 0
    return n
