"""The adversaries do what they say, can be repeated, and break no bound."""

import math

import numpy as np
import pytest

from abacoc_theory.regret import spaces as sp
from abacoc_theory.regret import tightness
from abacoc_theory.regret.adversaries import (
    OneBallPolicy,
    Opener,
    Rota,
    adversaries,
    comparator,
    edges,
    outside,
    play,
    traps,
)
from abacoc_theory.regret.bounds import bounds, refined_bound
from abacoc_theory.regret.comparator import best_lipschitz_sites
from abacoc_theory.regret.one_ball import worst_regrets
from abacoc_theory.regret.runs import all_spaces, small_spaces
from abacoc_theory.regret.search import search
from abacoc_theory.regret.sites import SiteBase
from abacoc_theory.regret.spaces import FiniteSpace

every_space = pytest.mark.parametrize("space", all_spaces(), ids=lambda space: space.name)
NAMES = list(adversaries(0.0))


def sharpened(T: int, d: float, C: float, L: float) -> float:
    return bounds(T, d, C, L)["sharpened"]


def test_policy_reaches_the_value_of_the_game() -> None:
    exact = worst_regrets(300)
    for n in (1, 2, 3, 10, 57, 300):
        # the first example costs 1: a one, or a zero that the constant 1 gets wrong as well
        gain = OneBallPolicy(n).gain
        # sums of at most n numbers of [0, 1] in another order
        assert max(1 + gain[1], gain[0]) == pytest.approx(exact[n - 1], abs=n * 2.0**-43)


def test_policy_without_a_table_is_nearly_as_good(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = worst_regrets(1000)[-1]
    monkeypatch.setattr(OneBallPolicy, "LONGEST", 100)
    policy, learner = OneBallPolicy(1000), SiteBase(sp.interval(1))
    learner.update(0, policy.first(0.0))
    loss, ones = 1.0, learner.ones[0]
    for n in range(1, 1000):
        label = policy.label(ones, n)
        loss += abs(label - learner.probability(0))
        learner.update(0, label)
        ones += label
    assert 0.98 * exact < loss - (1000 - ones) <= exact + 1e-9  # rounding of 1000 sums


def test_rota_and_opener() -> None:
    learner = SiteBase(sp.interval(101))
    rota, opener = Rota(learner), Opener(learner)
    rng = np.random.default_rng(1)
    for site in rng.integers(101, size=300).tolist():
        learner.update(site, 0)
        assert learner.counts[rota.next()] == min(learner.counts)
        far = learner.nearest_distance[learner.nearest_distance > learner.epsilon]
        found = opener.next()
        assert (found == -1) == (len(far) == 0)
        if found >= 0:
            assert learner.nearest_distance[found] == far.min()


@pytest.mark.parametrize("name", NAMES)
def test_repeatable(name: str) -> None:
    space = sp.square(6)
    runs = [play(SiteBase(space), adversaries(2.0)[name], 150, seed) for seed in (3, 3, 4)]
    for array in ("sites", "labels", "p"):
        assert np.array_equal(getattr(runs[0], array), getattr(runs[1], array))
    if name in ("opposite", "uniform", "smooth"):
        assert not np.array_equal(runs[0].sites, runs[2].sites)
    # p_t is what BASE says on this stream
    again = SiteBase(space).run(runs[0].sites, runs[0].labels)
    assert np.array_equal(again, runs[0].p)


@every_space
@pytest.mark.parametrize("name", NAMES)
def test_no_bound_is_broken(space: FiniteSpace, name: str) -> None:
    for L in (0.0, 1.0, 8.0):
        played = play(SiteBase(space, space.covering), adversaries(L)[name], 150, seed=5)
        regret = played.regret(L)
        limits = bounds(150, space.dimension, space.covering, L)
        assert regret <= limits["sharpened"] <= limits["corrected"]
        assert regret <= refined_bound(played.learner.history, L)


def test_comparators_agree() -> None:
    space, rng = sp.interval(30), np.random.default_rng(0)
    sites, labels = rng.integers(30, size=200), rng.integers(2, size=200)
    D = np.array([space.row(i) for i in range(30)])
    ones = np.bincount(sites[labels == 1], minlength=30)
    zeros = np.bincount(sites[labels == 0], minlength=30)
    for L in (0.0, 0.5, 3.0, 40.0):
        found = best_lipschitz_sites(D, ones, zeros, L).loss
        # weights are rounded by 2^-53 for each of 200 examples, in both
        assert comparator(space, sites, labels, L) == pytest.approx(found, abs=400 * 2.0**-53)


def test_traps_force_all_phases() -> None:
    space = tightness.hub_tree(3, 500)
    learner = play(SiteBase(space, space.covering), traps, 3000).learner
    assert [phase.dimension for phase in learner.history] == [1, 2, 3]
    lengths = [phase.n_steps for phase in learner.history]
    assert min(lengths) >= 50  # none of them is passed in a hurry


def test_outside_opens_a_packing_and_grows_as_it_should() -> None:
    regrets = []
    for T in (1000, 8000):
        played = play(SiteBase(sp.interval(401)), outside, T)
        regrets.append(played.regret(0))
        # neighbours are less than two radii apart
        assert played.learner.n_balls >= 0.5 * T ** (1 / 3)
    assert regrets[0] > 0.35 * 1000 ** (2 / 3)
    assert 0.55 < math.log(regrets[1] / regrets[0], 8) < 0.85


def test_edges_need_a_lipschitz_comparator() -> None:
    played = play(SiteBase(sp.interval(401)), edges, 3000)
    assert played.learner.n_balls == 1
    assert played.regret(0) < 50
    assert played.regret(2.0) > 0.8 * 1.5 * 2.0 * 3000 ** (2 / 3)


@pytest.mark.parametrize("space", small_spaces(), ids=lambda space: space.name)
def test_search(space: FiniteSpace) -> None:
    found = search(space, sharpened, horizons=(1, 4, 9), constants=(0.0, 2.0), restarts=1, steps=15)
    one = 0.5 / sharpened(1, space.dimension, space.covering, 0.0)  # the regret of any example
    assert one <= found.ratio < 1
    p = SiteBase(space, space.covering).run(found.sites, found.labels)
    loss = SiteBase.expected_mistakes(p, found.labels)
    assert found.regret == loss - comparator(space, found.sites, found.labels, found.L)


def test_search_for_nothing() -> None:
    with pytest.raises(ValueError, match="nothing to search"):
        search(sp.interval(3), sharpened, horizons=())
