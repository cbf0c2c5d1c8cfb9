"""Formulas for a page without a network: the LaTeX of the proof ledger as plain HTML.

MathML needs a font for mathematics to look right, which not every machine has; `STYLE` does with
any font. Only what the ledger uses is known; an unknown command is shown by its name.
"""

from __future__ import annotations

import re
from collections import deque
from html import escape

TOKEN = re.compile(r"\\(?:text|mathrm)\{[^}]*\}|\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
LETTERS = {"epsilon": "ϵ", "rho": "ρ", "ell": "ℓ", "phi": "ϕ", "sigma": "σ"}
SIGNS = {
    **{"le": "≤", "ge": "≥", "neq": "≠", "in": "∈", "to": "→", "cdot": "·", "emptyset": "∅"},
    **{"sum": "∑", "lceil": "⌈", "rceil": "⌉", "vert": "|", "max": "max", "min": "min"},
    **{"Pr": "Pr", "bigl": "", "bigr": "", ",": "\u2009", "thinspace": "\u2009"},
    **{" ": " ", "enspace": "\u2002", "quad": "\u2003"},
}
STYLE = """
.math { font-family: "STIX Two Math", "Cambria Math", "DejaVu Serif", serif; }
.math sub, .math sup { font-size: .72em; line-height: 1; }
.frac, .both { display: inline-flex; flex-direction: column; vertical-align: middle;
  text-align: center; font-size: .8em; line-height: 1.25; padding: 0 .1em; }
.frac > :first-child { border-bottom: 1px solid; }
.both { text-align: left; font-size: .72em; line-height: 1.1; }
.root { border-top: 1px solid; padding: 0 .12em; }
"""


def formula(latex: str) -> str:
    r"""The formula as HTML.

    >>> formula(r"x_i \le 2^d")[19:-7]
    '<i>x</i><sub><i>i</i></sub> ≤ 2<sup><i>d</i></sup>'
    """
    return f'<span class="math">{_row(deque(TOKEN.findall(latex)))}</span>'


def _row(tokens: deque[str]) -> str:
    """Everything up to the end of the group, which is taken too."""
    parts = []
    while tokens:
        if tokens[0] == "}":
            tokens.popleft()
            break
        parts.append(_atom(tokens) + _scripts(tokens))
    return "".join(parts)


def _scripts(tokens: deque[str]) -> str:
    """What is below and above the sign before."""
    below = above = ""
    while tokens and tokens[0] in ("_", "^", "'"):
        mark = tokens.popleft()
        if mark == "_":
            below = _argument(tokens)
        else:
            above = "′" if mark == "'" else _argument(tokens)
    if below and above:
        return f'<span class="both"><span>{above}</span><span>{below}</span></span>'
    return f"<sub>{below}</sub>" if below else f"<sup>{above}</sup>" if above else ""


def _argument(tokens: deque[str]) -> str:
    """A group, or one sign: of a number the first digit alone."""
    while tokens and tokens[0].isspace():
        tokens.popleft()
    if tokens and tokens[0][0].isdigit() and len(tokens[0]) > 1:
        number = tokens.popleft()
        tokens.appendleft(number[1:])
        return number[0]
    return _atom(tokens)


def _atom(tokens: deque[str]) -> str:
    if not tokens:
        return ""
    token = tokens.popleft()
    if token == "{":
        return _row(tokens)
    if token.startswith("\\"):
        return _command(token[1:], tokens)
    if token.isalpha():
        return f"<i>{token}</i>"
    return " " if token.isspace() else {"-": "−", "*": "∗"}.get(token, escape(token))


def _command(name: str, tokens: deque[str]) -> str:
    if name.startswith(("text{", "mathrm{")):
        return escape(name.partition("{")[2].rstrip("}"))
    if name in ("frac", "tfrac"):
        top, bottom = _argument(tokens), _argument(tokens)
        return f'<span class="frac"><span>{top}</span><span>{bottom}</span></span>'
    if name == "sqrt":
        return f'√<span class="root">{_argument(tokens)}</span>'
    if name == "hat":  # a combining accent, over the letter before it
        return _argument(tokens).replace("</i>", "\u0302</i>")
    if name in ("vert", "thinspace", "enspace") and tokens and tokens[0].isspace():
        gap = tokens.popleft()  # the space that ends the name
        if name == "vert" and len(gap) > 1:
            return "| "
    if name in SIGNS:
        return SIGNS[name]
    return f"<i>{escape(LETTERS.get(name, name))}</i>"
