"""The laboratory: any space, any adversary, any algorithm, exact regrets and the bounds."""

import math
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from test_package import ROOT, build

import abacoc_theory
from abacoc import Base
from abacoc_theory import (
    bounds,
    check_bound,
    cube,
    discrete,
    from_matrix,
    from_metric,
    from_points,
    interval,
    square,
    tree,
)
from abacoc_theory.regret.adversaries import adversaries, opposite, play
from abacoc_theory.regret.comparator import best_lipschitz_sites
from abacoc_theory.regret.lab import WITHOUT
from abacoc_theory.regret.one_ball import worst_regrets
from abacoc_theory.regret.sites import SiteBase

SPACES = [
    interval(41),
    square(6),
    tree(3, 4),
    discrete(60, 0.4),
    from_matrix([[0, 0.5], [0.5, 0]]),
    from_metric([0.0, 0.2, 0.9], lambda a, b: abs(a - b)),
]


class OneBall:
    """All points share one ball."""

    def __init__(self):
        self.ones = self.n = 0

    def probability(self, x):
        return (self.ones + 1) / (self.n + 2)

    def update(self, x, y):
        self.ones, self.n = self.ones + y, self.n + 1


class Twice:
    """Each site twice, with both labels."""

    def __init__(self):
        self.t = -1

    def next(self, learner):
        self.t += 1
        return self.t // 2 % learner.space.n, self.t % 2


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
@pytest.mark.parametrize("L", [0.0, 1.0, 7.5])
@pytest.mark.parametrize("name", ["opposite", "traps", "extremal", "smooth"])
def test_regret_and_certificate(space, L, name):
    """Against the full matrix, by the general way; every bound is promised and holds."""
    result = check_bound(space, name, 300, L)
    played = play(SiteBase(space, space.covering), adversaries(L)[name], 300)
    assert result.p.tolist() == played.p.tolist()
    ones, zeros = (np.bincount(result.sites[result.labels == y], minlength=space.n) for y in (1, 0))
    matrix = np.array([space.row(i) for i in range(space.n)])
    plain = best_lipschitz_sites(matrix, ones, zeros, L)
    # the line rounds positions, all else 1 - L rho: by 2^-53 for each of the 300 examples
    assert result.comparator.loss == pytest.approx(plain.loss, abs=300 * 2.0**-53)
    assert result.regret == result.mistakes - result.comparator.loss
    assert result.comparator.verify() == pytest.approx(0, abs=2.0**-51 * 300)  # of its docstring
    assert result.comparator.gap == 0
    assert len(result.comparator.f) == len(result.seen)
    assert result.phases == played.learner.history
    expected = bounds(300, space.dimension, space.covering, L)
    assert {key: result.bounds[key] for key in expected} == expected
    if space.dimension >= 1 and space.dimension == int(space.dimension):
        assert result.holds
    assert not {*result.broken} & {"corrected", "sharpened", WITHOUT}


def test_bound_without_hypotheses_counts_the_balls_of_all_phases():
    space, L = discrete(250, 0.9), 2.0
    result = check_bound(space, "uniform", 2000, L, covering=1.0)
    assert len(result.phases) > 1
    reference = Base(1.0, metric=space.distance)
    sizes, distances, seen = [], [], (1, ())
    for x, y in zip(*result.stream, strict=True):
        before = reference.n_balls, reference.phase
        near = [space.distance(c, x) for c in reference.balls.centres] if before[0] else []
        reference.update(int(x), int(y))
        if reference.phase > before[1]:
            sizes += seen[1]
        if (reference.n_balls, reference.phase) == before:
            distances.append(min(near))
        seen = reference.phase, tuple(reference.balls.counts.sum(axis=1).tolist())
    sizes += seen[1]
    assert sum(sizes) == 2000
    by_hand = sum(min(math.sqrt(n), 0.75 * math.sqrt(n + 1) - 0.06) for n in sizes)
    # sums of up to 2000 numbers, each rounded once
    assert result.bounds[WITHOUT] == pytest.approx(by_hand + L * sum(distances), rel=2000 * 2**-53)
    # it is the best that one ball can say, or nearly
    assert worst_regrets(max(sizes))[np.array(sizes) - 1].sum() <= by_hand


def test_every_kind_of_adversary():
    space = interval(9)
    by_name = check_bound(space, "opposite", 50, seed=3)
    by_function = check_bound(space, opposite, 50, seed=3)
    by_stream = check_bound(space, by_name.stream)
    shorter = check_bound(space, by_name.stream, 20)
    assert by_name.regret == by_function.regret == by_stream.regret
    assert by_name.regret != check_bound(space, "opposite", 50, seed=4).regret
    assert (by_stream.T, shorter.T) == (50, 20)
    assert check_bound(space, Twice, 6).stream[0].tolist() == [0, 0, 1, 1, 2, 2]
    assert check_bound(space, Twice(), 6).stream[1].tolist() == [0, 1] * 3
    assert check_bound(space, Twice, 6).comparator.loss == 3


