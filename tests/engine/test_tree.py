"""The shape of the tree: every centre in its cell, counts right, depth and blocks bounded."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abacoc
from abacoc import AutoAdj, prequential
from abacoc.engine import engine
from abacoc.engine import state as names
from abacoc.engine.check import check
from abacoc.engine.engine import FIRST_LAYOUT


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
    prequential(learner, X, y, keep=False)
    check(learner._engine)


@pytest.mark.parametrize("kind", KINDS[:4])
def test_depth_and_leaves_stay_bounded(kind):
    """A parent may be lopsided by 7 to 3 before it is built anew: so many levels at most."""
    X, y = stream(kind, 60_000, 2, 0)
    learner = AutoAdj(reading="authors")
    prequential(learner, X, y, keep=False)
    depth, leaves = check(learner._engine)
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


def test_more_balls_than_there_are_numbers_for(monkeypatch):
    """They are refused before anything is learned of them, and it goes on."""
    X, y = stream("uniform", 3000, 3, 2)
    learner, twin = AutoAdj(), AutoAdj()
    learner.compile_now()
    prequential(learner, X[:1000], y[:1000], keep=False)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "MOST", len(learner._engine.s.ball_i))
        with pytest.raises(MemoryError, match="too large: it would need"):
            prequential(learner, X[1000:], y[1000:], keep=False)
    check(learner._engine)
    done = learner.n_learned
    assert 1000 < done < 3000
    prequential(learner, X[done:], y[done:], keep=False)
    prequential(twin, X, y, keep=False)
    assert np.array_equal(learner.balls.centres, twin.balls.centres)


def test_no_ball_is_looked_at_twice():
    """Not even where nothing can be left out, as in many dimensions."""
    X, y = stream("uniform", 4000, 40, 2)
    evaluations = {}
    for search in ("auto", "plain"):
        learner = AutoAdj()
        learner.search = search
        prequential(learner, X, y, keep=False)
        evaluations[search] = learner.distance_evaluations
    assert learner.n_balls > 8 * names.WIDTH
    assert 0.9 * evaluations["plain"] < evaluations["auto"] <= evaluations["plain"]


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
