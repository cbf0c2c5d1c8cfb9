"""The minimax regret: dynamic programming against a linear programme, coins against both."""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from abacoc_theory import Chain, OneBall, TunedCells, cube, from_matrix, interval, square
from abacoc_theory.regret.adversaries import comparator
from abacoc_theory.regret.minimax import (
    coin_gains,
    estimate,
    gain,
    mean_lead,
    minimax_value,
    packing_value,
    rotation,
    worst_case,
)

TWO = from_matrix([[0, 0.3], [0.3, 0]], name="two")
TINY = [(interval(1), 5, 0.0), (interval(2), 3, 0.5), (interval(3), 3, 1.0), (TWO, 4, 2.0)]


def by_linear_programme(space, T, L):
    """The least v such that some p in [0, 1] for each (past, x) keeps every regret below v.

    Nothing of the recursion is used: one inequality for each of the (2n)^T streams.
    """
    moves = [(x, y) for x in range(space.n) for y in (0, 1)]
    number = {}
    for t in range(T):
        for past in itertools.product(moves, repeat=t):
            for x in range(space.n):
                number[past, x] = len(number)
    rows, sides = [], []
    for stream in itertools.product(moves, repeat=T):
        row, side = np.zeros(len(number) + 1), 0.0
        for t, (x, y) in enumerate(stream):
            row[number[stream[:t], x]] = -1.0 if y else 1.0  # |p - y| = y + (1 - 2y) p
            side -= y
        row[-1] = -1.0
        sites, labels = np.array(stream).T
        rows.append(row)
        sides.append(side + comparator(space, sites, labels, L))
    limits = [(0, 1)] * len(number) + [(None, None)]
    cost = np.append(np.zeros(len(number)), 1.0)
    return linprog(cost, A_ub=np.array(rows), b_ub=sides, bounds=limits, method="highs").fun


@pytest.mark.parametrize(("space", "T", "L"), TINY)
def test_value_is_that_of_the_linear_programme(space, T, L):
    found = by_linear_programme(space, T, L)
    assert minimax_value(space, T, L) == pytest.approx(found, abs=1e-7)  # HiGHS's own tolerance


@pytest.mark.parametrize(("space", "T", "L"), TINY)
def test_known_sites_are_worth_the_mean_over_all_labels(space, T, L):
    sites = rotation(space, T)
    every = itertools.product((0, 1), repeat=T)
    losses = [comparator(space, sites, np.array(labels), L) for labels in every]
    mean = T / 2 - sum(losses) / len(losses)
    # sums of at most 2^T numbers below T
    assert minimax_value(space, T, L, sites.tolist()) == pytest.approx(mean, abs=1e-12)
    assert minimax_value(space, T, L) >= mean - 1e-12


def test_choosing_sites_by_the_past_is_worth_something():
    space = interval(3)
    fixed = max(minimax_value(space, 4, 1, s) for s in itertools.product(range(3), repeat=4))
    assert minimax_value(space, 4, 1) > fixed + 0.05


def test_value_grows_with_time_and_freedom():
    over_time = [minimax_value(interval(2), T, 0.7) for T in range(12)]
    over_L = [minimax_value(interval(3), 6, L) for L in (0, 0.5, 1, 2, 4)]
    for values in over_time, over_L:
        assert all(a <= b + 1e-12 for a, b in itertools.pairwise(values))
    assert over_L[-1] == minimax_value(interval(3), 6, 100)  # no f can do more than separate


def test_gain_is_half_of_the_examples_minus_the_best_loss():
    rng = np.random.default_rng(5)
    for space in (interval(7), square(3)):
        for L in (0.0, 1.5, 8.0):
            sites, labels = rng.integers(space.n, size=60), rng.integers(2, size=60)
            leads = np.zeros(space.n, dtype=int)
            np.add.at(leads, sites, 2 * labels - 1)
            loss = comparator(space, sites, labels, L)
            # two optimal values in units of 2^-53 for each of 60 examples
            assert gain(space, leads, L) == pytest.approx(30 - loss, abs=1e-13)


