"""What holds of the arrays of an engine between two calls: tree, blocks, bits, counts, tickets.

For tests, and for debugging: with ``ABACOC_CHECK=1`` in the environment an engine is looked at
after every call, which costs as much as a few hundred searches.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import LEAST_RUN


class Shape(NamedTuple):
    """What ``check`` gives back."""

    depth: int
    leaves: int


def check(engine: Any) -> Shape:
    """AssertionError unless everything fits together; the shape of the tree.

    >>> from abacoc import Auto
    >>> learner = Auto()
    >>> for x, y in ([0.0], "a"), ([1.0], "b"):
    ...     learner.update(x, y)
    >>> check(learner._engine)
    Shape(depth=0, leaves=1)
    """
    s: S.State | None = engine.s
    if s is None:
        return Shape(0, 0)
    h = s.h
    _require(engine.h is h and engine.f is s.f, "another header than that of the arrays")
    widths = {len(s.columns), len(s.dense), s.centres.shape[1], s.rough.shape[1]}
    _require(len(widths) == 1, "other columns")
    _require(s.masks.shape[1] > 0 or s.dense is s.x, "the dense columns are not those of the query")
    rooms = {len(s.ball_i), len(s.ball_n), len(s.ball_f), len(s.centres), len(s.picked)}
    _require(len(rooms) == 1 and h[S.N_SLOTS] <= len(s.ball_i), "too many balls")
    alive = np.flatnonzero(s.ball_i[: h[S.N_SLOTS], S.TALLY] >= 0)
    _require(len(alive) == h[S.N_BALLS], "the balls are miscounted")
    if h[S.N_TALLIES] > 0:  # a base of examples keeps no counts
        _check_counts(s, alive)
    if h[S.PLAIN]:
        return Shape(0, 0)
    shape = _check_tree(s, alive)
    _check_shelves(s, shape.leaves)
    _check_runs(s, alive)
    _check_planes(s, alive)
    return shape


def _check_counts(s: S.State, alive: Any) -> None:
    h, used = s.h, 0
    _require(h[S.N_TALLIES] <= len(s.tally), "too many counts")
    for ball in alive.tolist():
        counts, e = {}, int(s.ball_i[ball, S.TALLY])
        while e >= 0:
            n, (k, e) = int(s.tally[e]), s.links[e].tolist()
            _require(k not in counts and n > 0, f"ball {ball} counts class {k} twice, or nothing")
            counts[k] = n
        used += len(counts)
        row, majority = s.ball_i[ball].tolist(), int(s.ball_n[ball, S.MAJORITY])
        _require(sum(counts.values()) == row[S.TOTAL], f"ball {ball} has another total")
        _require(max(counts.values()) == row[S.MOST] == counts[majority], "a majority")
    used += _length(s.links[:, S.NEXT_TALLY], h[S.FREE_TALLY], h[S.N_TALLIES])
    _require(used == h[S.N_TALLIES], "a count is lost")
    weights = np.zeros(len(s.tickets), dtype=np.int64)
    if h[S.BUDGET]:
        weights[alive + 1] = s.ball_i[alive, S.MISTAKES] + 1
    _require(int((s.ball_i[alive, S.MISTAKES] + 1).sum()) == h[S.WEIGHT], "the weight is wrong")
    sums = np.cumsum(weights)
    places = np.arange(1, len(weights))
    below = sums[places] - sums[places - (places & -places)]
    _require(np.array_equal(below, s.tickets[1:]), "the tickets are wrong")


def _check_runs(s: S.State, alive: Any) -> None:
    """The runs, of balls and free ones, lie side by side, and a ball has one if it needs it."""
    h, n_words, starts = s.h, s.masks.shape[1], s.ball_n[alive, S.ROW]
    blocks, lanes = np.divmod(s.ball_n[alive, S.PLACE], S.WIDTH)
    n_odd = np.bitwise_count(s.bits[blocks, n_words:, lanes]).sum(axis=1)
    _require(np.array_equal(starts >= 0, n_odd > 0), "a ball lacks its run, or has one too many")
    pairs = zip(starts.tolist(), n_odd.tolist(), strict=True)
    runs = [(at, max(LEAST_RUN, 1 << (n - 1).bit_length())) for at, n in pairs if at >= 0]
    for k, at in enumerate(s.free_runs.tolist()):
        while at >= 0:
            runs.append((at, LEAST_RUN << k))
            _require(len(runs) <= h[S.N_ROWS], "a chain of free runs has no end")
            at = int(s.rows[at])
    end = 0
    for at, length in sorted(runs):
        _require(at == end, f"the run at {at} overlaps, or one before it is lost")
        end += length
    _require(end == h[S.N_ROWS] <= len(s.rows), "a run is lost")


def _check_planes(s: S.State, alive: Any) -> None:
    """The bits column by column are those of the blocks."""
    d, n_words = len(s.x), s.masks.shape[1]
    if n_words == 0 or len(s.columns) > 0:
        _require(len(s.planes) == 0, "planes beside dense columns")
        return
    _require(len(s.planes) * S.GROUP >= len(s.block_i) * S.WIDTH, "too few groups")
    lanes = s.ball_n[alive, S.PLACE]
    words = s.bits[lanes // S.WIDTH, :, lanes % S.WIDTH].reshape(-1, 2, n_words)
    ones, in_run = np.moveaxis(_as_bits(words)[:, :, :d], 1, 0)
    expected = np.zeros((len(s.planes) * S.GROUP, 2 * d + 2), dtype=np.uint8)
    expected[lanes] = 1
    expected[lanes, : 2 * d : 2] = 1 - (ones | in_run)
    expected[lanes, 1 : 2 * d : 2] = ones
    expected[lanes, 2 * d + 1] = 0
    found = np.moveaxis(_as_bits(s.planes), 1, 2).reshape(-1, 2 * d + 2)
    _require(np.array_equal(found[lanes], expected[lanes]), "planes: other bits")
    _require(np.array_equal(found[:, 2 * d :], expected[:, 2 * d :]), "planes: other balls")


def _as_bits(words: Any) -> Any:
    """The bits of the last axis, the lowest first."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")


