"""The columns of a table: what each may hold, and how it becomes numbers.

Each kind takes cells in bulk the fast way (`take`) and can say of a single cell what is wrong
with it (`complaint`). The two agree: `take` succeeds if and only if no cell draws a complaint.
"""

from __future__ import annotations

import copy
import re
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
from abacoc.streams.form import Form

if TYPE_CHECKING:
    from abacoc.limits import Limits

Cells = Sequence[str] | NDArray[np.float64]
Kind = Literal["auto", "number", "category", "label", "drop"]
PLAIN = Form()
MENDS_GAPS = " (--missing mean or category takes it)"
_SWAPPED = str.maketrans(",.", ".,")  # a point in a number with a decimal comma is no number


GAP = "?"  # the category of a missing word
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}([./])[0-9]{1,2}\1[0-9]{2,4}.*")
_ID = re.compile(r"(.*[_. -])?(id|uuid|guid|index|row_?(id|num(ber)?))", re.IGNORECASE)
_MANY = 50  # rows: among fewer it may be chance that all are different, or a step apart


@dataclass(frozen=True)
class ColumnSpec:
    """What is known of a column before its cells are read."""

    name: str
    kind: Kind = "auto"
    declared: tuple[str, ...] | None = None  # the values of an ARFF nominal attribute, in order


class Column(ABC):
    """One column of the input: one column of `X`, several if it is binarised, or none.

    Cells are texts, or an array of numbers where the input has them.
    """

    @abstractmethod
    def take(self, cells: Cells) -> NDArray[Any] | None:
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

    def again(self) -> Column:
        """The column at the beginning of another reading of the same input."""
        return self

    def mark(self) -> Any:
        """What `back_to` needs to forget the cells that are taken next."""
        return None

    def back_to(self, mark: Any) -> None:  # noqa: B027
        """As it was at the mark."""

    def oddity(self, name: str, n_rows: int) -> str | None:
        """What is to be said of the column as a whole, after `n_rows` rows; mostly nothing."""
        return None

    def record(self) -> dict[str, Any]:
        """What a model file keeps of it; `restored` makes a column of that."""
        return {"kind": "drop"}


