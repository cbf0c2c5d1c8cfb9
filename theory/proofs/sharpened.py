"""The sharper theorem: a potential for one ball, and phases that cost almost nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb

from ..constants import ONE_BALL, ONE_BALL_LESS, RADII, SHARP_BALLS, SHARP_RADII
from . import lemma1, lemma2
from .ledger import Outcome, Steps
from .rigor import decimal, exact, positive_on

D, S = sp.symbols("D s", positive=True)  # by symmetry D >= 0
INSIDE, OUTSIDE = D**2, 2 * S * D - S**2  # phi_s(D) for |D| <= s and beyond

# What every version of the theorem rests on besides its constants.
FOUNDATION = (
    "coin",
    "prediction",
    "lemma1-dimension",
    "lemma1-size",
    "lipschitz",
    "jensen-balls",
    "exponent",
)

STEPS = Steps()


@STEPS.add(
    id="prediction",
    where="Algorithm 2, lines 5 to 7",
    statement=r"p_t = \mathrm{clip}\bigl(\tfrac12 + \tfrac{D}{2\sqrt{n+2}}, 0, 1\bigr)",
    hypotheses="D = ones - zeros of the ball, n its examples",
    kind="symbolic",
    recorded="holds",
    constants={"two": Fraction(2)},
    mutations={"two": Fraction(3)},
)
def prediction(two: Fraction) -> Outcome:
    """p_t of Algorithm 2 is clip(1/2 + D / (2 sqrt(n+2)), 0, 1), with gamma = 1/(two sqrt(n+2))."""
    ones, n = sp.symbols("m n", positive=True)
    q = (ones + 1) / (n + 2)
    gamma = 1 / (sp.Rational(two) * sp.sqrt(n + 2))
    lead = (2 * ones - n) / (2 * sp.sqrt(n + 2))  # D / (2 sqrt(n+2)), D = ones - zeros
    difference = sp.simplify((q - sp.Rational(1, 2)) / (2 * gamma) - lead)
    if difference != 0:
        return Outcome("fails", f"the sides differ by {difference}")
    # q > 1/2 + gamma is lead > 1/2: exactly where the line leaves [0, 1]
    return Outcome("holds", "the line is the same, and q = 1/2 +- gamma is where it meets 0 and 1")


@STEPS.add(
    id="potential-loss",
    where="sharper theorem, (i)",
    statement=r"\ell_t(p_t) - \tfrac12 = -\sigma_t\, \phi_s'(D) / (4 s), \quad "
    r"\phi_s(D) = D^2 \text{ for } |D| \le s,\ 2 s |D| - s^2 \text{ beyond}",
    hypotheses="D = ones - zeros of the ball, s = sqrt(n + 2), sigma = +1 or -1 for the label",
    kind="symbolic",
    recorded="holds",
    constants={"four": Fraction(4)},
    mutations={"four": Fraction(3)},
    uses=("prediction",),
)
def huber_loss(four: Fraction) -> Outcome:
    """loss - 1/2 = -sigma phi_s'(D) / (four s)."""
    for branch, lead in ((INSIDE, D / (2 * S)), (OUTSIDE, sp.Rational(1, 2))):
        # p - 1/2 is the lead, clipped; a label 1 costs 1 - p
        difference = sp.simplify(-lead + sp.diff(branch, D) / (sp.Rational(four) * S))
        if difference != 0:
            return Outcome("fails", f"the sides differ by {difference}")
    return Outcome("holds", "both branches simplify to 0; the other label changes both signs")


