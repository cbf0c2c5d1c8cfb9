"""A labelled stream in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc.chance import permutation
from abacoc.checks import refuse_non_finite

GENERATED = {"generated", "adversary"}  # what stands before the colon; a generator may add its own


class Described:
    """What has attributes and labels."""

    attributes: tuple[str, ...]
    labels: tuple[str, ...]

    @property
    def n_attributes(self) -> int:
        """The dimension of an instance, after binarisation."""
        return len(self.attributes)

    @property
    def n_classes(self) -> int:
        """The number of different labels so far."""
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class Stream(Described):
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
    columns: dict[str, Any] | None = None  # of the input, for a model file: see `Table.record`

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
        unlabelled = not self.labels and (self.y == -1).all()  # to be predicted
        if not unlabelled and (self.y.min() < 0 or self.y.max() >= len(self.labels)):
            raise ValueError(f"{self.name}: a label code outside 0..{len(self.labels) - 1}")
        refuse_non_finite(self.X, self.name)

    @property
    def n_examples(self) -> int:
        """The length of the stream."""
        return int(self.X.shape[0])


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
    y = stream.y[order]
    seen = dict.fromkeys(y.tolist())
    names = [*seen, *(code for code in range(stream.n_classes) if code not in seen)]
    codes = np.empty(stream.n_classes, dtype=np.int64)
    codes[names] = np.arange(stream.n_classes)
    return replace(
        stream,
        X=np.ascontiguousarray(stream.X[order]),
        y=codes[y],
        labels=tuple(stream.labels[code] for code in names),
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
    bare = [name.partition("=")[0] for name in stream.attributes]
    groups = groupby(range(len(bare)), lambda i: bare[i] if "=" in stream.attributes[i] else i)
    columns = [[*group] for _, group in groups]
    X = np.empty((stream.n_examples, len(columns)))
    for at, column in enumerate(columns):
        part = stream.X[:, column[0] : column[-1] + 1]
        is_binarised = "=" in stream.attributes[column[0]]
        X[:, at] = part.argmax(axis=1) if is_binarised else part[:, 0]
    names = tuple(bare[column[0]] for column in columns)
    note = f"{stream.note}; categories as codes"
    return replace(stream, X=X, attributes=names, note=note, columns=None)
