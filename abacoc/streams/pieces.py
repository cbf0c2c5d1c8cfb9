"""Reading a labelled file in pieces, for streams that are larger than memory.

A file is read twice or more. The first reading checks every cell and finds what only the whole
file tells: the kinds of the columns, the categories, the labels, the number of rows. So a bad file
is refused before the first example is given out. Each later reading gives the same pieces.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from abacoc.streams.cells import fault
from abacoc.streams.readers import Reading, begin_reading
from abacoc.streams.source import read_blocks, refuse_irregular
from abacoc.streams.table import Named


def read_pieces(
    path: str | os.PathLike[str],
    *,
    rows: int = 100_000,
    format: str | None = None,
    numeric: Named = (),
    categorical: Named = (),
    trailing_comma: bool = False,
) -> Pieces:
    """Read a file as `read_file` does, with the same refusals, but `rows` rows at a time.

    Memory holds two pieces, the last one and the next, the categories and labels there are, and
    the lines that are looked at: a block of the file, the first thousand by which a CSV file is
    recognised, the longest. The bound on the cells of a matrix is for a piece, not for the file.

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
    source = os.fspath(path)
    reading = begin_reading(
        lambda: read_blocks(path), source, format, numeric, categorical, trailing_comma
    )
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
