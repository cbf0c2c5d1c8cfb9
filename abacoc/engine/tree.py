"""A bucket k-d tree over the centres: which of them lie side by side in a block.

A leaf is a chain of blocks, nearly always one. A centre that moves stays in its lane unless it
crosses a split. Every node knows how many centres it holds and how many it was built with; one
that has grown lopsided or empty is built anew, which costs little per centre because it must
have grown or shrunk by a share of its size since. The scan is the same structure with one leaf.

The tree is only gone down to where a centre belongs. A search goes by the boxes of the leaves
(boxes.py), and ties are decided by (distance, order of storage), so the answer does not depend on
the shape of the tree.
"""

from __future__ import annotations

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import free_row
from abacoc.engine.blocks import copy_lane, free_block, new_block, put, write_rough
from abacoc.engine.boxes import free_shelf, new_shelf, note_leaf, shelve, unshelve
from abacoc.engine.jit import kernel
from abacoc.engine.planes import leave_planes
from abacoc.engine.rough import INFINITE
from abacoc.engine.state import State

SMALLEST_PART = S.WIDTH // 4  # a split must leave this many on either side
MANY_LEAVES = S.WIDTH // 2  # so many new leaves get shelves of their own


def shelves_for(leaves: int) -> int:
    """How many shelves so many new leaves can need: one that runs over leaves two half full."""
    return 2 * leaves // S.WIDTH + 3


needed_shelves = kernel(shelves_for)


@kernel
def new_node(s: State, parent: int, depth: int) -> int:
    """A leaf without a block."""
    h = s.h
    if h[S.FREE_NODE] >= 0:
        node = h[S.FREE_NODE]
        h[S.FREE_NODE] = s.node_i[node, S.LEFT]
        h[S.FREE_NODES] -= 1
    else:
        node = h[S.N_NODES]
        h[S.N_NODES] += 1
    s.node_i[node, S.PARENT] = parent
    s.node_i[node, S.DEPTH] = depth
    s.node_i[node, S.SIZE] = 0
    s.node_i[node, S.BUILT] = 0
    s.node_i[node, S.BLOCK] = -1
    return node


