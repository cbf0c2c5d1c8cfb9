"""Where all columns are bits: the answers of the plain scan, and what the search went through."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc import AutoAdj, BaseAdj, prequential
from abacoc.engine import simd
from abacoc.engine import state as names
from abacoc.engine.check import check

REACHED: Counter[str] = Counter()


def points(rng, n, d, share, odd, copies):
    """Zeros and ones, some of them other numbers, some rows again and again."""
    X = (rng.random((n, d)) < share).astype(float)
    strange = rng.choice([-0.0, 0.5, 0.3, 1e-170, -2.0], size=X.shape)
    X = np.where(rng.random(X.shape) < odd, strange, X)
    return X[rng.integers(0, n, n)] if copies else X


def compare(X, y, **settings):
    """The learner, after the same run by the plain scan."""
    kind = settings.pop("kind", AutoAdj)
    learner, plain = kind(**settings), kind(**settings)
    plain.search = "plain"
    runs = [prequential(each, X, y, keep=True) for each in (learner, plain)]
    assert runs[0].predictions == runs[1].predictions
    assert runs[0].model_sizes.tolist() == runs[1].model_sizes.tolist()
    assert learner.balls.centres.tobytes() == plain.balls.centres.tobytes()
    assert learner.balls.radii.tobytes() == plain.balls.radii.tobytes()
    check(learner._engine)
    return learner


def count(learner, X):
    """What the columns and the balls of a learner are, and how many queries would meet them."""
    s, h = learner._engine.s, learner._engine.h
    if len(s.planes) == 0:
        return
    REACHED["streams"] += 1
    REACHED["queries"] += len(X)
    REACHED["odd queries"] += int(((X != 0) & (X != 1)).any(axis=1).sum())
    REACHED["second group"] += h[names.N_BLOCKS] * names.WIDTH > names.GROUP
    REACHED["moved"] += int((s.ball_n[: h[names.N_SLOTS], names.ROW] >= 0).sum())
    REACHED["free runs"] += int((s.free_runs >= 0).sum())
    REACHED["beyond the count"] += s.x.size > simd.MANY


@given(
    st.integers(0, 2**32),
    st.integers(200, 700),
    st.sampled_from([16, 63, 64, 65, 130]),
    st.sampled_from([0.03, 0.3, 0.5]),
    st.sampled_from([0.0, 0.0, 0.002, 0.05]),
    st.booleans(),
    st.sampled_from([None, 70]),
    st.sampled_from([AutoAdj, BaseAdj]),
)
def same_as_the_plain_scan(seed, n, d, share, odd, copies, budget, kind):
    rng = np.random.default_rng(seed)
    X = points(rng, n, d, share, odd, copies)
    y = np.where(rng.random(n) < 0.7, X[:, 0] > 0, rng.integers(0, 3, n)).astype(int)
    settings = {"budget": budget} if budget and kind is AutoAdj else {}
    count(compare(X, y, kind=kind, **settings), X)


def test_same_as_the_plain_scan():
    REACHED.clear()
    same_as_the_plain_scan()
    assert REACHED["streams"] > 20
    assert REACHED["odd queries"] > 500
    assert REACHED["moved"] > 200
    assert REACHED["free runs"] > 5


@pytest.mark.parametrize("d", [40, simd.MANY + 30])
def test_many_groups_long_runs_and_more_columns_than_are_counted(d):
    rng = np.random.default_rng(d)
    n = 3000 if d == 40 else 300
    X = points(rng, n, d, 0.5, 0.0, False)
    if d == 40:  # few places, and noise beside them
        X[:, 20:] = X[rng.integers(0, 40, n), 20:]
    learner = compare(X, rng.integers(0, 2, n), budget=None)
    s, h = learner._engine.s, learner._engine.h
    assert len(s.planes) > 0
    assert d > simd.MANY or h[names.N_BLOCKS] * names.WIDTH > 2 * names.GROUP
    starts = s.ball_n[: h[names.N_SLOTS], names.ROW]
    assert (starts >= 0).any()


def test_runs_grow_and_are_given_back():
    rng = np.random.default_rng(1)
    X = (rng.random((4000, 100)) < 0.02).astype(float)
    X[::2, rng.integers(0, 100, 30)] = 1.0
    learner = compare(X, (rng.random(4000) < 0.05).astype(int), budget=90)
    s, h = learner._engine.s, learner._engine.h
    assert (s.free_runs >= 0).sum() >= 3
    assert h[names.N_ROWS] < 200 * names.WIDTH


@given(st.integers(0, 2**32), st.integers(0, 6), st.sampled_from([0, 3, 70, simd.MANY]))
def test_counts(seed, n, most):
    """The lanes of a group, their counts and who is near, against NumPy."""
    rng = np.random.default_rng(seed)
    n = min(16 * 4**n // 4, 2048) // 16 * 16
    words = names.GROUP // 64
    planes = rng.integers(0, 2**64, (2, 100, words), dtype=np.uint64)
    planes &= rng.integers(0, 2**64, planes.shape, dtype=np.uint64)
    chosen = rng.integers(0, 98, n)
    counts = np.zeros((simd.DIGITS + 1, words), dtype=np.uint64)
    some = counted(planes, 1, chosen, n, most, counts)

    def bits(array):
        return np.unpackbits(array.view(np.uint8), axis=-1, bitorder="little")

    expected = bits(planes[1][chosen]).sum(axis=0, dtype=int)
    near = (expected <= most) & (bits(planes[1, 98]) == 1)
    assert np.array_equal(bits(counts[simd.DIGITS]) == 1, near)
    assert (some != 0) == near.any()
    digits = bits(counts[: simd.DIGITS]).astype(int)
    found = (digits << np.arange(simd.DIGITS)[:, np.newaxis]).sum(axis=0)
    assert np.array_equal(found[near] - (simd.MANY - most), expected[near])


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    import numba

    global counted

    @numba.njit
    def counted(planes, group, chosen, n, most, counts):
        return simd.count_planes(planes, group, chosen, n, most, counts)
