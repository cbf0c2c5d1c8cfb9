"""The columns of a table: what each may hold, and how it becomes numbers.

Each kind takes cells in bulk the fast way (`take`) and can say of a single cell what is wrong
with it (`complaint`). The two agree: `take` succeeds if and only if no cell draws a complaint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

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

if TYPE_CHECKING:
    from abacoc.limits import Limits


@dataclass(frozen=True)
class ColumnSpec:
    """What is known of a column before its cells are read."""

    name: str
    kind: Literal["auto", "number", "category"] = "auto"
    declared: tuple[str, ...] | None = None  # the values of an ARFF nominal attribute, in order


class Column(ABC):
    """One attribute of the input: one column of `X`, or several if it is binarised."""

    @abstractmethod
    def take(self, cells: Sequence[str]) -> NDArray[Any] | None:
        """The cells as numbers or codes, for `fill`; None if there is any complaint."""

    @abstractmethod
    def complaint(self, text: str) -> str | None:
        """Why this cell cannot be taken, or None."""

    @abstractmethod
    def names(self, name: str) -> list[str]:
        """The names of the columns of `X` that an attribute of that name becomes."""

    @abstractmethod
    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Write what was taken into `X`, which is all zero, from column `at` on."""

    @property
    def width(self) -> int:
        """The number of columns of `X`, as far as the cells so far tell."""
        return 1

    def settle(self) -> None:  # noqa: B027
        """From here on, refuse what would change `names`: the whole file has been read once."""


class NumberColumn(Column):
    """A column of finite numbers, each the float64 nearest to the text."""

    def __init__(self, guessed: bool = False) -> None:
        self.guessed = guessed  # from the first row, so a word later on means a mixed column

    def take(self, cells: Sequence[str]) -> NDArray[np.float64] | None:
        """The numbers; see `Column.take`."""
        joined = "".join(cells)
        if "_" in joined or not joined.isascii():  # float() would take 1_000 and ١
            return None
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            return None
        return values if np.isfinite(values).all() else None

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

    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Copy the numbers."""
        X[:, at] = taken


class CategoryColumn(Column):
    """A column of words, binarised: one 0/1 column per category."""

    def __init__(
        self,
        declared: Sequence[str] | None = None,
        guessed: bool = False,
        limits: Limits | None = None,  # None: any number of categories
    ) -> None:
        self.limits = limits
        self.declared = None if declared is None else dict.fromkeys(declared)
        self.guessed = guessed  # from the first row, so a number later on means a mixed column
        self.seen: dict[str, int] = {}  # codes by first appearance
        self._code_of_cell: dict[str, int] = {}  # by the cell as it stands, blanks and all

    def take(self, cells: Sequence[str]) -> NDArray[np.int64] | None:
        """The codes of the categories; see `Column.take`."""
        code_of = self._code_of_cell
        for cell in dict.fromkeys(cells):
            if cell not in code_of:
                text = cell.strip()
                if self.complaint(text):
                    return None
                code_of[cell] = self.seen.setdefault(text, len(self.seen))
        return np.fromiter(map(code_of.__getitem__, cells), np.int64, len(cells))

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a category; see `Column.complaint`."""
        if self.declared is not None and text in self.declared:
            return None  # whatever it spells: who declares NA as a value means it
        if is_missing(text):
            return f"missing value {quoted(text)}"
        if self.declared is not None:
            return f"value {quoted(text)} is not declared"
        if self.limits and len(self.seen) >= self.limits.categories and text not in self.seen:
            return _too_many(self.limits)
        if self.guessed and (is_number(text) or is_infinite(text)):
            return (
                f"number {quoted(text)}, though the column begins with words"
                " (`categorical` can force it)"
            )
        if self.guessed and has_decimal_comma(text):
            return f"{quoted(text)} has a decimal comma (`categorical` can force it)"
        return None

    @property
    def width(self) -> int:
        """The number of categories; see `Column.width`."""
        return len(self.seen if self.declared is None else self.declared)

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

    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Set the one of each row."""
        place = {text: i for i, text in enumerate(self.categories())}
        places = np.array([place[text] for text in self.seen], dtype=np.int64)
        X[np.arange(len(X)), at + places[taken]] = 1.0

    def settle(self) -> None:
        """Allow the categories there are and no more; see `Column.settle`."""
        self.declared = dict.fromkeys(self.categories())


class LabelColumn(CategoryColumn):
    """The labels: any text, numbered by first appearance; it never becomes part of `X`."""

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a label; see `Column.complaint`."""
        reason = super().complaint(text)
        return reason.replace("missing value", "missing label") if reason else None

    def categories(self) -> list[str]:
        """The labels by their codes.

        Declared labels that never occur have no code: a stream has the classes it shows.
        """
        return list(self.seen)


class DeclaredNumberColumn(CategoryColumn):
    """An ARFF nominal attribute whose values are numbers and are wanted as such."""

    width = 1

    def names(self, name: str) -> list[str]:
        """The attribute's own name."""
        return [name]

    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Look up the number of each category."""
        X[:, at] = np.array([float(text) for text in self.seen])[taken]


def _too_many(limits: Limits) -> str:
    return f"more categories than {limits.said('categories')}"


def make_column(spec: ColumnSpec, first_cell: str, limits: Limits) -> Column:
    """The column for a specification; what is left open is decided by the first cell."""
    if spec.kind == "number":
        if spec.declared is None:
            return NumberColumn()
        for value in spec.declared:
            if reason := number_complaint(value):
                raise ValueError(f"cannot be numeric: the declared {reason}")
        return DeclaredNumberColumn(spec.declared)
    if spec.kind == "category":
        if spec.declared is not None and len(spec.declared) > limits.categories:
            raise ValueError(_too_many(limits))
        return CategoryColumn(spec.declared, limits=limits)
    # A gap is no sign of a kind, but either kind will refuse it.
    if is_number(first_cell) or is_infinite(first_cell):
        return NumberColumn(guessed=True)
    return CategoryColumn(guessed=True, limits=limits)
