"""The reference begins and an engine goes on, at any moment: the answers are those of either."""

import copy
import itertools
import json
from collections import Counter

import numpy as np
import pytest
from disturbed import METHODS as DISTURBED
from disturbed import Interrupt, NoArrays, at_every_moment
from disturbed import stream as stream_of
from hypothesis import given
from hypothesis import strategies as st
from test_against_reference import METHODS, READINGS, REFERENCE, everything, labelled, make

import abacoc
from abacoc import prequential
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.engine import learners
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


@pytest.mark.parametrize("update", [False, True], ids=["predict", "update"])
@pytest.mark.parametrize("what", ["lines", "arrays"])
@pytest.mark.parametrize(
    ("name", "kind"), [("base-adj", "dense"), ("fix", "bits"), ("auto", "mixed")]
)
def test_disturbed_while_an_engine_takes_over(name, kind, what, update, monkeypatch):
    """Every so many lines, or arrays: before the call or after it, and it goes on."""
    (X, y), t = stream_of(kind), 90
    for module in NoArrays.modules.split():  # it replaces this for good
        monkeypatch.setattr(f"abacoc.{module}.np", np)
    disturbance = NoArrays() if what == "arrays" else Interrupt(opcodes=False)
    coming(monkeypatch, 10**9)
    learner = DISTURBED[name]()
    for x, label in zip(X[:t], y[:t], strict=True):
        learner.update(x, label)
    assert learner.engine == "reference"
    coming(monkeypatch, 0)

    def call(learner):
        return learner.update(X[t], y[t]) if update else learner.predict(X[t])

    place, stride = (X, y, t, update), 1 if what == "arrays" else 17
    done = at_every_moment(learner, call, place, disturbance, itertools.count(1, stride))
    assert done["third states"] == 0
    assert done["before"] > 20


@pytest.mark.parametrize("update", [False, True], ids=["predict", "update"])
@pytest.mark.parametrize("make", [KPerc, lambda: IblStreams(k=5, size=100, start=30)])
def test_disturbed_where_python_runs_the_kernels(make, update, monkeypatch):
    """Every so many lines of them: before the call or after it."""
    (X, y), t = stream_of("dense"), 150
    for cls in KPerc, IblStreams:
        monkeypatch.setattr(cls, "kernels", Kernels("nothing:to_do", "nothing:to_do"))
    monkeypatch.setattr(Kernels, "are_ready", lambda kernels: False)
    learner = make()
    for x, label in zip(X[:t], y[:t], strict=True):
        learner.update(x, label)

    def call(learner):
        return learner.update(X[t], y[t]) if update else learner.predict(X[t])

    moments = itertools.count(1, 83)
    done = at_every_moment(learner, call, (X, y, t, update), Interrupt(opcodes=False), moments)
    assert learner.engine == "reference"
    assert done["third states"] == 0
    assert done["before"] > 5


def test_what_only_an_engine_knows_brings_one(monkeypatch):
    """It is compiled at once then, if it has to be."""
    for ask in (
        lambda learner: learner.n_bytes == 0,
        lambda learner: learner.distance_evaluations == 0,
        lambda learner: learner.compile_now() is None,
        lambda learner: setattr(learner, "search", "scan") is None and learner.search == "scan",
    ):
        coming(monkeypatch, 10**9)
        learner = abacoc.AutoAdj()
        assert (learner.engine, learner.search, learner.is_compiled) == ("reference", "auto", True)
        assert ask(learner)
        assert learner.engine == "compiled"
        learner.update([1.0], 0)
        assert learner.engine == "compiled"


def test_some_stay_with_the_reference(monkeypatch):
    coming(monkeypatch, 0)
    learner = abacoc.AutoAdj(metric="manhattan")
    learner.update([1.0], 0)
    learner.compile_now()
    assert (learner.engine, learner.search, learner.is_compiled) == (
        "reference",
        "reference",
        False,
    )