def _check_tree(s: S.State, alive: Any) -> Shape:
    h = s.h
    seen: list[int] = []
    depth = leaves = n_nodes = n_blocks = 0
    stack: list[tuple[int, int, int, list[tuple[int, float, float]]]] = [
        (int(h[S.ROOT]), -1, 0, [])
    ]
    while stack:
        node, parent, level, cell = stack.pop()
        row = s.node_i[node].tolist()
        n_nodes += 1
        _require(n_nodes <= h[S.N_NODES] <= len(s.node_i), "more nodes than there are")
        _require((row[S.PARENT], row[S.DEPTH]) == (parent, level), f"node {node} is misplaced")
        depth = max(depth, level)
        if row[S.BLOCK] < 0:
            split = float(s.splits[node])
            left, right, j = row[S.LEFT], row[S.RIGHT], row[S.DIM]
            sizes = int(s.node_i[left, S.SIZE] + s.node_i[right, S.SIZE])
            _require(row[S.SIZE] == sizes, f"node {node} is miscounted")
            stack.append(
                (left, node, level + 1, [*cell, (j, -math.inf, math.nextafter(split, -math.inf))])
            )
            stack.append((right, node, level + 1, [*cell, (j, split, math.inf)]))
            continue
        leaves += 1
        b, size, first = row[S.BLOCK], 0, True
        while b >= 0:
            n_blocks += 1
            _require(n_blocks <= h[S.N_BLOCKS] <= len(s.block_i), "more blocks than there are")
            filled, following, leaf = s.block_i[b].tolist()
            _require(leaf == node, f"block {b} belongs to another leaf")
            _require(first or filled == S.WIDTH, "only the first block of a chain has room")
            balls = s.lanes[b, :filled]
            places = b * S.WIDTH + np.arange(filled)
            _require(np.array_equal(s.ball_n[balls, S.PLACE], places), f"block {b}: other balls")
            seen += balls.tolist()
            for j, low, high in cell:
                values = s.centres[balls, j]
                _require(bool(((low <= values) & (values <= high)).all()), f"block {b} out of cell")
            rounded = np.clip(s.centres[balls], -s.f[S.CUTOFF], s.f[S.CUTOFF]).astype(np.float32).T
            _require(np.array_equal(s.rough[b, :, :filled], rounded), f"block {b} is too rough")
            _require(bool(np.isinf(s.rough[b, :, filled:]).all()), "an empty lane is near")
            shelf, lane = divmod(row[S.SPOT], S.WIDTH)
            _require(lane < s.n_leaves[shelf] and s.leaves[shelf, lane] == node, "a leaf elsewhere")
            noted = (s.first_blocks[shelf, lane], s.leaf_sizes[shelf, lane])
            _require(noted == (row[S.BLOCK], row[S.SIZE]), f"leaf {node} is noted otherwise")
            low_edges, high_edges = s.boxes[shelf, ::2, lane], s.boxes[shelf, 1::2, lane]
            inside = (low_edges[:, np.newaxis] <= rounded) & (rounded <= high_edges[:, np.newaxis])
            _require(bool(inside.all()), f"leaf {node} has left its box")
            size, first, b = size + filled, False, following
        _require(size == row[S.SIZE], f"leaf {node} is miscounted")
    _require(sorted(seen) == alive.tolist(), "the tree has other balls than the table")
    free = _length(s.node_i[:, S.LEFT], h[S.FREE_NODE], h[S.N_NODES])
    _require(free == h[S.FREE_NODES] == h[S.N_NODES] - n_nodes, "a node is lost")
    free = _length(s.block_i[:, S.NEXT], h[S.FREE_BLOCK], h[S.N_BLOCKS])
    _require(free == h[S.FREE_BLOCKS] == h[S.N_BLOCKS] - n_blocks, "a block is lost")
    return Shape(depth, leaves)


