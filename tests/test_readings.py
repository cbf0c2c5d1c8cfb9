"""What goes wrong with the letter of the pseudo-code: one test per entry of DEVIATIONS.md."""

import math
from dataclasses import replace

import numpy as np
import pytest

from abacoc.auto import Auto, AutoAdj
from abacoc.base import Base, BaseAdj, dimension_for
from abacoc.budget import discard_probabilities
from abacoc.protocol import prequential
from abacoc.readings import READINGS

PAPER, LITERAL, AUTHORS = READINGS["paper"], READINGS["literal"], READINGS["authors"]


def expected_mistakes(learner, X, y):
    """sum |y_t - p_t|: the exact expectation, no coin needed."""
    total = 0.0
    for x, label in zip(X, y, strict=True):
        total += abs(label - learner.probability(x))
        learner.update(x, label)
    return total


def two_points(T):
    """Two points half a unit apart in turn, labels opposite: some 2-Lipschitz f has no loss."""
    return [[0.5 * (t % 2)] for t in range(T)], [t % 2 for t in range(T)]


@pytest.mark.parametrize("reading", [LITERAL, replace(PAPER, count_every_step=False)])
def test_counting_only_new_balls_gives_one_ball_and_linear_regret(reading):
    for T in (500, 1000, 2000):
        learner = Base(reading=reading)
        # the ball is balanced at every second step and leans the wrong way at the others
        assert expected_mistakes(learner, *two_points(T)) >= T / 2
        assert learner.n_balls == 1


def test_counting_every_step_separates_the_two_points():
    losses = []
    for T in (500, 2000):
        learner = Base()
        losses.append(expected_mistakes(learner, *two_points(T)))
        assert learner.n_balls == 2
    assert losses[1] == losses[0], "after the split neither point is ever mistaken again"


@pytest.mark.parametrize("reading", [LITERAL, replace(PAPER, start_at_diameter=False)])
def test_an_infinite_first_radius_makes_a_bogus_phase(reading):
    """0^(-1/3) is infinite, the capacity 0, and the first ball of all starts phase 2 with d = 0."""
    learner = Base(reading=reading)
    assert learner.epsilon == math.inf
    learner.update([0.0], 1)
    assert (learner.phase, learner.dimension) == (2, 0), "i <= d_i is broken"
    learner = Base()
    learner.update([0.0], 1)
    assert (learner.phase, learner.dimension, learner.n_balls) == (1, 1, 1)


def test_size_after_the_reset_gives_dimension_zero():
    X = np.random.default_rng(0).random((600, 3)) / math.sqrt(3)
    y = [0] * len(X)
    learner, literal = Base(), Base(reading=replace(PAPER, size_before_reset=False))
    for x, label in zip(X, y, strict=True):
        learner.update(x, label)
        literal.update(x, label)
    assert learner.phase >= 2
    assert learner.dimension >= learner.phase
    assert literal.phase >= 2
    assert literal.dimension == 0


def test_radius_at_zero_mistakes():
    """max(m, 1): the distance to the nearest ball, as the text says; infinity: everything."""
    learners = {rule: Auto(radius_rule=rule) for rule in ("max", "plus", "infinite")}
    for learner in learners.values():
        for x, label in ([0.0], "a"), ([1.0], "b"), ([0.1], "a"), ([3.0], "b"):
            learner.update(x, label)
    assert learners["max"].balls.radii.tolist() == [1.0, 1.0, 2.0]
    # m + 1 agrees until the first mistake
    assert learners["plus"].balls.radii.tolist() == [1.0, 1.0, 2.0]
    # ball 1 has been updated, so its radius is infinite; the one at 1.0 is not, so 3.0 is outside
    assert learners["infinite"].balls.radii.tolist() == [math.inf, 1.0, math.inf]
    learners["infinite"].update([1e6], "c")
    assert learners["infinite"].n_balls == 3, "a far point of a new class falls into a ball"
    learners["max"].update([1e6], "c")
    assert learners["max"].n_balls == 4


def test_radius_after_mistakes():
    """One mistake shrinks m + 1 but not max(m, 1); from two on both shrink."""
    for rule, first, second in ("max", 1.0, 2 ** (-1 / 4)), ("plus", 2 ** (-1 / 4), 3 ** (-1 / 4)):
        learner = Auto(radius_rule=rule)
        learner.update([0.0], "a")
        learner.update([1.0], "b")
        radii = []
        for label in "bc":
            learner.update([0.0], label)
            radii.append(learner.balls.radii[0])
        assert radii == [first, second]


