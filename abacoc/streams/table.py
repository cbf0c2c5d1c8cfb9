"""From the rows of a CSV or ARFF file to a matrix, quickly, and to a named fault if there is one.

The rows go through in chunks. A chunk is cut and converted column by column, which is fast but
knows only that something is wrong; then, and only then, it is looked through cell by cell to find
what and where. Either way the first fault of the file is the one that is told.
"""

from __future__ import annotations

import copy
import difflib
import operator
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from abacoc.streams.cells import RowSyntax, fault, is_missing, quoted, too_long
from abacoc.streams.columns import (
    CategoryColumn,
    Cells,
    Column,
    ColumnSpec,
    DroppedColumn,
    Kind,
    LabelColumn,
    make_column,
    restored,
)
from abacoc.streams.form import Form
from abacoc.streams.source import LineReader, Lines

if TYPE_CHECKING:
    from abacoc.limits import Limits
    from abacoc.streams.form import Named

CHUNK_CELLS = 1 << 19
CELL_BYTES = 8  # a float64

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
    closes_labels = True  # when it is settled; False where labels may come at any time

    def take(self, lines: Lines) -> Chunk:
        """Check the rows and convert them, or raise their first fault."""
        raise TypeError("no rows of text are taken here")

    @abstractmethod
    def settle(self, n_rows: int, n_held: int | None = None) -> None:
        """Close the lists of attributes and labels after `n_rows` rows.

        Raise if so many, or the `n_held` that will be in memory, are too much to hold.
        """

    def again(self) -> Self:
        """The same at the beginning of another reading of the same input."""
        return self

    @abstractmethod
    def close_labels(self) -> None:
        """The labels so far are those there are."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """What a model file keeps of the columns: see `matched`."""

    def tell_strangers(self) -> None:
        """Warn of what was met that the model does not know."""
        return

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


def forced(specs: Sequence[ColumnSpec], form: Form, source: str) -> list[ColumnSpec]:
    """The specifications with what the caller says of the columns."""
    result = list(specs)
    wanted: dict[Kind, Named] = {
        "number": form.numeric,
        "category": form.categorical,
        "drop": form.drop,
    }
    places = {
        kind: {column_place(specs, which, source) for which in named}
        for kind, named in wanted.items()
    }
    label = len(specs) - 1
    if form.label is not None:
        label = column_place(specs, form.label, source)
    elif set(range(label)) - places["drop"] and label in places["drop"]:
        raise fault(source, "the last column is the label and cannot be dropped: --label NAME")
    for kind, chosen in places.items():
        for i in sorted(chosen):
            refused = "is the label, and --label names another" if i == label else None
            if any(i in others for other, others in places.items() if other != kind):
                refused = "can be numeric, categorical or dropped, not two of them"
            if refused:
                raise fault(source, refused, column=i + 1, name=specs[i].name)
            result[i] = replace(specs[i], kind=kind)
    result[label] = replace(specs[label], kind="label")
    if all(spec.kind in ("label", "drop") for spec in result):
        raise fault(source, "no attribute is left beside the label")
    return result


def column_place(specs: Sequence[ColumnSpec], which: str | int, source: str) -> int:
    """Where a column stands, from 0, that is given by its name or its number from 1."""
    named = [i for i, spec in enumerate(specs) if spec.name == str(which)]
    if len(named) > 1:
        raise fault(source, f"{len(named)} columns are named {quoted(str(which))}; use a number")
    if named:
        return named[0]
    if isinstance(which, str) and not (which.isascii() and which.isdigit() and len(which) < 10):
        names = ", ".join(spec.name for spec in specs[:9]) + (", ..." if len(specs) > 9 else "")
        close = difflib.get_close_matches(which, [spec.name for spec in specs], n=1)
        meant = f" (did you mean {close[0]}?)" if close else f"; there are {names}"
        raise fault(source, f"there is no column named {quoted(which)}{meant}")
    place = (int(which) if isinstance(which, str) else operator.index(which)) - 1
    if not 0 <= place < len(specs):
        raise fault(source, f"there is no column {which}: they go from 1 to {len(specs)}")
    return place


class Table(Rows):
    """Named columns of cells, one of them the label, taken some rows at a time.

    With a `model` its columns are those that a model was made with, wherever they stand here.
    """

    def __init__(
        self,
        source: str,
        specs: Sequence[ColumnSpec],
        firsts: Sequence[str | None],
        form: Form,
        limits: Limits,
        model: dict[str, Any] | None = None,
    ) -> None:
        self.source, self.form, self.limits = source, form, limits
        self.specs: list[ColumnSpec]
        self.chunk = max(1, CHUNK_CELLS // len(specs))
        self.columns: list[Column] = []
        self.order: list[int]  # of the columns in `X`
        if model is not None:
            if form.missing == "error":
                self.form = form = replace(form, missing=model["missing"])
            self.specs, self.columns, self.order = matched(specs, model, form, source)
        else:
            self.specs, self.order = forced(specs, form, source), list(range(len(specs)))
            for i, (spec, first) in enumerate(zip(self.specs, firsts, strict=True)):
                try:
                    self.columns.append(make_column(spec, first, limits, form))
                except ValueError as error:
                    raise fault(source, str(error), column=i + 1, name=spec.name) from None
        self.model = model
        self.label_at = next(
            (i for i, column in enumerate(self.columns) if isinstance(column, LabelColumn)), None
        )
        self._closed = False

    def take_cells(self, cells: Sequence[Cells]) -> Chunk | None:
        """The cells of each column as numbers and codes; None if there is any complaint.

        Then the columns are as before: the cells may come again.
        """
        before = [column.mark() for column in self.columns]
        taken: list[NDArray[Any]] = []
        for column, part in zip(self.columns, cells, strict=True):
            values = column.take(part)
            if values is None:
                for other, mark in zip(self.columns, before, strict=True):
                    other.back_to(mark)
                return None
            taken.append(values)
        return taken

    def settle(self, n_rows: int, n_held: int | None = None) -> None:
        """See `Rows.settle`; the oddities of the columns are told."""
        if not (self._closed or self.model or self.form.known):
            for i, column in enumerate(self.columns):
                self._tell(i, column, n_rows)
            self._refuse_labels(n_rows)
        self._closed = True
        for column in self.columns:
            if column is not self.label or self.closes_labels:
                column.settle()
        self.close_labels()
        names = [self.columns[i].names(self.specs[i].name) for i in self.order]
        self._widths = [len(group) for group in names]
        self.attributes = tuple(name for group in names for name in group)
        self.refuse_too_large(n_rows if n_held is None else n_held)

    @property
    def label(self) -> LabelColumn | None:
        """The column of the labels; None where there is none."""
        column = None if self.label_at is None else self.columns[self.label_at]
        return column if isinstance(column, LabelColumn) else None

    def close_labels(self) -> None:
        """See `Rows.close_labels`."""
        self.labels = tuple(self.label.categories()) if self.label else ()

    def _tell(self, i: int, column: Column, n_rows: int) -> None:
        name = self.specs[i].name
        if oddity := column.oddity(name, n_rows):
            alone = sum(spec.name == name for spec in self.specs) == 1 and "," not in name
            which = name if alone else i + 1
            message = f"{oddity}: --drop {which} leaves it out"
            if isinstance(column, CategoryColumn):
                message += f", --categorical {which} makes 0/1 columns of it"
                raise fault(self.source, message, column=i + 1, name=name)
            told = fault(self.source, message, column=i + 1, name=name)
            warnings.warn(str(told), stacklevel=4)

    def _refuse_labels(self, n_rows: int) -> None:
        n_classes = len(self.label.seen) if self.label else 0
        if self.form.label is None and n_classes > max(100, n_rows // 2):
            assert self.label_at is not None
            name = self.specs[self.label_at].name
            raise fault(
                self.source,
                f"{n_classes:,} labels in {n_rows:,} rows: if this is no label, --label NAME names "
                "the column that is; if it is, name it",
                column=self.label_at + 1,
                name=name,
            )

    def again(self) -> Self:
        """The same at the beginning of another reading."""
        other = copy.copy(self)
        other.columns = [column.again() for column in self.columns]
        return other

    def matrix(self, chunks: Sequence[Chunk]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """See `Rows.matrix`; without a label all codes are -1."""
        X = np.zeros((sum(len(chunk[0]) for chunk in chunks), len(self.attributes)))
        at = 0
        parts = list(zip(*chunks, strict=True))
        for i, width in zip(self.order, self._widths, strict=True):
            if width:
                self.columns[i].fill(X, at, np.concatenate(parts[i]))
            at += width
        if self.label_at is None:
            return X, np.full(len(X), -1, dtype=np.int64)
        return X, np.concatenate(parts[self.label_at])

    def widest(self) -> tuple[int, int, str | None, str]:
        """See `Rows.widest`."""
        widths = [column.width for column in self.columns]
        i = max(range(len(widths)), key=widths.__getitem__)
        why = f": this column has {widths[i]} categories" if widths[i] > 1 else ""
        return sum(widths), i + 1, self.specs[i].name, why

    def record(self) -> dict[str, Any]:
        """See `Rows.record`."""
        if self.model is not None:
            columns = [dict(column) for column in self.model["columns"]]
            for place, i in zip(attribute_places(self.model), self.order, strict=True):
                columns[place] |= self.columns[i].record()
            return self.model | {"columns": columns}
        columns = [
            {"name": spec.name} | column.record()
            for spec, column in zip(self.specs, self.columns, strict=True)
        ]
        return {"columns": columns, "missing": self.form.missing, "decimal": self.form.decimal}

    def tell_strangers(self) -> None:
        """See `Rows.tell_strangers`."""
        for spec, column in zip(self.specs, self.columns, strict=True):
            if isinstance(column, CategoryColumn) and column.strange:
                names = ", ".join(sorted(column.strange)[:3])
                more = ", ..." if len(column.strange) > 3 else ""
                reason = f"{names}{more}: not known to the model, so in none of its 0/1 columns"
                at = self.specs.index(spec) + 1
                told = fault(self.source, reason, column=at, name=spec.name)
                warnings.warn(str(told), stacklevel=3)


def numbers_alone(names: Sequence[str], label_first: bool = False) -> dict[str, Any]:
    """The record of a table of numbers and a label."""
    columns = [{"name": name, "kind": "number"} for name in names]
    columns.insert(0 if label_first else len(columns), {"name": "label", "kind": "label"})
    return {"columns": columns, "missing": "error", "decimal": "."}


def attribute_places(model: dict[str, Any]) -> list[int]:
    """Which columns of a model's record are attributes."""
    kinds = [column["kind"] for column in model["columns"]]
    return [i for i, kind in enumerate(kinds) if kind in ("number", "category")]


