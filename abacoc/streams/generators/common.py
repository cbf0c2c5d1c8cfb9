"""What the generators share: chance, a sine, label noise.

The same seed is to give the same bits on every machine. So chance is `Generator.random` alone, and
numbers are made by +, -, *, / and square roots, one operation at a time, sums in order: those are
rounded in one way only. The sine and cosine of NumPy differ between processors, a sum over an axis
or a matrix product between libraries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Made:
    """What a generator made: instances, class numbers, the label text of each class."""

    X: FloatArray
    classes: IntArray
    labels: tuple[str, ...]
    what: str  # in a few words, for the note of the stream


def chance(name: str, role: int, seed: int) -> np.random.Generator:
    """A source of chance of its own for each role in each generator.

    A stream draws the rows of each role in order, so that a short one begins a longer one.

    >>> bool(chance("sea", 0, 7).random() == chance("sea", 1, 7).random())
    False
    """
    return np.random.default_rng([*name.encode(), role, seed])


def require(condition: bool, message: str) -> None:
    """Refuse a parameter."""
    if not condition:
        raise ValueError(message)


def flip(classes: IntArray, n_classes: int, noise: float, rng: np.random.Generator) -> IntArray:
    """Replace a share `noise` of the classes by another class each, all others alike likely.

    >>> flip(np.zeros(8, dtype=np.int64), 3, 0.5, np.random.default_rng(0)).tolist()
    [0, 2, 1, 1, 0, 0, 0, 0]
    """
    require(0 <= noise <= 1, f"noise is a share from 0 to 1, not {noise:g}")
    u = rng.random(len(classes))
    flipped = u < noise
    # Given u < noise, u / noise is uniform again. A product just below n_classes - 1 may round up.
    step = (u[flipped] / noise * (n_classes - 1)).astype(np.int64)
    result = classes.copy()
    result[flipped] += 1 + np.minimum(step, n_classes - 2)
    return result % n_classes


# sin z = z (1 - z^2/3! + z^4/5! - ...); up to pi / 2 the next term is below 2^-59.
_SINE = [(-1) ** k / math.factorial(2 * k + 1) for k in range(11, -1, -1)]


def sine(turns: FloatArray) -> FloatArray:
    """The sine of angles in full turns, with the same bits everywhere.

    >>> sine(np.array([0.0, 0.25, 0.5, 1 / 12, 0.875])).round(15).tolist()
    [0.0, 1.0, 0.0, 0.5, -0.707106781186548]
    """
    x = turns - np.rint(turns)
    x = np.where(np.abs(x) > 0.25, np.copysign(0.5, x) - x, x)
    z = x * (2 * math.pi)
    square = z * z
    series = np.zeros_like(z)
    for coefficient in _SINE:
        series = series * square + coefficient
    result: FloatArray = z * series
    return result


def cosine(turns: FloatArray) -> FloatArray:
    """The cosine of angles in full turns.

    >>> cosine(np.array([0.0, 0.25, 0.5])).tolist()
    [1.0, 0.0, -1.0]
    """
    return sine(turns + 0.25)


def bell(rng: np.random.Generator, n: int, columns: int) -> FloatArray:
    """Numbers of mean 0 and variance 1 in a bounded bell: the sum of four uniform ones.

    >>> bool(np.abs(bell(np.random.default_rng(0), 1000, 2)).max() < 2 * 3**0.5)
    True
    """
    u = rng.random((n, columns, 4))
    total = u[..., 0] + u[..., 1] + u[..., 2] + u[..., 3]
    result: FloatArray = (total - 2.0) * math.sqrt(3.0)
    return result