@pytest.mark.parametrize(("space", "T", "L"), [(interval(3), 12, 1.0), (square(2), 6, 2.0)])
def test_coins_have_the_exact_value_in_their_interval(space, T, L):
    """A 95 % interval; the coins are fixed, so that this is no matter of luck."""
    exact = minimax_value(space, T, L, rotation(space, T).tolist())
    found = estimate(coin_gains(space, T, L, 300))
    assert found.low <= exact <= found.high
    assert found.high - found.low < 0.2 * exact
    assert exact <= minimax_value(space, T, L)


def test_mean_lead_is_that_of_all_labels():
    for n in range(1, 9):
        leads = [abs(sum(signs)) for signs in itertools.product((-1, 1), repeat=n)]
        assert mean_lead(n) == pytest.approx(sum(leads) / 2**n, rel=1e-15)
    assert mean_lead(0) == 0
    assert mean_lead(10**4) == pytest.approx(math.sqrt(2 * 10**4 / math.pi), rel=1e-4)


def test_packing_is_a_lower_bound_that_is_exact_where_sites_are_free():
    for T in (1, 2, 6, 9):
        ends = interval(2)
        assert packing_value(T, 1, 1) <= minimax_value(ends, T, 1) + 1e-12
        fixed = minimax_value(ends, T, 1, rotation(ends, T).tolist())
        assert packing_value(T, 1, 1) == pytest.approx(fixed, abs=1e-12)
    # a lattice with one visit per site: coins on it are worth at least as much
    assert packing_value(27, 3, 1) <= estimate(coin_gains(cube(3), 27, 1, 200)).high


@pytest.mark.parametrize("L", [0.0, 1.0, 4.0])
@pytest.mark.parametrize(("space", "T", "d"), [(interval(2), 5, 1), (square(2), 3, 2)])
def test_no_algorithm_beats_the_value(space, T, d, L):
    value = minimax_value(space, T, L)
    makers = [None, OneBall, lambda: TunedCells(L, T, d), lambda: Chain(L, d)]
    for make in makers:
        assert worst_case(space, T, L, make) >= value - 1e-12


def test_worst_case_of_the_best_strategy_is_the_value():
    """The equaliser of the recursion, played: nothing is lost between the two."""
    space, T, L = interval(2), 4, 0.6

    @functools.cache
    def value(one, other, left):
        if left == 0:
            return gain(space, [one, other], L)
        here = value(one + 1, other, left - 1) + value(one - 1, other, left - 1)
        there = value(one, other + 1, left - 1) + value(one, other - 1, left - 1)
        return max(here, there) / 2

    class Best:
        def __init__(self):
            self.leads, self.left = [0, 0], T

        def after(self, site, sign):
            leads = list(self.leads)
            leads[site] += sign
            return value(*leads, self.left - 1)

        def probability(self, x):
            return (1 + self.after(int(x[0]), 1) - self.after(int(x[0]), -1)) / 2

        def update(self, x, y):
            self.leads[int(x[0])] += 2 * y - 1
            self.left -= 1

    assert worst_case(space, T, L, Best) == pytest.approx(minimax_value(space, T, L), abs=1e-12)


@pytest.mark.parametrize("told", [0.0, 1.0, 0.25])
def test_worst_case_of_who_never_learns(told):
    """Always the label that it thinks less likely: a constant loses nothing."""

    class Stubborn:
        def probability(self, x):
            return told

        def update(self, x, y):
            pass

    worst = worst_case(interval(1), 4, 0, Stubborn)
    assert worst == pytest.approx(4 * max(told, 1 - told), abs=1e-12)


def test_refuses_what_is_too_large_or_does_not_fit():
    with pytest.raises(ValueError, match="too large"):
        minimax_value(interval(9), 9, 1)
    with pytest.raises(ValueError, match="2 sites for 3 steps"):
        minimax_value(interval(2), 3, 1, [0, 1])