@STEPS.add(
    id="potential-step",
    where="sharper theorem, (ii)",
    statement=r"\phi_s(D + \sigma) \le \phi_s(D) + \sigma \phi_s'(D) + 1",
    hypotheses="s >= 1",
    kind="symbolic",
    recorded="holds",
    constants={"curvature": Fraction(1)},
    mutations={"curvature": Fraction(99, 100)},
)
def huber_step(curvature: Fraction) -> Outcome:
    """phi_s(D + sigma) <= phi_s(D) + sigma phi_s'(D) + curvature, for s >= 1."""
    c = sp.Rational(curvature)
    slack = {}
    for sigma in (1, -1):
        stay = INSIDE + sigma * sp.diff(INSIDE, D) + c
        # inside -> inside: the slack is c - 1
        slack["inside"] = sp.expand(stay - INSIDE.subs(D, D + sigma))
        # inside -> outside: phi is below the square, by (D' - s)^2
        below = sp.expand((D + sigma) ** 2 - OUTSIDE.subs(D, D + sigma) - (D + sigma - S) ** 2)
        if below != 0:
            return Outcome("not established", "phi is not below the square")
        # outside -> outside: linear, the slack is c
        along = OUTSIDE + sigma * sp.diff(OUTSIDE, D) + c
        slack["outside"] = sp.expand(along - OUTSIDE.subs(D, D + sigma))
        if (slack["inside"], slack["outside"]) != (c - 1, c):
            return Outcome("not established", f"the slacks are {slack}")
    # outside -> inside (sigma = -1): slack c - (D' - s)^2 with s - 1 < D' <= s
    back = sp.expand(OUTSIDE - sp.diff(OUTSIDE, D) + c - (D - 1) ** 2 - (c - (D - 1 - S) ** 2))
    if back != 0:
        return Outcome("not established", "coming back from outside costs something else")
    if c < 1:
        return Outcome("fails", f"inside the slack is {slack['inside']} < 0")
    return Outcome("holds", f"slack: {c - 1} inside, {c} outside, >= 0 across")


@STEPS.add(
    id="potential-scale",
    where="sharper theorem, (iii)",
    statement=r"\phi_s(D) / s \text{ decreases in } s",
    hypotheses="s > 0",
    kind="symbolic",
    recorded="holds",
    constants={"power": Fraction(1)},
    mutations={"power": Fraction(0)},
)
def huber_scale(power: Fraction) -> Outcome:
    """phi_s(D) / s^power decreases in s."""
    q = sp.Rational(power)
    inside = sp.simplify(sp.diff(INSIDE / S**q, S) * S ** (q + 1))  # -q D^2
    outside = sp.simplify(sp.diff(OUTSIDE / S**q, S) * S**q)  # at D = s + e, e >= 0
    e = sp.symbols("e", nonnegative=True)
    outside = sp.expand(outside.subs(D, S + e))
    signs = [sp.simplify(inside).is_nonpositive, outside.is_nonpositive]
    if all(signs):
        return Outcome("holds", f"derivatives {inside} and {outside}, up to positive factors")
    return Outcome("fails", f"derivatives {inside} and {outside} are not both at most 0")


@STEPS.add(
    id="potential-end",
    where="sharper theorem, (iv)",
    statement=r"|D| / 2 - \phi_s(D) / (4 s) \le s / 4",
    hypotheses="s > 0",
    kind="symbolic",
    recorded="holds",
    constants={"quarter": Fraction(1, 4)},
    mutations={"quarter": Fraction(24, 100)},
)
def huber_end(quarter: Fraction) -> Outcome:
    """|D| / 2 - phi_s(D) / (4 s) <= quarter s."""
    # inside: s/4 - (s - D)^2 / (4 s); outside: s/4
    inside = sp.simplify(D / 2 - INSIDE / (4 * S) - S / 4 + (S - D) ** 2 / (4 * S))
    outside = sp.simplify(D / 2 - OUTSIDE / (4 * S) - S / 4)
    if (inside, outside) != (0, 0):
        return Outcome("not established", "the completed square is wrong")
    if quarter < Fraction(1, 4):
        return Outcome("fails", f"|D| >= s gives s/4 > {quarter} s")
    return Outcome("holds", "s/4 minus a square inside, s/4 outside")


