"""Blocks of centres: where they lie, and how one gets there."""

from __future__ import annotations

from abacoc.engine import state as S
from abacoc.engine.bits import write_bits
from abacoc.engine.jit import kernel
from abacoc.engine.planes import leave_planes, write_planes
from abacoc.engine.rough import INFINITE, single
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
    for j in range(s.rough.shape[1]):
        for lane in range(S.WIDTH):
            s.rough[b, j, lane] = INFINITE  # an empty lane is infinitely far
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
    s.ball_n[ball, S.PLACE] = b * S.WIDTH + lane
    write_rough(s, b, lane, ball, True)
    if s.masks.shape[1] > 0:
        write_bits(s, b, lane, ball)
        write_planes(s, b, lane)


@kernel
def write_rough(s: State, b: int, lane: int, ball: int, entered: bool) -> None:
    """Write the dense columns of a centre once more, rounded; the boxes around it reach to it.

    Where nothing changed they do so already, unless the ball has entered the leaf just now.
    """
    spot = s.node_i[s.block_i[b, S.LEAF], S.SPOT]
    shelf, leaf = spot // S.WIDTH, spot % S.WIDTH
    top, place = shelf // S.WIDTH, shelf % S.WIDTH
    rough, boxes, tops, centres, most = s.rough, s.boxes, s.tops, s.centres, s.f[S.CUTOFF]
    for j in range(rough.shape[1]):
        value = single(centres[ball, j], most)
        if entered or value != rough[b, j, lane]:
            rough[b, j, lane] = value
            low, high = 2 * j, 2 * j + 1
            if value < boxes[shelf, low, leaf]:
                boxes[shelf, low, leaf] = value
                tops[top, low, place] = min(tops[top, low, place], value)
            if value > boxes[shelf, high, leaf]:
                boxes[shelf, high, leaf] = value
                tops[top, high, place] = max(tops[top, high, place], value)


@kernel
def copy_lane(s: State, b: int, lane: int, to: int, to_lane: int) -> None:
    """Copy a ball from one lane to another."""
    ball = s.lanes[b, lane]
    s.lanes[to, to_lane] = ball
    s.ball_n[ball, S.PLACE] = to * S.WIDTH + to_lane
    for j in range(s.rough.shape[1]):
        s.rough[to, j, to_lane] = s.rough[b, j, lane]
    for w in range(s.bits.shape[1]):
        s.bits[to, w, to_lane] = s.bits[b, w, lane]
    if s.floors.shape[1] > 0:
        s.floors[to, to_lane] = s.floors[b, lane]
    write_planes(s, to, to_lane)
