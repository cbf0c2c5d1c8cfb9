"""The smallest pieces of a data file: cells, the rows they stand in, and how a fault is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from abacoc.limits import OPTION, LimitError, Limits

# Possessive, as all patterns here: nothing matched is given back, so time is linear in the text.
# Whether a cell is a number, be it one that overflows; float() also takes 1_000, digits of other
# scripts and nan.
is_number = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?").fullmatch
# Whether a cell spells out an infinity, or looks like a number written with a comma.
is_infinite = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE).fullmatch
has_decimal_comma = re.compile(r"[+-]?[0-9]*+,[0-9]++(?:[eE][+-]?[0-9]++)?").fullmatch
# 'none' is not here: as a category it is a value more often than a gap.
_MISSING = frozenset(
    ["", "?", "na", "n/a", "#n/a", "<na>", "nan", "+nan", "-nan", "null", "(null)", "#null!"]
)


def is_missing(text: str) -> bool:
    """Whether a cell says that its value is missing."""
    return text.lower() in _MISSING


def number_complaint(text: str) -> str | None:
    """Why a cell is not a finite number, or None if it is one.

    >>> number_complaint("1e999"), number_complaint("1_000"), number_complaint("-1.5e3")
    ("'1e999' is too large for a float64", "'1_000' is not a number", None)
    """
    if is_missing(text):
        return f"missing value {quoted(text)}"
    if is_infinite(text):
        return f"infinite value {quoted(text)}"
    if not is_number(text):
        return f"{quoted(text)} is not a number"
    if is_infinite(repr(float(text))):
        return f"{quoted(text)} is too large for a float64"
    return None


def quoted(text: str, longest: int = 40) -> str:
    """The text as shown in a message: on one line, and not too long."""
    return repr(text if len(text) <= longest else text[: longest - 3] + "...")


def too_long(limits: Limits) -> str:
    """The reason to refuse a cell, a name or a value with too many characters."""
    return f"a cell of more characters than {limits.said('cell')}"


def one_line(text: str) -> str:
    """The text without the lone surrogates and line breaks that would spoil a one-line message."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def fault(
    source: str,
    reason: str,
    *,
    row: int | None = None,
    line: int | None = None,
    column: int | None = None,
    name: str | None = None,
) -> ValueError:
    """The error for a bad file: where (all numbers from 1), then why, on one line.

    One that names an option to raise a limit is a `LimitError`.

    >>> str(fault("a.csv", "missing value '?'", row=3, line=4, column=2, name="age"))
    "a.csv: row 3 (line 4), column 2 ('age'): missing value '?'"
    """
    where = [] if row is None else [f"row {row}" + (f" (line {line})" if line else "")]
    if row is None and line is not None:
        where.append(f"line {line}")
    if column is not None:
        where.append(f"column {column}" + (f" ({quoted(name)})" if name else ""))
    kind = LimitError if OPTION in reason else ValueError
    return kind(": ".join([one_line(source), *([", ".join(where)] if where else []), reason]))


@dataclass(frozen=True)
class RowSyntax:
    """How the rows of a file are cut into cells.

    >>> RowSyntax(",").split('1,"a,b",c')
    ['1', 'a,b', 'c']
    """

    delimiter: str | None  # None: any run of blanks
    backslash: bool = False  # ARFF: 'it\\'s' and "x"; else CSV: "say ""x"""

    @property
    def quotes(self) -> str:
        """The characters that open a quoted cell."""
        return "\"'" if self.backslash else '"'

    def has_quotes(self, text: str) -> bool:
        """Whether the text needs the slow way of cutting."""
        return any(quote in text for quote in self.quotes)

    def split(self, line: str) -> list[str]:
        """The cells of a line; `ValueError` with the reason alone if its quotes do not match."""
        if not self.has_quotes(line):
            return line.split(self.delimiter)
        line = line.strip(" ") if self.delimiter else line.strip()
        pattern = _cell_pattern(self.delimiter, self.quotes, self.backslash)
        cells: list[str] = []
        position = 0
        while True:
            match = pattern.match(line, position)
            if match is None:
                raise ValueError("a quote that is not closed, or text after a closing quote")
            cells.append(self._unquoted(match))
            if not match["separator"]:
                return cells
            position = match.end()

    def _unquoted(self, match: re.Match[str]) -> str:
        text = match["cell"]
        if not text or text[0] not in self.quotes:
            return text
        if self.backslash:
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        return text[1:-1].replace('""', '"')


@cache
def _cell_pattern(delimiter: str | None, quotes: str, backslash: bool) -> re.Pattern[str]:
    within = r"[^{q}\\]*+(?:\\.[^{q}\\]*+)*+" if backslash else "[^{q}]*+(?:{q}{q}[^{q}]*+)*+"
    cells = [("{q}" + within + "{q}").format(q=quote) for quote in quotes]
    # A bare cell does not begin with a quote: a quote that is not closed must not pass for one.
    cells.append(rf"(?![{quotes}])" + (rf"[^{delimiter}]*" if delimiter else r"\S+"))
    separator = f" *(?P<separator>{delimiter}|$)" if delimiter else r"(?P<separator>\s+|$)"
    # possessive: the blanks before a cell are never given back to let a bare cell begin with one
    return re.compile(rf" *+(?P<cell>{'|'.join(cells)}){separator}")