@STEPS.add(
    id="potential-sum",
    where="sharper theorem, one ball",
    statement=r"W(n) \le 0.75 \sqrt{n + 1} - 0.06",
    hypotheses="n >= 1; the first prediction costs at most 1",
    kind="intervals",
    recorded="holds",
    argument="(i) and (ii): each loss minus 1/2 is at most (phi_s(D_t) - phi_s(D_{t+1}) + 1)/(4s). "
    "(iii) lets the sum telescope from phi(D_1) = 1 with s = sqrt 3; the best constant loses "
    "n/2 - |D_n|/2, and (iv) with s = sqrt(n+1) bounds what is left. The rest is "
    "1/4 sum_{t=3}^{n+1} t^(-1/2), at most its integral over [2, n+1].",
    constants={"c": ONE_BALL, "e": ONE_BALL_LESS},
    mutations={"c": 0.74, "e": 0.07},
    uses=("potential-loss", "potential-step", "potential-scale", "potential-end"),
)
def potential_sum(c: float, e: float) -> Outcome:
    """W(n) <= c sqrt(n+1) - e for all n >= 1."""
    n = np.arange(1, lemma2.N_MAX + 1)
    excess = lemma2.first_excess(c * np.sqrt(n + 1.0) - e)
    if excess is not None:
        return Outcome("fails", f"W({excess}) = {lemma2.regrets()[excess - 1]:.6f} is larger")
    x = sp.symbols("x", positive=True)
    if sp.simplify(sp.diff(2 * sp.sqrt(x), x) - 1 / sp.sqrt(x)) != 0:
        return Outcome("not established", "the integral of x^(-1/2) is wrong")
    # 1/2 + 1/(4 sqrt 3) + 1/4 (2 sqrt(n+1) - 2 sqrt 2) + sqrt(n+1)/4
    root = Fraction(1, 2) + Fraction(1, 4)
    rest = exact(Fraction(1, 2)) + 1 / (4 * arb(3).sqrt()) - arb(2).sqrt() / 2
    first = exact(decimal(c)) * arb(2).sqrt() - exact(decimal(e)) >= 1
    if decimal(c) >= root and rest <= -exact(decimal(e)) and first:
        return Outcome("holds", f"n >= 2: 3/4 sqrt(n+1) - {-float(rest):.5f}; n = 1: W = 1")
    return Outcome("not established", "the potential does not give it")


@STEPS.add(
    id="one-ball-sharp",
    where="sharper theorem, one ball",
    statement=r"W(n) \le \sqrt{n}",
    hypotheses="n >= 1",
    kind="intervals",
    recorded="holds",
    constants={"c": 1.0},
    mutations={"c": 0.99},
    uses=("potential-sum",),
)
def one_ball_sharp(c: float) -> Outcome:
    """W(n) <= c sqrt(n) for all n >= 1."""
    constant = exact(decimal(c))
    if constant < 1:
        return Outcome("fails", f"n = 1: W = 1 > {c}")
    part, gap = exact(decimal(ONE_BALL)), exact(decimal(ONE_BALL_LESS))
    # n >= 2 with x = n^(-1/2) <= 0.7072
    if positive_on(lambda x: constant - part * (1 + x * x).sqrt() + gap * x, 0.0, 0.7072):
        return Outcome("holds", "W(1) = 1; 3/4 sqrt(n+1) - 0.06 <= sqrt(n) is certain for n >= 2")
    return Outcome("not established", "not certain")


@STEPS.add(
    id="balls-of-a-phase",
    where="sharper theorem, all balls of a phase",
    statement=r"\sum_{s \in S} W(n_s) \le 0.75 \sqrt{|S| (n + |S|)}",
    hypotheses="sum of the n_s is n",
    kind="chain",
    recorded="holds",
    constants={"c": ONE_BALL},
    mutations={"c": 0.74},
    uses=("potential-sum", "jensen-balls"),
)
def balls_of_a_phase(c: float) -> Outcome:
    """sum_s W(n_s) <= c sqrt(|S| (n + |S|))."""
    one = potential_sum(c, 0.0)
    if one.verdict != "holds":
        return Outcome(one.verdict, f"W(n) <= {c} sqrt(n+1): {one.evidence}")
    jensen = lemma2.jensen_balls(Fraction(1, 2))
    return Outcome(jensen.verdict, "W(n) <= 3/4 sqrt(n+1), then the tangent at the mean of n_s + 1")


