"""The dimension check without rounding: reference, engine and SiteBase beside fractions."""

import math
from collections import Counter
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

import abacoc
from abacoc import base
from abacoc.engine.rules import room
from abacoc_theory.regret import spaces as sp
from abacoc_theory.regret.exact import ExactBase
from abacoc_theory.regret.sites import SiteBase
from abacoc_theory.regret.spaces import FiniteSpace, FloatArray

# 1.1, 1.3 and 1.7 as floats are a little off: 13 balls are too many for 1.3 (2 / 125^(-1/3))
CONSTANTS = [1.0, 1.0, 1.25, 1.5, 2.0, 1.1, 1.3, 1.7, math.nextafter(1.0, 2.0)]


def leaves(distance: float) -> FloatArray:
    """128 equidistant points: rows of a Hadamard matrix differ in half of their 128 signs."""
    signs = reduce(np.kron, [np.array([[1, 1], [1, -1]])] * 7)
    return signs * (distance / 16)


def line(distance: float) -> FloatArray:
    """Points in a row, the neighbours so far apart: more of them than any ball can hold."""
    return distance * np.arange(600.0)[:, None]


def euclidean(points: FloatArray) -> FiniteSpace:
    """All distances are dyadic, so they come out without rounding; the diameter may be above 1."""

    def measure(i: int, a: int, b: int) -> FloatArray:
        return np.sqrt(((points[a:b] - points[i]) ** 2).sum(axis=1))

    return FiniteSpace("points", len(points), 1.0, measure, None, points)


SPACES = [euclidean(leaves(distance)) for distance in (15 / 16, 7 / 8, 3 / 4)]
SPACES += [euclidean(line(distance)) for distance in (15 / 16, 3 / 4)]
SPACES += [sp.tree(2, 6), sp.tree(5, 3), sp.discrete(150, 0.9), sp.star(40, 4)]


class Exact:
    """The distances of a space as fractions, row by row where they are asked for."""

    def __init__(self, space: FiniteSpace) -> None:
        self.space, self.rows = space, {}

    def __getitem__(self, i: int) -> list[Fraction]:
        if i not in self.rows:
            self.rows[i] = [Fraction(r) for r in self.space.row(i).tolist()]
        return self.rows[i]


DISTANCES = [Exact(space) for space in SPACES]


def full_cover(number: int, rng: np.random.Generator, seen: Counter) -> tuple:
    """A stream that keeps the cover as full as its dimension allows, and now and then fuller."""
    place = number % len(SPACES)
    constant = CONSTANTS[rng.integers(len(CONSTANTS))]
    cover = ExactBase(DISTANCES[place], Fraction(constant))
    length, eager = int(rng.choice([30, 70, 140])), rng.choice([0.5, 1.0])
    burst, stream, sizes = rng.choice([0.0, 0.03, 1.0]), [], []
    too_many = False
    while len(stream) < length:
        k, d, size = cover.steps + 1, cover.dimension, len(cover.centres) + 1
        left = (cover.constant * 2**d) ** (2 + d) * k**d - size ** (2 + d)
        too_many = too_many or rng.random() < burst
        opens = too_many or left == 0 or (left > 0 and rng.random() < eager)
        centres = set(cover.centres)
        fresh = (site for site in range(SPACES[place].n) if site not in centres)
        site = next(fresh, 0) if opens or not centres else cover.centres[0]
        before = cover.phase
        sizes.append(cover.update(site))
        stream.append(site)
        too_many = too_many and cover.phase == before
        if cover.centres[-1] == site and sizes[-1] == size:
            rounded = size > constant * (2 / k ** (-1 / (2 + d))) ** d
            seen["ties"] += left == 0
            seen["ties that rounding breaks"] += left == 0 and rounded
            seen["checks that rounding gets wrong"] += rounded
    seen[f"phase {cover.phase}"] += 1
    return SPACES[place], constant, stream, sizes, cover


