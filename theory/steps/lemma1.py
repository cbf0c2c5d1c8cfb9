"""Lemma 1: the phases, the dimension estimate, and how many balls a phase can have."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theory.exact import ExactBase, all_streams, star_covering_constant, star_space
from theory.ledger import Outcome, Step

# Four points at equal distances, the leaves of a star: at 7/10 three of them start phase 2 at
# once although C_S(2) = 1.
LEAVES, DISTANCE, LENGTH = 5, Fraction(7, 10), 8
# Steps at which a new point comes so that |S| = C 2 / eps exactly at step 8, and 5 balls at 16.
TIGHT = [0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4]


def dimension(base: Fraction) -> Outcome:
    """i <= d_i <= max(1, ceil(d)), with 2 replaced by ``base`` in the dimension check."""
    if (reached := _crowded_star(base)) > 1:
        return Outcome("fails", f"20 points 1/10 apart, C_S(1) = 1: d_i reaches {reached} > d = 1")
    if Fraction(2) / base > 1:
        return Outcome(
            "fails", f"two points more than eps apart fit into a ball of radius eps/{base}"
        )
    # |S| + 1 = theta C (2/eps)^d with theta <= 1 gives log((|S|+1)/C) / log(2/eps) <= d
    eps, C, d, theta = sp.symbols("epsilon C d theta", positive=True)
    size = theta * C * (sp.Rational(base) / eps) ** d
    left = sp.expand_log(sp.log(size / C), force=True)
    right = sp.expand_log(d * sp.log(sp.Rational(base) / eps), force=True)
    if sp.simplify(left - right - sp.log(theta)) != 0:
        return Outcome("fails", "the logarithm of the covering bound is not what is claimed")
    checked = phases = 0
    for d_space in (1, 2, 3):
        C_S = star_covering_constant(LEAVES, DISTANCE, d_space)
        for stream in all_streams(LEAVES, LENGTH):
            cover = ExactBase(star_space(LEAVES, DISTANCE), C_S, base)
            dimensions = [1]
            for site in stream:
                cover.update(site)
                if cover.phase > len(dimensions):
                    dimensions.append(cover.dimension)
                if not cover.phase <= cover.dimension <= max(1, d_space):
                    return Outcome("fails", f"d_i = {cover.dimension} on {stream}, d = {d_space}")
            if dimensions != sorted(set(dimensions)):
                return Outcome("fails", f"d_i does not grow on {stream}")
            checked += 1
            phases = max(phases, cover.phase)
    return Outcome(
        "holds amended",
        f"for d = 1/2 already d_1 = 1 > d; amended: the algebra is an identity, and all {checked:,} "
        f"streams of {LENGTH} examples over {LEAVES} sites (up to {phases} phases) agree",
    )


def _crowded_star(base: Fraction) -> int:
    """Largest d_i on 20 equidistant points, as many as C_S(1) = 1 allows: d should stay 1."""
    leaves, distance = 20, Fraction(1, 10)
    cover = ExactBase(
        star_space(leaves, distance), star_covering_constant(leaves, distance, 1), base
    )
    # wait in the first ball until the radius is below the distance, then visit them all
    for site in [0] * 1000 + list(range(1, leaves)):
        cover.update(site)
    return cover.dimension


def size(factor: Fraction, stated: Fraction) -> Outcome:
    """|S_t| <= C factor^d eps_t^-d at every time t, and the stated version with |S_i|."""
    witness = ExactBase(star_space(5, Fraction(99, 100)))
    for site in TIGHT:
        k, d = witness.steps + 1, witness.dimension
        n = witness.update(site)
        if witness.exceeds(n, k, d, d, factor):
            return Outcome(
                "fails", f"{n} balls at step {k} of phase {witness.phase}, radius k^(-1/3)"
            )
    if not len(witness.centres) > witness.constant * stated**1:
        return Outcome("holds", "the stated version is not refuted: the witness has too few balls")
    checked = 0
    for stream in all_streams(LEAVES, LENGTH):
        cover = ExactBase(star_space(LEAVES, DISTANCE))
        for site in stream:
            n = cover.update(site)
            # k and d after the update: where a phase started, those of the new phase
            if cover.exceeds(n, cover.steps, cover.dimension, cover.dimension, factor):
                return Outcome("fails", f"{n} balls on {stream}")
        checked += 1
    return Outcome(
        "holds amended",
        f"stated: at t = 1 the bound is {stated} but phase 1 ends with {len(witness.centres)} balls; "
        f"amended: the dimension check keeps it at every step, eps never grows in a phase, and all "
        f"{checked:,} streams of {LENGTH} examples agree",
    )


def definition(limit: Fraction) -> Outcome:
    """C eps^-d with C >= 1 is at least 1, the size of the smallest cover, for 0 < eps <= limit."""
    eps, C, d = sp.symbols("epsilon C d", positive=True)
    edge = sp.simplify((C * eps**-d).subs(eps, C ** (1 / d)))  # the size is 1 at eps = C^(1/d)
    if edge != 1:
        return Outcome("fails", "the edge is elsewhere")
    if limit > 1:
        return Outcome("fails", f"C = 1, d = 1, eps = {limit}: a cover of size {1 / limit}")
    return Outcome(
        "holds amended",
        "C eps^-d < 1 for eps > C^(1/d), and no cover is that small; with C >= 1 (which eps = 1 "
        "demands) there is no conflict up to the diameter",
    )


STEPS = (
    Step(
        id="definition",
        where="Section III, the metric dimension",
        statement=r"N(\epsilon) \le C_S\, \epsilon^{-d} \text{ for all } \epsilon > 0",
        hypotheses="S is not empty",
        kind="symbolic",
        recorded="holds amended",
        amendment=r"0 < \epsilon \le 1, the diameter",
        check=definition,
        constants={"limit": Fraction(1)},
        mutations={"limit": Fraction(2)},
    ),
    Step(
        id="lemma1-dimension",
        where="Lemma 1, first item",
        statement=r"i \le d_i \le d",
        hypotheses=r"C-hat >= C_S, N(eps) <= C_S eps^-d for 0 < eps <= 1",
        kind="exhaustive",
        recorded="holds amended",
        amendment=r"i \le d_i \le \max(1, \lceil d \rceil)",
        argument="The check |S|+1 > C (2/eps)^{d_i} makes the new dimension larger than d_i, so d_i "
        ">= i. The centres and x_t are more than eps apart, so no closed ball of radius eps/2 "
        "holds two: |S|+1 <= N(eps/2) <= C_S (2/eps)^d, and the logarithm gives d_{i+1} <= ceil(d).",
        check=dimension,
        constants={"base": Fraction(2)},
        mutations={"base": Fraction(19, 10)},
    ),
    Step(
        id="lemma1-size",
        where="Lemma 1, second item",
        statement=r"|S_i| \le \hat C\, 4^{d_i} \epsilon_t^{-d_i} \text{ for any } t \in T_i",
        hypotheses="any C-hat",
        kind="exhaustive",
        recorded="holds amended",
        amendment=r"|S_t| \le \hat C\, 2^{d_i} \epsilon_t^{-d_i}: the size at time t, and 2 for 4",
        argument="A ball is added only if the check does not fire, that is |S|+1 <= C (2/eps_t)^{d_i};"
        " afterwards eps only shrinks until the phase ends.",
        check=size,
        constants={"factor": Fraction(2), "stated": Fraction(4)},
        mutations={"factor": Fraction(19, 10), "stated": Fraction(5)},
    ),
)
