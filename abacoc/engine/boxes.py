"""Boxes: for every leaf the least and the greatest of its rough centres, 32 leaves side by side.

Leaves that lie near each other share a *shelf*, and the boxes of the shelves lie side by side as
well. So a search looks at all shelves, then at the leaves of those that are near enough, each time
at 32 boxes at once, instead of going down the tree one jump after another.

A shelf that runs over is divided in two where its leaves are spread most. A box may be larger than
its centres need after one has moved or gone, never smaller.
"""

from __future__ import annotations

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.jit import kernel
from abacoc.engine.rough import INFINITE
from abacoc.engine.state import State


@kernel
def new_shelf(s: State) -> int:
    """A shelf without leaves."""
    h = s.h
    if h[S.FREE_SHELF] >= 0:
        shelf = int(h[S.FREE_SHELF])
        h[S.FREE_SHELF] = s.leaves[shelf, 0]
        h[S.FREE_SHELVES] -= 1
    else:
        shelf = int(h[S.N_SHELVES])
        h[S.N_SHELVES] += 1
        if shelf % S.WIDTH == 0:
            for lane in range(S.WIDTH):
                empty_box(s.tops, shelf // S.WIDTH, lane)
    for lane in range(S.WIDTH):
        empty_box(s.boxes, shelf, lane)
    s.n_leaves[shelf] = 0
    return shelf


@kernel
def free_shelf(s: State, shelf: int) -> None:
    """Give an empty shelf back."""
    empty_box(s.tops, shelf // S.WIDTH, shelf % S.WIDTH)
    s.leaves[shelf, 0] = s.h[S.FREE_SHELF]
    s.h[S.FREE_SHELF] = shelf
    s.h[S.FREE_SHELVES] += 1


@kernel
def shelve(s: State, leaf: int, shelf: int) -> int:
    """Put a leaf on a shelf, or on one beside it if that is full; the shelf where it is."""
    if s.n_leaves[shelf] == S.WIDTH:
        beside, j, least = divide_shelf(s, shelf)
        if 2 * s.rough[s.node_i[leaf, S.BLOCK], j, 0] >= least:
            shelf = beside
    lane = s.n_leaves[shelf]
    s.n_leaves[shelf] += 1
    s.leaves[shelf, lane] = leaf
    s.node_i[leaf, S.SPOT] = shelf * S.WIDTH + lane
    note_leaf(s, leaf)
    rough, boxes, b = s.rough, s.boxes, s.node_i[leaf, S.BLOCK]
    while b >= 0:
        for j in range(rough.shape[1]):
            low, high = INFINITE, -INFINITE
            for i in range(s.block_i[b, S.FILLED]):
                low, high = min(low, rough[b, j, i]), max(high, rough[b, j, i])
            boxes[shelf, 2 * j, lane] = min(boxes[shelf, 2 * j, lane], low)
            boxes[shelf, 2 * j + 1, lane] = max(boxes[shelf, 2 * j + 1, lane], high)
        b = s.block_i[b, S.NEXT]
    widen_top(s, shelf, lane)
    return shelf


@kernel
def unshelve(s: State, leaf: int) -> int:
    """Take a leaf off its shelf; the shelf, which may be empty now."""
    spot = int(s.node_i[leaf, S.SPOT])
    shelf, lane = spot // S.WIDTH, spot % S.WIDTH
    take_off(s, shelf, lane)
    draw_top(s, shelf)
    return shelf


@kernel
def divide_shelf(s: State, shelf: int) -> tuple[int, int, np.float32]:
    """Move half of the leaves to a new shelf.

    Returns that shelf, the column by which they are told apart, and the least sum of both edges of
    a box that moved.
    """
    boxes = s.boxes
    j, widest = 0, np.float32(-1.0)
    for column in range(len(s.dense)):
        low, high = INFINITE, -INFINITE
        for lane in range(S.WIDTH):
            middle = boxes[shelf, 2 * column, lane] + boxes[shelf, 2 * column + 1, lane]
            low, high = min(low, middle), max(high, middle)
        if high - low > widest:
            j, widest = column, high - low
    beside, least = new_shelf(s), INFINITE
    upper = np.uint64(0)
    for lane in range(S.WIDTH):
        middle, before = boxes[shelf, 2 * j, lane] + boxes[shelf, 2 * j + 1, lane], 0
        for other in range(S.WIDTH):
            there = boxes[shelf, 2 * j, other] + boxes[shelf, 2 * j + 1, other]
            before += there < middle or (there == middle and other < lane)
        if before >= S.WIDTH // 2:
            upper |= np.uint64(1) << np.uint64(lane)
            least = min(least, middle)
    for lane in range(S.WIDTH - 1, -1, -1):  # so that what takes the place of one that moved stays
        if upper >> np.uint64(lane) & np.uint64(1):
            move_leaf(s, shelf, lane, beside, s.n_leaves[beside])
            s.n_leaves[beside] += 1
            take_off(s, shelf, lane)
    draw_top(s, shelf)
    draw_top(s, beside)
    return beside, j, least


@kernel
def move_leaf(s: State, shelf: int, lane: int, to: int, to_lane: int) -> None:
    """Carry a leaf with its box to another place."""
    leaf = s.leaves[shelf, lane]
    s.leaves[to, to_lane] = leaf
    s.node_i[leaf, S.SPOT] = to * S.WIDTH + to_lane
    note_leaf(s, leaf)
    boxes = s.boxes
    for edge in range(boxes.shape[1]):
        boxes[to, edge, to_lane] = boxes[shelf, edge, lane]


@kernel
def take_off(s: State, shelf: int, lane: int) -> None:
    """Let the last leaf of a shelf take the place of another."""
    s.n_leaves[shelf] -= 1
    last = s.n_leaves[shelf]
    if last != lane:
        move_leaf(s, shelf, last, shelf, lane)
    empty_box(s.boxes, shelf, last)


@kernel
def note_leaf(s: State, leaf: int) -> None:
    """Write down beside its box where a leaf begins and how large it is."""
    shelf, lane = s.node_i[leaf, S.SPOT] // S.WIDTH, s.node_i[leaf, S.SPOT] % S.WIDTH
    s.first_blocks[shelf, lane] = s.node_i[leaf, S.BLOCK]
    s.leaf_sizes[shelf, lane] = s.node_i[leaf, S.SIZE]


@kernel
def draw_top(s: State, shelf: int) -> None:
    """Make the box of a shelf anew."""
    empty_box(s.tops, shelf // S.WIDTH, shelf % S.WIDTH)
    for lane in range(s.n_leaves[shelf]):
        widen_top(s, shelf, lane)


@kernel
def widen_top(s: State, shelf: int, lane: int) -> None:
    """Let the box of a shelf reach to that of one of its leaves."""
    boxes, tops, top, place = s.boxes, s.tops, shelf // S.WIDTH, shelf % S.WIDTH
    for edge in range(0, boxes.shape[1], 2):
        low, high = boxes[shelf, edge, lane], boxes[shelf, edge + 1, lane]
        tops[top, edge, place] = min(tops[top, edge, place], low)
        tops[top, edge + 1, place] = max(tops[top, edge + 1, place], high)


@kernel
def empty_box(boxes: np.ndarray, row: int, place: int) -> None:
    """A box with nothing in it, infinitely far from everything."""
    for edge in range(0, boxes.shape[1], 2):
        boxes[row, edge, place] = INFINITE
        boxes[row, edge + 1, place] = -INFINITE
