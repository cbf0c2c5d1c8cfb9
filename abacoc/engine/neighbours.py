"""The k nearest of stored examples: the tree of tree.py, with balls that never move.

A stored example is a ball whose row holds its class (``MAJORITY``). The search is that of
``tree.nearest`` with a list of the k best so far in place of one: what lies beyond the last of
them is skipped. The order is by distance (after the square root), then by storage.

Copies. Of examples with the same attributes only the first k stored can ever be among the k
nearest of a point, whatever the point: their distances are equal and ties go to those stored
first. Later copies count in the model size but are not put into the tree, so that a stream of
many equal examples costs no more than one of few.
"""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import ONE, exact_total, popcount
from abacoc.engine.blocks import BIT, EARLY, SAME_ROOT, ZERO, first_lanes
from abacoc.engine.jit import entry, kernel
from abacoc.engine.loop import ask, is_short, set_columns
from abacoc.engine.simd import add_differing_bits, squares
from abacoc.engine.state import State
from abacoc.engine.tree import insert

# rows of `measures`; `found` has the examples themselves, -1 where there are fewer than k
DISTANCE, SQUARE = range(2)


@kernel
def offer(found: np.ndarray, measures: np.ndarray, example: int, square: float) -> float:
    """Put an example among the best if it belongs there; the square beyond which none does."""
    root = math.sqrt(square)
    last = len(found) - 1
    if is_before(found, measures, last, root, example):
        i = last
        while i > 0 and is_before(found, measures, i - 1, root, example):
            found[i] = found[i - 1]
            measures[DISTANCE, i] = measures[DISTANCE, i - 1]
            measures[SQUARE, i] = measures[SQUARE, i - 1]
            i -= 1
        found[i], measures[DISTANCE, i], measures[SQUARE, i] = example, root, square
    return measures[SQUARE, last] * SAME_ROOT


@kernel
def is_before(found: np.ndarray, measures: np.ndarray, i: int, root: float, example: int) -> bool:
    """True if an example comes before the i-th of the best."""
    return root < measures[DISTANCE, i] or (root == measures[DISTANCE, i] and example < found[i])


@kernel
def look_at_dense(s: State, found: np.ndarray, measures: np.ndarray, b: int, limit: float) -> float:
    """Offer the examples of a chain of blocks without bits, from block b on; the new limit."""
    h, block_i, lanes, values, dense, totals = s.h, s.block_i, s.lanes, s.values, s.dense, s.totals
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
            if totals[lane] <= limit:
                limit = offer(found, measures, lanes[b, lane], totals[lane])
        b = block_i[b, S.NEXT]
    return limit


@kernel
def look_at_bits(s: State, found: np.ndarray, measures: np.ndarray, b: int, limit: float) -> float:
    """As ``look_at_dense`` where some columns are bits; see ``blocks.search_bits``."""
    h, block_i, lanes, values, dense = s.h, s.block_i, s.lanes, s.values, s.dense
    totals, bits, masks, floors, ball_i = s.totals, s.bits, s.masks, s.floors, s.ball_i
    n, n_words, slack = len(dense), masks.shape[1], s.f[S.SLACK]
    odd = h[S.ODD_QUERY] == 1
    while b >= 0:
        filled = block_i[b, S.FILLED]
        h[S.EVALUATIONS] += filled
        loose = limit * slack  # the columns are not added in their order here
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
                example = lanes[b, lane]
                if n > 0 or odd or ball_i[example, S.ROW] >= 0:
                    total = exact_total(s, b, lane, example)
                if total <= limit:
                    limit = offer(found, measures, example, total)
        b = block_i[b, S.NEXT]
    return limit


@kernel
def nearest_few(s: State, found: np.ndarray, measures: np.ndarray) -> None:
    """The examples closest to the query, as many as there is room for in ``found``."""
    h, node_i, node_f, dense, side = s.h, s.node_i, s.node_f, s.dense, s.side
    slack, with_bits = s.f[S.SLACK], s.masks.shape[1] > 0
    to_visit, bounds = s.to_visit, s.bounds
    limit, loose = np.inf, np.inf
    n_trail, n_visit = 0, 0
    node, bound = h[S.ROOT], 0.0
    for j in range(len(side)):
        side[j] = 0.0
    while True:
        while node_i[node, S.BLOCK] < 0:
            j = node_i[node, S.DIM]
            right = np.int64(dense[j] >= node_f[node, S.SPLIT])
            gap = dense[j] - node_f[node, S.LEAST - right]  # to what lies nearest on the far side
            part = gap * gap
            far_bound = bound - side[j] + part
            if far_bound <= loose:
                to_visit[n_visit, 0] = node_i[node, S.RIGHT - right]
                to_visit[n_visit, 1] = j
                to_visit[n_visit, 2] = n_trail
                bounds[n_visit, 0] = far_bound
                bounds[n_visit, 1] = part
                n_visit += 1
            node = node_i[node, S.LEFT + right]
        if with_bits:
            limit = look_at_bits(s, found, measures, node_i[node, S.BLOCK], limit)
        else:
            limit = look_at_dense(s, found, measures, node_i[node, S.BLOCK], limit)
        loose = limit * slack
        while n_visit > 0 and bounds[n_visit - 1, 0] > loose:
            n_visit -= 1
        if n_visit == 0:
            return
        n_visit -= 1
        node, bound = to_visit[n_visit, 0], bounds[n_visit, 0]
        while n_trail > to_visit[n_visit, 2]:  # back to the cell where this one was left aside
            n_trail -= 1
            side[to_visit[n_trail, 3]] = bounds[n_trail, 2]
        j = to_visit[n_visit, 1]
        to_visit[n_trail, 3], bounds[n_trail, 2] = j, side[j]
        n_trail += 1
        side[j] = bounds[n_visit, 1]


