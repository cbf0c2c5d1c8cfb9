"""Nearest-ball search: by the distance as a float64 number, ties to the ball stored first."""

from __future__ import annotations

import math
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from abacoc.metrics import Metric, euclidean

FloatArray = NDArray[np.float64]
Scan = TypeVar("Scan")


class Search(Protocol):
    """What a cover needs of a search structure; ``i`` is the position in order of storage."""

    def nearest(self, x: Any) -> tuple[int, float]:
        """Position of the nearest centre and its distance; there must be a centre."""
        ...

    def distance(self, a: Any, b: Any) -> float:
        """Distance of two points."""
        ...

    def add(self, centre: Any) -> None:
        """Store a centre after all others."""
        ...

    def move(self, i: int, centre: Any) -> None:
        """Put centre ``i`` elsewhere."""
        ...

    def remove(self, i: int) -> None:
        """Forget centre ``i``; the others keep their order."""
        ...

    def clear(self) -> None:
        """Forget all centres."""
        ...

    def draft(self) -> Self:
        """A search that can change without a change to this one."""
        ...


class EuclideanScan:
    """All centres, one coordinate after the other.

    The squares are added in the order of the coordinates, each sum in float64, so that a plain
    double loop gives the same bits. The centres are stored coordinate by coordinate, which
    makes each addition one pass over contiguous memory.

    A draft shares the columns. It adds beyond those that are in use, removes into other memory, and
    notes a move, which is carried out by the next search: by then it is not a draft any more.

    >>> scan = EuclideanScan()
    >>> for centre in [0.0, 0.0], [3.0, 4.0], [6.0, 8.0]:
    ...     scan.add(np.array(centre))
    >>> scan.nearest(np.array([4.5, 6.0]))
    (1, 2.5)
    """

    def __init__(self) -> None:
        self._columns: FloatArray = np.empty((0, 0))
        self._buffers: FloatArray = np.empty((2, 0))
        self._n = 0
        self._moved: tuple[int, FloatArray] | None = None

    def draft(self) -> Self:
        """A search that can change without a change to this one."""
        self._carry_out_move()
        return _copied(self)

    def _carry_out_move(self) -> None:
        if self._moved is not None:
            i, centre = self._moved
            self._columns[:, i] = centre
            self._moved = None

    def distance(self, a: FloatArray, b: FloatArray) -> float:
        """Distance of two points."""
        return euclidean(a.tolist(), b.tolist())

    def nearest(self, x: FloatArray) -> tuple[int, float]:
        """Position of the nearest centre and its distance."""
        self._carry_out_move()
        n = self._n
        difference, total = self._buffers[0, :n], self._buffers[1, :n]
        total[:] = 0.0
        for column, value in zip(self._columns[:, :n], x, strict=True):
            np.subtract(column, value, out=difference)
            np.multiply(difference, difference, out=difference)
            np.add(total, difference, out=total)
        np.sqrt(total, out=total)  # before the comparison: two squares can share a root
        i = int(total.argmin())
        return i, float(total[i])

    def add(self, centre: FloatArray) -> None:
        """Store a centre after all others."""
        if self._n == self._columns.shape[1]:
            grown = np.empty((len(centre), max(16, 2 * self._n)))
            grown[:, : self._n] = self._columns[:, : self._n] if self._n else 0.0
            self._columns, self._buffers = grown, np.empty((2, grown.shape[1]))
        self._columns[:, self._n] = centre
        self._n += 1

    def move(self, i: int, centre: FloatArray) -> None:
        """Put centre ``i`` elsewhere."""
        self._carry_out_move()
        self._moved = i, centre

    def remove(self, i: int) -> None:
        """Forget centre ``i``; the others keep their order."""
        self._carry_out_move()
        columns = np.empty_like(self._columns)
        columns[:, :i] = self._columns[:, :i]
        columns[:, i : self._n - 1] = self._columns[:, i + 1 : self._n]
        self._columns = columns
        self._n -= 1

    def clear(self) -> None:
        """Forget all centres."""
        self._columns, self._buffers = np.empty((0, 0)), np.empty((2, 0))
        self._n, self._moved = 0, None


class MetricScan:
    """All centres in turn, under any metric.

    >>> from abacoc.metrics import edit_distance
    >>> scan = MetricScan(edit_distance)
    >>> scan.add("cover"), scan.add("ball")
    (None, None)
    >>> scan.nearest("bell")
    (1, 1.0)
    """

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._centres: list[Any] = []

    def draft(self) -> Self:
        """A search that can change without a change to this one."""
        draft = _copied(self)
        draft._centres = self._centres.copy()
        return draft

    def distance(self, a: Any, b: Any) -> float:
        """Distance of two points; ValueError if the metric cannot tell it."""
        try:
            return float(self._metric(a, b))
        except MemoryError:
            raise  # no fault of the points
        except Exception as error:  # whatever a metric of one's own may raise
            raise ValueError(f"the metric cannot take {a!r} and {b!r}: {error}") from None

    def nearest(self, x: Any) -> tuple[int, float]:
        """Position of the nearest centre and its distance."""
        nearest, best = -1, math.inf
        for i, centre in enumerate(self._centres):
            distance = self.distance(centre, x)
            if not 0.0 <= distance < math.inf:
                raise ValueError(f"the metric gave {distance} for {centre!r} and {x!r}")
            if distance < best:
                nearest, best = i, distance
        return nearest, best

    def add(self, centre: Any) -> None:
        """Store a centre after all others."""
        self._centres.append(centre)

    def move(self, i: int, centre: Any) -> None:
        """Put centre ``i`` elsewhere."""
        self._centres[i] = centre

    def remove(self, i: int) -> None:
        """Forget centre ``i``; the others keep their order."""
        del self._centres[i]

    def clear(self) -> None:
        """Forget all centres."""
        self._centres.clear()


def _copied(scan: Scan) -> Scan:
    """What copy.copy gives, in a seventh of its time: a draft is made at every update."""
    copied = object.__new__(type(scan))
    copied.__dict__.update(scan.__dict__)
    return copied
