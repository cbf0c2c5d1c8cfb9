"""Three identities, and the rational arithmetic of the exhaustive checks."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from ..regret.exact import ExactBase, all_streams, star_space
from ..regret.sites import SiteBase
from ..regret.spaces import from_matrix
from . import formal
from .ledger import Outcome, Scope, Steps
from .statement import Range, Statement, say
from .symbols import EPS, FROM_0, FROM_1, WHOLE, d, k

STEPS = Steps()

p, y, t, total, hit, size = sp.symbols("p_t y_t t M_{t-1} I_t n", positive=True)
MISTAKE = sp.Symbol(r"\Pr(\hat{y}_t \neq y_t)")
MEAN = sp.Symbol("M_t")
REAL = Range(-(10**9))


def identity(claim: Statement, because: str) -> Outcome:
    """Left and right are the same expression, or differ at a sample point, or are not compared."""
    if broken := claim.counterexample():
        return Outcome("fails", broken)
    both = [claim.meant(part) for part in (claim.left, claim.right)]
    if sp.simplify(sp.expand(both[0] - both[1])) == 0:
        return Outcome("holds", because)
    return Outcome("not established", f"the sides differ by {sp.simplify(both[0] - both[1])}")


@STEPS.add(
    id="coin",
    where="Section V, first line",
    statement=say(
        *(MISTAKE, "=", sp.Abs(y - p)),
        ranges={y: Range(0, 1, whole=True), p: Range(0, 1)},
        meaning={MISTAKE: y * (1 - p) + (1 - y) * p},
        given="p_t is the chance of predicting 1",
    ),
    kind="symbolic",
    formal="expected_mistakes",
    recorded="holds",
    covers=Scope(("=",), {y: Range(0, 1, whole=True), p: Range(0, 1)}, MISTAKE),
    mutants=lambda s: (
        s.to((y - p) ** 2),
        s.to(sp.Abs(y - p) * sp.Rational(99, 100)),
        s.over({y: Range(0, 2, whole=True)}),
    ),
)
def coin(claim: Statement) -> Outcome:
    """Pr(yhat != y) = |y - p|; the sum over a stream is an expectation by Coq."""
    u = sp.Symbol("u", nonnegative=True)
    if broken := claim.counterexample():
        return Outcome("fails", broken)
    for label in claim.ranges[y].samples():
        # p = 1/(1+u) runs through (0, 1]
        at = {y: sp.Rational(label), p: 1 / (1 + u)}
        left, right = claim.meant(claim.left).subs(at), claim.right.subs(at)
        if sp.simplify(left - sp.refine(sp.simplify(right))) != 0:
            return Outcome("not established", f"y = {label}: {left} and {right}")
    return Outcome("holds", "both labels: the sides are equal for p = 1/(1+u), u >= 0, and p = 0")


@STEPS.add(
    id="recursion",
    where="Algorithm 5, line 6",
    statement=say(
        *(MEAN, "=", (1 - 1 / t) * total + hit / t),
        ranges={t: Range(2, whole=True), total: Range(0, 1), hit: Range(0, 1, whole=True)},
        # M_t is the mean: the induction step from t - 1 to t
        meaning={MEAN: ((t - 1) * total + hit) / t},
        given="M_t the mean of I_1, ..., I_t; M_1 = I_1",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("=",), {t: Range(1), total: REAL, hit: REAL}, MEAN),
    mutants=lambda s: (
        s.to((1 - sp.Rational(9, 10) / t) * total + hit * sp.Rational(9, 10) / t),
        s.to((1 - 1 / (t + 1)) * total + hit / (t + 1)),
    ),
)
def recursion(claim: Statement) -> Outcome:
    """M_t = (1 - 1/t) M_{t-1} + I_t/t keeps M_t the mean, by induction on t."""
    return identity(claim, "the induction step simplifies to 0; M_1 = I_1 whatever M_0 is")


m, i, j = sp.IndexedBase("m"), sp.Symbol("i", integer=True), sp.Symbol("j", integer=True)
ALL = sp.Sum(m[j], (j, 1, size))


@STEPS.add(
    id="removal",
    where="equation (1)",
    statement=say(
        *(sp.Sum((m[i] + 1) / (ALL + size), (i, 1, size)), "=", 1),
        given="n >= 1 balls with m_i >= 0 mistakes",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("=",), {}),
    mutants=lambda s: (
        s.but({m[i] + 1: m[i] + sp.Rational(1, 2)}),
        s.but({ALL + size: ALL + size + 1}),
        s.to(size),
    ),
)
def removal(claim: Statement) -> Outcome:
    """Equation (1) sums to one: the sum over i of (m_i + c) is the sum of the m_j, and n c."""
    if not isinstance(claim.left, sp.Sum):
        return Outcome("not established", "the check is about a sum over the balls")
    mistakes = sp.Symbol("M", positive=True)
    term = sp.together(claim.left.function.xreplace({ALL: mistakes}))
    top, bottom = sp.fraction(term)
    slope, rest = sp.Poly(top, m[i]).all_coeffs()  # a sum over i of a linear function of m_i
    difference = sp.simplify((slope * mistakes + rest * size) / bottom - claim.right)
    if difference == 0:
        return Outcome("holds", "the sum simplifies to 1; every term is positive")
    values = difference.subs({mistakes: 3, size: 2})
    if values != 0:
        return Outcome("fails", f"3 mistakes in 2 balls: the sides differ by {values}")
    return Outcome("not established", f"the sides differ by {difference}")


@STEPS.add(
    id="rational",
    where="the exhaustive checks",
    statement=say(
        *(EPS ** (2 + d) * k, "=", 1),
        ranges={k: WHOLE, d: Range(0, whole=True)},
        where={EPS: k ** (-1 / (2 + d))},
        given="so rho <= eps is rho^(2+d) k <= 1, a comparison of rational numbers",
    ),
    kind="exhaustive",
    formal="exact_update",
    recorded="holds",
    covers=Scope(("=",), {k: FROM_1, d: FROM_0}),
    mutants=lambda s: (
        s.but({EPS ** (2 + d): EPS ** (1 + d)}),
        s.but({k ** (-1 / (2 + d)): k ** (-1 / (3 + d))}),
    ),
)
def rational(claim: Statement) -> Outcome:
    """The comparison without roots, and the cover that uses it against the one with roots."""
    if wrong := formal.disagrees("exact_update"):
        return Outcome("not established", wrong)
    powers = identity(say(claim.meant(claim.left), "=", claim.right,
                          ranges=claim.ranges), "")  # fmt: skip
    if powers.verdict != "holds":
        return powers
    sites, distance, length, seen = 5, Fraction(7, 10), 8, 0
    space = from_matrix([[float(x) for x in row] for row in star_space(sites, distance)])
    for stream in all_streams(sites, length):
        rooted, whole = SiteBase(space), ExactBase(star_space(sites, distance))
        for site in stream:
            rooted.update(site, 0)
            whole.update(site)
            if (rooted.centres, rooted.dimension) != (whole.centres, whole.dimension):
                return Outcome("fails", f"they differ on {stream}")
        seen += 1
    return Outcome("holds", f"the same balls and dimensions on all {seen:,} streams of {length}")
