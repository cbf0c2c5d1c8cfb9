"""From files and pipes to streams: CSV and its kin, ARFF, LIBSVM, Parquet, each maybe compressed.

A file is read whole, or in pieces for streams that are larger than memory. In pieces it is read
twice or more. The first reading checks every cell and finds what only the whole file tells: the
kinds of the columns, the categories, the labels, the number of rows. So a bad file is refused
before the first example is given out. Each later reading gives the same pieces. A pipe is read
once, so its first piece decides about the columns.
"""

from __future__ import annotations

import importlib
import io
import operator
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePath
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from abacoc.limits import DEFAULT
from abacoc.streams.cells import fault
from abacoc.streams.form import FORMATS, Form
from abacoc.streams.source import (
    COMPRESSIONS,
    STDIN,
    Blocks,
    LineReader,
    comes_once,
    read_blocks,
    read_bytes,
    refuse_irregular,
    unpacked,
)
from abacoc.streams.stream import Described, Stream
from abacoc.streams.table import Chunk, Table

_FORMAT_OF = {f".{name}": name for name in FORMATS}
_FORMAT_OF |= {".tsv": "csv", ".svm": "libsvm", ".pq": "parquet"}
_MODULES = {"csv": "csvfile", "arff": "arff", "libsvm": "libsvm"}
_HEAD = 4  # blocks of a pipe
Piece = tuple[NDArray[np.float64], NDArray[np.int64]]


def whole(table: Table) -> Stream:
    """All of an input, in memory."""
    chunks: list[Chunk] = []
    reader = table.reader
    with reader.guarded():
        while more := table.next_rows(sys.maxsize):
            chunks += more
            table.refuse_too_large(reader.row)
        if not chunks:
            raise fault(table.name, "an empty stream")
        table.settle()
        X, y = table.matrix(chunks)
    table.tell_strangers()
    said = table.labels, table.attributes, table.note, table.record()
    return Stream(table.name, X, y, *said)


def read_file(path: str | os.PathLike[str], **form: Any) -> Stream:
    """Read a file, or with ``-`` the standard input; its last column is the label by default.

    The extension tells the format, and the content where the extension does not (.txt, .data and
    unknown ones). The parameters are those of `Form`. Whatever is wrong raises `ValueError`, on one
    line, with the row and the column; what asks for more than the `limits`, a `LimitError` with the
    one to raise.
    """
    return read_content(read_bytes(path, form.get("limits") or DEFAULT), os.fspath(path), **form)


def read_content(content: bytes, source: str, **form: Any) -> Stream:
    """As `read_file`, of the bytes of a file called `source`.

    >>> content = b"size,colour,class\\n1.5,red,yes\\n2,blue,no\\n"
    >>> stream = read_content(content, "a.csv")
    >>> stream.attributes, stream.labels
    (('size', 'colour=blue', 'colour=red'), ('yes', 'no'))
    >>> stream.X
    array([[1.5, 0. , 1. ],
           [2. , 1. , 0. ]])
    """
    chosen = Form(**form)
    source, name, format = _called(source, chosen)
    if format == "parquet" or (chosen.format is None and content.startswith(b"PAR1")):
        from abacoc.streams.frames import parquet, read_frames

        return whole(read_frames(name, source, parquet(content, source), chosen))

    def blocks() -> Iterator[bytes]:
        return unpacked(io.BytesIO(content), source, chosen.limits)

    return whole(_of_text(source, blocks, chosen))


def _of_text(source: str, blocks: Blocks, form: Form, head: Blocks | None = None) -> Table:
    """Recognise the file called `source`, by its `head` if it cannot be opened twice."""
    _, name, format = _called(source, form)
    format = format or _sniffed(LineReader(head or blocks, source, limits=form.limits))
    module = importlib.import_module(f"abacoc.streams.{_MODULES[format]}")  # and no other format's
    lines = LineReader(blocks, source, module.without_comment, form.limits)
    with lines.guarded():
        table, how = module.read(lines, form)
    table.name, table.note = name, f"{PurePath(source).name}: {how}"
    return cast(Table, table)


def _called(source: str, form: Form) -> tuple[str, str, str | None]:
    """What to call a file and its stream, and its format if the caller or the name tells."""
    source = "standard input" if source == STDIN else source
    path = PurePath(source)
    path = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
    return source, path.stem, form.format or _FORMAT_OF.get(path.suffix.lower())


