"""CSV files and their kin: comma, tab, semicolon or blanks between the cells, the label last."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from abacoc.streams.cells import (
    RowSyntax,
    fault,
    has_decimal_comma,
    is_infinite,
    is_missing,
    is_number,
    quoted,
    too_long,
)
from abacoc.streams.columns import ColumnSpec
from abacoc.streams.form import Form
from abacoc.streams.source import LineReader, Lines
from abacoc.streams.table import TableRows

without_comment = str  # a line is as it is
_SAMPLE = 1000  # lines looked at to recognise the delimiter and the header,
_SAMPLE_CELLS = 1 << 19  # or fewer where they are long
_SAMPLE_TEXT = 1 << 25  # and fewer still where they would fill the memory


def read(lines: LineReader, form: Form) -> tuple[TableRows, str]:
    """The rows of a CSV file, to be taken from the lines, and a word on how it was understood."""
    sample = _sample(lines)
    delimiter = form.delimiter or find_delimiter(sample.texts, form.decimal)
    syntax = RowSyntax(None if delimiter == " " else delimiter)
    try:
        first = [cell.strip() for cell in syntax.split(sample.texts[0])]
    except ValueError as error:
        raise sample.fault(0, str(error), 1) from None
    if form.trailing_comma and len(first) > 1 and not first[-1]:
        first.pop()
    width = len(first)
    if width < 2 and form.model is None:
        reason = "a single column: an attribute and the label are needed"
        if delimiter is None:
            reason += " (--delimiter tells what stands between the cells)"
        raise sample.fault(0, reason, 1)
    if width > lines.limits.columns:
        reason = f"more columns than {lines.limits.said('columns')}"
        raise sample.fault(0, reason, lines.limits.columns + 1)
    texts = sample.texts[1 : max(2, min(_SAMPLE, _SAMPLE_CELLS // width))]
    others = [row for text in texts if len(row := _cells(text, syntax)) == width]
    header = _has_header(first, others, form, sample)
    names = first if header else [""] * width
    # A column without a name is called by its number.
    specs = [ColumnSpec(name or f"x{i}") for i, name in enumerate(names, 1)]
    if header:
        if len(sample) == 1:
            raise fault(lines.source, "a header line and no data")
        for column, name in enumerate(first, 1):
            if len(name) > lines.limits.cell:
                raise sample.fault(0, too_long(lines.limits), column)
        lines.take(1)
        lines.begin_rows()
    how = "CSV, header line" if header else "CSV, no header line"
    return TableRows(lines, syntax, specs, form), how


def _has_header(first: list[str], others: list[list[str]], form: Form, sample: Lines) -> bool:
    """Whether the first line names the columns, as the caller, a model or the lines tell."""
    if form.header is not None:
        return form.header
    known = form.model["columns"] if form.model is not None else []
    if {column["name"] for column in known} & set(first):
        return True
    if form.decimal == ",":
        first, *others = ([cell.replace(",", ".") for cell in row] for row in [first, *others])
    found = is_header(first, others)
    if found is None:
        reason = "is this an example, or does it name the columns? Say --header no or --header yes"
        raise sample.fault(0, f"{quoted(', '.join(first))}: {reason}")
    return found


def _sample(lines: LineReader) -> Lines:
    """The first lines, without taking them."""
    sample = lines.peek(count := 2)
    while len(sample) == count < _SAMPLE and sum(map(len, sample.texts)) < _SAMPLE_TEXT:
        sample = lines.peek(count := min(2 * count, _SAMPLE))
    return sample


def _cells(text: str, syntax: RowSyntax) -> list[str]:
    try:
        return [cell.strip() for cell in syntax.split(text)]
    except ValueError:  # told in its place, when the rows are read
        return [text]


def find_delimiter(texts: Sequence[str], decimal: str = ".") -> str | None:
    """Tab, semicolon, comma or bar, whichever cuts most lines alike; None for blanks.

    On a tie the first in that order wins: commas inside cells are commoner than the others.

    >>> find_delimiter(["1,5;a", "2,5;b"]), find_delimiter(["1, 2, a"]), find_delimiter(["1 2 a"])
    (';', ',', None)
    """
    bare = [re.sub(r'"[^"]*"', "", text) for text in texts]
    best, most = None, 0
    for delimiter in "\t;,|".replace(decimal, ""):
        counts = Counter(text.count(delimiter) for text in bare)
        without = counts.pop(0, 0)
        alike = max(counts.values(), default=0)
        if alike > most and 2 * without <= len(bare):
            best, most = delimiter, alike
    # Blanks stand between words too: they cut the lines only where nothing else does.
    return best


def is_header(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool | None:
    """Whether the first line names the columns, judging by the lines after it; None: who knows.

    A header line holds names, so

    - none of its cells is a mark of a missing or infinite value, and only its first may be empty;
    - in a column that is not all numbers, its cell is not among the later values;
    - where no column is all numbers, its cells differ from one another. So a file of words alone
      has a header only if nothing in its first line comes back below: values do, names do not;
    - it has no number in it; or its columns are called 0, 1, 2 and so on (or 1, 2, 3), as data
      frames are written, and its last cell is a word where the labels are numbers or a number where
      they are words.

    Where the columns could be called 1990, 2000, 2010 by these rules, or 0, 1, 2 the label as well,
    nobody knows. A word in a numeric column of a first line that is *not* a header is then a fault
    that is told, never a row that is dropped.

    >>> is_header(["x", "y", "class"], [["1", "2", "a"]]), is_header(["x", "2", "0"], [["1"] * 3])
    (True, False)
    >>> is_header(["red", "big", "yes"], [["red", "tiny", "no"], ["blue", "big", "yes"]])
    False
    """
    for i, cell in enumerate(first):
        if is_infinite(cell) or has_decimal_comma(cell) or (is_missing(cell) and (cell or i)):
            return False
    columns = list(zip(*others, strict=True)) or [() for _ in first]
    numeric = [bool(column) and all(map(is_number, column)) for column in columns]
    if any(
        not is_numeric and name in column
        for name, column, is_numeric in zip(first, columns, numeric, strict=True)
    ):
        return False
    if not any(numeric) and len(set(first)) < len(first):
        return False
    if not any(map(is_number, first)):
        return True
    counted = [cell for cell in first[:-1] if cell]  # an index column may have no name
    from_zero = [str(i) for i in range(len(first))]
    is_counted = counted in (from_zero[: len(counted)], from_zero[1 : len(counted) + 1])
    if is_number(first[-1]):
        in_steps = bool(others) and len(first) > 2 and _in_steps([*counted, first[-1]])
        if numeric[-1]:
            strange = in_steps and first[-1] not in columns[-1]  # a label that never comes back
            is_from_zero = len(first) > 2 and [cell for cell in first if cell] == from_zero
            return None if is_from_zero or strange else False
        if is_counted:
            return bool(others) and _in_steps([*counted, first[-1]])
        return None if in_steps else False
    if numeric[-1] and is_counted:
        return True
    return None if others and len(counted) > 2 and _in_steps(counted) else False


def _in_steps(cells: Sequence[str]) -> bool:
    """Whether these are whole numbers, each by the same step above the one before.

    >>> _in_steps(["1990", "2000", "2010"]), _in_steps(["0", "1", "3"])
    (True, False)
    """
    if not all(cell.isdecimal() and len(cell) < 10 for cell in cells):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(cells)}
    return len(steps) == 1 and min(steps) > 0
