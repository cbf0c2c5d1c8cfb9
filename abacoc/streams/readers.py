"""Reading a labelled stream from a file: CSV and its kin, ARFF, LIBSVM, each maybe compressed.

A file is read whole, or in pieces for streams that are larger than memory. In pieces it is read
twice or more. The first reading checks every cell and finds what only the whole file tells: the
kinds of the columns, the categories, the labels, the number of rows. So a bad file is refused
before the first example is given out. Each later reading gives the same pieces.
"""

from __future__ import annotations

import io
import operator
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abacoc.streams.cells import fault
from abacoc.streams.source import (
    COMPRESSIONS,
    Blocks,
    LineReader,
    read_blocks,
    read_bytes,
    refuse_irregular,
    unpacked,
)
from abacoc.streams.stream import Stream
from abacoc.streams.table import Chunk, Named, Rows

if TYPE_CHECKING:
    from abacoc.limits import Limits

FORMATS = ("csv", "arff", "libsvm")
_FORMAT_OF = {
    ".csv": "csv",
    ".tsv": "csv",
    ".arff": "arff",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
}


def read_file(
    path: str | os.PathLike[str],
    format: str | None = None,
    numeric: Named = (),
    categorical: Named = (),
    trailing_comma: bool = False,
    limits: Limits | None = None,
) -> Stream:
    """Read a file whose last column is the label (in LIBSVM, the first).

    The extension tells the format, and the content where the extension does not (.txt, .data and
    unknown ones). `numeric` and `categorical` force the kind of columns, given by name or by
    number from 1; `trailing_comma` accepts one stray comma at the end of a row. Whatever is wrong
    raises `ValueError`, on one line, with the row and the column; what asks for more than the
    `limits`, a `LimitError` with the one to raise.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("size,colour,class\\n1.5,red,yes\\n2,blue,no\\n")
    ...     stream = read_file(path)
    >>> stream.attributes, stream.labels
    (('size', 'colour=blue', 'colour=red'), ('yes', 'no'))
    >>> stream.X
    array([[1.5, 0. , 1. ],
           [2. , 1. , 0. ]])
    """
    return read_content(
        read_bytes(path), os.fspath(path), limits, format, numeric, categorical, trailing_comma
    )


def read_content(
    content: bytes, source: str, limits: Limits | None = None, *form: Any, **named: Any
) -> Stream:
    """As `read_file`, of the bytes of a file called `source`."""

    def blocks() -> Iterator[bytes]:
        return unpacked(io.BytesIO(content), source, limits)

    reading = _begin(blocks, source, limits, *form, **named)
    with reading.lines.guarded():
        chunks = reading.next_rows(sys.maxsize)
        reading.rows.settle(reading.lines.row)
        X, y = reading.rows.matrix(chunks)
    return Stream(
        reading.name, X, y, reading.rows.labels, reading.rows.attributes, note=reading.note
    )


class Reading(NamedTuple):
    """A file that has been recognised, its lines at the first row."""

    name: str
    note: str
    lines: LineReader
    rows: Rows

    def next_rows(self, count: int) -> list[Chunk]:
        """The next rows as numbers, `count` unless the file ends, or the first fault of them."""
        chunks: list[Chunk] = []
        left = count
        while left and (lines := self.lines.take(min(left, self.rows.chunk))):
            chunks.append(self.rows.take(lines))
            left -= len(lines)
            self.rows.refuse_too_large(count - left)  # before more of them fill the memory
        return chunks


def _begin(
    blocks: Blocks,
    source: str,
    limits: Limits | None,
    format: str | None = None,
    numeric: Named = (),
    categorical: Named = (),
    trailing_comma: bool = False,
) -> Reading:
    """Recognise the file called `source`; the other parameters are those of `read_file`."""
    if format is not None and format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: it is one of {', '.join(FORMATS)}")
    name, suffix = _name_and_suffix(source)
    chosen = format or _FORMAT_OF.get(suffix) or _sniffed(LineReader(blocks, source, limits=limits))
    without_comment, read = _reader(chosen)
    lines = LineReader(blocks, source, without_comment, limits)
    with lines.guarded():
        rows, how = read(lines, numeric, categorical, trailing_comma)
    return Reading(name, f"{PurePath(source).name}: {how}", lines, rows)


