"""Lemma 1: the phases, the dimension estimate, how many balls a phase has; what the balls hold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp
from flint import arb

from ..regret.exact import ExactBase, all_streams, star_covering_constant, star_space
from ..regret.sites import SiteBase
from ..regret.spaces import from_matrix
from . import formal
from .ledger import Outcome, Scope, Steps
from .rigor import at_most_one, below, nonnegative, value
from .statement import Range, Statement, is_false, say
from .symbols import C_S, EPS, FROM_0, FROM_1, WHOLE, C, D, T, d, k

# Five points at equal distances, the leaves of a star: at 7/10 three of them start phase 2 at
# once although C_S(2) = 1.
LEAVES, DISTANCE, LENGTH = 5, Fraction(7, 10), 8
# d, points, their distance: the traps of dimension max(1, ceil(d))
TRAPS = (
    (Fraction(0), 1, Fraction(1)),
    (Fraction(1, 2), 1, Fraction(1)),
    (Fraction(1), 20, Fraction(1, 10)),
    (Fraction(21, 20), 23, Fraction(1, 10)),
    (Fraction(2), 16, Fraction(1, 2)),
    (Fraction(3), 64, Fraction(1, 2)),
)
# Steps at which a new point comes so that |S| = C 2 / eps exactly at step 8, and 5 balls at 16.
TIGHT = (0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4)

STEPS = Steps()

i, d_i, e = sp.symbols("i d_i e", positive=True)
N = sp.Symbol(r"N(\epsilon)", positive=True)
SIZE, LARGEST = sp.symbols("{|S_t|} {|S_i|}", positive=True)
COVER = "N(eps) <= C-hat eps^-d for 0 < eps <= 1"
CAPACITY = C * (2 / EPS) ** d_i  # line 15


@STEPS.add(
    id="definition",
    where="Section III, the metric dimension",
    statement=say(
        *(N, "<=", C_S * EPS**-d),
        ranges={C_S: FROM_1, d: FROM_0, EPS: Range(0, without="(")},
        meaning={N: sp.Integer(1)},  # the least that a cover of points can have
        given="S is not empty",
    ),
    amended=say(
        *(N, "<=", C_S * EPS**-d),
        ranges={C_S: FROM_1, d: FROM_0, EPS: Range(0, 1, without="(")},
        meaning={N: sp.Integer(1)},
        given="S is not empty",
    ),
    kind="symbolic",
    recorded="holds amended",
    note="Theorem 1 says 'any cover' where the smallest is meant",
    covers=Scope(("<=",), {C_S: FROM_1, d: FROM_0, EPS: Range(0, 1, without="(")}, N),
    mutants=lambda s: (
        s.over({EPS: Range(0, 2, without="(")}),
        s.over({C_S: Range(Fraction(1, 2))}),
        s.to(C_S * EPS**d),
    ),
)
def definition(claim: Statement) -> Outcome:
    """The condition can be met by sets of one point, on the whole range."""
    u = sp.Symbol("u", positive=True)
    if broken := claim.counterexample():
        return Outcome("fails", f"one point needs one ball; {broken}")
    # eps = 1/u with u >= 1: 1 <= C u^d
    if at_most_one(1 / claim.right.subs(EPS, 1 / u), {C_S: 1, u: 1, d: 0}):
        return Outcome("holds", "1 <= C u^d for u = 1/eps >= 1 and C >= 1")
    return Outcome("not established", "the right-hand side can be below 1")


class Seen(NamedTuple):
    """BASE after a step: phase, dimension, step of the phase, balls."""

    i: int
    d_i: int
    k: int
    size: int


@cache
def short_runs(constant: Fraction = Fraction(1)) -> list[list[Seen]]:
    """BASE on every stream of 8 examples over five sites."""
    space = star_space(LEAVES, DISTANCE)
    return [run(ExactBase(space, constant), stream) for stream in all_streams(LEAVES, LENGTH)]


def run(cover: ExactBase, stream: Iterator[int] | tuple[int, ...]) -> list[Seen]:
    """What BASE goes through on the stream, in rational arithmetic."""
    seen = []
    for site in stream:
        size = cover.update(site)
        seen.append(Seen(cover.phase, cover.dimension, cover.steps, size))
    return seen


@cache
def trap(leaves: int, distance: Fraction) -> list[Seen]:
    """Equidistant points with C_S = 1, each visited as soon as the radius permits."""
    cover, seen = ExactBase(star_space(leaves, distance), Fraction(1)), []
    for _ in range(1200):
        fresh = next((s for s in range(leaves) if s not in cover.centres), 0)
        outside = distance ** (2 + cover.dimension) * (cover.steps + 1) > 1
        seen += run(cover, (fresh if outside or not cover.centres else cover.centres[0],))
    return seen


@STEPS.add(
    id="lemma1-dimension",
    where="Lemma 1, first item",
    statement=say(*(i, "<=", d_i, "<=", d), ranges={d: FROM_0}, given=COVER),
    amended=say(*(i, "<=", d_i, "<=", sp.Max(1, sp.ceiling(d))), ranges={d: FROM_0}, given=COVER),
    kind="symbolic",
    formal="lemma_1",
    recorded="holds amended",
    covers=Scope(("<=", "<="), {d: FROM_0}),
    mutants=lambda s: (
        s.to(d_i, sp.ceiling(d)),
        s.to(d_i, sp.Max(1, sp.floor(d))),
        s.but({i: i + 1}),
    ),
)
def dimension(claim: Statement) -> Outcome:
    """i <= d_i <= max(1, ceil(d)): an invariant of every step that starts a phase."""
    for d_trap, leaves, distance in TRAPS:
        if Fraction(leaves) ** d_trap.denominator * (distance / 2) ** d_trap.numerator > 1:
            raise AssertionError("the trap has C_S > 1")
        for seen in trap(leaves, distance):
            if broken := claim.broken_at({d: d_trap, i: seen.i, d_i: seen.d_i}):
                return Outcome("fails", f"points: {leaves}, {distance} apart; {broken}")
    if claim.parts != (i, d_i, sp.Max(1, sp.ceiling(d))):
        return Outcome("not established", "the invariant is i <= d_i <= max(1, ceil(d))")
    if wrong := formal.disagrees("lemma_1"):
        return Outcome("not established", wrong)
    b, u, v = sp.symbols("b u v", nonnegative=True)  # b = 2/eps >= 2
    # The check fires if size > C b^(d_i); the new dimension is the least e with size <= C b^e.
    # For e <= d_i that is false, so e >= d_i + 1 >= i + 1 ...
    grows = at_most_one(b**d_i / b ** (d_i + u), {b: 2})
    # ... and true for a whole e >= d: centres in one ball of radius eps/2, at eps/2 - u and
    # eps/2 - v from its middle, would be at most eps apart, so |S| + 1 <= N(eps/2) <= C b^d <= C b^e.
    apart = nonnegative(EPS - (EPS / 2 - u) - (EPS / 2 - v))
    covers = sp.simplify((C * EPS**-d).subs(EPS, EPS / 2) - (CAPACITY.subs(d_i, d))) == 0
    if not (grows and apart and covers and at_most_one(b**d / b ** (d + u), {b: 2, d: 0})):
        return Outcome("not established", "the invariant is not kept")
    checked = 0
    for d_space in (1, 2, 3):
        for run_ in short_runs(star_covering_constant(LEAVES, DISTANCE, d_space)):
            if not run_[-1].i <= run_[-1].d_i <= d_space:
                return Outcome("fails", f"d_i = {run_[-1].d_i}, d = {d_space} in {run_}")
            checked += 1
    return Outcome("holds", "a phase starts with d_i < e <= ceil(d), since |S|+1 <= C (2/eps)^d; "
                   f"so it is in {len(TRAPS)} traps and on {checked:,} streams of {LENGTH}")  # fmt: skip


@STEPS.add(
    id="lemma1-size",
    where="Lemma 1, second item",
    statement=say(
        *(LARGEST, "<=", C * 4**d_i * EPS**-d_i),
        ranges={C: FROM_1, d_i: WHOLE},
        given="any t of phase i; |S_i| is the largest size in it",
    ),
    amended=say(
        *(SIZE, "<=", C * 2**d_i * EPS**-d_i),
        ranges={C: FROM_1, d_i: WHOLE},
        given="any t of phase i",
    ),
    kind="symbolic",
    formal="lemma_1",
    recorded="holds amended",
    note="the size at time t, and 2 for 4",
    covers=Scope(("<=",), {C: FROM_1, d_i: WHOLE}),
    mutants=lambda s: (
        s.to(C * sp.Rational(19, 10) ** d_i * EPS**-d_i),
        s.to(C * 2**d_i * EPS ** (1 - d_i)),
        s.over({C: Range(Fraction(1, 4))}),
    ),
)
def size(claim: Statement) -> Outcome:
    """|S_t| <= C 2^d eps_t^-d: an invariant of the three things that a step can do."""
    runs = [run(ExactBase(star_space(5, Fraction(99, 100))), TIGHT), *short_runs()]
    most: dict[tuple[int, int], int] = {}  # balls, by the step of the phase and its dimension
    for seen in runs:
        for now in seen:
            counted = seen if claim.left == LARGEST else [now]
            balls = max(other.size for other in counted if other.i == now.i)
            most[now.k, now.d_i] = max(balls, most.get((now.k, now.d_i), 0))
    for (step, dim), balls in most.items():
        at = {EPS: step ** sp.Rational(-1, 2 + dim), d_i: dim, C: 1}
        room = value(claim.right.subs(at), {})
        if is_false(arb(balls), "<=", room):
            return Outcome("fails", f"{balls} balls, room for {float(room):.3f} at step {step}")
    if claim.left != SIZE:
        return Outcome("not established", "the size at time t is what the check bounds")
    room = claim.right.subs(EPS, k ** (-1 / (2 + d_i)))
    low = {C: math.floor(claim.ranges[C].low), k: 1, d_i: 1}
    cases = {
        "a phase opens with one ball": below(sp.Integer(1), room.subs(k, 1), low),
        "an example joins a ball, eps shrinks": nonnegative(
            sp.simplify(k * sp.diff(sp.expand_log(sp.log(room), force=True), k)).subs(d_i, 1 + e)
        ),
        "a ball comes, for the check does not fire": below(
            CAPACITY.subs(EPS, k ** (-1 / (2 + d_i))), room, low
        ),
    }
    wrong = [case for case, kept in cases.items() if not kept]
    if wrong:
        return Outcome("not established", f"not kept when {wrong[0]}")
    if other := formal.same("lemma_1", claim.right.subs(d_i, d)):
        return Outcome("not established", other)
    return Outcome("holds", f"kept when {', or '.join(cases)}; and on {len(runs):,} streams")


N_S, HELD = (
    sp.Symbol(r"\sum_i \sum_{s \in S_i} n_s"),
    sp.Symbol(r"\sum_i \sum_s \sum_{t \to s} a_t"),
)
ALL = sp.Symbol(r"\sum_{t=1}^{T} a_t")


def steps_by_ball(stream: tuple[int, ...]) -> tuple[SiteBase, list[list[int]]]:
    """BASE after the stream, and for every ball that ever was the steps that it took."""
    space = from_matrix([[float(x) for x in row] for row in star_space(LEAVES, DISTANCE)])
    learner, taken = SiteBase(space), dict[tuple[int, int], list[int]]()
    for t, site in enumerate(stream, start=1):
        learner.update(site, 0)
        taken.setdefault((learner.phase, int(learner.nearest[site])), []).append(t)
    return learner, list(taken.values())


def _formal_streams(claim: Statement, form: str, left: sp.Expr, right: sp.Expr) -> str | None:
    if (claim.left, claim.right) == (left, right) and claim.signs == ("=",):
        return formal.disagrees(form)
    return f"{form} of Coq says another thing"


@STEPS.add(
    id="counts",
    where="Lemma 2, 'summing over all the balls'",
    statement=say(N_S, "=", T, given="n_s examples in ball s; all balls of all phases"),
    kind="exhaustive",
    formal="ever_counts",
    recorded="holds",
    covers=Scope(("=",), {}),
    mutants=lambda s: (s.to(T - 1), s.to(2 * T), s.but({N_S: N_S + i})),
)
def counts(claim: Statement) -> Outcome:
    """The counts of all balls that ever were sum to the number of steps."""
    checked = 0
    for stream in all_streams(LEAVES, LENGTH):
        learner, _ = steps_by_ball(stream)
        total = sum(learner.past_counts) + sum(learner.counts)
        if broken := claim.broken_at({N_S: total, T: len(stream), i: learner.phase}):
            return Outcome("fails", f"{stream}: {broken}")
        checked += 1
    if wrong := _formal_streams(claim, "ever_counts", N_S, T):
        return Outcome("not established", wrong)
    return Outcome("holds", f"on all {checked:,} streams of {LENGTH}; Coq has all streams")


@STEPS.add(
    id="decomposition",
    where="proof of Theorem 1, the sum over the phases",
    statement=say(ALL, "=", HELD, given="any a_t, such as l_t(p_t) - l_t(f(x_t))"),
    kind="exhaustive",
    formal="ever_counts",
    recorded="holds",
    covers=Scope(("=",), {}),
    mutants=lambda s: (s.to(HELD + 1), s.to(2 * HELD), s.but({ALL: ALL - D})),
    uses=("counts",),
)
def decomposition(claim: Statement) -> Outcome:
    """A sum over all steps is the sum over phases, balls and their steps: each step in one ball."""
    checked = 0
    for stream in all_streams(LEAVES, LENGTH):
        _, taken = steps_by_ball(stream)
        # powers of 3 as a_t: two sums are equal only if every step is in as many balls
        both = sum(3**t for t in range(1, LENGTH + 1)), sum(3**t for ball in taken for t in ball)
        if broken := claim.broken_at({ALL: both[0], HELD: both[1], D: 1}):
            return Outcome("fails", f"{stream}: {broken}")
        checked += 1
    if wrong := _formal_streams(claim, "ever_counts", ALL, HELD):
        return Outcome("not established", wrong)
    return Outcome("holds", f"each step in one ball, on all {checked:,} streams of {LENGTH}; Coq "
                   "has all streams")  # fmt: skip
