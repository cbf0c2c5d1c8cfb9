"""Rough copies leave out no ball that could be the closest; boxes and shelves fit together."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abacoc import Auto, AutoAdj, prequential
from abacoc.baselines.neighbours import Nn3
from abacoc.baselines.stored import Stored
from abacoc.engine import rough
from abacoc.engine import state as names
from abacoc.engine.check import check

EXPONENTS = st.integers(-160, 150)
POINTS = st.integers(1, 9).flatmap(
    lambda d: st.lists(
        st.tuples(*[st.floats(-1, 1) | st.integers(-3, 3)] * 2), min_size=d, max_size=d
    )
)


def blurred(monkeypatch, centre, x):
    """What the kernels note of a query where this is the only centre, and both points rounded."""
    monkeypatch.setattr(rough, "single", rough.single.py_func)
    most = rough.cutoff(len(x))
    s = SimpleNamespace(
        rough_x=np.empty(len(x), dtype=np.float32),
        dense=x,
        f=np.zeros(names.HEADER_FLOATS),
    )
    s.f[names.CUTOFF] = most
    rough.round_query.py_func(s)
    rough_centre = np.array([rough.single(v, most) for v in centre])
    return s.f[names.BLUR], rough_centre, s.rough_x


@given(POINTS, EXPONENTS, EXPONENTS)
@example([(1.0, 1.0 + 2**-25)], 0, 0)  # one point in float32
@example([(1.0, -1.0)] * 8, 18, 18)  # at the end of what is not cut off
@example([(1.0, 0.9)] * 8, 100, 0)  # beyond it
@example([(1.0, 0.0)], -160, 0)  # squares that vanish
def test_no_closer_point_has_a_larger_rough_total(pairs, high, low):
    """However float32 adds it up, the rough total is below what its exact distance allows."""
    scale = 10.0 ** np.linspace(high, low, len(pairs))
    centre, x = (np.array(side, dtype=float) * scale for side in zip(*pairs, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        blur, rough_centre, rough_x = blurred(patch, centre, x)
    square = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(centre, x, strict=True))
    distance = math.sqrt(square) if square < 2**1000 else math.inf
    wide = rough.loosened.py_func(distance, blur, len(x))
    assert wide.dtype == np.float32
    squares = (rough_centre - rough_x) ** 2
    for order in (squares, squares[::-1], np.sort(squares)[::-1]):
        total = np.float32(0)
        for part in order:
            total += part
        assert np.isfinite(total)
        assert total < wide


def points(kind, n, d, rng, grows=False):
    X = fixed_points(kind, n, d, rng)
    if grows and kind != "huge":  # ever farther out, so that there are ever more balls
        X = X * np.exp(np.linspace(0, 30, n))[:, np.newaxis] * rng.choice([-1, 1], (n, 1))
    return X


def fixed_points(kind, n, d, rng):
    X = rng.random((n, d))
    if kind == "lattice":
        return np.round(3 * X)
    if kind == "half lattice":  # centres that move in some columns only
        X[:, ::2] = np.round(3 * X[:, ::2])
    if kind == "far":  # the differences are below what float32 can tell
        return 1e6 + 1e-3 * X
    if kind == "one ulp":
        return 1 + np.round(40 * X) * 2.0**-52
    if kind == "huge":
        return X * 1e140
    if kind == "tiny":
        return X * 1e-150
    if kind == "scales":
        return X * 10.0 ** np.linspace(-60, 60, d)
    if kind == "outlier":
        X[n // 2, 0] = 1e30
    if kind == "clusters":
        return rng.integers(0, 40, (n, 1)) + 1e-3 * X
    return X


KINDS = [
    "uniform",
    "lattice",
    "half lattice",
    "far",
    "one ulp",
    "huge",
    "tiny",
    "scales",
    "outlier",
    "clusters",
]
METHODS = [
    lambda: AutoAdj(d_hat=0, reading="authors"),  # radii shrink fast: many balls
    lambda: Auto(d_hat=0, reading="authors"),
    lambda: AutoAdj(d_hat=0, reading="authors", budget=900),
]
SEEDS = st.integers(0, 2**32)
DIMENSIONS = st.sampled_from([12, 7, 4, 2, 1])


def answers(learner, X, y):
    run = prequential(learner, X, y)
    return run.predictions, run.model_sizes.tolist()


@given(SEEDS, st.sampled_from(KINDS), st.booleans(), DIMENSIONS, st.sampled_from(METHODS))
def test_same_answers_as_the_plain_scan(seed, kind, grows, d, make):
    rng = np.random.default_rng(seed)
    X, y = points(kind, 2500, d, rng, grows), rng.integers(0, 3, 2500)
    runs = []
    for search in ("auto", "plain"):
        learner = make()
        learner.search = search
        runs.append(answers(learner, X, y))
        check(learner._engine)
    assert runs[0] == runs[1]


@given(SEEDS, st.sampled_from(KINDS), st.integers(1, 6))
def test_same_neighbours_as_without_kernels(seed, kind, d):
    rng = np.random.default_rng(seed)
    X, y = points(kind, 1000, d, rng), rng.integers(0, 3, 1000)
    stored = Stored(3, condensed=False)
    stored.allocate(d)
    learner = Nn3()
    learner.compile_now()
    number = {label: k for k, label in enumerate(dict.fromkeys(y.tolist()))}
    rows = zip(X, y.tolist(), strict=True)
    expected = [stored.row(x, number[label]) for x, label in rows]
    said = prequential(learner, X, y).predictions
    assert [number.get(label, -1) for label in said] == expected


def test_shelves_are_given_back():
    """Where much of the tree is built anew; and the answers stay those of the plain scan."""
    rng = np.random.default_rng(1)
    X, y = points("uniform", 8000, 6, rng, grows=True), rng.integers(0, 3, 8000)
    runs, free = [], []
    for search in ("auto", "plain"):
        learner = AutoAdj(d_hat=0, reading="authors")
        learner.search = search
        runs.append([])
        for start in range(0, 8000, 100):
            piece = slice(start, start + 100)
            runs[-1].append(answers(learner, X[piece], y[piece]))
            free.append(int(learner._engine.h[names.FREE_SHELVES]))
            check(learner._engine)
    assert max(free) >= 2
    assert runs[0] == runs[1]


def test_a_ball_takes_all_its_columns_to_another_leaf():
    """Also those in which it has not moved, of which whole numbers leave many."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(1, k, 3000) for k in (5, 14) * 5]).astype(float)
    y, runs = (rng.random(3000) < 0.3).astype(int), []
    for search in ("auto", "plain"):
        learner = AutoAdj()
        learner.search = search
        runs.append(answers(learner, X, y))
        check(learner._engine)
    assert runs[0] == runs[1]


def test_what_these_streams_reach():
    """Several shelves, with a budget too, and coordinates that are cut off."""
    shelves, cut = [], 0
    for kind in KINDS:
        for make in METHODS:
            rng = np.random.default_rng(1)
            X, y = points(kind, 2500, 12, rng, grows=True), rng.integers(0, 3, 2500)
            learner = make()
            prequential(learner, X, y, keep=False)
            s = learner._engine.s
            shelves.append(int(s.h[names.N_SHELVES]))
            cut += bool((abs(learner._engine.centres()) > s.f[names.CUTOFF]).any())
    assert sum(n >= 2 for n in shelves) >= 12, shelves
    assert max(shelves) >= 5
    assert cut >= 3
