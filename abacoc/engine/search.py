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
from abacoc.engine.rough import INFINITE, loosened, round_query
from abacoc.engine.simd import MANY, add_differing_bits, box_squares, least, lowest, squares, within
from abacoc.engine.state import State

SAME_ROOT = 1.0 + 2.0**-50  # squares with the same float64 root differ by less than this factor
SOON = np.float32(0.125)  # of the total that is near: leaves that are looked at first
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
        x, dense, columns = s.x, s.dense, s.columns
        for j in range(len(dense)):
            dense[j] = x[columns[j]]
    round_query(s)


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
    last = len(found) - 1
    if h[S.PLAIN]:
        found[last], measures[S.DISTANCE, last] = nearest_plain(s)
    elif len(s.planes) > 0:
        found[last], measures[S.DISTANCE, last] = nearest_in_planes(s, few)
    else:
        found[last], measures[S.DISTANCE, last] = nearest(s, few)


@kernel
def nearest(s: State, few: bool | None) -> tuple[int, float]:
    """The k-th closest ball and its distance; if k is more than 1, ``found`` has all of them.

    First the closest shelf; of the others at first the leaves that lie much nearer than they must.
    """
    boxes, tops, x, totals, leaf_totals = s.boxes, s.tops, s.rough_x, s.shelf_totals, s.leaf_totals
    n_rows = (s.h[S.N_SHELVES] + S.WIDTH - 1) // S.WIDTH
    best, distance, wide = -1, np.inf, INFINITE
    shelf, closest_yet = 0, INFINITE
    for row in range(n_rows):
        near_boxes(tops, row, x, totals, row, INFINITE)
        lane = lowest(least(totals, row))
        if totals[row, lane] < closest_yet:
            shelf, closest_yet = row * S.WIDTH + lane, totals[row, lane]
    totals[shelf // S.WIDTH, shelf % S.WIDTH] = INFINITE
    near_boxes(boxes, shelf, x, leaf_totals, shelf, wide)
    near = within(leaf_totals, shelf, wide)
    while near != ZERO:
        lane = lowest(least(leaf_totals, shelf))
        best, distance, wide = search_leaf(s, few, shelf, lane, best, distance, wide)
        near = within(leaf_totals, shelf, wide)
    soon = wide * SOON
    for turn in range(2):
        for row in range(n_rows):
            near_shelves = within(totals, row, wide)
            while near_shelves != ZERO:
                shelf = row * S.WIDTH + lowest(near_shelves)
                near_shelves &= near_shelves - BIT
                if turn == 0:
                    near_boxes(boxes, shelf, x, leaf_totals, shelf, wide)
                near = within(leaf_totals, shelf, min(wide, soon))
                while near != ZERO:
                    lane = lowest(near)
                    best, distance, wide = search_leaf(s, few, shelf, lane, best, distance, wide)
                    near = within(leaf_totals, shelf, min(wide, soon))
        soon = INFINITE
    return best, distance


@inlined
def search_leaf(
    s: State,
    few: bool | None,
    shelf: int,
    lane: int,
    best: int,
    distance: float,
    wide: np.float32,
) -> tuple[int, float, np.float32]:
    """Look through the blocks of a leaf, once.

    Returns the k-th best ball so far, its distance, and the rough total from which on no ball is
    as close.
    """
    b, size = s.first_blocks[shelf, lane], s.leaf_sizes[shelf, lane]
    s.leaf_totals[shelf, lane] = INFINITE
    s.h[S.EVALUATIONS] += size
    best, distance, wide = search_block(s, few, b, best, distance, wide)
    while size > S.WIDTH:
        b, size = s.block_i[b, S.NEXT], size - S.WIDTH
        best, distance, wide = search_block(s, few, b, best, distance, wide)
    return best, distance, wide


@inlined
def search_block(
    s: State,
    few: bool | None,
    b: int,
    best: int,
    distance: float,
    wide: np.float32,
) -> tuple[int, float, np.float32]:
    """As ``search_leaf``, of one block: rough totals first, exact ones of what they leave."""
    lanes, rough, rough_x, totals, centres, x = (
        s.lanes,
        s.rough,
        s.rough_x,
        s.totals,
        s.centres,
        s.x,
    )
    n_words, n_x = s.masks.shape[1], len(x)
    near = near_lanes(rough, b, rough_x, totals, wide)
    if n_words > 0 and near != ZERO:
        near = near_with_bits(s, b, near, wide)
    while near != ZERO:
        lane = lowest(near if best >= 0 else near & least(totals, 0))
        totals[lane] = INFINITE
        near ^= BIT << np.uint64(lane)
        ball = lanes[b, lane]
        if n_words > 0:
            total = exact_total(s, b, lane, ball)
        else:
            total = 0.0
            for j in range(len(x)):
                difference = centres[ball, j] - x[j]
                total += difference * difference
        root = math.sqrt(total)
        if root < distance or (root == distance and ball < best):
            best, distance = ball, root
            if few is not None:
                best, distance = take_in(s, ball, root, total)
            wide = loosened(distance, s.f[S.BLUR], n_x)
            near &= within(totals, 0, wide)
    return best, distance, wide


@kernel
def near_with_bits(s: State, b: int, near: int, wide: np.float32) -> int:
    """Those of the lanes that are still near when the columns that are bits are added."""
    totals, floors, n_words = s.totals, s.floors, s.masks.shape[1]
    if s.h[S.ODD_QUERY] == 0:
        for lane in range(S.WIDTH):
            totals[lane] += floors[b, lane]
    near_too = add_differing_bits(s.bits, b * 2 * n_words, s.masks, n_words, totals, wide)
    return near & near_too


@kernel
def nearest_in_planes(s: State, few: bool | None) -> tuple[int, float]:
    """As ``nearest`` where all columns are bits: by rising number of differing bits.

    Those with few differing bits are listed first, and then, if that were too few, the others.
    """
    h, picked, slack, last, enough = s.h, s.picked, s.f[S.SLACK], -1, 0
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
                count = min(count, picked[i] // PLACES)
            if count > limit * slack:
                break
            before, left = left, 0
            for i in range(before):
                place = picked[i]
                if place // PLACES != count:
                    picked[left] = place
                    left += 1
                    continue
                b, lane = place % PLACES // S.WIDTH, place % S.WIDTH
                total = count + (s.floors[b, lane] if h[S.ODD_QUERY] == 0 else 0.0)
                if total <= limit * slack:
                    ball = s.lanes[b, lane]
                    if not exact or s.ball_n[ball, S.ROW] >= 0:
                        total = exact_total(s, b, lane, ball)
                    root = math.sqrt(total)
                    if root < distance or (root == distance and ball < best):
                        best, distance, limit = ball, root, total * SAME_ROOT
                        if few is not None:
                            best, distance = take_in(s, ball, root, total)
                            limit = s.measures[S.SQUARE, len(s.found) - 1] * SAME_ROOT
        last = most
        enough = np.int64(min(limit * slack, float(MANY)))
        most = max(most, min(enough, 2 * most + 1))
    h[S.FEW_BITS] = (h[S.FEW_BITS] + enough + 1) // 2
    return best, distance


@kernel
def take_in(s: State, ball: int, root: float, square: float) -> tuple[int, float]:
    """Put a ball among the k best; the last of them, and its distance."""
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
    return found[last], measures[S.DISTANCE, last]


@inlined
def near_lanes(values: np.ndarray, b: int, x: np.ndarray, totals: np.ndarray, limit: float) -> int:
    """The lanes of a block, as bits, whose squared distances (``totals``) are below the limit."""
    n = len(x)
    end = min(n, EARLY)
    near = squares(values, b * n, x, 0, end, totals, 0, limit)
    while end < n and near != ZERO:
        start, end = end, min(n, end + EARLY)
        near = squares(values, b * n, x, start, end, totals, 0, limit)
    return near


@inlined
def near_boxes(
    boxes: np.ndarray, row: int, x: np.ndarray, totals: np.ndarray, at: int, limit: np.float32
) -> int:
    """As ``near_lanes`` for a row of boxes; the totals bound those of what is inside from below."""
    n = len(x)
    end = min(n, EARLY)
    near = box_squares(boxes, row * 2 * n, x, 0, end, totals, at, limit)
    while end < n and near != ZERO:
        start, end = end, min(n, end + EARLY)
        near = box_squares(boxes, row * 2 * n, x, start, end, totals, at, limit)
    return near


@inlined
def first_lanes(n: int) -> int:
    """Ones in the lowest n bits."""
    return (BIT << np.uint64(n)) - BIT
