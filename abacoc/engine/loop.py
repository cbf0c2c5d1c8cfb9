"""Algorithms 1 to 4 and Section VII once more, over the arrays of a state.

The order of the steps and every formula are those of cover.py, base.py, auto.py and budget.py;
see there for the lines of the paper.
"""

from __future__ import annotations

import numpy as np

from abacoc import base
from abacoc.engine import state as S
from abacoc.engine.bits import free_row, move_bits, read_bits
from abacoc.engine.jit import entry, inlined, kernel
from abacoc.engine.plain import insert_plain, move_plain, remove_plain
from abacoc.engine.search import ask, closest, set_columns
from abacoc.engine.state import State
from abacoc.engine.tree import clear_tree, insert, rebuild, remove, settle

ball_probability = kernel(base.ball_probability)

SPARE_BLOCKS, SPARE_NODES = 4, 8  # what one example can need without a rebuild
TRIAL = 256  # searches after which a tree is judged
CLOSE = 2.0**-40  # far above the rounding of ``room``: what is closer, Python decides exactly


@inlined
def is_good(s: State, point: np.ndarray) -> bool:
    """No NaN, no infinity, nothing too large to be squared."""
    largest = s.f[S.LARGEST]
    for j in range(point.shape[1]):
        if not abs(point[0, j]) <= largest:
            return False
    return True


# Balls --------------------------------------------------------------------------------------------


@inlined
def count(s: State, ball: int, k: int) -> None:
    """Add one example of class k to a ball; ties of the majority go to the lower number."""
    h, tally, ball_i = s.h, s.tally, s.ball_i
    e = ball_i[ball, S.TALLY]
    while e >= 0 and tally[e, S.CLASS] != k:
        e = tally[e, S.NEXT_TALLY]
    if e < 0:
        if h[S.FREE_TALLY] >= 0:
            e = h[S.FREE_TALLY]
            h[S.FREE_TALLY] = tally[e, S.NEXT_TALLY]
        else:
            e = h[S.N_TALLIES]
            h[S.N_TALLIES] += 1
        tally[e, S.CLASS], tally[e, S.COUNT], tally[e, S.NEXT_TALLY] = k, 0, ball_i[ball, S.TALLY]
        ball_i[ball, S.TALLY] = e
    tally[e, S.COUNT] += 1
    ball_i[ball, S.TOTAL] += 1
    n, most = tally[e, S.COUNT], ball_i[ball, S.MOST]
    if n > most or (n == most and k < ball_i[ball, S.MAJORITY]):
        ball_i[ball, S.MAJORITY], ball_i[ball, S.MOST] = k, n


@kernel
def count_of(s: State, ball: int, k: int) -> int:
    """n_s(k)."""
    tally = s.tally
    e = s.ball_i[ball, S.TALLY]
    while e >= 0:
        if tally[e, S.CLASS] == k:
            return tally[e, S.COUNT]
        e = tally[e, S.NEXT_TALLY]
    return 0


@kernel
def store(s: State, k: int) -> int:
    """A new ball around the query that has seen one example of class k."""
    h = s.h
    ball = h[S.N_SLOTS]
    h[S.N_SLOTS] += 1
    h[S.N_BALLS] += 1
    for column in range(S.BALL_INTS):
        s.ball_i[ball, column] = 0
    s.ball_i[ball, S.MOVED] = 1
    s.ball_i[ball, S.TALLY] = s.ball_i[ball, S.ROW] = s.ball_i[ball, S.PLACE] = -1
    s.ball_f[ball, S.BIRTH] = s.ball_f[ball, S.RADIUS] = np.nan
    s.ball_i[ball, S.MAJORITY] = k
    count(s, ball, k)
    weigh(s, ball, 1)
    if h[S.PLAIN]:
        insert_plain(s, ball)
    else:
        insert(s, ball)
    return ball


@kernel
def discard(s: State, ball: int) -> None:
    """Forget a ball; the others keep their order."""
    h, tally = s.h, s.tally
    weigh(s, ball, -(s.ball_i[ball, S.MISTAKES] + 1))
    e = s.ball_i[ball, S.TALLY]
    while e >= 0:
        following = tally[e, S.NEXT_TALLY]
        tally[e, S.NEXT_TALLY] = h[S.FREE_TALLY]
        h[S.FREE_TALLY] = e
        e = following
    s.ball_i[ball, S.TALLY] = -1  # the sign of a discarded ball
    h[S.N_BALLS] -= 1
    if h[S.PLAIN]:
        remove_plain(s, ball)
    else:
        remove(s, ball)
        free_row(s, ball)


@kernel
def discard_all(s: State) -> None:
    """Forget all balls."""
    h = s.h
    h[S.N_BALLS] = h[S.N_SLOTS] = h[S.N_TALLIES] = h[S.N_ROWS] = h[S.WEIGHT] = 0
    h[S.FREE_TALLY] = h[S.FREE_ROW] = -1
    for i in range(len(s.tickets)):
        s.tickets[i] = 0
    clear_tree(s)


