"""The search: the k balls closest to the query, by distance (after the root), then by storage.

What lies beyond the k-th best so far is skipped; it is kept in local variables. ``few`` says
whether there is a list of k: it is None for the balls of a cover, of which only the closest
matters, and Numba leaves the list out there, which would cost that search a tenth.
"""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.bits import exact_total, set_query_bits
from abacoc.engine.jit import inlined, kernel
from abacoc.engine.plain import nearest_plain
from abacoc.engine.planes import PLACES, choose_planes, list_near
from abacoc.engine.simd import MANY, add_differing_bits, lowest, squares
from abacoc.engine.state import State

SAME_ROOT = 1.0 + 2.0**-50  # squares with the same float64 root differ by less than this factor
EARLY = 16  # columns after which a block may be given up
ZERO, BIT = np.uint64(0), np.uint64(1)


@inlined
def ask(s: State, points: np.ndarray, row: int) -> None:
    """Make a row of a matrix the query, unless it is already and its answer is known."""
    h, x = s.h, s.x
    if h[S.MEMO] == 1:
        for j in range(len(x)):
            asked = points[row, j]
            # zeros with another sign are other queries: a ball around -0.0 is stored as such
            if x[j] != asked or (asked == 0.0 and np.signbit(x[j]) != np.signbit(asked)):
                h[S.MEMO] = 0
                break
    if h[S.MEMO] == 0:
        for j in range(len(x)):
            x[j] = points[row, j]


@inlined
def set_columns(s: State) -> None:
    """Sort the columns of the query into dense ones and bits; without bits, x is dense."""
    if s.masks.shape[1] > 0:
        set_query_bits(s)
        for j in range(len(s.dense)):
            s.dense[j] = s.x[s.columns[j]]


@inlined
def closest(s: State, few: bool | None) -> None:
    """Find the balls closest to the query; the answer is kept until something changes."""
    h, found, measures = s.h, s.found, s.measures
    if h[S.MEMO] == 1:
        return
    h[S.MEMO] = 1
    for i in range(len(found)):
        found[i] = -1
        measures[S.DISTANCE, i] = measures[S.SQUARE, i] = np.inf
    set_columns(s)
    if h[S.N_BALLS] == 0:
        return
    h[S.QUERIES] += 1
    before = h[S.EVALUATIONS]
    last = len(found) - 1
    if h[S.PLAIN]:
        found[last], measures[S.DISTANCE, last] = nearest_plain(s)
    elif len(s.planes) > 0:
        found[last], measures[S.DISTANCE, last] = nearest_in_planes(s, few)
    else:
        found[last], measures[S.DISTANCE, last] = nearest(s, few)
    h[S.ALL_EVALUATIONS] += h[S.EVALUATIONS] - before


@kernel
def nearest(s: State, few: bool | None) -> tuple[int, float]:
    """The k-th closest ball and its distance; if k is more than 1, ``found`` has all of them."""
    h, node_i, node_f, dense, side = s.h, s.node_i, s.node_f, s.dense, s.side
    # of ``search_dense``; to look them up in the state for every leaf would take its time
    arrays = (h, s.block_i, s.lanes, s.values, dense, s.totals)
    slack, with_bits = s.f[S.SLACK], s.masks.shape[1] > 0
    best, distance, limit, loose = -1, np.inf, np.inf, np.inf
    to_visit, bounds = s.to_visit, s.bounds
    n_trail, n_visit = 0, 0
    node, bound = h[S.ROOT], 0.0
    for j in range(len(side)):
        side[j] = 0.0
    while True:
        while node_i[node, S.BLOCK] < 0:
            j = node_i[node, S.DIM]
            right = np.int64(dense[j] >= node_f[node, S.SPLIT])  # a number: no jump to mispredict
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
        b = node_i[node, S.BLOCK]
        if with_bits:
            best, distance, limit = search_bits(s, few, b, best, distance, limit)
        else:
            best, distance, limit = search_dense(s, few, arrays, b, best, distance, limit)
        loose = limit * slack
        while n_visit > 0 and bounds[n_visit - 1, 0] > loose:
            n_visit -= 1
        if n_visit == 0:
            return best, distance
        n_visit -= 1
        node, bound = to_visit[n_visit, 0], bounds[n_visit, 0]
        while n_trail > to_visit[n_visit, 2]:  # back to the cell where this one was left aside
            n_trail -= 1
            side[to_visit[n_trail, 3]] = bounds[n_trail, 2]
        j = to_visit[n_visit, 1]
        to_visit[n_trail, 3], bounds[n_trail, 2] = j, side[j]
        n_trail += 1
        side[j] = bounds[n_visit, 1]


