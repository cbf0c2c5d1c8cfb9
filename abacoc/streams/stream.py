"""A labelled stream in memory, and the ways to scale its instances."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from abacoc.protocol import permutation

SCALES = ("none", "minmax", "unit", "standard")
AHEAD = ("minmax", "standard")  # look at the whole stream: an online learner could not do it
GENERATED = {"generated", "adversary"}  # what stands before the colon; a generator may add its own


@dataclass(frozen=True, eq=False)
class Stream:
    """Examples in the order of the stream: one row of `X` and one label code of `y` each.

    >>> stream = Stream("tiny", np.eye(2), np.array([0, 1]), ("yes", "no"), ("a", "b"))
    >>> stream.n_examples, stream.n_attributes, stream.n_classes
    (2, 2, 2)
    """

    name: str
    X: NDArray[np.float64]  # (n_examples, n_attributes), C-contiguous, finite
    y: NDArray[np.int64]  # label codes 0..K-1, numbered by first appearance in the stream
    labels: tuple[str, ...]  # the label texts as in the input, by code
    attributes: tuple[str, ...]  # column names after binarisation
    note: str = ""  # provenance in a line
    columns: dict[str, Any] | None = None  # of the input, for a model file: see `table.matched`

    def __post_init__(self) -> None:
        """Refuse what a learner could not take, here rather than in the middle of a run."""
        if self.X.ndim != 2 or self.X.dtype != np.float64 or not self.X.flags.c_contiguous:
            raise ValueError(f"{self.name}: X must be a C-contiguous matrix of float64")
        if self.y.shape != self.X.shape[:1] or self.y.dtype != np.int64:
            raise ValueError(f"{self.name}: y must hold one int64 label code per row of X")
        if len(self.attributes) != self.X.shape[1]:
            raise ValueError(f"{self.name}: {len(self.attributes)} names for {self.X.shape[1]}")
        if not self.X.size:
            raise ValueError(f"{self.name}: an empty stream")
        if self.y.min() < 0 or self.y.max() >= len(self.labels):
            raise ValueError(f"{self.name}: a label code outside 0..{len(self.labels) - 1}")
        refuse_non_finite(self.X, self.name)

    @property
    def n_examples(self) -> int:
        """The length of the stream."""
        return int(self.X.shape[0])

    @property
    def n_attributes(self) -> int:
        """The dimension of an instance, after binarisation."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """The number of different labels in the stream."""
        return len(self.labels)


def is_generated(text: str) -> bool:
    """Whether this names a generated stream rather than a data set or a file.

    >>> is_generated("generated:sea,n=100"), is_generated("sea")
    (True, False)
    """
    kind, colon, _ = text.partition(":")
    return bool(colon) and kind in GENERATED


def shuffled(stream: Stream, seed: int) -> Stream:
    """The stream in another order, its labels numbered as they come there.

    >>> stream = Stream("s", np.arange(5.0)[:, None], np.array([0, 1, 0, 1, 0]), ("a", "b"), ("x",))
    >>> found = shuffled(stream, seed=0)
    >>> found.X.ravel().tolist(), found.y.tolist(), found.labels
    ([3.0, 0.0, 2.0, 1.0, 4.0], [0, 1, 1, 0, 1], ('b', 'a'))
    """
    order = permutation(stream.n_examples, seed)
    seen, first, codes = np.unique(stream.y[order], return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))  # of each class by its first appearance
    absent = [k for k in range(stream.n_classes) if k not in set(seen.tolist())]
    names = [*seen[np.argsort(first)].tolist(), *absent]
    return replace(
        stream,
        X=np.ascontiguousarray(stream.X[order]),
        y=rank[codes].astype(np.int64),
        labels=tuple(stream.labels[k] for k in names),
        note=f"{stream.note}; shuffled with seed {seed}",
    )


def label_codes(texts: Iterable[str]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Number the labels by first appearance.

    >>> label_codes(["b", "a", "b"])
    (array([0, 1, 0]), ('b', 'a'))
    """
    code_of: dict[str, int] = {}
    codes = [code_of.setdefault(text, len(code_of)) for text in texts]
    return np.array(codes, dtype=np.int64), tuple(code_of)


def refuse_non_finite(X: NDArray[np.float64], name: str) -> None:
    """Raise `ValueError` naming the first NaN or infinity of `X`, if there is one."""
    finite = np.isfinite(X)
    if not finite.all():
        row, column = (int(i) + 1 for i in np.argwhere(~finite)[0])
        raise ValueError(f"{name}: row {row}, column {column}: {X[row - 1, column - 1]}")


@overload
def scaled(data: Stream, how: str) -> Stream: ...
@overload
def scaled(data: NDArray[np.float64], how: str) -> NDArray[np.float64]: ...


