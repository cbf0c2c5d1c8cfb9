"""The columns of a table: what each may hold, and how it becomes numbers.

Each kind reads cells in bulk the fast way (`read`) and can say of a single cell what is wrong with
it (`complaint`). The two agree: `read` succeeds if and only if no cell draws a complaint.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

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

Cells = Sequence[str] | NDArray[np.float64]
Kind = Literal["auto", "number", "category", "label", "drop"]
MENDS_GAPS = " (--missing mean or category takes it)"
GAP = "?"  # the category of a missing word
_SWAPPED = str.maketrans(",.", ".,")  # a point in a number with a decimal comma is no number
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}([./])[0-9]{1,2}\1[0-9]{2,4}.*")
_ID = re.compile(r"(.*[_. -])?(id|uuid|guid|index|row_?(id|num(ber)?))", re.IGNORECASE)
_MANY = 50  # rows: among fewer it may be chance that all are different, or a step apart


@dataclass(frozen=True)
class Unfit:
    """A column that holds what has no place in a table, so it must be left out."""

    what: str
    length: int

    def __len__(self) -> int:
        return self.length


@dataclass(frozen=True)
class ColumnSpec:
    """What is known of a column before its cells are read."""

    name: str
    kind: Kind = "auto"
    declared: tuple[str, ...] | None = None  # the values of an ARFF nominal attribute, in order


@dataclass(eq=False)
class Column:
    """One column of the input: one column of `X`, several if it is binarised, or none.

    This one is none, whatever it holds: it is left out. Cells are texts, or an array of numbers
    where the input has them.
    """

    kind: ClassVar[Kind] = "drop"  # in a model file too

    name: str
    form: Form = Form()  # noqa: RUF009 - it is frozen
    declared: dict[str, None] | None = None  # all values there may be, in order; None: any
    guess: str = ""  # why it is of this kind, where its first cells had to tell
    strange: set[str] | None = None  # the words that a model has not seen; None: refused

    def read(self, cells: Cells) -> NDArray[Any] | None:
        """The cells as numbers or codes; None if there is any complaint. It may be asked again."""
        return np.zeros(len(cells), np.int8)

    def complaint(self, text: str) -> str | None:
        """Why this cell cannot be taken, or None."""
        return None

    def take(self, values: NDArray[Any]) -> NDArray[Any]:
        """What was read, to be kept for `fill`; these are the next rows."""
        return values

    def names(self) -> list[str]:
        """The names of its columns of `X`."""
        return []

    @property
    def width(self) -> int:
        """The number of columns of `X`, as far as the cells so far tell."""
        return 0

    def fill(self, X: NDArray[np.float64], taken: NDArray[Any]) -> None:
        """Write what was taken into its columns of `X`, which are all zero."""

    def settle(self) -> None:
        """From here on, refuse what would change `names`: the whole file has been read once."""

    def again(self) -> Column:
        """The column at the beginning of another reading of the same input."""
        return self

    def oddity(self, n_rows: int) -> str | None:
        """What is to be said of the column as a whole, after `n_rows` rows; mostly nothing."""
        return None

    def record(self) -> dict[str, Any]:
        """What a model file keeps of it; `restored` makes a column of that."""
        return {"name": self.name, "kind": self.kind}


@dataclass(eq=False)
class _Numbers(Column):
    """A column of finite numbers, each the float64 nearest to the text.

    A gap, where it is allowed, becomes the mean of the numbers before it.
    """

    kind = "number"

    has_gaps: bool = False
    settled: bool = False
    begun: tuple[int, float] = (0, 0.0)  # how many a model had seen before, and their sum
    last: float = np.nan
    step: float = np.nan  # from each number to the next; inf: not always the same

    def __post_init__(self) -> None:
        """Nothing has been seen in this input."""
        self.known, self.total = self.begun  # of the numbers so far

    def read(self, cells: Cells) -> NDArray[np.float64] | None:
        values = cells if isinstance(cells, np.ndarray) else self._parsed(cells)
        if values is None or np.isfinite(values).all():  # mostly
            return values
        return None if self.form.missing == "error" or np.isinf(values).any() else values

    def _parsed(self, cells: Sequence[str]) -> NDArray[np.float64] | None:
        """The numbers, a gap being NaN; None if there is anything else."""
        if self.form.decimal == ",":
            cells = [cell.translate(_SWAPPED) for cell in cells]
        joined = "".join(cells)
        if "_" in joined or not joined.isascii():  # float() would take 1_000 and ١
            return None
        if self.declared and not self.declared.keys() >= set(map(str.strip, cells)):
            return None
        try:
            return np.fromiter(map(float, cells), np.float64, len(cells))
        except ValueError:
            texts = [cell.strip() for cell in cells]
        if self.form.missing == "error" or not all(is_missing(t) or is_number(t) for t in texts):
            return None
        return np.array([np.nan if is_missing(text) else float(text) for text in texts])

    def complaint(self, text: str) -> str | None:
        text = _plain(text, self.form)
        missing = is_missing(text)
        if missing and self.form.missing != "error":
            return None
        if self.declared and not missing:
            return None if text in self.declared else f"value {quoted(text)} is not declared"
        reason = number_complaint(text)
        word = not (missing or is_infinite(text) or is_number(text))
        if reason and word and has_decimal_comma(text) and self.form.decimal == ".":
            return f"{reason}: it has a decimal comma, which --decimal , would read"
        if reason:
            reason += MENDS_GAPS if missing else self.guess if word else ""
        return reason

    def take(self, values: NDArray[Any]) -> NDArray[Any]:
        """With `missing=category`, beside a column of gaps."""
        if self.form.missing == "error":
            self._watch(values)
            return values
        gaps = np.isnan(values)
        self.has_gaps = self.has_gaps or (not self.settled and bool(gaps.any()))
        values = self._filled(values, gaps)
        self._watch(values)
        return np.stack([values, gaps], axis=1) if self._marks_gaps else values

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

    def names(self) -> list[str]:
        return [self.name, f"{self.name}={GAP}"][: self.width]

    @property
    def width(self) -> int:
        return 1 + (self._marks_gaps and self.has_gaps)

    def fill(self, X: NDArray[np.float64], taken: NDArray[Any]) -> None:
        X[:] = taken[:, : self.width] if self._marks_gaps else taken[:, None]

    def settle(self) -> None:
        self.settled = True

    def again(self) -> Column:
        return replace(self)

    def oddity(self, n_rows: int) -> str | None:
        """Whether it is an index or a clock."""
        if n_rows < _MANY or self.form.numeric:  # who names columns of numbers has looked at them
            return None
        if np.isfinite(self.step):
            return f"goes up by {self.step:g} from row to row, like an index or a date"
        return "is called like an id" if _ID.fullmatch(self.name) else None

    def record(self) -> dict[str, Any]:
        gaps = {"known": self.known, "total": self.total, "marked": self.width > 1}
        return super().record() | (gaps if self.form.missing != "error" else {})


@dataclass(eq=False)
class _Codes(Column):
    """Words by codes, which number them by first appearance."""

    seen: dict[str, int] = field(default_factory=dict)  # codes by first appearance
    _code_of_cell: dict[str, int] = field(default_factory=dict)  # as it stands, blanks and all

    def read(self, cells: Cells) -> NDArray[np.int64] | None:
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
        may_be_gap = self.form.missing != "error" and text not in (self.declared or ())
        return GAP if may_be_gap and is_missing(text) else text

    def complaint(self, text: str) -> str | None:
        text = self._category(text)
        if self.declared is not None and text in self.declared:
            return None  # whatever it spells: who declares NA as a value means it
        if is_missing(text) and self.form.missing == "error":
            what, mended = ("label", "") if self.kind == "label" else ("value", MENDS_GAPS)
            return f"missing {what} {quoted(text)}{mended}"
        if self.strange is not None:
            return None
        if self.declared is not None:
            return f"value {quoted(text)} is not declared"
        is_full = self.kind == "category" and len(self.seen) >= self.form.limits.categories
        if is_full and text not in self.seen:
            return _too_many(self.form)
        if self.guess and (is_number(text) or is_infinite(text)):
            return f"number {quoted(text)}{self.guess}"
        if self.guess and has_decimal_comma(text):
            return f"{quoted(text)} has a decimal comma (--decimal , or --categorical takes it)"
        return None

    def categories(self) -> list[str]:
        """The words by their codes."""
        return list(self.seen)

    def settle(self) -> None:
        self.declared = dict.fromkeys(self.categories())


class _Words(_Codes):
    """A column of words, binarised: one 0/1 column per category."""

    kind = "category"

    @property
    def width(self) -> int:
        return len(self.seen if self.declared is None else self.declared)

    def categories(self) -> list[str]:
        """As declared, else sorted: by value if all are numbers, else as text."""
        if self.declared is not None:
            return list(self.declared)
        if all(map(is_number, self.seen)):
            return sorted(self.seen, key=lambda text: (float(text), text))
        return sorted(self.seen)

    def names(self) -> list[str]:
        return [f"{self.name}={category}" for category in self.categories()]

    def fill(self, X: NDArray[np.float64], taken: NDArray[Any]) -> None:
        place = {text: i for i, text in enumerate(self.categories())}
        places = np.array([place[text] for text in self.seen], dtype=np.int64)
        rows = np.flatnonzero(taken >= 0)
        X[rows, places[taken[rows]]] = 1.0

    def oddity(self, n_rows: int) -> str | None:
        """Whether the words are dates, or names of the rows."""
        if not self.guess:
            return None
        words = [text for text in self.seen if text != GAP]
        if len(words) > 1 and all(map(_DATE.fullmatch, words)):
            return f"holds dates such as {quoted(words[0])}"
        if n_rows >= _MANY and len(self.seen) == n_rows:
            return f"has another word in each of the {n_rows} rows, like an id or a name"
        return None

    def record(self) -> dict[str, Any]:
        return super().record() | {"categories": self.categories()}


class LabelColumn(_Codes):
    """The labels: any text, numbered by first appearance; none of `X` is it.

    Declared labels that never occur have no code: a stream has the classes it shows.
    """

    kind = "label"


def _too_many(form: Form) -> str:
    return f"more categories than {form.limits.said('categories')}"


def make_column(spec: ColumnSpec, start: Cells | Unfit, form: Form) -> Column:
    """The column for a specification; what is left open is decided by its first cells."""
    name, declared = spec.name, None if spec.declared is None else dict.fromkeys(spec.declared)
    if spec.kind == "drop":
        return Column(name)
    if spec.kind == "label":
        return LabelColumn(name, declared=declared)
    if spec.kind == "number":
        for value in declared or ():
            if reason := number_complaint(value):
                raise ValueError(f"cannot be numeric: the declared {reason}")
        return _Numbers(name, replace(form, missing="error") if declared else form, declared)
    if spec.kind == "category":
        if declared and len(declared) > form.limits.categories:
            raise ValueError(_too_many(form))
        if declared and form.missing != "error":
            declared.setdefault(GAP)
        return _Words(name, form, declared)
    if not isinstance(start, list):
        return _Numbers(name, form)
    # A gap is no sign of a kind, but where gaps are no values either kind will refuse it.
    first = next((text for cell in start if not is_missing(text := cell.strip())), "")
    guess = ", though the column begins with {} (--categorical takes all as words)"
    if is_infinite(first) or is_number(_plain(first, form)):
        return _Numbers(name, form, guess=guess.format("numbers"))
    if form.missing != "error" and not first:
        guess = ", though nothing but missing values came before it"
        guess += " (--numeric or --categorical says what the column is)"
    return _Words(name, form, guess=guess.format("words"))


def restored(record: dict[str, Any], form: Form) -> Column:
    """The column that a model was made with; new categories are none of the known ones."""
    name = record["name"]
    if record["kind"] == "number":
        begun = int(record.get("known", 0)), float(record.get("total", 0))
        marked = bool(record.get("marked"))
        return _Numbers(name, form, has_gaps=marked, settled=True, begun=begun)
    declared = dict.fromkeys(map(str, record["categories"]))  # with a gap only if it had
    return _Words(name, form, declared, strange=set())


def number_text(value: float) -> str:
    """A number as a table of texts would have it.

    >>> number_text(3.0), number_text(0.25)
    ('3', '0.25')
    """
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _plain(text: str, form: Form) -> str:
    return text.translate(_SWAPPED) if form.decimal == "," else text


def place_of(which: str | int, names: Sequence[str], what: str = "column") -> int:
    """Where one stands, from 0, that is given by its name or its number from 1.

    >>> place_of("b", ["a", "b"]), place_of("2", ["a", "b"]), place_of("2", ["a", "b", "2"])
    (1, 1, 2)
    """
    if (n := names.count(str(which))) > 1:
        raise ValueError(f"{n} {what}s are named {quoted(str(which))}; use a number")
    if str(which) in names:
        return names.index(str(which))
    if isinstance(which, str) and not (which.isascii() and which.isdigit() and len(which) < 10):
        close = difflib.get_close_matches(which, names, n=1)
        there_are = f"; there are {', '.join(names[:9])}" + (", ..." if names[9:] else "")
        meant = f" (did you mean {close[0]}?)" if close else there_are
        raise ValueError(f"there is no {what} named {quoted(which)}{meant}")
    place = (int(which) if isinstance(which, str) else operator.index(which)) - 1
    if not 0 <= place < len(names):
        raise ValueError(f"there is no {what} {which}: they go from 1 to {len(names)}")
    return place
