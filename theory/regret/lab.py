"""A laboratory for regret: a space, an adversary, an algorithm, and whether the bounds hold.

Everything is exact: expected mistakes are a sum, no coin is tossed, and the best L-Lipschitz
function comes with a certificate that can be checked anew.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

import numpy as np

from .adversaries import FloatArray, IntArray, adversaries, best_function
from .bounds import bound_without_hypotheses, bounds, stated_bound
from .comparator import Comparator
from .line_comparator import LineComparator
from .sites import Phase, SiteBase, expected_mistakes
from .spaces import FiniteSpace

PREFIXES = 12  # of the stream, in a plot
WITHOUT = "without hypotheses"  # the bound that needs none


class Algorithm(Protocol):
    """Whatever can take BASE's place: x is a point, or the number of a site if it has none."""

    def probability(self, x: Any) -> float:
        """The chance of predicting 1."""

    def update(self, x: Any, y: int) -> None:
        """Learn one example."""


class Adversary(Protocol):
    """Whatever chooses the next example. The learner has ``space`` and ``probability(site)``."""

    def next(self, learner: Any) -> tuple[int, int]:
        """A site and its label, 0 or 1."""


@dataclass(frozen=True, eq=False)
class Result:
    """What came out; ``print`` it, or look at its parts.

    ``bounds`` has *stated*, Theorem 1 as it is printed, with C_S and d; *corrected*, with the C-hat
    that BASE runs with and D = max(1, ceil(d)); *sharpened*, of the sharper theorem; and *without
    hypotheses*, by the balls and the distances that really occurred. For an algorithm other than
    BASE the last one is left out, and the others are there to compare with: they are BASE's.
    """

    space: FiniteSpace
    algorithm: str
    covering: float  # C-hat
    L: float
    sites: IntArray
    labels: IntArray
    p: FloatArray  # the chance of predicting 1, at each step
    seen: IntArray  # the sites that came; the comparator's f has a value for each
    comparator: Comparator | LineComparator
    phases: list[Phase] = field(repr=False)  # BASE's; none for others
    bounds: dict[str, float]

    @functools.cached_property
    def mistakes(self) -> float:
        """The expected number of mistakes."""
        return expected_mistakes(self.p, self.labels)

    @property
    def T(self) -> int:
        """The number of steps."""
        return len(self.labels)

    @property
    def regret(self) -> float:
        """Expected mistakes beyond those of the best L-Lipschitz function."""
        return self.mistakes - self.comparator.loss

    @property
    def broken(self) -> list[str]:
        """The bounds that the regret is above."""
        return [name for name, bound in self.bounds.items() if not self.regret <= bound]

    @property
    def holds(self) -> bool:
        """Whether the regret is within all the bounds."""
        return not self.broken

    @property
    def is_promised(self) -> bool:
        """Whether the hypothesis C-hat >= C_S of the theorems is met, and BASE has played."""
        return bool(self.phases) and self.covering >= self.space.covering

    @property
    def stream(self) -> tuple[IntArray, IntArray]:
        """The sites and labels, to be given to ``check_bound`` in place of an adversary."""
        return self.sites, self.labels

    def __str__(self) -> str:
        """One screen."""
        space, best = self.space, self.comparator
        covering = f"d = {space.dimension:.4g}, C_S = {space.covering:.6g}"
        lines = [
            f"{self.algorithm} on {space.name} ({space.n:,} sites, {covering})",
            f"steps       {self.T:,}, on {len(self.seen):,} sites, L = {self.L:g}",
            f"mistakes    {self.mistakes:,.3f} expected",
            f"comparator  {best.loss:,.3f} (dual {best.dual_value:,.3f}, gap {best.gap:g})",
            f"regret      {self.regret:,.3f}",
        ]
        if self.phases:
            told = ", ".join(f"d = {ph.dimension}: {ph.n_balls:,} balls" for ph in self.phases)
            lines.append(f"phases      {len(self.phases)} ({told}), C-hat = {self.covering:g}")
        for name, bound in self.bounds.items():
            verdict = "BROKEN" if name in self.broken else "holds"
            lines.append(f"  {name:20s}{bound:14,.1f}  {verdict}")
        if not self.phases:
            lines.append("These bounds are BASE's: nobody promises them for this algorithm.")
        elif not self.is_promised:
            lines.append("C-hat < C_S: only the bound without hypotheses is promised.")
        return "\n".join(lines)

    def over_time(self, prefixes: int = PREFIXES) -> dict[str, list[float]]:
        """Steps, regret and bounds after ever longer beginnings of the stream."""
        steps = np.unique(np.geomspace(1, self.T, prefixes).round().astype(int)).tolist()
        told: dict[str, list[float]] = {"steps": steps, "regret": []}
        base = SiteBase(self.space, self.covering) if self.phases else None
        done = 0
        for t in steps:
            sites, labels = self.sites[:t], self.labels[:t]
            if base:
                base.run(sites[done:], labels[done:])
            done = t
            loss = best_function(self.space, sites, labels, self.L)[1].loss
            told["regret"].append(expected_mistakes(self.p[:t], labels) - loss)
            for name, bound in _bounds(self.space, t, self.L, self.covering, base).items():
                told.setdefault(name, []).append(bound)
        return told

    def plot(self, path: str | None = None) -> Any:
        """The regret over time against the bounds; the figure, which is also saved if asked for.

        Needs matplotlib.
        """
        from matplotlib.figure import Figure

        told = self.over_time()
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        panel = figure.subplots()
        steps = told.pop("steps")
        regret = told.pop("regret")
        panel.plot(steps, regret, "k.-", label=f"regret of {self.algorithm}")
        styles = ("-", "--", "-.", ":")  # two of them are often the same curve
        for (name, values), style in zip(told.items(), styles, strict=False):
            panel.plot(steps, values, style, label=name)
        scale = "log" if min(regret) > 0 else "symlog"  # which has room for a negative one
        panel.set(xscale="log", yscale=scale, xlabel="steps", ylabel="expected mistakes")
        panel.set_title(f"{self.space.name}, L = {self.L:g}")
        panel.legend()
        if path is not None:
            figure.savefig(path)
        return figure


