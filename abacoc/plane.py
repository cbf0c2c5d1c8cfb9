"""A picture of a space of any dimension: a plane in it, and the part of that which is shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from abacoc.scaling import Floats

SAMPLE = 2000  # points that the principal components are found in
UNITS = 2000  # of the page, across the picture


class Plane(NamedTuple):
    """What a picture shows of a space: two directions at right angles, each of length 1.

    So a ball becomes a disc of its own radius, and no distance becomes larger. Of a space with one
    direction the other coordinate is 0.

    >>> plane = Plane.of_attributes(3, (2, 0))
    >>> plane.project(np.array([[1.0, 2.0, 3.0]])).tolist()
    [[3.0, 1.0]]
    """

    basis: Floats  # (2, d)
    share: float | None  # of the variance that is along them, where they are principal components

    @classmethod
    def of_attributes(cls, d: int, axes: tuple[int, int]) -> Self:
        """The plane of two attributes."""
        return cls(np.eye(d)[list(axes)], None)

    @classmethod
    def of_components(cls, X: Floats) -> Self:
        """The plane along which the rows differ most; at least two attributes."""
        X = X[spread(len(X), SAMPLE)]
        largest = float(np.abs(X).max()) or 1.0  # no square overflows
        # with a row of zeros more, one row has two directions as well, and the same ones
        rows = np.vstack([(X - X.mean(axis=0)) / largest, np.zeros(X.shape[1])])
        _, lengths, directions = np.linalg.svd(rows, full_matrices=False)
        basis = directions[:2]
        # of the two signs the one that makes the largest coordinate positive
        leading = np.take_along_axis(basis, np.abs(basis).argmax(axis=1)[:, None], axis=1)
        total = float((lengths**2).sum())
        share = float((lengths[:2] ** 2).sum()) / total if total else 1.0
        return cls(basis * np.where(leading < 0.0, -1.0, 1.0), share)

    @classmethod
    def of(cls, X: Floats, axes: tuple[int, int] | None) -> Self:
        """The plane that is asked for, or the one that suits."""
        d = X.shape[1]
        if axes is not None:
            return cls.of_attributes(d, axes)
        if d == 1:
            return cls(np.array([[1.0], [0.0]]), None)
        return cls.of_attributes(d, (0, 1)) if d == 2 else cls.of_components(X)

    def project(self, X: Floats) -> Floats:
        """The rows in the plane."""
        return np.asarray(X @ self.basis.T, dtype=np.float64)


class View(NamedTuple):
    """The part of the plane that is in the picture, and the units of the page.

    >>> view = View.around(np.array([[0.0, 0.0], [10.0, 4.0]]))
    >>> view.height, view.place(np.array([[5.0, 2.0]])).tolist(), view.length(5.0)
    (1000, [[1000, 500]], 893)
    """

    left: float
    bottom: float
    unit: float  # one of the page is so much of the plane
    height: int  # in units of the page; the width is UNITS

    @classmethod
    def around(cls, points: Floats) -> Self:
        """A view of these points, but for a few that are far off."""
        low, high = points.min(axis=0), points.max(axis=0)
        inner_low, inner_high = np.quantile(points, (0.005, 0.995), axis=0)
        far = high - low > 2.0 * (inner_high - inner_low)
        low, high = np.where(far, inner_low, low), np.where(far, inner_high, high)
        middle, spans = (low + high) / 2.0, (high - low) * 1.12
        width = max(float(spans[0]), float(spans[1]))
        if not width / UNITS:  # a point
            width = 1.0
        height = max(float(spans[1]), width / 2.0)
        return cls(
            float(middle[0]) - width / 2.0,
            float(middle[1]) - height / 2.0,
            width / UNITS,
            math.ceil(height / width * UNITS),
        )

    def place(self, points: Floats) -> NDArray[np.int64]:
        """Where points of the plane are on the page; the far ones just far off."""
        places = (points - (self.left, self.bottom)) / self.unit
        return np.asarray(places.clip(-1e6, 1e6).round(), dtype=np.int64)

    def length(self, distance: float) -> int:
        """How long a distance is on the page; 0 for what is none, and an end to what has none."""
        return 0 if math.isnan(distance) else round(min(distance / self.unit, 1e7))


def spread(n: int, most: int) -> NDArray[np.int64]:
    """Positions in a stream of n examples, evenly spread from the first to the last.

    >>> spread(10, 4).tolist(), spread(2, 4).tolist(), spread(5, 1).tolist()
    ([0, 3, 6, 9], [0, 1], [0])
    """
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.int64))
