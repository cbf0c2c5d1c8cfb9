"""The reference begins and an engine goes on, at any moment: the answers are those of either."""

import copy
import json
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_against_reference import METHODS, READINGS, REFERENCE, everything, labelled, make

import abacoc
from abacoc import prequential, prequential_pieces
from abacoc.engine import kernels, learners
from abacoc.engine.check import check
from abacoc.engine.kernels import Kernels
from abacoc.modelfile import from_state, state

REACHED = Counter()


class After(Kernels):
    """Kernels that come when they are asked for the n-th time."""

    def __init__(self, n):
        super().__init__("abacoc.engine.engine:compile_all", "abacoc.engine.loop:ENTRIES")
        self.left = n

    def are_ready(self):
        self.left -= 1
        if self.left < 0:
            self.load()
        return self.are_loaded


def coming(monkeypatch, n):
    monkeypatch.setattr(learners, "OURS", After(n))


@st.composite
def switched(draw, **more):
    """A stream, and after how many questions the kernels come: there are three per example."""
    X, y = draw(labelled(**more))
    X, y = X[:300], y[:300]
    if draw(st.booleans()):
        X, y = np.concatenate([X, X[:1]]), np.append(y, 1 if more else 99)  # a new class at the end
    return X, y, draw(st.integers(0, 5 * len(X)))


@pytest.mark.parametrize("method", METHODS, ids=str)
@given(data=st.data())
def test_same_bits_wherever_an_engine_takes_over(method, data):
    randomized = method[0] == "Base" and "vote" not in method[1]
    X, y, n = data.draw(switched(binary=True) if randomized else switched())
    rate = data.draw(st.sampled_from([1.0, 1.0, 0.5]))
    compare(method, X, y, n, rate)


@given(
    switched(),
    st.sampled_from(["Auto", "AutoAdj"]),
    st.sampled_from(READINGS),
    st.integers(2, 90),
    st.integers(0, 5),
)
def test_same_bits_with_a_budget(stream, name, reading, budget, seed):
    X, y, n = stream
    compare((name, {"reading": reading}), X, y, n, budget=budget, seed=seed)


def compare(method, X, y, n, rate=1.0, **more):
    """All three through the protocol: predictions, sizes, and the state at the end."""
    with pytest.MonkeyPatch.context() as patch:
        coming(patch, n)
        both, reference = make(abacoc, method, **more), make(REFERENCE, method, **more)
        mixed = prequential(both, X, y, rate=rate, seed=3)
        coming(patch, 0)
        compiled = make(abacoc, method, **more)
        runs = [prequential(learner, X, y, rate=rate, seed=3) for learner in (reference, compiled)]
    assert compiled.engine == "compiled"
    assert both.engine == "compiled" or mixed.by_reference == len(X)
    where = min(1, mixed.by_reference) + (mixed.by_reference == len(X))
    REACHED[("at once", "in between", "never")[where]] += 1
    for run in runs:
        assert mixed.predictions == run.predictions
        assert mixed.model_sizes.tolist() == run.model_sizes.tolist()
        assert mixed.accuracy == run.accuracy
        assert mixed.recursive_accuracy == run.recursive_accuracy
    assert everything(both) == everything(reference) == everything(compiled)
    if both.engine == "compiled":
        check(both._engine)


def test_all_of_it_was_reached():
    """By the tests above; not by one of them alone."""
    if sum(REACHED.values()) > 500:
        assert all(REACHED[where] > 30 for where in ("at once", "in between", "never")), REACHED


@given(switched(), st.sampled_from([*METHODS, ("AutoAdj", {"budget": 20})]))
def test_one_example_at_a_time(stream, method):
    X, y, n = stream[0][:150], np.minimum(stream[1][:150], 1), stream[2]
    theirs = make(REFERENCE, method)
    with pytest.MonkeyPatch.context() as patch:
        coming(patch, n)
        ours = make(abacoc, method)
        for x, label in zip(X, y.tolist(), strict=True):
            assert ours.predict(x) == theirs.predict(x)
            if hasattr(theirs, "probability"):
                assert ours.probability(x) == theirs.probability(x)
            assert ours.closest_counts(x) == theirs.closest_counts(x)
            ours.update(x, label)
            theirs.update(x, label)
            assert ours.n_balls == theirs.n_balls
        assert everything(ours) == everything(theirs)


@given(switched(), st.sampled_from([*METHODS, ("AutoAdj", {"budget": 20})]), st.floats(0, 1))
def test_copied_and_loaded_on_the_way(stream, method, share):
    """A learner that the reference serves is copied, and saved, with all that it knows."""
    X, y, n = stream[0], np.minimum(stream[1], 1), stream[2]
    cut = int(share * len(X))
    with pytest.MonkeyPatch.context() as patch:
        coming(patch, n)
        one = make(abacoc, method)
        for x, label in zip(X[:cut], y[:cut].tolist(), strict=True):
            one.update(x, label)
        known = {method[0]: type(one)}
        others = copy.deepcopy(one), from_state(json.loads(json.dumps(state(one))), known)
        for learner in (one, *others):
            for x, label in zip(X[cut:], y[cut:].tolist(), strict=True):
                learner.update(x, label)
        assert everything(one) == everything(others[0]) == everything(others[1])
