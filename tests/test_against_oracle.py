"""Reference and compiled twin against the independent oracle.py: the same bits."""

import functools
import itertools
from types import SimpleNamespace

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import streams, vector_streams

import abacoc
from abacoc import auto, base, prequential
from abacoc.streams import get, load, locate
from abacoc.streams.readers import read_content
from abacoc.streams.source import read_blocks

REFERENCE = SimpleNamespace(
    Base=base.Base, BaseAdj=base.BaseAdj, Auto=auto.Auto, AutoAdj=auto.AutoAdj
)
both = pytest.mark.parametrize("package", [REFERENCE, abacoc], ids=["reference", "compiled"])
SETS = ["electricity", "sea", "poker", "connect-4", "powersupply", "covtype", "kddcup99", "banana"]


def compare(learner, X, y, expected):
    """Predictions, sizes, centres, radii, counts and mistakes, all exactly equal."""
    run = prequential(learner, X, y)
    predictions, sizes, balls = expected
    assert run.predictions == predictions
    assert run.model_sizes.tolist() == sizes
    assert run.n_balls == sizes[-1]
    compare_balls(learner, balls)


def compare_balls(learner, balls):
    got = learner.balls
    assert [list(c) for c in got.centres] == [list(b["centre"]) for b in balls]
    if learner.n_balls > 1:  # a ball alone has no radius yet in AUTO
        assert got.radii.tolist() == [b["radius"] for b in balls]
    for row, ball in zip(got.counts.tolist(), balls, strict=True):
        counts = {label: n for label, n in zip(learner.classes, row, strict=True) if n}
        assert counts == ball["counts"]
    if got.mistakes is not None:
        assert got.mistakes.tolist() == [b["mistakes"] for b in balls]


@both
@given(
    vector_streams(),
    st.sampled_from(["paper", "literal", "authors"]),
    st.booleans(),
    st.sampled_from([None, "max", "plus"]),
    st.sampled_from([0, 1, 2, 3.5]),
)
def test_auto(package, stream, reading, adjust, rule, d_hat):
    X, y = stream
    learner = (package.AutoAdj if adjust else package.Auto)(
        d_hat, reading=reading, radius_rule=rule
    )
    compare(learner, X, y, oracle.auto(X, y, d_hat, adjust, reading, rule))


@both
@given(streams(st.sampled_from("abc")), st.sampled_from(["paper", "literal"]))
def test_auto_in_any_metric_space(package, stream, reading):
    space, X, y = stream
    if isinstance(X[0], float):  # the circle; the oracle wants sequences
        X, metric = [[x] for x in X], lambda a, b: space.distance(a[0], b[0])
    elif isinstance(X[0], str):
        codes = [[float(ord(c)) for c in x] for x in X]
        text = {tuple(c): x for c, x in zip(codes, X, strict=True)}
        X, metric = codes, lambda a, b: space.distance(text[tuple(a)], text[tuple(b)])
    else:
        metric = space.distance
    compare(
        package.Auto(metric=metric, reading=reading),
        X,
        y,
        oracle.auto(X, y, reading=reading, distance=metric),
    )


@both
@given(
    streams(st.integers(0, 1)).filter(lambda s: s[0].metric == "euclidean"),
    st.sampled_from(["paper", "literal"]),
    st.sampled_from([1.0, 1.5, 4.0]),
)
def test_base(package, stream, reading, constant):
    _, X, y = stream
    p, sizes, balls, trace = oracle.base(X, y, constant, reading)
    learner = package.Base(constant, reading=reading)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        assert (learner.phase, learner.dimension, learner.epsilon) == trace[t]
        assert learner.probability(x) == min(1.0, max(0.0, p[t]))
        learner.update(x, label)
        assert learner.n_balls == sizes[t]
    compare_balls(learner, balls)


