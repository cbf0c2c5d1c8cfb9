"""Inequalities that are certain: algebra with signs, and interval arithmetic with python-flint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import sympy as sp
from flint import arb


def exact(value: int | float | Fraction | str) -> arb:
    """An interval that contains the number; decimals are taken at their word.

    >>> exact("0.1") * 10 == 1, exact(Fraction(1, 4)) * 4 == 1
    (False, True)
    """
    if isinstance(value, str):
        value = Fraction(value)
    if isinstance(value, Fraction):
        return arb(value.numerator) / arb(value.denominator)
    return arb(value)


def value(expression: Any, at: Mapping[Any, Any]) -> arb:
    """An interval that contains the value of the expression at the point.

    >>> x, t, n = sp.symbols("x t n")
    >>> value(sp.sqrt(x) + sp.Sum(t, (t, 1, n)), {x: 4, n: 3}) == 8
    True
    """
    if expression in at:
        found = at[expression]
        return found if isinstance(found, arb) else exact(Fraction(found))
    if expression.is_Rational:
        return exact(Fraction(int(expression.p), int(expression.q)))
    if isinstance(expression, sp.Sum):
        term, (index, first, last) = expression.args[0], expression.limits[0]
        steps = range(int(first), int(_rational(last, at)) + 1)
        return sum((value(term, {**at, index: step}) for step in steps), start=arb(0))
    if isinstance(expression, sp.ceiling | sp.floor):
        return arb(int(expression.func(_rational(expression.args[0], at))))
    if isinstance(expression, sp.Piecewise):
        case = next(e for e, condition in expression.args if _is_true(condition, at))
        return value(case, at)
    terms = [value(argument, at) for argument in expression.args]
    if isinstance(expression, sp.Pow):
        return _power(terms[0], expression.args[1], terms[1])
    return _APPLY[expression.func](terms)


def _rational(expression: sp.Expr, at: Mapping[Any, Any]) -> sp.Rational:
    return expression.xreplace({name: sp.Rational(Fraction(found)) for name, found in at.items()})


def _is_true(condition: Any, at: Mapping[Any, Any]) -> bool:
    return bool(condition == True or value(condition.lhs - condition.rhs, at) <= 0)  # noqa: E712


def _power(base: arb, exponent: sp.Expr, known: arb) -> arb:
    if exponent.is_Integer:
        return base ** int(exponent)
    if abs(exponent) == sp.Rational(1, 2):
        return base.sqrt() if exponent > 0 else 1 / base.sqrt()
    return arb(0) if base == 0 and known > 0 else base**known


_APPLY: dict[Any, Callable[[list[arb]], arb]] = {
    sp.Add: lambda terms: sum(terms, start=arb(0)),
    sp.Mul: lambda terms: reduce(lambda a, b: a * b, terms),
    sp.Abs: lambda terms: abs(terms[0]),
    sp.log: lambda terms: terms[0].log(),
    sp.Max: lambda terms: reduce(lambda a, b: a.max(b), terms),
    sp.Min: lambda terms: reduce(lambda a, b: a.min(b), terms),
}


def positive_on(f: Callable[[arb], arb], low: float, high: float, depth: int = 30) -> bool:
    """Whether f > 0 on [low, high], by bisection until every piece is certain.

    False means not certain at this depth; it is never wrong about True.

    >>> positive_on(lambda x: x * x - x + 1, 0.0, 2.0), positive_on(lambda x: x - 1, 0.0, 2.0)
    (True, False)
    """
    pieces = [(low, high, 0)]
    while pieces:
        a, b, level = pieces.pop()
        middle = (a + b) / 2
        # the ball around the middle contains [a, b]: the radius is rounded up by doubling an ulp
        piece = arb(middle, max(b - middle, middle - a) * (1 + 1e-15))
        value = f(piece)
        if value > 0:
            continue
        if level == depth or f(arb(middle)) <= 0:
            return False
        pieces += [(a, middle, level + 1), (middle, b, level + 1)]
    return True


def above_for_whole(gap: sp.Expr, n: sp.Symbol, first: int = 1, far: int = 4) -> bool:
    """Whether gap(n) >= 0 for n = first, first + 1, ...: one by one, then certain on n >= far.

    The gap is a combination of roots of n and n + 1: with x = n^(-1/2) times x it is smooth at 0.

    >>> n = sp.Symbol("n", positive=True)
    >>> above_for_whole(2 * sp.sqrt(n) - sp.sqrt(n + 1), n), above_for_whole(sp.sqrt(n) - 2, n)
    (True, False)
    """
    x = sp.Symbol("x", positive=True)
    scaled = sp.expand(sp.simplify(gap.subs(n, 1 / x**2) * x))
    early = all(value(gap, {n: k}) >= 0 for k in range(first, far))
    return early and positive_on(lambda p: value(scaled, {x: p}), 0.0, far**-0.5 * (1 + 1e-12))


def nonnegative(expression: Any) -> bool:
    """Whether a quotient of polynomials is >= 0 for all values >= 0 of its symbols, by its signs.

    >>> a, b = sp.symbols("a b")
    >>> nonnegative((a + 2 * b) / (1 + a)), nonnegative(a - b)
    (True, False)
    """
    top, bottom = sp.fraction(sp.together(sp.expand(expression)))
    signs = []
    for side in (top, bottom):
        symbols = sorted(side.free_symbols, key=str)
        terms = sp.Poly(side, *symbols).coeffs() if symbols else [side]
        signs.append({bool(value(sp.nsimplify(term), {}) >= 0) for term in terms})
    return signs[0] == signs[1] == {True} or (sp.expand(top) == 0)


def at_most_one(ratio: sp.Expr, low: Mapping[sp.Symbol, int]) -> bool:
    """Whether a product of powers is <= 1 for all values of its symbols from ``low`` on.

    The logarithm is a sum of log(number) times a linear function, and of log(base) times an
    exponent, for bases of at least 1: every coefficient has to be at most 0.

    >>> D, T = sp.symbols("D T", positive=True)
    >>> at_most_one(2 ** (D / 2) / 2**D * T ** (1 / (2 + D) - sp.Rational(1, 3)), {D: 1, T: 1})
    True
    >>> at_most_one(T ** (D - 2), {D: 1, T: 1})
    False
    """
    log = sp.expand(sp.expand_log(sp.log(sp.powsimp(sp.factor(ratio))), force=True))
    up = {symbol: symbol + first for symbol, first in low.items() if first > 0}
    for base in sorted(log.free_symbols, key=str):
        part = log.coeff(sp.log(base))
        if part != 0 and not (low.get(base, 0) >= 1 and nonnegative(-part.xreplace(up))):
            return False
        log = sp.expand(log - part * sp.log(base))
    rest = sp.simplify(log.xreplace(up))
    if not rest.free_symbols:
        return bool(value(rest, {}) <= 0) or sp.simplify(rest) == 0
    try:
        terms = sp.Poly(rest, *sorted(rest.free_symbols, key=str)).coeffs()
    except sp.PolynomialError:  # a logarithm of a sum
        return False
    return all(bool(value(term, {}) <= 0) for term in terms)


def below(small: sp.Expr, large: sp.Expr, low: Mapping[sp.Symbol, int]) -> bool:
    """Whether small <= large, each a sum of products of powers: every term has one above it.

    >>> D, T = sp.symbols("D T", positive=True)
    >>> below(2 * T + 1, 2 * T**D + 3, {T: 1, D: 1}), below(2 * T + 1, 2 * T, {T: 1})
    (True, False)
    """
    left = sp.Add.make_args(sp.expand(small))
    right = list(sp.Add.make_args(sp.expand(large)))
    if any(term.could_extract_minus_sign() for term in (*left, *right)):
        return bool(sp.simplify(small - large) == 0)
    for term in left:
        same = next((other for other in right if at_most_one(term / other, low)), None)
        if same is None:
            return False
        right.remove(same)
    return True
