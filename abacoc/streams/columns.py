"""The columns of a table: what each may hold, and how it becomes numbers.

Each kind takes cells in bulk the fast way (`take`) and can say of a single cell what is wrong
with it (`complaint`). The two agree: `take` succeeds if and only if no cell draws a complaint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from abacoc.streams.cells import (
    has_decimal_comma,
    is_infinite,
    is_missing,
    is_number,
    number_complaint,
    quoted,
)


@dataclass(frozen=True)
class ColumnSpec:
    """What is known of a column before its cells are read."""

    name: str
    kind: Literal["auto", "number", "category"] = "auto"
    declared: tuple[str, ...] | None = None  # the values of an ARFF nominal attribute, in order


class Column(ABC):
    """One attribute of the input: one column of `X`, or several if it is binarised."""

    @abstractmethod
    def take(self, start: int, cells: Sequence[str]) -> bool:
        """Store the cells of the rows from `start` on; False if there is any complaint."""

    @abstractmethod
    def complaint(self, text: str) -> str | None:
        """Why this cell cannot be taken, or None."""

    @abstractmethod
    def names(self, name: str) -> list[str]:
        """The names of the columns of `X` that an attribute of that name becomes."""

    @abstractmethod
    def fill(self, X: NDArray[np.float64], at: int) -> None:
        """Write these columns into `X`, which is all zero, from column `at` on."""


class NumberColumn(Column):
    """A column of finite numbers, each the float64 nearest to the text."""

    def __init__(self, n_rows: int, guessed: bool = False) -> None:
        self.values = np.empty(n_rows)
        self.guessed = guessed  # from the first row, so a word later on means a mixed column

    def take(self, start: int, cells: Sequence[str]) -> bool:
        """Store the numbers; see `Column.take`."""
        joined = "".join(cells)
        if "_" in joined or not joined.isascii():  # float() would take 1_000 and ١
            return False
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            return False
        if not np.isfinite(values).all():
            return False
        self.values[start : start + len(cells)] = values
        return True

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a finite number; see `Column.complaint`."""
        reason = number_complaint(text)
        word = not (is_missing(text) or is_infinite(text) or is_number(text))
        if reason and word and self.guessed:
            reason += ", though the column begins with numbers (`categorical` can force it)"
        return reason

    def names(self, name: str) -> list[str]:
        """The attribute's own name."""
        return [name]

    def fill(self, X: NDArray[np.float64], at: int) -> None:
        """Copy the numbers."""
        X[:, at] = self.values


class CategoryColumn(Column):
    """A column of words, binarised: one 0/1 column per category."""

    def __init__(
        self, n_rows: int, declared: tuple[str, ...] | None = None, guessed: bool = False
    ) -> None:
        self.codes = np.empty(n_rows, dtype=np.int64)
        self.declared = declared
        self.guessed = guessed  # from the first row, so a number later on means a mixed column
        self.seen: dict[str, int] = {text: code for code, text in enumerate(declared or ())}
        self._code_of_cell: dict[str, int] = {}  # by the cell as it stands, blanks and all

    def take(self, start: int, cells: Sequence[str]) -> bool:
        """Store the categories; see `Column.take`."""
        code_of = self._code_of_cell
        for cell in set(cells):  # the codes are put in order at the end
            if cell not in code_of:
                text = cell.strip()
                if self.complaint(text):
                    return False
                code_of[cell] = self.seen.setdefault(text, len(self.seen))
        codes = np.fromiter(map(code_of.__getitem__, cells), np.int64, len(cells))
        self.codes[start : start + len(cells)] = codes
        return True

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a category; see `Column.complaint`."""
        if self.declared is not None and text in self.seen:
            return None  # whatever it spells: who declares NA as a value means it
        if is_missing(text):
            return f"missing value {quoted(text)}"
        if self.declared is not None:
            return f"value {quoted(text)} is not declared"
        if self.guessed and (is_number(text) or is_infinite(text)):
            return (
                f"number {quoted(text)}, though the column begins with words"
                " (`categorical` can force it)"
            )
        if self.guessed and has_decimal_comma(text):
            return f"{quoted(text)} has a decimal comma (`categorical` can force it)"
        return None

    def categories(self) -> list[str]:
        """The categories as declared, else sorted: by value if all are numbers, else as text."""
        if self.declared is not None:
            return list(self.declared)
        if all(map(is_number, self.seen)):
            return sorted(self.seen, key=lambda text: (float(text), text))
        return sorted(self.seen)

    def names(self, name: str) -> list[str]:
        """One name per category."""
        return [f"{name}={category}" for category in self.categories()]

    def fill(self, X: NDArray[np.float64], at: int) -> None:
        """Set the one of each row."""
        place = {text: i for i, text in enumerate(self.categories())}
        places = np.array([place[text] for text in self.seen], dtype=np.int64)
        X[np.arange(len(X)), at + places[self.codes]] = 1.0


class LabelColumn(CategoryColumn):
    """The labels: any text, numbered by first appearance; it never becomes part of `X`."""

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a label; see `Column.complaint`."""
        reason = super().complaint(text)
        return reason.replace("missing value", "missing label") if reason else None

    def coded(self) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """The codes 0..K-1 by first appearance, and the label text of each.

        Declared labels that never occur have no code: a stream has the classes it shows.
        """
        texts = list(self.seen)
        present, first = np.unique(self.codes, return_index=True)
        order = present[np.argsort(first)]
        new_code = np.full(len(texts), -1, dtype=np.int64)
        new_code[order] = np.arange(len(order))
        return new_code[self.codes], tuple(texts[code] for code in order)


class DeclaredNumberColumn(CategoryColumn):
    """An ARFF nominal attribute whose values are numbers and are wanted as such."""

    def names(self, name: str) -> list[str]:
        """The attribute's own name."""
        return [name]

    def fill(self, X: NDArray[np.float64], at: int) -> None:
        """Look up the number of each category."""
        X[:, at] = np.array([float(text) for text in self.seen])[self.codes]


def make_column(spec: ColumnSpec, n_rows: int, first_cell: str) -> Column:
    """The column for a specification; what is left open is decided by the first cell."""
    if spec.kind == "number":
        if spec.declared is None:
            return NumberColumn(n_rows)
        for value in spec.declared:
            if reason := number_complaint(value):
                raise ValueError(f"cannot be numeric: the declared {reason}")
        return DeclaredNumberColumn(n_rows, spec.declared)
    if spec.kind == "category":
        return CategoryColumn(n_rows, spec.declared)
    # A gap is no sign of a kind, but either kind will refuse it.
    if is_number(first_cell) or is_infinite(first_cell):
        return NumberColumn(n_rows, guessed=True)
    return CategoryColumn(n_rows, guessed=True)
