"""Lemma 2: the regret of one phase."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import sympy as sp

from ..regret.one_ball import FloatArray, rounding, worst_regrets
from . import formal
from .ledger import Outcome, Scope, Steps, claims
from .lemma1 import STEPS as LEMMA1
from .lemma1 import d_i
from .probability import identity
from .rigor import above_for_whole, below, nonnegative
from .statement import Range, Statement, say
from .symbols import BALL, EPS, FROM_0, FROM_1, LOW, RADII, WHOLE, C, L, W, d, k, n, rate

N_MAX = 20_000

STEPS = Steps()

a, b, y, p_star = sp.symbols("{f(x_s)} {f(x_t)} y_t p_s^*", nonnegative=True)
rho, OWN = sp.Symbol(r"\rho_t", nonnegative=True), sp.Function(r"W^\circ")
t, s, i = sp.symbols("t s i", integer=True, positive=True)
counts = sp.IndexedBase("n")


@cache
def regrets() -> FloatArray:
    """W(1), ..., W(20000)."""
    return worst_regrets(N_MAX)


def loss(p: sp.Expr) -> sp.Expr:
    """What predicting 1 with chance p costs."""
    return sp.Abs(p - y)


UNIT = {p_star: Range(0, 1), a: Range(0, 1), b: Range(0, 1), y: Range(0, 1, whole=True)}
SUMMED = sp.Sum(loss(p_star) - loss(b), (t, 1, n))


@STEPS.add(
    id="lipschitz",
    where="Lemma 2, the second component",
    statement=say(
        *(loss(p_star) - loss(b), "<=", loss(a) - loss(b), "<=", sp.Abs(a - b)),
        ranges=UNIT,
        given="for each t of the ball; |f(x_s) - f(x_t)| <= L rho_t <= L eps_t",
    ),
    amended=say(
        *(SUMMED, "<=", sp.Sum(loss(a) - loss(b), (t, 1, n)), "<=", sp.Sum(L * rho, (t, 1, n))),
        ranges=UNIT,
        given="t runs through the ball of x_s, whose best constant is p_s^*; "
        "|f(x_s) - f(x_t)| <= L rho_t and rho_t <= eps_t",
    ),
    kind="symbolic",
    recorded="holds amended",
    note="summed over the ball, not for each t",
    covers=Scope(("<=", "<="), UNIT, SUMMED),
    mutants=lambda s: (
        s.but({L * rho: L * rho / 2}),
        s.but({L * rho: L * rho**2}),
        s.over({y: Range(0, 2, whole=True)}),
    ),
)
def lipschitz(claim: Statement) -> Outcome:
    """A constant in place of f costs at most L times the distances, and p* is the best constant."""
    if claim.left == loss(p_star) - loss(b):
        broken = claim.counterexample()
        return Outcome("fails", broken) if broken else Outcome("not established", "not refuted")
    # the farthest that the slope of f allows: L rho = |f(x_s) - f(x_t)|
    if not all(isinstance(part, sp.Sum) for part in claim.parts):
        return Outcome("not established", "the check is about sums over the ball")
    first, last = (part.function for part in claim.parts[1:])
    far = last.xreplace({L: sp.Integer(1), rho: sp.Abs(a - b)})
    if broken := say(first, "<=", far, ranges=claim.ranges).counterexample():
        return Outcome("fails", f"L = 1, rho_t = |f(x_s) - f(x_t)|, {broken}")
    zeros, q, u = sp.symbols("z q u", nonnegative=True)
    # on [0, 1] the loss is p or 1 - p, so the difference is a - b or b - a
    slopes = [sp.expand(((1 - 2 * label) * (a - b)) ** 2 - (a - b) ** 2) for label in (0, 1)]
    # ones (1-q) + zeros q >= min(ones, zeros), which p* in {0, 1} attains: ones = zeros + u say
    best = nonnegative((((zeros + u) * (1 - q) + zeros * q) - zeros).subs(q, 1 / (1 + q)))
    same = (first, last) == (loss(a) - loss(b), L * rho) and claim.ranges[y].samples() == [0, 1]
    if slopes == [0, 0] and best and same:
        return Outcome("holds", "the loss is 1-Lipschitz; the best constant is min(ones, zeros), "
                       "at most ones (1-q) + zeros q")  # fmt: skip
    return Outcome("not established", "not what the slope of the loss gives")


def one_ball_bound(claim: Statement) -> Outcome:
    """W(n) <= f(n): refuted by the exact optimum, or above the bound that Coq proves."""
    first = int(claim.ranges[n].low)
    if first < 1:
        return Outcome("not established", "a ball has at least one example")
    told = sp.lambdify(n, claim.right, "numpy")(np.arange(1.0, N_MAX + 1))
    shift = 0.5 if claim.left == OWN(n) else 0.0  # `added-half`
    above = np.flatnonzero(regrets() - shift > told + rounding(N_MAX))
    if above.size:
        at = int(above[0])
        return Outcome("fails", f"W({at + 1}) = {regrets()[at] - shift:.6f} > {told[at]:.6f}")
    if wrong := formal.disagrees("one_ball") or (claim.left not in (W(n), OWN(n)) and "no ball"):
        return Outcome("not established", wrong)
    shifted = sp.Rational(1, 2) if claim.left == OWN(n) else 0
    for which in (0, 1):
        known = formal.bound("one_ball", which) - shifted
        if claim.right == known or above_for_whole(claim.right - known, n, first):
            reached = float((regrets() / np.sqrt(np.arange(2.0, N_MAX + 2))).max())
            return Outcome("holds", f"Coq has {known} for all n; the exact optimum for n <= {N_MAX:,} "
                           f"is at most {reached:.4f} sqrt(n+1)")  # fmt: skip
    return Outcome("not established", "not above what is proved of one ball")


@STEPS.add(
    id="added-half",
    where="Lemma 2, 'this adds an additional 0.5'",
    statement=say(
        *(W(n), "=", OWN(n) + sp.Rational(1, 2)),
        ranges={n: WHOLE},
        given="W: the first prediction costs 1; W°: the ball's own first prediction, 1/2, costs 1/2",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("=",), {n: WHOLE}, W(n)),
    mutants=lambda s: (
        s.to(OWN(n) + sp.Rational(1, 4)),
        s.to(OWN(n) + 1),
        s.to(OWN(n) + sp.Rational(1, 2) * sp.sqrt(n)),
    ),
)
def added_half(claim: Statement) -> Outcome:
    """The first loss is added to the others, and no later prediction depends on it."""
    first, rest = sp.symbols("l_1 l", nonnegative=True)
    # the regret of a label sequence is first + rest, where rest has neither of the two predictions
    both = {
        W(n): (first + rest).subs(first, 1),
        OWN(n): (first + rest).subs(first, sp.Rational(1, 2)),
    }
    left_over = sp.simplify((claim.left - claim.right).xreplace(both))
    if left_over == 0:
        return Outcome(
            "holds", "1 + rest = (1/2 + rest) + 1/2 for every label sequence, so for the worst"
        )
    at_4 = left_over.subs(n, 4)
    return (
        Outcome("fails", f"n = 4: the sides differ by {at_4}")
        if at_4
        else Outcome("not established", "")
    )


@STEPS.add(
    id="one-ball-known",
    where="Lemma 2, the bound of Feder, Merhav and Gutman",
    statement=say(
        *(OWN(n), "<=", sp.sqrt(n + 1) + sp.Rational(1, 2)),
        ranges={n: WHOLE},
        given="the ball's own first prediction is 1/2",
    ),
    kind="dynamic programming",
    formal="one_ball",
    recorded="holds",
    covers=Scope(("<=",), {n: WHOLE}),
    mutants=lambda s: (
        s.to(sp.Rational(7, 10) * sp.sqrt(n + 1)),
        s.to((n + 1) ** sp.Rational(2, 5)),
    ),
    uses=("added-half",),
)
def one_ball_known(claim: Statement) -> Outcome:
    """W°(n) <= sqrt(n+1) + 1/2."""
    return one_ball_bound(claim)


@STEPS.add(
    id="one-ball",
    where="Lemma 2, one ball",
    statement=say(
        *(W(n), "<=", sp.sqrt(n + 1) + 1),
        ranges={n: WHOLE},
        given="the first prediction in the ball is somebody else's",
    ),
    kind="chain",
    recorded="holds",
    covers=Scope(("<=",), {n: WHOLE}),
    mutants=lambda s: (
        s.to(sp.sqrt(n + 1) + sp.Rational(1, 4)),
        s.to(sp.sqrt(n) + 1),
        s.to((n + 1) ** sp.Rational(2, 5) + 1),
    ),
    uses=("added-half", "one-ball-known"),
)
def one_ball(claim: Statement) -> Outcome:
    """The known bound and the half."""
    known, half = part("one-ball-known"), part("added-half")
    product = half.right.xreplace({known.left: known.right})
    refuted = one_ball_bound(claim)
    if refuted.verdict == "fails":
        return refuted
    return compared(claim, product, left=half.left)


@STEPS.add(
    id="square-roots",
    where="Lemma 2",
    statement=say(sp.sqrt(n + 1) + 1, "<=", BALL * sp.sqrt(n), ranges={n: WHOLE}),
    kind="intervals",
    recorded="holds",
    covers=Scope(("<=",), {n: WHOLE}),
    mutants=lambda s: (
        s.but({"2.5": "2.4"}),
        s.to(BALL * n ** sp.Rational(2, 5)),
        s.over({n: Range(0, whole=True)}),
    ),
)
def square_roots(claim: Statement) -> Outcome:
    """sqrt(n+1) + 1 <= c sqrt(n)."""
    if broken := claim.counterexample():
        return Outcome("fails", broken)
    if above_for_whole(claim.right - claim.left, n, int(claim.ranges[n].low)):
        return Outcome("holds", "n = 1, 2, 3, and certain for all x = n^(-1/2) in [0, 1/2]")
    return Outcome("not established", "not certain")


@STEPS.add(
    id="jensen-balls",
    where="Lemma 2, Jensen over the balls",
    statement=say(
        *(sp.Sum(sp.sqrt(counts[s]), (s, 1, k)), "<=", sp.sqrt(k * sp.Sum(counts[s], (s, 1, k)))),
        ranges={k: WHOLE},
        given="n_s >= 0",
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("<=",), {k: WHOLE}),
    mutants=lambda st: (
        st.to(k ** sp.Rational(2, 5) * sp.sqrt(sp.Sum(counts[s], (s, 1, k)))),
        st.to(sp.sqrt(k * sp.Sum(counts[s], (s, 1, k))) / 2),
    ),
)
def jensen_balls(claim: Statement) -> Outcome:
    """The tangent of the root at the mean m of the n_s, summed over the balls."""
    m = sp.Symbol("m", positive=True)
    equal = {sp.Sum(counts[s], (s, 1, k)): k * m}
    right = claim.right.xreplace(equal)
    if broken := say(k * sp.sqrt(m), "<=", right, ranges={k: WHOLE, m: WHOLE}).counterexample():
        return Outcome("fails", f"k balls with m examples each: {broken}")
    root, mean = sp.symbols("u v", positive=True)  # the roots of n_s and m
    tangent = (root**2 / mean + mean) / 2
    square = sp.expand((tangent - root) * 2 * mean - (root - mean) ** 2) == 0
    summed = sp.simplify((k * m / sp.sqrt(m) + k * sp.sqrt(m)) / 2)
    if (
        claim.left == sp.Sum(sp.sqrt(counts[s]), (s, 1, k))
        and square
        and below(summed, right, {k: 1, m: 0})
    ):
        return Outcome(
            "holds", "sqrt(n_s) <= (n_s/sqrt(m) + sqrt(m))/2, a square; summed it is k sqrt(m)"
        )
    return Outcome("not established", "not what the tangent gives")


@STEPS.add(
    id="radius-sum",
    where="Lemma 2, the sum of the radii",
    statement=say(
        *(sp.Sum(t ** (-1 / (2 + d)), (t, 1, n)), "<=", (d + 2) / (d + 1) * n ** rate(d)),
        *("<=", RADII * n ** rate(d)),
        ranges={d: WHOLE, n: WHOLE},
    ),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("<=", "<="), {d: FROM_1, n: WHOLE}),
    mutants=lambda s: (
        s.but({"1.5": "1.49"}),
        s.over({d: Range(0, whole=True)}),
        s.to(n ** rate(d), RADII * n ** rate(d)),
        s.to((d + 2) / (d + 1) * n ** (d / (d + 1)), RADII * n ** rate(d)),
    ),
)
def radius_sum(claim: Statement) -> Outcome:
    """A sum of a decreasing function is at most its integral; the factor is largest at d = 1."""
    if broken := claim.counterexample():
        return Outcome("fails", broken)
    term, middle, right = claim.left.function, claim.parts[1], claim.right
    u = sp.Symbol("u", nonnegative=True)
    first = int(claim.ranges[d].low)
    primitive = (
        sp.simplify(sp.diff(middle, n) - term.subs(t, n)) == 0
        and sp.limit(middle.subs(d, 1), n, 0) == 0
    )
    falls = nonnegative(-sp.simplify(t * sp.diff(term, t) / term))
    factor = sp.simplify(right / middle)
    if not (primitive and falls):
        return Outcome(
            "not established", "the second part is not the integral of a falling function"
        )
    if not nonnegative(sp.expand(sp.simplify(factor - 1).subs(d, first + u) * (first + u + 2))):
        return Outcome("not established", "the last part is not above the second")
    return Outcome(
        "holds", f"each term is at most its integral, and (d+2)/(d+1) <= 3/2 for d >= {first}"
    )


@STEPS.add(
    id="exponent",
    where="Lemma 2, the exponent",
    statement=say(d / (2 * (2 + d)) + sp.Rational(1, 2), "=", rate(d), ranges={d: FROM_0}),
    kind="symbolic",
    recorded="holds",
    covers=Scope(("=",), {d: FROM_0}),
    mutants=lambda s: (
        s.to(d / (1 + d)),
        s.to((2 + d) / (3 + d)),
        s.to(rate(d) + sp.Rational(1, 100)),
    ),
)
def exponent(claim: Statement) -> Outcome:
    """d / (2 (2 + d)) + 1/2 = (1 + d) / (2 + d)."""
    return identity(claim, "simplifies to 0")


PHASE = sp.Symbol(r"\sum_{t \in T_i} (\ell_t(p_t) - \ell_t(f(x_t)))")


def compared(
    claim: Statement, product: sp.Expr, left: sp.Expr, low: Mapping[sp.Symbol, int] = LOW
) -> Outcome:
    """A chain: the product of other statements has to be at most the right-hand side."""
    if claim.left != left:
        return Outcome("not established", f"the product bounds {left}")
    if sp.simplify(product - claim.right) == 0:
        return Outcome("holds", "the product of the steps is the right-hand side")
    if below(product, claim.right, low):
        return Outcome("holds", f"the product of the steps, {short(product)}, is below")
    return Outcome("not established", f"the product of the steps, {short(product)}, is not below")


def short(product: sp.Expr) -> str:
    """In one line, each power once.

    >>> short(2 * n ** (d / (2 + d)) * n ** (1 / (2 + d)))
    '2*n**((d + 1)/(d + 2))'
    """
    joined = sp.powsimp(sp.expand(product), force=True)
    told = joined.replace(sp.Pow, lambda base, power: base ** sp.factor(sp.together(power)))
    return str(told).replace(r"\hat{C}", "C")


def phase_product(ball: str) -> sp.Expr:
    """Balls and radii of a phase with n steps: the statements multiplied.

    The balls by the bound of one ball, Jensen over the balls and their number at the end of the
    phase, eps = n^(-1/(2+d)); the radii by their sum.
    """
    balls = part("lemma1-size").right.subs({d_i: d, EPS: n ** (-1 / (2 + d))})
    jensen = part("jensen-balls").right.xreplace({sp.Sum(counts[s], (s, 1, k)): n})
    per_root = sp.simplify(part(ball).right / sp.sqrt(n))  # c of c sqrt(n)
    radii = part("radius-sum").right
    return sp.powsimp(sp.expand(per_root * jensen.subs(k, balls)), force=True) + L * radii


@STEPS.add(
    id="lemma2-constants",
    where="Lemma 2",
    statement=say(
        *(PHASE, "<=", (2 * sp.sqrt(C) * 2 ** (d + 1) + RADII * L) * n ** rate(d)),
        ranges={C: Range(1), d: WHOLE, L: FROM_0, n: WHOLE},
        given="phase i has n steps and d_i = d",
    ),
    kind="chain",
    recorded="holds",
    argument="The paper's proof gets 2.5 sqrt(C) 2^d, its statement has 4 sqrt(C) 2^d.",
    covers=Scope(("<=",), {C: FROM_1, d: WHOLE, L: FROM_0, n: WHOLE}),
    mutants=lambda s: (
        s.but({"1.5": "1.49"}),
        s.to((2 * sp.sqrt(C) * 2 ** (d / 4) + RADII * L) * n ** rate(d)),
        s.to((2 * sp.sqrt(C) * 2 ** (d + 1) + RADII * L) * n ** (d / (1 + d))),
        s.over({d: Range(0, whole=True)}),
    ),
    uses=(
        *("decomposition", "counts", "lemma1-size", "lipschitz", "one-ball", "square-roots"),
        *("jensen-balls", "radius-sum", "exponent"),
    ),
)
def phase(claim: Statement) -> Outcome:
    """One phase: the product of the steps above."""
    if claim.ranges[d].low < 1:
        return Outcome("not established", "the sum of the radii needs d >= 1")
    if part("one-ball").right != part("square-roots").left:
        return Outcome("not established", "the bound of one ball does not meet the next one")
    return compared(claim, phase_product("square-roots"), PHASE)


part = claims(LEMMA1, STEPS)
