"""Blocks of centres: where they lie, how a point is compared with all of a block at once."""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import exact_total, popcount, write_bits
from abacoc.engine.jit import inlined, kernel
from abacoc.engine.simd import add_differing_bits, squares
from abacoc.engine.state import State

SAME_ROOT = 1.0 + 2.0**-50  # squares with the same float64 root differ by less than this factor
EARLY = 16  # columns after which a block may be given up
ZERO, BIT = np.uint64(0), np.uint64(1)


@kernel
def new_block(s: State, leaf: int) -> int:
    """An empty block for a leaf."""
    h = s.h
    if h[S.FREE_BLOCK] >= 0:
        b = h[S.FREE_BLOCK]
        h[S.FREE_BLOCK] = s.block_i[b, S.NEXT]
        h[S.FREE_BLOCKS] -= 1
    else:
        b = h[S.N_BLOCKS]
        h[S.N_BLOCKS] += 1
    s.block_i[b, S.FILLED] = 0
    s.block_i[b, S.NEXT] = -1
    s.block_i[b, S.LEAF] = leaf
    for j in range(s.values.shape[1]):
        for lane in range(S.WIDTH):
            s.values[b, j, lane] = np.inf  # an empty lane is infinitely far
    return b


@kernel
def free_block(s: State, b: int) -> None:
    """Give a block back."""
    s.block_i[b, S.NEXT] = s.h[S.FREE_BLOCK]
    s.h[S.FREE_BLOCK] = b
    s.h[S.FREE_BLOCKS] += 1


@kernel
def put(s: State, b: int, lane: int, ball: int) -> None:
    """Write a ball around the query into a lane."""
    s.lanes[b, lane] = ball
    s.ball_i[ball, S.PLACE] = b * S.WIDTH + lane
    for j in range(len(s.dense)):
        s.values[b, j, lane] = s.dense[j]
    if s.masks.shape[1] > 0:
        write_bits(s, b, lane, ball)


@kernel
def copy_lane(s: State, b: int, lane: int, to: int, to_lane: int) -> None:
    """Copy a ball from one lane to another."""
    ball = s.lanes[b, lane]
    s.lanes[to, to_lane] = ball
    s.ball_i[ball, S.PLACE] = to * S.WIDTH + to_lane
    for j in range(s.values.shape[1]):
        s.values[to, j, to_lane] = s.values[b, j, lane]
    for w in range(s.bits.shape[1]):
        s.bits[to, w, to_lane] = s.bits[b, w, lane]
    s.floors[to, to_lane] = s.floors[b, lane]


@inlined
def search_dense(
    h: np.ndarray,
    block_i: np.ndarray,
    lanes: np.ndarray,
    values: np.ndarray,
    dense: np.ndarray,
    totals: np.ndarray,
    b: int,
    best: int,
    distance: float,
    limit: float,
) -> tuple[int, float, float]:
    """Look through a chain of blocks without bits, from block b on.

    Returns the best ball so far, its distance, and the square beyond which no ball is as close.
    """
    n = len(dense)
    while b >= 0:
        filled = block_i[b, S.FILLED]
        h[S.EVALUATIONS] += filled
        end = min(n, EARLY)
        near = squares(values, b * n, dense, 0, end, totals, limit)
        while end < n and near != ZERO:
            start, end = end, min(n, end + EARLY)
            near = squares(values, b * n, dense, start, end, totals, limit)
        near &= first_lanes(filled)
        while near != ZERO:
            lane = popcount((near & (~near + BIT)) - BIT)
            near &= near - BIT
            total = totals[lane]
            if total <= limit:
                root = math.sqrt(total)
                ball = lanes[b, lane]
                if root < distance or (root == distance and ball < best):
                    best, distance, limit = ball, root, total * SAME_ROOT
        b = block_i[b, S.NEXT]
    return best, distance, limit


@kernel
def search_bits(
    s: State, b: int, best: int, distance: float, limit: float
) -> tuple[int, float, float]:
    """As ``search_dense`` where some columns are bits."""
    h, block_i, lanes, values, dense = s.h, s.block_i, s.lanes, s.values, s.dense
    totals, bits, masks, floors, ball_i = s.totals, s.bits, s.masks, s.floors, s.ball_i
    n, n_words, slack = len(dense), masks.shape[1], s.f[S.SLACK]
    odd = h[S.ODD_QUERY] == 1
    while b >= 0:
        filled = block_i[b, S.FILLED]
        h[S.EVALUATIONS] += filled
        # the columns are not added in their order here, so rounding needs its slack
        loose = limit * slack
        near = squares(values, b * n, dense, 0, n, totals, loose)
        if near != ZERO:
            if not odd:
                for lane in range(S.WIDTH):
                    totals[lane] += floors[b, lane]
            near = add_differing_bits(bits, b * 2 * n_words, masks, n_words, totals, loose)
            near &= first_lanes(filled)
        while near != ZERO:
            lane = popcount((near & (~near + BIT)) - BIT)
            near &= near - BIT
            total = totals[lane]
            if total <= limit * slack:
                ball = lanes[b, lane]
                if n > 0 or odd or ball_i[ball, S.ROW] >= 0:
                    total = exact_total(s, b, lane, ball)
                root = math.sqrt(total)
                if root < distance or (root == distance and ball < best):
                    best, distance, limit = ball, root, total * SAME_ROOT
        b = block_i[b, S.NEXT]
    return best, distance, limit


@inlined
def first_lanes(n: int) -> int:
    """Ones in the lowest n bits."""
    return (BIT << np.uint64(n)) - BIT
