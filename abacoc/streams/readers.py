"""Reading a labelled stream from a file: CSV and its kin, ARFF, LIBSVM, each maybe compressed."""

from __future__ import annotations

import os
from pathlib import PurePath

from abacoc.streams import arff, csvfile, libsvm
from abacoc.streams.source import COMPRESSIONS, Lines, read_bytes, text_lines
from abacoc.streams.stream import Stream
from abacoc.streams.table import Named

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
    if format is not None and format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: it is one of {', '.join(FORMATS)}")
    name, suffix = _name_and_suffix(source)
    chosen = format or _FORMAT_OF.get(suffix)
    lines = None
    if chosen is None:
        lines = text_lines(content, source)
        chosen = _sniffed(lines)
    try:
        if chosen == "libsvm":
            lines = text_lines(content, source, libsvm.without_comment)
            table, how = libsvm.read_libsvm(lines, numeric, categorical)
        elif chosen == "arff":
            lines = text_lines(content, source, arff.without_comment)
            table, how = arff.read_arff(lines, numeric, categorical, trailing_comma)
        else:
            lines = lines or text_lines(content, source)
            table, how = csvfile.read_csv(lines, numeric, categorical, trailing_comma)
    except MemoryError:
        raise ValueError(f"{source}: not enough memory to read it") from None
    return Stream(name, *table, note=f"{PurePath(source).name}: {how}")


def _name_and_suffix(source: str) -> tuple[str, str]:
    path = PurePath(source)
    if path.suffix.lower() in COMPRESSIONS:
        path = path.with_suffix("")
    return path.stem, path.suffix.lower()


def _sniffed(lines: Lines) -> str:
    """The format of a file by its first line that is no comment of ARFF or LIBSVM."""
    first = next((text for text in lines.texts if text.lstrip()[0] not in "%#"), "")
    if first.split(maxsplit=1)[:1] and first.split()[0].lower() in ("@relation", "@attribute"):
        return "arff"
    return "libsvm" if libsvm.looks_like_libsvm(first) else "csv"
