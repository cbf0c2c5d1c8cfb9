"""Algorithms 1 to 4 and Section VII once more, over the arrays of a state.

The order of the steps and every formula are those of cover.py, base.py, auto.py and budget.py;
see there for the lines of the paper.
"""

from __future__ import annotations

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import free_all_runs, move_bits
from abacoc.engine.jit import inlined, kernel
from abacoc.engine.state import State
from abacoc.engine.tree import clear_tree, insert, remove, settle

CLOSE = 2.0**-40  # far above the rounding of ``room``: what is closer, Python decides exactly


@inlined
def learn(s: State, k: int) -> int:
    """Learn the query with class k: DONE, or a status with nothing changed."""
    h = s.h
    status = learn_auto(s, k) if h[S.METHOD] == S.AUTO else learn_base(s, k)
    if status == S.DONE:
        h[S.MEMO] = 0
        h[S.SEEN] = max(h[S.SEEN], k + 1)
        h[S.LEARNED] += 1
    return status


# Balls --------------------------------------------------------------------------------------------


@inlined
def count(s: State, ball: int, k: int) -> None:
    """Add one example of class k to a ball; ties of the majority go to the lower number."""
    h, tally, links, ball_i = s.h, s.tally, s.links, s.ball_i
    e = ball_i[ball, S.TALLY]
    while e >= 0 and links[e, S.CLASS] != k:
        e = links[e, S.NEXT_TALLY]
    if e < 0:
        if h[S.FREE_TALLY] >= 0:
            e = h[S.FREE_TALLY]
            h[S.FREE_TALLY] = links[e, S.NEXT_TALLY]
        else:
            e = h[S.N_TALLIES]
            h[S.N_TALLIES] += 1
        links[e, S.CLASS], links[e, S.NEXT_TALLY] = k, ball_i[ball, S.TALLY]
        tally[e] = 0
        ball_i[ball, S.TALLY] = e
    tally[e] += 1
    ball_i[ball, S.TOTAL] += 1
    n, most = tally[e], ball_i[ball, S.MOST]
    if n > most or (n == most and k < s.ball_n[ball, S.MAJORITY]):
        s.ball_n[ball, S.MAJORITY], ball_i[ball, S.MOST] = k, n


@kernel
def count_of(s: State, ball: int, k: int) -> int:
    """n_s(k)."""
    e = s.ball_i[ball, S.TALLY]
    while e >= 0:
        if s.links[e, S.CLASS] == k:
            return s.tally[e]
        e = s.links[e, S.NEXT_TALLY]
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
    s.ball_i[ball, S.TALLY] = s.ball_n[ball, S.ROW] = s.ball_n[ball, S.PLACE] = -1
    s.ball_f[ball, S.BIRTH] = s.ball_f[ball, S.RADIUS] = np.nan
    s.ball_n[ball, S.MAJORITY] = k
    count(s, ball, k)
    weigh(s, ball, 1)
    insert(s, ball)
    return ball


@kernel
def discard(s: State, ball: int) -> None:
    """Forget a ball; the others keep their order."""
    h, links = s.h, s.links
    weigh(s, ball, -(s.ball_i[ball, S.MISTAKES] + 1))
    e = s.ball_i[ball, S.TALLY]
    while e >= 0:
        following = links[e, S.NEXT_TALLY]
        links[e, S.NEXT_TALLY] = h[S.FREE_TALLY]
        h[S.FREE_TALLY] = e
        e = following
    s.ball_i[ball, S.TALLY] = -1  # the sign of a discarded ball
    h[S.N_BALLS] -= 1
    remove(s, ball)


@kernel
def discard_all(s: State) -> None:
    """Forget all balls."""
    h = s.h
    h[S.N_BALLS] = h[S.N_SLOTS] = h[S.N_TALLIES] = h[S.WEIGHT] = 0
    h[S.FREE_TALLY] = -1
    free_all_runs(s)
    for i in range(len(s.tickets)):
        s.tickets[i] = 0
    clear_tree(s)


@inlined
def move(s: State, ball: int, divisor: int) -> None:
    """x_s = x_s + (x_t - x_s) / divisor."""
    centres, dense = s.centres, s.dense
    for j in range(len(dense)):
        c = centres[ball, j]
        centres[ball, j] = c + (dense[j] - c) / float(divisor)
    if s.masks.shape[1] > 0:
        move_bits(s, ball, float(divisor))
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
        elif k != s.ball_n[0, S.MAJORITY] or not h[S.WAIT]:
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
            h[S.DISCARDS] += 1
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
    if k != s.ball_n[ball, S.MAJORITY]:
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
        if h[S.MOVES] and k == s.ball_n[ball, S.MAJORITY]:
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