def compare(space: FiniteSpace, constant: float, stream: list, sizes: list, cover: ExactBase):
    state = cover.phase, cover.dimension, cover.steps, cover.centres
    sites = SiteBase(space, constant)
    learners = [sites, base.Base(constant, metric=space.distance)]
    found = [[], []]
    for site in stream:
        for learner, model_sizes in zip(learners, found, strict=True):
            learner.update(site, 0)
            model_sizes.append(learner.n_balls)
    assert found == [sizes, sizes]
    assert (sites.phase, sites.dimension, sites.steps, sites.centres) == state
    slow = learners[1]
    assert (slow.phase, slow.dimension, slow.steps, slow.balls.centres) == state
    if space.name == "points":
        X = space.points[stream]
        for vote in ("randomized", "majority"):
            engine = abacoc.Base(constant, vote=vote)
            assert engine.is_compiled
            run = abacoc.prequential(engine, X, np.zeros(len(X), dtype=int))
            assert run.model_sizes.tolist() == sizes
            assert (engine.phase, engine.dimension, engine.steps) == state[:3]
            assert engine.balls.centres.tolist() == space.points[cover.centres].tolist()


@pytest.mark.parametrize("streams", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_full_covers(streams: int) -> None:
    """Whole-number ties and near ones, in covers of several phases."""
    seen, rng = Counter(), np.random.default_rng(2024)
    for number in range(streams):
        compare(*full_cover(number, rng, seen))
    assert seen["ties"] > streams / 2
    assert seen["ties that rounding breaks"] > 0.1 * streams
    assert seen["phase 2"] > 0.1 * streams
    assert seen["phase 3"] > streams / 4


@pytest.mark.parametrize("constant", CONSTANTS[1:])
def test_four_phases(constant: float) -> None:
    """Every example opens a ball: they outgrow one dimension after the other."""
    place = SPACES.index(next(space for space in SPACES if space.n == 600))
    cover, stream = ExactBase(DISTANCES[place], Fraction(constant)), list(range(600))
    compare(SPACES[place], constant, stream, [cover.update(site) for site in stream], cover)
    assert cover.phase >= (4 if constant == 1 else 3)


@pytest.mark.parametrize("constant", [1.0, 1.3, 1e12, 1.7e308, math.nextafter(math.inf, 0)])
def test_exact_however_large(constant: float) -> None:
    """The rule beside fractions, and the engine's float beside the rule, good to 50 u."""
    rng = np.random.default_rng(7)
    for _ in range(500):
        k, d = int(2 ** rng.uniform(0, 62)), int(rng.integers(0, 40))
        e = d if rng.random() < 0.5 else int(rng.integers(0, 60))
        exact = (Fraction(constant) * 2**e) ** (2 + d) * k**e
        near = constant * 2.0**e * k ** (e / (2 + d))
        size = int(min(near, 2.0**62)) + int(rng.integers(-1, 2))
        assert base.exceeds(max(1, size), constant, k, d, e) == (max(1, size) ** (2 + d) > exact)
        if e == d and (found := room.py_func(constant, float(d), float(k))) < math.inf:
            low, high = (Fraction(found) * (1 + s * Fraction(50, 2**53)) for s in (-1, 1))
            assert low ** (2 + d) <= exact <= high ** (2 + d)
    assert base.dimension_for(2**62, constant, 1, 1) == (
        62 if constant == 1 else pytest.approx(max(0, 62 - math.log2(constant)), abs=1)
    )


def test_six_leaves() -> None:
    """2 / 27^(-1/3) is 6, and 5.999999999999999 in float64."""
    stream = [0, 1, 0, 2, 0, 0, 0, 3] + [0] * 7 + [4] + [0] * 10 + [5]
    for metric, points in ("euclidean", leaves(7 / 8)), (lambda a, b: 0.9 * (a != b), range(6)):
        for package in abacoc, base:
            learner = package.Base(metric=metric)
            for site in stream:
                learner.update(points[site], 0)
            assert (learner.phase, learner.dimension, learner.n_balls) == (1, 1, 6)
