"""The fast BASE on a finite space is ``abacoc.Base``, bit for bit."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import SPACES
from test_spaces import SMALL

from abacoc import Base
from abacoc_theory.regret import spaces as sp
from abacoc_theory.regret.sites import SiteBase, expected_mistakes
from abacoc_theory.regret.spaces import FiniteSpace

CONSTANTS = [1.0, 1.5, 4.0]


def check_equal(space: FiniteSpace, sites: list[int], labels: list[int], C: float) -> SiteBase:
    fast, slow = SiteBase(space, C), Base(C, metric=space.distance)
    for x, y in zip(sites, labels, strict=True):
        assert fast.probability(x) == slow.probability(x)
        fast.update(x, y)
        slow.update(x, y)
        assert fast.n_balls == slow.n_balls
        assert (fast.phase, fast.steps) == (slow.phase, slow.steps)
        assert (fast.dimension, fast.epsilon) == (slow.dimension, slow.epsilon)
    assert fast.centres == slow.balls.centres
    counts = slow.balls.counts
    assert fast.counts == counts.sum(axis=1).tolist()
    ones = counts[:, slow.classes.index(1)].tolist() if 1 in slow.classes else [0] * fast.n_balls
    assert fast.ones == ones
    return fast


def check_state(learner: SiteBase) -> None:
    """Nearest balls by brute force; the history adds up."""
    D = np.array([learner.space.row(c) for c in learner.centres])
    assert learner.nearest.tolist() == D.argmin(axis=0).tolist()  # the first of the nearest
    assert learner.nearest_distance.tolist() == D.min(axis=0).tolist()
    history = learner.history
    assert [record.phase for record in history] == list(range(1, len(history) + 1))
    for this, following in itertools.pairwise(history):
        assert this.first_step + this.n_steps == following.first_step
        assert this.dimension < following.dimension
    assert history[0].first_step == 1
    assert history[0].dimension == 1
    last = (learner.phase, learner.dimension, learner.steps, learner.n_balls)
    assert (history[-1].phase, history[-1].dimension, *history[-1][3:]) == last


@given(st.data())
def test_equals_base(data: st.DataObject) -> None:
    space = data.draw(st.sampled_from(SMALL))
    site = st.integers(0, space.n - 1)
    sites = data.draw(st.lists(site, min_size=1, max_size=80))
    if data.draw(st.booleans()):  # all sites first: as many balls as can be
        sites = [*data.draw(st.permutations(range(space.n))), *sites]
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(sites), max_size=len(sites)))
    learner = check_equal(space, sites, labels, data.draw(st.sampled_from(CONSTANTS)))
    check_state(learner)


@given(st.data())
def test_equals_base_on_random_spaces(data: st.DataObject) -> None:
    given_space = data.draw(st.sampled_from(SPACES))
    points = data.draw(st.lists(given_space.points, min_size=1, max_size=15))
    space = sp.from_metric(points, given_space.distance)  # points may come twice
    sites = data.draw(st.lists(st.integers(0, space.n - 1), min_size=1, max_size=40))
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(sites), max_size=len(sites)))
    check_state(check_equal(space, sites, labels, data.draw(st.sampled_from(CONSTANTS))))


@pytest.mark.parametrize("C", [1.0, 1.5, 4.0])
@pytest.mark.parametrize(
    ("space", "phases"),
    [
        *((sp.tree(40, 1), 2), (sp.tree(8, 2), 2), (sp.cube(5), 2), (sp.star(20, 4), 2)),
        *((sp.discrete(60, 0.4), 2), (sp.discrete(250, 0.9), 3), (sp.interval(200), 1)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_equals_base_over_phases(space: FiniteSpace, phases: int, C: float) -> None:
    rng = np.random.default_rng(7)
    sites, labels = rng.integers(0, space.n, 400), rng.integers(0, 2, 400)
    learner = check_equal(space, sites.tolist(), labels.tolist(), C)
    check_state(learner)
    assert learner.phase >= (phases if C < 4 else 1)


def test_many_phases() -> None:
    """Every site a new ball: they outgrow 2^d t^(d/(2+d)) for one d after the other."""
    learner = SiteBase(sp.discrete(5000, 0.9))
    learner.run(np.arange(5000), np.zeros(5000))
    check_state(learner)
    assert [record.dimension for record in learner.history] == [1, 2, 3, 4, 5]


def test_run_is_the_same_as_one_by_one() -> None:
    space, rng = sp.square(12), np.random.default_rng(11)
    sites, labels = rng.integers(0, space.n, 900), rng.integers(0, 2, 900)
    whole, parts, single = SiteBase(space), SiteBase(space), SiteBase(space)
    p = whole.run(sites, labels)
    q = np.concatenate([parts.run(sites[:400], labels[:400]), parts.run(sites[400:], labels[400:])])
    one_by_one = []
    for x, y in zip(sites.tolist(), labels.tolist(), strict=True):
        one_by_one.append(single.probability(x))
        single.update(x, y)
    assert p.tolist() == q.tolist() == one_by_one
    assert whole.history == parts.history == single.history
    assert whole.run([], []).tolist() == []


def test_a_row_is_computed_for_a_new_ball_only() -> None:
    calls = []
    plain = sp.interval(500)

    def measure(i: int, a: int, b: int) -> np.ndarray:
        calls.append(i)
        return plain.measure(i, a, b)

    learner = SiteBase(dataclasses.replace(plain, measure=measure))
    rng = np.random.default_rng(5)
    learner.run(rng.integers(0, 500, 20_000), rng.integers(0, 2, 20_000))
    assert calls == learner.centres  # one phase: the line with C = 1


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1))))
def test_expected_mistakes_round_once(pairs: list[tuple[float, int]]) -> None:
    exact = sum((abs(y - Fraction(p)) for p, y in pairs), Fraction(0))
    p, y = [p for p, _ in pairs], [y for _, y in pairs]
    assert expected_mistakes(p, y) == float(exact)
    assert SiteBase(sp.interval(2)).expected_mistakes(p, y) == float(exact)


def test_bad_input() -> None:
    for C in (0.0, -1.0, 0.99, math.inf, math.nan):
        with pytest.raises(ValueError, match="covering constant"):
            SiteBase(sp.interval(3), C)
    learner = SiteBase(sp.interval(3))
    for site, label in ((3, 0), (-1, 0), (0, 2)):
        with pytest.raises(ValueError, match="no site"):
            learner.update(site, label)
        with pytest.raises(ValueError, match="not in the space"):
            learner.run([site], [label])
    with pytest.raises(ValueError, match="length"):
        learner.run([0, 1], [1])
    assert learner.n_balls == 0
    assert learner.probability(0) == 0.5
