"""Columns that are 0 or 1 in most centres: 64 of them in a word, and no work for the zeros.

Where centre and point are both 0 or 1, a column adds exactly 1.0 or 0.0 to the squared distance,
so counting the bits in which they differ bounds it from below, and is the distance itself while
the centre has not moved. A centre that moved has other values in some columns; they lie one after
the other in a run of its own, and the exact sum goes over them, over the differing bits and over
the dense columns in the order of the columns, leaving out only what adds zero: the reference's sum.
"""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.jit import kernel
from abacoc.engine.planes import leave_planes
from abacoc.engine.simd import highest, lowest, ones_of
from abacoc.engine.state import State

DENSE, ONES, ODD = range(3)  # rows of State.masks
ONE = np.uint64(1)
ZERO = np.uint64(0)
HIGH = 2.0**100  # a floor that float32 can hold, and more than any distance that matters
BELOW = 1.0 - 2.0**-20  # more than what rounding to float32 can add
LEAST_RUN, N_RUNS = 8, 60  # the shortest run, and how many lengths there are, each twice the last


@kernel
def is_bit(value: float) -> bool:
    """True of 1.0 and of 0.0, but not of -0.0, whose sign would be lost."""
    return value == 1.0 or (value == 0.0 and math.copysign(1.0, value) > 0.0)


@kernel
def set_query_bits(s: State) -> None:
    """The query's ones, and the bit columns in which it is odd: neither 0 nor 1."""
    masks, x, odd_ones = s.masks, s.x, ZERO
    for w in range(masks.shape[1]):
        ones = odd = ZERO
        for g in range(w * 64, min(w * 64 + 64, len(x))):
            ones |= np.uint64(x[g] == 1.0) << np.uint64(g & 63)
            odd |= np.uint64((x[g] != 1.0) & (x[g] != 0.0)) << np.uint64(g & 63)
        masks[ONES, w] = ones & ~masks[DENSE, w]
        masks[ODD, w] = odd & ~masks[DENSE, w]
        odd_ones |= masks[ODD, w]
    s.h[S.ODD_QUERY] = odd_ones != ZERO


@kernel
def write_bits(s: State, b: int, lane: int, ball: int) -> None:
    """Write the bit columns of the query as a centre; what is neither 0 nor 1 goes to a run."""
    n_words, n_odd = s.masks.shape[1], 0
    for w in range(2 * n_words):
        s.bits[b, w, lane] = ZERO
    for g in range(len(s.x)):
        if s.dense_of[g] < 0:
            bit = ONE << np.uint64(g & 63)
            if not is_bit(s.x[g]):
                s.bits[b, n_words + (g >> 6), lane] |= bit
                n_odd += 1
            elif s.x[g] == 1.0:
                s.bits[b, g >> 6, lane] |= bit
    floor = 0.0
    if n_odd > 0:
        at = s.ball_n[ball, S.ROW] = new_run(s, n_odd)
        for g in range(len(s.x)):
            if s.dense_of[g] < 0 and not is_bit(s.x[g]):
                s.rows[at] = s.x[g]
                at += 1
                floor += least_square(s.x[g])
    s.floors[b, lane] = min(floor, HIGH) * BELOW


@kernel
def least_square(value: float) -> float:
    """What a centre with this value adds at least to the squared distance from a 0 or 1."""
    return min(value * value, (value - 1.0) * (value - 1.0))


@kernel
def move_bits(s: State, ball: int, divisor: float) -> None:
    """c + (x - c) / divisor in the bit columns where x and c differ; elsewhere it is c.

    From the last column to the first: what is written never lies before what is still to be read.
    """
    bits, masks, rows, n_words = s.bits, s.masks, s.rows, s.masks.shape[1]
    b, lane = s.ball_n[ball, S.PLACE] // S.WIDTH, s.ball_n[ball, S.PLACE] % S.WIDTH
    before, after = n_in_run(s, b, lane), 0
    for w in range(n_words):
        differ = (bits[b, w, lane] ^ masks[ONES, w]) & ~masks[DENSE, w]
        after += ones_of(differ | bits[b, n_words + w, lane] | masks[ODD, w])
    if after == 0:
        return
    old = new = s.ball_n[ball, S.ROW]
    if before == 0 or run_length(before) != run_length(after):
        new = s.ball_n[ball, S.ROW] = new_run(s, after)
    read, write, floor = old + before, new + after, 0.0
    for w in range(n_words - 1, -1, -1):
        ones, in_run = bits[b, w, lane], bits[b, n_words + w, lane]
        left = ((ones ^ masks[ONES, w]) & ~masks[DENSE, w]) | in_run | masks[ODD, w]
        bits[b, w, lane] = ones & ~left
        bits[b, n_words + w, lane] = left
        while left != ZERO:
            g = w * 64 + highest(left)
            bit = ONE << np.uint64(g & 63)
            left ^= bit
            if in_run & bit:
                read -= 1
                c = rows[read]
            else:
                one = np.int64(ones & bit != ZERO)
                leave_planes(s, b, lane, 2 * g + one)
                c = float(one)
            c = c + (s.x[g] - c) / divisor
            write -= 1
            rows[write] = c
            floor += least_square(c)
    if before > 0 and old != new:
        free_run(s, old, before)
    s.floors[b, lane] = min(floor, HIGH) * BELOW