def matched(
    specs: Sequence[ColumnSpec], model: dict[str, Any], form: Form, source: str
) -> tuple[list[ColumnSpec], list[Column], list[int]]:
    """The columns of a model at the places where they stand in this input, and their order.

    By their names where the input has names, else by their places; the label may be missing.
    """
    known, attributes = model["columns"], attribute_places(model)
    names = [spec.name for spec in specs]
    place_of: dict[int, int] = {}  # where in the input each column of the model is
    found = [column["name"] for column in known if names.count(column["name"]) == 1]
    if any(known[i]["name"] in found for i in attributes):
        for i in attributes:
            if known[i]["name"] not in found:
                which = quoted(known[i]["name"])
                raise fault(source, f"there is no column {which} (or not one), which the model has")
            place_of[i] = names.index(known[i]["name"])
        labels = [c["name"] for c in known if c["kind"] == "label"]
        label_at = next((names.index(label) for label in labels if label in found), None)
    elif not (_are_numbers(names) or _are_numbers([known[i]["name"] for i in attributes])):
        listed = _listed([known[i]["name"] for i in attributes])
        reason = f"none of the columns of the model is here: {listed}"
        raise fault(source, f"{reason} (--header no: found by their places)")
    else:
        layouts = {
            len(known): list(range(len(known))),
            len(known) - 1: [i for i, c in enumerate(known) if c["kind"] != "label"],
            len(attributes): attributes,
        }
        if len(specs) not in layouts:
            listed = _listed([column["name"] for column in known])
            reason = f"{len(specs)} columns; the model was made from {len(known)}: {listed}"
            raise fault(source, reason)
        layout = layouts[len(specs)]
        place_of = {i: place for place, i in enumerate(layout) if i in set(attributes)}
        label_at = next((p for p, i in enumerate(layout) if known[i]["kind"] == "label"), None)
    if form.label is not None:
        label_at = column_place(specs, form.label, source)
        if label_at in place_of.values():
            raise fault(source, f"the label {quoted(str(form.label))} is an attribute of the model")
    if form.numeric or form.categorical:
        raise fault(source, "which columns are numbers and which words is settled by the model")
    for dropped in form.drop:
        place = column_place(specs, dropped, source)
        if place in place_of.values():
            raise fault(source, f"--drop {dropped}: it is an attribute of the model")
        label_at = None if place == label_at else label_at
    columns: list[Column] = [DroppedColumn() for _ in specs]
    named = list(specs)
    for i, place in place_of.items():
        columns[place], named[place] = restored(known[i], form), ColumnSpec(known[i]["name"])
    if label_at is not None:
        columns[label_at] = LabelColumn()
    return named, columns, [place_of[i] for i in attributes]


