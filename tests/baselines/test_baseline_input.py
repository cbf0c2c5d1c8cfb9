"""Bad input raises the ValueError that our own learners raise, and changes nothing."""

import math
import pickle
from functools import partial

import numpy as np
import pytest

from abacoc import AutoAdj, prequential
from abacoc.baselines.constant import Majority, NoChange
from abacoc.baselines.hoeffding import RiverVfdt
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Cnn, Nn3
from abacoc.baselines.successors import Amf

LARGEST = float(np.finfo(float).max)
EarlyIbl = partial(IblStreams, start=2)
METHODS = [Nn3, Cnn, KPerc, EarlyIbl, NoChange, Majority]
try:
    RiverVfdt()
    METHODS += [RiverVfdt, Amf]
except ValueError:
    pass  # River is not installed
BAD_POINTS = [
    [math.nan, 0.0],
    [0.0, math.inf],
    [0.0, -math.inf],
    [LARGEST, 0.0],
    [0.0],
    [0.0, 0.0, 0.0],
    [],
    [[0.0, 0.0]],
    0.0,
    "ab",
    ["a", "b"],
    None,
    [None, 0.0],
    [10**400, 0.0],
    [1j, 0.0],
    {"a": 1, "b": 2},
    np.ma.array([1.0, 2.0], mask=[False, True]),
]
BAD_LABELS = [None, math.nan, [1], {"a"}, np.array([0, 1])]


def complaint(action, *arguments):
    """The text of the ValueError, without what the method needs a vector for."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # compared by the caller
        action(*arguments)
    text = str(caught.value)
    return text[text.index("it needs a vector") :] if "it needs a vector" in text else text


def taught(method, n):
    learner = method()
    for x, label in list(zip(np.arange(12.0).reshape(6, 2) / 20, [0, 1] * 3, strict=True))[:n]:
        learner.update(x, label)
    return learner


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [0, 1, 6])
def test_bad_input_is_refused_as_by_our_own_and_changes_nothing(method, n):
    learner, ours = taught(method, n), taught(AutoAdj, n)
    before = pickle.dumps(learner)
    for x in BAD_POINTS:
        if n == 0 and isinstance(x, list) and x in ([0.0], [0.0, 0.0, 0.0]):
            continue  # any number of attributes is fine for the first point
        expected = complaint(ours.predict, x)
        assert complaint(learner.predict, x) == expected
        assert complaint(learner.update, x, 0) == expected
        assert complaint(learner.check_point, x) == expected
        assert pickle.dumps(learner) == before
    for label in BAD_LABELS:
        expected = complaint(ours.update, [0.1, 0.1], label)
        assert complaint(learner.update, [0.1, 0.1], label) == expected
        assert complaint(learner.check_label, label) == expected
        assert pickle.dumps(learner) == before


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([], []),
        (np.empty((0, 2)), []),
        ([[0.0, 1.0], [1.0, math.nan]], [0, 1]),
        (np.array([[0.0, 1.0], [1.0, math.inf]]), [0, 1]),
        (np.array([[0.0, 1.0], [1.0, LARGEST]]), [0, 1]),
        ([[0.0, 1.0], [1.0]], [0, 1]),
        (np.eye(3), [0, 1, 0]),
        (np.eye(2), [0, None]),
        (np.eye(2), np.array([0.0, math.nan])),
        (np.eye(2), [0]),
    ],
)
def test_a_bad_stream_is_refused_before_it_is_learned(method, X, y):
    learner, ours = taught(method, 4), taught(AutoAdj, 4)
    before = pickle.dumps(learner)
    assert complaint(prequential, learner, X, y) == complaint(prequential, ours, X, y)
    assert pickle.dumps(learner) == before
    with pytest.raises(ValueError, match="the rate must be"):
        prequential(learner, np.eye(2), [0, 1], rate=0)


@pytest.mark.parametrize("method", METHODS)
def test_labels_of_any_kind_and_points_of_any_kind(method):
    learner = method()
    labels = ["a", 1, ("x", 2), frozenset([3]), 2.5, False]
    for i, label in enumerate(labels * 2):
        learner.update([i, i], label)
    assert learner.predict((3, 3)) in labels
    assert learner.predict(np.array([3, 3], dtype=np.float32)) in labels
    assert learner.predict(np.arange(4.0)[::2]) in labels


@pytest.mark.parametrize("method", [m for m in METHODS if m is not NoChange])
def test_points_are_copied(method):
    x, learner = np.array([0.0, 0.0]), method()
    learner.update(x, "a")
    learner.update([9.0, 9.0], "b")
    x[:] = 9.0
    assert learner.predict([0.0, 0.0]) == "a"


@pytest.mark.parametrize("method", [Nn3, Cnn, KPerc, EarlyIbl])
def test_a_copy_goes_its_own_way(method):
    rng = np.random.default_rng(3)
    X, y = rng.random((400, 3)), rng.integers(0, 3, 400)
    learner = method()
    prequential(learner, X[:200], y[:200])
    copied = pickle.loads(pickle.dumps(learner))
    one, other = (prequential(each, X[200:], y[200:]) for each in (learner, copied))
    assert one.predictions == other.predictions
    assert one.model_sizes.tolist() == other.model_sizes.tolist()


@pytest.mark.parametrize("method", [Nn3, Cnn, KPerc, EarlyIbl])
def test_a_stream_of_which_nothing_is_learned(method):
    run = prequential(method(), np.eye(3), list("abc"), rate=1e-9)
    assert run.predictions == [None] * 3
    assert run.model_sizes.tolist() == [0] * 3
    learner = method()
    answer = learner.run_rows(np.eye(3), list("abc"), np.zeros(3, dtype=bool))
    assert learner.named(answer) == [None] * 3
    learner.update([1.0], "any number of attributes is fine then")
