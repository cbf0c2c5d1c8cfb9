"""K-PERC's kernel expansion: the scores of all classes from stored examples, in their order.

The examples lie in blocks as those of the search do: ``WIDTH`` side by side, attribute after
attribute. An example adds its kernel value to the score of one class and takes it from that of
another; kernel values are added in order of storage, so the bits of a score are defined.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from abacoc.engine.jit import entry, kernel
from abacoc.engine.search import BIT, ZERO, first_lanes, near_lanes
from abacoc.engine.simd import lowest
from abacoc.engine.state import WIDTH, Floats, Ints

NOTHING = 746.0  # exp(-746) is 0 in float64, and so is what adds nothing to a score

N_STORED, N_CLASSES, ASKED, N_LEARNED, EXPANSION_INTS = range(5)  # of the header
PLUS, MINUS = range(2)  # columns of `signs`: the class to which the kernel value is added, ...


class Expansion(NamedTuple):
    """What the kernels work on."""

    h: Ints  # header
    x: Floats  # (d) the query
    totals: Floats  # (WIDTH)
    scores: Floats  # (classes) of the query
    values: Floats  # (n_blocks, d, WIDTH) the examples
    signs: Ints  # (n_blocks WIDTH, 2)


def empty(dimension: int) -> Expansion:
    """An expansion without examples, and room for some."""
    return Expansion(
        h=np.zeros(EXPANSION_INTS, dtype=np.int64),
        x=np.zeros(dimension),
        totals=np.zeros(WIDTH),
        scores=np.zeros(8),
        values=np.zeros((1, dimension, WIDTH)),
        signs=np.zeros((WIDTH, 2), dtype=np.int64),
    )


@kernel
def score(s: Expansion, gamma: float) -> None:
    """The scores of the classes for the query."""
    values, x, totals, scores, signs = s.values, s.x, s.totals, s.scores, s.signs
    n = s.h[N_STORED]
    for k in range(s.h[N_CLASSES]):
        scores[k] = 0.0
    limit = NOTHING / gamma
    for b in range((n + WIDTH - 1) // WIDTH):
        near = near_lanes(values, b, x, totals, limit) & first_lanes(min(WIDTH, n - b * WIDTH))
        while near != ZERO:
            lane = lowest(near)
            near &= near - BIT
            value = math.exp(-(gamma * totals[lane]))
            i = b * WIDTH + lane
            scores[signs[i, PLUS]] += value
            if signs[i, MINUS] >= 0:
                scores[signs[i, MINUS]] -= value


@kernel
def highest(s: Expansion, but: int) -> int:
    """The class with the highest score except one, ties to the first; -1 if there is none."""
    best = -1
    for k in range(s.h[N_CLASSES]):
        if k != but and (best < 0 or s.scores[k] > s.scores[best]):
            best = k
    return best


@kernel
def learn_expansion(s: Expansion, y: int) -> None:
    """Store the query if its class y is new or does not score above all others."""
    h = s.h
    rival = highest(s, y)
    if y < h[N_CLASSES] and (rival < 0 or s.scores[rival] < s.scores[y]):
        return
    n = h[N_STORED]
    for j in range(len(s.x)):
        s.values[n // WIDTH, j, n % WIDTH] = s.x[j]
    s.signs[n, PLUS], s.signs[n, MINUS] = y, rival
    h[N_STORED] += 1
    h[N_CLASSES] = max(h[N_CLASSES], y + 1)
    h[ASKED] = 0


@entry
def run_expansion(
    s: Expansion,
    gamma: float,
    X: np.ndarray,
    codes: np.ndarray,
    learned: np.ndarray,
    predictions: np.ndarray,
    sizes: np.ndarray,
    t: int,
) -> int:
    """Algorithm 5 from row t on; the row at which it stopped, for want of room if not the last."""
    h, x = s.h, s.x
    while t < len(X):
        if h[N_STORED] == len(s.signs):
            return t
        same = h[ASKED] == 1
        for j in range(len(x)):
            same = same and x[j] == X[t, j]
            x[j] = X[t, j]
        if not same:
            score(s, gamma)
            h[ASKED] = 1
        predictions[t] = highest(s, -1)
        if learned[t]:
            learn_expansion(s, codes[t])
            h[N_LEARNED] += 1
        sizes[t] = h[N_STORED]
        t += 1
    return t