@kernel
def find(s: State, found: np.ndarray, measures: np.ndarray) -> None:
    """Find the neighbours of the query; the answer is kept until something changes."""
    h = s.h
    if h[S.MEMO] == 1:
        return
    h[S.MEMO] = 1
    set_columns(s)
    for i in range(len(found)):
        found[i] = -1
        measures[DISTANCE, i] = measures[SQUARE, i] = np.inf
    if h[S.N_BALLS] == 0:
        return
    h[S.QUERIES] += 1
    before = h[S.EVALUATIONS]
    nearest_few(s, found, measures)
    h[S.ALL_EVALUATIONS] += h[S.EVALUATIONS] - before


@kernel
def vote(s: State, found: np.ndarray) -> int:
    """The class of most neighbours, ties to the class that came first; -1 if there is none."""
    best, most = -1, 0
    for i in range(len(found)):
        if found[i] < 0:
            break
        k, n = s.ball_i[found[i], S.MAJORITY], 0
        for j in range(len(found)):
            if found[j] >= 0 and s.ball_i[found[j], S.MAJORITY] == k:
                n += 1
        if n > most or (n == most and k < best):
            best, most = k, n
    return best


@kernel
def store_example(s: State, k: int) -> None:
    """Put the query into the tree, as an example of class k."""
    h = s.h
    example = h[S.N_SLOTS]
    h[S.N_SLOTS] += 1
    h[S.N_BALLS] += 1
    for column in range(S.BALL_INTS):
        s.ball_i[example, column] = 0  # no counts are kept: the class is all
    s.ball_i[example, S.MAJORITY] = k
    s.ball_i[example, S.ROW] = s.ball_i[example, S.PLACE] = -1
    insert(s, example)
    h[S.MEMO] = 0


@kernel
def is_copy(s: State, found: np.ndarray, measures: np.ndarray) -> bool:
    """True if k examples with the attributes of the query are stored already."""
    last = len(found) - 1
    if found[last] < 0 or measures[DISTANCE, last] > 0.0:
        return False
    for i in range(len(found)):  # a distance of 0 may also be a difference too small to square
        for g in range(len(s.x)):
            if coordinate(s, found[i], g) != s.x[g]:
                return False
    return True


@kernel
def coordinate(s: State, example: int, g: int) -> float:
    """One attribute of an example."""
    b, lane = s.ball_i[example, S.PLACE] // S.WIDTH, s.ball_i[example, S.PLACE] % S.WIDTH
    if s.dense_of[g] >= 0:
        return s.values[b, s.dense_of[g], lane]
    word, bit = g >> 6, ONE << np.uint64(g & 63)
    if s.bits[b, s.masks.shape[1] + word, lane] & bit:
        return s.rows[s.ball_i[example, S.ROW], g]
    return 1.0 if s.bits[b, word, lane] & bit else 0.0


@entry
def run_neighbours(
    s: State,
    X: np.ndarray,
    codes: np.ndarray,
    learned: np.ndarray,
    condensed: bool,
    predictions: np.ndarray,
    sizes: np.ndarray,
    found: np.ndarray,
    measures: np.ndarray,
    size: np.ndarray,
    t: int,
) -> int:
    """Algorithm 5 from row t on; the row at which it stopped, with the reason in STATUS.

    ``condensed``: only examples that were predicted wrongly are learned. ``size`` is the model
    size, with the copies that are not in the tree.
    """
    h = s.h
    h[S.STATUS] = S.DONE
    while t < len(X):
        if is_short(s):
            h[S.STATUS] = S.ROOM
            return t
        ask(s, X, t)
        find(s, found, measures)
        predictions[t] = vote(s, found)
        if learned[t] and not (condensed and predictions[t] == codes[t]):
            size[0] += 1
            if not is_copy(s, found, measures):
                store_example(s, codes[t])
        sizes[t] = size[0]
        t += 1
    return t
