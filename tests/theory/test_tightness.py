"""Sets whose covers and packings are as claimed, and streams that come near the bound."""

import math

import numpy as np
import pytest

from abacoc_theory.proofs import symbols
from abacoc_theory.proofs.sharpened import STEPS
from abacoc_theory.regret import spaces as sp
from abacoc_theory.regret import tightness
from abacoc_theory.regret.adversaries import play
from abacoc_theory.regret.bounds import bounds
from abacoc_theory.regret.covering import packing_number_greedy
from abacoc_theory.regret.sites import SiteBase
from abacoc_theory.regret.spaces import from_matrix


def test_bounds_are_those_of_the_ledger() -> None:
    claims = {step.id: step.claim for step in STEPS}
    for T, d, D, C, L in ((1000, 1, 1, 2.0, 0.0), (500, 2.5, 3, 1.0, 4.0), (50, 0.0, 1, 3.0, 1.0)):
        found = bounds(T, d, C, L)
        at = {symbols.T: T, symbols.D: D, symbols.C: C, symbols.L: L}
        expected = float(claims["theorem-sharpened"].right.subs(at))
        assert found["sharpened"] == pytest.approx(expected, rel=1e-14)  # a few roundings
        assert found["corrected"] == bounds(T, D, C, L)["stated"]


def with_hubs(space: sp.FiniteSpace) -> np.ndarray:
    """Distances of all leaves and of a hub for each part of the ultrametric set."""
    D = np.array([space.row(i) for i in range(space.n)])
    parts = {}
    for r in np.unique(D[D > 0]):
        for i in range(space.n):
            part = tuple(np.flatnonzero(D[i] <= r).tolist())
            if len(part) > 1:
                parts[part] = D[np.ix_(part, part)].max()
    nodes = [((i,), 0.0) for i in range(space.n)] + list(parts.items())
    # the height of a node is half the diameter of its part; paths go through the common part
    return np.array(
        [
            [
                abs(s - r) / 2
                if set(p) <= set(q) or set(q) <= set(p)
                else D[p[0], q[0]] - r / 2 - s / 2
                for q, s in nodes
            ]
            for p, r in nodes
        ]
    )


@pytest.mark.parametrize(("d", "n"), [(1, 13), (2, 20), (3, 25)])
def test_hub_tree_is_metric_with_its_hubs(d: int, n: int) -> None:
    space = tightness.hub_tree(d, n)
    whole = with_hubs(space)
    whole = np.maximum(whole, whole.T)  # both ways of adding up
    from_matrix(whole)  # the triangle inequality, and the diameter is at most 1
    hubs = whole[:, :n]
    # greedy covers by balls around any node: never more than C eps^-d
    for eps in np.geomspace(0.05, 1, 60):
        left, count = np.ones(n, dtype=bool), 0
        while left.any():
            left &= ~(hubs[int((hubs[:, left] <= eps).sum(axis=1).argmax())] <= eps)
            count += 1
        assert count <= space.covering * eps**-d


@pytest.mark.parametrize("d", [1, 2, 3])
def test_hub_tree_fills_the_capacity(d: int) -> None:
    space = tightness.hub_tree(d, 400)
    assert 1 <= space.covering < 1 + 1e-12  # rounding only
    for eps in (0.9, 0.6, 0.5):
        packing = packing_number_greedy(space, eps)
        assert packing == min(400, math.floor((2 / eps) ** d * (1 - 1e-9)))
    with pytest.raises(ValueError, match="C >= 1"):
        tightness.hub_tree(1, 5, C=0.5)


def test_a_star_needs_a_larger_constant_than_an_interval() -> None:
    """Its packings are twice those of the interval, but so is C_S: nothing is won."""
    star = tightness.refined_star(1000, 4, 0.5).space
    assert star.covering == 2.0
    for space, legs in ((star, 4), (sp.star(4, 64), 4), (sp.interval(65), 2)):
        eps = 0.499  # points more than 2 eps apart need a ball each
        tips = [i for i in range(space.n) if space.row(i).max() >= 1 - 2.0**-50]
        D = np.array([space.row(i)[tips] for i in tips])
        assert len(tips) == legs
        assert (D[~np.eye(legs, dtype=bool)] > 2 * eps).all()
        assert legs * eps > 0.99 * space.covering


@pytest.mark.parametrize("legs", [1, 4])
def test_refined_star_is_a_metric_space(legs: int) -> None:
    space, order, n, _ = tightness.refined_star(3000, legs, 1.0 if legs == 1 else 0.5)
    D = np.array([space.row(i) for i in range(space.n)])
    from_matrix(np.maximum(D, D.T))
    assert D.max() == pytest.approx(1.0, abs=2.0**-50)
    assert order is not None
    assert sorted(order) == list(range(space.n)) == list(range(n))


@pytest.mark.parametrize(
    ("layout", "T", "least", "factor"),
    [
        (tightness.hub_layout(1, 10**4), 10**4, 0.97, 1.09),
        (tightness.hub_layout(2, 10**4), 10**4, 1.28, 1.19),
        (tightness.hub_layout(3, 10**4), 10**4, 1.82, 1.28),
        (tightness.refined_interval(10**4), 10**4, 0.67, 1.05),
        (tightness.refined_star(10**4, 4, 0.5), 10**4, 0.87, 1.07),
        (*tightness.dyadic_grid(2, 3), 0.55, 1.08),
        (*tightness.dyadic_grid(3, 2), 0.50, 1.16),
    ],
    ids=["hub 1", "hub 2", "hub 3", "interval", "star", "grid 2", "grid 3"],
)
def test_regret_is_near_the_refined_bound(
    layout: tightness.Layout, T: int, least: float, factor: float
) -> None:
    found = tightness.run_layout("test", layout, T)
    assert found.constant >= least
    assert found.regret <= found.refined <= factor * found.regret
    assert found.regret < found.sharpened < found.corrected
    assert found.constant <= found.limit
    assert found.predicted <= found.limit + 1e-12  # rounding


def test_all_balls_get_their_share() -> None:
    layout = tightness.hub_layout(1, 10**4)
    learner = SiteBase(layout.space, layout.space.covering)
    sizes = []
    moves = tightness.refine(layout)

    def watched(learner: SiteBase, T: int, rng: np.random.Generator) -> tightness.Iterator:
        for move in moves(learner, T, rng):
            sizes.append((learner.n_balls, 2 / learner.epsilon))
            yield move

    play(learner, watched, 10**4)
    # the number of balls follows the capacity: the next one is opened one step late at most
    assert all(size >= room - 2 for size, room in sizes if room > 4)
    assert learner.phase == 1
    assert sorted(learner.counts)[1] >= max(learner.counts) - 1


@pytest.mark.parametrize("d", [1, 2, 3])
def test_wedge(d: int) -> None:
    played = tightness.wedge(d, 10**4)
    learner = played.learner
    assert (learner.dimension, learner.n_balls) == (d, 1)
    found = tightness.measured("wedge", played, 2.0, 3.0)
    assert found.regret <= found.refined <= 1.08 * found.regret


def test_wedge_is_a_metric_space() -> None:
    space = tightness.wedge(2, 50, levels=8).learner.space
    D = np.array([space.row(i) for i in range(space.n)])
    from_matrix(D)
    heights = np.arange(space.n - 16, space.n)
    assert D[np.ix_(heights, heights)].max() == 1.0
