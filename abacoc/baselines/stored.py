"""The k nearest of stored examples, by looking at each of them: what serves until kernels come."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from abacoc.engine.state import Floats, Ints


class Numbers(NamedTuple):
    """What is in use of the arrays; it is replaced as a whole, after they were written to."""

    stored: int = 0
    seen: int = 0  # classes
    learned: int = 0  # examples, stored or not


class Stored:
    """Examples attribute by attribute, and the numbers of their classes.

    Squares are added in the order of the attributes; ties go to the example stored first, those of
    the vote to the class that was learned first.

    >>> examples = Stored(k=1, condensed=True)
    >>> examples.allocate(1)
    >>> examples.row(np.array([0.0]), 0), examples.row(np.array([0.2]), 0), examples.now
    (-1, 0, Numbers(stored=1, seen=1, learned=2))
    """

    def __init__(self, k: int, condensed: bool) -> None:
        self.k, self.condensed, self.now = k, condensed, Numbers()

    def allocate(self, dimension: int) -> None:
        """Make the arrays."""
        self.columns: Floats = np.empty((dimension, 64))
        self.codes: Ints = np.empty(64, dtype=np.int64)

    def row(self, x: Floats, code: int) -> int:
        """The class predicted, -1 for none; then the example is learned if ``code`` is a class."""
        predicted = self._predict(x)
        if code >= 0:
            n, seen, learned = self.now
            store = not (self.condensed and predicted == code)
            if store:
                if n == len(self.codes):
                    self.columns = np.hstack([self.columns, np.empty_like(self.columns)])
                    self.codes = np.hstack([self.codes, np.empty_like(self.codes)])
                self.columns[:, n] = x
                self.codes[n] = code
            self.now = Numbers(n + store, max(seen, code + 1), learned + 1)
        return predicted

    def _predict(self, x: Floats) -> int:
        n = self.now.stored
        if n == 0:
            return -1
        total = np.zeros(n)
        for column, value in zip(self.columns[:, :n], x, strict=True):
            difference = column - value
            total += difference * difference
        distance = np.sqrt(total)
        near = np.arange(n)
        if n > self.k:
            near = np.flatnonzero(distance <= np.partition(distance, self.k - 1)[self.k - 1])
        near = near[np.argsort(distance[near], kind="stable")[: self.k]]
        return int(np.bincount(self.codes[near]).argmax())

    def examples(self) -> tuple[Floats, Ints]:
        """The examples in order of storage, row by row, and their classes."""
        n = self.now.stored
        return np.ascontiguousarray(self.columns[:, :n].T), self.codes[:n].copy()
