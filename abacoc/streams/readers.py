"""Reading a labelled stream from a file: CSV and its kin, ARFF, LIBSVM, each maybe compressed."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from abacoc.streams import arff, csvfile, libsvm
from abacoc.streams.source import COMPRESSIONS, Blocks, LineReader, read_bytes, unpacked
from abacoc.streams.stream import Stream
from abacoc.streams.table import Chunk, Named, Rows

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
) -> Stream:
    """Read a file whose last column is the label (in LIBSVM, the first).

    The extension tells the format, and the content where the extension does not (.txt, .data and
    unknown ones). `numeric` and `categorical` force the kind of columns, given by name or by
    number from 1; `trailing_comma` accepts one stray comma at the end of a row. Whatever is wrong
    raises `ValueError`, on one line, with the row and the column.

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
        read_bytes(path), os.fspath(path), format, numeric, categorical, trailing_comma
    )


def read_content(
    content: bytes,
    source: str,
    format: str | None = None,
    numeric: Named = (),
    categorical: Named = (),
    trailing_comma: bool = False,
) -> Stream:
    """As `read_file`, of the bytes of a file called `source`."""

    def blocks() -> Iterator[bytes]:
        return unpacked(io.BytesIO(content), source)

    reading = begin_reading(blocks, source, format, numeric, categorical, trailing_comma)
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
        while count and (lines := self.lines.take(min(count, self.rows.chunk))):
            chunks.append(self.rows.take(lines))
            count -= len(lines)
        return chunks


def begin_reading(
    blocks: Blocks,
    source: str,
    format: str | None,
    numeric: Named,
    categorical: Named,
    trailing_comma: bool,
) -> Reading:
    """Recognise the file called `source`; the other parameters are those of `read_file`."""
    if format is not None and format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: it is one of {', '.join(FORMATS)}")
    name, suffix = _name_and_suffix(source)
    chosen = format or _FORMAT_OF.get(suffix) or _sniffed(LineReader(blocks, source))
    comments = {"libsvm": libsvm.without_comment, "arff": arff.without_comment}
    lines = LineReader(blocks, source, comments.get(chosen, lambda line: line))
    with lines.guarded():
        rows: Rows
        if chosen == "libsvm":
            rows, how = libsvm.read_libsvm(lines, numeric, categorical)
        elif chosen == "arff":
            rows, how = arff.read_arff(lines, numeric, categorical, trailing_comma)
        else:
            rows, how = csvfile.read_csv(lines, numeric, categorical, trailing_comma)
    return Reading(name, f"{PurePath(source).name}: {how}", lines, rows)


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
    return "libsvm" if libsvm.looks_like_libsvm(first) else "csv"
