"""From the rows of a CSV or ARFF file to a matrix, quickly, and to a named fault if there is one.

The rows go through in chunks. A chunk is cut and converted column by column, which is fast but
knows only that something is wrong; then, and only then, it is looked through cell by cell to find
what and where. Either way the first fault of the file is the one that is told.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abacoc.streams.cells import RowSyntax, fault, quoted, too_long
from abacoc.streams.columns import Column, ColumnSpec, LabelColumn, make_column
from abacoc.streams.source import LineReader, Lines

if TYPE_CHECKING:
    from abacoc.limits import Limits

CHUNK_CELLS = 1 << 19
CELL_BYTES = 8  # a float64

Named = Collection[str | int]  # columns by name, or by number from 1
Chunk = Sequence[NDArray[Any]]  # some rows as numbers and codes, in arrays side by side


class Rows(ABC):
    """What makes numbers of the rows of a file, in their order and some at a time.

    `take` is given each row of the file once, and `settle` called then. From there on the
    attributes and labels are known, and `matrix` makes what they are named for: of the chunks that
    were taken, or of chunks taken at another reading of the same file.
    """

    source: str
    limits: Limits
    chunk: int  # the number of rows that are best taken at a time
    attributes: tuple[str, ...]
    labels: tuple[str, ...]

    @abstractmethod
    def take(self, lines: Lines) -> Chunk:
        """Check the rows and convert them, or raise their first fault."""

    @abstractmethod
    def settle(self, n_rows: int) -> None:
        """Close the lists of attributes and labels; raise if `n_rows` rows are too much to hold."""

    @abstractmethod
    def widest(self) -> tuple[int, int, str | None, str]:
        """The attributes so far; the number and name of a column to blame for many, and why."""

    def refuse_too_large(self, n_rows: int) -> None:
        """Raise if `n_rows` rows, with the attributes there are so far, are too much to hold."""
        width, column, name, why = self.widest()
        if width > self.limits.columns:
            reason = f"{width} attributes, more columns than {self.limits.said('columns')}{why}"
            raise fault(self.source, reason, column=column, name=name)
        if width * n_rows * CELL_BYTES > self.limits.matrix:
            reason = f"a matrix of {n_rows} x {width} numbers takes more than "
            reason += self.limits.said("matrix") + why
            raise fault(self.source, reason, column=column, name=name)

    @abstractmethod
    def matrix(self, chunks: Sequence[Chunk]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The instances, with the categories binarised, and the label codes of the chunks."""


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