@inlined
def move(s: State, ball: int, divisor: int) -> None:
    """x_s = x_s + (x_t - x_s) / divisor."""
    if s.h[S.PLAIN]:
        move_plain(s, ball, float(divisor))
        return
    b, lane = s.ball_i[ball, S.PLACE] // S.WIDTH, s.ball_i[ball, S.PLACE] % S.WIDTH
    for j in range(len(s.dense)):
        c = s.values[b, j, lane]
        s.values[b, j, lane] = c + (s.dense[j] - c) / float(divisor)
    if s.masks.shape[1] > 0:
        move_bits(s, b, lane, ball, float(divisor))
    settle(s, ball)


# The budget: a Fenwick tree over the weights m_s + 1, in order of storage -------------------------


@kernel
def weigh(s: State, ball: int, change: int) -> None:
    """Change the number of tickets of a ball."""
    s.h[S.WEIGHT] += change
    if s.h[S.BUDGET]:
        i = ball + 1
        while i < len(s.tickets):
            s.tickets[i] += change
            i += i & -i


@kernel
def owner(s: State, ticket: int) -> int:
    """The ball with the ticket: the first whose sum of weights, its own included, exceeds it."""
    step = 1
    while 2 * step < len(s.tickets):
        step *= 2
    i = 0
    while step > 0:
        if i + step < len(s.tickets) and s.tickets[i + step] <= ticket:
            i += step
            ticket -= s.tickets[i]
        step //= 2
    return i


# Algorithm 4 --------------------------------------------------------------------------------------


@inlined
def learn_auto(s: State, k: int) -> int:
    """AUTO and AUTO-ADJ; DONE, or NEEDS_TICKET with nothing changed."""
    h = s.h
    ball, distance = s.found[0], s.measures[S.DISTANCE, 0]
    if h[S.N_BALLS] < 2:
        if h[S.N_BALLS] == 0:
            store(s, k)
        elif k != s.ball_i[0, S.MAJORITY] or not h[S.WAIT]:
            store(s, k)
            for first in range(2):
                s.ball_f[first, S.BIRTH] = s.ball_f[first, S.RADIUS] = distance
        return S.DONE
    radius = s.ball_f[ball, S.RADIUS]
    if distance < radius or (h[S.CLOSED] and distance == radius):
        learn_in_ball(s, ball, k)
    else:
        if h[S.BUDGET] and h[S.N_BALLS] >= h[S.BUDGET]:
            if h[S.TICKET] < 0:
                return S.NEEDS_TICKET
            discard(s, owner(s, h[S.TICKET]))
            h[S.TICKET] = -1
        ball = store(s, k)
        s.ball_f[ball, S.BIRTH] = distance
        shrink(s, ball)
    return S.DONE


@inlined
def learn_in_ball(s: State, ball: int, k: int) -> None:
    """Count a mistake, or follow a correct example; count the label."""
    h = s.h
    if not h[S.JUDGE_FIRST]:
        count(s, ball, k)
    if k != s.ball_i[ball, S.MAJORITY]:
        s.ball_i[ball, S.MISTAKES] += 1
        weigh(s, ball, 1)
        shrink(s, ball)
    elif h[S.MOVES]:
        s.ball_i[ball, S.MOVED] += 1
        move(s, ball, s.ball_i[ball, S.MOVED])
    if h[S.JUDGE_FIRST]:
        count(s, ball, k)
    if h[S.RADIUS_RULE] == S.INFINITE_RULE:  # else the radius changes with a mistake only
        shrink(s, ball)


@kernel
def shrink(s: State, ball: int) -> None:
    """The radius of a ball with m_s mistakes."""
    rule, m = s.h[S.RADIUS_RULE], s.ball_i[ball, S.MISTAKES]
    if rule == S.INFINITE_RULE and m == 0:
        s.ball_f[ball, S.RADIUS] = np.inf
        return
    m = m + 1 if rule == S.PLUS_RULE else max(m, 1)
    s.ball_f[ball, S.RADIUS] = s.ball_f[ball, S.BIRTH] * float(m) ** s.f[S.EXPONENT]


# Algorithms 2 and 3 -------------------------------------------------------------------------------