def check_bound(
    space: FiniteSpace,
    adversary: Any,
    T: int | None = None,
    L: float = 1.0,
    *,
    algorithm: Any = None,
    covering: float | None = None,
    seed: int = 0,
) -> Result:
    """Let an adversary play T steps against BASE, or another algorithm; compare with the bounds.

    The ``adversary`` is a name (``opposite``, ``extremal``, ``traps``, ...), a generator function
    of (learner, T, rng), a class or an object with ``next(learner) -> (site, label)``, or a fixed
    stream (sites, labels), of which T may be left out. The ``algorithm`` is a class or a fresh
    object with ``probability(x)`` and ``update(x, y)``. ``covering`` is C-hat, the constant that
    BASE runs with, the C_S of the space unless given.

    >>> from abacoc_theory import interval
    >>> result = check_bound(interval(101), "opposite", 1000, L=1)
    >>> round(result.regret, 2), result.comparator.verify(), result.holds
    (39.25, 0.0, True)
    >>> stream = [0, 100, 0, 100], [1, 0, 1, 0]
    >>> check_bound(interval(101), stream, L=1).comparator.f.tolist()
    [1.0, 0.0]
    """
    if not hasattr(space, "measure"):
        raise ValueError(f"the space is made by from_points, tree, ..., and is no {_kind(space)}")
    if not 0 <= L < math.inf:
        raise ValueError(f"L must be a number of at least 0, not {L!r}")
    name, moves, T = _moves(space, adversary, T, L)
    constant = space.covering if covering is None else covering
    base = SiteBase(space, constant)  # which refuses a constant below 1
    learner: Any = base
    if algorithm is not None:
        algorithm = algorithm() if isinstance(algorithm, type) else algorithm
        if not (hasattr(algorithm, "probability") and hasattr(algorithm, "update")):
            raise ValueError(f"an algorithm has probability(x) and update(x, y): {algorithm!r}")
        learner = BySite(space, algorithm)
    sites, labels, p = _play(learner, name, moves(learner, T, np.random.default_rng(seed)), T)
    seen, best = best_function(space, sites, labels, L)
    return Result(
        space=space,
        algorithm="BASE" if algorithm is None else _kind(algorithm),
        covering=float(constant),
        L=float(L),
        sites=sites,
        labels=labels,
        p=p,
        seen=seen,
        comparator=best,
        phases=base.history if algorithm is None else [],
        bounds=_bounds(space, T, L, constant, base if algorithm is None else None),
    )


