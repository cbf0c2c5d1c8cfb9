"""LIBSVM files: `label index:value ...`, indices from 1 and rising, what is not there is zero."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc.limits import Limits
from abacoc.streams.cells import fault, is_missing, number_complaint, quoted, too_long
from abacoc.streams.columns import LabelColumn
from abacoc.streams.form import Form
from abacoc.streams.source import LineReader, Lines
from abacoc.streams.table import Chunk, Table

# No colon in a label: a row that begins with index:value has lost its label.
_ROW = re.compile(r"([^\s:]++)((?:\s++[0-9]{1,18}+:[^\s:]++)*+)\s*+")
_PAIR = re.compile(r"([0-9]{1,18}):([^\s:]+)")


def without_comment(line: str) -> str:
    """The line up to a number sign."""
    return line.partition("#")[0]


def looks_like_libsvm(text: str) -> bool:
    """Whether a line is a label and pairs, at least one.

    >>> looks_like_libsvm("-1 1:0.5 7:2"), looks_like_libsvm("1 2 3")
    (True, False)
    """
    match = _ROW.fullmatch(without_comment(text).strip())
    return match is not None and bool(match[2])


def read(lines: LineReader, form: Form) -> tuple[Table, str]:
    """The rows of a LIBSVM file, to be taken from the lines, and a word on how it is understood."""
    own = ("label", "drop", "numeric", "categorical", "header", "delimiter", "decimal", "missing")
    form.refuse_given(f"{lines.source}: LIBSVM, label first and numbers alone", *own)
    return _SparseRows(lines, form), "LIBSVM"


class _SparseRows(Table):
    """The rows of a LIBSVM file; a chunk is label codes, numbers of pairs, indices and values."""

    def __init__(self, lines: LineReader, form: Form) -> None:
        self.reader, self.source, self.form = lines, lines.source, form
        self.columns, self.chunk = [], 1 << 13
        self.label: LabelColumn = LabelColumn("label")
        self.most = None if form.model is None else len(form.model["columns"]) - 1
        self.width = self.most or 0

    def take(self, rows: Lines) -> Chunk:
        code_of = self.label.seen
        codes: list[int] = []
        counts: list[int] = []
        indices: list[int] = []
        values: list[float] = []
        for row, text in enumerate(rows.texts):
            parsed = _parsed(text, self.form.limits)
            if parsed is None:
                column, reason = _complaint(text, self.form.limits)
                raise rows.fault(row, reason, column)
            label, row_indices, row_values = parsed
            last = row_indices[-1] if row_indices else 0
            is_new = last > self.width or (self.closes_labels and label not in code_of)
            if self.attributes and is_new:
                raise rows.fault(row, "a label or an index that was not there before")
            if self.most is not None and last > self.most:
                raise rows.fault(row, f"index {last}, where the model has {self.most} attributes")
            self.width = max(self.width, last)
            codes.append(code_of.setdefault(label, len(code_of)))
            counts.append(len(row_indices))
            indices += row_indices
            values += row_values
        return [*(np.array(n, dtype=np.int64) for n in (codes, counts, indices)), np.array(values)]

    def settle(self, n_held: int = sys.maxsize) -> None:
        if not self.width:
            raise fault(self.source, "no row has an attribute")
        self.refuse_too_large(min(self.reader.row, n_held))
        self.attributes = tuple(f"x{i}" for i in range(1, self.width + 1))

    def record(self) -> dict[str, Any]:
        numbers = [{"name": name, "kind": "number"} for name in self.attributes]
        return {"columns": [self.label.record(), *numbers], "missing": "error", "decimal": "."}

    def widest(self) -> tuple[int, int, str | None, str]:
        return self.width, self.width, None, ""

    def matrix(self, chunks: Sequence[Chunk]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        codes, counts, indices, values = map(np.concatenate, zip(*chunks, strict=True))
        X = np.zeros((len(codes), self.width))
        X[np.repeat(np.arange(len(codes)), counts), indices - 1] = values
        return X, codes


def _parsed(text: str, limits: Limits) -> tuple[str, list[int], list[float]] | None:
    """Label, indices and values of a row the fast way; None if anything is wrong with it."""
    match = _ROW.fullmatch(text.strip())
    if match is None or is_missing(match[1]):
        return None
    pairs = match[2].replace(":", " ").split()
    joined = "".join(pairs)
    if "_" in joined or not joined.isascii():  # float() would take 1_000 and ١
        return None
    try:
        indices, values = list(map(int, pairs[0::2])), list(map(float, pairs[1::2]))
    except ValueError:
        return None
    rising = all(a < b for a, b in pairwise([0, *indices])) and indices[-1:] <= [limits.columns]
    short = len(text) <= limits.cell or max(map(len, [match[1], *pairs])) <= limits.cell
    sound = rising and short and all(map(math.isfinite, values))
    return (match[1], indices, values) if sound else None


def _complaint(text: str, limits: Limits) -> tuple[int | None, str]:
    """The column, if it is one, and the reason of the first fault of a row that has one."""
    label, *pairs = text.split()
    if len(label) > limits.cell:
        return None, too_long(limits)
    if ":" in label or is_missing(label):
        return None, "missing label"
    last = 0
    for pair in pairs:
        match = _PAIR.fullmatch(pair)
        if match is None:
            return None, f"{quoted(pair)} is not index:value"
        index = int(match[1])
        if index > limits.columns:
            return index, f"an index above {limits.said('columns')}"
        if index == 0:
            return None, "index 0: they begin at 1"
        if index <= last:
            what = "twice" if index == last else f"after {last}"
            return index, f"index {index} {what}: they must rise"
        if len(match[2]) > limits.cell:
            return index, too_long(limits)
        if reason := number_complaint(match[2]):
            return index, reason
        last = index
    raise AssertionError("a row that was refused without a reason")
