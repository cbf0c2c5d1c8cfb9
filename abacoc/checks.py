"""What every learner refuses: points that are no vectors of finite numbers, and missing labels."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc.wording import number

LARGEST = float(np.finfo(np.float64).max)


def as_vector(x: Any, why: str) -> NDArray[np.float64]:
    """A copy of ``x`` as a vector; otherwise ValueError, with ``why`` a vector is needed."""
    try:
        is_plain = type(x) is np.ndarray and x.dtype == np.float64  # mostly: the rest takes time
        if not is_plain and (np.iscomplexobj(x) or np.ma.is_masked(x)):
            raise TypeError
        vector = np.array(x, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        vector = np.empty(0)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{why}: it needs a vector, not {x!r}")
    return vector


def check_attributes(vector: NDArray[np.float64], dimension: int | None, limit: float) -> None:
    """ValueError unless there are ``dimension`` attributes, none of them beyond ``limit``.

    >>> check_attributes(np.array([1.0, np.nan]), 2, LARGEST)
    Traceback (most recent call last):
    ValueError: column 2 is nan, not a finite number
    """
    if dimension is not None and vector.size != dimension:
        raise ValueError(f"{number(vector.size, 'attributes')} where {dimension} were learned")
    if not (np.abs(vector) <= limit).all():  # not true of NaN either
        column = int(np.flatnonzero(~(np.abs(vector) <= limit))[0])
        value = float(vector[column])
        why = "too large to be squared" if math.isfinite(value) else "not a finite number"
        raise ValueError(f"column {column + 1} is {value}, {why}")


def largest_to_square(n_attributes: int) -> float:
    """No squared distance between points below this can overflow, with a margin of 4."""
    return math.sqrt(LARGEST / n_attributes) / 4


def check_label(y: Hashable) -> Hashable:
    """The label; ValueError if it cannot be one."""
    try:
        hash(y)
    except TypeError:
        raise ValueError(f"a label must be hashable, not {y!r}") from None
    if y is None or y != y:  # the second is true of NaN only
        raise ValueError(f"the label is missing: {y!r}")
    return y


def refuse_non_finite(X: NDArray[np.float64], name: str) -> None:
    """Raise `ValueError` naming the first NaN or infinity of `X`, if there is one."""
    finite = np.isfinite(X)
    if not finite.all():
        row, column = (int(i) + 1 for i in np.argwhere(~finite)[0])
        raise ValueError(f"{name}: row {row}, column {column}: {X[row - 1, column - 1]}")
