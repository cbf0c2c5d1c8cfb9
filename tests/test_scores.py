"""Kappa and its kin against scikit-learn, River, and the definition; piece by piece as in one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc import Auto, AutoAdj, prequential, prequential_pieces
from abacoc.baselines.constant import Majority, NoChange
from abacoc.scores import Scores

LABELS = st.sampled_from(["a", "b", "c", 1, (1, 2)])
PAIRS = st.lists(st.tuples(LABELS, st.none() | LABELS), min_size=1, max_size=60)


def scored(pairs, cut=None):
    scores = Scores()
    for part in (pairs[:cut], pairs[cut:]) if cut is not None else (pairs,):
        scores.add([label for label, _ in part], [said for _, said in part])
    return scores


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


@given(PAIRS)
def test_scores_are_those_of_scikit_learn(pairs):
    metrics = pytest.importorskip("sklearn.metrics")
    found = scored(pairs)
    true, said = [repr(label) for label, _ in pairs], [repr(said) for _, said in pairs]
    # theirs are quotients of sums in another order: a few roundings apart
    classes = sorted(set(true))
    expected = metrics.f1_score(true, said, labels=classes, average="macro", zero_division=0.0)
    assert found.macro_f1 == pytest.approx(expected, rel=1e-12)
    if set(true) | set(said) != {true[0]}:  # they give nan or 0 there, by version
        kappa = metrics.cohen_kappa_score(true, said)
        assert found.kappa == pytest.approx(kappa, rel=1e-9, abs=1e-12)
    assert found.hits == sum(a == b for a, b in zip(true, said, strict=True))


@given(PAIRS)
def test_kappa_temporal_is_its_definition(pairs):
    found = scored(pairs)
    labels = [label for label, _ in pairs]
    stays = sum(a == b for a, b in itertools.pairwise(labels))
    assert found.no_change == stays / len(pairs)
    right, before = found.hits / len(pairs), found.no_change
    if before < 1:
        assert found.kappa_temporal == pytest.approx((right - before) / (1 - before), abs=1e-12)


@given(PAIRS, st.integers(0, 60))
def test_in_two_pieces_as_in_one(pairs, cut):
    one, two = scored(pairs), scored(pairs, cut)
    for name in ("n", "hits", "stays", "pairs", "kappa", "kappa_temporal", "macro_f1"):
        a, b = getattr(one, name), getattr(two, name)
        assert a == b or same(a, b), name


def test_chance_that_is_always_right_says_nothing():
    found = scored([("a", "a")] * 5)
    assert math.isnan(found.kappa)
    assert (found.macro_f1, found.no_change) == (1.0, 0.8)
    assert found.kappa_temporal == 1.0


def stream(n=400):
    rng = np.random.default_rng(4)
    X = rng.random((n, 2))
    return X, ["x" if a > b else "y" for a, b in X.tolist()]


@pytest.mark.parametrize("make", [AutoAdj, NoChange, Majority, lambda: Auto(metric="manhattan")])
def test_a_run_has_the_scores_of_its_predictions(make):
    X, y = stream()
    run = prequential(make(), X, y, rate=0.7, seed=2)
    expected = scored(list(zip(y, run.predictions, strict=True)))
    for name in ("kappa", "kappa_temporal", "macro_f1", "no_change"):
        assert getattr(run, name) == getattr(expected, name)
    pieces = [(X[:150], y[:150]), (X[150:], y[150:])]
    again = prequential_pieces(make(), pieces, rate=0.7, seed=2)
    assert (again.kappa, again.macro_f1) == (run.kappa, run.macro_f1)
    assert prequential(make(), X, y, rate=0.7, seed=2, keep=False).kappa == run.kappa


def test_no_change_as_a_method_is_the_yardstick_of_the_runs():
    X, y = stream()
    run = prequential(NoChange(), X, y)
    assert run.accuracy == run.no_change == prequential(AutoAdj(), X, y).no_change
    assert run.kappa_temporal == 0.0
    majority = prequential(Majority(), X, y)
    counts, hits = {}, 0
    for label in y:
        hits += bool(counts) and label == max(counts, key=counts.get)
        counts[label] = counts.get(label, 0) + 1
    assert majority.accuracy == hits / len(y)
