"""What Coq proves (`make prove`): the names of its theorems and the bounds in them, in one place.

Nothing here runs Coq. A step that points to a theorem compares its own expressions with the bound
below, read as a formula. Where theory/coq/ is at hand, the bound must also stand in the theorem
there, letter by letter.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import sympy as sp

from .symbols import EPS, C, D, L, T, d, k, n

SOURCES = Path(__file__).parent.parent / "coq"

NAMES = {"C": C, "D": D, "L": L, "T": T, "d": d, "eps": EPS, "k": k, "n": n}
# what is not a letter there is one here
WORDS = {
    "(size b)": "n",
    "radius (steps e) (dim e)": "eps",
    "dim e": "d",
    "(INR (length stream))": "T",
}

_POWER = "Rpower T ((1 + INR D) / (2 + INR D))"
_STATED = "126/100 * (5/2 * sqrt C * {} + 3/2 * L) * Rpower T ((1 + {}) / (2 + {}))"
_LEADING = "3/4 * sqrt C * Rpower 2 (INR D / 2) + (2 + INR D) / (1 + INR D) * L"
_C_D = "Rpower ((1 - q ^ D) / (1 - q)) (1 / (2 + INR D))"
_R_D = "(2 + INR D) / (1 + INR D) * Rpower (INR D) (1 / (2 + INR D))"
_BALL = "3/4 * sqrt (INR n + 1) - 6/100"


LETS = {"q": "Rpower 2 (- ((2 + INR D) / 2))", "c": _C_D, "r": _R_D}  # of sharper_theorem_D


class Theorem(NamedTuple):
    """What a theorem of the Coq sources says, and what stands in it as Coq writes it."""

    says: str
    bounds: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()  # that are no formulas


THEOREMS = {
    "one_ball": Theorem(
        "one ball with n examples, the first prediction somebody else's", (_BALL, "sqrt (INR n)")
    ),
    "one_ball_tight": Theorem(
        "the worst regret of one ball, from below and from above",
        ("3/4 * sqrt (INR n) - 3/5", _BALL),
    ),
    "lemma_1": Theorem(
        "the dimensions of the phases rise up to D, and a phase has at most C (2/eps)^d balls",
        ("C * (2 / radius (steps e) (dim e)) ^ dim e",),
        ("rising 0 (whole d) phases",),
    ),
    "sharper_theorem": Theorem(
        "the sharper theorem",
        (f"(1058/1000 * sqrt C * Rpower 2 (INR D / 2) + 1586/1000 * L) * {_POWER}",),
    ),
    "sharper_theorem_D": Theorem(
        "the sharper theorem with constants that depend on D",
        (f"(c * sqrt C * Rpower 2 (INR D / 2) + r * L) * {_POWER}", _C_D, _R_D),
        (
            "let q := Rpower 2 (- ((2 + INR D) / 2)) in",
            f"let c := {_C_D} in",
            f"let r := {_R_D} in",
        ),
    ),
    "one_dimension": Theorem(
        "the sharper theorem for d <= 1",
        ("(sqrt (2 * C) + 3/2 * L) * Rpower (INR (length stream)) (2/3)",),
        ("d <= 1 ->",),
    ),
    "leading_theorem": Theorem(
        "the sharper theorem with its best leading constants",
        (
            f"({_LEADING}) * {_POWER}"
            " + (INR D - 1) * ((sqrt C * Rpower 2 ((INR D - 1) / 2) + 3/2 * L)"
            " * Rpower T (INR D / (INR D + 1)))"
            " + 3/8 * (C * sqrt C) * Rpower 2 (3 * INR D / 2)"
            " * Rpower T ((INR D - 1) / (INR D + 2))",
        ),
    ),
    "corrected_theorem_1": Theorem(
        "Theorem 1 with D and C-hat", (_STATED.format("2 ^ D", "INR D", "INR D"),)
    ),
    "theorem_1_iff_whole": Theorem(
        "Theorem 1 with C-hat = C_S holds exactly for d = 1, 2, ...",
        texts=("(exists D, (1 <= D)%nat /\\ d = INR D) <-> forall n, ~ fails_at d (INR n)",),
    ),
    "theorem_1_fails_with_C_S": Theorem(
        "Theorem 1 fails with C_S where C-hat is larger, for every d >= 3",
        ("INR n / 6",),
        ("3 <= d ->", "stated 1 d 0 (INR n) < INR n / 6"),
    ),
    "refined_theorem": Theorem(
        "the regret is at most what the balls and distances allow",
        ("Rmin (sqrt (INR (size b))) (3/4 * sqrt (INR (size b) + 1) - 6/100)",),
        ("+ L * travelled",),
    ),
    "refined_phases": Theorem(
        "the same phase by phase",
        ("3/4 * sqrt (k * (n + k)) + L * ((2 + d) / (1 + d) * Rpower n ((1 + d) / (2 + d)))",),
    ),
    "ever_counts": Theorem(
        "every step is in exactly one ball of exactly one phase",
        texts=("sum (map (fun b => INR (size b)) (ever dist C stream)) = INR (length stream)",),
    ),
    "best_constants": Theorem(
        "3/4 and (2+D)/(1+D) are the best constants of the leading theorem",
        ("3/4", "(2 + INR D) / (1 + INR D)"),
    ),
    "joint_constant_exact": Theorem("the best leading constant, at every L", (_LEADING,)),
    "expected_mistakes": Theorem("the sum of |y_t - p_t| is the expectation over the coins"),
    "exact_update": Theorem("BASE with rational numbers takes the steps of BASE"),
}
# What Coq defines by itself: the bound as the paper states it.
DEFINITIONS = {"stated": _STATED.format("Rpower 2 d", "d", "d")}


def bound(name: str, which: int = 0) -> sp.Expr:
    """The bound of a theorem, or a definition, as an expression.

    >>> bound("one_ball", 1)
    sqrt(n)
    """
    known = THEOREMS.get(name)
    return read(known.bounds[which] if known else DEFINITIONS[name])


def same(name: str, expression: sp.Expr, which: int = 0) -> str | None:
    """None if the theorem has this expression, else what is wrong.

    >>> same("one_ball", sp.sqrt(n), which=1), same("one_ball", 2 * sp.sqrt(n), which=1)
    (None, 'one_ball of Coq says sqrt(n)')
    """
    if wrong := disagrees(name):
        return wrong
    theirs = bound(name, which)
    equal = sp.simplify(sp.expand(theirs) - sp.expand(expression)) == 0
    return None if equal else f"{name} of Coq says {theirs}"


@cache
def disagrees(name: str) -> str | None:
    """Where the Coq sources are at hand: whether they have the theorem with these words."""
    if not (SOURCES / "Statements.v").is_file():
        return None
    said = source(name)
    if said is None:
        return f"theory/coq/ has no {name}"
    known = THEOREMS.get(name) or Theorem("", (DEFINITIONS[name],))
    missing = [
        text for text in (*known.bounds, *known.texts) if _squeeze(text) not in _squeeze(said)
    ]
    return f"{name} of Coq does not say {missing[0]}" if missing else None


def _squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


@cache
def source(name: str) -> str | None:
    """The statement of a theorem or definition in theory/coq/, from its name to its end."""
    first = [SOURCES / "Statements.v"]
    for path in first + sorted(set(SOURCES.rglob("*.v")) - set(first)):
        text = re.sub(r"\(\*.*?\*\)", " ", path.read_text("utf-8"), flags=re.DOTALL)
        if found := re.search(rf"\b{name}\b\s*(\([^)]*\)\s*)*:(.*?)\.\s", text, re.DOTALL):
            return found[2]
    return None


def numbers(text: str) -> Counter[Fraction]:
    """The quotients of whole numbers in a text.

    >>> sorted(numbers("126/100 * (5/2 * sqrt C)"))
    [Fraction(63, 50), Fraction(5, 2)]
    """
    return Counter(Fraction(int(a), int(b)) for a, b in re.findall(r"(\d+)\s*/\s*(\d+)", text))


_FUNCTIONS = {
    "sqrt": (1, sp.sqrt),
    "Rpower": (2, sp.Pow),
    "Rmin": (2, sp.Min),
    "INR": (1, lambda x: x),
}


def read(text: str) -> sp.Expr:
    """A formula of Coq as an expression: numbers, names, + - * / ^ and applied functions.

    >>> read("3/4 * sqrt (INR n + 1) - 6/100")
    3*sqrt(n + 1)/4 - 3/50
    """
    for words, letter in WORDS.items():
        text = text.replace(words, letter)
    tokens = re.findall(r"\d+|\w+|[-+*/^()]", text)[::-1]

    def take(*wanted: str) -> str | None:
        return tokens.pop() if tokens and tokens[-1] in wanted else None

    def atom() -> sp.Expr:
        token = tokens.pop()
        if token == "(":
            inner = add()
            if take(")") is None:
                raise ValueError(f"no ) in {text}")
            return inner
        if token in LETS:
            return read(LETS[token])
        return sp.Integer(token) if token.isdigit() else NAMES[token]

    def applied() -> sp.Expr:
        if tokens[-1] in _FUNCTIONS:
            arity, function = _FUNCTIONS[tokens.pop()]
            return function(*(atom() for _ in range(arity)))
        return atom()

    def power() -> sp.Expr:
        base = applied()
        return base ** power() if take("^") else base

    def multiply() -> sp.Expr:
        product = power()
        while sign := take("*", "/"):
            product = product * power() if sign == "*" else product / power()
        return product

    def add() -> sp.Expr:
        total = -multiply() if take("-") else multiply()
        while sign := take("+", "-"):
            total = total + multiply() if sign == "+" else total - multiply()
        return total

    expression = add()
    if tokens:
        raise ValueError(f"{text} does not end at {tokens[-1]}")
    return expression