def test_another_algorithm():
    result = check_bound(square(4), "opposite", 40, algorithm=OneBall)
    assert result.algorithm == "OneBall"
    assert result.phases == []
    assert not result.is_promised
    assert WITHOUT not in result.bounds
    assert "These bounds are BASE's" in str(result)
    assert abs(result.regret) < 40
    assert result.over_time(4)["steps"] == [1, 3, 12, 40]


def test_base_itself_as_another_algorithm():
    """It gets the points of a space that has some, and the numbers of the sites of another."""
    for space, base in ((square(5), Base()), (tree(2, 4), Base(metric=tree(2, 4).distance))):
        ours = check_bound(space, "uniform", 200, covering=1.0)
        assert check_bound(space, ours.stream, algorithm=base).p.tolist() == ours.p.tolist()


def test_over_time_ends_with_the_result():
    result = check_bound(cube(4), "traps", 700, 0.0, covering=1.0)
    told = result.over_time(5)
    assert [told["steps"][-1], told["regret"][-1]] == [700, result.regret]
    assert {name: told[name][-1] for name in result.bounds} == result.bounds
    half = check_bound(cube(4), result.stream, told["steps"][3], 0.0, covering=1.0)
    assert told["regret"][3] == half.regret
    assert told[WITHOUT][3] == half.bounds[WITHOUT]


def test_text_and_picture(tmp_path):
    result = check_bound(interval(9), "opposite", 100, covering=4.0)
    for part in ("BASE on interval(9)", "regret", "C-hat = 4", WITHOUT, "holds", "gap 0"):
        assert part in str(result)
    figure = result.plot(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
    assert [len(line.get_xdata()) > 5 for line in figure.axes[0].lines] == [True] * 5


def test_the_stated_bound_breaks_below_dimension_one():
    """Two points a ball apart for 25^3 steps, and f that tells them apart."""
    space = from_points([[0.0], [0.04]], dimension=0.0)
    result = check_bound(space, "edges", 25**3, 25.0)
    assert result.is_promised
    assert result.broken == ["stated"]
    assert "BROKEN" in str(result)


def test_a_constant_that_is_too_small_is_told():
    result = check_bound(discrete(30), "opposite", 100, covering=1.0)
    assert not result.is_promised
    assert "C-hat < C_S" in str(result)


def gives_up(learner, T, rng):
    yield 0, 1


def nonsense(learner, T, rng):
    yield 0.5, 1


class Wild(OneBall):
    def probability(self, x):
        return math.nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"space": [[0.0]]}, "the space is made by"),
        ({"L": -1}, "L must be"),
        ({"L": math.nan}, "L must be"),
        ({"L": math.inf}, "L must be"),
        ({"T": 0}, "T must be"),
        ({"T": None}, "T must be"),
        ({"T": 1.5}, "T must be"),
        ({"adversary": "nobody"}, "there are opposite"),
        ({"adversary": 3}, "an adversary is"),
        ({"adversary": ([0, 1], [1])}, "two sequences of the same length"),
        ({"adversary": ([0], [1])}, "the stream has 1 steps"),
        ({"adversary": ([0] * 9, [2] * 9)}, "a label 0 or 1"),
        ({"adversary": ([5] * 9, [1] * 9)}, "a site from 0 to 4"),
        ({"adversary": gives_up}, "gave up after 1 of 5"),
        ({"adversary": nonsense}, "nonsense must give a site"),
        ({"covering": 0.5}, "covering constant"),
        ({"algorithm": object()}, "an algorithm has"),
        ({"algorithm": Wild}, "from 0 to 1, not nan"),
        ({"adversary": "traps", "algorithm": OneBall}, "which OneBall does not have"),
    ],
)
def test_nonsense(change, message):
    arguments = {"space": interval(5), "adversary": "opposite", "T": 5, "L": 1.0} | change
    with pytest.raises(ValueError, match=message):
        check_bound(**arguments)


PROGRAM = """
import sys, abacoc_theory
assert not {'numpy', 'scipy', 'sympy', 'matplotlib'} & {*sys.modules}, 'imported too early'
from abacoc_theory import *
assert {*abacoc_theory.__all__} <= {*globals()}
print(check_bound(tree(2, 3), 'uniform', 30).regret)
print(abacoc_theory.__file__)
"""


def test_the_same_names_in_a_checkout_and_in_a_wheel(tmp_path):
    """And nothing heavy is imported before it is asked for."""
    zipfile.ZipFile(build("wheel", tmp_path)).extractall(tmp_path / "site")
    found = []
    for folder, file in (
        (tmp_path / "site", "abacoc_theory/__init__.py"),
        (ROOT, "abacoc_theory.py"),
    ):
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        regret, home = done.stdout.split()
        assert home == str(folder / file)
        found.append(regret)
    assert found[0] == found[1]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = abacoc_theory.nothing
