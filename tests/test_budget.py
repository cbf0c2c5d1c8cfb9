"""AUTO-ADJ FIX: the budget holds, and equation (1) decides who goes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from spaces import vector_streams

from abacoc.auto import Auto, AutoAdj
from abacoc.budget import Budget, discard_probabilities
from abacoc.metrics import euclidean
from abacoc.protocol import prequential


class Tickets:
    """A generator that hands out the tickets one after the other."""

    def __init__(self):
        self.next = 0

    def integers(self, n):
        self.next += 1
        return (self.next - 1) % n


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30))
def test_every_ball_holds_exactly_its_share_of_the_tickets(mistakes):
    """Of the sum_j m_j + |S| equally likely tickets, ball i holds m_i + 1: equation (1) exactly."""
    budget = Budget(2)
    budget.generator = Tickets()
    total = sum(mistakes) + len(mistakes)
    chosen = np.bincount([budget.choose(mistakes) for _ in range(total)], minlength=len(mistakes))
    assert chosen.tolist() == [m + 1 for m in mistakes]
    expected = [(m + 1) / (sum(mistakes) + len(mistakes)) for m in mistakes]
    assert discard_probabilities(mistakes).tolist() == expected
    # n numbers, each rounded once, and n - 1 additions
    assert sum(expected) == pytest.approx(1, abs=len(mistakes) * 2.0**-52)


@pytest.mark.parametrize("mistakes", [[0, 0, 0], [5, 0, 1, 17], list(range(40))])
def test_removal_frequencies_follow_equation_1(mistakes):
    """Pearson's test on 20,000 draws; a fair coin fails it once in a million seeds."""
    budget, draws = Budget(2, seed=7), 20_000
    observed = np.bincount([budget.choose(mistakes) for _ in range(draws)], minlength=len(mistakes))
    expected = draws * discard_probabilities(mistakes)
    assert expected.min() >= 5  # the usual condition for the chi-squared approximation
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(1e-6, df=len(mistakes) - 1)


@given(vector_streams(), st.integers(2, 6), st.sampled_from([Auto, AutoAdj]), st.integers(0, 9))
def test_fix_never_exceeds_its_budget_and_draws_by_the_mistakes(stream, limit, method, seed):
    X, y = stream
    learner = method(budget=limit, seed=seed)
    draws = []
    choose = learner.budget.choose

    def recording(mistakes):
        draws.append((mistakes, choose(mistakes)))
        return draws[-1][1]

    learner.budget.choose = recording
    for x, label in zip(X, y, strict=True):
        before = learner.balls
        n_draws = len(draws)
        learner.update(x, label)
        assert learner.n_balls <= limit
        assert (learner.balls.counts.sum(axis=1) > 0).all()
        if len(draws) > n_draws:
            mistakes, gone = draws[-1]
            assert mistakes == before.mistakes.tolist()
            assert len(mistakes) == limit, "nobody goes before the budget is reached"
            kept = [c for i, c in enumerate(before.centres.tolist()) if i != gone]
            assert learner.balls.centres.tolist() == [*kept, x], "the others keep their order"


@given(vector_streams(), st.integers(2, 6), st.sampled_from([Auto, AutoAdj]))
def test_search_and_balls_stay_together(stream, limit, method):
    """However balls come, go and move, the closest one is the one a plain look finds."""
    X, y = stream
    learner = method(budget=limit)
    for x, label in zip(X, y, strict=True):
        learner.update(x, label)
        for query in X[:4]:
            gaps = [euclidean(centre, query) for centre in learner.balls.centres]
            nearest = learner._closest(learner.check_point(query))
            assert nearest == (gaps.index(min(gaps)), min(gaps))


@given(vector_streams(), st.integers(0, 3))
def test_same_seed_same_run(stream, seed):
    X, y = stream
    runs = [
        prequential(AutoAdj(budget=3, seed=seed), X, y, rate=0.7, seed=seed).predictions
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_different_seeds_differ():
    generator = np.random.default_rng(0)
    X, y = generator.random((400, 2)), generator.integers(0, 2, 400)
    finals = {AutoAdjRun(X, y, seed) for seed in range(4)}
    assert len(finals) == 4


def AutoAdjRun(X, y, seed):
    learner = AutoAdj(budget=10, seed=seed)
    prequential(learner, X, y)
    return learner.balls.centres.tobytes()


@pytest.mark.parametrize("limit", [1, 0, -3, 2.5, True, float("inf")])
def test_budget_must_be_a_number_of_balls(limit):
    with pytest.raises(ValueError, match="budget"):
        Auto(budget=limit)
    with pytest.raises(ValueError, match="seed"):
        Auto(budget=3, seed=-1)


def test_discards_and_mask_are_different_streams_of_chance():
    """The same seed serves both: their numbers must not be the same numbers."""
    mask, discards = np.random.default_rng([5, 0]), Budget(2, seed=5).generator
    assert mask.random(4).tolist() != discards.random(4).tolist()
    coin = np.random.default_rng([5, 1])
    assert coin.random(4).tolist() != Budget(2, seed=5).generator.random(4).tolist()


@pytest.mark.parametrize("seed", [True, 1.0, "1", None, -1])
def test_seed_must_be_a_whole_number(seed):
    with pytest.raises(ValueError, match="the seed must be a whole number of at least 0"):
        Budget(3, seed)


def test_numpy_numbers_will_do():
    budget = Budget(np.int64(2), np.int32(7))
    assert (budget.limit, budget.seed) == (2, 7)
    assert {type(budget.limit), type(budget.seed)} == {int}, "as a model file needs them"
    assert budget.generator.random() == Budget(2, 7).generator.random()
    assert Budget(2).seed == 0
