"""Three identities: the randomised mistake, the recursion of Algorithm 5, equation (1)."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from .ledger import Outcome, Steps

STEPS = Steps()


@STEPS.add(
    id="coin",
    where="Section V, first line",
    statement=r"\Pr(\hat y_t \neq y_t) = |y_t - p_t|",
    hypotheses="y_t in {0, 1}, p_t = Pr(yhat_t = 1)",
    kind="symbolic",
    recorded="holds",
    constants={"factor": Fraction(1)},
    mutations={"factor": Fraction(99, 100)},
)
def coin(factor: Fraction) -> Outcome:
    """Pr(yhat != y) = factor |y - p| for y in {0, 1}."""
    p = sp.symbols("p", nonnegative=True)
    chance_of_mistake = {0: p, 1: 1 - p}  # yhat = 1 has probability p
    # Both sides are nonnegative on [0, 1], so equal squares mean equal numbers.
    squares = [
        sp.expand(chance**2 - (sp.Rational(factor) * (y - p)) ** 2)
        for y, chance in chance_of_mistake.items()
    ]
    if all(square == 0 for square in squares):
        return Outcome("holds", "both cases expand to 0")
    return Outcome("fails", f"the squares differ by {squares}")


@STEPS.add(
    id="recursion",
    where="Algorithm 5, line 6",
    statement=r"M_t = (1 - \tfrac1t) M_{t-1} + \tfrac1t I_t = \tfrac1t \sum_{s \le t} I_s",
    hypotheses="t >= 1",
    kind="symbolic",
    recorded="holds",
    constants={"weight": Fraction(1)},
    mutations={"weight": Fraction(9, 10)},
)
def recursion(weight: Fraction) -> Outcome:
    """M_t = (1 - w/t) M_{t-1} + (w/t) I keeps M_t the mean, by induction on t."""
    t, total, hit = sp.symbols("t S I", positive=True)
    w = sp.Rational(weight)
    step = (1 - w / t) * total / (t - 1) + w / t * hit
    difference = sp.simplify(step - (total + hit) / t)
    if difference == 0:
        return Outcome("holds", "the induction step simplifies to 0; M_1 = I_1 whatever M_0 is")
    return Outcome("fails", f"the induction step leaves {difference}")


@STEPS.add(
    id="removal",
    where="equation (1)",
    statement=r"\sum_{i \in S} \frac{m_i + 1}{\sum_j m_j + |S|} = 1",
    hypotheses="S is not empty, m_i >= 0",
    kind="symbolic",
    recorded="holds",
    constants={"laplace": Fraction(1)},
    mutations={"laplace": Fraction(1, 2)},
)
def removal(laplace: Fraction) -> Outcome:
    """Equation (1) sums to one: sum_i (m_i + c) = sum_j m_j + |S| for every |S|."""
    mistakes, size = sp.symbols("M n", positive=True)  # M = sum of the m_j, n = |S|
    total = sp.simplify((mistakes + sp.Rational(laplace) * size) / (mistakes + size))
    if total == 1:
        return Outcome("holds", "the sum simplifies to 1; every term is positive")
    return Outcome("fails", f"the sum is {total}")
