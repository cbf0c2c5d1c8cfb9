"""Random streams in several metric spaces of diameter at most 1."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from abacoc.metrics import circle, edit_distance, euclidean


def tree_distance(a: str, b: str) -> float:
    """Words as leaves of a tree: half as far for every letter that they share at the start."""
    if a == b:
        return 0.0
    shared = next((i for i, (p, q) in enumerate(zip(a, b, strict=True)) if p != q), len(a))
    return 2.0**-shared


def short_edit_distance(a: str, b: str) -> float:
    """Edit distance of words of up to eight letters, scaled to diameter 1."""
    return edit_distance(a, b) / 8


@dataclass(frozen=True)
class Space:
    name: str
    metric: str | Callable[[Any, Any], float]
    distance: Callable[[Any, Any], float]
    points: st.SearchStrategy[Any]


def _box(d: int) -> st.SearchStrategy[list[float]]:
    """Points of a cube with diagonal 1; on a lattice half the time, where ties are frequent."""
    side = 1 / math.sqrt(d)
    anywhere = st.floats(0, side, allow_subnormal=False)
    lattice = st.integers(0, 8).map(lambda i: i * side / 8)
    coordinate = st.one_of(anywhere, lattice)
    return st.lists(coordinate, min_size=d, max_size=d)


SPACES = [
    Space("line", "euclidean", euclidean, _box(1)),
    Space("square", "euclidean", euclidean, _box(2)),
    Space("cube", "euclidean", euclidean, _box(3)),
    Space("circle", circle, circle, st.floats(0, 2, allow_subnormal=False)),
    Space("tree", tree_distance, tree_distance, st.text("ab", min_size=7, max_size=7)),
    Space("words", short_edit_distance, short_edit_distance, st.text("abc", max_size=8)),
]


@st.composite
def streams(
    draw: st.DrawFn, labels: st.SearchStrategy[Any], max_size: int = 80
) -> tuple[Space, list[Any], list[Any]]:
    """A space and a stream in it; points come again, one after the other or much later."""
    space = draw(st.sampled_from(SPACES))
    sites = draw(st.lists(space.points, min_size=1, max_size=40))
    points = draw(st.lists(st.one_of(st.sampled_from(sites), space.points), max_size=max_size))
    points = sites + points
    y = draw(st.lists(labels, min_size=len(points), max_size=len(points)))
    return space, points, y


def multiclass() -> st.SearchStrategy[Any]:
    """Labels: one class for ever, two, or several with new ones turning up late."""
    return st.one_of(st.just("a"), st.sampled_from("ab"), st.sampled_from("abcdefg"))


@st.composite
def vector_streams(
    draw: st.DrawFn, integers: bool = False, max_size: int = 120
) -> tuple[list[list[float]], list[Any]]:
    """Vectors with ties, duplicates and lattices, and any labels."""
    d = draw(st.integers(1, 4))
    coordinate: st.SearchStrategy[float] = st.integers(-3, 3).map(float)
    if not integers:
        anywhere = st.floats(-1e6, 1e6, allow_subnormal=False).filter(_squares_do_not_vanish)
        coordinate = st.one_of(coordinate, anywhere)
    vector = st.lists(coordinate, min_size=d, max_size=d)
    sites = draw(st.lists(vector, min_size=1, max_size=30))
    X = draw(st.lists(st.one_of(st.sampled_from(sites), vector), min_size=1, max_size=max_size))
    y = draw(st.lists(draw(st.just(multiclass())), min_size=len(X), max_size=len(X)))
    return X, y


def _squares_do_not_vanish(value: float) -> bool:
    return value == 0 or abs(value) > 1e-30


def covering_constant(points: list[Any], distance: Callable[[Any, Any], float], d: float) -> float:
    """A valid C_S for dimension d: N(eps) <= C_S eps^-d for 0 < eps <= 1.

    Farthest-point traversal: k points cover everything within r_k, so N(eps) <= k for eps >= r_k,
    and k r_{k-1}^d bounds N(eps) eps^d on [r_k, r_{k-1}). The start is r_0 = 1, the diameter.
    """
    gap = [distance(points[0], p) for p in points]
    constant, radius, k = 1.0, 1.0, 1
    while True:
        constant = max(constant, k * radius**d)
        radius = max(gap)
        if radius == 0:
            return constant
        chosen = points[gap.index(radius)]
        gap = [min(g, distance(chosen, p)) for g, p in zip(gap, points, strict=True)]
        k += 1
