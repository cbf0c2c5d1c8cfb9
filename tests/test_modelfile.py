"""Save and load: going on equals never having stopped; a damaged file is refused."""

import hashlib
import json
import math
import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import multiclass, streams, vector_streams

import abacoc
import abacoc.auto
from abacoc import READINGS, Auto, AutoAdj, Base, BaseAdj, Limits, load
from abacoc.metrics import edit_distance, euclidean
from abacoc.modelfile import state

MAKERS = [
    lambda reading: Base(1.5, vote="majority", reading="literal"),
    lambda reading: Base(vote="majority"),
    lambda reading: BaseAdj(2, divisor="correct"),
    lambda reading: BaseAdj(),
    lambda reading: Auto(1.5, reading=reading),
    lambda reading: AutoAdj(reading=reading, radius_rule="plus"),
    lambda reading: AutoAdj(reading=reading, budget=4, seed=11),
]


@given(
    vector_streams(), st.sampled_from(MAKERS), st.sampled_from(sorted(READINGS)), st.floats(0, 1)
)
def test_going_on_equals_never_having_stopped(tmp_path_factory, stream, make, reading, where):
    X, y = stream
    path = tmp_path_factory.mktemp("models") / "learner.abacoc"
    whole, first = make(reading), make(reading)
    cut = int(where * len(X))
    for x, label in zip(X[:cut], y[:cut], strict=True):
        whole.update(x, label)
        first.update(x, label)
    first.save(path)
    second = type(first).load(path)
    for x, label in zip(X[cut:], y[cut:], strict=True):
        assert second.predict(x) == whole.predict(x)
        whole.update(x, label)
        second.update(x, label)
    assert state(second) == state(whole)


def test_the_coin_of_fix_goes_on_too(tmp_path):
    generator = np.random.default_rng(0)
    X, y = generator.random((400, 2)), generator.integers(0, 3, 400).tolist()
    whole = AutoAdj(budget=5)
    for x, label in zip(X[:200], y[:200], strict=True):
        whole.update(x, label)
    whole.save(tmp_path / "half")
    again = load(tmp_path / "half")
    for x, label in zip(X[200:], y[200:], strict=True):
        whole.update(x, label)
        again.update(x, label)
    assert state(again) == state(whole)


@given(streams(multiclass(), max_size=30))
def test_any_metric_space(tmp_path_factory, stream):
    space, X, y = stream
    path = tmp_path_factory.mktemp("models") / "learner.abacoc"
    learner = Auto(metric=space.metric)
    for x, label in zip(X, y, strict=True):
        learner.update(x, label)
    learner.save(path)
    if callable(space.metric) and space.name != "circle":
        with pytest.raises(ValueError, match="needs it again"):
            load(path)
    metric = space.metric if callable(space.metric) else None
    again = load(path, metric=metric)
    assert state(again) == state(learner)
    assert [again.predict(x) for x in X] == [learner.predict(x) for x in X]


def small_model(path):
    learner = AutoAdj(budget=4)
    for i in range(12):
        learner.update([i * 0.1, math.sin(i)], f"class {i % 3}")
    learner.save(path)
    return learner


def test_every_truncation_is_refused(tmp_path):
    path = tmp_path / "model"
    small_model(path)
    content = path.read_bytes()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"not a model file|truncated or altered"):
            load(path)


def test_every_altered_byte_is_refused(tmp_path):
    path = tmp_path / "model"
    small_model(path)
    content = bytearray(path.read_bytes())
    for i in range(len(content)):
        content[i] ^= 1
        path.write_bytes(content)
        refusal = r"not a model file|truncated or altered|is a model of format 3"
        with pytest.raises(ValueError, match=refusal):
            load(path)
        content[i] ^= 1