@STEPS.add(
    id="phases-balls",
    where="sharper theorem, the phases together",
    statement=r"\sum_i 2^{d_i/2} n_i^{\frac{1+d_i}{2+d_i}} \le 1.058 \cdot 2^{D/2} "
    r"T^{\frac{1+D}{2+D}}",
    hypotheses="the d_i are different whole numbers of 1, ..., D",
    kind="intervals",
    recorded="holds",
    argument="n^x grows with x for n >= 1, so all exponents become that of D. With weights "
    "2^(-j/2), j = D - d_i, Hoelder's inequality gives the (1/(2+D))-th power of a geometric "
    "series: the earlier phases cost at most 6 %.",
    constants={"c": SHARP_BALLS},
    mutations={"c": 1.057},
)
def phase_balls(c: float) -> Outcome:
    """(sum_{j<D} 2^(-j (2+D)/2))^(1/(2+D)) <= c for every whole D >= 1."""
    a, n, A, alpha = sp.symbols("a n A alpha", positive=True)
    weight = a ** (1 / (1 - alpha)) / A
    identity = A ** (1 - alpha) * weight * (n / weight) ** alpha / (a * n**alpha)
    if sp.simplify(sp.expand_log(sp.log(identity), force=True)) != 0:
        return Outcome("not established", "Hoelder's weights are wrong")
    limit = exact(decimal(c))
    for d in (1, 2):
        total = sum(
            (exact(2) ** exact(Fraction(-j * (2 + d), 2)) for j in range(d)), start=exact(0)
        )
        value = total ** (exact(1) / (2 + d))
        if not value <= limit:
            return Outcome("fails", f"D = {d}, n_1 : n_2 = 1 : 4 attains {float(value):.5f} > {c}")
    # D >= 3: below the whole geometric series, which decreases in D
    series = (1 / (1 - exact(2) ** exact(Fraction(-5, 2)))) ** exact(Fraction(1, 5))
    if not series <= limit:
        return Outcome("not established", f"D >= 3: {float(series):.5f} > {c}")
    return Outcome(
        "holds", f"1 for D = 1, (5/4)^(1/4) for D = 2, at most {float(series):.4f} beyond"
    )


@STEPS.add(
    id="phases-radii",
    where="sharper theorem, the phases together",
    statement=r"\sum_i \sum_{k \le n_i} k^{-1/(2+d_i)} \le 1.586\, T^{\frac{1+D}{2+D}}",
    hypotheses="at most D phases, d_i <= D",
    kind="intervals",
    recorded="holds",
    argument="k^(-1/(2+d_i)) <= k^(-1/(2+D)), then the radius sum for D and Jensen over at most "
    "D phases: (2+D)/(1+D) D^(1/(2+D)).",
    constants={"c": SHARP_RADII},
    mutations={"c": 1.585},
    uses=("radius-sum", "jensen-phases", "phases-factor"),
)
def phase_radii(c: float) -> Outcome:
    """(2+D)/(1+D) D^(1/(2+D)) <= c for every whole D >= 1."""
    limit = exact(decimal(c))
    for d in (1, 2):
        value = exact(Fraction(2 + d, 1 + d)) * arb(d) ** (exact(1) / (2 + d))
        if not value <= limit:
            return Outcome("not established", f"D = {d}: {float(value):.5f} > {c}")
    # D >= 3: (2+D)/(1+D) <= 5/4, and D^(1/(2+D)) <= 4^(1/6), see `phases-factor`
    if not exact(Fraction(5, 4)) * arb(4) ** exact(Fraction(1, 6)) <= limit:
        return Outcome("not established", f"D >= 3: not below {c}")
    return Outcome("holds", "3/2 for D = 1, 4/3 2^(1/4) for D = 2, at most 5/4 4^(1/6) beyond")