class DroppedColumn(Column):
    """A column that is left out: whatever it holds."""

    width = 0

    def take(self, cells: Cells) -> NDArray[np.int64]:
        """Nothing; see `Column.take`."""
        return np.zeros(len(cells), np.int8)

    def complaint(self, text: str) -> None:
        """None; see `Column.complaint`."""

    def names(self, name: str) -> list[str]:
        """None of `X` is it."""
        return []

    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Leave `X` as it is."""


class NumberColumn(Column):
    """A column of finite numbers, each the float64 nearest to the text.

    A gap, where it is allowed, becomes the mean of the numbers before it.
    """

    def __init__(self, guessed: bool = False, form: Form = PLAIN) -> None:
        self.guessed = guessed  # from the first row, so a word later on means a mixed column
        self.form = form
        self.has_gaps = self.settled = False
        self.begun = (0, 0.0)  # those that a model had seen before
        self.known, self.total = self.begun  # of the numbers so far
        self.last, self.step = np.nan, np.nan  # the step from each number to the next; inf: many

    def take(self, cells: Cells) -> NDArray[np.float64] | None:
        """The numbers; see `Column.take`. With `missing=category` beside a column of gaps."""
        values = cells if isinstance(cells, np.ndarray) else self._read(cells)
        if values is None:
            return None
        if self.form.missing == "error" and np.isfinite(values).all():  # mostly
            self._watch(values)
            return values
        if np.isinf(values).any():
            return None
        gaps = np.isnan(values)
        if gaps.any():
            if self.form.missing == "error":
                return None
            self.has_gaps = self.has_gaps or not self.settled
            values = self._filled(values, gaps)
        elif self.form.missing != "error":
            self._filled(values, gaps)
        self._watch(values)
        return np.stack([values, gaps], axis=1) if self._marks_gaps else values

    def _read(self, cells: Sequence[str]) -> NDArray[np.float64] | None:
        if self.form.decimal == ",":
            cells = [cell.translate(_SWAPPED) for cell in cells]
        joined = "".join(cells)
        if "_" in joined or not joined.isascii():  # float() would take 1_000 and ١
            return None
        try:
            values = np.fromiter(map(float, cells), np.float64, len(cells))
            if self.form.missing == "error" or np.isfinite(values).all():
                return values
        except ValueError:
            pass
        if self.form.missing == "error" or any(self._complaint(cell.strip()) for cell in cells):
            return None
        gaps = (is_missing(cell.strip()) for cell in cells)
        return np.array([np.nan if gap else float(c) for c, gap in zip(cells, gaps, strict=True)])

    def _filled(self, values: NDArray[np.float64], gaps: NDArray[np.bool_]) -> Any:
        """The values with their gaps filled, in order; what comes later is not looked at."""
        with np.errstate(over="ignore"):
            totals = np.cumsum(np.concatenate([[self.total], np.where(gaps, 0.0, values)]))
        known = self.known + np.cumsum(np.concatenate([[0], ~gaps]))
        self.total, self.known = float(totals[-1]), int(known[-1])
        return np.where(gaps, totals[:-1] / np.maximum(known[:-1], 1), values)

    def _watch(self, values: NDArray[np.float64]) -> None:
        """Whether the numbers count, as those of an index or a clock do."""
        if self.step == np.inf or not len(values):
            return
        with np.errstate(over="ignore", invalid="ignore"):
            steps = np.diff(values, prepend=self.last)[int(np.isnan(self.last)) :]
        self.last = values[-1]
        if len(steps):
            self.step = steps[0] if np.isnan(self.step) else self.step
            self.step = self.step if self.step and (steps == self.step).all() else np.inf

    @property
    def _marks_gaps(self) -> bool:
        return self.form.missing == "category"

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a finite number; see `Column.complaint`."""
        return self._complaint(text.translate(_SWAPPED) if self.form.decimal == "," else text)

    def _complaint(self, text: str) -> str | None:
        if self.form.missing != "error" and is_missing(text):
            return None
        reason = number_complaint(text)
        word = not (is_missing(text) or is_infinite(text) or is_number(text))
        if reason and word and has_decimal_comma(text) and self.form.decimal == ".":
            return f"{reason}: it has a decimal comma, which --decimal , would read"
        if reason and word and self.guessed:
            reason += ", though the column begins with numbers (--categorical takes all as words)"
        elif reason and is_missing(text):
            reason += MENDS_GAPS
        return reason

    def names(self, name: str) -> list[str]:
        """The attribute's own name, and one for its gaps."""
        return [name, f"{name}={GAP}"][: self.width]

    @property
    def width(self) -> int:
        """One, and one more for gaps; see `Column.width`."""
        return 1 + (self._marks_gaps and self.has_gaps)

    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Copy the numbers."""
        if self._marks_gaps:
            X[:, at : at + self.width] = taken[:, : self.width]
        else:
            X[:, at] = taken

    def settle(self) -> None:
        """Allow no new column of gaps; see `Column.settle`."""
        self.settled = True

    def again(self) -> NumberColumn:
        """The same, with no number seen; see `Column.again`."""
        other = copy.copy(self)
        other.known, other.total = self.begun
        return other

    def mark(self) -> Any:
        """The mean and the step so far; see `Column.mark`."""
        return self.known, self.total, self.has_gaps, self.last, self.step

    def back_to(self, mark: Any) -> None:
        """See `Column.back_to`."""
        self.known, self.total, self.has_gaps, self.last, self.step = mark

    def oddity(self, name: str, n_rows: int) -> str | None:
        """Whether it is an index or a clock; see `Column.oddity`."""
        if n_rows < _MANY or self.form.numeric:  # who names columns of numbers has looked at them
            return None
        if np.isfinite(self.step):
            return f"goes up by {self.step:g} from row to row, like an index or a date"
        return "is called like an id" if _ID.fullmatch(name) else None

    def record(self) -> dict[str, Any]:
        """See `Column.record`."""
        gaps = {"known": self.known, "total": self.total, "marked": self.width > 1}
        return {"kind": "number"} | (gaps if self.form.missing != "error" else {})


class CategoryColumn(Column):
    """A column of words, binarised: one 0/1 column per category."""

    def __init__(
        self,
        declared: Sequence[str] | None = None,
        guessed: bool = False,
        limits: Limits | None = None,  # None: any number of categories
        form: Form = PLAIN,
    ) -> None:
        self.limits, self.form = limits, form
        self.declared = None if declared is None else dict.fromkeys(declared)
        if self.declared is not None and form.missing != "error":
            self.declared.setdefault(GAP)
        self.guessed = guessed  # from the first row, so a number later on means a mixed column
        self.begins_with_gaps = False  # so many that they have left its kind open
        self.strange: set[str] | None = None  # those that a model has not seen; None: refused
        self.seen: dict[str, int] = {}  # codes by first appearance
        self._code_of_cell: dict[str, int] = {}  # by the cell as it stands, blanks and all

    def take(self, cells: Cells) -> NDArray[np.int64] | None:
        """The codes of the categories; see `Column.take`."""
        if isinstance(cells, np.ndarray):
            cells = list(map(number_text, cells.tolist()))
        code_of = self._code_of_cell
        for cell in dict.fromkeys(cells):
            if cell not in code_of:
                text = self._category(cell.strip())
                if self.complaint(text):
                    return None
                if self.strange is not None and text not in (self.declared or ()):
                    self.strange.add(text)
                    code_of[cell] = -1
                    continue
                code_of[cell] = self.seen.setdefault(text, len(self.seen))
        return np.fromiter(map(code_of.__getitem__, cells), np.int64, len(cells))

    def _category(self, text: str) -> str:
        gap = (
            self.form.missing != "error" and text not in (self.declared or ()) and is_missing(text)
        )
        return GAP if gap else text

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a category; see `Column.complaint`."""
        text = self._category(text)
        if self.declared is not None and text in self.declared:
            return None  # whatever it spells: who declares NA as a value means it
        if is_missing(text) and self.form.missing == "error":
            return f"missing value {quoted(text)}{MENDS_GAPS}"
        if self.strange is not None:
            return None
        if self.declared is not None:
            return f"value {quoted(text)} is not declared"
        if self.limits and len(self.seen) >= self.limits.categories and text not in self.seen:
            return _too_many(self.limits)
        if self.guessed and (is_number(text) or is_infinite(text)):
            if self.begins_with_gaps:
                return (
                    f"number {quoted(text)}, though nothing but missing values came before it"
                    " (--numeric or --categorical says what the column is)"
                )
            return (
                f"number {quoted(text)}, though the column begins with words"
                " (--categorical takes all as words)"
            )
        if self.guessed and has_decimal_comma(text):
            return f"{quoted(text)} has a decimal comma (--decimal , or --categorical takes it)"
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
        rows = np.flatnonzero(taken >= 0)
        X[rows, at + places[taken[rows]]] = 1.0

    def settle(self) -> None:
        """Allow the categories there are and no more; see `Column.settle`."""
        self.declared = dict.fromkeys(self.categories())

    def oddity(self, name: str, n_rows: int) -> str | None:
        """Whether the words are dates, or names of the rows; see `Column.oddity`."""
        if not self.guessed:
            return None
        words = [text for text in self.seen if text != GAP]
        if len(words) > 1 and all(map(_DATE.fullmatch, words)):
            return f"holds dates such as {quoted(words[0])}"
        if n_rows >= _MANY and len(self.seen) == n_rows:
            return f"has another word in each of the {n_rows} rows, like an id or a name"
        return None

    def record(self) -> dict[str, Any]:
        """See `Column.record`."""
        return {"kind": "category", "categories": self.categories()}


