"""Every adversary in every space, with exact regrets and the bounds beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from . import spaces as sp
from . import tightness
from .adversaries import Moves, adversaries, play
from .bounds import bounds, refined_bound
from .search import search
from .sites import SiteBase
from .spaces import FiniteSpace

WORDS = [
    *("ball", "balls", "bell", "cell", "cells", "cover", "covers", "hover", "over", "overt"),
    *("phase", "phases", "phrase", "praise", "raise", "stream", "streams", "steam", "team"),
    *("tree", "trees", "three", "label", "labels", "able", "table", "metric", "metrics"),
]
CONSTANTS = (0.0, 1.0, 4.0, 16.0)  # L


@dataclass(frozen=True)
class Run:
    """One stream, its exact regret and the bounds."""

    experiment: str
    space: str
    adversary: str
    d: float
    C: float
    L: float
    T: int
    n_balls: int
    phases: int
    regret: float
    stated: float
    corrected: float
    sharpened: float
    refined: float  # with the balls and steps that the phases really had


def growth_spaces() -> list[FiniteSpace]:
    """Sets of dimension 1, 2 and 3, fine enough for T = 10^6, with up to 576 sites."""
    return [sp.interval(401), sp.star(4, 100), sp.square(24), sp.cube(8)]


def all_spaces() -> list[FiniteSpace]:
    """A set of each kind; words get the C_S that they have for d = 2."""
    return [
        sp.interval(201),
        sp.square(14),
        sp.cube(6),
        sp.circle(200),
        sp.cantor(6),
        sp.tree(2, 7),
        sp.tree(3, 5),
        sp.star(4, 50),
        sp.strings(WORDS, dimension=2.0),
        tightness.hub_tree(3, 500),
    ]


def small_spaces() -> list[FiniteSpace]:
    """Few sites of each kind, for the search."""
    return [
        sp.interval(5),
        sp.square(3),
        sp.cube(2),
        sp.circle(6),
        sp.cantor(2),
        sp.tree(2, 3),
        sp.star(3, 2),
        sp.strings(WORDS[:8], dimension=2.0),
        tightness.hub_tree(1, 6),
    ]


def growth(horizons: Sequence[int], longer: Sequence[int]) -> Iterator[Run]:
    """Every adversary on the sets of dimension 1, 2 and 3; longer, the layouts made for them."""
    for space in growth_spaces():
        for T in horizons:
            yield from _every_adversary("growth", space, T)
    for d in (1, 2, 3):
        for T in longer:
            tried = [_of_layout(layout, T) for layout in tightness.hub_layouts(d, T)]
            yield max(tried, key=lambda run: run.regret)
            played = tightness.wedge(d, T)
            for L in CONSTANTS[1:]:
                yield _row("growth", "wedge", played.learner, T, L, played.regret(L))


def battery(horizons: Sequence[int]) -> Iterator[Run]:
    """Every adversary in every kind of space."""
    for space in all_spaces():
        for T in horizons:
            yield from _every_adversary("battery", space, T)


def searches(restarts: int, steps: int) -> Iterator[Run]:
    """The worst short streams that a local search finds."""

    def sharpened(T: int, d: float, C: float, L: float) -> float:
        return bounds(T, d, C, L)["sharpened"]

    for space in small_spaces():
        found = search(space, sharpened, restarts=restarts, steps=steps)
        learner = SiteBase(space, space.covering)
        learner.run(found.sites, found.labels)
        yield _row("search", "search", learner, found.T, found.L, found.regret)


def _every_adversary(experiment: str, space: FiniteSpace, T: int) -> Iterator[Run]:
    for name, moves in adversaries(CONSTANTS[0]).items():
        if name == "smooth":
            for L in CONSTANTS:
                yield from _played(experiment, space, name, adversaries(L)[name], T, [L])
        else:
            yield from _played(experiment, space, name, moves, T, CONSTANTS)


def _played(
    experiment: str, space: FiniteSpace, name: str, moves: Moves, T: int, constants: Iterable[float]
) -> Iterator[Run]:
    played = play(SiteBase(space, space.covering), moves, T)
    for L in constants:
        yield _row(experiment, name, played.learner, T, L, played.regret(L))


def _of_layout(layout: tightness.Layout, T: int) -> Run:
    learner = SiteBase(layout.space, layout.space.covering)
    played = play(learner, tightness.refine(layout), T)
    return _row("growth", "refine", learner, T, 0.0, played.regret(0.0))


def _row(experiment: str, name: str, learner: SiteBase, T: int, L: float, regret: float) -> Run:
    space, C, history = learner.space, learner.covering_constant, learner.history
    return Run(
        experiment=experiment,
        space=space.name,
        adversary=name,
        d=space.dimension,
        C=C,
        L=L,
        T=T,
        n_balls=learner.n_balls,
        phases=learner.phase,
        regret=regret,
        refined=refined_bound(history, L),
        **bounds(T, space.dimension, C, L),
    )
