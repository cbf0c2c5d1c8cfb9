"""Statements as objects: the LaTeX that is read and the check that is made have one source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp
from flint import arb
from sympy.printing.latex import LatexPrinter

from .rigor import value

Point = dict[sp.Symbol, Fraction]


class _Printer(LatexPrinter):  # type: ignore[misc]
    """Decimals stand first in a product, and what is subtracted last in a sum."""

    def _as_ordered_terms(self, expr: sp.Expr, order: Any = None) -> list[sp.Expr]:
        terms = super()._as_ordered_terms(expr, order=order)
        return sorted(terms, key=lambda term: bool(term.could_extract_minus_sign()))

    def _print_Mul(self, expr: sp.Mul) -> str:
        if expr.could_extract_minus_sign() and expr != -1:
            return "- " + str(self._print(-expr))
        decimals = [factor for factor in expr.args if _is_decimal(factor)]
        if not decimals or expr in decimals:
            return str(super()._print_Mul(expr))
        rest = sp.Mul(*(factor for factor in expr.args if factor not in decimals))
        last = str(self._print(rest))
        last = rf"\left({last}\right)" if rest.is_Add else last
        between = r" \cdot " if last[0].isdigit() else r"\, "
        first = r" \cdot ".join(str(factor) for factor in decimals)
        return first if rest == 1 else first + between + last


def latex(expression: Any) -> str:
    """LaTeX of an expression with decimals.

    >>> d = sp.Symbol("d")
    >>> print(latex(number(2.5) * 2**d), latex(number(1.26) * (d + 1) ** 2))
    2.5 \\cdot 2^{d} 1.26\\, \\left(d + 1\\right)^{2}
    """
    return str(_Printer().doprint(expression))


def _is_decimal(expression: sp.Expr) -> bool:
    return bool(expression.is_Symbol and expression.name[0].isdigit())


SIGNS = {"<=": r" \le ", "<": " < ", ">=": r" \ge ", ">": " > ", "=": " = "}


def number(text: str | float) -> sp.Symbol:
    """A decimal that is printed as it is written, and is exact in every check.

    >>> number(1.26), exact(number(1.26) + 1)
    (1.26, 113/50)
    """
    return sp.Symbol(text if isinstance(text, str) else f"{text:g}", positive=True)


def exact(expression: Any) -> sp.Expr:
    """The expression with rational numbers in place of its decimals."""
    expression = sp.sympify(expression)
    found = {s: sp.Rational(s.name) for s in expression.free_symbols if _is_decimal(s)}
    return expression.xreplace(found)


@dataclass(frozen=True)
class Range:
    """The values over which a statement is claimed.

    >>> print(Range(1, whole=True).told("n"), Range(0, 1, without="(").told("x"), sep="; ")
    n = 1, 2, ...; 0 < x <= 1
    """

    low: Fraction | int = 0
    high: Fraction | int | None = None
    whole: bool = False
    without: str = ""  # "(", ")" or "()": the ends that are left out

    def samples(self) -> list[Fraction]:
        """Values among which counterexamples are looked for."""
        low = Fraction(self.low)
        if self.whole:
            far = (*range(9), 20, 2000)
            found = [low + step for step in far]
        elif self.high is None:
            # near 4.319 the factor of the phases is largest
            steps = [low + Fraction(step) for step in ("0", "1/4", "1/2", "1", "4", "20", "99")]
            found = sorted({*steps, max(low, Fraction("4.319"))})
        else:
            width = Fraction(self.high) - low
            found = [low + width * Fraction(k, 8) for k in range(9)]
        inside = [v for v in found if self.high is None or v <= self.high]
        return [v for v in inside if not self._is_left_out(v)]

    def has(self, v: Fraction) -> bool:
        """Whether the value is one of them."""
        is_whole = v.denominator == 1
        return self._reaches(v) and not self._is_left_out(v) and (is_whole or not self.whole)

    def within(self, other: Range) -> bool:
        """Whether all of these values are among the others.

        >>> Range(2, whole=True).within(Range(1)), Range(1).within(Range(1, whole=True))
        (True, False)
        """
        below = self.high is None and other.high is not None
        ends = [end for end in (self.low, self.high) if end is not None]
        inside = all(other._reaches(Fraction(end)) for end in ends) and not below
        open_ends = set(other.without) - set(self.without)
        touches = ("(" in open_ends and self.low == other.low) or (
            ")" in open_ends and self.high == other.high
        )
        return inside and not touches and (self.whole or not other.whole)

    def _reaches(self, v: Fraction) -> bool:
        return v >= self.low and (self.high is None or v <= self.high)

    def _is_left_out(self, v: Fraction) -> bool:
        return ("(" in self.without and v == self.low) or (")" in self.without and v == self.high)

    def told(self, name: str) -> str:
        """In words."""
        if self.whole:
            if self.high == self.low:
                return f"{name} = {self.low}"
            if self.high is not None:
                return f"{name} in {{{', '.join(map(str, self.samples()))}}}"
            return f"{name} = {self.low}, {self.low + 1}, ..."
        if self.high is None:
            return f"{name} {'>' if '(' in self.without else '>='} {self.low}"
        signs = ["<" if end in self.without else "<=" for end in "()"]
        return f"{self.low} {signs[0]} {name} {signs[1]} {self.high}"


@dataclass(frozen=True)
class Statement:
    """Relations between expressions, for all values of the ranges.

    ``where`` defines symbols, and is printed; ``meaning`` defines them silently, for the search
    for counterexamples. ``given`` are hypotheses that no range says.

    >>> d = sp.Symbol("d", positive=True)
    >>> claim = say(d + 1, "<=", number("1.5") * d, ranges={d: Range(2)})
    >>> print(claim.latex, "for", claim.hypotheses)
    d + 1 \\le 1.5\\, d for d >= 2
    >>> claim.counterexample(), claim.over({d: Range(1)}).counterexample()
    (None, 'd = 1: 2 <= 1.5 is false')
    """

    parts: tuple[sp.Expr, ...]
    signs: tuple[str, ...]
    ranges: Mapping[sp.Symbol, Range] = field(default_factory=dict)
    where: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    meaning: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    given: str = ""

    @property
    def left(self) -> sp.Expr:
        """The first part, decimals exact."""
        return exact(self.parts[0])

    @property
    def right(self) -> sp.Expr:
        """The last part, decimals exact."""
        return exact(self.parts[-1])

    @property
    def latex(self) -> str:
        """As it is read."""
        said = latex(self.parts[0])
        for sign, part in zip(self.signs, self.parts[1:], strict=True):
            said += SIGNS[sign] + latex(part)
        for symbol, defined in self.where.items():
            said += rf", \quad {latex(symbol)} = {latex(defined)}"
        return said

    @property
    def hypotheses(self) -> str:
        """The ranges in words, and what is given besides."""
        spans = [span.told(plain(symbol)) for symbol, span in self.ranges.items()]
        return "; ".join([*spans, self.given] if self.given else spans)

    def but(self, changes: Mapping[Any, Any]) -> Statement:
        """The same with other expressions in it; a decimal may be given as text."""
        as_number = {
            k: number(v) if isinstance(v, str) else sp.sympify(v) for k, v in changes.items()
        }
        old = {number(k) if isinstance(k, str) else sp.sympify(k): v for k, v in as_number.items()}
        parts = tuple(part.xreplace(old) for part in self.parts)
        where = {symbol: defined.xreplace(old) for symbol, defined in self.where.items()}
        if parts == self.parts and where == dict(self.where):
            raise ValueError(f"nothing changes in {self.latex}")
        return replace(self, parts=parts, where=where)

    def over(self, ranges: Mapping[sp.Symbol, Range]) -> Statement:
        """The same, claimed for other values."""
        return replace(self, ranges={**self.ranges, **ranges})

    def to(self, *parts: Any) -> Statement:
        """The same hypotheses with another right-hand side, or other parts after the first."""
        return replace(self, parts=(self.parts[0], *map(sp.sympify, parts)))

    def points(self) -> Iterator[Point]:
        """Sample values of all variables."""
        names = list(self.ranges)
        for values in product(*(self.ranges[name].samples() for name in names)):
            yield dict(zip(names, values, strict=True))

    def meant(self, expression: Any) -> sp.Expr:
        """The expression with what ``where`` and ``meaning`` say, decimals exact."""
        for _ in range(3):  # a definition may use another
            expression = sp.sympify(expression).xreplace({**self.meaning, **self.where})
        return exact(expression)

    def broken_at(self, point: Mapping[Any, Any]) -> str | None:
        """What is certainly false there, if anything."""
        values = [value(self.meant(part), point) for part in self.parts]
        for a, sign, b in zip(values, self.signs, values[1:], strict=False):
            if is_false(a, sign, b):
                return f"{told(point)}: {_short(a)} {sign} {_short(b)} is false".lstrip(": ")
        return None

    def counterexample(self, points: Iterator[Point] | None = None) -> str | None:
        """The first sample point at which the statement is certainly false."""
        tried = (self.broken_at(point) for point in points or self.points())
        return next((broken for broken in tried if broken), None)


def say(*said: Any, **more: Any) -> Statement:
    """A statement from its parts with the signs between them."""
    return Statement(tuple(sp.sympify(part) for part in said[::2]), tuple(said[1::2]), **more)


def is_false(a: arb, sign: str, b: arb) -> bool:
    """Whether the relation is certainly false.

    >>> is_false(arb(2), "<=", arb(1)), is_false(arb(1), "<=", arb(1)), is_false(arb(1), "<", arb(1))
    (True, False, True)
    """
    tests = {"<=": a > b, "<": a >= b, ">=": a < b, ">": a <= b, "=": a < b or a > b}
    return bool(tests[sign])


def told(point: Mapping[Any, Any]) -> str:
    """A point in words.

    >>> told({sp.Symbol("d"): Fraction(1, 2)})
    'd = 0.5'
    """
    return ", ".join(f"{plain(name)} = {_short(v)}" for name, v in point.items())


def plain(symbol: sp.Symbol) -> str:
    """Its name without LaTeX.

    >>> plain(sp.Symbol(r"\\hat{C}")), plain(sp.Symbol(r"\\epsilon"))
    ('C-hat', 'epsilon')
    """
    name = str(symbol).replace(r"\hat{C}", "C-hat").replace("\\", "")
    return name[1:-1] if name.startswith("{") else name


def _short(value: Any) -> str:
    number = float(value)
    return f"{number:,.0f}" if abs(number) >= 1e6 else f"{number:.6g}"
