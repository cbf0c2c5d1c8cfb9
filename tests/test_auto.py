"""AUTO and AUTO-ADJ: radii, births, mistakes and counts."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import multiclass, streams, vector_streams

from abacoc.auto import Auto, AutoAdj
from abacoc.protocol import prequential
from abacoc.readings import READINGS


@given(streams(multiclass()))
def test_radii_births_mistakes_and_counts(stream):
    space, X, y = stream
    learner = Auto(metric=space.metric)
    mistakes = learned = 0
    for x, label in zip(X, y, strict=True):
        before = learner.balls
        prediction = learner.predict(x)
        learner.update(x, label)
        after = learner.balls
        n = len(before.radii)
        if len(after.radii) > n:
            gaps = [space.distance(centre, x) for centre in before.centres]
            if n >= 2:
                assert min(gaps) > before.radii[gaps.index(min(gaps))], "it fell outside"
            if n >= 1:
                assert learner._balls[-1].birth_radius == after.radii[-1] == min(gaps)
            if n == 1:
                assert label != y[0]
                assert after.radii.tolist() == [min(gaps)] * 2
            assert after.counts[-1].sum() == 1
            learned += 1
        elif n >= 2:
            mistakes += prediction != label
            learned += 1
        else:
            assert label == y[0], "only examples before the second label are passed over"
        if n >= 2:
            assert (after.radii[:n] <= before.radii).all(), "a radius never grows"
        assert after.mistakes.sum() == mistakes
        assert after.counts.sum() == learned
        assert (after.counts.sum(axis=1) > after.mistakes).all(), "no ball is empty"
    radii = [b.birth_radius * max(b.mistakes, 1) ** (-1 / 4) for b in learner._balls]
    if learner.n_balls >= 2:
        assert learner.balls.radii.tolist() == radii


@given(vector_streams(integers=True), st.randoms(use_true_random=False))
def test_order_of_integer_attributes_is_irrelevant(stream, random):
    X, y = stream
    order = list(range(len(X[0])))
    random.shuffle(order)
    one = prequential(Auto(), X, y)
    other = prequential(Auto(), [[x[j] for j in order] for x in X], y)
    assert one.predictions == other.predictions
    assert one.model_sizes.tolist() == other.model_sizes.tolist()


@given(vector_streams(), st.integers(-60, 60), st.sampled_from([Auto, AutoAdj]))
def test_scaling_by_a_power_of_two_is_irrelevant(stream, exponent, method):
    """Every operation commutes with it: numbers of 1e-30 to 1e6 stay far from the limits."""
    X, y = stream
    scaled = [[math.ldexp(value, exponent) for value in x] for x in X]
    one, other = prequential(method(), X, y), prequential(method(), scaled, y)
    assert one.predictions == other.predictions
    assert one.model_sizes.tolist() == other.model_sizes.tolist()


@given(vector_streams())
def test_auto_adj_centre_is_the_mean_of_what_it_got_right(stream):
    X, y = stream
    learner = AutoAdj()
    followed: list[list[list[float]]] = []
    for x, label in zip(X, y, strict=True):
        before, n = learner.balls, learner.n_balls
        prediction = learner.predict(x)
        s = learner._closest(learner.check_point(x))[0]
        learner.update(x, label)
        if learner.n_balls > n:
            followed.append([x])
        elif n >= 2 and prediction == label:
            followed[s].append(x)
        else:
            assert learner.balls.centres.tolist() == before.centres.tolist()
    for centre, points in zip(learner.balls.centres, followed, strict=True):
        for j, value in enumerate(centre):
            column = [p[j] for p in points]
            # each of the k steps rounds three times, by half an ulp of a number below 2 max|x|;
            # the step's divisor then shrinks what came before
            slack = 6 * len(points) * max(map(abs, column)) * 2.0**-53
            assert abs(value - math.fsum(column) / len(column)) <= slack


def test_new_class_at_the_end_is_learned_at_once():
    learner = AutoAdj()
    for x, label in ([0.0], "a"), ([1.0], "b"), ([9.0], "c"):
        learner.update(x, label)
    assert learner.predict([8.0]) == "c"
    assert learner.balls.counts.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_nearest_ball_ties_go_to_the_ball_stored_first():
    learner = Auto()
    learner.update([1.0], "b")
    learner.update([-1.0], "a")
    assert learner.predict([0.0]) == "b"


def test_roots_decide_not_squares():
    """Two squares that differ in the last bit can share a root; then the first ball wins."""
    low = 1.0
    high = math.nextafter(1.0, 2.0)
    assert low < high
    assert math.sqrt(high) == math.sqrt(low)
    # (1 + 2^-52)^2 as a sum of two squares: 1 + (2^-26)^2 = 1 + 2^-52 exactly
    farther, nearer = [1.0, 2.0**-26], [-1.0, 0.0]
    learner = Auto()
    learner.update(farther, "first")
    learner.update(nearer, "second")
    assert learner.predict([0.0, 0.0]) == "first"


def test_majority_ties_go_to_the_class_seen_first():
    learner = Auto()
    for x, label in ([0.0], "b"), ([9.0], "a"), ([0.0], "a"):
        learner.update(x, label)
    assert learner.balls.counts[0].tolist() == [1, 1]
    assert learner.predict([0.0]) == "b"


@pytest.mark.parametrize("d_hat", [-1, math.inf, math.nan])
def test_bad_parameters(d_hat):
    with pytest.raises(ValueError, match="d_hat"):
        Auto(d_hat)
    with pytest.raises(ValueError, match="radius rule"):
        Auto(radius_rule="none")
    with pytest.raises(ValueError, match="unknown reading"):
        Auto(reading="mine")
    with pytest.raises(ValueError, match="unknown metric"):
        Auto(metric="mine")


def test_defaults_are_the_papers():
    """d-hat = 2 and no bound on the size; where there is one, its seed is 0."""
    for method in (Auto, AutoAdj):
        learner = method()
        assert (learner.d_hat, learner.budget, learner.metric) == (2, None, "euclidean")
        assert learner.reading == READINGS["paper"]
        assert method(budget=3).budget.seed == 0


def test_radius_rule_of_ones_own_changes_nothing_else():
    learner = Auto(reading="authors", radius_rule="plus")
    assert learner.reading == replace(READINGS["authors"], radius_rule="plus")
