"""BASE and BASE-ADJ: the invariants of the phases and the dimension estimate."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import covering_constant, multiclass, streams, vector_streams

from abacoc.base import Base, BaseAdj
from abacoc.protocol import prequential
from abacoc.readings import READINGS

BINARY = st.integers(0, 1)


@given(streams(BINARY), st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0]))
def test_phases_and_dimensions_of_lemma_1(stream, d):
    """i <= d_i <= max(1, ceil(d)), and d_i grows with every phase, if C-hat >= C_S."""
    space, X, y = stream
    # C_S is rounded, and so is (2/eps)^d_i: a C-hat that is a little larger is as valid.
    constant = covering_constant(X, space.distance, d) * (1 + 1e-9)
    learner = Base(constant, metric=space.metric)
    dimensions = [learner.dimension]
    for x, label in zip(X, y, strict=True):
        phase = learner.phase
        learner.update(x, label)
        if learner.phase > phase:
            assert learner.phase == phase + 1
            dimensions.append(learner.dimension)
        assert learner.phase <= learner.dimension <= max(1, math.ceil(d))
    assert dimensions == sorted(set(dimensions))


@pytest.mark.parametrize("d", [2, 3, 4])
def test_phases_do_change_and_lemma_1_holds_then(d):
    """A box with diagonal 1 has C_S = 1: N(eps) <= ceil(1 / (2 eps))^d <= eps^-d."""
    X = np.random.default_rng(d).random((2500, d)) / math.sqrt(d)
    learner, dimensions = Base(1.0), [1]
    for x in X:
        phase = learner.phase
        learner.update(x, 0)
        if learner.phase > phase:
            assert learner.phase == phase + 1
            assert learner.n_balls == learner.steps == 1, "the example opens the new phase"
            dimensions.append(learner.dimension)
        assert learner.phase <= learner.dimension <= d
    assert learner.phase >= 2
    assert dimensions == sorted(set(dimensions))


@given(streams(BINARY), st.sampled_from([1.0, 1.5, 4.0]))
def test_cover_of_a_phase(stream, constant):
    """Centres farther apart than the radius, a bounded number of them, nothing uncounted."""
    space, X, y = stream
    learner = Base(constant, metric=space.metric)
    phase, n_phase, radius = 1, 0, 1.0
    for x, label in zip(X, y, strict=True):
        tested_with = learner.epsilon
        learner.update(x, label)
        if learner.phase > phase:
            phase, n_phase, radius = learner.phase, 0, 1.0
            tested_with = 1.0  # the first step of a phase has the diameter as its radius
        n_phase += 1
        assert learner.epsilon <= radius, "radii never grow within a phase"
        radius = learner.epsilon
        balls = learner.balls
        assert balls.counts.sum() == n_phase == learner.steps
        assert (balls.counts.sum(axis=1) > 0).all()
        assert tested_with == n_phase ** (-1 / (2 + learner.dimension))
        d = learner.dimension
        room = (Fraction(constant) * 2**d) ** (2 + d) * n_phase**d
        assert learner.n_balls ** (2 + d) <= room, "|S| <= C (2 / eps)^d, to the power 2 + d"
        for a, b in combinations(balls.centres, 2):
            assert space.distance(a, b) > radius


@given(streams(BINARY))
def test_probability_is_the_clipped_laplace_estimate(stream):
    """p_t = clip(1/2 + D / (2 sqrt(n + 2)), 0, 1) with D = ones - zeros of the closest ball."""
    space, X, y = stream
    learner = Base(metric=space.metric)
    for x, label in zip(X, y, strict=True):
        p = learner.probability(x)
        if learner.n_balls:
            balls = learner.balls
            gaps = [space.distance(centre, x) for centre in balls.centres]
            counts = dict(zip(learner.classes, balls.counts[np.argmin(gaps)], strict=True))
            ones = counts.get(1, 0)
            n = balls.counts[np.argmin(gaps)].sum()
            expected = min(1.0, max(0.0, 0.5 + (2 * ones - n) / (2 * math.sqrt(n + 2))))
            # a handful of roundings of numbers of at most 1
            assert p == pytest.approx(expected, abs=1e-14)
            # the deterministic rule is the likelier answer
            if p != 0.5:
                assert learner.predict(x) == int(p > 0.5)
        else:
            assert p == 0.5
            assert learner.predict(x) is None
        learner.update(x, label)


def test_probability_for_every_small_ball():
    """The formula of Algorithm 2 with exact fractions, for all counts of up to 120 examples."""
    learner = Base()
    learner.update([0.0], 1)
    learner.update([0.0], 0)
    for n in range(1, 121):
        for ones in range(n + 1):
            learner._balls[0].counts = [ones, n - ones]  # the class 1 was seen first
            q = Fraction(ones + 1, n + 2)
            gamma = 1 / (2 * math.sqrt(n + 2))
            slope = 0.5 + float(q - Fraction(1, 2)) / (2 * gamma)
            expected = 0.0 if q < 0.5 - gamma else 1.0 if q > 0.5 + gamma else slope
            # a handful of roundings of numbers of at most 1
            assert learner.probability([0.0]) == pytest.approx(expected, abs=1e-14)
            assert 0 <= learner.probability([0.0]) <= 1


@given(vector_streams(integers=True), st.randoms(use_true_random=False))
def test_order_of_integer_attributes_is_irrelevant(stream, random):
    """Sums of squared integers are exact, so their order cannot matter."""
    X, y = stream
    order = list(range(len(X[0])))
    random.shuffle(order)
    # a power of two keeps the squares exact and gives BASE radii that matter
    rows = [[value / 8 for value in x] for x in X]
    permuted = [[x[j] for j in order] for x in rows]
    one = prequential(Base(vote="majority"), rows, y)
    other = prequential(Base(vote="majority"), permuted, y)
    assert one.predictions == other.predictions
    assert one.model_sizes.tolist() == other.model_sizes.tolist()


@given(streams(multiclass()))
def test_majority_vote_covers_like_the_randomised_one(stream):
    """The cover of BASE depends on the points alone."""
    space, X, y = stream
    majority, randomised = Base(vote="majority", metric=space.metric), Base(metric=space.metric)
    for x, label in zip(X, y, strict=True):
        majority.update(x, label)
        randomised.update(x, int(label == "a"))
        assert majority.n_balls == randomised.n_balls
        assert majority.epsilon == randomised.epsilon


def test_base_adj_with_correct_divisor_is_the_mean_of_the_correct_examples():
    X = [[0.0], [0.1], [0.2], [0.05], [0.3]]
    y = ["a", "a", "b", "a", "a"]
    learner = BaseAdj(divisor="correct")
    for x, label in zip(X, y, strict=True):
        learner.update(x, label)
    assert learner.n_balls == 1
    # three moves of a number below 1, each rounded twice
    assert learner.balls.centres[0, 0] == pytest.approx((0.0 + 0.1 + 0.05 + 0.3) / 4, abs=1e-15)


def test_base_adj_divides_by_all_examples_as_written():
    learner = BaseAdj()
    for x, label in ([0.0], "a"), ([0.3], "b"), ([0.3], "a"):
        learner.update(x, label)
    # the third example is the first correct one, but the third of the ball
    assert learner.balls.centres.tolist() == [[0.3 / 3]]


def test_randomised_base_refuses_other_labels_and_says_what_to_do():
    with pytest.raises(ValueError, match="takes the labels 0 and 1, not 2; vote='majority'"):
        Base().update([0.0], 2)


@pytest.mark.parametrize("constant", [0, -1, 0.99, 1e-320, math.inf, math.nan])
def test_covering_constant_must_be_positive(constant):
    with pytest.raises(ValueError, match="covering constant"):
        Base(constant)
    with pytest.raises(ValueError, match="vote"):
        Base(vote="none")
    with pytest.raises(ValueError, match="divisor"):
        BaseAdj(divisor="none")
    with pytest.raises(ValueError, match="no BASE"):
        Base(reading="authors")


def test_defaults_are_the_papers():
    """C-hat = 1, the randomised vote, and the step divided as Algorithm 3 writes it."""
    learner, moving = Base(), BaseAdj()
    assert (learner.covering_constant, learner.vote) == (1.0, "randomized")
    assert learner.metric == moving.metric == "euclidean"
    assert (moving.covering_constant, moving.vote, moving.divisor) == (1.0, "majority", "total")
    assert learner.reading == moving.reading == READINGS["paper"]
