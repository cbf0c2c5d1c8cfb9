"""Labelled streams: generated ones, files, pipes, frames, arrays, the registered data sets."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from abacoc.streams.stream import Stream, is_generated, label_codes, shuffled

if TYPE_CHECKING:
    from abacoc.scaling import scaled
    from abacoc.streams.generators import generate
    from abacoc.streams.readers import OnePass, Pieces, read_file, read_pieces
    from abacoc.streams.registry import check, fetch, get, load, locate, names

__all__ = [
    "OnePass",
    "Pieces",
    "Stream",
    "as_pieces",
    "as_stream",
    "check",
    "fetch",
    "generate",
    "get",
    "is_generated",
    "label_codes",
    "load",
    "locate",
    "names",
    "open_stream",
    "read_file",
    "read_pieces",
    "scaled",
    "shuffled",
]

# Each is imported when it is first asked for: a generated stream needs no readers and no registry,
# a file neither registry nor generators.
_HOMES = {
    "abacoc.scaling": ("scaled",),
    "abacoc.streams.generators": ("generate",),
    "abacoc.streams.readers": ("OnePass", "Pieces", "read_file", "read_pieces"),
    "abacoc.streams.registry": ("check", "fetch", "get", "load", "locate", "names"),
}


def __getattr__(name: str) -> Any:
    for home, public in _HOMES.items():
        if name in public:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def as_stream(data: Any, y: Any = None, *, name: str = "stream", **form: Any) -> Stream:
    """A stream of whatever has examples in it.

    `data` may be

    - the name of a registered set, a generator, a file (CSV, ARFF, LIBSVM, Parquet), a pipe, or
      ``-`` for the standard input;
    - a frame of pandas or polars, an Arrow table, a dictionary of columns;
    - a matrix of NumPy or of SciPy's sparse ones, or a list of rows;
    - an iterator of examples ``(x, y)``, each ``x`` a vector or a dictionary, or of pieces, each a
      table or a matrix and its labels: `pandas.read_csv(..., chunksize=)` for example.

    The label is the last column unless ``label=`` names another or `y` has the labels. How the
    columns are taken is told as in `Form`: ``drop=``, ``categorical=``, ``missing=``, ``limits=``
    and so on. All of it is held in memory; `as_pieces` holds a piece.

    >>> stream = as_stream({"size": [1.5, 2.0], "colour": ["red", "blue"], "class": ["yes", "no"]})
    >>> stream.attributes, stream.X.tolist(), stream.labels
    (('size', 'colour=blue', 'colour=red'), [[1.5, 0.0, 1.0], [2.0, 1.0, 0.0]], ('yes', 'no'))
    """
    if isinstance(data, str | os.PathLike):
        if y is not None:
            raise ValueError("labels of their own are for data in memory; of a file, give label=")
        return open_stream(data, **form)
    if isinstance(data, Stream):
        if y is not None or form.keys() - {"limits"}:
            raise ValueError("a stream has its columns already: give what it was made of instead")
        return data
    from abacoc.streams.readers import whole

    return whole(_reading(data, y, name, form))


def as_pieces(
    data: Any, *, rows: int = 100_000, name: str = "stream", **form: Any
) -> Pieces | OnePass:
    """A stream of a file, a pipe or an iterator, of which a piece is in memory at a time."""
    from abacoc.streams.readers import OnePass, read_pieces, refuse_no_rows

    if isinstance(data, str | os.PathLike):
        return read_pieces(data, rows=rows, **form)
    refuse_no_rows(rows)
    return OnePass(_reading(data, None, name, form), rows)


def _reading(data: Any, y: Any, name: str, options: dict[str, Any]) -> Any:
    from abacoc.streams.form import Form
    from abacoc.streams.frames import frames_of, read_frames

    form = Form(**options)
    if y is not None and form.label is not None:
        raise ValueError("the labels are given twice: as y and as label=")
    return read_frames(name, name, frames_of(data, y, form.limits), form)


def open_stream(name_or_path: str | os.PathLike[str], **reader_options: Any) -> Stream:
    """A registered data set by its name, else a file by its path (`./sea` for a file named sea).

    `generated:NAME,...` and `adversary:NAME,...` are generated, see `abacoc.streams.generators`.
    The options are those of `read_file`; a registered data set has its own and takes `limits` only.
    """
    text = os.fspath(name_or_path)
    if is_generated(text):
        from abacoc.streams.generators import open_generated

        return open_generated(text, **reader_options)
    # the name of a set has neither folder nor suffix
    if text != "-" and not (os.path.dirname(text) or os.path.splitext(text)[1]):
        from abacoc.streams.registry import open_set

        if (registered := open_set(text, **reader_options)) is not None:
            return registered
    from abacoc.streams.readers import read_file

    return read_file(name_or_path, **reader_options)
