"""The plain compiled scan, to measure the others against: every centre, row after row."""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine.jit import kernel
from abacoc.engine.state import EVALUATIONS, N_BALLS, N_SLOTS, ROW, State


@kernel
def nearest_plain(s: State) -> tuple[int, float]:
    """The ball closest to the query, ties to the one stored first, and its distance."""
    x, rows = s.x, s.rows
    best, least, distance = -1, np.inf, np.inf
    for ball in range(s.h[N_SLOTS]):
        total = 0.0
        for j in range(len(x)):
            difference = rows[ball * len(x) + j] - x[j]
            total += difference * difference
        if total < least:
            least = total
            root = math.sqrt(total)
            if root < distance:  # two squares can share a root
                best, distance = ball, root
    s.h[EVALUATIONS] += s.h[N_BALLS]
    return best, distance


@kernel
def insert_plain(s: State, ball: int) -> None:
    """Store the query as the centre of a ball."""
    s.ball_i[ball, ROW] = ball * len(s.x)
    for j in range(len(s.x)):
        s.rows[ball * len(s.x) + j] = s.x[j]


@kernel
def move_plain(s: State, ball: int, divisor: float) -> None:
    """c + (x - c) / divisor."""
    row = s.ball_i[ball, ROW]
    for j in range(len(s.x)):
        s.rows[row + j] += (s.x[j] - s.rows[row + j]) / divisor


@kernel
def remove_plain(s: State, ball: int) -> None:
    """Put a centre infinitely far away."""
    for j in range(len(s.x)):
        s.rows[s.ball_i[ball, ROW] + j] = np.inf
