"""One ball: a potential that pays for every step, and what a ball can lose at most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy as sp

from .ledger import Outcome, Scope, Steps
from .lemma2 import one_ball_bound
from .rigor import nonnegative
from .statement import Range, Statement, say
from .symbols import FROM_1, ONE_BALL, ONE_BALL_LESS, WHOLE, W, n

STEPS = Steps()

# The lead of the ones D, by symmetry >= 0, and s = sqrt(n + 2)
LEAD, s, sigma = (
    sp.Symbol("D", nonnegative=True),
    sp.Symbol("s", positive=True),
    sp.Symbol(r"\sigma"),
)
LARGER = sp.Symbol("s'", positive=True)
u, v = sp.symbols("u v", nonnegative=True)
PHI, SLOPE = sp.symbols(r"\phi_s(D) \phi_s'(D)".replace("(D)", "{(D)}"))
NEXT, WIDER = sp.Symbol(r"\phi_s{(D + \sigma)}"), sp.Symbol(r"\phi_{s'}{(D)}")
LOSS = sp.Symbol(r"\ell_t{(p_t)}")
HUBER = "phi_s(D) = D^2 for |D| <= s, 2 s |D| - s^2 beyond"


def phi(lead: sp.Expr, width: sp.Expr, is_inside: bool) -> sp.Expr:
    """Huber's function on one of its two pieces."""
    return lead**2 if is_inside else 2 * width * lead - width**2


def pieces() -> Iterator[tuple[bool, Mapping[sp.Symbol, sp.Expr]]]:
    """The two pieces, with the lead in terms of numbers >= 0: D = s/(1+u) inside, D = s + u outside."""
    yield True, {LEAD: s / (1 + u)}
    yield False, {LEAD: s + u}


def everywhere(
    claim: Statement, cases: Iterator[Mapping[sp.Symbol, sp.Expr]], told: str
) -> Outcome:
    """Right minus left is >= 0 (or 0) on every piece, by the signs of its coefficients."""
    for case in cases:
        gap = sp.simplify((claim.right - claim.left).subs(dict(case), simultaneous=True))
        if claim.signs == ("=",) and gap != 0:
            return Outcome("fails", f"the sides differ by {gap}")
        if not nonnegative(gap):
            low = gap.subs({symbol: sp.Rational(1, 8) for symbol in (u, v)}).subs({s: 1, LARGER: 1})
            told = f"right minus left is {gap}"
            is_refuted = low.is_number and low < 0
            return Outcome("fails" if is_refuted else "not established", told)
    return Outcome("holds", told)


ones = sp.Symbol("m", positive=True)
P, Q, GAMMA = sp.symbols(r"p_t q_s \gamma_s")


@STEPS.add(
    id="prediction",
    where="Algorithm 2, lines 5 to 7",
    statement=say(
        *(sp.Rational(1, 2) + (Q - sp.Rational(1, 2)) / (2 * GAMMA), "="),
        sp.Rational(1, 2) + (2 * ones - n) / (2 * sp.sqrt(n + 2)),
        where={Q: (ones + 1) / (n + 2), GAMMA: 1 / (2 * sp.sqrt(n + 2))},
        ranges={n: WHOLE, ones: Range(0, whole=True)},
        given="m ones of n examples; p_t is this, cut off at 0 and 1",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("=",), {n: WHOLE, ones: Range(0, whole=True)}),
    mutants=lambda st: (
        st.but({ones + 1: ones}),
        st.to(sp.Rational(1, 2) + (2 * ones - n) / (2 * sp.sqrt(n + 1))),
        st.to(sp.Rational(1, 2) + (2 * ones - n) / (3 * sp.sqrt(n + 2))),
    ),
)
def prediction(claim: Statement) -> Outcome:
    """The line of Algorithm 2 in terms of ones minus zeros; it is cut off where it leaves [0, 1]."""
    if broken := claim.counterexample():
        return Outcome("fails", broken)
    left = claim.meant(claim.left)
    # q = 1/2 +- gamma, where the cases of line 7 meet, is where the line is 0 or 1
    ends = [claim.left.subs(Q, sp.Rational(1, 2) + sign * GAMMA) for sign in (-1, 1)]
    if sp.simplify(left - claim.right) == 0 and [sp.simplify(end) for end in ends] == [0, 1]:
        return Outcome(
            "holds", "the line is the same, and q = 1/2 +- gamma is where it meets 0 and 1"
        )
    return Outcome("not established", "another line")


@STEPS.add(
    id="potential-loss",
    where="sharper theorem, (i)",
    statement=say(
        *(LOSS - sp.Rational(1, 2), "=", -sigma * SLOPE / (4 * s)),
        given=f"{HUBER}; s = sqrt(n+2); sigma = 1 or -1 for the label 1 or 0",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("=",), {}),
    mutants=lambda st: (
        st.to(-sigma * SLOPE / (3 * s)),
        st.to(-sigma * SLOPE / (4 * s**2)),
        st.to(sigma * SLOPE / (4 * s)),
    ),
    uses=("prediction",),
)
def huber_loss(claim: Statement) -> Outcome:
    """The loss is 1 - p or p, and p - 1/2 is D/(2s) inside, 1/2 outside."""

    def cases() -> Iterator[Mapping[sp.Symbol, sp.Expr]]:
        for is_inside, lead in pieces():
            for sign in (1, -1):
                above = LEAD / (2 * s) if is_inside else sp.Rational(1, 2)
                slope = sp.diff(phi(LEAD, s, is_inside), LEAD)
                cost = sp.Rational(1, 2) - sign * above
                yield {LOSS: cost.subs(lead), SLOPE: slope.subs(lead), sigma: sp.Integer(sign)}

    return everywhere(claim, cases(), "both labels, inside and outside: the sides are equal")


