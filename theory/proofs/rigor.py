"""Inequalities that are certain: interval arithmetic with python-flint's arb."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

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


def decimal(value: float) -> Fraction:
    """The number a person means by a float literal: 1.26 is 126/100.

    >>> decimal(1.26)
    Fraction(63, 50)
    """
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


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
