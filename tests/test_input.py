"""Bad input raises ValueError and leaves the model as it was, byte for byte."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import vector_streams

from abacoc import Auto, AutoAdj, Base, BaseAdj, prequential
from abacoc.metrics import chebyshev, edit_distance, jaccard, manhattan
from abacoc.modelfile import state

METHODS = [Base, BaseAdj, Auto, AutoAdj, lambda: AutoAdj(budget=3)]
LARGEST = float(np.finfo(float).max)
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
]
BAD_LABELS = [None, math.nan, np.nan, [1], {"a"}, np.array([0, 1])]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("learned", [0, 1, 2, 6])
def test_bad_input_changes_nothing(method, learned):
    learner = method()
    for x, label in list(zip(np.arange(12.0).reshape(6, 2) / 20, [0, 1] * 3, strict=True))[
        :learned
    ]:
        learner.update(x, label)
    before = state(learner)
    for x in BAD_POINTS:
        if learned == 0 and isinstance(x, list) and x in ([0.0], [0.0, 0.0, 0.0]):
            continue  # any number of attributes is fine for the first point
        for attempt in (learner.predict, lambda x: learner.update(x, 0)):
            with pytest.raises(ValueError, match=r"column|attribute|vector"):
                attempt(x)
            assert state(learner) == before
    for label in BAD_LABELS:
        with pytest.raises(ValueError):  # noqa: PT011  # several messages
            learner.update([0.1, 0.1], label)
        assert state(learner) == before


@given(vector_streams(), st.sampled_from(METHODS[1:]))
def test_predicting_changes_nothing(stream, method):
    """A learner that is asked at every step is the one that is never asked."""
    X, y = stream
    asked, silent = method(), method()
    for x, label in zip(X, y, strict=True):
        for other in X[:3]:
            asked.predict(other)
        asked.update(x, label)
        silent.update(x, label)
    assert state(asked) == state(silent)


def test_points_and_snapshots_are_copies():
    x = np.array([0.0, 0.0])
    learner = AutoAdj()
    learner.update(x, "a")
    learner.update([1.0, 0.0], "b")
    before = state(learner)
    x[:] = 7.0
    balls = learner.balls
    balls.centres[:] = 5.0
    balls.radii[:] = 5.0
    balls.counts[:] = 5
    assert state(learner) == before
    words = Auto(metric=lambda a, b: float(len(set(a) ^ set(b))))
    point = ["a"]
    words.update(point, 0)
    point.append("b")
    assert words.balls.centres == [["a"]]


def test_a_point_changed_between_predict_and_update_is_seen():
    x = np.array([0.0])
    learner = Auto()
    learner.update([0.0], "a")
    learner.update([9.0], "b")
    assert learner.predict(x) == "a"
    x[0] = 8.0
    learner.update(x, "b")
    assert learner.balls.counts.tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize("method", [BaseAdj, AutoAdj])
def test_moving_centres_need_vectors_and_say_so(method):
    with pytest.raises(ValueError, match=f"{method.__name__} moves its centres: it needs a vector"):
        method(metric=edit_distance).update("kitten", 0)
    learner = method(metric=manhattan)
    learner.update([0.0, 0.0], "a")
    learner.update([0.25, 0.25], "a")
    assert learner.n_balls == 1


def test_strings_and_sets():
    words = Auto(metric=edit_distance)
    for word, label in ("ball", "b"), ("cover", "c"), ("bell", "b"), ("lover", "c"):
        words.update(word, label)
    assert words.predict("bill") == "b"
    assert words.predict("clover") == "c"
    assert words.balls.centres == ["ball", "cover"]
    sets = Base(vote="majority", metric=jaccard)
    sets.update({1, 2, 3}, "small")
    sets.update({10, 11, 12}, "large")
    assert sets.predict({11, 12}) == "large"
    assert sets.n_balls == 2
    named = Auto(metric="jaccard")
    named.update({1}, 0)
    assert named.predict({1}) == 0


@pytest.mark.parametrize("nonsense", [math.nan, math.inf, -1.0])
def test_a_metric_that_gives_nonsense_is_refused(nonsense):
    learner = Auto(metric=lambda a, b: nonsense if "x" in (a, b) else float(a != b))
    learner.update("a", 0)
    before = learner.balls
    for attempt in (lambda: learner.predict("x"), lambda: learner.update("x", 1)):
        with pytest.raises(ValueError, match="the metric gave"):
            attempt()
    assert learner.balls.centres == before.centres
    assert learner.classes == [0]


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev"])
def test_nan_is_refused_under_any_metric(metric):
    learner = Auto(metric=metric)
    for point in ([math.nan, 0.0], [0.0, math.nan]):
        with pytest.raises(ValueError, match="the metric gave nan"):
            learner.update(point, "a")
    assert (learner.n_balls, learner.classes) == (0, [])
    with pytest.raises(ValueError, match="row 3: the metric gave nan"):
        prequential(learner, [[0.0, 1.0], [1.0, 1.0], [math.nan, 1.0]], ["a", "b", "a"])
    assert learner.n_balls == 0


def test_points_that_the_metric_or_the_copy_cannot_take_are_refused():
    words = Auto(metric=edit_distance)
    with pytest.raises(ValueError, match="the metric cannot take 5"):
        words.update(5, "a")
    words.update("a", 0)
    with pytest.raises(ValueError, match="the metric cannot take"):
        words.update(5, 1)
    anything = Auto(metric=lambda a, b: 0.0)
    with pytest.raises(ValueError, match="cannot be kept"):
        anything.update((i for i in range(3)), "new")
    assert words.classes == [0]
    assert anything.classes == []


def test_no_memory_is_no_fault_of_a_point():
    def full(*_):
        raise MemoryError

    class Heavy(str):
        __deepcopy__ = full

    with pytest.raises(MemoryError):
        Auto(metric=full).update("a", 0)
    with pytest.raises(MemoryError):
        Auto(metric=edit_distance).update(Heavy("a"), 0)


def test_masked_and_complex_arrays_are_refused():
    learner = Auto()
    for x in (np.ma.array([1.0, 2.0], mask=[False, True]), np.array([1.0 + 2.0j, 0.0])):
        with pytest.raises(ValueError, match="vector"):
            learner.update(x, 0)
    learner.update(np.ma.array([1.0, 2.0]), 0)
    assert learner.n_balls == 1


def test_distances_of_the_largest_accepted_numbers_do_not_overflow():
    learner = AutoAdj()
    limit = learner._largest_number(3)
    learner.update([limit] * 3, 0)
    learner.update([-limit] * 3, 1)
    assert 0 < learner.balls.radii[0] < math.inf
    with pytest.raises(ValueError, match="too large"):
        learner.predict([math.nextafter(limit, math.inf), 0, 0])


def test_other_metrics():
    assert chebyshev([0, 0], [1, -5]) == 5
    assert manhattan([0, 0], [1, -5]) == 6
    assert jaccard(set(), set()) == 0
    assert edit_distance("", "abc") == 3
