"""Metric axioms, known distances, and covering constants that no packing contradicts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import SPACES

from abacoc.metrics import circle as arc
from abacoc.metrics import euclidean
from abacoc_theory.regret import spaces as sp
from abacoc_theory.regret.spaces import FiniteSpace

WORDS = ["", "a", "ball", "bell", "cover", "covers", "over", "phase", "phrase", "stream"]
SMALL = [
    sp.interval(1),
    sp.interval(17),
    sp.interval(30),
    sp.points_on_line([0.3, 0.1, 0.95, 0.1 + 1e-12, 1.05]),
    sp.square(5),
    sp.square(6),
    sp.cube(3),
    sp.cube(4),
    sp.circle(16),
    sp.circle(25),
    sp.cantor(4),
    sp.cantor(3, 0.45),
    sp.sierpinski(3),
    sp.cantor_product(2),
    sp.cantor_product(1, 2 ** (-2 / 1.5)),
    sp.cantor_product(0, 0.4, 3),
    sp.tree(2, 5),
    sp.tree(3, 3, 0.3),
    sp.tree(8, 2, 0.5),
    sp.strings(WORDS),
    sp.star(3, 5),
    sp.star(4, 6),
    sp.star(12, 2),
    sp.product_max(sp.interval(5), sp.circle(6)),
    sp.product_max(sp.tree(2, 2), sp.star(3, 2)),
    sp.discrete(9),
    sp.discrete(20, 0.3),
    sp.from_points([[0.0, 0.1], [0.5, 0.9], [1.0, 0.7]], "chebyshev"),
    sp.from_metric([0.1, 0.9, 1.6], arc, name="arc"),
    sp.from_matrix([[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]),
]
every_small = pytest.mark.parametrize("space", SMALL, ids=lambda space: space.name)


def table(space: FiniteSpace) -> np.ndarray:
    return np.array([space.row(i) for i in range(space.n)])


def check_axioms(space: FiniteSpace) -> None:
    D = table(space)
    assert D.dtype == np.float64
    assert D.shape == (space.n, space.n)
    assert ((D >= 0) & (D <= 1)).all()
    assert (D == D.T).all()
    assert (D.diagonal() == 0).all()
    # At most three squares, two sums and a root: a distance up to 1 is wrong by 2^-51 at most.
    # The inequality has three distances and a sum.
    assert all((D[:, [k]] + D[k] >= D - 2.0**-49).all() for k in range(space.n))


@every_small
def test_metric_axioms(space: FiniteSpace) -> None:
    check_axioms(space)
    off_diagonal = table(space)[~np.eye(space.n, dtype=bool)]
    assert (off_diagonal > 0).all()


@given(st.data())
def test_metric_axioms_of_random_spaces(data: st.DataObject) -> None:
    given_space = data.draw(st.sampled_from(SPACES))
    points = data.draw(st.lists(given_space.points, min_size=1, max_size=12))
    check_axioms(sp.from_metric(points, given_space.distance))
    if given_space.name in ("line", "square", "cube"):
        space = sp.from_points(points)
        check_axioms(space)
        expected = [[min(1.0, euclidean(a, b)) for b in points] for a in points]
        assert table(space).tolist() == expected
        check_axioms(sp.from_points(points, "chebyshev"))
    if given_space.name == "words":
        check_axioms(sp.strings(points))


@every_small
def test_a_distance_has_the_bits_of_the_row(space: FiniteSpace) -> None:
    for i in range(space.n):
        assert [space.distance(i, j) for j in range(space.n)] == space.row(i).tolist()


def test_rows_can_be_changed_without_harm() -> None:
    for space in SMALL:
        before = space.row(0)
        space.row(0)[:] = 7
        assert space.row(0).tolist() == before.tolist()


@pytest.mark.parametrize(
    "space",
    [
        *(sp.interval(9), sp.square(7), sp.cube(5), sp.circle(8), sp.cantor(5), sp.sierpinski(4)),
        *(sp.tree(3, 3), sp.star(4, 7), sp.discrete(3), sp.strings(["ab", "c"]), SMALL[13]),
    ],
    ids=lambda space: space.name,
)
def test_diameter_one(space: FiniteSpace) -> None:
    assert 1 - 2.0**-50 <= table(space).max() <= 1  # _ROUNDING in the module has the reason


def test_dimensions() -> None:
    assert sp.cantor(3).dimension == pytest.approx(math.log(2) / math.log(3), abs=2**-50)
    assert sp.cantor_product(2).dimension == pytest.approx(2 * math.log(2, 3), abs=2**-50)
    assert sp.sierpinski(2).dimension == math.log2(3)
    assert sp.tree(4, 2).dimension == 2
    assert [s.dimension for s in (sp.interval(3), sp.square(3), sp.cube(3))] == [1, 2, 3]
    assert sp.discrete(5).dimension == 0
    assert sp.star(5, 2).at_dimension(2).dimension == 2


def test_sizes_and_places() -> None:
    assert sp.cantor(6).n == 2**7
    assert sp.sierpinski(4).n == (3**5 + 3) // 2
    assert sp.star(4, 6).n == 25
    assert sp.tree(3, 4).n == 81
    assert (np.diff(sp.cantor(8).row(0)) > 0).all()
    pairs = sp.product_max(sp.interval(3), sp.circle(4))
    assert pairs.distance(2 * 4 + 1, 0 * 4 + 3) == 1.0
    assert pairs.distance(2 * 4 + 1, 1 * 4 + 1) == 0.5
    lattice, triangle = sp.square(4).points, sp.sierpinski(2).points
    assert lattice is not None
    assert lattice.shape == (16, 2)
    assert triangle is not None
    assert triangle.max() == 1


@every_small
def test_no_packing_contradicts_the_covering_constant(space: FiniteSpace) -> None:
    """Points more than eps apart lie in different balls of radius eps/2 (proof of Lemma 1)."""
    D = table(space)
    assert space.covering >= 1
    for eps in np.unique(D[D > 0]):
        below = np.nextafter(eps, 0)  # the largest packing for the largest radius
        kept: list[int] = []
        for i in range(space.n):
            if (D[i, kept] > below).all():
                kept.append(i)
        assert len(kept) <= space.covering * (2 / below) ** space.dimension


def test_bad_input() -> None:
    for points in ([], [[math.nan]], [1.0, 2.0]):
        with pytest.raises(ValueError, match="points must be"):
            sp.from_points(points)
    for far in ([[0.0], [1.5]], [[0.0], [1 + 2**-52]], [[0.0, 0.0], [0.6, 0.8 + 2**-40]]):
        with pytest.raises(ValueError, match="diameter"):
            sp.from_points(far)
    with pytest.raises(ValueError, match="metric"):
        sp.from_points([[0.0]], "taxi")  # type: ignore[arg-type]
    for D in ([[0, 1]], [[0, 0.5], [0.4, 0]], [[0, 2], [2, 0]], [[0.1]], [[math.nan]]):
        with pytest.raises(ValueError, match="distances"):
            sp.from_matrix(D)
    with pytest.raises(ValueError, match="triangle"):
        sp.from_matrix([[0, 0.2, 1], [0.2, 0, 0.2], [1, 0.2, 0]])
    with pytest.raises(ValueError, match="between 0 and 1"):
        sp.from_metric([0.0, 2.0], lambda a, b: abs(a - b)).row(0)
    for ratio in (0.0, 0.5, 1.0):
        with pytest.raises(ValueError, match="ratio"):
            sp.cantor(2, ratio)
    with pytest.raises(ValueError, match="together"):
        sp.cantor(12, 0.01)
    for arguments in ((1, 2, 0.5), (2, 0, 0.5), (2, 2, 1.0)):
        with pytest.raises(ValueError, match="tree"):
            sp.tree(*arguments)
    with pytest.raises(ValueError, match="distance"):
        sp.discrete(3, 1.5)
    for i in (-1, 3):
        with pytest.raises(IndexError):
            sp.interval(3).row(i)
        with pytest.raises(IndexError):
            sp.interval(3).distance(0, i)


def test_a_box_that_is_too_large_can_hold_points_that_are_not() -> None:
    """Three points about 1 apart: the box has a diagonal of 1.3, so the constant is computed."""
    space = sp.from_points([[0.0, 0.0], [1.0, 0.0], [0.5, math.sqrt(0.74)]])
    assert space.known_covering is None
    assert space.covering == pytest.approx(3 * 0.99)  # three balls below sqrt(0.99)