def scaled(data: Stream | NDArray[np.float64], how: str) -> Stream | NDArray[np.float64]:
    """Scale a stream, or the rows of a matrix, by one of `SCALES`.

    ``unit`` divides each instance by its Euclidean norm, as the paper does for BASE and BASE-ADJ;
    a zero instance stays zero. ``minmax`` maps each column to [0, 1], ``standard`` to mean 0 and
    deviation 1, both a constant column to 0. They look at the *whole* stream, so they look ahead:
    an online learner could not do it. ``none`` hands the data back as they are; the others make a
    new array, always finite.

    >>> scaled(np.array([[3.0, 4.0], [0.0, 0.0]]), "unit")
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if how not in SCALES:
        raise ValueError(f"unknown scaling {how!r}: it is one of {', '.join(SCALES)}")
    if how == "none":
        return data
    scale = {"unit": _unit, "minmax": _minmax, "standard": _standard}[how]
    if isinstance(data, Stream):
        note = f"{data.note}; scaled: {how}" if data.note else f"scaled: {how}"
        return replace(data, X=scale(data.X), note=note)
    X = np.ascontiguousarray(data, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"a matrix is expected, not an array of shape {X.shape}")
    refuse_non_finite(X, "X")
    return scale(X)


def _unit(X: NDArray[np.float64]) -> NDArray[np.float64]:
    # Bring the largest coordinate of each row into [1/2, 1) by a power of two. That is exact, so
    # ordinary data give the very bits of x / ||x||, and no square can overflow or vanish wholly.
    largest = np.abs(X).max(axis=1, initial=0.0)
    _, exponents = np.frexp(largest)
    result: NDArray[np.float64] = np.ldexp(X, -exponents[:, np.newaxis])
    # Coordinate by coordinate, in order: the same bits on every machine, whatever its vectors.
    squares = np.zeros(len(X))
    for column in result.T:
        squares += column * column
    norms = np.sqrt(squares)
    norms[norms == 0.0] = 1.0
    result /= norms[:, np.newaxis]
    return result


def _minmax(X: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(X):
        return X.copy()
    low, high = X.min(axis=0), X.max(axis=0)
    with np.errstate(over="ignore"):
        too_wide = np.isinf(high - low)
    # A range beyond the largest float is halved first; the others are left to the last bit.
    factor = np.where(too_wide, 0.5, 1.0)
    span = high * factor - low * factor
    span[span == 0.0] = 1.0
    result: NDArray[np.float64] = X * factor
    result -= low * factor
    result /= span
    return result


def _standard(X: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(X):
        return X.copy()
    # As in `_unit`, by a power of two for each column: no sum or square can overflow.
    _, exponents = np.frexp(np.abs(X).max(axis=0))
    result: NDArray[np.float64] = np.ldexp(X, -exponents)
    constant = (X[0] == X).all(axis=0)  # whatever rounding makes of its mean
    result -= result.mean(axis=0)
    deviation = np.sqrt((result * result).mean(axis=0))
    result[:, constant] = 0.0
    deviation[constant | (deviation == 0.0)] = 1.0
    result /= deviation
    return result


def with_codes(stream: Stream) -> Stream:
    """A stream with each binarised attribute folded back into one column of codes 0, 1, 2, ...

    The codes number the categories in the order of their columns: as an ARFF file declares them,
    else sorted. They are names, not quantities, and a distance that subtracts them depends on that
    order; for the paper's dimensions that seem to count such columns, see `kddcup99-41`.

    >>> X = np.array([[1.5, 0.0, 1.0], [2.0, 1.0, 0.0]])
    >>> names = ("size", "colour=blue", "colour=red")
    >>> folded = with_codes(Stream("s", X, np.array([0, 1]), ("yes", "no"), names))
    >>> folded.attributes, folded.X.tolist()
    (('size', 'colour'), [[1.5, 1.0], [2.0, 0.0]])
    """
    # a binarised column is called attribute=category; those of an attribute stand side by side
    groups = [
        [i for i, _ in group]
        for _, group in groupby(
            enumerate(stream.attributes),
            lambda item: _attribute(item[1]) if "=" in item[1] else item[0],
        )
    ]
    X = np.empty((stream.n_examples, len(groups)))
    for column, group in zip(X.T, groups, strict=True):
        part = stream.X[:, group[0] : group[-1] + 1]
        is_binarised = "=" in stream.attributes[group[0]]
        column[:] = part.argmax(axis=1) if is_binarised else part[:, 0]
    names = tuple(_attribute(stream.attributes[group[0]]) for group in groups)
    note = f"{stream.note}; categories as codes"
    return replace(stream, X=X, attributes=names, note=note, columns=None)


def _attribute(name: str) -> str:
    return name.partition("=")[0]
