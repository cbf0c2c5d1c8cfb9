"""Random streams that drive BASE through its phases, and a record of what BASE made of them.

A phase ends when its balls outgrow its dimension, which streams of random points never achieve.
Here a plain simulation of the cover runs along while a stream is drawn: it waits at a centre until
the radius is below the gap between some site and all balls, goes to such fresh sites until the
check fires, and comes back to sites in between. The simulation is ``ExactBase``, which shares no
code with the learner: a wrong learner gets the streams that were made for the right one.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis import target
from scipy.sparse.csgraph import shortest_path

from abacoc.base import Base
from abacoc_theory.regret import spaces as sp
from abacoc_theory.regret import tightness
from abacoc_theory.regret.exact import ExactBase, star_covering_constant
from abacoc_theory.regret.sites import Phase, expected_mistakes
from abacoc_theory.regret.spaces import FiniteSpace

LENGTH = 330  # of a stream: four phases fit in, where leaves are at least a half apart


@dataclass(frozen=True)
class Stream:
    """N(eps) <= covering eps^-dimension holds in the space, and BASE is told this covering."""

    space: FiniteSpace
    sites: list[int]
    labels: list[int]

    @cached_property
    def rows(self) -> list[list[float]]:
        return table(self.space).tolist()


def table(space: FiniteSpace) -> np.ndarray:
    """All distances."""
    return np.array([space.row(i) for i in range(space.n)])


# Spaces ---------------------------------------------------------------------------------------


@st.composite
def equidistant(draw: st.DrawFn) -> FiniteSpace:
    """Leaves around a hub that is half as far and never streamed, where N(eps) changes once."""
    n, gap = draw(st.sampled_from([3, 4, 9, 16, 30, 230, 230])), draw(st.sampled_from(GAPS))
    tight = math.ceil(math.log(n) / math.log(2 / gap))  # the least with a constant of 1
    D = max(1, tight - draw(st.sampled_from([0, 0, 1])))
    exact = star_covering_constant(n, Fraction(gap), D)
    constant = float(exact)
    constant = constant if constant >= exact else math.nextafter(constant, math.inf)
    return replace(sp.discrete(n, gap), dimension=float(D), known_covering=constant)


GAPS = [0.5, 0.5, 0.6, 0.75, 0.9, 1.0]


@st.composite
def hub_trees(draw: st.DrawFn) -> FiniteSpace:
    """Leaves and hubs at all scales, as many as the dimension allows at each of them."""
    D = draw(st.sampled_from([1, 2, 3, 4, 4]))
    n = draw(st.sampled_from([2, 4, 6, 16, 40, 230, 230]))
    return tightness.hub_tree(D, n, draw(st.sampled_from([1.0, 1.0, 1.0, 1.5])))


@st.composite
def lattices(draw: st.DrawFn) -> FiniteSpace:
    """Points of a grid in a box of diameter 1, which has C_S = 1: many are equally far away."""
    d, side = draw(st.sampled_from([(1, 9), (2, 5), (2, 9), (3, 3), (3, 5), (4, 3), (5, 3)]))
    metric = draw(st.sampled_from(["chebyshev", "chebyshev", "euclidean"]))
    axes = np.meshgrid(*[np.linspace(0, 1, side)] * d)
    points = np.stack([axis.ravel() for axis in axes], axis=1)
    return sp.from_points(points / (1 if metric == "chebyshev" else math.sqrt(d)), metric)


@st.composite
def graphs(draw: st.DrawFn) -> FiniteSpace:
    """Shortest paths in a random graph, scaled to diameter 1; few nodes have most of the edges."""
    n, hubs = draw(st.sampled_from([2, 5, 12, 40, 230, 230])), draw(st.integers(1, 4))
    lengths = draw(st.sampled_from([[1], [2, 3], [1, 2, 3, 4, 5, 6, 7, 8]]))
    random = Random(draw(st.integers(0, 2**32 - 1)))
    edges = np.zeros((n, n))
    for i in range(1, n):
        edges[i, random.randrange(min(i, hubs))] = random.choice(lengths)
    for length in draw(st.lists(st.sampled_from(lengths), max_size=4)):
        edges[tuple(random.sample(range(n), 2))] = length
    paths = shortest_path(edges, directed=False)
    D = draw(st.integers(1, 6))
    return sp.from_matrix(paths / paths.max(), name="graph", dimension=float(D))


@st.composite
def no_metrics(draw: st.DrawFn) -> FiniteSpace:
    """Any positive numbers: above 1, another on the way back, no triangle inequality.

    A site may be far from itself, and the covering constant is any.
    """
    n, random = draw(st.integers(1, 30)), Random(draw(st.integers(0, 2**32 - 1)))
    power, scale = draw(st.sampled_from([0.1, 1.0, 4.0])), draw(st.sampled_from([0.5, 1.0, 3.0]))
    drawn = np.array([[1 - random.random() for _ in range(n)] for _ in range(n)])  # not 0
    rows = scale * (np.maximum(drawn, drawn.T) if draw(st.booleans()) else drawn) ** power
    if draw(st.booleans()):
        np.fill_diagonal(rows, 0.0)
    constant = draw(st.sampled_from([1.0, 1.3, 2.0]))
    return FiniteSpace("no metric", n, 1.0, lambda i, a, b: rows[i, a:b].copy(), constant)


# Streams --------------------------------------------------------------------------------------

# Open balls until a phase ends, or only so often; wait at a centre; come back to any site.
MOVES = ["climb", "climb", "climb", "open", "wait", "revisit"]
LABELS = ["coin", "mostly ones", "by site", "against the ball", "against, then ones"]


@st.composite
def streams(draw: st.DrawFn, spaces: st.SearchStrategy[FiniteSpace]) -> Stream:
    """A stream of up to 330 examples that was made while a simulation of BASE ran along."""
    space, random = draw(spaces), Random(draw(st.integers(0, 2**32 - 1)))
    rows = table(space)
    cover, gaps = ExactBase(rows.tolist(), Fraction(space.covering)), np.full(space.n, math.inf)
    visits = st.tuples(st.sampled_from(MOVES), st.integers(1, 40), st.sampled_from([0, 0, 0, 4]))
    sites: list[int] = []

    def visit(site: int) -> None:
        nonlocal gaps
        cover.update(site)
        if cover.steps == 1:
            gaps = rows[site]
        elif cover.centres[-1] == site:
            gaps = np.minimum(gaps, rows[site])
        sites.append(site)

    visit(random.randrange(space.n))
    for move, count, every in draw(st.lists(visits, min_size=3, max_size=9)):
        phase, n = cover.phase, 0
        while len(sites) < LENGTH and cover.phase == phase and (n < count or move == "climb"):
            n += 1
            fresh = np.flatnonzero(gaps ** (2 + cover.dimension) * (cover.steps + 1) > 1)
            if move == "revisit" or (every and n % every == 0):
                visit(random.randrange(space.n))
            elif move == "wait" or not fresh.size:
                if move == "climb" and len(cover.centres) == space.n:
                    break  # there is nothing left to open
                visit(cover.centres[0] if n % 2 else cover.centres[-1])
            else:
                visit(int(random.choice(fresh)))
    return Stream(space, sites, labels_for(draw(st.sampled_from(LABELS)), rows, sites, random))


def labels_for(rule: str, rows: np.ndarray, sites: list[int], random: Random) -> list[int]:
    """Labels by one of the rules; an adversary keeps the counts of a site and its near even."""
    if rule == "by site":
        fixed = [random.randrange(2) for _ in rows]
        return [fixed[site] for site in sites]
    if rule in ("coin", "mostly ones"):
        return [int(random.random() < (0.5 if rule == "coin" else 0.9)) for _ in sites]
    lead, labels, turn = np.zeros(len(rows)), [], random.randrange(len(sites) + 1)
    for t, site in enumerate(sites):
        label = 1 if rule == "against, then ones" and t >= turn else int(lead[site] < 0)
        lead[rows[site] <= 0.3] += 2 * label - 1  # where one ball may hold both
        labels.append(label)
    return labels


STRATEGIES = {
    "equidistant sets": streams(equidistant()),
    "hub trees": streams(hub_trees()),
    "lattices": streams(lattices()),
    "graphs": streams(graphs()),
    "no metrics": streams(no_metrics()),
}


# What BASE made of it -------------------------------------------------------------------------


@dataclass
class Ball:
    """All that one ball ever took up; the first prediction is not its own."""

    centre: int
    is_first: bool  # of the stream: nobody has predicted its first label
    t: list[int] = field(default_factory=list)


class Step(NamedTuple):
    """One example; ``k`` and ``d`` are those of the phase in which it arrived."""

    k: int
    d: int
    centres: list[int]  # before it
    ball: int | None  # the one that took it; None if it opened one
    starts_phase: bool


@dataclass
class Run:
    """BASE on a stream: its p_t, its steps, its phases and all balls that it ever had."""

    stream: Stream
    p: list[float] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    balls: list[Ball] = field(default_factory=list)

    def loss(self, t: list[int] | slice) -> float:
        """Expected mistakes on some of the examples."""
        return expected_mistakes(np.array(self.p)[t], np.array(self.stream.labels)[t])

    def counts(self, t: list[int] | slice) -> tuple[np.ndarray, np.ndarray]:
        """How often each site came with a one and with a zero in some of the examples."""
        sites, y = np.array(self.stream.sites)[t], np.array(self.stream.labels)[t]
        n = self.stream.space.n
        return np.bincount(sites[y == 1], minlength=n), np.bincount(sites[y == 0], minlength=n)


def watched(stream: Stream) -> Run:
    """Run the reference, and see for every example which ball took it: one, and no other changes.

    Steps and balls are counted here, from outside; only the phase and the dimension are asked for.
    """
    run, rows = Run(stream), stream.rows
    learner = Base(stream.space.covering, metric=lambda a, b: rows[a][b])
    current: list[Ball] = []
    totals: list[int] = []
    k, first = 1, 0
    for t, (site, label) in enumerate(zip(stream.sites, stream.labels, strict=True)):
        run.p.append(learner.probability(site))
        phase, d, centres = learner.phase, learner.dimension, [ball.centre for ball in current]
        learner.update(site, label)
        after = [sum(ball.counts) for ball in learner._balls]
        is_new = learner.phase > phase
        if is_new or len(after) > len(totals):
            assert after == ([1] if is_new else [*totals, 1]), "a ball opens, the others stay"
            if is_new:
                run.phases.append(Phase(phase, d, first + 1, t - first, len(current)))
                current, first = [], t
            current.append(Ball(site, t == 0))
            run.balls.append(current[-1])
            s = None
        else:
            grown = [s for s, (a, b) in enumerate(zip(totals, after, strict=True)) if a != b]
            assert len(grown) == 1, "one ball takes the example"
            (s,) = grown
            assert after[s] == totals[s] + 1
        current[-1 if s is None else s].t.append(t)
        run.steps.append(Step(k, d, centres, s, is_new))
        k, totals = (2 if is_new else k + 1), after
    last = len(stream.sites) - first
    run.phases.append(Phase(learner.phase, learner.dimension, first + 1, last, len(current)))
    target(float(learner.phase), label="phase")
    return run
