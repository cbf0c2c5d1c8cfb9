"""The letter of the pseudo-code against what the paper says of it: each misprint, run again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp

from abacoc import READINGS, Auto, Base

from .ledger import Outcome, Scope, Steps
from .statement import Statement, say

PAPER = READINGS["paper"]

STEPS = Steps()
misprint = partial(STEPS.add, kind="witness", recorded="fails")
LETTER = "the letter of the pseudo-code, all else as in the reading paper"

R, T, i, d_i, d_next = sp.symbols("R(T) T i d_i d_{i+1}", positive=True)
eps, rho = sp.symbols(r"\epsilon_s \rho", positive=True)


def judged(claim: Statement, values: Mapping[sp.Symbol, float], told: str) -> Outcome:
    """A run against the statement: it fails, or the run says nothing."""
    broken = claim.broken_at({name: Fraction(value) for name, value in values.items()})
    if broken is None:
        return Outcome("not established", "the run does not break it")
    return Outcome("fails", f"{told}; {broken}")


def _loss_on_two_points(learner: Base, length: int) -> float:
    """Expected mistakes on two points half a unit apart, in turn, with opposite labels."""
    loss = 0.0
    for t in range(length):
        x, y = [0.5 * (t % 2)], t % 2
        loss += abs(y - learner.probability(x))
        learner.update(x, y)
    return loss


@misprint(
    id="misprint-steps",
    where="Algorithm 2, line 24",
    statement=say(R, "<", T / 2, given=f"t_i is incremented in AddNewBall only: {LETTER}"),
    note="count every step of the phase",
    covers=Scope(("<",)),
    mutants=lambda s: (s.to(T), s.to(T / 2 + sp.sqrt(T))),
)
def steps_of_a_phase(claim: Statement) -> Outcome:
    """t_i counts new balls only: is the regret still sublinear?"""
    length = 400
    literal = Base(reading=replace(PAPER, count_every_step=False))
    loss, amended = _loss_on_two_points(literal, length), _loss_on_two_points(Base(), length)
    if literal.n_balls != 1 or not amended < length / 4:
        return Outcome(
            "not established", f"{literal.n_balls} balls, {amended:.1f} mistakes amended"
        )
    told = f"two points, opposite labels: one ball, where a 2-Lipschitz f is right; amended {amended:.1f}"
    return judged(claim, {R: loss, T: length}, told)


@misprint(
    id="misprint-start",
    where="Algorithm 2, lines 2 and 28",
    statement=say(i, "<=", d_i, given=f"t_i = 0 at the start, radius t_i^(-1/(2+d_i)): {LETTER}"),
    note="the k-th step of a phase has radius k^(-1/(2+d_i))",
    covers=Scope(("<=",)),
    mutants=lambda s: (s.to(d_i + 2), s.to(2 * d_i + 2)),
)
def start_of_a_phase(claim: Statement) -> Outcome:
    """t_i = 0 and an infinite radius: does i <= d_i survive the first example?"""
    literal = Base(reading=replace(PAPER, start_at_diameter=False))
    literal.update([0.0], 1)
    return judged(claim, {i: literal.phase, d_i: literal.dimension}, "after one example")


@misprint(
    id="misprint-reset",
    where="Algorithm 2, lines 16 and 17",
    statement=say(d_next, ">", d_i, given=f"S is emptied before d_{{i+1}} uses |S| + 1: {LETTER}"),
    note="the size before the reset",
    covers=Scope((">",)),
    mutants=lambda s: (s.to(d_i - 2), s.to(-d_i)),
)
def size_after_reset(claim: Statement) -> Outcome:
    """|S| + 1 after S has been emptied: does d_i still grow from phase to phase?"""
    points = np.random.default_rng(0).random((600, 3)) / math.sqrt(3)
    literal, amended = Base(reading=replace(PAPER, size_before_reset=False)), Base()
    before = 1
    for x in points:
        before = literal.dimension if literal.phase == 1 else before
        literal.update(x, 0)
        amended.update(x, 0)
    if literal.phase == 1 or amended.dimension < amended.phase:
        return Outcome(
            "not established", f"phase {literal.phase}, amended d_i = {amended.dimension}"
        )
    told = f"600 points of a cube, phase {literal.phase}; amended d_i = {amended.dimension} in phase {amended.phase}"
    return judged(claim, {d_next: literal.dimension, d_i: before}, told)


@misprint(
    id="misprint-radius",
    where="Algorithm 4, line 36",
    statement=say(
        eps,
        "<=",
        rho,
        given=f"R_s m_s^(-1/(2+d)) with m_s = 0, rho the distance to the nearest ball: {LETTER}",
    ),
    note="max(m_s, 1)",
    covers=Scope(("<=",)),
    mutants=lambda s: (s.to(10 * rho), s.but({eps: 1 / eps})),
)
def radius_without_mistakes(claim: Statement) -> Outcome:
    """Without a mistake: is the radius at most the distance to the ball nearest at birth?"""
    literal = Auto(reading="literal")
    for x, label in ([0.0], "a"), ([1.0], "b"), ([0.1], "a"):
        literal.update(x, label)
    radius = float(literal.balls.radii[0])
    if not math.isinf(radius):
        return Outcome("not established", f"the radius is {radius}")
    # any number is below infinity: ten will do
    return judged(claim, {eps: 10, rho: 1}, f"the radius is {radius}")
