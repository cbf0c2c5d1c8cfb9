"""Distances. Any callable ``metric(a, b) -> float`` works where no centre moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from typing import Any

Metric = Callable[[Any, Any], float]


def euclidean(a: Sequence[float], b: Sequence[float]) -> float:
    """Euclidean distance, the squares added coordinate by coordinate in order.

    >>> euclidean([0, 0], [3, 4])
    5.0
    """
    total = 0.0
    for p, q in zip(a, b, strict=True):
        difference = float(p) - float(q)
        total += difference * difference
    return math.sqrt(total)


def manhattan(a: Sequence[float], b: Sequence[float]) -> float:
    """Sum of the absolute differences.

    >>> manhattan([0, 0], [3, 4])
    7.0
    """
    return float(sum(abs(float(p) - float(q)) for p, q in zip(a, b, strict=True)))


def chebyshev(a: Sequence[float], b: Sequence[float]) -> float:
    """Largest absolute difference.

    >>> chebyshev([0, 0], [3, 4])
    4.0
    """
    differences = [abs(float(p) - float(q)) for p, q in zip(a, b, strict=True)]
    return math.nan if any(map(math.isnan, differences)) else max(differences)


def circle(a: float, b: float) -> float:
    """Shorter way round a circle of circumference 2 (so of diameter 1) between two positions.

    >>> circle(0.25, 1.75)
    0.5
    """
    apart = abs(float(a) - float(b)) % 2.0
    return min(apart, 2.0 - apart)


def edit_distance(a: str, b: str) -> float:
    """Levenshtein distance: the insertions, deletions and changes that turn ``a`` into ``b``.

    >>> edit_distance("kitten", "sitting")
    3.0
    """
    row = list(range(len(b) + 1))
    for i, p in enumerate(a, start=1):
        diagonal, row[0] = row[0], i
        for j, q in enumerate(b, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (p != q))
    return float(row[-1])


def jaccard(a: Set[Any], b: Set[Any]) -> float:
    """One minus the shared part of two sets; two empty sets are the same point.

    >>> jaccard({1, 2}, {2, 3}) == 1 - 1 / 3
    True
    """
    union = len(a | b)
    return 1.0 - len(a & b) / union if union else 0.0


# The names under which a saved model finds its metric again.
BY_NAME: dict[str, Metric] = {
    metric.__name__: metric
    for metric in (euclidean, manhattan, chebyshev, circle, edit_distance, jaccard)
}
