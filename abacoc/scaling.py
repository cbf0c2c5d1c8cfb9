"""Ways to scale instances: of a whole stream at once, or as each instance arrives.

`SCALES` are for a whole stream, and those in `AHEAD` look ahead: the first instance is scaled by
what came after it. The `ONLINE` ones scale an instance by what is known when it arrives: by the
`Statistics` of the instances before and of itself. `abacoc.Scaled` is a learner with such a scaler.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from abacoc.checks import check_attributes, largest_to_square, refuse_non_finite

if TYPE_CHECKING:
    from abacoc.streams.stream import Stream

Floats = NDArray[np.float64]

SCALES = ("none", "minmax", "unit", "standard")
AHEAD = ("minmax", "standard")  # look at the whole stream: an online learner could not do it
ONLINE = ("online", "online-minmax")  # the same two without looking ahead


@overload
def scaled(data: Stream, how: str) -> Stream: ...
@overload
def scaled(data: Floats, how: str) -> Floats: ...


def scaled(data: Stream | Floats, how: str) -> Stream | Floats:
    """Scale a stream, or the rows of a matrix, by one of `SCALES` or `ONLINE`.

    ``unit`` divides each instance by its Euclidean norm, as the paper does for BASE and BASE-ADJ;
    a zero instance stays zero. ``minmax`` maps each column to [0, 1], ``standard`` to mean 0 and
    deviation 1, both a constant column to 0. They look at the *whole* stream, so they look ahead:
    an online learner could not do it. ``online-minmax`` and ``online`` do the same for each
    instance by the ones before it and itself. ``none`` hands the data back as they are; the others
    make a new array, always finite.

    >>> scaled(np.array([[3.0, 4.0], [0.0, 0.0]]), "unit")
    array([[0.6, 0.8],
           [0. , 0. ]])
    >>> scaled(np.array([[3.0], [5.0], [4.0]]), "online-minmax").ravel().tolist()
    [0.0, 1.0, 0.5]
    """
    if how not in (*SCALES, *ONLINE):
        known = ", ".join((*SCALES, *ONLINE))
        raise ValueError(f"unknown scaling {how!r}: it is one of {known}")
    if how == "none":
        return data
    if not isinstance(data, np.ndarray):
        note = f"{data.note}; scaled: {how}" if data.note else f"scaled: {how}"
        return replace(data, X=_scale(data.X, how), note=note)
    X = np.ascontiguousarray(data, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"a matrix is expected, not an array of shape {X.shape}")
    refuse_non_finite(X, "X")
    return _scale(X, how)


def _scale(X: Floats, how: str) -> Floats:
    return _online(X, how) if how in ONLINE else fit(X, how).apply(X)


def _online(X: Floats, how: str) -> Floats:
    if not X.size:
        return X.copy()
    row = np.abs(X).max(axis=1).argmax()
    try:
        check_attributes(X[row], None, largest_to_square(X.shape[1]))
    except ValueError as error:
        raise ValueError(f"row {row + 1}: {error}") from None
    return NOTHING.take_rows(np.require(X, None, "W"), np.ones(len(X), dtype=np.bool_), how)[0]


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


class Fixed(NamedTuple):
    """A scaling that does not change any more: for the rows of a stream to come, too.

    >>> scaling = fit(np.array([[1.0], [3.0]]), "minmax")
    >>> scaling.apply(np.array([[2.0], [5.0]])).tolist()
    [[0.5], [2.0]]
    >>> Fixed.restored(scaling.record()) == scaling
    True
    """

    how: str
    columns: dict[str, list[float]]  # what is known of each column

    def apply(self, X: Floats) -> Floats:
        """The rows, scaled."""
        if self.how == "unit":
            return _unit(X)
        known = {name: np.array(values) for name, values in self.columns.items()}
        if self.how == "minmax":
            result: Floats = X * known["factor"]
            result -= known["low"]
        else:
            result = np.ldexp(X, -known["exponent"].astype(np.int64))
            result -= known["mean"]
            result[:, known["constant"] > 0] = 0.0
        result /= known["span"]
        return result

    def record(self) -> dict[str, Any]:
        """It as plain JSON values."""
        return {"how": self.how, **self.columns}

    @classmethod
    def restored(cls, record: dict[str, Any]) -> Self:
        """That of a record; ValueError if it is none."""
        columns = {name: values for name, values in record.items() if name != "how"}
        names = {"unit": set(), "minmax": {"factor", "low", "span"}}
        names["standard"] = {"exponent", "mean", "constant", "span"}
        widths = {len(values) for values in columns.values() if isinstance(values, list)}
        numbers = [value for values in columns.values() for value in values]
        if names.get(record.get("how", "")) != columns.keys() or len(widths) > 1:
            raise ValueError("an unknown scaling")
        if not all(type(value) is float and abs(value) < np.inf for value in numbers):
            raise ValueError("a scaling with what is no finite number")
        if not all(value > 0 for value in columns.get("span", ())):
            raise ValueError("a scaling with a span that is none")
        return cls(record["how"], columns)


def fit(X: Floats, how: str) -> Fixed:
    """The scaling of that name, as the rows of a matrix have it."""
    if how == "unit" or not len(X):
        return Fixed("unit", {})
    columns = _minmax(X) if how == "minmax" else _standard(X)
    return Fixed(how, {name: np.asarray(c, np.float64).tolist() for name, c in columns.items()})


def _minmax(X: Floats) -> dict[str, Any]:
    low, high = X.min(axis=0), X.max(axis=0)
    with np.errstate(over="ignore"):
        too_wide = np.isinf(high - low)
    # A range beyond the largest float is halved first; the others are left to the last bit.
    factor = np.where(too_wide, 0.5, 1.0)
    span = high * factor - low * factor
    span[span == 0.0] = 1.0
    return {"factor": factor, "low": low * factor, "span": span}


def _standard(X: Floats) -> dict[str, Any]:
    # As in `_unit`, by a power of two for each column: no sum or square can overflow.
    _, exponents = np.frexp(np.abs(X).max(axis=0))
    result: Floats = np.ldexp(X, -exponents)
    constant = (X[0] == X).all(axis=0)  # whatever rounding makes of its mean
    mean = result.mean(axis=0)
    result -= mean
    deviation = np.sqrt((result * result).mean(axis=0))
    deviation[constant | (deviation == 0.0)] = 1.0
    return {"exponent": exponents, "mean": mean, "constant": constant, "span": deviation}


class Statistics(NamedTuple):
    """What is known of the columns of the points seen so far; it never changes, others are made.

    The means are Welford's. Of the squares the mean is kept as well and not the sum: the largest
    coordinate that a learner takes can be squared, but four of these squares cannot be added.
    A column is 0 while it is constant, or where its deviation is too small to be squared (1e-162).
    All else is finite: the point itself is among the n, so it is at most sqrt(n - 1) deviations
    from the mean.

    >>> seen = NOTHING.including(np.array([1.0, 7.0])).including(np.array([3.0, 7.0]))
    >>> seen.n, seen.mean.tolist(), seen.variance.tolist()
    (2, [2.0, 7.0], [1.0, 0.0])
    >>> seen.scale(np.array([3.0, 7.0]), "online").tolist()
    [1.0, 0.0]
    >>> seen.scale(np.array([1.5, 7.0]), "online-minmax").tolist()
    [0.25, 0.0]
    """

    n: int
    mean: Floats
    variance: Floats
    low: Floats
    high: Floats

    def including(self, x: Floats) -> Statistics:
        """Those of one point more; each coordinate can be squared."""
        if not self.n:
            return Statistics(1, x.copy(), np.zeros(x.size), x.copy(), x.copy())
        n = self.n + 1
        difference = x - self.mean
        mean = self.mean + difference / n
        return Statistics(
            n,
            mean,
            # never below 0: the mean moves towards x and not beyond, whatever is rounded
            self.variance + (difference * (x - mean) - self.variance) / n,
            np.where(x < self.low, x, self.low),  # of two zeros the first, as the kernel
            np.where(x > self.high, x, self.high),
        )

    def scale(self, x: Floats, how: str) -> Floats:
        """A point that is among those that were seen."""
        if how == "online":
            above, below = x - self.mean, np.sqrt(self.variance)
        else:
            above, below = x - self.low, self.high - self.low
        return np.divide(above, below, out=np.zeros(x.size), where=below > 0.0)

    def take_rows(
        self, X: Floats, learned: NDArray[np.bool_], how: str
    ) -> tuple[Floats, Statistics]:
        """The rows of a matrix, scaled in their order, and the statistics with those learned.

        Each row is scaled with itself among the points seen; where it is not learned, the next row
        knows nothing of it. The bits are those of ``including`` and ``scale``, row by row.
        """
        from abacoc.engine.scaling import scale_rows

        columns = [array.copy() if self.n else np.zeros(X.shape[1]) for array in self[1:]]
        Z = np.empty(X.shape)
        mean, variance, low, high = columns
        n = scale_rows(X, learned, self.n, mean, variance, low, high, how == "online", Z)
        return Z, Statistics(n, *columns) if n else self


NOTHING = Statistics(0, *(np.empty(0) for _ in range(4)))