@STEPS.add(
    id="theorem-sharpened",
    where="the sharper theorem",
    statement=r"R_L(T) \le (1.058 \sqrt{\hat C}\, 2^{D/2} + 1.586\, L)\, T^{\frac{1+D}{2+D}}, "
    r"\quad D = \max(1, \lceil d \rceil)",
    hypotheses="diameter at most 1, N(eps) <= C-hat eps^-d for 0 < eps <= 1, L >= 0",
    kind="chain",
    recorded="holds",
    argument="Per phase: sum_s sqrt(n_s) <= sqrt(|S| n) with |S| <= C 2^d n^(d/(2+d)).",
    constants={"ball": 1.0, "factor": Fraction(2), "balls": SHARP_BALLS, "radii": SHARP_RADII},
    mutations={"ball": 0.99, "factor": Fraction(19, 10), "balls": 1.057, "radii": 1.585},
    uses=(*FOUNDATION, "one-ball-sharp", "phases-balls", "phases-radii"),
)
def sharpened(ball: float, factor: Fraction, balls: float, radii: float) -> Outcome:
    """The product of the steps above."""
    parts = {
        f"W(n) <= {ball} sqrt(n)": one_ball_sharp(ball),
        f"|S_t| <= C {factor}^d eps^-d": lemma1.size(factor, Fraction(4)),
        f"phases, balls: {balls}": phase_balls(balls),
        f"phases, radii: {radii}": phase_radii(radii),
    }
    for what, outcome in parts.items():
        if not outcome.verdict.startswith("holds"):
            return Outcome("not established", f"{what}: {outcome.evidence}")
    return Outcome("holds", "the product of " + "; ".join(parts))


@STEPS.add(
    id="theorem-leading",
    where="the sharper theorem, leading term",
    statement=r"R_L(T) \le \bigl(0.75 \sqrt{\hat C}\, 2^{D/2} + \tfrac{2+D}{1+D} L\bigr) "
    r"T^{\frac{1+D}{2+D}} + (D-1)\bigl(\sqrt{\hat C}\, 2^{(D-1)/2} + 1.5 L\bigr) T^{\frac{D}{D+1}} "
    r"+ \tfrac38 \hat C^{3/2}\, 2^{3D/2}\, T^{\frac{D-1}{D+2}}",
    hypotheses="as in the sharper theorem",
    kind="chain",
    recorded="holds",
    argument="The d_i are different, so at most one phase has d_i = D; it costs "
    "3/4 (sqrt(S n) + S^(3/2) / (2 sqrt n)) with S <= C 2^D n^(D/(2+D)), and (2+D)/(1+D) L "
    "n^((1+D)/(2+D)). The others, at most D - 1, have d_i <= D - 1 and n_i <= T.",
    constants={"ball": ONE_BALL, "early": 1.0, "lip": RADII, "lower": Fraction(3, 8)},
    mutations={"ball": 0.74, "early": 0.99, "lip": 1.49, "lower": Fraction(37, 100)},
    uses=(*FOUNDATION, "balls-of-a-phase", "one-ball-sharp", "radius-sum"),
)
def leading(ball: float, early: float, lip: float, lower: Fraction) -> Outcome:
    """One phase of dimension D with W(n) <= 3/4 sqrt(n+1); the earlier phases grow more slowly."""
    S_, n, d, x = sp.symbols("S n d x", positive=True)
    # sqrt(1 + x) <= 1 + x/2 with x = S/n
    if sp.expand((1 + x / 2) ** 2 - (1 + x)) != x**2 / 4:
        return Outcome("not established", "the tangent of the root is wrong")
    rest = sp.simplify(sp.sqrt(S_ * n) * (S_ / n) / 2 - S_ ** sp.Rational(3, 2) / (2 * sp.sqrt(n)))
    power = sp.simplify(3 * d / (2 * (2 + d)) - sp.Rational(1, 2) - (d - 1) / (d + 2))
    # d_i <= D - 1 in the earlier phases: exponent (1 + (D-1)) / (2 + (D-1)) = D / (D+1)
    before = sp.simplify(((1 + d) / (2 + d)).subs(d, d - 1) - d / (d + 1))
    if (rest, power, before) != (0, 0, 0):
        return Outcome("not established", "an exponent is wrong")
    parts = {
        f"sum of W <= {ball} sqrt(S (n + S))": balls_of_a_phase(ball),
        f"W(n) <= {early} sqrt(n) in earlier phases": one_ball_sharp(early),
        f"radii <= {lip} n^a in earlier phases": lemma2.radius_sum(lip),
    }
    for what, outcome in parts.items():
        if outcome.verdict != "holds":
            return Outcome("not established", f"{what}: {outcome.evidence}")
    if lower < decimal(ball) / 2:
        return Outcome("not established", f"the term of lower order needs {ball} / 2, not {lower}")
    return Outcome("holds", "the product of " + "; ".join(parts))