def test_a_failed_save_keeps_the_old_file(tmp_path):
    path = tmp_path / "model"
    small_model(path)
    content = path.read_bytes()
    learner = Auto(metric=lambda a, b: float(a != b))
    learner.update(object(), 0)
    with pytest.raises(ValueError, match="cannot be saved"):
        learner.save(path)
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["model"], "no temporary file is left"
    with pytest.raises(ValueError, match="no folder"):
        Auto().save(tmp_path / "nowhere" / "model")


def forged(path, learner, **changes):
    """A file with the right checksum over a state that no learner has."""
    for i in range(6):
        learner.update([0.1 * i, 0.2 * i], i % 2)
    record = state(learner)
    record.update(changes)
    payload = json.dumps(record).encode()
    digest = hashlib.sha256(payload).hexdigest().encode()
    path.write_bytes(b"abacoc model, format 1\n" + digest + b"\n" + payload)
    return path


NONE = {"centres": [], "balls": []}
BALL = [[1], 1.0, 1.0, 0, 1]
HUGE = 10**400


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        # 2 GB were reserved for it, and 8 TiB asked for
        ({**NONE, "attributes": 2**27}, "other attributes than the centres"),
        ({**NONE, "attributes": 2**40}, "other attributes than the centres"),
        ({**NONE, "attributes": HUGE}, "other attributes than the centres"),
        ({"centres": [[HUGE, 1]], "balls": [BALL]}, "it needs a vector"),
        ({"centres": [[1, 1]], "balls": [[[1], 1.0, HUGE, 0, 1]]}, "a radius of 1000"),
        ({"centres": [[1, 1]], "balls": [[[1], HUGE, 1.0, 0, 1]]}, "a radius of 1000"),
        ({"centres": [[1, 1]], "balls": [[[HUGE], 1.0, 1.0, 0, 1]]}, "counts that are none"),
        ({"settings": {"d_hat": HUGE}}, "too large"),
        ({"budget": {"budget": HUGE, "seed": 0}}, "a budget of 2^62 balls or more is none"),
    ],
)
def test_a_forged_state_reserves_nothing(tmp_path, reference, changes, says):
    path = forged(tmp_path / "model", AutoAdj(budget=4), **changes)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="holds no state of a learner: ") as caught:
            load(path, reference=reference)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert says in str(caught.value)
    # the file has 1 KB and numbers of 400 digits; modules that are imported now have a megabyte
    assert peak < 4 << 20


def test_counts_of_every_class_in_every_ball_are_refused(tmp_path):
    """100 KB of one count for each of 2,000 balls and 2,000 classes that would take 32 MB."""
    changes = {"classes": list(range(2000)), "centres": [[1, 1]] * 2000, "balls": [BALL] * 2000}
    path = forged(tmp_path / "model", AutoAdj(), **changes)
    assert load(path, limits=Limits(matrix=32 * 10**6)).n_balls == 2000
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as caught:
        load(path, limits=Limits(matrix=32 * 10**6 - 1))
    assert str(caught.value) == (
        f"{path} has counts of more than 31,999,999 bytes (--limit matrix=N allows more)"
    )


def test_more_attributes_than_columns_are_refused(tmp_path):
    """A file of 19 MB with two centres of two million asked for 4 GB: blocks of 32 for each."""
    path = forged(tmp_path / "model", AutoAdj(), centres=[[1] * 9], balls=[BALL], attributes=9)
    assert load(path, limits=Limits(columns=9)).n_balls == 1
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as caught:
        load(path, limits=Limits(columns=8))
    assert str(caught.value) == f"{path} has more attributes than 8 (--limit columns=N allows more)"


def test_a_file_that_is_too_large_or_none(tmp_path):
    path = tmp_path / "model"
    small_model(path)
    size = path.stat().st_size
    assert load(path, limits=Limits(model=size)).n_balls
    with pytest.raises(ValueError, match=r"is a model of more than .* \(--limit model=N allows"):
        load(path, limits=Limits(model=size - 1))
    with pytest.raises(ValueError, match="is not a model file"):
        load("/dev/zero" if os.path.exists("/dev/zero") else tmp_path)