def _check_shelves(s: S.State, leaves: int) -> None:
    """As many leaves as the tree has; boxes of shelves reach to those on them, and no farther."""
    h = s.h
    free = _length(s.leaves[:, 0], h[S.FREE_SHELF], h[S.N_SHELVES])
    _require(free == h[S.FREE_SHELVES], "a shelf is lost")
    n_leaves = s.n_leaves[: h[S.N_SHELVES]]
    _require(int(n_leaves.sum()) == leaves, "a leaf is on no shelf, or on two")
    _require(int((n_leaves == 0).sum()) == free, "an empty shelf is not free")
    for shelf in range(-(-int(h[S.N_SHELVES]) // S.WIDTH) * S.WIDTH):
        n = int(n_leaves[shelf]) if shelf < len(n_leaves) else 0
        own = s.boxes[min(shelf, len(s.boxes) - 1), :, :n]
        if shelf < len(n_leaves):
            _require(bool(np.isinf(s.boxes[shelf, :, n:]).all()), "a box without a leaf")
        top = s.tops[shelf // S.WIDTH, :, shelf % S.WIDTH]
        _require(
            np.array_equal(top[::2], own[::2].min(axis=1, initial=np.inf)), "the top of a shelf"
        )
        _require(np.array_equal(top[1::2], own[1::2].max(axis=1, initial=-np.inf)), "a top")


def _length(following: Any, first: int, most: int) -> int:
    """Length of a chain of free rows."""
    n, at = 0, int(first)
    while at >= 0:
        n, at = n + 1, int(following[at])
        _require(n <= most, "a chain of free rows has no end")
    return n


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)