@inlined
def search_dense(
    s: State,
    few: bool | None,
    arrays: tuple[np.ndarray, ...],
    b: int,
    best: int,
    distance: float,
    limit: float,
) -> tuple[int, float, float]:
    """Look through a chain of blocks without bits, from block b on.

    Returns the k-th best ball so far, its distance, and the square beyond which no ball is as
    close.
    """
    h, block_i, lanes, values, dense, totals = arrays
    while b >= 0:
        filled = block_i[b, S.FILLED]
        h[S.EVALUATIONS] += filled
        near = near_lanes(values, b, dense, totals, limit, filled)
        while near != ZERO:
            lane = lowest(near)
            near &= near - BIT
            total = totals[lane]
            if total <= limit:
                root = math.sqrt(total)
                ball = lanes[b, lane]
                if root < distance or (root == distance and ball < best):
                    best, distance, limit = ball, root, total * SAME_ROOT
                    if few is not None:
                        best, distance, limit = take_in(s, ball, root, total)
        b = block_i[b, S.NEXT]
    return best, distance, limit


@kernel
def search_bits(
    s: State, few: bool | None, b: int, best: int, distance: float, limit: float
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
            lane = lowest(near)
            near &= near - BIT
            total = totals[lane]
            if total <= limit * slack:
                ball = lanes[b, lane]
                if n > 0 or odd or ball_i[ball, S.ROW] >= 0:
                    total = exact_total(s, b, lane, ball)
                root = math.sqrt(total)
                if root < distance or (root == distance and ball < best):
                    best, distance, limit = ball, root, total * SAME_ROOT
                    if few is not None:
                        best, distance, limit = take_in(s, ball, root, total)
        b = block_i[b, S.NEXT]
    return best, distance, limit


@kernel
def nearest_in_planes(s: State, few: bool | None) -> tuple[int, float]:
    """As ``nearest`` where all columns are bits: by rising number of differing bits.

    Those with few differing bits are listed first, and then, if that were too few, the others.
    """
    h, places, slack, last, enough = s.h, s.places, s.f[S.SLACK], -1, 0
    best, distance, limit = -1, np.inf, np.inf
    h[S.EVALUATIONS] += h[S.N_BALLS]
    n = choose_planes(s)
    exact = h[S.ODD_QUERY] == 0 and len(s.x) <= MANY
    most = h[S.FEW_BITS]
    while last < most:
        left = list_near(s, n, last, most)
        while left > 0:
            count = MANY
            for i in range(left):
                count = min(count, places[i] // PLACES)
            if count > limit * slack:
                break
            before, left = left, 0
            for i in range(before):
                place = places[i]
                if place // PLACES != count:
                    places[left] = place
                    left += 1
                    continue
                b, lane = place % PLACES // S.WIDTH, place % S.WIDTH
                total = count + (s.floors[b, lane] if h[S.ODD_QUERY] == 0 else 0.0)
                if total <= limit * slack:
                    ball = s.lanes[b, lane]
                    if not exact or s.ball_i[ball, S.ROW] >= 0:
                        total = exact_total(s, b, lane, ball)
                    root = math.sqrt(total)
                    if root < distance or (root == distance and ball < best):
                        best, distance, limit = ball, root, total * SAME_ROOT
                        if few is not None:
                            best, distance, limit = take_in(s, ball, root, total)
        last = most
        enough = np.int64(min(limit * slack, float(MANY)))
        most = max(most, min(enough, 2 * most + 1))
    h[S.FEW_BITS] = (h[S.FEW_BITS] + enough + 1) // 2
    return best, distance


@kernel
def take_in(s: State, ball: int, root: float, square: float) -> tuple[int, float, float]:
    """Put a ball among the k best; the last of them, as ``search_dense``."""
    found, measures = s.found, s.measures
    i = last = len(found) - 1
    while i > 0 and (
        root < measures[S.DISTANCE, i - 1]
        or (root == measures[S.DISTANCE, i - 1] and ball < found[i - 1])
    ):
        found[i] = found[i - 1]
        measures[S.DISTANCE, i] = measures[S.DISTANCE, i - 1]
        measures[S.SQUARE, i] = measures[S.SQUARE, i - 1]
        i -= 1
    found[i], measures[S.DISTANCE, i], measures[S.SQUARE, i] = ball, root, square
    return found[last], measures[S.DISTANCE, last], measures[S.SQUARE, last] * SAME_ROOT


@inlined
def near_lanes(
    values: np.ndarray, b: int, x: np.ndarray, totals: np.ndarray, limit: float, filled: int
) -> int:
    """The lanes of a block, as bits, whose squared distances (``totals``) may be in the limit."""
    n = len(x)
    end = min(n, EARLY)
    near = squares(values, b * n, x, 0, end, totals, limit)
    while end < n and near != ZERO:
        start, end = end, min(n, end + EARLY)
        near = squares(values, b * n, x, start, end, totals, limit)
    return near & first_lanes(filled)


@inlined
def first_lanes(n: int) -> int:
    """Ones in the lowest n bits."""
    return (BIT << np.uint64(n)) - BIT
