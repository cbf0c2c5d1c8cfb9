"""The streams of the benchmark: real ones where the data are there, and uniform points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paper.bench.profiles import UNIFORM, Profile

SEED = 20140815
# The share of labels that are flipped, per number of attributes. It decides how many balls
# AUTO-ADJ opens: at a million examples about 100,000 where d = 5.
NOISE = {2: 0.3, 5: 0.2, 10: 0.1}


@dataclass(frozen=True)
class Data:
    """One stream as the benchmark uses it."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    note: str  # what was left out, or how it was made

    def head(self, n: int) -> Data:
        """The first ``n`` examples."""
        return Data(self.name, self.X[:n], self.y[:n], self.note)


def uniform(d: int, n: int) -> Data:
    """Uniform points in [0, 1]^d; the class is x_1 + ... + x_d > d/2, some labels are flipped.

    A shorter stream is the beginning of a longer one.

    >>> short, long = uniform(2, 5), uniform(2, 9)
    >>> bool((short.X == long.X[:5]).all() and (short.y == long.y[:5]).all())
    True
    """
    X = np.random.default_rng([SEED, d, 0]).random((n, d))
    flipped = np.random.default_rng([SEED, d, 1]).random(n) < NOISE[d]
    y = ((X.sum(axis=1) > d / 2) ^ flipped).astype(np.int64)
    return Data(f"uniform-{d}", X, y, f"{NOISE[d]:.0%} of the labels are flipped")


def open_data(name: str, profile: Profile) -> Data:
    """A stream by its name; ValueError that says how to get it if it is not here."""
    if name in UNIFORM:
        return uniform(UNIFORM[name], profile.sizes[-1])
    from abacoc.streams import load

    stream = load(name)
    n = len(stream.X)
    kept = n if profile.limit is None else min(n, profile.limit)
    note = "the whole set" if kept == n else f"the first of {n:,} examples"
    X = np.ascontiguousarray(stream.X[:kept])
    return Data(name, X, np.asarray(stream.y[:kept], dtype=np.int64), note)
