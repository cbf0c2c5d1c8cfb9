"""The letter of the pseudo-code against what the paper says of it: each misprint, run again."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from abacoc import READINGS, Auto, Base

from .ledger import Outcome, Steps

PAPER = READINGS["paper"]

STEPS = Steps()
misprint = partial(
    STEPS.add,
    hypotheses="the letter of the pseudo-code, all else as in the reading paper",
    kind="witness",
    recorded="fails",
)


def _loss_on_two_points(learner: Base, T: int) -> float:
    """Expected mistakes on two points half a unit apart, in turn, with opposite labels."""
    loss = 0.0
    for t in range(T):
        x, y = [0.5 * (t % 2)], t % 2
        loss += abs(y - learner.probability(x))
        learner.update(x, y)
    return loss


@misprint(
    id="misprint-steps",
    where="Algorithm 2, line 24",
    statement=r"t_i \text{ incremented in AddNewBall only: sublinear regret}",
    amendment="count every step of the phase",
    constants={"T": 400},
    mutations={"T": 1},  # one example is too short to lose half a mistake per step
)
def steps_of_a_phase(T: int) -> Outcome:
    """t_i counts new balls only: is the regret still sublinear?"""
    literal = Base(reading=replace(PAPER, count_every_step=False))
    loss = _loss_on_two_points(literal, T)
    amended = _loss_on_two_points(Base(), T)
    if literal.n_balls == 1 and loss >= T / 2 > amended:
        return Outcome(
            "fails",
            f"two points, opposite labels, T = {T}: one ball and {loss:.1f} mistakes where a "
            f"2-Lipschitz f makes none; counting every step gives {amended:.1f}",
        )
    return Outcome(
        "not established", f"{literal.n_balls} balls, {loss:.1f} mistakes against {amended:.1f}"
    )


@misprint(
    id="misprint-start",
    where="Algorithm 2, lines 2 and 28",
    statement=r"t_i = 0,\ \epsilon = t_i^{-1/(2+d_i)}: \quad i \le d_i",
    amendment="the k-th step of a phase has radius k^(-1/(2+d_i))",
    constants={"first": 1},
    mutations={"first": 0},  # before the first example nothing has happened
)
def start_of_a_phase(first: int) -> Outcome:
    """t_i = 0 and an infinite radius: does i <= d_i survive the first examples?"""
    literal = Base(reading=replace(PAPER, start_at_diameter=False))
    for _ in range(first):
        literal.update([0.0], 1)
    if literal.phase > literal.dimension:
        return Outcome("fails", f"after one example i = {literal.phase}, d_i = {literal.dimension}")
    return Outcome("not established", f"i = {literal.phase} <= d_i = {literal.dimension}")


@misprint(
    id="misprint-reset",
    where="Algorithm 2, lines 16 and 17",
    statement=r"S = \emptyset \text{ before } d_{i+1} \text{ uses } |S| + 1: \quad d_{i+1} > d_i",
    amendment="the size before the reset",
    constants={"T": 600},
    mutations={"T": 2},  # two points do not end a phase
)
def size_after_reset(T: int) -> Outcome:
    """|S| + 1 after S has been emptied: does d_i still grow from phase to phase?"""
    points = np.random.default_rng(0).random((T, 3)) / math.sqrt(3)
    literal, amended = Base(reading=replace(PAPER, size_before_reset=False)), Base()
    for x in points:
        literal.update(x, 0)
        amended.update(x, 0)
    if literal.phase > 1 and literal.dimension == 0 and amended.dimension >= amended.phase:
        return Outcome(
            "fails",
            f"{T} points of a cube: d_i = 0 in phase {literal.phase}; with the size before the "
            f"reset d_i = {amended.dimension} in phase {amended.phase}",
        )
    return Outcome("not established", f"d_i = {literal.dimension} in phase {literal.phase}")


@misprint(
    id="misprint-radius",
    where="Algorithm 4, line 36",
    statement=r"\epsilon_s = R_s m_s^{-1/(2+\hat d)} \text{ is at most the distance to the nearest ball}",
    amendment="max(m_s, 1)",
    constants={"mistakes": 0},
    mutations={"mistakes": 1},
)
def radius_without_mistakes(mistakes: int) -> Outcome:
    """After so many mistakes: is the radius at most the distance to the ball nearest at birth?"""
    literal = Auto(reading="literal")
    for x, label in ([0.0], "a"), ([1.0], "b"), ([0.1], "a"):
        literal.update(x, label)
    for _ in range(mistakes):
        literal.update([0.0], "b")
    radius = float(literal.balls.radii[0])
    if radius <= 1.0:
        return Outcome("not established", f"{mistakes} mistakes: the radius is {radius:g}")
    return Outcome("fails", f"{mistakes} mistakes: the radius is {radius}, the distance was 1")
