"""The compiled learners against the reference: the same state, to the last bit."""

import itertools
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abacoc
from abacoc import auto, base
from abacoc.modelfile import from_state, state
from abacoc.protocol import prequential, prequential_pieces

REFERENCE = SimpleNamespace(
    Base=base.Base, BaseAdj=base.BaseAdj, Auto=auto.Auto, AutoAdj=auto.AutoAdj
)
READINGS = ("paper", "literal", "authors")
# (name of the class, settings); the budget is drawn with the stream
METHODS = [
    *[
        (name, {"reading": reading, "radius_rule": rule})
        for name in ("Auto", "AutoAdj")
        for reading in READINGS
        for rule in (None, "plus")
    ],
    ("AutoAdj", {"d_hat": 0}),
    ("Auto", {"d_hat": 5.5}),
    *[("Base", {"vote": "majority", "reading": reading}) for reading in READINGS[:2]],
    *[("Base", {"reading": reading}) for reading in READINGS[:2]],
    ("BaseAdj", {}),
    ("BaseAdj", {"divisor": "correct", "covering_constant": 3.0, "reading": "literal"}),
]


def everything(learner):
    """The whole state as text: -0.0 and 0.0 differ, NaN is equal to itself."""
    return json.dumps(state(learner))


@st.composite
def points(draw):
    """Long streams from a seed: enough balls for leaves to split, bits and scans to begin."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(1, 700)), draw(st.integers(1, 12))
    kind = draw(
        st.sampled_from(
            ["uniform", "lattice", "few", "sorted", "bits", "mixed", "clusters", "drift", "zeros"]
        )
    )
    if kind == "uniform":
        X = rng.random((n, d))
    elif kind == "lattice":  # ties everywhere
        X = rng.integers(0, draw(st.integers(2, 5)), (n, d)).astype(float)
    elif kind == "few":  # the same few points again and again
        X = rng.random((draw(st.integers(1, 5)), d))[rng.integers(0, 1, n)]
    elif kind == "sorted":
        X = np.sort(rng.random((n, d)), axis=0)
    elif kind in ("bits", "mixed"):
        X = (rng.random((n, draw(st.integers(16, 150)))) < 0.2).astype(float)
        if kind == "mixed":
            columns = rng.integers(0, X.shape[1], 3)
            X[:, columns] = rng.random((n, 3)) * draw(st.sampled_from([0.1, 1.0, 50.0]))
            X[rng.random(X.shape) < 0.002] = -0.0
            X[rng.random(X.shape) < 0.002] = 0.3
    elif kind == "clusters":
        X = rng.random((5, d))[rng.integers(0, 5, n)] + rng.normal(size=(n, d)) * 1e-3
    elif kind == "drift":
        X = rng.random((n, d)) + np.linspace(0, 30, n)[:, np.newaxis]
    else:
        X = np.zeros((n, d))
        X[rng.random((n, d)) < 0.05] = 1.0
    return X * draw(st.sampled_from([1.0, 1.0, 1.0, 1e-3, 1e9, 1e-170, 1e-310, 1e150]))


@st.composite
def labelled(draw, binary=False):
    X = draw(points())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["noise", "rule", "one", "late", "many"]))
    y = rng.integers(0, 2, len(X))
    if kind == "rule":
        y = np.where(rng.random(len(X)) < 0.1, y, X[:, 0] > np.median(X[:, 0]))
    elif kind == "one":
        y[:] = 1
    elif kind == "late" and not binary:
        y[-1] = 7
    elif kind == "many" and not binary:
        y = rng.integers(0, max(1, len(X) // 3), len(X))
    return X, y.astype(int)


def make(package, method, **more):
    name, settings = method
    return getattr(package, name)(**settings, **more)


def compare(method, X, y, rate=1.0, **more):
    """Both through the protocol: predictions, sizes, and the state at the end."""
    theirs, ours = make(REFERENCE, method, **more), make(abacoc, method, **more)
    assert ours.is_compiled
    expected = prequential(theirs, X, y, rate=rate, seed=3)
    run = prequential(ours, X, y, rate=rate, seed=3)
    assert run.predictions == expected.predictions
    assert run.model_sizes.tolist() == expected.model_sizes.tolist()
    assert (run.accuracy, run.recursive_accuracy) == (
        expected.accuracy,
        expected.recursive_accuracy,
    )
    assert everything(ours) == everything(theirs)
    for mine, yours in zip(ours.balls, theirs.balls, strict=True):
        assert (mine is None) == (yours is None)
        assert mine is None or (mine.dtype, mine.tobytes()) == (yours.dtype, yours.tobytes())
    return ours


@pytest.mark.parametrize("method", METHODS, ids=str)
@given(data=st.data())
def test_same_bits(method, data):
    randomized = method[0] == "Base" and "vote" not in method[1]
    X, y = data.draw(labelled(binary=randomized))
    rate = data.draw(st.sampled_from([1.0, 1.0, 0.5]))
    compare(method, X, y, rate)


@given(
    labelled(),
    st.sampled_from(["Auto", "AutoAdj"]),
    st.sampled_from(READINGS),
    st.integers(2, 90),
    st.integers(0, 5),
)
def test_same_bits_with_a_budget(stream, name, reading, budget, seed):
    compare((name, {"reading": reading}), *stream, budget=budget, seed=seed)


@given(labelled(), st.sampled_from(METHODS), st.integers(0, 2**32))
def test_one_example_at_a_time(stream, method, seed):
    """predict and update, asked in any order, with points that are not learned in between."""
    X, y = stream[0][:150], np.minimum(stream[1][:150], 1)
    rng = np.random.default_rng(seed)
    theirs, ours = make(REFERENCE, method), make(abacoc, method)
    for x, label in zip(X, y.tolist(), strict=True):
        for query in (x, X[rng.integers(len(X))]):
            assert ours.predict(query) == theirs.predict(query)
            if hasattr(theirs, "probability"):
                assert ours.probability(query) == theirs.probability(query)
        ours.update(x, label)
        theirs.update(x, label)
        assert ours.n_balls == theirs.n_balls
    assert everything(ours) == everything(theirs)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_minus_zero_is_another_query(method):
    """Asked for one zero and taught the other: the one that was taught is stored."""
    learners = [make(package, method) for package in (abacoc, REFERENCE)]
    for learner in learners:
        learner.update([5.0, 5.0], 0)
        for taught, asked in itertools.permutations([0.0, -0.0]):
            learner.predict([asked, 9.0])
            learner.update([taught, 9.0], 1)
    assert everything(learners[0]) == everything(learners[1])


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_nothing_learned_is_nothing_known(method):
    """A rate so small that nothing is drawn: points may still have any number of attributes."""
    learners = [make(package, method) for package in (abacoc, REFERENCE)]
    runs = [prequential(learner, np.zeros((3, 2)), [1, 0, 1], rate=1e-9) for learner in learners]
    assert runs[0].n_updates == 0
    assert replace(runs[0], seconds=0, model_sizes=None) == replace(
        runs[1], seconds=0, model_sizes=None
    )
    assert runs[0].model_sizes.tolist() == runs[1].model_sizes.tolist() == [0, 0, 0]
    learners[0].search = "scan"  # as before the first example
    for learner in learners:
        assert learner.balls.centres.shape == (0, 0)
        assert learner.predict([1.0]) is None
        learner.update([1.0, 2.0, 3.0], 1)
    assert everything(learners[0]) == everything(learners[1])


@given(labelled(), st.sampled_from(METHODS), st.integers(1, 5))
def test_pieces_are_the_whole(stream, method, n_pieces):
    X, y = stream[0], np.minimum(stream[1], 1)
    whole, parts = make(abacoc, method), make(abacoc, method)
    expected = prequential(whole, X, y, rate=0.7, seed=1)
    cuts = np.array_split(np.arange(len(X)), n_pieces)
    pieces = ((X[cut], y[cut]) for cut in cuts if len(cut))
    run = prequential_pieces(parts, pieces, rate=0.7, seed=1, keep=True)
    assert run.predictions == expected.predictions
    assert run.recursive_accuracy == expected.recursive_accuracy
    assert everything(parts) == everything(whole)


@given(labelled(), st.sampled_from([*METHODS, ("AutoAdj", {"budget": 40})]), st.floats(0, 1))
def test_saved_and_loaded_it_goes_on_in_the_same_way(stream, method, share):
    X, y = stream[0], np.minimum(stream[1], 1)
    cut = int(share * len(X))
    going_on = make(abacoc, method)
    for x, label in zip(X[:cut], y[:cut].tolist(), strict=True):
        going_on.update(x, label)
    loaded = from_state(json.loads(json.dumps(state(going_on))), {method[0]: type(going_on)})
    assert type(loaded) is type(going_on)
    for x, label in zip(X[cut:], y[cut:].tolist(), strict=True):
        assert loaded.predict(x) == going_on.predict(x)
        loaded.update(x, label)
        going_on.update(x, label)
    assert everything(loaded) == everything(going_on)


@pytest.mark.parametrize("search", ["plain", "scan"])
@given(stream=labelled(), name=st.sampled_from(["AutoAdj", "BaseAdj"]))
def test_every_search_finds_the_same(search, stream, name):
    X, y = stream
    one, other = getattr(abacoc, name)(), getattr(abacoc, name)()
    other.search = search
    assert prequential(other, X, y).predictions == prequential(one, X, y).predictions
    assert everything(other) == everything(one)
