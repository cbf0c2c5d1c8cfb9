"""A bucket k-d tree over the centres: exact, and balanced under whatever order of arrival.

A leaf is a chain of blocks, nearly always one. A centre that moves stays in its lane unless it
crosses a split. Every node knows how many centres it holds and how many it was built with; one
that has grown lopsided or empty is built anew, which costs little per centre because it must
have grown or shrunk by a share of its size since. The scan is the same structure with one leaf.

Exactness. A float64 subtraction, square and sum never reverse an order, but the bound of a cell
is updated in another order than a distance is added; ``SLACK`` covers the rounding of both. Only
cells and blocks beyond it are skipped, ties are decided by (distance, order of storage), so the
answer does not depend on the shape of the tree.
"""

from __future__ import annotations

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.blocks import copy_lane, free_block, new_block, put
from abacoc.engine.jit import kernel
from abacoc.engine.planes import leave_planes
from abacoc.engine.state import State

SMALLEST_PART = S.WIDTH // 4  # a split must leave this many on either side


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
    h[S.N_NODES] = h[S.N_BLOCKS] = h[S.FREE_NODES] = h[S.FREE_BLOCKS] = 0
    h[S.FREE_NODE] = h[S.FREE_BLOCK] = -1
    for group in range(len(s.planes)):
        for word in range(S.GROUP // 64):
            s.planes[group, 2 * len(s.x), word] = 0
    h[S.ROOT] = new_node(s, -1, 0)
    s.node_i[h[S.ROOT], S.BLOCK] = new_block(s, h[S.ROOT])


@kernel
def leaf_for(s: State, point: np.ndarray) -> int:
    """The leaf where a centre, given by its dense columns, belongs; its cells take it in."""
    node_i, node_f = s.node_i, s.node_f
    node = s.h[S.ROOT]
    while node_i[node, S.BLOCK] < 0:
        x = point[node_i[node, S.DIM]]
        if x < node_f[node, S.SPLIT]:
            node_f[node, S.GREATEST] = max(node_f[node, S.GREATEST], x)
            node = node_i[node, S.LEFT]
        else:
            node_f[node, S.LEAST] = min(node_f[node, S.LEAST], x)
            node = node_i[node, S.RIGHT]
    return node


@kernel
def insert(s: State, ball: int) -> None:
    """Add a ball around the query."""
    leaf = leaf_for(s, s.dense)
    b, lane = free_lane(s, leaf)
    put(s, b, lane, ball)
    crooked = count_in(s, leaf)
    if crooked >= 0:
        rebuild(s, crooked)


@kernel
def remove(s: State, ball: int) -> None:
    """Take a ball out."""
    empty = vacate(s, s.ball_i[ball, S.PLACE])
    if empty >= 0:
        rebuild(s, empty)


@kernel
def settle(s: State, ball: int) -> None:
    """After a move: carry the ball to the leaf where its centre belongs now."""
    place = s.ball_i[ball, S.PLACE]
    b, lane = place // S.WIDTH, place % S.WIDTH
    leaf = s.block_i[b, S.LEAF]
    if s.node_i[leaf, S.PARENT] < 0:
        return  # there is one leaf only
    point = s.side  # free between two searches
    for j in range(len(point)):
        point[j] = s.values[b, j, lane]
    new = leaf_for(s, point)
    if new != leaf:
        to, to_lane = free_lane(s, new)
        copy_lane(s, b, lane, to, to_lane)
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
    for j in range(s.values.shape[1]):
        s.values[first, j, last] = np.inf
    leave_planes(s, first, last, 2 * len(s.x))
    block_i[first, S.FILLED] = last
    if last == 0 and block_i[first, S.NEXT] >= 0:
        node_i[leaf, S.BLOCK] = block_i[first, S.NEXT]
        free_block(s, first)
    empty = -1
    node_i[leaf, S.SIZE] -= 1
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
    """Build the tree below a node anew, or note that there are too few blocks for that."""
    h, node_i, block_i = s.h, s.node_i, s.block_i
    n = node_i[top, S.SIZE]
    # every block but the first of each chain is full, and a leaf has at least SMALLEST_PART
    needed = n // SMALLEST_PART + 2
    if len(block_i) - h[S.N_BLOCKS] + h[S.FREE_BLOCKS] < needed:
        h[S.WANTED_BLOCKS] = max(h[S.WANTED_BLOCKS], needed)
        return
    if len(node_i) - h[S.N_NODES] + h[S.FREE_NODES] < 2 * needed:
        h[S.WANTED_BLOCKS] = max(h[S.WANTED_BLOCKS], needed)
        return
    collect(s, top)
    old_blocks = take_apart(s, top)
    stack = s.to_visit  # free between two searches, and as deep as the tree
    stack[0, 0], stack[0, 1], stack[0, 2] = top, 0, n
    n_stack = 1
    while n_stack > 0:
        n_stack -= 1
        node, low, high = stack[n_stack, 0], stack[n_stack, 1], stack[n_stack, 2]
        node_i[node, S.SIZE] = node_i[node, S.BUILT] = high - low
        middle, j = -1, -1
        if high - low > S.WIDTH and h[S.SPLITS] and node_i[node, S.DEPTH] < S.MAX_DEPTH:
            j, middle = divide(s, low, high, s.node_f[node])
        if middle < 0:
            make_leaf(s, node, low, high)
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
def collect(s: State, top: int) -> None:
    """The places (block and lane in one number) of all centres below a node."""
    places, stack = s.places, s.to_visit
    stack[0, 0] = top
    n_stack, found = 1, 0
    while n_stack > 0:
        n_stack -= 1
        node = stack[n_stack, 0]
        b = s.node_i[node, S.BLOCK]
        if b < 0:
            stack[n_stack, 0] = s.node_i[node, S.LEFT]
            stack[n_stack + 1, 0] = s.node_i[node, S.RIGHT]
            n_stack += 2
        while b >= 0:
            for lane in range(s.block_i[b, S.FILLED]):
                places[found] = b * S.WIDTH + lane
                found += 1
            b = s.block_i[b, S.NEXT]


@kernel
def take_apart(s: State, top: int) -> int:
    """Free the nodes below a node; its blocks in one chain, whose first is returned."""
    h, node_i, block_i = s.h, s.node_i, s.block_i
    chain, stack = -1, s.to_visit
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
        while b >= 0:
            following = block_i[b, S.NEXT]
            block_i[b, S.NEXT] = chain
            chain = b
            b = following
        if node != top:
            node_i[node, S.LEFT] = h[S.FREE_NODE]
            h[S.FREE_NODE] = node
            h[S.FREE_NODES] += 1
    return chain


@kernel
def make_leaf(s: State, node: int, low: int, high: int) -> None:
    """Copy the centres of these places into new blocks of a leaf."""
    places = s.places
    s.node_i[node, S.SIZE] = 0  # free_lane counts
    s.node_i[node, S.BLOCK] = new_block(s, node)
    for i in range(low, high):
        b, lane = free_lane(s, node)
        copy_lane(s, places[i] // S.WIDTH, places[i] % S.WIDTH, b, lane)


@kernel
def divide(s: State, low: int, high: int, edges: np.ndarray) -> tuple[int, int]:
    """Split centres at the median of the column in which they are spread most.

    Returns the column and where the right part begins; -1 if no column leaves enough on both
    sides. ``places`` from low to high is put in order, and ``edges`` gets where the column is
    split, the greatest value on the left and the least on the right.
    """
    places, sample, spread = s.places, s.sample, s.side  # free between two searches
    step = (high - low - 1) // S.SAMPLE + 1
    n = (high - low - 1) // step + 1
    for j in range(len(spread)):
        total = 0.0
        for i in range(n):
            place = places[low + i * step]
            sample[i] = s.values[place // S.WIDTH, j, place % S.WIDTH]
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
            place = places[low + i * step]
            sample[i] = s.values[place // S.WIDTH, j, place % S.WIDTH]
        edges[S.SPLIT] = upper_median(sample, n)
        middle = partition(s, low, high, j, edges)
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
def partition(s: State, low: int, high: int, j: int, edges: np.ndarray) -> int:
    """Put those below the split first; where the others begin."""
    places = s.places
    i, k = low, high - 1
    greatest, least = -np.inf, np.inf
    while i <= k:
        x = s.values[places[i] // S.WIDTH, j, places[i] % S.WIDTH]
        if x < edges[S.SPLIT]:
            greatest = max(greatest, x)
            i += 1
        else:
            least = min(least, x)
            places[i], places[k] = places[k], places[i]
            k -= 1
    edges[S.GREATEST], edges[S.LEAST] = greatest, least
    return i
