"""From the rows of a CSV or ARFF file to a matrix, quickly, and to a named fault if there is one.

The rows go through in chunks. A chunk is cut and converted column by column, which is fast but
knows only that something is wrong; then, and only then, it is looked through cell by cell to find
what and where. Either way the first fault of the file is the one that is told.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abacoc.streams.cells import RowSyntax, fault, quoted
from abacoc.streams.columns import CategoryColumn, Column, ColumnSpec, LabelColumn, make_column
from abacoc.streams.source import Lines

CHUNK_CELLS = 1 << 19
MAX_ATTRIBUTES = 1 << 20
MAX_CELLS = 1 << 30  # 8 GiB of float64

Named = Collection[str | int]  # columns by name, or by number from 1


class Table(NamedTuple):
    """What a reader makes of a file; the fields are those of `Stream`."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    labels: tuple[str, ...]
    attributes: tuple[str, ...]


def forced(
    specs: Sequence[ColumnSpec], numeric: Named, categorical: Named, source: str
) -> list[ColumnSpec]:
    """The specifications with the kinds the caller forces; the last column is the label."""
    result = list(specs)
    numbers = {_position(specs, which, source) for which in _listed(numeric)}
    categories = {_position(specs, which, source) for which in _listed(categorical)}
    for i in numbers | categories:
        if i in numbers and i in categories:
            raise fault(source, "both numeric and categorical", column=i + 1, name=specs[i].name)
        result[i] = replace(specs[i], kind="number" if i in numbers else "category")
    return result


def _listed(columns: Named) -> list[str | int]:
    # A lone name is taken for a list of one, not for its letters.
    return [columns] if isinstance(columns, str) else list(columns)


def _position(specs: Sequence[ColumnSpec], which: str | int, source: str) -> int:
    named = [i for i, spec in enumerate(specs) if spec.name == which]
    if len(named) > 1:
        raise fault(source, f"{len(named)} columns are named {quoted(str(which))}; use a number")
    if named:
        position = named[0]
    elif isinstance(which, str) and not (which.isascii() and which.isdigit() and len(which) < 10):
        raise fault(source, f"there is no column named {quoted(which)}")
    else:
        position = (int(which) if isinstance(which, str) else operator.index(which)) - 1
    if not 0 <= position < len(specs):
        raise fault(source, f"there is no column {which}: they go from 1 to {len(specs)}")
    if position == len(specs) - 1:
        raise fault(source, f"column {position + 1} is the label, whose kind cannot be forced")
    return position


def read_table(
    lines: Lines, syntax: RowSyntax, specs: Sequence[ColumnSpec], trailing_comma: bool
) -> Table:
    """Read the data rows; the lines are used up."""
    rows = _Rows(lines, syntax, specs, trailing_comma)
    width = len(specs)
    chunk = max(1, CHUNK_CELLS // width)
    for start in range(0, len(lines.texts), chunk):
        rows.read(start, lines.texts[start : start + chunk])
    lines.texts.clear()  # the text of a large file: not needed beside the matrix
    return rows.table()


class _Rows:
    def __init__(
        self,
        lines: Lines,
        syntax: RowSyntax,
        specs: Sequence[ColumnSpec],
        trailing_comma: bool,
    ) -> None:
        self.lines, self.syntax, self.specs = lines, syntax, specs
        self.trailing_comma = trailing_comma
        self.n_rows = len(lines.texts)
        self.columns = self._columns()

    def _columns(self) -> list[Column]:
        first, broken = self._split_carefully(self.lines.texts[:1])
        if broken:
            raise self._located(0, *broken[1:])
        columns: list[Column] = []
        for i, spec in enumerate(self.specs[:-1]):
            try:
                columns.append(make_column(spec, self.n_rows, first[i].strip()))
            except ValueError as error:
                raise fault(self.lines.source, str(error), column=i + 1, name=spec.name) from None
        self.label = LabelColumn(self.n_rows, self.specs[-1].declared)
        return [*columns, self.label]

    def _located(self, row: int, column: int, reason: str) -> ValueError:
        name = self.specs[column].name if column < len(self.specs) else None
        return self.lines.fault(row, reason, column + 1, name)

    def read(self, start: int, texts: list[str]) -> None:
        """Store a chunk of rows, or raise its first fault."""
        width = len(self.columns)
        cells = self._split_fast(texts)
        broken = None
        if cells is None:
            cells, broken = self._split_carefully(texts)
        if broken is None and self._take(start, cells):
            return
        cells = [cell.strip() for cell in cells]
        for i, cell in enumerate(cells):
            row, column = divmod(i, width)
            if reason := self.columns[column].complaint(cell):
                raise self._located(start + row, column, reason)
        if broken:
            row, column, reason = broken
            raise self._located(start + row, column, reason)
        # Blanks that only strip() knows had misled the fast way.
        if not self._take(start, cells):
            raise AssertionError("take() and complaint() disagree")

    def _take(self, start: int, cells: list[str]) -> bool:
        width = len(self.columns)
        return all(column.take(start, cells[i::width]) for i, column in enumerate(self.columns))

    def _split_fast(self, texts: list[str]) -> list[str] | None:
        """All cells, row after row; None where a row is not plainly of the right width."""
        delimiter, width = self.syntax.delimiter, len(self.columns)
        joined = (delimiter or " ").join(texts)
        if self.syntax.has_quotes(joined):
            return None
        if delimiter is None:
            plain = all(len(text.split()) == width for text in texts)
        else:
            plain = all(text.count(delimiter) == width - 1 for text in texts)
        return joined.split(delimiter) if plain else None

    def _split_carefully(self, texts: list[str]) -> tuple[list[str], tuple[int, int, str] | None]:
        """The cells up to the first broken row, and the row, column and reason of that one."""
        width = len(self.specs)
        cells: list[str] = []
        for row, text in enumerate(texts):
            try:
                found = self.syntax.split(text)
            except ValueError as error:
                return cells, (row, 0, str(error))
            if self.trailing_comma and len(found) == width + 1 and not found[-1].strip():
                found.pop()
            if len(found) != width:
                reason = f"{len(found)} cells instead of {width}"
                if len(found) == width + 1 and not found[-1].strip():
                    reason += " (a stray comma at the end?)"
                return cells, (row, min(len(found), width), reason)
            cells.extend(found)
        return cells, None

    def table(self) -> Table:
        """The matrix with the categories binarised, and the label codes."""
        attributes = self.columns[:-1]
        names = [
            column.names(spec.name) for column, spec in zip(attributes, self.specs, strict=False)
        ]
        widths = [len(group) for group in names]
        self._refuse_too_large(sum(widths), widths)
        X = np.zeros((self.n_rows, sum(widths)))
        at = 0
        for column, width in zip(attributes, widths, strict=True):
            column.fill(X, at)
            at += width
        return Table(X, *self.label.coded(), tuple(name for group in names for name in group))

    def _refuse_too_large(self, width: int, widths: list[int]) -> None:
        if width <= MAX_ATTRIBUTES and width * self.n_rows <= MAX_CELLS:
            return
        i = int(np.argmax(widths))
        many = isinstance(self.columns[i], CategoryColumn)
        reason = f"{self.n_rows} x {width} cells are too many to hold"
        if many:
            reason += f": this column has {widths[i]} categories"
        raise fault(self.lines.source, reason, column=i + 1, name=self.specs[i].name)
