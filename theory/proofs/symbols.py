"""The letters of the statements, and the constants of the bounds as they are printed in them."""

from __future__ import annotations

import sympy as sp

from .. import constants
from .statement import Range, number

# sizes and dimensions
C, C_S, L, T, D, n, k = sp.symbols(r"\hat{C} C_S L T D n k", positive=True)
d = sp.Symbol("d", nonnegative=True)
EPS = sp.Symbol(r"\epsilon", positive=True)
R = sp.Symbol("{R_L(T)}", positive=True)
W = sp.Function("W")

PHASES, BALL, RADII = (number(c) for c in (constants.PHASES, constants.BALL, constants.RADII))
ONE_BALL, ONE_BALL_LESS = number(constants.ONE_BALL), number(constants.ONE_BALL_LESS)
SHARP_BALLS, SHARP_RADII = number(constants.SHARP_BALLS), number(constants.SHARP_RADII)

WHOLE = Range(1, whole=True)
FROM_0, FROM_1 = Range(0), Range(1)
# from where on each symbol counts, for comparisons of powers
LOW = {C: 1, T: 1, D: 1, L: 0, n: 1, k: 1, d: 1}


def rate(dimension: sp.Expr) -> sp.Expr:
    """The exponent (1+d)/(2+d).

    >>> rate(sp.Integer(1))
    2/3
    """
    return (1 + dimension) / (2 + dimension)