@both
@given(
    vector_streams(),
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([1.0, 0.125, 2.0**-24]),
    st.sampled_from([None, "total", "correct"]),
)
def test_base_majority_and_base_adj(package, stream, constant, scale, divisor):
    X, y = stream
    X = [[value * scale for value in x] for x in X]
    if divisor is None:
        learner = package.Base(constant, vote="majority")
        expected = oracle.base_majority(X, y, constant)
    else:
        learner = package.BaseAdj(constant, divisor=divisor)
        expected = oracle.base_majority(X, y, constant, adjust=True, divisor=divisor)
    compare(learner, X, y, expected)


last_loaded = functools.lru_cache(maxsize=1)(load)  # reading covtype takes longer than the test


def head(name, n):
    stream = last_loaded(name)
    return stream.X[:n], [stream.labels[k] for k in stream.y[:n]]


def first_lines(name, n):
    """What `head` gives, without reading the rest; where no column is made of a category."""
    dataset = get(name)
    assert not dataset.categorical
    assert not dataset.ordinal
    blocks, text = read_blocks(locate(name)), b""
    while text.count(b"\n") <= n:
        text += next(blocks)
    lines = text.splitlines(keepends=True)[: n + 1]  # the first may be a header
    options = {"numeric": dataset.numeric, "trailing_comma": dataset.trailing_comma}
    stream = read_content(b"".join(lines), name, **options)
    X, y = stream.X[:n], stream.y[:n]
    assert X.shape == (n, dataset.attributes)
    return X, [stream.labels[k] for k in y]


# Reading kddcup99 takes longer than all the rest. Without it, connect-4 has 126 columns of mostly
# zeros as well, and covtype has such columns beside dense ones.
HEADS = [pytest.param(n, marks=pytest.mark.slow) if n == "kddcup99" else n for n in SETS]


@pytest.mark.parametrize("name", HEADS)
def test_heads_of_the_real_streams(data_folder, name):
    """The first rows, by both packages; connect-4 and kddcup99 have 126 and 118 columns."""
    n = 400 if name in ("connect-4", "kddcup99") else 1200
    X, y = first_lines(name, n) if name == "covtype" else head(name, n)
    for reading, adjust in itertools.product(("paper", "authors"), (True, False)):
        expected = oracle.auto(X, y, adjust=adjust, reading=reading)
        for package in (REFERENCE, abacoc):
            compare((package.AutoAdj if adjust else package.Auto)(reading=reading), X, y, expected)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    unit = X / np.where(norms > 0, norms, 1)
    for adjust in (False, True):
        expected = oracle.base_majority(unit, y, adjust=adjust)
        for package in (REFERENCE, abacoc):
            learner = package.BaseAdj() if adjust else package.Base(vote="majority")
            compare(learner, unit, y, expected)


@pytest.mark.slow
def test_first_lines_are_the_head(data_folder):
    X, y = head("covtype", 1200)
    found = first_lines("covtype", 1200)
    assert found[0].tolist() == X.tolist()
    assert found[1] == y


# The reference takes fifty times as long; that its bits are the engine's is seen on the heads here
# and on every golden stream.
@pytest.mark.parametrize(
    "package",
    [pytest.param(REFERENCE, marks=pytest.mark.slow), abacoc],
    ids=["reference", "compiled"],
)
@pytest.mark.parametrize(
    ("reading", "accuracy", "n_balls"), [("paper", 0.737134, 3038), ("authors", 0.734883, 2756)]
)
def test_known_totals_on_electricity(data_folder, reading, accuracy, n_balls, package):
    """Totals of two other implementations; six printed digits are one example in 45,312."""
    X, y = head("electricity", None)
    assert X.shape == (45312, 8)
    run = prequential(package.AutoAdj(reading=reading), X, y, keep=False)
    assert round(run.accuracy, 6) == accuracy
    assert run.n_balls == n_balls


@both
@pytest.mark.slow
@pytest.mark.parametrize("reading", ["paper", "authors"])
@pytest.mark.parametrize("name", ["electricity", "sea", "poker"])
def test_every_row(data_folder, name, reading, package):
    X, y = head(name, None)
    compare(package.AutoAdj(reading=reading), X, y, oracle.auto(X, y, adjust=True, reading=reading))