@kernel
def learn_base(s: State, k: int) -> int:
    """BASE and BASE-ADJ; DONE, or NEEDS_VERDICT with nothing changed."""
    h, f = s.h, s.f
    ball, distance = s.found[0], s.measures[S.DISTANCE, 0]
    inside = distance < f[S.EPSILON] or (h[S.CLOSED] and distance == f[S.EPSILON])
    if ball >= 0 and inside:
        if h[S.MOVES] and k == s.ball_i[ball, S.MAJORITY]:
            s.ball_i[ball, S.MOVED] += 1
            n = s.ball_i[ball, S.TOTAL] + 1
            move(s, ball, n if h[S.DIVISOR_TOTAL] else s.ball_i[ball, S.MOVED])
        count(s, ball, k)
        h[S.STEPS] += h[S.COUNT_EVERY_STEP]
    else:
        if h[S.VERDICT] == S.UNDECIDED:
            step = float(h[S.STEPS] + h[S.START_AT_DIAMETER])
            largest = room(f[S.COVERING_CONSTANT], float(h[S.DIMENSION]), step)
            if h[S.N_BALLS] + 1 > largest * (1.0 - CLOSE):
                return S.NEEDS_VERDICT
        if h[S.VERDICT] > S.STAYS:
            discard_all(s)
            h[S.DIMENSION] = h[S.VERDICT]
            h[S.PHASE] += 1
            h[S.STEPS] = 0
        h[S.STEPS] += 1
        store(s, k)
    h[S.VERDICT] = S.UNDECIDED  # it was about the steps and the balls up to here
    step = h[S.STEPS] + 1 if h[S.START_AT_DIAMETER] else h[S.STEPS]
    f[S.EPSILON] = np.inf if step == 0 else float(step) ** (-1.0 / (2.0 + h[S.DIMENSION]))
    return S.DONE


@kernel
def room(constant: float, d: float, step: float) -> float:
    """C (2 / eps)^d with eps = step^(-1/(2+d)), good to 50 u where u = 2^-53.

    d / (2 + d) is rounded by u, which changes the power by u log(step) < 44 u; the power itself
    is good to 2 u in any library, each product to u, and 2^d is exact. If it overflows it is
    larger than any number of balls.
    """
    return constant * (2.0**d * step ** (d / (2.0 + d)))


# Algorithm 5 --------------------------------------------------------------------------------------


@inlined
def predicted(s: State) -> int:
    """Number of the class predicted for the query; -1 for no prediction."""
    ball = s.found[0]
    return -1 if ball < 0 or aside(s) else s.ball_i[ball, S.MAJORITY]


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
def learn(s: State, k: int) -> int:
    """Learn the query with class k: DONE, or a status with nothing changed."""
    h = s.h
    status = learn_auto(s, k) if h[S.METHOD] == S.AUTO else learn_base(s, k)
    if status == S.DONE:
        h[S.MEMO] = 0
    return status


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
    if s.masks.shape[1] > 0 and h[S.FREE_ROW] < 0 and h[S.N_ROWS] >= len(s.rows):
        return True
    if not h[S.SPLITS]:
        return 0 <= h[S.RETRY_AT] <= h[S.N_BALLS]
    if h[S.QUERIES] < TRIAL or h[S.RETRY_AT] < 0:
        return False
    too_many = 2 * h[S.EVALUATIONS] > h[S.QUERIES] * h[S.N_BALLS] and h[S.N_BALLS] > 8 * S.WIDTH
    h[S.QUERIES] = h[S.EVALUATIONS] = 0
    if too_many:
        h[S.RETRY_AT] = 0  # the sign for the engine that the tree does not pay
    return too_many


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
    """The class predicted for the one row of a matrix, -1 for none; -2 if the row is bad."""
    if not is_good(s, point):
        return -2
    ask(s, point, 0)
    closest(s, None)
    return predicted(s)


@entry
def chance_of(s: State) -> float:
    """p_t for the point looked at last."""
    return chance(s)


@entry
def take(s: State, point: np.ndarray, k: int) -> int:
    """Learn a point with class k; the status."""
    if not is_good(s, point):
        return S.BAD_POINT
    if is_short(s):
        return S.ROOM
    ask(s, point, 0)
    closest(s, None)
    return learn(s, k)


@entry
def build(s: State, centres: np.ndarray) -> None:
    """Make the search structure from the centres of all balls, in order of storage."""
    h = s.h
    splits = h[S.SPLITS]
    h[S.SPLITS] = h[S.N_ROWS] = 0
    h[S.FREE_ROW] = -1
    clear_tree(s)
    i = 0
    for ball in range(h[S.N_SLOTS]):
        if s.ball_i[ball, S.TALLY] < 0:
            continue  # discarded
        s.ball_i[ball, S.ROW] = -1
        for j in range(len(s.x)):
            s.x[j] = centres[i, j]
        i += 1
        set_columns(s)
        if h[S.PLAIN]:
            insert_plain(s, ball)
        else:
            insert(s, ball)
    h[S.SPLITS] = splits
    if splits:
        rebuild(s, h[S.ROOT])
    h[S.MEMO] = h[S.QUERIES] = h[S.EVALUATIONS] = 0


@entry
def read_centres(s: State, centres: np.ndarray) -> None:
    """Write the centres of all balls, in order of storage."""
    i = 0
    for ball in range(s.h[S.N_SLOTS]):
        if s.ball_i[ball, S.TALLY] < 0:
            continue
        if s.h[S.PLAIN]:
            for j in range(len(s.x)):
                centres[i, j] = s.rows[ball, j]
        else:
            b, lane = s.ball_i[ball, S.PLACE] // S.WIDTH, s.ball_i[ball, S.PLACE] % S.WIDTH
            for j in range(len(s.columns)):
                centres[i, s.columns[j]] = s.values[b, j, lane]
            read_bits(s, b, lane, ball, centres[i])
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
