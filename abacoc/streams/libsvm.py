"""LIBSVM files: `label index:value ...`, indices from 1 and rising, what is not there is zero."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np

from abacoc.streams.cells import fault, is_missing, number_complaint, quoted
from abacoc.streams.source import Lines
from abacoc.streams.stream import label_codes
from abacoc.streams.table import MAX_ATTRIBUTES, MAX_CELLS, Named, Table

# No colon in a label: a row that begins with index:value has lost its label.
_ROW = re.compile(r"([^\s:]+)((?:\s+[0-9]{1,18}:[^\s:]+)*)\s*")
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


def read_libsvm(lines: Lines, numeric: Named, categorical: Named) -> tuple[Table, str]:
    """The table of a LIBSVM file, and a word on how it was understood."""
    if len(numeric) or len(categorical):
        raise fault(lines.source, "a LIBSVM file holds numbers: no kind can be forced on a column")
    labels: list[str] = []
    indices: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    values: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    for row, text in enumerate(lines.texts):
        parsed = _parsed(text)
        if parsed is None:
            column, reason = _complaint(text)
            raise lines.fault(row, reason, column)
        labels.append(parsed[0])
        indices.append(np.array(parsed[1], dtype=np.int64))
        values.append(np.array(parsed[2], dtype=np.float64))
    width = max((int(row[-1]) for row in indices if len(row)), default=0)
    if not width:
        raise fault(lines.source, "no row has an attribute")
    if width * len(labels) > MAX_CELLS:
        reason = f"{len(labels)} x {width} cells are too many to hold"
        raise fault(lines.source, reason, column=width)
    X = np.zeros((len(labels), width))
    for x, row_indices, row_values in zip(X, indices, values, strict=True):
        x[row_indices - 1] = row_values
    names = tuple(f"x{i}" for i in range(1, width + 1))
    return Table(X, *label_codes(labels), names), "LIBSVM"


def _parsed(text: str) -> tuple[str, list[int], list[float]] | None:
    """Label, indices and values of a row the fast way; None if anything is wrong with it."""
    match = _ROW.fullmatch(text.strip())
    if match is None or is_missing(match[1]):
        return None
    pairs = match[2].replace(":", " ").split()
    joined = "".join(pairs)
    if "_" in joined or not joined.isascii():  # float() would take 1_000 and ١
        return None
    try:
        indices = list(map(int, pairs[0::2]))
        values = list(map(float, pairs[1::2]))
    except ValueError:
        return None
    if any(a >= b for a, b in pairwise([0, *indices])) or indices[-1:] > [MAX_ATTRIBUTES]:
        return None
    if not all(map(math.isfinite, values)):
        return None
    return match[1], indices, values


def _complaint(text: str) -> tuple[int | None, str]:
    """The column, if it is one, and the reason of the first fault of a row that has one."""
    label, *pairs = text.split()
    if ":" in label or is_missing(label):
        return None, "missing label"
    last = 0
    for pair in pairs:
        match = _PAIR.fullmatch(pair)
        if match is None:
            return None, f"{quoted(pair)} is not index:value"
        index = int(match[1])
        if index > MAX_ATTRIBUTES:
            return index, f"the index is too large (at most {MAX_ATTRIBUTES})"
        if index == 0:
            return None, "index 0: they begin at 1"
        if index <= last:
            what = "twice" if index == last else f"after {last}"
            return index, f"index {index} {what}: they must rise"
        if reason := number_complaint(match[2]):
            return index, reason
        last = index
    raise AssertionError("a row that was refused without a reason")
