"""The one-ball game against brute force and against the package."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc import Base
from abacoc_theory.regret.one_ball import (
    probabilities,
    rounding,
    worst_labels,
    worst_regrets,
)

W = worst_regrets(3000)


def regret_of_labels(labels):
    """Regret of one ball on these labels, the first prediction costing 1."""
    loss, ones = 1.0, 0
    for n, label in enumerate(labels):
        if n:
            loss += abs(label - float(probabilities(n)[ones]))
        ones += label
    return loss - min(ones, len(labels) - ones)


@pytest.mark.parametrize("n", range(1, 13))
def test_dynamic_programme_is_the_maximum_over_all_sequences(n):
    best = max(regret_of_labels(list(labels)) for labels in itertools.product((0, 1), repeat=n))
    assert abs(W[n - 1] - best) <= rounding(n)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=300))
def test_no_sequence_beats_it(labels):
    assert regret_of_labels(labels) <= W[len(labels) - 1] + rounding(len(labels))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 50, 400])
def test_extremal_sequence_attains_it(n):
    labels = worst_labels(n)
    assert len(labels) == n
    assert abs(regret_of_labels(labels) - W[n - 1]) <= rounding(n)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=60))
def test_game_is_what_base_plays_in_one_ball(labels):
    """The ball of a single point; the first prediction is BASE's 1/2 instead of somebody's."""
    learner, loss = Base(), 0.0
    for label in labels:
        loss += abs(label - learner.probability([0.0]))
        learner.update([0.0], label)
    regret = loss - min(sum(labels), len(labels) - sum(labels))
    # a sum of n numbers of [0, 1]
    assert regret + 0.5 == pytest.approx(regret_of_labels(labels), abs=rounding(len(labels)))


def test_known_values():
    """Seen by another programme: W(2), W(10), W(100)."""
    assert W[[0, 1, 9, 99]].round(4).tolist() == [1.0, 1.2113, 2.2661, 7.3126]
    assert probabilities(1).tolist() == pytest.approx(
        [0.5 - 0.5 / math.sqrt(3), 0.5 + 0.5 / math.sqrt(3)]
    )


def test_it_grows_and_tends_to_three_quarters():
    assert (np.diff(W) > 0).all()
    ratio = W / np.sqrt(np.arange(1, len(W) + 1) + 1.0)
    assert ratio.max() < 0.75
    assert ratio[-1] > 0.745