def _sniffed(lines: LineReader) -> str:
    """The format of a file by its first line that is no comment of ARFF or LIBSVM."""
    first = ""
    while not first and (line := lines.take(1)):
        first = line.texts[0] if line.texts[0].lstrip()[0] not in "%#" else ""
    if first.lstrip().startswith(("{", "[{")):
        reason = "JSON: no format that is read here; pandas.read_json makes a frame, as_stream "
        raise fault(lines.source, reason + "takes it")
    if first.lower().split(maxsplit=1)[:1] in (["@relation"], ["@attribute"]):
        return "arff"
    from abacoc.streams import libsvm

    return "libsvm" if libsvm.looks_like_libsvm(first) else "csv"


def read_pieces(
    path: str | os.PathLike[str], *, rows: int = 100_000, **form: Any
) -> Pieces | OnePass:
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
    refuse_no_rows(rows)
    chosen = Form(**form)
    source, name, format = _called(os.fspath(path), chosen)
    if format == "parquet":
        from abacoc.streams.frames import parquet_pieces, read_frames

        frames = parquet_pieces(os.fspath(path), rows)
        return OnePass(read_frames(name, source, frames, chosen), rows)
    if comes_once(path):
        blocks = read_blocks(path, chosen.limits)
        head = list(islice(blocks, _HEAD))  # by which the format is told, then read again
        again = chain(head, blocks)
        return OnePass(_of_text(source, lambda: again, chosen, lambda: iter(head)), rows)
    before = _state(path)
    table = _of_text(source, lambda: read_blocks(path, chosen.limits), chosen)
    with table.reader.guarded():
        while table.next_rows(rows):
            pass
        table.settle(rows)
    table.tell_strangers()
    return Pieces(path, rows, table, before)


def refuse_no_rows(rows: int) -> None:
    """`ValueError` if a piece of so many rows is none."""
    if operator.index(rows) < 1:
        raise ValueError(f"rows must be at least 1, not {rows}")


class _InPieces(Described):
    """What is known of a stream that is not in memory; `rows` is the length of a piece."""

    n_examples: int | None = None  # nobody knows yet
    _first: Sequence[Chunk] = ()  # rows that have been read before they were asked for

    def __init__(self, table: Table, note: str, rows: int) -> None:
        self.name, self.note, self.rows, self._table = table.name, note, rows, table
        self.attributes = table.attributes

    @property
    def labels(self) -> tuple[str, ...]:  # type: ignore[override]
        return self._table.labels

    @property
    def columns(self) -> dict[str, Any]:
        """The record of the columns, see `Stream`."""
        return self._table.record()

    def _pieces(self, table: Table) -> Iterator[Piece]:
        while True:
            with table.reader.guarded():
                chunks, self._first = self._first or table.next_rows(self.rows), ()
                piece = table.matrix(chunks) if chunks else None
            if piece is None:
                return
            yield piece


class Pieces(_InPieces):
    """A labelled stream in a file, given out some rows at a time, as often as it is iterated over.

    A piece is `X` and `y` as in a `Stream`, of `rows` rows but for the last. All of them together
    are what `read_file` gives.
    """

    def __init__(
        self, path: str | os.PathLike[str], rows: int, table: Table, state: tuple[int, int]
    ) -> None:
        super().__init__(table, table.note, rows)
        self.n_examples = table.reader.row
        self._path, self._state = path, state
        self._refuse_change()  # during the first reading

    def __iter__(self) -> Iterator[Piece]:
        self._refuse_change()
        table = self._table.again()
        try:
            for piece in self._pieces(table):
                self._refuse_change()  # no row of another file is given out
                yield piece
        except ValueError:
            self._refuse_change()  # the likely cause, and the better word for it
            raise
        self._refuse_change(table.reader.row)

    def _refuse_change(self, n_rows: int | None = None) -> None:
        if _state(self._path) != self._state or n_rows not in (None, self.n_examples):
            raise fault(os.fspath(self._path), "has changed since it was first read")


class OnePass(_InPieces):
    """A labelled stream that comes once, a piece at a time: a pipe, or an iterator.

    The first piece decides what the columns are, and its categories are all there will be. Labels
    may come at any time: `labels` are those so far.
    """

    def __init__(self, table: Table, rows: int) -> None:
        table.closes_labels = False
        with table.reader.guarded():
            self._first = table.next_rows(rows)
            if not self._first:
                raise fault(table.name, "an empty stream")
            table.settle()
        super().__init__(table, f"{table.note}, in one pass", rows)
        self._begun = False

    def __iter__(self) -> Iterator[Piece]:
        if self._begun:
            raise fault(self.name, "comes once, and has been read: open it anew")
        self._begun = True
        return self._all()

    def _all(self) -> Iterator[Piece]:
        yield from self._pieces(self._table)
        self._table.tell_strangers()


def _state(path: str | os.PathLike[str]) -> tuple[int, int]:
    refuse_irregular(path)  # it may be gone by now
    state = os.stat(path)
    return state.st_size, state.st_mtime_ns
