"""The other way to make numbers of categories: a code in one column."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

import numpy as np

from abacoc.streams.stream import Stream


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
    return replace(stream, X=X, attributes=names, note=f"{stream.note}; categories as codes")


def _attribute(name: str) -> str:
    return name.partition("=")[0]
