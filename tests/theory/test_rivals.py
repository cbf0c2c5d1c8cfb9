"""The learners beside BASE: their constants, and their bounds on whatever tries to break them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc_theory import (
    Chain,
    Mixture,
    OneBall,
    TunedCells,
    check_bound,
    cube,
    interval,
    points_on_line,
    square,
)
from abacoc_theory.regret.adversaries import best_function
from abacoc_theory.regret.one_ball import probabilities, worst_regrets
from abacoc_theory.regret.rivals import (
    GAMMA,
    anytime_probabilities,
    anytime_probability,
    cells_bound,
    chain_bound,
)
from abacoc_theory.regret.sites import SiteBase, expected_mistakes

SPACES = [(interval(65), 1), (square(9), 2), (cube(5), 3)]
# float64 sums of some hundred numbers of [0, 1]
SLACK = 1e-9


def fooled_then_ones(learner, T, rng):
    """The less likely label at all sites in turn; then ones, with which the constant 1 wins."""
    n = learner.space.n
    for t in range(T):
        site = t % n
        ending = T - t <= math.sqrt(n * T) / 2
        yield site, int(ending or learner.probability(site) <= 0.5)


def halves(learner, T, rng):
    """Ones on one side and zeros on the other, ever nearer to the middle, if it believes so."""
    n = learner.space.n
    for t in range(T):
        reach = max(1, int(n / 2 / (1 + t) ** (1 / 3)))
        site = min(n - 1, max(0, n // 2 + (reach if t % 2 else -reach)))
        yield site, t % 2


def test_gamma_is_the_published_constant():
    assert pytest.approx(1.30693, abs=5e-6) == GAMMA  # Harvey et al. 2020, five digits


def test_anytime_coin_keeps_its_constant_and_the_coin_of_base_does_not():
    n = np.arange(1, 2001)
    worst = worst_regrets(2000, anytime_probabilities, 0.5)
    assert (worst <= GAMMA / 2 * np.sqrt(n)).all()
    assert worst[-1] > 0.645 * math.sqrt(2000)  # it tends to GAMMA / 2 = 0.6535 from below
    base = worst_regrets(2000, probabilities, 0.5)
    assert base[-1] > 0.73 * math.sqrt(2000)


def test_anytime_coin_is_a_chance_and_takes_no_side():
    for n in (0, 1, 2, 3, 10, 101):
        p = anytime_probabilities(n)
        assert p.tolist() == [anytime_probability(ones, n) for ones in range(n + 1)]
        assert p[::-1].tolist() == pytest.approx((1 - p).tolist(), abs=1e-15)
        assert (np.diff(p) >= 0).all()
        assert p[0] >= 0


@pytest.mark.parametrize("adversary", ["opposite", "uniform", "smooth", fooled_then_ones, halves])
@pytest.mark.parametrize("L", [0.0, 0.7, 4.0, 16.0])
@pytest.mark.parametrize(("space", "d"), SPACES, ids=lambda v: getattr(v, "name", ""))
def test_bounds_hold_against_adversaries_that_look(space, d, L, adversary):
    T = 500
    chain, cells = Chain(L, d), TunedCells(L, T, d)
    found = check_bound(space, adversary, T, L, algorithm=chain)
    assert found.regret <= chain.bound + SLACK
    assert chain.bound <= chain_bound(T, L, d) + SLACK
    assert check_bound(space, adversary, T, L, algorithm=cells).regret <= cells.bound + SLACK
    ball = check_bound(space, adversary, T, 0.0, algorithm=OneBall)
    assert ball.regret <= GAMMA / 2 * math.sqrt(T) + SLACK


@pytest.mark.parametrize("adversary", ["extremal", "outside", "traps", "edges"])
@pytest.mark.parametrize(("space", "d"), SPACES, ids=lambda v: getattr(v, "name", ""))
def test_bounds_hold_on_the_streams_that_are_worst_for_base(space, d, adversary):
    for L in (1.0, 8.0):
        stream = check_bound(space, adversary, 400, L).stream
        chain, cells = Chain(L, d), TunedCells(L, 400, d)
        assert check_bound(space, stream, L=L, algorithm=chain).regret <= chain.bound + SLACK
        assert check_bound(space, stream, L=L, algorithm=cells).regret <= cells.bound + SLACK


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.3, 1.0, 3.0, 50.0]),
)
def test_bounds_hold_on_any_points_of_the_line(stream, L):
    points, labels = sorted({x for x, _ in stream}), [y for _, y in stream]
    space = points_on_line(points)
    sites = [points.index(x) for x, _ in stream]
    chain, cells = Chain(L, 1), TunedCells(L, len(stream), 1)
    assert check_bound(space, (sites, labels), L=L, algorithm=chain).regret <= chain.bound + SLACK
    assert check_bound(space, (sites, labels), L=L, algorithm=cells).regret <= cells.bound + SLACK
    assert chain.bound <= chain_bound(len(stream), L, 1) + SLACK


def test_cells_are_the_best_number_of_cells():
    for L, T, d in ((1.0, 1000, 1), (16.0, 10**4, 2), (4.0, 5000, 3), (0.0, 100, 2)):
        learner = TunedCells(L, T, d)
        assert learner.bound == min(cells_bound(T, L, d, m) for m in range(1, 400))
    assert learner.m == 1


def test_chain_without_slope_is_one_ball():
    chain, ball = Chain(0, 1), OneBall()
    rng = np.random.default_rng(1)
    for x, y in zip(rng.random(200), rng.integers(0, 2, 200).tolist(), strict=True):
        assert chain.probability([x]) == pytest.approx(ball.probability([x]), abs=1e-15)
        chain.update([x], y)
        ball.update([x], y)


def test_chain_escapes_where_base_is_forced():
    """Ones and zeros at the two ends of one ball: the exponent of BASE costs here."""
    space, T, L = interval(401), 3000, 16.0
    base = check_bound(space, "edges", T, L)
    chain = check_bound(space, base.stream, L=L, algorithm=Chain(L, 1))
    assert base.regret > 0.4 * T
    assert chain.regret < 0.1 * base.regret


def test_cells_of_a_chain_play_within_their_range():
    """The proof needs |play| <= B_k, and B_k is what f may change from a centre to the next."""
    L, d = 3.0, 2
    chain, rng = Chain(L, d), np.random.default_rng(2)
    for x in rng.random((400, d)) * chain.side:
        chain.update(x, int(x[0] > x[1]))  # easy labels: the coins become certain
    largest = {}
    for k, cells in enumerate(chain.levels):
        for _, n, play, level, key in cells.values():
            assert level == k
            largest[k] = max(largest.get(k, 0.0), abs(play))
            half = chain.side * 2.0**-k / 2
            steps = [(2 * c + 1) * half - (2 * (c >> 1) + 1) * 2 * half for c in key]
            # coordinates of centres round by 2^-53 of themselves
            assert L * math.hypot(*steps) == pytest.approx(chain.reaches[k], rel=1e-12)
            assert n >= 1
    assert min(largest) == chain.first == 2
    for k, play in largest.items():
        assert play <= (0.5 if k == chain.first else chain.reaches[k])
    assert largest[chain.first] > 0.45  # the range is used


def test_chain_is_bounded_in_depth_where_one_point_comes_for_ever():
    chain = Chain(4.0, 1)
    for t in range(1000):
        chain.update([0.3], t % 2)
    assert sum(map(len, chain.levels)) <= 2 + math.ceil(math.log2(4 * math.sqrt(1000) / 2))


def test_mixture_loses_little_more_than_the_best_of_its_own():
    space, T = interval(65), 600
    for L in (0.0, 2.0, 8.0):
        for adversary in ("opposite", fooled_then_ones):
            mixture = Mixture([OneBall(), *(Chain(2.0**j, 1) for j in range(4))])
            result = check_bound(space, adversary, T, L, algorithm=mixture)
            least = min(mixture.losses)
            assert result.mistakes <= least + math.sqrt(T * math.log(5)) + SLACK


def test_coins_cost_every_learner_the_same_in_the_mean():
    """Half an example each, so that the lower curve is everybody's regret on fair coins."""
    space, T, repeats = interval(9), 100, 200
    rng = np.random.default_rng(3)
    sites = np.arange(T) % space.n
    beyond = {"base": [], "chain": []}
    for _ in range(repeats):
        labels = rng.integers(0, 2, T)
        beyond["base"].append(expected_mistakes(SiteBase(space).run(sites, labels), labels) - T / 2)
        chain, p = Chain(4.0, 1), []
        for x, y in zip(space.points[sites], labels.tolist(), strict=True):
            p.append(chain.probability(x))
            chain.update(x, y)
        beyond["chain"].append(expected_mistakes(p, labels) - T / 2)
    for values in beyond.values():  # each is a martingale with steps of at most 1/2
        assert abs(np.mean(values)) < 1.96 * 0.5 * math.sqrt(T / repeats)
    assert best_function(space, sites, labels, 4.0)[1].loss < T / 2
