"""Algorithm 5 over the arrays of a state, and what else Python calls."""

from __future__ import annotations

import numpy as np

from abacoc import base
from abacoc.engine import state as S
from abacoc.engine.bits import coordinate, free_all_runs, longest_run
from abacoc.engine.jit import entry, inlined, kernel
from abacoc.engine.rules import count_of, learn, weigh
from abacoc.engine.search import ask, closest, set_columns
from abacoc.engine.state import State
from abacoc.engine.tree import clear_tree, insert, rebuild

ball_probability = kernel(base.ball_probability)

SPARE_BLOCKS, SPARE_NODES = 4, 8  # what one example can need without a rebuild


@inlined
def predicted(s: State) -> int:
    """Number of the class predicted for the query; -1 for no prediction."""
    ball = s.found[0]
    return -1 if ball < 0 or aside(s) else s.ball_n[ball, S.MAJORITY]


@kernel
def chance(s: State) -> float:
    """p_t for the query."""
    ball = s.found[0]
    if ball < 0:
        return 0.5
    return ball_probability(count_of(s, ball, s.h[S.ONE]), s.ball_i[ball, S.TOTAL])


@inlined
def aside(s: State) -> bool:
    """The authors' library keeps the first example aside: it has no ball before the second."""
    return s.h[S.METHOD] == S.AUTO and s.h[S.N_BALLS] == 1 and not s.h[S.WAIT]


@inlined
def is_good(s: State, point: np.ndarray) -> bool:
    """As many coordinates as there are; no NaN, no infinity, nothing too large to be squared."""
    if len(point) != len(s.x):
        return False
    largest = s.f[S.LARGEST]
    for j in range(len(point)):
        if not abs(point[j]) <= largest:
            return False
    return True


@inlined
def is_short(s: State) -> bool:
    """True if one more example might not fit, or if the layout is to be looked at."""
    h = s.h
    if h[S.N_SLOTS] >= len(s.ball_i) or (h[S.FREE_TALLY] < 0 and h[S.N_TALLIES] >= len(s.tally)):
        return True
    if h[S.PLAIN]:
        return False
    if h[S.N_BALLS] >= h[S.LAYOUT_AT] or h[S.WANTED_BLOCKS] > 0:
        return True
    if len(s.block_i) - h[S.N_BLOCKS] + h[S.FREE_BLOCKS] < SPARE_BLOCKS:
        return True
    if len(s.node_i) - h[S.N_NODES] + h[S.FREE_NODES] < SPARE_NODES:
        return True
    short: bool = s.masks.shape[1] > 0 and h[S.N_ROWS] + longest_run(s) >= len(s.rows)
    return short


# Entries ------------------------------------------------------------------------------------------


@entry
def run(
    s: State,
    X: np.ndarray,
    codes: np.ndarray,
    learned: np.ndarray,
    predictions: np.ndarray,
    sizes: np.ndarray,
    chances: np.ndarray,
    t: int,
) -> int:
    """Algorithm 5 from row t on; the row at which it stopped, with the reason in STATUS."""
    h = s.h
    h[S.STATUS] = S.DONE
    while t < len(X):
        if is_short(s):
            h[S.STATUS] = S.ROOM
            return t
        ask(s, X, t)
        closest(s, None)
        predictions[t] = predicted(s)
        if h[S.RANDOMIZED]:
            chances[t] = chance(s)
        if learned[t]:
            h[S.STATUS] = learn(s, codes[t])
            if h[S.STATUS] != S.DONE:
                return t
        sizes[t] = 0 if aside(s) else h[S.N_BALLS]
        t += 1
    return t


@entry
def look(s: State, point: np.ndarray) -> int:
    """The class predicted for a `POINT`, -1 for none; -2 if it is bad."""
    if not is_good(s, point):
        return -2
    ask(s, point[np.newaxis], 0)
    closest(s, None)
    return predicted(s)


@entry
def chance_of(s: State) -> float:
    """p_t for the point looked at last."""
    return chance(s)


@entry
def take(s: State, point: np.ndarray, k: int) -> int:
    """Learn a `POINT` with class k; the status."""
    if not is_good(s, point):
        return S.BAD_POINT
    if is_short(s):
        return S.ROOM
    ask(s, point[np.newaxis], 0)
    closest(s, None)
    return learn(s, k)


@entry
def build(s: State, centres: np.ndarray) -> None:
    """Make the search structure from the centres of all balls, in order of storage."""
    h = s.h
    splits = h[S.SPLITS]
    h[S.SPLITS] = 0
    free_all_runs(s)
    clear_tree(s)
    i = 0
    for ball in range(h[S.N_SLOTS]):
        if s.ball_i[ball, S.TALLY] < 0:
            continue  # discarded
        s.ball_n[ball, S.ROW] = -1
        for j in range(len(s.x)):
            s.x[j] = centres[i, j]
        i += 1
        set_columns(s)
        insert(s, ball)
    h[S.SPLITS] = splits
    if splits:
        rebuild(s, h[S.ROOT])
    h[S.MEMO] = 0


@entry
def read_centres(s: State, centres: np.ndarray) -> None:
    """Write the centres of all balls, in order of storage."""
    i = 0
    for ball in range(s.h[S.N_SLOTS]):
        if s.ball_i[ball, S.TALLY] < 0:
            continue
        for g in range(len(s.x)):
            centres[i, g] = coordinate(s, ball, g)
        i += 1


@entry
def recompute_tickets(s: State) -> None:
    """Fill the Fenwick tree of the budget again."""
    for i in range(len(s.tickets)):
        s.tickets[i] = 0
    s.h[S.WEIGHT] = 0
    for ball in range(s.h[S.N_SLOTS]):
        if s.ball_i[ball, S.TALLY] >= 0:
            weigh(s, ball, s.ball_i[ball, S.MISTAKES] + 1)


@entry
def recursive_mean(hits: np.ndarray, m: float, t: int) -> float:
    """M_t by the recursion of Algorithm 5, line 6, from M_(t - 1) on."""
    for hit in hits:
        t += 1
        m = (1.0 - 1.0 / t) * m + (1.0 if hit else 0.0) / t
    return m


ENTRIES = (run, look, chance_of, take, build, read_centres, recompute_tickets, recursive_mean)
