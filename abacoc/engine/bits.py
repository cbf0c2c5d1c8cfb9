"""Columns that are 0 or 1 in most centres: 64 of them in a word, and no work for the zeros.

Where centre and point are both 0 or 1, a column adds exactly 1.0 or 0.0 to the squared distance,
so counting the bits in which they differ bounds it from below, and is the distance itself while
the centre has not moved. A centre that moved has other values in some columns; they lie in a row
of their own, and the exact sum goes over them, over the differing bits and over the dense
columns in the order of the columns, leaving out only what adds zero: the reference's sum.
"""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.jit import kernel
from abacoc.engine.simd import lowest
from abacoc.engine.state import State

DENSE, ONES, ODD = range(3)  # rows of State.masks
ONE = np.uint64(1)
ZERO = np.uint64(0)
BELOW = 1.0 - 2.0**-40  # more than what rounding can add to a sum of many squares


@kernel
def is_bit(value: float) -> bool:
    """True of 1.0 and of 0.0, but not of -0.0, whose sign would be lost."""
    return value == 1.0 or (value == 0.0 and math.copysign(1.0, value) > 0.0)


@kernel
def set_query_bits(s: State) -> None:
    """The query's ones, and the bit columns in which it is odd: neither 0 nor 1."""
    masks = s.masks
    for w in range(masks.shape[1]):
        masks[ONES, w] = masks[ODD, w] = ZERO
    s.h[S.ODD_QUERY] = 0
    for g in range(len(s.x)):
        if s.dense_of[g] < 0 and s.x[g] != 0.0:
            bit = ONE << np.uint64(g & 63)
            if s.x[g] == 1.0:
                masks[ONES, g >> 6] |= bit
            else:
                masks[ODD, g >> 6] |= bit
                s.h[S.ODD_QUERY] = 1


@kernel
def write_bits(s: State, b: int, lane: int, ball: int) -> None:
    """Write the bit columns of the query as a centre; what is neither 0 nor 1 goes to a row."""
    n_words = s.masks.shape[1]
    for w in range(2 * n_words):
        s.bits[b, w, lane] = ZERO
    floor = 0.0
    for g in range(len(s.x)):
        value = s.x[g]
        if s.dense_of[g] < 0:
            bit = ONE << np.uint64(g & 63)
            if not is_bit(value):
                if s.ball_i[ball, S.ROW] < 0:
                    s.ball_i[ball, S.ROW] = new_row(s)
                s.rows[s.ball_i[ball, S.ROW], g] = value
                s.bits[b, n_words + (g >> 6), lane] |= bit
                floor += min(value * value, (value - 1.0) * (value - 1.0))
            elif value == 1.0:
                s.bits[b, g >> 6, lane] |= bit
    s.floors[b, lane] = floor * BELOW


@kernel
def move_bits(s: State, b: int, lane: int, ball: int, divisor: float) -> None:
    """c + (x - c) / divisor in the bit columns where x and c differ; elsewhere it is c."""
    n_words = s.masks.shape[1]
    floor = 0.0
    for w in range(n_words):
        ones, in_row = s.bits[b, w, lane], s.bits[b, n_words + w, lane]
        odd = s.masks[ODD, w]
        left = ((ones ^ s.masks[ONES, w]) | in_row | odd) & ~s.masks[DENSE, w]
        while left != ZERO:
            g = w * 64 + lowest(left)
            bit = ONE << np.uint64(g & 63)
            left ^= bit
            if s.ball_i[ball, S.ROW] < 0:
                s.ball_i[ball, S.ROW] = new_row(s)
            row = s.ball_i[ball, S.ROW]
            c = s.rows[row, g] if in_row & bit else (1.0 if ones & bit else 0.0)
            c = c + (s.x[g] - c) / divisor
            s.rows[row, g] = c
            s.bits[b, w, lane] &= ~bit
            s.bits[b, n_words + w, lane] |= bit
            floor += min(c * c, (c - 1.0) * (c - 1.0))
    s.floors[b, lane] = floor * BELOW


@kernel
def read_bits(s: State, b: int, lane: int, ball: int, centre: np.ndarray) -> None:
    """The bit columns of a centre."""
    n_words = s.masks.shape[1]
    for g in range(len(centre)):
        if s.dense_of[g] < 0:
            bit = ONE << np.uint64(g & 63)
            if s.bits[b, n_words + (g >> 6), lane] & bit:
                centre[g] = s.rows[s.ball_i[ball, S.ROW], g]
            else:
                centre[g] = 1.0 if s.bits[b, g >> 6, lane] & bit else 0.0


@kernel
def exact_total(s: State, b: int, lane: int, ball: int) -> float:
    """The squared distance, the squares added in the order of the columns."""
    bits, masks, values, rows, x, dense_of = s.bits, s.masks, s.values, s.rows, s.x, s.dense_of
    n_words = masks.shape[1]
    row = s.ball_i[ball, S.ROW]
    total = 0.0
    for w in range(n_words):
        ones, in_row = bits[b, w, lane], bits[b, n_words + w, lane]
        odd, dense = masks[ODD, w], masks[DENSE, w]
        plain = (ones ^ masks[ONES, w]) & ~in_row & ~odd  # 0 against 1
        left = plain | in_row | odd | dense
        while left != ZERO:
            bit = left & (~left + ONE)
            left ^= bit
            if plain & bit:
                total += 1.0
                continue
            g = w * 64 + lowest(bit)
            if dense & bit:
                difference = values[b, dense_of[g], lane] - x[g]
            elif in_row & bit:
                difference = rows[row, g] - x[g]
            else:
                difference = (1.0 if ones & bit else 0.0) - x[g]
            total += difference * difference
    return total


@kernel
def new_row(s: State) -> int:
    """A row for coordinates that are neither 0 nor 1."""
    h = s.h
    if h[S.FREE_ROW] >= 0:
        row = h[S.FREE_ROW]
        h[S.FREE_ROW] = np.int64(s.rows[row, 0])  # a free row holds the number of the next one
        return row
    h[S.N_ROWS] += 1
    return h[S.N_ROWS] - 1


@kernel
def free_row(s: State, ball: int) -> None:
    """Give the row of a ball back, if it has one."""
    row = s.ball_i[ball, S.ROW]
    if row >= 0:
        s.rows[row, 0] = s.h[S.FREE_ROW]
        s.h[S.FREE_ROW] = row
        s.ball_i[ball, S.ROW] = -1