class TableRows(Rows):
    """The rows of a table whose last column is the label; the lines are at the first of them."""

    def __init__(
        self,
        lines: LineReader,
        syntax: RowSyntax,
        specs: Sequence[ColumnSpec],
        trailing_comma: bool,
    ) -> None:
        self.source, self.syntax, self.specs = lines.source, syntax, specs
        self.limits = lines.limits
        self.trailing_comma = trailing_comma
        self.chunk = max(1, CHUNK_CELLS // len(specs))
        first, broken = self._split_carefully(lines.peek(1))
        if broken:
            raise broken
        self.columns: list[Column] = []
        for i, spec in enumerate(self.specs[:-1]):
            try:
                self.columns.append(make_column(spec, first[i].strip(), self.limits))
            except ValueError as error:
                raise fault(self.source, str(error), column=i + 1, name=spec.name) from None
        self.label = LabelColumn(self.specs[-1].declared)
        self.columns.append(self.label)

    def _located(self, lines: Lines, row: int, column: int, reason: str) -> ValueError:
        name = self.specs[column].name if column < len(self.specs) else None
        return lines.fault(row, reason, column + 1, name)

    def take(self, lines: Lines) -> Chunk:
        """See `Rows.take`."""
        cells = self._split_fast(lines.texts)
        broken = None
        if cells is None:
            cells, broken = self._split_carefully(lines)
        if broken is None and (taken := self._taken(cells)):
            return taken
        cells = [cell.strip() for cell in cells]
        for i, cell in enumerate(cells):
            row, column = divmod(i, len(self.columns))
            if reason := self.columns[column].complaint(cell):
                raise self._located(lines, row, column, reason)
        if broken:
            raise broken
        # Blanks that only strip() knows had misled the fast way.
        if taken := self._taken(cells):
            return taken
        raise AssertionError("take() and complaint() disagree")

    def _taken(self, cells: list[str]) -> Chunk | None:
        taken: list[NDArray[Any]] = []
        for i, column in enumerate(self.columns):
            values = column.take(cells[i :: len(self.columns)])
            if values is None:
                return None
            taken.append(values)
        return taken

    def _split_fast(self, texts: list[str]) -> list[str] | None:
        """All cells, row after row; None where a row is not plainly of the right width."""
        delimiter, width = self.syntax.delimiter, len(self.columns)
        joined = (delimiter or " ").join(texts)
        if self.syntax.has_quotes(joined) or any(map(self._is_sparse, texts)):
            return None
        if delimiter is None:
            plain = all(len(text.split()) == width for text in texts)
        else:
            plain = all(text.count(delimiter) == width - 1 for text in texts)
        cells = joined.split(delimiter) if plain else None
        # Mostly a look at the lines is enough.
        if cells and max(map(len, texts)) > self.limits.cell < max(map(len, cells)):
            return None
        return cells

    def _split_carefully(self, lines: Lines) -> tuple[list[str], ValueError | None]:
        """The cells up to the first broken row, and the error for that one."""
        width = len(self.specs)
        cells: list[str] = []
        for row, text in enumerate(lines.texts):
            if self._is_sparse(text):
                return cells, lines.fault(row, "a row in sparse ARFF, which is not supported", 1)
            try:
                found = self.syntax.split(text)
            except ValueError as error:
                return cells, self._located(lines, row, 0, str(error))
            if self.trailing_comma and len(found) == width + 1 and not found[-1].strip():
                found.pop()
            if max(map(len, found)) > self.limits.cell:
                column = next(i for i, cell in enumerate(found) if len(cell) > self.limits.cell)
                return cells, self._located(lines, row, column, too_long(self.limits))
            if len(found) != width:
                reason = f"{len(found)} cells instead of {width}"
                if len(found) == width + 1 and not found[-1].strip():
                    reason += " (a stray comma at the end?)"
                return cells, self._located(lines, row, min(len(found), width), reason)
            cells.extend(found)
        return cells, None

    def _is_sparse(self, text: str) -> bool:
        return self.syntax.backslash and text.lstrip().startswith("{")

    def settle(self, n_rows: int) -> None:
        """See `Rows.settle`."""
        for column in self.columns:
            column.settle()
        names = [
            column.names(spec.name)
            for column, spec in zip(self.columns[:-1], self.specs, strict=False)
        ]
        self._widths = [len(group) for group in names]
        self.attributes = tuple(name for group in names for name in group)
        self.labels = tuple(self.label.categories())
        self.refuse_too_large(n_rows)

    def matrix(self, chunks: Sequence[Chunk]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """See `Rows.matrix`."""
        X = np.zeros((sum(len(chunk[-1]) for chunk in chunks), len(self.attributes)))
        at = 0
        *attributes, labels = zip(*chunks, strict=True)
        for column, width, parts in zip(self.columns, self._widths, attributes, strict=False):
            column.fill(X, at, np.concatenate(parts))
            at += width
        return X, np.concatenate(labels)

    def widest(self) -> tuple[int, int, str | None, str]:
        """See `Rows.widest`."""
        widths = [column.width for column in self.columns[:-1]]
        i = max(range(len(widths)), key=widths.__getitem__)
        why = f": this column has {widths[i]} categories" if widths[i] > 1 else ""
        return sum(widths), i + 1, self.specs[i].name, why
