"""The shape of the tree: every centre in its cell, counts right, depth and blocks bounded."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abacoc
from abacoc import AutoAdj, prequential
from abacoc.engine import state as names
from abacoc.engine.engine import FIRST_LAYOUT


def walk(engine):
    """Depth of the tree and number of leaves, after a check of every node and lane."""
    s, h = engine.s, engine.h
    seen, depth, leaves = [], 0, 0
    stack = [(int(h[names.ROOT]), -1, 0, [])]
    while stack:
        node, parent, level, cell = stack.pop()
        row = s.node_i[node]
        assert (row[names.PARENT], row[names.DEPTH]) == (parent, level)
        depth = max(depth, level)
        if row[names.BLOCK] < 0:
            split, greatest, least = s.node_f[node]
            assert greatest < split <= least
            left, right = row[names.LEFT], row[names.RIGHT]
            assert row[names.SIZE] == s.node_i[left, names.SIZE] + s.node_i[right, names.SIZE]
            j = row[names.DIM]
            stack.append((left, node, level + 1, [*cell, (j, -math.inf, greatest)]))
            stack.append((right, node, level + 1, [*cell, (j, least, math.inf)]))
            continue
        leaves += 1
        block, size, first = row[names.BLOCK], 0, True
        while block >= 0:
            filled = s.block_i[block, names.FILLED]
            assert s.block_i[block, names.LEAF] == node
            assert first or filled == names.WIDTH, "only the first block of a chain has room"
            for lane in range(filled):
                ball = s.lanes[block, lane]
                assert s.ball_i[ball, names.PLACE] == block * names.WIDTH + lane
                seen.append(ball)
                for j, low, high in cell:
                    assert low <= s.values[block, j, lane] <= high
            assert np.isinf(s.values[block, :, filled:]).all(), "empty lanes are far away"
            size, first, block = size + filled, False, s.block_i[block, names.NEXT]
        assert size == row[names.SIZE]
    assert sorted(seen) == engine._alive().tolist()
    return depth, leaves


def stream(kind, n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    if kind == "sorted":
        X = np.sort(X, axis=0)
    elif kind == "spiral":  # every new point outside of all the others
        X = X * np.exp(np.linspace(0, 40, n))[:, np.newaxis]
    elif kind == "halving":  # ever closer to zero: medians of the past are always too large
        X = X * np.exp(-np.linspace(0, 40, n))[:, np.newaxis]
    elif kind == "lattice":
        X = rng.integers(0, 3, (n, d)).astype(float)
    return X, rng.integers(0, 2, n)


KINDS = ["uniform", "sorted", "spiral", "halving", "lattice"]


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 2**32), st.integers(1, 6), st.sampled_from([None, 60, 200]))
def test_tree_is_sound(kind, seed, d, budget):
    X, y = stream(kind, 1500, d, seed)
    learner = AutoAdj(budget=budget, reading="authors" if seed % 2 else "paper")
    learner.search = "tree"
    prequential(learner, X, y, keep=False)
    walk(learner._engine)


@pytest.mark.parametrize("kind", KINDS[:4])
def test_depth_and_leaves_stay_bounded(kind):
    """A parent may be lopsided by 7 to 3 before it is built anew: so many levels at most."""
    X, y = stream(kind, 60_000, 2, 0)
    learner = AutoAdj(reading="authors")
    learner.search = "tree"
    prequential(learner, X, y, keep=False)
    depth, leaves = walk(learner._engine)
    n = learner.n_balls
    assert n > 1000
    # below a node of 5 WIDTH the allowance of one WIDTH is what counts, and splits are halves
    assert depth <= math.log(n / names.WIDTH) / math.log(1 / 0.75) + 5
    assert leaves <= 8 * n / names.WIDTH


def test_identical_points_make_one_long_leaf():
    """Nothing can be split; the first one stored wins every tie."""
    learner = AutoAdj(reading="authors")  # distance 0 is not below radius 0: always a new ball
    run = prequential(learner, np.ones((500, 3)), ["a", *["b"] * 499])
    assert run.n_balls == 500
    assert set(run.predictions[2:]) == {"a"}


def test_memory_grows_with_the_balls_and_not_with_the_stream():
    X, y = stream("uniform", 50_000, 4, 1)
    learner = abacoc.AutoAdj(budget=500)
    prequential(learner, X[:10_000], y[:10_000], keep=False)
    after = learner.n_bytes
    prequential(learner, X, y, keep=False)
    assert learner.n_balls == 500
    assert learner.n_bytes <= 2 * after  # room is added in steps, for a tree that is rebuilt
    assert learner.n_bytes < 500 * 2000


def test_scan_takes_over_where_the_tree_does_not_pay():
    X, y = stream("uniform", 4000, 40, 2)
    learner = AutoAdj()
    prequential(learner, X, y, keep=False)
    assert learner.n_balls > 8 * names.WIDTH
    assert learner._engine.h[names.SPLITS] == 0


def test_bits_are_found_and_given_up():
    rng = np.random.default_rng(3)
    X = (rng.random((3000, 60)) < 0.3).astype(float)
    y = rng.integers(0, 2, 3000)
    learner = AutoAdj(reading="authors")
    prequential(learner, X, y, keep=False)
    assert learner.n_balls > 4 * FIRST_LAYOUT
    assert len(learner._engine.s.columns) == 0, "all columns are bits"
    prequential(learner, X[:2000] + 100 * rng.random((2000, 60)), y[:2000], keep=False)
    prequential(learner, 1000 * rng.random((6000, 60)), rng.integers(0, 2, 6000), keep=False)
    assert len(learner._engine.s.columns) == 60, "no column is, any more"