@STEPS.add(
    id="potential-step",
    where="sharper theorem, (ii)",
    statement=say(
        *(NEXT, "<=", PHI + sigma * SLOPE + 1), ranges={s: Range(1)}, given=f"{HUBER}; sigma = +-1"
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("<=",), {s: FROM_1}),
    mutants=lambda st: (
        st.to(PHI + sigma * SLOPE + sp.Rational(99, 100)),
        st.to(PHI + sigma * SLOPE / 2 + 1),
        st.over({s: Range(0)}),
    ),
)
def huber_step(claim: Statement) -> Outcome:
    """Four ways from D to D + sigma, inside and outside of s."""
    if claim.ranges[s].low < 1:
        return Outcome("not established", "a step of 1 could cross from one side to the other")
    one, w = sp.Integer(1), 1 / (1 + u)  # w runs through (0, 1]
    # the lead before and after, where they are, and the sign of the step
    ways = (
        (s / (1 + u), True, True, one),
        (s / (1 + u), True, True, -one),
        (s - 1 + w, True, False, one),  # D <= s < D + 1
        (s + u, False, False, one),
        (s + u + 1, False, False, -one),
        (s + 1 - w, False, True, -one),  # D - 1 <= s < D
    )
    cases = (
        {
            PHI: phi(lead, s, before),
            SLOPE: sp.diff(phi(LEAD, s, before), LEAD).subs(LEAD, lead),
            NEXT: phi(lead + step, s, after),
            sigma: step,
        }
        for lead, before, after, step in ways
    )
    return everywhere(claim, cases, "slack 0 inside, 1 outside, >= 0 across")


@STEPS.add(
    id="potential-scale",
    where="sharper theorem, (iii)",
    statement=say(WIDER / LARGER, "<=", PHI / s, given=f"{HUBER}; 0 < s <= s'"),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("<=",), {}),
    mutants=lambda st: (
        st.but({WIDER / LARGER: WIDER}).to(PHI),
        st.to(PHI / (2 * s)),
        st.to(PHI / s**2),
    ),
)
def huber_scale(claim: Statement) -> Outcome:
    """The lead is inside of both, between them, or outside of both."""
    ways = (
        (s / (1 + u), s + v, True, True),
        (s + u, s + u + v, False, True),
        (s + u + v, s + u, False, False),
    )
    cases = (
        {PHI: phi(lead, s, near), WIDER: phi(lead, wide, far), LARGER: wide}
        for lead, wide, near, far in ways
    )
    return everywhere(claim, cases, "inside of both, between them, outside of both: >= 0")


@STEPS.add(
    id="potential-end",
    where="sharper theorem, (iv)",
    statement=say(LEAD / 2 - PHI / (4 * s), "<=", s / 4, given=f"{HUBER}; D for |D|"),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("<=",), {}),
    mutants=lambda st: (
        st.to(sp.Rational(24, 100) * s),
        st.to(s / 4 - 1),
        st.but({LEAD / 2: sp.Rational(51, 100) * LEAD}),
    ),
)
def huber_end(claim: Statement) -> Outcome:
    """A square inside, 0 outside."""
    cases = ({**lead, PHI: phi(lead[LEAD], s, inside)} for inside, lead in pieces())
    return everywhere(claim, cases, "s/4 minus a square inside, s/4 outside")


@STEPS.add(
    id="potential-sum",
    where="sharper theorem, one ball",
    statement=say(
        *(W(n), "<=", ONE_BALL * sp.sqrt(n + 1) - ONE_BALL_LESS),
        ranges={n: WHOLE},
        given="the first prediction costs at most 1",
    ),
    kind="dynamic programming",
    formal="one_ball",
    recorded="holds",
    argument="(i) and (ii): each loss minus 1/2 is at most (phi_s(D_t) - phi_s(D_{t+1}) + 1)/(4s). "
    "(iii) lets the sum telescope from phi(D_1) = 1 with s = sqrt 3; the best constant loses "
    "n/2 - |D_n|/2, and (iv) with s = sqrt(n+1) bounds what is left. The rest is "
    "1/4 sum_{t=3}^{n+1} t^(-1/2), at most its integral over [2, n+1].",
    covers=Scope(("<=",), {n: WHOLE}),
    mutants=lambda st: (
        st.but({"0.75": "0.74"}),
        st.but({"0.06": "0.07"}),
        st.to(ONE_BALL * n ** sp.Rational(2, 5)),
        st.over({n: Range(0, whole=True)}),
    ),
    uses=("potential-loss", "potential-step", "potential-scale", "potential-end"),
)
def potential_sum(claim: Statement) -> Outcome:
    """W(n) <= 0.75 sqrt(n+1) - 0.06."""
    return one_ball_bound(claim)


@STEPS.add(
    id="one-ball-sharp",
    where="sharper theorem, one ball",
    statement=say(W(n), "<=", sp.sqrt(n), ranges={n: WHOLE}),
    kind="dynamic programming",
    formal="one_ball",
    recorded="holds",
    covers=Scope(("<=",), {n: WHOLE}),
    mutants=lambda st: (
        st.to(sp.Rational(99, 100) * sp.sqrt(n)),
        st.to(n ** sp.Rational(9, 20)),
        st.to(sp.sqrt(n - 1)),
    ),
    uses=("potential-sum",),
)
def one_ball_sharp(claim: Statement) -> Outcome:
    """W(n) <= sqrt(n)."""
    return one_ball_bound(claim)