@kernel
def clear_tree(s: State) -> None:
    """One empty leaf."""
    h = s.h
    h[S.N_NODES] = h[S.N_BLOCKS] = h[S.N_SHELVES] = 0
    h[S.FREE_NODES] = h[S.FREE_BLOCKS] = h[S.FREE_SHELVES] = 0
    h[S.FREE_NODE] = h[S.FREE_BLOCK] = h[S.FREE_SHELF] = -1
    for group in range(len(s.planes)):
        for word in range(S.GROUP // 64):
            s.planes[group, 2 * len(s.x), word] = 0
    h[S.ROOT] = new_node(s, -1, 0)
    s.node_i[h[S.ROOT], S.BLOCK] = new_block(s, h[S.ROOT])
    shelve(s, h[S.ROOT], new_shelf(s))


@kernel
def leaf_for(s: State, ball: int) -> int:
    """The leaf where the centre of a ball belongs."""
    node_i, splits, centres = s.node_i, s.splits, s.centres
    node = s.h[S.ROOT]
    while node_i[node, S.BLOCK] < 0:
        right = np.int64(centres[ball, node_i[node, S.DIM]] >= splits[node])
        node = node_i[node, S.LEFT + right]  # no jump to mispredict
    return node


@kernel
def insert(s: State, ball: int) -> None:
    """Add a ball around the query."""
    centres, dense = s.centres, s.dense
    for j in range(len(dense)):
        centres[ball, j] = dense[j]
    if s.h[S.PLAIN]:
        return
    leaf = leaf_for(s, ball)
    b, lane = free_lane(s, leaf)
    put(s, b, lane, ball)
    crooked = count_in(s, leaf)
    if crooked >= 0:
        rebuild(s, crooked)


@kernel
def remove(s: State, ball: int) -> None:
    """Take a ball out."""
    if s.h[S.PLAIN]:
        for j in range(len(s.dense)):
            s.centres[ball, j] = np.inf  # infinitely far
        return
    free_row(s, ball)
    empty = vacate(s, s.ball_n[ball, S.PLACE])
    if empty >= 0:
        rebuild(s, empty)


@kernel
def settle(s: State, ball: int) -> None:
    """After a move: carry the ball to the leaf where its centre belongs now."""
    if s.h[S.PLAIN]:
        return
    place = s.ball_n[ball, S.PLACE]
    b, lane = place // S.WIDTH, place % S.WIDTH
    new = leaf_for(s, ball)
    if new == s.block_i[b, S.LEAF]:
        write_rough(s, b, lane, ball, False)
    else:
        to, to_lane = free_lane(s, new)
        copy_lane(s, b, lane, to, to_lane)
        write_rough(s, to, to_lane, ball, True)
        crooked = count_in(s, new)
        empty = vacate(s, place)
        if empty >= 0:
            rebuild(s, empty)
        elif crooked >= 0:
            rebuild(s, crooked)


@kernel
def count_in(s: State, leaf: int) -> int:
    """Count one more centre above a leaf; the topmost node to build anew, -1 if there is none."""
    node_i = s.node_i
    note_leaf(s, leaf)
    size, built = node_i[leaf, S.SIZE], node_i[leaf, S.BUILT]
    # a leaf of more than one block could not be split when it was built: try at twice the size
    full = size > S.WIDTH and (built <= S.WIDTH or size > 2 * built)
    crooked = leaf if full and s.h[S.SPLITS] else -1
    node = node_i[leaf, S.PARENT]
    while node >= 0:
        node_i[node, S.SIZE] += 1
        size = node_i[node, S.SIZE]
        larger = max(node_i[node_i[node, S.LEFT], S.SIZE], node_i[node_i[node, S.RIGHT], S.SIZE])
        if 10 * larger > 7 * size + 10 * S.WIDTH and 4 * size > 5 * node_i[node, S.BUILT]:
            crooked = node
        node = node_i[node, S.PARENT]
    return crooked


@kernel
def vacate(s: State, place: int) -> int:
    """Empty a lane and count one centre less; the topmost node that has grown empty, or -1."""
    node_i, block_i = s.node_i, s.block_i
    b, lane = place // S.WIDTH, place % S.WIDTH
    leaf = block_i[b, S.LEAF]
    first = node_i[leaf, S.BLOCK]
    last = block_i[first, S.FILLED] - 1
    if first != b or last != lane:
        copy_lane(s, first, last, b, lane)
    for j in range(s.rough.shape[1]):
        s.rough[first, j, last] = INFINITE
    leave_planes(s, first, last, 2 * len(s.x))
    block_i[first, S.FILLED] = last
    if last == 0 and block_i[first, S.NEXT] >= 0:
        node_i[leaf, S.BLOCK] = block_i[first, S.NEXT]
        free_block(s, first)
    empty = -1
    node_i[leaf, S.SIZE] -= 1
    note_leaf(s, leaf)
    node = node_i[leaf, S.PARENT]
    while node >= 0:
        node_i[node, S.SIZE] -= 1
        if 2 * node_i[node, S.SIZE] < node_i[node, S.BUILT]:
            empty = node
        node = node_i[node, S.PARENT]
    return empty


@kernel
def free_lane(s: State, leaf: int) -> tuple[int, int]:
    """Block and lane for one more ball of a leaf; only the first block of a chain has room."""
    b = s.node_i[leaf, S.BLOCK]
    if s.block_i[b, S.FILLED] == S.WIDTH:
        first = new_block(s, leaf)
        s.block_i[first, S.NEXT] = b
        s.node_i[leaf, S.BLOCK] = first
        b = first
    lane = s.block_i[b, S.FILLED]
    s.block_i[b, S.FILLED] += 1
    s.node_i[leaf, S.SIZE] += 1
    return b, lane


@kernel
def rebuild(s: State, top: int) -> None:
    """Build the tree below a node anew, or note that there is too little room for that."""
    h, node_i, block_i = s.h, s.node_i, s.block_i
    n = node_i[top, S.SIZE]
    # every block but the first of each chain is full, and a leaf has at least SMALLEST_PART
    needed = n // SMALLEST_PART + 2
    if (
        len(block_i) - h[S.N_BLOCKS] + h[S.FREE_BLOCKS] < needed
        or len(node_i) - h[S.N_NODES] + h[S.FREE_NODES] < 2 * needed
        or len(s.leaves) - h[S.N_SHELVES] + h[S.FREE_SHELVES] < needed_shelves(needed)
    ):
        h[S.WANTED_BLOCKS] = max(h[S.WANTED_BLOCKS], needed)
        return
    old_blocks, shelf = take_apart(s, top)
    stack = s.stack
    stack[0, 0], stack[0, 1], stack[0, 2] = top, 0, n
    n_stack = 1
    while n_stack > 0:
        n_stack -= 1
        node, low, high = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        node_i[node, S.SIZE] = node_i[node, S.BUILT] = high - low
        middle, j = -1, -1
        if high - low > S.WIDTH and h[S.SPLITS] and node_i[node, S.DEPTH] < S.MAX_DEPTH:
            j, middle = divide(s, low, high, node)
        if middle < 0:
            make_leaf(s, node, low, high)
            if n > MANY_LEAVES * S.WIDTH and s.n_leaves[shelf] == S.WIDTH:
                shelf = new_shelf(s)  # their neighbours follow
            shelf = shelve(s, node, shelf)
            continue
        node_i[node, S.BLOCK] = -1
        node_i[node, S.DIM] = j
        for part in range(2):
            child = new_node(s, node, node_i[node, S.DEPTH] + 1)
            node_i[node, S.LEFT + part] = child
            stack[n_stack, 0] = child
            stack[n_stack, 1] = middle if part else low
            stack[n_stack, 2] = high if part else middle
            n_stack += 1
    while old_blocks >= 0:  # they held the centres until now
        following = block_i[old_blocks, S.NEXT]
        free_block(s, old_blocks)
        old_blocks = following


@kernel
def take_apart(s: State, top: int) -> tuple[int, int]:
    """Free the nodes below a node, and the shelves where nothing else is; its balls go to `picked`.

    Returns the first of its blocks, in one chain, and a shelf that has room where its leaves were,
    or is near.
    """
    h, node_i, block_i, picked, stack = s.h, s.node_i, s.block_i, s.picked, s.stack
    chain, shelf, found = -1, -1, 0
    stack[0, 0] = top
    n_stack = 1
    while n_stack > 0:
        n_stack -= 1
        node = stack[n_stack, 0]
        b = node_i[node, S.BLOCK]
        if b < 0:
            stack[n_stack, 0] = node_i[node, S.LEFT]
            stack[n_stack + 1, 0] = node_i[node, S.RIGHT]
            n_stack += 2
        else:
            left = unshelve(s, node)
            if shelf < 0:
                shelf = left
            elif left != shelf and s.n_leaves[left] == 0:
                free_shelf(s, left)
        while b >= 0:
            for lane in range(block_i[b, S.FILLED]):
                picked[found] = s.lanes[b, lane]
                found += 1
            following = block_i[b, S.NEXT]
            block_i[b, S.NEXT] = chain
            chain = b
            b = following
        if node != top:
            node_i[node, S.LEFT] = h[S.FREE_NODE]
            h[S.FREE_NODE] = node
            h[S.FREE_NODES] += 1
    return chain, shelf


@kernel
def make_leaf(s: State, node: int, low: int, high: int) -> None:
    """Copy these balls into new blocks of a leaf."""
    s.node_i[node, S.SIZE] = 0  # free_lane counts
    s.node_i[node, S.BLOCK] = new_block(s, node)
    for i in range(low, high):
        place = s.ball_n[s.picked[i], S.PLACE]
        b, lane = free_lane(s, node)
        copy_lane(s, place // S.WIDTH, place % S.WIDTH, b, lane)


@kernel
def divide(s: State, low: int, high: int, node: int) -> tuple[int, int]:
    """Split balls at the median of the column in which their centres are spread most.

    Returns the column and where the right part begins; -1 if no column leaves enough on both
    sides. ``picked`` from low to high is put in order, and ``splits`` gets where the node splits.
    """
    picked, centres, sample, spread = s.picked, s.centres, s.sample, s.spread
    step = (high - low - 1) // S.SAMPLE + 1
    n = (high - low - 1) // step + 1
    for j in range(len(spread)):
        total = 0.0
        for i in range(n):
            sample[i] = centres[picked[low + i * step], j]
            total += sample[i]
        mean = total / n
        spread[j] = 0.0
        for i in range(n):
            spread[j] += abs(sample[i] - mean)
    while len(spread) > 0:
        j = np.argmax(spread)
        if not spread[j] > 0.0:
            break
        for i in range(n):
            sample[i] = centres[picked[low + i * step], j]
        s.splits[node] = upper_median(sample, n)
        middle = partition(s, low, high, j, s.splits[node])
        if min(middle - low, high - middle) >= SMALLEST_PART:
            return j, middle
        spread[j] = -1.0
    return -1, -1


@kernel
def upper_median(sample: np.ndarray, n: int) -> float:
    """The median of n numbers, or the least number above it if none is below; in place.

    NumPy's sort would ask for memory, which may fail when half of a tree is built.
    """
    least = sample[0]
    for i in range(n):
        least = min(least, sample[i])
    low, high, middle = 0, n - 1, n // 2
    while low < high:  # what belongs at the middle lies between the two
        pivot, i, j = sample[(low + high) // 2], low, high
        while i <= j:
            while sample[i] < pivot:
                i += 1
            while pivot < sample[j]:
                j -= 1
            if i <= j:
                sample[i], sample[j] = sample[j], sample[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break
    median = sample[middle]
    if median > least:
        return median
    above = np.inf
    for i in range(n):
        if sample[i] > least:
            above = min(above, sample[i])
    return above if above < np.inf else least


@kernel
def partition(s: State, low: int, high: int, j: int, split: float) -> int:
    """Put those below the split first; where the others begin."""
    picked = s.picked
    i, k = low, high - 1
    while i <= k:
        if s.centres[picked[i], j] < split:
            i += 1
        else:
            picked[i], picked[k] = picked[k], picked[i]
            k -= 1
    return i