class BySite:
    """An algorithm that is asked by site, as BASE is.

    >>> from abacoc_theory import OneBall, interval
    >>> BySite(interval(3), OneBall()).probability(2)
    0.5
    """

    def __init__(self, space: FiniteSpace, algorithm: Algorithm) -> None:
        self.space, self.algorithm = space, algorithm
        self._points: Any = range(space.n) if space.points is None else space.points

    def probability(self, site: int) -> float:
        """The chance of predicting 1 at the site."""
        chance = float(self.algorithm.probability(self._points[site]))
        if not 0 <= chance <= 1:
            raise ValueError(f"the algorithm's probability must be from 0 to 1, not {chance}")
        return chance

    def update(self, site: int, label: int) -> None:
        """Learn one example."""
        self.algorithm.update(self._points[site], label)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return getattr(self.algorithm, name)
        except AttributeError:
            raise ValueError(
                f"the adversary looks at {name!r}, which {_kind(self.algorithm)} does not have; "
                "give it the stream that was played against BASE instead"
            ) from None


def _kind(thing: Any) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__))


def _moves(
    space: FiniteSpace, adversary: Any, T: int | None, L: float
) -> tuple[str, Callable[..., Iterator[tuple[int, int]]], int]:
    """The adversary's name and its moves, as a generator function, and the number of steps."""
    if isinstance(adversary, tuple):
        name, moves, length = "the stream", *_fixed(adversary)
        T = length if T is None else T
        if length < T:
            raise ValueError(f"the stream has {length} steps, not {T}")
    elif isinstance(adversary, str):
        known = adversaries(L)
        if adversary not in known:
            raise ValueError(f"no adversary {adversary!r}: there are {', '.join(known)}")
        name, moves = adversary, known[adversary]
    elif hasattr(adversary, "next"):
        player = adversary() if isinstance(adversary, type) else adversary
        name, moves = _kind(adversary), functools.partial(_asked, player)
    elif callable(adversary):
        name, moves = _kind(adversary), adversary
    else:
        raise ValueError(
            "an adversary is a name, a generator function, an object with next(learner), or a "
            f"stream (sites, labels); not {adversary!r}"
        )
    if not isinstance(T, int | np.integer) or T < 1:
        raise ValueError(f"T must be a whole number of at least 1, not {T!r}")
    return name, moves, int(T)


def _fixed(stream: tuple[Any, ...]) -> tuple[Callable[..., Iterator[tuple[int, int]]], int]:
    if len(stream) != 2 or np.ndim(stream[0]) != 1 or np.shape(stream[0]) != np.shape(stream[1]):
        raise ValueError("a stream is two sequences of the same length, the sites and the labels")
    pairs = list(zip(np.asarray(stream[0]).tolist(), np.asarray(stream[1]).tolist(), strict=True))
    return lambda learner, T, rng: iter(pairs), len(pairs)


def _asked(player: Adversary, learner: Any, T: int, rng: Any) -> Iterator[tuple[int, int]]:
    while True:
        yield player.next(learner)


def _play(
    learner: Any, name: str, moves: Iterator[Any], T: int
) -> tuple[IntArray, IntArray, FloatArray]:
    """The sites, the labels and the chances of predicting 1."""
    sites, labels, chances = [], [], []
    for move in islice(moves, T):
        try:
            site, label = move
            is_move = site == int(site) and 0 <= site < learner.space.n and label in (0, 1)
        except (TypeError, ValueError):
            is_move = False
        if not is_move:
            told = f"a site from 0 to {learner.space.n - 1} and a label 0 or 1"
            raise ValueError(f"{name} must give {told}, not {move!r}")
        site, label = int(site), int(label)
        chances.append(learner.probability(site))
        learner.update(site, label)
        sites.append(site)
        labels.append(label)
    if len(sites) < T:
        raise ValueError(f"{name} gave up after {len(sites)} of {T} steps")
    return np.array(sites), np.array(labels), np.array(chances)


def _bounds(
    space: FiniteSpace, T: int, L: float, covering: float, base: SiteBase | None
) -> dict[str, float]:
    d = space.dimension
    told = bounds(T, d, covering, L) | {"stated": stated_bound(T, d, space.covering, L)}
    return told if base is None else told | {WITHOUT: bound_without_hypotheses(base, L)}
