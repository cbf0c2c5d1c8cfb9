"""Lemma 2: the regret of one phase."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp
from flint import arb

from ..constants import BALL, ONE_BALL, RADII
from ..regret.one_ball import FloatArray, rounding, worst_regrets
from .ledger import Outcome, Steps
from .rigor import decimal, exact, positive_on

N_MAX = 20_000

STEPS = Steps()


@cache
def regrets() -> FloatArray:
    """W(1), ..., W(20000)."""
    return worst_regrets(N_MAX)


def first_excess(bound: FloatArray) -> int | None:
    """Smallest n with W(n) above the bound by more than the rounding, if any."""
    above = np.flatnonzero(regrets() > bound + rounding(N_MAX))
    return int(above[0]) + 1 if above.size else None


@STEPS.add(
    id="lipschitz",
    where="Lemma 2, the second component",
    statement=r"\ell_t(p_s^*) - \ell_t(f(x_t)) \le \ell_t(f(x_s)) - \ell_t(f(x_t)) \le "
    r"L \rho(x_s, x_t) \le L \epsilon_t",
    hypotheses="f is L-Lipschitz with values in [0, 1]; x_t lies in the ball of x_s",
    kind="symbolic",
    recorded="holds amended",
    amendment="the first inequality holds after summing over the ball, not for each t",
    argument="p_s^* minimises the sum over the ball and f(x_s) is a constant. A ball's own "
    "first example has distance 0.",
    constants={"slope": Fraction(1)},
    mutations={"slope": Fraction(99, 100)},
)
def lipschitz(slope: Fraction) -> Outcome:
    """|a - y| - |b - y| <= slope |a - b|, and the step of the paper term by term."""
    a, b = sp.symbols("a b", real=True)
    for y in (0, 1):
        # on [0, 1] the loss is p for y = 0 and 1 - p for y = 1
        gap = sp.expand(((1 - 2 * y) * a + y - (1 - 2 * y) * b - y) ** 2 - (a - b) ** 2)
        if gap != 0:
            return Outcome("not established", "the loss is not 1-Lipschitz")
    if slope < 1:
        return Outcome("fails", f"a = 1, b = 0, y = 0: the loss grows by 1 > {slope}")
    # The paper writes l_t(p*) <= l_t(f(x_s)) for each t. Labels 0, 0, 1 and f = 1/2:
    labels, f = (0, 0, 1), Fraction(1, 2)
    best = min((Fraction(k, 4) for k in range(5)), key=lambda p: sum(abs(p - y) for y in labels))
    term = abs(best - 1), abs(f - 1)
    total = sum(abs(best - y) for y in labels), sum(abs(f - y) for y in labels)
    if not (term[0] > term[1] and total[0] <= total[1]):
        return Outcome("not established", "the step is not refuted term by term")
    return Outcome(
        "holds amended",
        f"labels 0, 0, 1 and f = 1/2: p* = {best} loses {term[0]} on the last one, f only {term[1]}; "
        f"summed over the ball p* loses {total[0]} <= {total[1]}",
    )


@STEPS.add(
    id="one-ball",
    where="Lemma 2, after Feder, Merhav and Gutman",
    statement=r"\sum_{t \to s} (\ell_t(p_t) - \ell_t(p_s^*)) \le \sqrt{n + 1} + 1",
    hypotheses="n >= 1; the first prediction in the ball is somebody else's",
    kind="dynamic programming",
    recorded="holds",
    constants={"root": Fraction(1), "plus": Fraction(1)},
    mutations={"root": Fraction(7, 10), "plus": Fraction(-1, 2)},
    uses=("potential-sum",),
)
def one_ball(root: Fraction, plus: Fraction) -> Outcome:
    """W(n) <= root sqrt(n + 1) + plus for all n >= 1."""
    n = np.arange(1, N_MAX + 1)
    excess = first_excess(float(root) * np.sqrt(n + 1.0) + float(plus))
    if excess is not None:
        return Outcome("fails", f"W({excess}) = {regrets()[excess - 1]:.6f} is larger")
    # for all n: W(n) <= 0.75 sqrt(n+1), the step `potential-sum`
    if root >= decimal(ONE_BALL) and plus >= 0:
        largest = float((regrets() / np.sqrt(n + 1.0)).max())
        told = f"3/4 sqrt(n+1) for all n; the largest W(n) / sqrt(n+1) is {largest:.4f}"
        return Outcome("holds", f"{told} for n <= {N_MAX:,}")
    return Outcome("not established", "not above 3/4 sqrt(n+1)")


@STEPS.add(
    id="square-roots",
    where="Lemma 2",
    statement=r"\sqrt{n + 1} + 1 \le 2.5 \sqrt{n}",
    hypotheses="n >= 1",
    kind="intervals",
    recorded="holds",
    constants={"c": BALL},
    mutations={"c": 2.4},
)
def square_roots(c: float) -> Outcome:
    """sqrt(n + 1) + 1 <= c sqrt(n) for n >= 1: c - sqrt(1 + x^2) - x > 0 on [0, 1], x = n^(-1/2)."""
    constant = exact(decimal(c))
    if positive_on(lambda x: constant - (1 + x * x).sqrt() - x, 0.0, 1.0):
        return Outcome("holds", "certain for all x in [0, 1]; the smallest constant is 1 + sqrt 2")
    if constant < 1 + arb(2).sqrt():
        return Outcome("fails", f"n = 1: 1 + sqrt 2 = 2.4142... > {c}")
    return Outcome("not established", "not certain")


@STEPS.add(
    id="jensen-balls",
    where="Lemma 2, Jensen over the balls",
    statement=r"\sum_{s \in S} \sqrt{n_s} \le \sqrt{|S| \sum_s n_s}",
    hypotheses="n_s >= 0",
    kind="symbolic",
    recorded="holds",
    constants={"power": Fraction(1, 2)},
    mutations={"power": Fraction(49, 100)},
)
def jensen_balls(power: Fraction) -> Outcome:
    """Sum of k roots <= k^power (sum n)^(1/2)."""
    if power < Fraction(1, 2):
        return Outcome("fails", f"k balls with one point each: k > k^({power + Fraction(1, 2)})")
    # A tangent at the mean m of the n_s: sqrt(n) <= (n / sqrt(m) + sqrt(m)) / 2, for
    # (sqrt(n) - sqrt(m))^2 >= 0. Summed over k balls with sum k m it is k sqrt(m) = sqrt(k sum n).
    root, mean_root, k = sp.symbols("a b k", positive=True)
    tangent = (root**2 / mean_root + mean_root) / 2 - root
    summed = (k * mean_root**2 / mean_root + k * mean_root) / 2
    if sp.simplify(tangent - (root - mean_root) ** 2 / (2 * mean_root)) != 0:
        return Outcome("not established", "the tangent is not above the root")
    if sp.simplify(summed**2 - k * (k * mean_root**2)) != 0:
        return Outcome("not established", "the sum of the tangents is not sqrt(k sum n)")
    return Outcome("holds", "the tangent at the mean lies above the root, for any number of balls")


@STEPS.add(
    id="radius-sum",
    where="Lemma 2, the sum of the radii",
    statement=r"\sum_{t=1}^{n} t^{-1/(2+d)} \le \tfrac{d+2}{d+1} n^{(d+1)/(d+2)} "
    r"\le 1.5\, n^{(d+1)/(d+2)}",
    hypotheses="d >= 1 (which d_i >= i gives); the k-th step of a phase has radius k^(-1/(2+d))",
    kind="symbolic",
    recorded="holds",
    constants={"c": RADII},
    mutations={"c": 1.49},
)
def radius_sum(c: float) -> Outcome:
    """sum_{t<=n} t^(-1/(2+d)) <= (d+2)/(d+1) n^((d+1)/(d+2)) <= c n^(...) for d >= 1."""
    d, x = sp.symbols("d x", positive=True)
    a = 1 / (2 + d)
    primitive = (d + 2) / (d + 1) * x ** ((d + 1) / (d + 2))
    if sp.simplify(sp.diff(primitive, x) - x ** (-a)) != 0:
        return Outcome("not established", "the integral is wrong")
    slope = sp.simplify(sp.diff((d + 2) / (d + 1), d))  # negative: the largest factor is at d = 1
    if sp.simplify(slope + 1 / (d + 1) ** 2) != 0:
        return Outcome("not established", "(d+2)/(d+1) is not decreasing")
    if decimal(c) >= Fraction(3, 2):
        return Outcome(
            "holds", "t^-a <= its integral over [t-1, t], and (d+2)/(d+1) <= 3/2 at d = 1"
        )
    n = arb(10**6)
    third = exact(Fraction(2, 3))
    below = exact(Fraction(3, 2)) * ((n + 1) ** third - 1)  # the integral over [1, n+1]
    if below > exact(decimal(c)) * n**third:
        return Outcome("fails", f"d = 1, n = 10^6: the sum is at least {float(below):.1f}")
    return Outcome("not established", "(d+2)/(d+1) = 3/2 at d = 1")


@STEPS.add(
    id="exponent",
    where="Lemma 2, the exponent",
    statement=r"\frac{d}{2(2+d)} + \frac12 = \frac{1+d}{2+d}",
    hypotheses="d > 0",
    kind="symbolic",
    recorded="holds",
    constants={"half": Fraction(1, 2)},
    mutations={"half": Fraction(49, 100)},
)
def exponent(half: Fraction) -> Outcome:
    """d / (2 (2 + d)) + half = (1 + d) / (2 + d)."""
    d = sp.symbols("d", positive=True)
    difference = sp.simplify(d / (2 * (2 + d)) + sp.Rational(half) - (1 + d) / (2 + d))
    if difference == 0:
        return Outcome("holds", "simplifies to 0")
    return Outcome("fails", f"the sides differ by {difference}")


@STEPS.add(
    id="lemma2-constants",
    where="Lemma 2, statement against proof",
    statement=r"2\sqrt{\hat C}\, 2^{d_i+1} \text{ (statement)}, \quad "
    r"2.5\sqrt{\hat C}\, 2^{d_i} \text{ (proof)}",
    hypotheses="as in Lemma 2",
    kind="symbolic",
    recorded="holds",
    constants={"statement": 4.0, "proof": BALL},
    mutations={"statement": 2.4, "proof": 2.4},
    argument="The two constants differ; the proof's is the smaller one and goes into the theorem.",
    uses=(
        *("lemma1-size", "lipschitz", "one-ball", "square-roots"),
        *("jensen-balls", "radius-sum", "exponent"),
    ),
)
def constants(statement: float, proof: float) -> Outcome:
    """The proof's 2.5 sqrt(C) 2^d against the statement's 2 sqrt(C) 2^(d+1) = 4 sqrt(C) 2^d."""
    d = sp.symbols("d", positive=True)
    if sp.simplify(sp.sqrt(sp.Integer(4) ** d) - 2**d) != 0:
        return Outcome("not established", "sqrt(4^d) is not 2^d")
    growing = sp.simplify(sp.diff((1 + d) / (2 + d), d) - 1 / (2 + d) ** 2)
    if growing != 0:
        return Outcome("not established", "the exponent does not grow with d")
    if square_roots(proof).verdict != "holds":
        return Outcome("not established", f"the proof does not give {proof}")
    if decimal(statement) < decimal(proof):
        return Outcome("not established", f"{statement} is below what the proof gives, {proof}")
    return Outcome("holds", f"{proof} <= {statement}: the statement is weaker than its proof")