@kernel
def coordinate(s: State, ball: int, g: int) -> float:
    """One coordinate of a centre."""
    if s.dense_of[g] >= 0:
        return s.centres[ball, s.dense_of[g]]
    b, lane = s.ball_n[ball, S.PLACE] // S.WIDTH, s.ball_n[ball, S.PLACE] % S.WIDTH
    n_words, w, bit = s.masks.shape[1], g >> 6, ONE << np.uint64(g & 63)
    if not s.bits[b, n_words + w, lane] & bit:
        return 1.0 if s.bits[b, w, lane] & bit else 0.0
    at = s.ball_n[ball, S.ROW] + ones_of(s.bits[b, n_words + w, lane] & (bit - ONE))
    for before in range(w):
        at += ones_of(s.bits[b, n_words + before, lane])
    return s.rows[at]


@kernel
def exact_total(s: State, b: int, lane: int, ball: int) -> float:
    """The squared distance, the squares added in the order of the columns."""
    bits, masks, centres, rows, x, dense_of = s.bits, s.masks, s.centres, s.rows, s.x, s.dense_of
    n_words = masks.shape[1]
    at, total = max(s.ball_n[ball, S.ROW], 0), 0.0
    for w in range(n_words):
        ones, in_run = bits[b, w, lane], bits[b, n_words + w, lane]
        odd, dense = masks[ODD, w], masks[DENSE, w]
        left = (ones ^ masks[ONES, w]) | in_run | odd | dense
        while left != ZERO:
            bit = left & (~left + ONE)
            g = w * 64 + lowest(left)
            left ^= bit
            if dense & bit:
                difference = centres[ball, dense_of[g]] - x[g]
            else:  # without a jump between the two: nobody could foresee it
                value, moved = rows[at], np.int64(in_run & bit != ZERO)
                difference = (value if moved else 1.0 if ones & bit else 0.0) - x[g]
                at += moved
            total += difference * difference
    return total


# Runs of numbers ----------------------------------------------------------------------------------


@kernel
def n_in_run(s: State, b: int, lane: int) -> int:
    """How many columns of a centre are neither 0 nor 1."""
    n, n_words = 0, s.masks.shape[1]
    for w in range(n_words, 2 * n_words):
        n += ones_of(s.bits[b, w, lane])
    return n


@kernel
def run_length(n: int) -> int:
    """Which of the lengths has room for n numbers."""
    k = 0
    while LEAST_RUN << k < n:
        k += 1
    return k


@kernel
def longest_run(s: State) -> int:
    """Room that one example may take."""
    return LEAST_RUN << run_length(len(s.x))


@kernel
def new_run(s: State, n: int) -> int:
    """Where n numbers may be written."""
    k = run_length(n)
    at = s.free_runs[k]
    if at >= 0:
        s.free_runs[k] = np.int64(s.rows[at])  # a free run holds where the next one is
    else:
        at = s.h[S.N_ROWS]
        s.h[S.N_ROWS] += LEAST_RUN << k
    return at


@kernel
def free_run(s: State, at: int, n: int) -> None:
    """Give the run of n numbers back."""
    k = run_length(n)
    s.rows[at] = s.free_runs[k]
    s.free_runs[k] = at


@kernel
def free_row(s: State, ball: int) -> None:
    """Give the run of a ball back, if it has one."""
    if s.ball_n[ball, S.ROW] >= 0:
        place = s.ball_n[ball, S.PLACE]
        free_run(s, s.ball_n[ball, S.ROW], n_in_run(s, place // S.WIDTH, place % S.WIDTH))
        s.ball_n[ball, S.ROW] = -1


@kernel
def free_all_runs(s: State) -> None:
    """No number is in use."""
    s.h[S.N_ROWS] = 0
    for k in range(len(s.free_runs)):
        s.free_runs[k] = -1
