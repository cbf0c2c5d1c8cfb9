"""The plain compiled scan, to measure the others against: every centre, row after row."""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine.jit import kernel
from abacoc.engine.state import EVALUATIONS, N_BALLS, N_SLOTS, State


@kernel
def nearest_plain(s: State) -> tuple[int, float]:
    """The ball closest to the query, ties to the one stored first, and its distance."""
    x, centres = s.x, s.centres
    best, least, distance = -1, np.inf, np.inf
    for ball in range(s.h[N_SLOTS]):
        total = 0.0
        for j in range(len(x)):
            difference = centres[ball, j] - x[j]
            total += difference * difference
        if total < least:
            least = total
            root = math.sqrt(total)
            if root < distance:  # two squares can share a root
                best, distance = ball, root
    s.h[EVALUATIONS] += s.h[N_BALLS]
    return best, distance
