"""Blocks of centres: where they lie, and how one gets there."""

from __future__ import annotations

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import write_bits
from abacoc.engine.jit import kernel
from abacoc.engine.planes import leave_planes, write_planes
from abacoc.engine.state import State


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
    for lane in range(S.WIDTH):
        leave_planes(s, b, lane, 2 * len(s.x))
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
        write_planes(s, b, lane)


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
    write_planes(s, to, to_lane)
