"""The state of a compiled learner: arrays that grow with the balls, and names for their parts.

A *ball* is a row of ``ball_i``, ``ball_n`` and ``ball_f``; rows are taken in order of storage, so
their number decides ties. Columns that are 0 or 1 in most centres are kept as bits (bits.py), the
others as numbers in ``centres``. What is searched is a rough copy of these (rough.py), in a *lane*
of a *block*: ``WIDTH`` centres side by side, coordinate after coordinate, which the processor can
compare with a point all at once. Blocks belong to the leaves of a k-d tree (tree.py), whose boxes
lie side by side as well, in *shelves* of ``WIDTH`` leaves (boxes.py). Where all columns are bits
there is no tree: they lie column by column as well, in *groups* of ``GROUP`` lanes (planes.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]  # counts, which have no limit
Shorts = NDArray[np.int32]  # numbers of rows; no array has more rows than that (engine.py)
Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]

WIDTH = 32  # centres per block
GROUP = 512  # lanes per group of bits, that is GROUP // 64 words
MAX_DEPTH = 100  # a leaf at this depth is not split any more; far beyond a balanced tree
SAMPLE = 1024  # centres looked at to choose a split

# header, whole numbers -------------------------------------------------------------------------
(
    STATUS,  # why a kernel came back, see below
    N_BALLS,  # balls that exist
    N_SLOTS,  # rows of ball_i in use, with those of discarded balls
    N_NODES,  # rows of node_i in use
    N_BLOCKS,
    N_SHELVES,
    N_TALLIES,
    N_ROWS,  # numbers of `rows` in use, with those in free runs
    FREE_NODE,  # first of the rows that are free again; -1 for none
    FREE_BLOCK,
    FREE_SHELF,
    FREE_TALLY,
    FREE_NODES,  # how many of them
    FREE_BLOCKS,
    FREE_SHELVES,
    ROOT,
    SPLITS,  # 1: a tree; 0: one leaf with all blocks, that is a scan
    PLAIN,  # 1: the plain scan, for comparison
    EVALUATIONS,  # distance evaluations ever, rough ones too
    LAYOUT_AT,  # number of balls at which the columns are looked at again
    WANTED_BLOCKS,  # blocks that a rebuild could not get
    FEW_BITS,  # how many bits differ at most in the centres that are looked at first
    ODD_QUERY,  # the query has a bit column that is neither 0 nor 1
    MEMO,  # 1: `found` and `measures` belong to the query in x
    TICKET,  # number drawn to choose the ball to discard; -1: none
    DISCARDS,  # tickets used so far
    WEIGHT,  # sum of m_s + 1 over the balls: the tickets
    SEEN,  # classes of which an example was learned
    LEARNED,  # examples learned since the header was made
    # settings of the learner
    METHOD,
    MOVES,
    RANDOMIZED,
    ONE,  # number of the class with label 1, -1 if it has not come
    DIVISOR_TOTAL,
    BUDGET,  # 0: none
    RADIUS_RULE,
    CLOSED,
    JUDGE_FIRST,
    WAIT,
    COUNT_EVERY_STEP,
    START_AT_DIAMETER,
    SIZE_BEFORE_RESET,
    PHASE,  # of BASE
    STEPS,
    DIMENSION,
    VERDICT,  # of the dimension check: UNDECIDED, STAYS, or the dimension of a new phase
    HEADER_INTS,
) = range(47)

# header, numbers -------------------------------------------------------------------------------
LARGEST, SLACK, CUTOFF, BLUR, EXPONENT, COVERING_CONSTANT, EPSILON, HEADER_FLOATS = range(8)

# methods, radius rules, and why a kernel comes back before it is done
BASE, AUTO = range(2)
MAX_RULE, PLUS_RULE, INFINITE_RULE = range(3)
DONE, ROOM, NEEDS_TICKET, NEEDS_VERDICT, BAD_POINT = range(5)
UNDECIDED, STAYS = -2, -1

# columns of the tables, rows of `measures` ------------------------------------------------
MISTAKES, MOVED, TOTAL, MOST, TALLY, BALL_INTS = range(6)
MAJORITY, PLACE, ROW, BALL_SHORTS = range(4)
BIRTH, RADIUS, BALL_FLOATS = range(3)
CLASS, NEXT_TALLY, TALLY_SHORTS = range(3)
DIM, LEFT, RIGHT, PARENT, SIZE, BUILT, BLOCK, DEPTH, SPOT, NODE_INTS = range(10)
FILLED, NEXT, LEAF, BLOCK_INTS = range(4)
DISTANCE, SQUARE = range(2)


class State(NamedTuple):
    """What the kernels work on."""

    h: Ints  # header
    f: Floats
    x: Floats  # (d) the query
    dense: Floats  # (n_dense) its dense columns; x itself where all are
    rough_x: Singles  # (n_dense) these, rounded
    spread: Floats  # (n_dense) of centres in a tree that is built anew
    stack: Ints  # (MAX_DEPTH + 2, 3) nodes to visit
    totals: (
        Singles  # (WIDTH) squared distances of a block's centres, or what bounds them from below
    )
    leaf_totals: Singles  # (n_shelves, WIDTH) the same of leaves
    shelf_totals: Singles  # (n_shelves / WIDTH, WIDTH) of shelves
    found: Ints  # (k) the balls closest to the query, the closest first; -1 for none
    measures: Floats  # (2, k) their distances, and the squares of these
    columns: Ints  # (n_dense) the dense columns
    dense_of: Ints  # (d) place of a column among the dense ones; -1 for bits
    masks: Words  # (3, n_words) which columns are dense; the query's ones; where it is odd
    ball_i: Ints
    ball_n: Shorts
    ball_f: Floats
    centres: Floats  # (n_balls, n_dense)
    picked: Ints  # (n_balls) balls in a tree that is built anew; or places of lanes that are near
    sample: Floats  # (SAMPLE) of their coordinates in a column
    tally: Ints  # label counts
    links: Shorts  # (n_tallies, 2) their classes, in a chained list per ball
    tickets: Ints  # Fenwick tree over m_s + 1, for the budget
    node_i: Shorts
    splits: Floats  # where a node splits; left is below
    block_i: Shorts
    lanes: Shorts  # (n_blocks, WIDTH) balls
    rough: Singles  # (n_blocks, n_dense, WIDTH) dense columns of the centres, rounded
    boxes: Singles  # (n_shelves, 2 n_dense, WIDTH) least and greatest of these in a leaf
    tops: Singles  # (n_shelves / WIDTH, 2 n_dense, WIDTH) the same of a shelf
    leaves: Shorts  # (n_shelves, WIDTH) nodes
    first_blocks: Shorts  # (n_shelves, WIDTH) of these leaves
    leaf_sizes: Shorts  # (n_shelves, WIDTH)
    n_leaves: Ints  # (n_shelves)
    bits: Words  # (n_blocks, 2 n_words, WIDTH): ones, and which columns are in the run in `rows`
    floors: (
        Singles  # (n_blocks, WIDTH or 0) what the columns in `rows` add at least to any 0/1 point
    )
    rows: Floats  # coordinates of bit columns that are neither 0 nor 1, a run of them per ball
    free_runs: Ints  # (N_RUNS) first of the free runs of each length; -1 for none
    planes: Words  # (n_groups, 2 d + 2, GROUP / 64) which centres are 0, or 1, in a column
    chosen: Ints  # (d + STEP) planes of the centres that differ from the query
    counts: Words  # (DIGITS + 1, GROUP / 64) digits of the lanes' counts; which lanes are near
