"""Points and labels for the protocol, of whatever has examples in it.

What a learner can take as it is, such as lists of words for a metric of their own, is left alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc.streams import as_pieces, as_stream
from abacoc.streams.frames import columns_of
from abacoc.streams.stream import Stream


def points_and_labels(data: Any, y: Any, coded: bool) -> tuple[Any, Any]:
    """The points, and one label each; `coded` is for learners that know 0 and 1 alone.

    >>> points_and_labels({"x": [1.0, 2.0], "class": ["a", "b"]}, None, coded=False)
    (array([[1.],
           [2.]]), ['a', 'b'])
    """
    if y is None:
        stream = as_stream(data)
        return stream.X, _labels(stream.labels, stream.y, coded)
    if _is_table(data):
        labels = y if isinstance(y, list | tuple | np.ndarray) else list(y)
        return as_stream(data, y).X, labels
    return data, y


def labelled_pieces(pieces: Any, coded: bool) -> Iterable[tuple[Any, Any]]:
    """Pieces (X, y) of what `as_pieces` takes; those that are such already are left alone."""
    if isinstance(pieces, Stream):
        return [points_and_labels(pieces, None, coded)]
    if isinstance(pieces, str | os.PathLike) or _is_table(pieces):
        return _named_pieces(pieces, coded)
    if hasattr(pieces, "n_attributes"):  # of a file: its labels are codes
        return pieces  # type: ignore[no-any-return]
    items = iter(pieces)
    for first in items:
        rest = chain([first], items)
        return rest if _is_piece(first) else _named_pieces(rest, coded)
    return ()


def _is_table(data: Any) -> bool:
    """Whether it has columns, or is sparse: nothing that a learner can take."""
    return hasattr(data, "toarray") or columns_of(data) is not None


def _is_piece(item: Any) -> bool:
    """Whether it is `(X, y)` with several labels, and `X` is nothing that has to be converted."""
    is_pair = isinstance(item, tuple | list) and len(item) == 2
    return is_pair and np.ndim(item[1]) > 0 and not _is_table(item[0])


def _named_pieces(data: Any, coded: bool) -> Iterator[tuple[Any, Any]]:
    pieces = as_pieces(data)
    for X, y in pieces:
        yield X, _labels(pieces.labels, y, coded)


def _labels(names: tuple[str, ...], codes: NDArray[np.int64], coded: bool) -> list[Any]:
    told: list[Any] = [*map(int, names)] if coded and set(names) <= {"0", "1"} else [*names]
    return [told[code] for code in codes.tolist()]
