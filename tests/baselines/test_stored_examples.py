"""NN3, CNN, K-PERC and IBLStreams against a plain version: every prediction and size, and more."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import iblstreams, neighbours, perceptron, stream, streams

from abacoc import prequential
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Cnn, Nn3


def answers(learner, X, y, learned):
    """Through the compiled rows, in two pieces."""
    predictions, sizes = [], []
    for part in np.array_split(np.arange(len(X)), 2):
        if len(part):
            answer = learner.run_rows(X[part], y[part].tolist(), learned[part])
            predictions += learner.named(answer)
            sizes += answer.sizes.tolist()
    return predictions, sizes


def one_by_one(learner, X, y, learned):
    """As somebody would use it who asks more than once and sometimes not at all."""
    predictions, sizes = [], []
    for t, (x, label, learn) in enumerate(zip(X, y.tolist(), learned, strict=True)):
        learner.predict(X[t // 2])
        predictions.append(learner.predict(x))
        if t % 3 == 0:
            learner.predict(X[-1])
        if learn:
            learner.update(x, label)
        sizes.append(learner.n_balls)
    return predictions, sizes


@pytest.mark.parametrize("search", ["auto", "scan"])
@given(stream=streams(), k=st.sampled_from([1, 2, 3, 3, 7]))
def test_nearest_neighbours(search, stream, k):
    learner = Nn3(k)
    learner._engine.search = search
    assert answers(learner, *stream) == neighbours(*stream, k)


@given(streams())
def test_condensed(stream):
    assert answers(Cnn(), *stream) == neighbours(*stream, k=1, condensed=True)


@given(streams(longest=120), st.integers(0, 2**32))
def test_kernel_perceptron(stream, seed):
    X, _, _ = stream
    power = np.random.default_rng(seed).integers(-9, 15)  # up to: no kernel value but 0 and 1
    gamma = math.exp(power) / max(float(np.abs(X).max()) ** 2, 1e-300)
    learner = KPerc(gamma)
    predictions, sizes, scores = perceptron(*stream, gamma)
    assert answers(learner, *stream) == (predictions, sizes)
    if predictions[-1] is not None:
        again = KPerc(gamma)
        answers(again, X[:-1], stream[1][:-1], stream[2][:-1])
        assert again.predict(X[-1]) == predictions[-1]
        ours = dict(zip(again.classes, again._state.scores.tolist(), strict=False))
        assert ours == scores, "bit for bit"


@st.composite
def edited(draw):
    """A stream on which IBLStreams has much to do, and settings with which it begins early."""
    seed, reading = draw(st.integers(0, 2**32)), draw(st.sampled_from(["described", "moa"]))
    size = draw(st.sampled_from([30, 70, 400]))
    start = draw(st.sampled_from([1, 20, min(size, 60)]))
    settings = {"k": draw(st.sampled_from([4, 5, 16, 40])), "size": size, "start": start}
    if draw(st.booleans()):
        return stream(seed, 400), settings | {"reading": reading}
    return changing(seed), settings | {"reading": reading}


def changing(seed):
    """Stripes whose classes change suddenly, once to others and once to chance."""
    rng = np.random.default_rng(seed)
    n, n_classes = 600, rng.integers(2, 4)
    X = rng.random((n, 2)) * [1.0, 50.0]
    y = (X[:, 0] * rng.choice([2, 6])).astype(int)
    y[250:] += 1
    y = np.where(rng.random(n) < 0.02, 0, y) % n_classes
    y[450:] = rng.integers(0, n_classes, 150)
    return X, y, rng.random(n) < rng.choice([1.0, 0.9])


@given(edited())
def test_edited_examples(given_stream):
    points, settings = given_stream
    learner = IblStreams(**settings)
    predictions, sizes, events = iblstreams(*points, **settings)
    assert answers(learner, *points) == (predictions, sizes)
    assert learner.events == {name: events[name] for name in learner.events}


def test_everything_that_edits_happens():
    """Else the comparison above would be about less than it seems."""
    seen = {"described": Counter(), "moa": Counter()}
    for seed, size, reading in itertools.product(range(3), (70, 400), seen):
        settings = {"size": size, "start": 60, "reading": reading}
        learner = IblStreams(**settings)
        assert answers(learner, *changing(seed)) == iblstreams(*changing(seed), **settings)[:2]
        seen[reading] += Counter(learner.events)
    for counted in seen.values():
        assert counted.keys() == IblStreams().events.keys()
        assert min(counted.values()) >= 5, counted


@pytest.mark.parametrize("make", [Nn3, Cnn, lambda: KPerc(3.0), lambda: IblStreams(5, 60, 10)])
@given(stream=streams(longest=90))
def test_one_at_a_time_is_the_same(make, stream):
    assert one_by_one(make(), *stream) == answers(make(), *stream)


@pytest.mark.parametrize("make", [Nn3, Cnn, lambda: KPerc(0.5), lambda: IblStreams(start=50)])
def test_in_the_protocol(make):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 6, (40_000, 3)).astype(float), rng.integers(0, 3, 40_000)
    run = prequential(make(), X[:20_000], y[:20_000], rate=0.02, seed=7)  # more than one slice
    again = prequential(make(), X[:20_000].tolist(), y[:20_000].tolist(), rate=0.02, seed=7)
    assert run.predictions == again.predictions
    assert run.n_balls == run.model_sizes[-1] <= run.n_updates
    assert run.predictions[0] is None
    assert run.accuracy == pytest.approx(run.recursive_accuracy)


def test_many_neighbours_and_ties_by_hand():
    learner = Nn3()
    for x, label in ([1.0], "b"), ([-1.0], "a"), ([2.0], "a"):
        assert learner.predict([0.0]) in (None, "b"), "one vote each: b was learned first"
        learner.update(x, label)
    assert learner.predict([0.0]) == "a"
    learner.update([1.0], "b")  # as close as the first two, stored later: it takes the third place
    assert learner.predict([0.0]) == "b"
    learner.update([-1.0], "a")  # as close again, but too late for a place
    assert learner.predict([0.0]) == "b"
    everybody = Nn3(k=100)
    for x, label in ([1.0], "b"), ([-1.0], "a"), ([9.0], "a"):
        everybody.update(x, label)
    assert everybody.predict([1.0]) == "a"


def test_copies_count_but_cost_nothing():
    X = np.zeros((50_000, 2))
    X[::1000] = np.arange(50)[:, np.newaxis]
    y = np.arange(len(X)) % 2
    learner = Nn3()
    run = prequential(learner, X, y, keep=False)
    assert run.n_balls == 50_000
    assert learner.distance_evaluations < 200 * len(X)
    assert learner.n_bytes < 1e6
    contradictory = Cnn()
    run = prequential(contradictory, X[:1000], y[:1000])
    assert (run.n_balls, run.accuracy) == (501, 0.499), (
        "the first copy answers, the others are kept"
    )


def test_condensed_keeps_what_it_gets_wrong():
    learner = Cnn()
    for x, label, size in ([0.0], "a", 1), ([0.4], "a", 1), ([0.6], "b", 2), ([0.5], "b", 2):
        learner.update(x, label)
        assert learner.n_balls == size
    assert learner.classes == ["a", "b"]


def test_perceptron_stores_ties_and_counts_against_the_highest():
    learner = KPerc(gamma=1.0)
    learner.update([0.0], "a")
    learner.update([100.0], "b")  # new
    learner.update([-100.0], "c")  # new; a and b score 0 there: counts against a
    assert learner.n_balls == 3
    learner.predict([-100.0])
    assert learner._state.scores[:3].tolist() == [-1.0, 0.0, 1.0]
    assert learner.predict([50.0]) == "a", "all score 0"
    learner.update([50.0], "a")  # predicted right, by the order alone, and stored
    assert learner.n_balls == 4
    learner.update([50.0], "a")
    assert learner.n_balls == 4


def taught(points, labels, **settings):
    learner = IblStreams(**{"start": len(labels)} | settings)
    for x, label in zip(points, labels, strict=True):
        assert learner.predict([x]) is None, "it has not begun"
        learner.update([x], label)
    return learner


def test_iblstreams_votes():
    learner = taught([0.0, 1.0, 2.0, 8.0, 8.0, 10.0], "bbaaca", k=4)
    assert learner.predict([5.0]) == "a", "a, a, c and one b: by the ranges nothing changes here"
    assert learner.predict([1.0]) == "b", "at distance 0 it decides alone"
    assert learner.predict([8.0]) == "a", "of two at distance 0 the one stored first"
    learner = taught([0.0, 1.0, 2.0, 3.0], "baab")
    assert learner.predict([1.5]) == "b", "two votes each: b was learned first"


def test_iblstreams_scales_by_the_range_so_far():
    learner = IblStreams(k=4, start=5)
    for x in ([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 100.0]):
        learner.update(x, "low" if x[1] == 0 else "high")
    learner.update([1.0, 0.0], "low")
    learner.predict([0.5, 100.0])
    assert learner._state.measures[0, :5].tolist() == [0.5, *[math.sqrt(1.25)] * 4]
    learner.predict([3.0, 0.0])  # beyond the range: asked about, not learned
    assert learner._state.measures[0, :2].tolist() == [2.0, 3.0]
    learner.update([4.0, 0.0], "low")
    learner.predict([3.0, 0.0])
    assert learner._state.measures[0, :2].tolist() == [0.25, 0.5]


def test_iblstreams_removes_by_hand():
    """The young agree with the example: an old one of another class nearby goes, at once."""
    learner = taught([1.0] * 20 + [9.0] * 6, "b" * 20 + "a" * 6)
    learner.update([0.0], "a")  # a leads among the 5 youngest and itself by 6 > 6 / 3
    assert learner.events["contradictions"] == 20, "five in each of four turns"
    assert learner.n_balls == 7
    learner = taught([1.0] * 20 + [9.0] * 6, "b" * 20 + "aaabbb")
    learner.update([0.0], "a")  # 3 of 6: a leads by none
    assert (learner.events["contradictions"], learner.n_balls) == (0, 27)


def test_iblstreams_that_is_full_replaces_the_oldest_nearby():
    learner = taught([float(x) for x in range(10)], "abcdefghij", size=10)
    learner.update([9.5], "z")  # of 9, 8, 7, 6, 5 the oldest is 5; y leads nobody
    assert learner.n_balls == 10
    assert sorted(learner._state.raw[:10, 0].tolist()) == [0, 1, 2, 3, 4, 6, 7, 8, 9, 9.5]
    assert learner.events["replacements"] == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 3}, "k is a whole number from 4 to 40, not 3"),
        ({"k": 4.5}, "k is a whole number"),
        ({"k": True}, "k is a whole number"),
        ({"size": 0}, "size is a whole number of at least 1, not 0"),
        ({"start": 0}, "start is a whole number from 1 to 5000, not 0"),
        ({"size": 100}, "start is a whole number from 1 to 100, not 1000"),
        ({"reading": "paper"}, "unknown reading 'paper'; IBLStreams has described, moa"),
    ],
)
def test_bad_settings_of_iblstreams(settings, message):
    with pytest.raises(ValueError, match=message):
        IblStreams(**settings)


def test_the_smallest_kernel_values_count():
    learner = KPerc(gamma=1.0)
    learner.update([0.0], "a")
    learner.update([100.0], "b")
    assert learner.predict([100.0 - math.sqrt(740.0)]) == "b"
    assert learner.predict([100.0 - math.sqrt(750.0)]) == "a", "both score 0"


@pytest.mark.parametrize("k", [0, -1, 2.5, "3", None, True])
def test_bad_k(k):
    with pytest.raises(ValueError, match="k is a whole number"):
        Nn3(k)


@pytest.mark.parametrize("gamma", [0, -1.0, math.inf, math.nan, "1"])
def test_bad_gamma(gamma):
    with pytest.raises(ValueError, match="gamma must be above 0"):
        KPerc(gamma)