def _are_numbers(names: Sequence[str]) -> bool:
    """Whether nobody gave the columns names: they are called by their places."""
    return all(name == "label" or (name[:1] == "x" and name[1:].isdecimal()) for name in names)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


class TableRows(Table):
    """A table whose rows are lines of text; the lines are at the first of them."""

    def __init__(
        self,
        lines: LineReader,
        syntax: RowSyntax,
        specs: Sequence[ColumnSpec],
        form: Form,
        model: dict[str, Any] | None = None,
    ) -> None:
        self.source, self.limits, self.form = lines.source, lines.limits, form
        self.syntax, self.specs = syntax, list(specs)
        self.trailing_comma = form.trailing_comma
        count = 1 if form.missing == "error" else max(1, min(1000, CHUNK_CELLS // len(specs)))
        cells, broken = self._split_carefully(lines.peek(count))
        if broken and not cells:
            raise broken
        width = len(specs)
        firsts = [_first_known(cells[i::width]) for i in range(width)]
        super().__init__(lines.source, specs, firsts, form, lines.limits, model)

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
        return self.take_cells([cells[i :: len(self.specs)] for i in range(len(self.specs))])

    def _split_fast(self, texts: list[str]) -> list[str] | None:
        """All cells, row after row; None where a row is not plainly of the right width."""
        delimiter, width = self.syntax.delimiter, len(self.specs)
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


def _first_known(cells: Sequence[str]) -> str:
    """The first cell that is no gap, else the first."""
    texts = [cell.strip() for cell in cells]
    return next((text for text in texts if not is_missing(text)), texts[0])
