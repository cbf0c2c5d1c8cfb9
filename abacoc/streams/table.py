"""From the rows of a table to a matrix, quickly, and to a named fault if there is one.

The rows go through in chunks. A chunk is cut and converted column by column, which is fast but
knows only that something is wrong; then, and only then, it is looked through cell by cell to find
what and where. Either way the first fault of the input is the one that is told.
"""

from __future__ import annotations

import copy
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from abacoc.streams.cells import RowSyntax, fault, quoted, too_long
from abacoc.streams.columns import (
    Cells,
    Column,
    ColumnSpec,
    LabelColumn,
    Unfit,
    make_column,
    number_text,
    place_of,
    restored,
)
from abacoc.streams.form import Form
from abacoc.streams.source import LineReader, Lines, Reader

CHUNK_CELLS = 1 << 19
CELL_BYTES = 8  # a float64

Chunk = Sequence[NDArray[Any]]  # some rows as numbers and codes, in arrays side by side


class Table:
    """An input that has been recognised: what makes numbers of its rows, in their order.

    All rows are taken by `next_rows`, and `settle` is called then. From there on `attributes` are
    known, and `matrix` makes what they are named for: of the chunks that were taken, or of chunks
    taken at another reading of the same file.
    """

    name = note = ""  # what to call the input, and where it is from, in a line
    closes_labels = True  # when it is settled; False where labels may come at any time
    attributes: tuple[str, ...] = ()  # none until they are settled

    def __init__(
        self, reader: Reader, specs: Sequence[ColumnSpec], starts: Sequence[Any], form: Form
    ) -> None:
        self.reader, self.source, self.form = reader, reader.source, form
        self.chunk = max(1, CHUNK_CELLS // len(specs))  # rows that are best taken at a time
        self.names = [spec.name for spec in specs]
        self.columns = list(map(Column, self.names))  # left out, until more is known
        self.order = list(range(len(specs)))  # of the columns in `X`
        if form.model is not None:
            if form.missing == "error":
                self.form = replace(form, missing=form.model["missing"])
            self.order = self._match(form.model)
        for i, spec in enumerate(self._forced(specs) if form.model is None else ()):
            try:
                self.columns[i] = make_column(spec, starts[i], form)
            except ValueError as error:
                raise self._fault(str(error), i) from None
        self.label = next((c for c in self.columns if isinstance(c, LabelColumn)), None)

    def _forced(self, specs: Sequence[ColumnSpec]) -> list[ColumnSpec]:
        """The specifications with what the caller says of the columns."""
        form, label = self.form, len(specs) - 1
        said = {"number": form.numeric, "category": form.categorical, "drop": form.drop}
        places = {kind: set(map(self._place, named)) for kind, named in said.items()}
        if form.label is not None:
            label = self._place(form.label)
        elif label in places["drop"] and set(range(label)) - places["drop"]:
            raise self._fault("the last column is the label and cannot be dropped: --label NAME")
        times = Counter(chain(*places.values()))
        kinds: dict[int, Any] = {}
        for kind, chosen in places.items():
            for i in sorted(chosen):
                if times[i] > 1:
                    raise self._fault("can be numeric, categorical or dropped, not two of them", i)
                if i == label:
                    raise self._fault("is the label, and --label names another", i)
                kinds[i] = kind
        kinds[label] = "label"
        result = [replace(spec, kind=kinds.get(i, spec.kind)) for i, spec in enumerate(specs)]
        if all(spec.kind in ("label", "drop") for spec in result):
            raise self._fault("no attribute is left beside the label")
        return result

    def _match(self, model: dict[str, Any]) -> list[int]:
        """Make the columns those of a model; where its attributes stand in this input.

        By their names where the input has names, else by their places; the label may be missing.
        """
        form, known, attributes = self.form, model["columns"], attribute_places(model)
        label = next((i for i, column in enumerate(known) if column["kind"] == "label"), None)
        names, titles = self.names, [column["name"] for column in known]
        place_of = {i: names.index(name) for i, name in enumerate(titles) if names.count(name) == 1}
        wanted = [titles[i] for i in attributes]
        if any(i in place_of for i in attributes):
            if lacking := [titles[i] for i in attributes if i not in place_of]:
                which = f"{quoted(lacking[0])} (or not one), which the model has"
                raise self._fault(f"there is no column {which}")
        elif not (_are_numbers(names) or _are_numbers(wanted)):
            reason = f"none of the columns of the model is here: {_listed(wanted)}"
            raise self._fault(f"{reason} (--header no: found by their places)")
        else:
            whole = list(range(len(known)))
            layouts = [attributes, [i for i in whole if i != label], whole]
            fitting = next((layout for layout in layouts if len(layout) == len(names)), None)
            if fitting is None:
                reason = f"{len(names)} columns; the model was made from {len(known)}"
                raise self._fault(f"{reason}: {_listed(titles)}")
            place_of = {i: place for place, i in enumerate(fitting)}
        order = [place_of[i] for i in attributes]
        label_at = None if label is None else place_of.get(label)
        if form.label is not None:
            label_at = self._place(form.label)
            if label_at in order:
                which = quoted(str(form.label))
                raise self._fault(f"the label {which} is an attribute of the model")
        if form.numeric or form.categorical:
            raise self._fault("which columns are numbers and which words is settled by the model")
        for dropped in form.drop:
            place = self._place(dropped)
            if place in order:
                raise self._fault(f"--drop {dropped}: it is an attribute of the model")
            label_at = None if place == label_at else label_at
        for i, place in zip(attributes, order, strict=True):
            self.names[place], self.columns[place] = titles[i], restored(known[i], form)
        if label_at is not None:
            self.columns[label_at] = LabelColumn(names[label_at])
        return order

    def _place(self, which: str | int) -> int:
        """Where a column stands, from 0, that is given by its name or its number from 1."""
        try:
            return place_of(which, self.names)
        except ValueError as error:
            raise self._fault(str(error)) from None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels so far, by their codes."""
        return tuple(self.label.categories()) if self.label else ()

    def _fault(self, reason: str, i: int | None = None) -> ValueError:
        """The error for the input, or for a column as a whole."""
        if i is None:
            return fault(self.source, reason)
        return fault(self.source, reason, column=i + 1, name=self.names[i])

    def cut(self, rows: Any) -> tuple[list[Cells], ValueError | None]:
        """The cells of each column up to the first broken row, and the error for that one."""
        cells: list[Cells] = []
        for i, part in enumerate(rows.cells):
            if isinstance(part, Unfit):
                if self.columns[i].kind != "drop":
                    raise self._fault(f"holds {part.what}, neither numbers nor words: drop it", i)
                part = [""] * len(part)
            cells.append(part)
        lengths = list(map(len, cells))
        if min(lengths) < max(lengths):
            raise self._fault(f"columns of {min(lengths)} and of {max(lengths)} rows")
        return cells, None

    def next_rows(self, count: int) -> list[Chunk]:
        """The next rows as numbers, or their first fault; none at the end.

        So many unless the input ends, or comes in pieces of its own.
        """
        chunks: list[Chunk] = []
        n = 0
        while n < count and (part := self.reader.take(min(count - n, self.chunk))):
            chunks.append(self.take(part))
            n += len(part)
            self.refuse_too_large(n)  # before more of them fill the memory
            if self.reader.in_pieces:
                break
        return chunks

    def take(self, rows: Any) -> Chunk:
        """Check some rows and convert them, or raise their first fault."""
        cells, broken = self.cut(rows)
        if broken is None and (chunk := self._converted(cells)):
            return chunk
        cells = [c if isinstance(c, np.ndarray) else [cell.strip() for cell in c] for c in cells]
        for row in range(len(cells[0])):
            for i, (column, part) in enumerate(zip(self.columns, cells, strict=True)):
                cell = part[row]
                if reason := column.complaint(cell if isinstance(cell, str) else number_text(cell)):
                    raise rows.fault(row, reason, i + 1, column.name)
        if broken:
            raise broken
        # Blanks that only strip() knows had misled the fast way.
        if chunk := self._converted(cells):
            return chunk
        raise AssertionError("read() and complaint() disagree")

    def _converted(self, cells: Sequence[Cells]) -> Chunk | None:
        """As numbers and codes; None if there is any complaint, and then nothing is taken."""
        values: list[NDArray[Any]] = []
        for column, part in zip(self.columns, cells, strict=True):
            if (found := column.read(part)) is None:
                return None
            values.append(found)
        return [column.take(part) for column, part in zip(self.columns, values, strict=True)]

    def settle(self, n_held: int = sys.maxsize) -> None:
        """Close the lists of attributes and labels after the rows so far; tell their oddities.

        Raise if these are too much to hold, or the `n_held` of them that will be in memory.
        """
        n_rows = self.reader.row
        if not (self.form.model or self.form.known):
            for i, column in enumerate(self.columns):
                self._tell(i, column, n_rows)
            self._refuse_labels(n_rows)
        for column in self.columns:
            if column is not self.label or self.closes_labels:
                column.settle()
        self.attributes = tuple(name for i in self.order for name in self.columns[i].names())
        self.refuse_too_large(min(n_rows, n_held))

    def _tell(self, i: int, column: Column, n_rows: int) -> None:
        if oddity := column.oddity(n_rows):
            alone = self.names.count(column.name) == 1 and "," not in column.name
            which = column.name if alone else i + 1
            message = f"{oddity}: --drop {which} leaves it out"
            if column.kind == "category":
                message += f", --categorical {which} makes 0/1 columns of it"
                raise self._fault(message, i)
            warnings.warn(str(self._fault(message, i)), stacklevel=4)

    def _refuse_labels(self, n_rows: int) -> None:
        n_classes = len(self.labels)
        if self.label and self.form.label is None and n_classes > max(100, n_rows // 2):
            reason = f"{n_classes:,} labels in {n_rows:,} rows: if this is no label, --label NAME "
            reason += "names the column that is; if it is, name it"
            raise self._fault(reason, self.columns.index(self.label))

    def again(self) -> Self:
        """The same at the beginning of another reading of the same input."""
        assert isinstance(self.reader, LineReader)  # of a file: all else comes once
        other = copy.copy(self)
        other.reader = self.reader.again()
        other.columns = [column.again() for column in self.columns]
        return other

    def matrix(self, chunks: Sequence[Chunk]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The instances, with the categories binarised, and the label codes, -1 without a label."""
        X = np.zeros((sum(len(chunk[0]) for chunk in chunks), len(self.attributes)))
        at = 0
        parts = list(zip(*chunks, strict=True))
        for i in self.order:
            if width := self.columns[i].width:
                self.columns[i].fill(X[:, at : at + width], np.concatenate(parts[i]))
                at += width
        if self.label is None:
            return X, np.full(len(X), -1, dtype=np.int64)
        return X, np.concatenate(parts[self.columns.index(self.label)])

    def widest(self) -> tuple[int, int, str | None, str]:
        """The attributes so far; the number and name of a column to blame for many, and why."""
        widths = [column.width for column in self.columns]
        i = max(range(len(widths)), key=widths.__getitem__)
        why = f": this column has {widths[i]} categories" if widths[i] > 1 else ""
        return sum(widths), i + 1, self.columns[i].name, why

    def refuse_too_large(self, n_rows: int) -> None:
        """Raise if `n_rows` rows, with the attributes there are so far, are too much to hold."""
        width, column, name, why = self.widest()
        limits, reason = self.form.limits, None
        if width > limits.columns:
            reason = f"{width} attributes, more columns than {limits.said('columns')}"
        elif width * n_rows * CELL_BYTES > limits.matrix:
            reason = f"a matrix of {n_rows} x {width} numbers takes more than "
            reason += limits.said("matrix")
        if reason:
            raise fault(self.source, reason + why, column=column, name=name)

    def record(self) -> dict[str, Any]:
        """What a model file keeps of the columns: see `_match`."""
        if (model := self.form.model) is not None:
            columns = [dict(column) for column in model["columns"]]
            for place, i in zip(attribute_places(model), self.order, strict=True):
                columns[place] |= self.columns[i].record()
            return model | {"columns": columns}
        columns = [column.record() for column in self.columns]
        return {"columns": columns, "missing": self.form.missing, "decimal": self.form.decimal}

    def tell_strangers(self) -> None:
        """Warn of what was met that the model does not know."""
        for i, column in enumerate(self.columns):
            if strange := sorted(column.strange or ()):
                more = ", ..." if len(strange) > 3 else ""
                reason = f"{', '.join(strange[:3])}{more}: not known to the model, "
                told = self._fault(reason + "so in none of its 0/1 columns", i)
                warnings.warn(str(told), stacklevel=3)


def attribute_places(model: dict[str, Any]) -> list[int]:
    """Which columns of a model's record are attributes."""
    kinds = [column["kind"] for column in model["columns"]]
    return [i for i, kind in enumerate(kinds) if kind in ("number", "category")]


def _are_numbers(names: Sequence[str]) -> bool:
    """Whether nobody gave the columns names: they are called by their places."""
    return all(name == "label" or (name[:1] == "x" and name[1:].isdecimal()) for name in names)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


class TableRows(Table):
    """A table whose rows are lines of text; the lines are at the first of them."""

    def __init__(
        self, lines: LineReader, syntax: RowSyntax, specs: Sequence[ColumnSpec], form: Form
    ) -> None:
        self.syntax, self.form = syntax, form
        self.names = [spec.name for spec in specs]
        count = 1 if form.missing == "error" else max(1, min(1000, CHUNK_CELLS // len(specs)))
        cells, broken = self._split_carefully(lines.peek(count))
        if broken and not cells:
            raise broken
        super().__init__(lines, specs, [cells[i :: len(specs)] for i in range(len(specs))], form)

    def cut(self, rows: Lines) -> tuple[list[Cells], ValueError | None]:
        """See `Table.cut`."""
        cells, broken = self._split_fast(rows.texts), None
        if cells is None:
            cells, broken = self._split_carefully(rows)
        width = len(self.names)
        return [cells[i::width] for i in range(width)], broken

    def _split_fast(self, texts: list[str]) -> list[str] | None:
        """All cells, row after row; None where a row is not plainly of the right width."""
        delimiter, width, longest = self.syntax.delimiter, len(self.names), self.form.limits.cell
        joined = (delimiter or " ").join(texts)
        if self.syntax.has_quotes(joined) or (self.syntax.backslash and "{" in joined):
            return None
        if delimiter is None:
            plain = all(len(text.split()) == width for text in texts)
        else:
            plain = all(text.count(delimiter) == width - 1 for text in texts)
        cells = joined.split(delimiter) if plain else None
        # Mostly a look at the lines is enough.
        if cells and max(map(len, texts)) > longest < max(map(len, cells)):
            return None
        return cells

    def _split_carefully(self, lines: Lines) -> tuple[list[str], ValueError | None]:
        """The cells up to the first broken row, and the error for that one."""
        width, longest = len(self.names), self.form.limits.cell
        cells: list[str] = []
        for row, text in enumerate(lines.texts):
            if self.syntax.backslash and text.lstrip().startswith("{"):
                return cells, lines.fault(row, "a row in sparse ARFF, which is not supported", 1)
            try:
                found = self.syntax.split(text)
            except ValueError as error:
                return cells, lines.fault(row, str(error), 1, self.names[0])
            stray = len(found) == width + 1 and not found[-1].strip()
            if stray and self.form.trailing_comma:
                found.pop()
            if max(map(len, found)) > longest:
                column = next(i for i, cell in enumerate(found) if len(cell) > longest)
                reason = too_long(self.form.limits)
            elif len(found) != width:
                column, reason = min(len(found), width), f"{len(found)} cells instead of {width}"
                reason += " (a stray comma at the end?)" if stray else ""
            else:
                cells += found
                continue
            name = self.names[column] if column < width else None
            return cells, lines.fault(row, reason, column + 1, name)
        return cells, None