def _reader(format: str) -> tuple[Callable[[str], str], Callable[..., tuple[Rows, str]]]:
    """What is left of a line, and what reads the header; no other format is imported."""
    if format == "libsvm":
        from abacoc.streams import libsvm

        return libsvm.without_comment, libsvm.read_libsvm
    if format == "arff":
        from abacoc.streams import arff

        return arff.without_comment, arff.read_arff
    from abacoc.streams import csvfile

    return str, csvfile.read_csv  # without comments: a line as it is


def _name_and_suffix(source: str) -> tuple[str, str]:
    path = PurePath(source)
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return path.stem, path.suffix.lower()


def _sniffed(lines: LineReader) -> str:
    """The format of a file by its first line that is no comment of ARFF or LIBSVM."""
    first = ""
    while not first and (line := lines.take(1)):
        first = line.texts[0] if line.texts[0].lstrip()[0] not in "%#" else ""
    if first.split(maxsplit=1)[:1] and first.split()[0].lower() in ("@relation", "@attribute"):
        return "arff"
    from abacoc.streams import libsvm

    return "libsvm" if libsvm.looks_like_libsvm(first) else "csv"


def read_pieces(
    path: str | os.PathLike[str],
    *,
    rows: int = 100_000,
    format: str | None = None,
    numeric: Named = (),
    categorical: Named = (),
    trailing_comma: bool = False,
    limits: Limits | None = None,
) -> Pieces:
    """Read a file as `read_file` does, with the same refusals, but `rows` rows at a time.

    Memory holds two pieces, the last one and the next, the categories and labels there are, and
    the lines that are looked at: a block of the file, the first thousand by which a CSV file is
    recognised, the longest. The limit of a matrix is for a piece, not for the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("size,colour,class\\n1.5,red,yes\\n2,blue,no\\n3,red,no\\n")
    ...     pieces = read_pieces(path, rows=2)
    ...     for X, y in pieces:
    ...         print(X.tolist(), y.tolist())
    [[1.5, 0.0, 1.0], [2.0, 1.0, 0.0]] [0, 1]
    [[3.0, 0.0, 1.0]] [1]
    >>> pieces.attributes, pieces.labels, pieces.n_examples
    (('size', 'colour=blue', 'colour=red'), ('yes', 'no'), 3)
    """
    rows = operator.index(rows)
    if rows < 1:
        raise ValueError(f"rows must be at least 1, not {rows}")
    refuse_irregular(path, ": in pieces a file is read twice, and a pipe or a device cannot be")
    before = _state(path)
    form = format, numeric, categorical, trailing_comma
    reading = _begin(lambda: read_blocks(path, limits), os.fspath(path), limits, *form)
    with reading.lines.guarded():
        while reading.next_rows(rows):
            pass
        reading.rows.settle(min(rows, reading.lines.row))
    return Pieces(path, rows, reading, before)


class Pieces:
    """A labelled stream in a file, given out some rows at a time, as often as it is iterated over.

    A piece is `X` and `y` as in a `Stream`, of `rows` rows but for the last. All of them together
    are what `read_file` gives.
    """

    def __init__(
        self, path: str | os.PathLike[str], rows: int, reading: Reading, state: tuple[int, int]
    ) -> None:
        self.name = reading.name
        self.note = reading.note
        self.attributes = reading.rows.attributes
        self.labels = reading.rows.labels
        self.n_examples = reading.lines.row
        self.rows = rows
        self._path, self._reading, self._state = path, reading, state
        self._refuse_change()  # during the first reading

    @property
    def n_attributes(self) -> int:
        """The dimension of an instance, after binarisation."""
        return len(self.attributes)

    @property
    def n_classes(self) -> int:
        """The number of different labels in the stream."""
        return len(self.labels)

    def __iter__(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
        self._refuse_change()
        reading = self._reading._replace(lines=self._reading.lines.again())
        while True:
            try:
                with reading.lines.guarded():
                    chunks = reading.next_rows(self.rows)
                    piece = reading.rows.matrix(chunks) if chunks else None
            except ValueError:
                self._refuse_change()  # the likely cause, and the better word for it
                raise
            self._refuse_change()  # no row of another file is given out
            if piece is None:
                break
            yield piece
        if reading.lines.row != self.n_examples:
            raise self._changed()

    def _refuse_change(self) -> None:
        if _state(self._path) != self._state:
            raise self._changed()

    def _changed(self) -> ValueError:
        return fault(os.fspath(self._path), "has changed since it was first read")


def _state(path: str | os.PathLike[str]) -> tuple[int, int]:
    refuse_irregular(path)  # it may be gone by now
    state = os.stat(path)
    return state.st_size, state.st_mtime_ns
