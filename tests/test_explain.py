"""What a learner says about itself: the balls that predict a point."""

import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abacoc
from abacoc import auto, base
from abacoc.metrics import edit_distance
from abacoc.modelfile import state

METHODS = {
    "auto": ("Auto", {}),
    "auto-adj": ("AutoAdj", {}),
    "auto-adj fix": ("AutoAdj", {"budget": 4}),
    "authors": ("AutoAdj", {"reading": "authors"}),
    "literal": ("Auto", {"reading": "literal"}),
    "base": ("Base", {"vote": "majority"}),
    "base, the coin": ("Base", {}),
    "base-adj": ("BaseAdj", {}),
}


def pair(name, settings):
    """The learner that is exported, and its reference."""
    reference = getattr(auto, name, None) or getattr(base, name)
    return getattr(abacoc, name)(**settings), reference(**settings)


@st.composite
def streams(draw):
    """Points of a lattice or anywhere: ties are frequent in the one, absent in the other."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    # the state is looked at at every example: twice as many cost four times as much
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    lattice = draw(st.booleans())
    X = rng.integers(0, 4, (n, d)) / 2 if lattice else rng.random((n, d))
    return X.astype(float), rng.integers(0, 2, n).tolist()


@pytest.mark.parametrize("method", METHODS)
@given(streams())
def test_explanation_is_the_prediction_and_changes_nothing(method, stream):
    X, y = stream
    compiled, reference = pair(*METHODS[method])
    for x, label in zip(X, y, strict=True):
        found = reference.explain(x, k=3)
        # as text, to the last bit: the radius that AUTO's first ball has not got yet is NaN
        assert repr(compiled.explain(x, k=3)) == repr(found)
        before = json.dumps(state(compiled)), pickle.dumps(reference)
        assert repr(compiled.explain(x)) == repr(reference.explain(x, k=1))
        assert repr(reference.explain(x)) == repr(reference.explain(x, k=1))
        assert (json.dumps(state(compiled)), pickle.dumps(reference)) == before
        assert found.label == reference.predict(x)
        assert found.n_balls == reference.n_balls
        assert len(found.balls) == min(3, reference.n_balls)
        counts = [n for ball in found.balls[:1] for n in ball.counts.values()]
        assert compiled.closest_counts(x) == reference.closest_counts(x) == counts
        compiled.update(x, label)
        reference.update(x, label)


@given(streams())
def test_first_ball_decides_what_is_learned(stream):
    """An example inside the closest ball opens none; one outside does."""
    X, y = stream
    learner = abacoc.Auto()
    for x, label in zip(X, y, strict=True):
        said, before = learner.explain(x), learner.n_balls
        learner.update(x, label)
        if before >= 2:  # after that of the first two labels, which open a ball each
            assert learner.n_balls == before + (not said.balls[0].inside)


def test_balls_are_those_of_the_model_in_order_of_distance():
    rng = np.random.default_rng(3)
    X, y = rng.random((200, 3)), rng.integers(0, 3, 200).tolist()
    learner = abacoc.AutoAdj()
    abacoc.prequential(learner, X, y)
    x, model = rng.random(3), learner.balls
    said = learner.explain(x, k=10**6)
    assert sorted(ball.index for ball in said.balls) == list(range(learner.n_balls))
    for a, b in itertools.pairwise(said.balls):
        assert (a.distance, a.index) < (b.distance, b.index)
    for ball in said.balls:
        assert ball.centre == tuple(model.centres[ball.index].tolist())
        assert ball.radius == model.radii[ball.index]
        assert list(ball.counts.values()) == model.counts[ball.index].tolist()
        assert ball.mistakes == model.mistakes[ball.index]
    assert sum(said.shares.values()) == pytest.approx(1, abs=3 * 2.0**-52)  # three roundings
    assert said.shares[said.label] == max(said.shares.values())


def test_text():
    learner = abacoc.Base(vote="majority")
    assert str(learner.explain([0.1])) == "no prediction: there is no ball yet"
    for x, y in ([0.1], "yes"), ([0.1], "no"), ([0.1], "yes"):
        learner.update(x, y)
    assert str(learner.explain([0.9])).splitlines() == [
        "predicted yes, by the closest of 1 ball",
        "    ball   distance     radius          mistakes  examples",
        "       0        0.8       0.63  outside           yes: 2, no: 1",
    ]


def test_first_ball_of_auto_has_no_radius_yet():
    learner = abacoc.Auto()
    learner.update([1.0], "a")
    said = learner.explain([1.0])
    assert (said.label, said.balls[0].inside) == ("a", False)
    assert str(said).splitlines()[-1] == "       0          0   none yet  outside        0  a: 1"


def test_any_metric_space():
    learner = abacoc.Auto(metric=edit_distance)
    for word, label in ("cover", "noun"), ("fast", "adjective"), ("lover", "noun"):
        learner.update(word, label)
    said = learner.explain("coverer", k=2)
    assert [ball.centre for ball in said.balls] == ["cover", "fast"]
    assert (said.label, said.balls[0].distance) == ("noun", 2.0)
    assert learner.closest_counts("coverer") == [2, 0]


def test_a_hook_of_ones_own_is_asked():
    class Contrary(auto.Auto):
        def output_prediction(self, ball):
            return ball.counts.index(min(ball.counts))

    learner = Contrary()
    for x, y in ([0.0], "a"), ([1.0], "b"):
        learner.update(x, y)
    assert learner.explain([0.9]).label == learner.predict([0.9]) == "a"


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_how_many(k):
    with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
        abacoc.Auto().explain([0.0], k=k)


def test_bad_points():
    learner = abacoc.Auto()
    learner.update([0.0, 1.0], "a")
    with pytest.raises(ValueError, match="1 attribute where 2 were learned"):
        learner.explain([0.0])
    learner = abacoc.Auto(metric=lambda a, b: 0.0 if a == b else float("nan"))
    learner.update("x", "a")
    with pytest.raises(ValueError, match="the metric gave nan"):
        learner.explain("y")