def test_judging_after_counting_forgives_the_example_that_turns_the_vote():
    """One 'b' is a mistake for both; a second one makes 'b' the majority before it is judged."""
    stream = [([0.0], "a"), ([4.0], "b"), ([0.0], "b"), ([0.0], "b")]
    before, after = Auto(), Auto(reading=replace(PAPER, judge_before_count=False))
    for x, label in stream:
        before.update(x, label)
        after.update(x, label)
    assert before.balls.mistakes.tolist() == [2, 0]
    assert after.balls.mistakes.tolist() == [1, 0]


def test_open_balls_exclude_their_sphere():
    """On a lattice a point at distance exactly the radius is common."""
    closed, open_ = Auto(), Auto(reading=replace(PAPER, closed_balls=False))
    for learner in (closed, open_):
        for x, label in ([0, 0], "a"), ([1, 0], "b"), ([0, 1], "a"):
            learner.update(x, label)
    assert (closed.n_balls, open_.n_balls) == (2, 3)


def test_start_of_auto():
    """paper: the second ball is the first example of another class, what lies between is lost."""
    X, y = [[0.0], [5.0], [6.0], [1.0]], ["a", "a", "a", "b"]
    paper, authors = prequential(Auto(), X, y), prequential(Auto(reading="authors"), X, y)
    assert paper.predictions == [None, "a", "a", "a"], "the lone ball predicts"
    assert paper.model_sizes.tolist() == [1, 1, 1, 2]
    assert authors.predictions == [None, None, "a", "a"]
    assert authors.model_sizes.tolist() == [0, 2, 2, 2]
    learner = Auto()
    for x, label in zip(X, y, strict=True):
        learner.update(x, label)
    assert learner.balls.counts.sum() == 2, "the examples in between are not even counted"


def test_authors_open_balls_multiply_on_duplicates():
    """R = 0 and '<': nothing is ever inside, so each duplicate opens another ball."""
    X, y = [[1.0]] * 5, ["a", "b", "a", "b", "a"]
    assert prequential(AutoAdj(reading="authors"), X, y).model_sizes.tolist() == [0, 2, 3, 4, 5]
    assert prequential(AutoAdj(), X, y).model_sizes.tolist() == [1, 2, 2, 2, 2]


def test_unit_norm_does_not_give_diameter_one():
    """A ball of the first radius, 1, should cover the space; instances of norm 1 can be 2 apart."""
    n_balls = {}
    for name, metric in ("plain", "euclidean"), ("halved", lambda a, b: math.dist(a, b) / 2):
        learner = Base(metric=metric)
        learner.update([1.0, 0.0], 0)
        learner.epsilon = 1.0  # the radius at the start of a phase
        learner.update([-1.0, 0.0], 1)
        n_balls[name] = learner.n_balls
    assert n_balls == {"plain": 2, "halved": 1}


def test_rounded_logarithms_would_overshoot_the_dimension():
    """log 216 / log(2 / eps) is above 3 in float64, so its ceiling is 4; the smallest d is 3."""
    epsilon = 27 ** (-1 / 3)  # of step 27, where 2 / eps is 6
    assert math.ceil(math.log(216) / math.log(2 / epsilon)) == 4
    assert dimension_for(216, 1.0, 27, 1) == 3


def test_covering_constant_is_not_a_diameter():
    """In one and the same space of diameter 1 a larger C-hat lets more balls live."""
    sizes = []
    for constant in (1.0, 4.0):
        learner = Base(constant, metric=lambda a, b: 0.99 * (a != b))
        for site in range(8):
            learner.update(site, 0)
        sizes.append((learner.phase, learner.n_balls))
    assert sizes[0][0] > 1
    assert sizes[1] == (1, 8)


def test_divisor_of_base_adj():
    """The text promises the average of the correct points; only one divisor gives it."""
    X, y = [[0.0], [0.3], [0.3], [0.3]], ["a", "b", "a", "a"]
    centres = {}
    for divisor in ("total", "correct"):
        learner = BaseAdj(divisor=divisor)
        for x, label in zip(X, y, strict=True):
            learner.update(x, label)
        centres[divisor] = learner.balls.centres[0, 0]
    average = (0.0 + 0.3 + 0.3) / 3
    # two moves, a few roundings of numbers below 1
    assert centres["correct"] == pytest.approx(average, abs=1e-15)
    assert abs(centres["total"] - average) > 0.02


def test_looking_up_in_decreasing_order_is_not_equation_1():
    """A uniform number u and cumulative sums F: the first i, from likely to unlikely, with u < F_i.

    With chances 1/4 and 3/4 the second ball is looked at first, and its sum is 1: it always goes.
    """
    probabilities = discard_probabilities([0, 2])
    sums = np.cumsum(probabilities)
    order = np.argsort(-probabilities)
    draws = np.linspace(0, 1, 1000, endpoint=False)
    chosen = [next(int(i) for i in order if u < sums[i]) for u in draws]
    assert probabilities.tolist() == [0.25, 0.75]
    assert set(chosen) == {1}
