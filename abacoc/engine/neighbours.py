"""The k nearest of stored examples: the tree of tree.py, with balls that never move.

A stored example is a ball whose row holds its class (``MAJORITY``).

Copies. Of examples with the same attributes only the first k stored can ever be among the k
nearest of a point, whatever the point: their distances are equal and ties go to those stored
first. Later copies count in the model size but are not put into the tree, so that a stream of
many equal examples costs no more than one of few.
"""

from __future__ import annotations

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import coordinate
from abacoc.engine.jit import entry, kernel
from abacoc.engine.loop import is_short
from abacoc.engine.search import ask, closest
from abacoc.engine.state import State
from abacoc.engine.tree import insert


@kernel
def vote(s: State) -> int:
    """The class of most neighbours, ties to the class that came first; -1 if there is none."""
    found, best, most = s.found, -1, 0
    for i in range(len(found)):
        if found[i] < 0:
            break
        k, n = s.ball_n[found[i], S.MAJORITY], 0
        for j in range(len(found)):
            if found[j] >= 0 and s.ball_n[found[j], S.MAJORITY] == k:
                n += 1
        if n > most or (n == most and k < best):
            best, most = k, n
    return best


@kernel
def store_example(s: State, k: int) -> None:
    """Put the query into the tree, as an example of class k."""
    h = s.h
    example = h[S.N_SLOTS]
    h[S.N_SLOTS] += 1
    h[S.N_BALLS] += 1
    for column in range(S.BALL_INTS):
        s.ball_i[example, column] = 0  # no counts are kept: the class is all
    s.ball_n[example, S.MAJORITY] = k
    s.ball_n[example, S.ROW] = s.ball_n[example, S.PLACE] = -1
    insert(s, example)
    h[S.MEMO] = 0


@kernel
def is_copy(s: State) -> bool:
    """True if k examples with the attributes of the query are stored already."""
    found, last = s.found, len(s.found) - 1
    if found[last] < 0 or s.measures[S.DISTANCE, last] > 0.0:
        return False
    for i in range(len(found)):  # a distance of 0 may also be a difference too small to square
        for g in range(len(s.x)):
            if coordinate(s, found[i], g) != s.x[g]:
                return False
    return True


@entry
def run_neighbours(
    s: State,
    X: np.ndarray,
    codes: np.ndarray,
    learned: np.ndarray,
    condensed: bool,
    predictions: np.ndarray,
    sizes: np.ndarray,
    size: np.ndarray,
    t: int,
) -> int:
    """Algorithm 5 from row t on; the row at which it stopped, with the reason in STATUS.

    ``condensed``: only examples that were predicted wrongly are learned. ``size`` is the model
    size, with the copies that are not in the tree.
    """
    h = s.h
    h[S.STATUS] = S.DONE
    while t < len(X):
        if is_short(s):
            h[S.STATUS] = S.ROOM
            return t
        ask(s, X, t)
        closest(s, True)
        predictions[t] = vote(s)
        if learned[t]:
            h[S.SEEN] = max(h[S.SEEN], codes[t] + 1)
            h[S.LEARNED] += 1
        if learned[t] and not (condensed and predictions[t] == codes[t]):
            size[0] += 1
            if not is_copy(s):
                store_example(s, codes[t])
        sizes[t] = size[0]
        t += 1
    return t
