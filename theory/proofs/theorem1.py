"""Theorem 1: the sum over the phases, the statement, and for which dimensions it holds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import sympy as sp
from flint import arb

from . import formal, witnesses
from .ledger import Outcome, Scope, Steps, claims
from .lemma1 import STEPS as LEMMA1
from .lemma2 import STEPS as LEMMA2
from .lemma2 import compared, phase_product
from .rigor import below, nonnegative, value
from .statement import Range, Statement, exact, say
from .symbols import BALL, C_S, FROM_0, FROM_1, LOW, PHASES, RADII, WHOLE, C, D, L, R, T, d, n, rate

STEPS = Steps()

MANY, h = sp.symbols("I h", positive=True)
i = sp.Symbol("i", integer=True, positive=True)
steps = sp.IndexedBase("n")
TOTAL = sp.Sum(steps[i], (i, 1, MANY))
EVERY = {d: FROM_0, C: FROM_1, L: FROM_0, T: WHOLE}
COVERED = "N(eps) <= C-hat eps^-d for 0 < eps <= 1, and BASE runs with C-hat"


def stated(dimension: sp.Expr, constant: sp.Expr) -> sp.Expr:
    """The bound of Theorem 1."""
    return PHASES * (BALL * sp.sqrt(constant) * 2**dimension + RADII * L) * T ** rate(dimension)


@cache
def known_witnesses() -> list[witnesses.Witness]:
    """The streams that every version of the theorem is held against."""
    traps = [witnesses.trap(10**6, Fraction(x)) for x in ("0", "0.25", "0.5", "0.6")]
    traps += [
        witnesses.trap(10**6, Fraction("1.05"), 10),
        witnesses.trap(10**9, Fraction("2.05"), 8),
    ]
    return [*traps, witnesses.tree(9), witnesses.star(3000)]


def broken_by(claim: Statement, streams: Sequence[witnesses.Witness]) -> list[str]:
    """The streams that meet the hypotheses and lose more than the right-hand side."""
    found = []
    for w in streams:
        if not claim.ranges[d].has(w.d):
            continue
        at = {T: w.T, d: w.d, C: w.C_hat, C_S: w.C_S, L: w.L}
        bound = value(claim.meant(claim.right), at)
        if arb(w.regret) > bound:
            found.append(f"{w}, bound {float(bound):,.1f}")
    return found


def too_small(claim: Statement) -> str | None:
    """Whether long streams break the bound, by the leading constant that Coq proves attained."""
    best = formal.bound("joint_constant_exact")
    for dim in (sp.Integer(x) for x in (1, 2, 3, 12) if claim.ranges[d].has(Fraction(x))):
        for constant, slope in ((1, 0), (1, 1), (1, 100), (10**6, 0)):
            at = {d: dim, C: constant, C_S: constant, L: slope}
            right = sp.expand(claim.meant(claim.right).subs(at))
            powers = [
                (term, sp.simplify(T * sp.diff(term, T) / term)) for term in sp.Add.make_args(right)
            ]
            if any(power > rate(dim) for _, power in powers):
                continue
            leading = sum(term.subs(T, 1) for term, power in powers if power == rate(dim))
            needed = value(best.subs({**at, D: dim}), {})
            if value(sp.sympify(leading), {}) < needed:
                return (f"d = {dim}, C = {constant:,}, L = {slope}: by joint_constant_exact streams lose "
                        f"{float(needed):.4f} T^((1+d)/(2+d)), the bound has {float(leading):.4f}")  # fmt: skip
    return None


def refutation(claim: Statement) -> str | None:
    """A stream that breaks the bound, or the constant that long streams attain."""
    broken = broken_by(claim, known_witnesses())
    return broken[0] if broken else too_small(claim)


def theorem(claim: Statement, product: sp.Expr, name: str, exact: bool = True) -> Outcome:
    """A bound of the regret: not broken by a stream, the product of its steps, and as Coq has it."""
    if broken := refutation(claim):
        return Outcome("fails", broken)
    least = claim.where.get(D, d)
    if any(
        least.subs(d, sp.Rational(x)) < max(1, -int(-x // 1)) for x in claim.ranges[d].samples()
    ):
        return Outcome("not established", "D is not at least max(1, ceil(d))")
    multiplied = compared(claim, product, left=R)
    if multiplied.verdict != "holds":
        return multiplied
    if wrong := formal.same(name, claim.right) if exact else formal.disagrees(name):
        return Outcome("not established", wrong)
    return Outcome("holds", f"{multiplied.evidence}; Coq has the same bound")


@STEPS.add(
    id="jensen-phases",
    where="proof of Theorem 1, Jensen over the phases",
    statement=say(
        *(
            sp.Sum(steps[i] ** rate(d), (i, 1, MANY)),
            "<=",
            MANY ** (1 / (2 + d)) * TOTAL ** rate(d),
        ),
        ranges={MANY: WHOLE, d: FROM_0},
        given="n_i >= 0",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("<=",), {MANY: WHOLE, d: FROM_0}),
    mutants=lambda s: (
        s.but({MANY ** (1 / (2 + d)): MANY ** (1 / (3 + d))}),
        s.but({MANY ** (1 / (2 + d)): MANY}).but({TOTAL ** rate(d): TOTAL ** (d / (1 + d))}),
        s.but({MANY ** (1 / (2 + d)): sp.Integer(1)}),
    ),
)
def jensen_phases(claim: Statement) -> Outcome:
    """x^a is concave: the tangent at the mean T/I, summed over the phases."""
    if not isinstance(claim.left, sp.Sum):
        return Outcome("not established", "the check is about a sum over the phases")
    m, x = sp.symbols("m x", positive=True)
    right = claim.right.xreplace({TOTAL: MANY * m})
    short = {MANY: Range(1, 9, whole=True), d: FROM_0, m: WHOLE}
    if broken := say(MANY * m ** rate(d), "<=", right, ranges=short).counterexample():
        return Outcome("fails", f"I phases with m steps each: {broken}")
    a = claim.left.function.args[1]
    concave = nonnegative(-sp.simplify(sp.diff(x**a, x, 2) / x ** (a - 2)))
    if (
        claim.left == sp.Sum(steps[i] ** rate(d), (i, 1, MANY))
        and concave
        and below(MANY * m**a, right, {MANY: 1, m: 0})
    ):
        return Outcome("holds", "x^a is concave, so the mean of n_i^a is at most (T/I)^a")
    return Outcome("not established", "not what the tangent gives")


@STEPS.add(
    id="phases-factor",
    where="proof of Theorem 1, last line",
    statement=say(d ** (1 / (2 + d)), "<=", PHASES, ranges={d: Range(0, without="(")}),
    amended=say(d ** (1 / (2 + d)), "<=", PHASES, ranges={d: WHOLE}),
    kind="intervals",
    recorded="holds amended",
    note="the number of phases is whole",
    covers=Scope(("<=",), {d: WHOLE}),
    mutants=lambda s: (
        s.but({"1.26": "1.25"}),
        s.to(PHASES).but({d ** (1 / (2 + d)): d ** (2 / (2 + d))}),
        s.over({d: Range(1)}),
    ),
)
def phases_factor(claim: Statement) -> Outcome:
    """d^(1/(2+d)) <= c: one by one up to 5, then the left-hand side decreases."""
    if broken := claim.counterexample():
        return Outcome("fails", broken)
    if not claim.ranges[d].whole or claim.ranges[d].low < 1:
        return Outcome("not established", "only whole d >= 1 are looked at")
    if any(not value(claim.left, {d: x}) <= value(claim.right, {d: x}) for x in range(1, 6)):
        return Outcome("not established", "not certain up to d = 5")
    # the derivative of log(left) has the sign of (2+d)/d - log(d), which falls, and is < 0 at 5
    sign = sp.simplify(sp.diff(sp.log(d) / (2 + d), d) * (2 + d) ** 2)
    falls = nonnegative(-sp.simplify(sp.diff(sign, d) * d**2))
    if claim.left == d ** (1 / (2 + d)) and falls and value(sign, {d: 5}) < 0:
        return Outcome("holds", "4^(1/6) = 1.259921... is the largest; it decreases from 5 on")
    return Outcome("not established", "no monotone tail")


def phases_product() -> sp.Expr:
    """Every phase by the steps of Lemma 2, with d_i <= D; then Jensen over at most D phases."""
    one, u = phase_product("square-roots"), sp.Symbol("u", nonnegative=True)
    if not below(one, one.subs(d, d + u), {**LOW, u: 0}):  # a larger dimension costs more
        raise AssertionError("a phase of lower dimension costs more")
    jensen = part("jensen-phases").right.xreplace({TOTAL: T}).subs({d: D, MANY: D})
    factor = part("phases-factor")
    whole = sp.simplify(jensen / T ** rate(D) / factor.left.subs(d, D)) * factor.right
    return sp.expand(sp.powsimp(one.subs(d, D).subs(n, T), force=True) * whole)


FOUNDATION = (
    "coin",
    "decomposition",
    "lemma1-dimension",
    "lemma2-constants",
    "jensen-phases",
    "phases-factor",
)


@STEPS.add(
    id="theorem1",
    where="Theorem 1",
    statement=say(
        *(R, "<=", stated(d, C_S)),
        ranges={d: FROM_0, C_S: FROM_1, L: FROM_0, T: WHOLE},
        given="N(eps) <= C_S eps^-d for 0 < eps <= 1, and BASE runs with any C-hat >= C_S",
    ),
    amended=say(
        *(R, "<=", stated(d, C)),
        ranges={d: WHOLE, C: FROM_1, L: FROM_0, T: WHOLE},
        given=COVERED,
    ),
    kind="chain",
    formal="theorem_1_iff_whole",
    recorded="holds amended",
    note="d is a whole number of at least 1, and C-hat stands for C_S",
    argument="The proof sums l_t(p_t) - l_t(p_s^*) over all t; l_t(f(x_t)) is meant, as in Lemma 2.",
    covers=Scope(("<=",), {d: WHOLE, C: FROM_1, L: FROM_0, T: WHOLE}),
    mutants=lambda s: (
        s.over({d: Range(0, whole=True)}),
        s.over({d: FROM_1}),
        s.but({"1.26": "0.9"}),
        s.but({"2.5": "0.4"}),
        s.but({"1.5": "1.1"}),
        s.but({T ** rate(d): T ** (d / (1 + d))}),
        s.but({2**d: 2 ** (d / 4)}),
        s.but({sp.sqrt(C): C ** sp.Rational(1, 4)}),
    ),
    uses=("definition", *FOUNDATION),
)
def stated_theorem(claim: Statement) -> Outcome:
    """The stated theorem for whole d >= 1, with C-hat."""
    found = theorem(claim, phases_product().subs(D, d), "theorem_1_iff_whole", exact=False)
    wrong = formal.same("stated", claim.right.xreplace({C_S: C}))
    return Outcome("not established", wrong) if wrong and found.verdict == "holds" else found


@STEPS.add(
    id="theorem1-corrected",
    where="the corrected Theorem 1",
    statement=say(
        *(R, "<=", stated(D, C)),
        ranges={d: FROM_0, C: FROM_1, L: FROM_0, T: WHOLE},
        where={D: sp.Max(1, sp.ceiling(d))},
        given=COVERED,
    ),
    kind="chain",
    formal="corrected_theorem_1",
    recorded="holds",
    covers=Scope(("<=",), EVERY),
    mutants=lambda s: (
        s.but({"1.26": "0.9"}),
        s.but({"1.26": "1.25"}),
        s.but({"2.5": "0.4"}),
        s.but({"1.5": "1.1"}),
        s.but({T ** rate(D): T ** (D / (1 + D))}),
        s.but({2**D: 2 ** (D / 4)}),
        s.but({sp.ceiling(d): sp.floor(d)}),
        s.but({sp.Max(1, sp.ceiling(d)): d}),
        s.but({C: C_S}),
    ),
    uses=FOUNDATION,
)
def corrected(claim: Statement) -> Outcome:
    """The stated constants with D = max(1, ceil(d)) and C-hat, for every d >= 0."""
    return theorem(claim, phases_product(), "corrected_theorem_1")


@STEPS.add(
    id="theorem1-gap",
    where="Theorem 1, d not whole: every d < D",
    statement=say(
        *(rate(d) + 1 / (2 + D), "<", 1),
        ranges={d: FROM_0, h: Range(0, without="(")},
        where={D: d + h},
        given="regret T/2 with L of order T^(1/(2+D)): the stated bound has this exponent",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("<",), {d: FROM_0, h: Range(0, without="(")}),
    mutants=lambda s: (
        s.over({h: FROM_0}),
        s.but({1 / (2 + D): 1 / (1 + D)}),
        s.but({d + h: d - h / 2}),
    ),
)
def gap(claim: Statement) -> Outcome:
    """T/2 outgrows the stated bound with L of order T^(1/(2+D)), for every d < D."""
    if broken := claim.counterexample():
        return Outcome("fails", broken)
    left = claim.meant(claim.left)
    if nonnegative(sp.simplify((claim.right - left) / h)):
        return Outcome(
            "holds", f"1 minus the exponent is {sp.factor(sp.simplify(1 - left))}, D = d + h"
        )
    return Outcome("not established", "the exponent has no sign")


RATE = sp.Symbol("{R_L(T)/T}", positive=True)


@STEPS.add(
    id="rate",
    where="after Theorem 1",
    statement=say(
        *(RATE, "<=", PHASES * BALL * (2**d + L) * T ** (-1 / (2 + d))),
        ranges={d: WHOLE, C: FROM_1, L: FROM_0, T: WHOLE},
        meaning={RATE: stated(d, C) / T},
        given="of the order of the right-hand side, whose factor depends on nothing",
    ),
    amended=say(
        *(RATE, "<=", PHASES * BALL * (sp.sqrt(C) * 2**d + L) * T ** (-1 / (2 + d))),
        ranges={d: WHOLE, C: FROM_1, L: FROM_0, T: WHOLE},
        meaning={RATE: stated(d, C) / T},
    ),
    kind="symbolic",
    recorded="holds amended",
    covers=Scope(("<=",), {d: WHOLE, C: FROM_1, L: FROM_0, T: WHOLE}, RATE),
    mutants=lambda s: (
        s.but({T ** (-1 / (2 + d)): T ** (-1 / (1 + d))}),
        s.but({2**d: 2 ** (d / 2)}),
        s.but({sp.sqrt(C): C ** sp.Rational(1, 4)}),
    ),
    uses=("theorem1",),
)
def rate_claim(claim: Statement) -> Outcome:
    """The bound of the theorem, divided by T."""
    some = {d: Range(1, 3, whole=True), C: FROM_1, L: Range(0, 1), T: WHOLE}
    if broken := claim.over(some).counterexample():
        return Outcome("fails", broken)
    if wrong := formal.same("stated", part("theorem1").right):
        return Outcome("not established", wrong)
    left = exact(claim.meaning[RATE])
    if below(sp.expand(left), claim.right, LOW):
        return Outcome("holds", "term by term, with the factor 1.26 * 2.5")
    return Outcome("not established", "not term by term")


part = claims(LEMMA1, LEMMA2, STEPS)