@pytest.mark.parametrize("family", [abacoc, abacoc.auto], ids=["compiled", "reference"])
def test_numbers_beyond_all_bounds(family):
    for settings in ({"d_hat": HUGE}, {"budget": HUGE}, {"budget": 2**62}):
        with pytest.raises(ValueError, match=r"d_hat must be|a budget of 2\^62"):
            family.AutoAdj(**settings)
    with pytest.raises(ValueError, match="covering constant"):
        Base(HUGE)
    learner = family.AutoAdj()
    learner.update([0, 0], "a")
    for what in (learner.predict, lambda x: learner.update(x, "b")):
        with pytest.raises(ValueError, match="it needs a vector"):
            what([HUGE, 1])
    assert learner.n_balls == 1


def test_wrong_kind_is_refused(tmp_path):
    small_model(tmp_path / "model")
    with pytest.raises(ValueError, match="holds a AutoAdj, not a Base"):
        Base.load(tmp_path / "model")


@pytest.mark.parametrize("family", [abacoc, abacoc.auto], ids=["compiled", "reference"])
def test_a_class_loads_its_own_family(family, tmp_path):
    small_model(tmp_path / "model")
    assert type(family.Auto.load(tmp_path / "model")) is family.AutoAdj
    assert type(family.AutoAdj.load(tmp_path / "model")) is family.AutoAdj
    assert type(load(tmp_path / "model")) is AutoAdj


def test_labels_and_points_keep_their_types(tmp_path):
    learner = Auto(metric=lambda a, b: float(a != b))
    points = [(1, "a"), frozenset({"x", "y"}), "text", 3, 2.5, True, [1, 2], {7}]
    labels = [1, "1", (1, 2), 2.5, True, np.int64(9), frozenset({1}), "z"]
    for x, label in zip(points, labels, strict=True):
        learner.update(x, label)
    learner.save(tmp_path / "model")
    again = load(tmp_path / "model", metric=lambda a, b: float(a != b))
    assert again.classes == learner.classes
    assert [type(c) for c in again.balls.centres] == [type(c) for c in learner.balls.centres]
    assert again.balls.centres == learner.balls.centres


def test_array_points_keep_their_bits(tmp_path):
    learner = Auto(metric=lambda a, b: float(abs(a - b).sum()))
    learner.update(np.array([0.1], dtype=np.float32), "a")
    learner.update(np.array([0.5], dtype=np.float32), "b")
    learner.save(tmp_path / "model")
    again = load(tmp_path / "model", metric=learner.metric)
    assert again.balls.centres[0].dtype == np.float32
    assert state(again) == state(learner)


def test_euclidean_by_name_or_by_function_is_the_same_learner(tmp_path):
    learner = Auto(metric=euclidean)
    learner.update([0.0, 1.0], "a")
    learner.save(tmp_path / "model")
    assert load(tmp_path / "model").metric == learner.metric == "euclidean"


def test_what_would_not_come_back_is_refused(tmp_path):
    from collections import namedtuple

    Point = namedtuple("Point", "x")
    learner = Auto(metric=lambda a, b: float(a != b))
    learner.update(Point(1), "a")
    with pytest.raises(ValueError, match="a Point cannot be saved"):
        learner.save(tmp_path / "model")


def test_named_metric_is_found_again(tmp_path):
    learner = Auto(metric=edit_distance)
    learner.update("ball", 0)
    learner.save(tmp_path / "model")
    assert load(tmp_path / "model").predict("bell") == 0


def test_file_is_plain_text(tmp_path):
    """No pickle: magic, checksum, JSON, so that other programs can read it."""
    learner = small_model(tmp_path / "model")
    _, _, payload = (tmp_path / "model").read_bytes().split(b"\n", 2)
    assert json.loads(payload) == state(learner)
