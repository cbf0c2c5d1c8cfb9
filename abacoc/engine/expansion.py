"""K-PERC's kernel expansion: the scores of all classes from stored examples, in their order.

The examples lie in blocks as those of the search do: ``WIDTH`` side by side, attribute after
attribute. An example adds its kernel value to the score of one class and takes it from that of
another; kernel values are added in order of storage, so the bits of a score are defined.
"""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine.jit import entry, kernel
from abacoc.engine.search import BIT, ZERO, first_lanes, near_lanes
from abacoc.engine.simd import lowest
from abacoc.engine.state import DONE, ROOM, WIDTH

NOTHING = 746.0  # exp(-746) is 0 in float64, and so is what adds nothing to a score

N_STORED, N_CLASSES, ASKED, N_LEARNED, EXPANSION_INTS = range(5)  # of the header
PLUS, MINUS = range(2)  # columns of `signs`: the class to which the kernel value is added, ...


@kernel
def score(
    h: np.ndarray,
    gamma: float,
    values: np.ndarray,
    signs: np.ndarray,
    x: np.ndarray,
    totals: np.ndarray,
    scores: np.ndarray,
) -> None:
    """The scores of the classes for the query."""
    n = h[N_STORED]
    for k in range(h[N_CLASSES]):
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
def highest(h: np.ndarray, scores: np.ndarray, but: int) -> int:
    """The class with the highest score except one, ties to the first; -1 if there is none."""
    best = -1
    for k in range(h[N_CLASSES]):
        if k != but and (best < 0 or scores[k] > scores[best]):
            best = k
    return best


@kernel
def learn_expansion(
    h: np.ndarray,
    values: np.ndarray,
    signs: np.ndarray,
    x: np.ndarray,
    scores: np.ndarray,
    y: int,
) -> None:
    """Store the query if its class y is new or does not score above all others."""
    rival = highest(h, scores, y)
    if y < h[N_CLASSES] and (rival < 0 or scores[rival] < scores[y]):
        return
    n = h[N_STORED]
    for j in range(len(x)):
        values[n // WIDTH, j, n % WIDTH] = x[j]
    signs[n, PLUS], signs[n, MINUS] = y, rival
    h[N_STORED] += 1
    h[N_CLASSES] = max(h[N_CLASSES], y + 1)
    h[ASKED] = 0


@entry
def run_expansion(
    h: np.ndarray,
    gamma: float,
    values: np.ndarray,
    signs: np.ndarray,
    x: np.ndarray,
    totals: np.ndarray,
    scores: np.ndarray,
    X: np.ndarray,
    codes: np.ndarray,
    learned: np.ndarray,
    predictions: np.ndarray,
    sizes: np.ndarray,
    t: int,
) -> tuple[int, int]:
    """Algorithm 5 from row t on; the row at which it stopped, and the reason."""
    while t < len(X):
        if h[N_STORED] == len(signs):
            return t, ROOM
        same = h[ASKED] == 1
        for j in range(len(x)):
            same = same and x[j] == X[t, j]
            x[j] = X[t, j]
        if not same:
            score(h, gamma, values, signs, x, totals, scores)
            h[ASKED] = 1
        predictions[t] = highest(h, scores, -1)
        if learned[t]:
            learn_expansion(h, values, signs, x, scores, codes[t])
            h[N_LEARNED] += 1
        sizes[t] = h[N_STORED]
        t += 1
    return t, DONE