class LabelColumn(CategoryColumn):
    """The labels: any text, numbered by first appearance; it never becomes part of `X`."""

    width = 0

    def names(self, name: str) -> list[str]:
        """None of `X` is it."""
        return []

    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Leave `X` as it is."""

    def oddity(self, name: str, n_rows: int) -> None:
        """None; see `Column.oddity`."""

    def record(self) -> dict[str, Any]:
        """See `Column.record`."""
        return {"kind": "label"}

    def complaint(self, text: str) -> str | None:
        """Why the cell is not a label; see `Column.complaint`."""
        reason = super().complaint(text)
        if reason and reason.startswith("missing"):
            return f"missing label {quoted(text)}"
        return reason

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

    def record(self) -> dict[str, Any]:
        """See `Column.record`."""
        return {"kind": "number"}

    def fill(self, X: NDArray[np.float64], at: int, taken: NDArray[Any]) -> None:
        """Look up the number of each category."""
        X[:, at] = np.array([float(text) for text in self.seen])[taken]


def _too_many(limits: Limits) -> str:
    return f"more categories than {limits.said('categories')}"


def make_column(spec: ColumnSpec, first_cell: str | None, limits: Limits, form: Form) -> Column:
    """The column for a specification; what is left open is decided by the first cell.

    That is None for a column of numbers that are no texts.
    """
    if spec.kind == "drop":
        return DroppedColumn()
    if spec.kind == "label":
        return LabelColumn(spec.declared)
    if spec.kind == "number":
        if spec.declared is None:
            return NumberColumn(form=form)
        for value in spec.declared:
            if reason := number_complaint(value):
                raise ValueError(f"cannot be numeric: the declared {reason}")
        return DeclaredNumberColumn(spec.declared)
    if spec.kind == "category":
        if spec.declared is not None and len(spec.declared) > limits.categories:
            raise ValueError(_too_many(limits))
        return CategoryColumn(spec.declared, limits=limits, form=form)
    # A gap is no sign of a kind, but where gaps are no values either kind will refuse it.
    if first_cell is None or is_infinite(first_cell) or is_number(_plain(first_cell, form)):
        return NumberColumn(guessed=first_cell is not None, form=form)
    column = CategoryColumn(guessed=True, limits=limits, form=form)
    column.begins_with_gaps = form.missing != "error" and is_missing(first_cell)
    return column


def restored(record: dict[str, Any], form: Form) -> Column:
    """The column that a model was made with; new categories are none of the known ones."""
    kind = record["kind"]
    if kind == "number":
        column = NumberColumn(form=form)
        column.begun = int(record.get("known", 0)), float(record.get("total", 0))
        column.known, column.total = column.begun
        column.has_gaps, column.settled = bool(record.get("marked", False)), True
        return column
    if kind == "category":
        words = CategoryColumn(form=form)
        words.declared = dict.fromkeys(map(str, record["categories"]))  # with a gap only if it had
        words.strange = set()
        return words
    return LabelColumn() if kind == "label" else DroppedColumn()


def number_text(value: float) -> str:
    """A number as a table of texts would have it.

    >>> number_text(3.0), number_text(0.25)
    ('3', '0.25')
    """
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _plain(text: str, form: Form) -> str:
    return text.translate(_SWAPPED) if form.decimal == "," else text
