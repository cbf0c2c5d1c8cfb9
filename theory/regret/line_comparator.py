"""The best L-Lipschitz comparator on the line, for millions of points.

On the line only neighbours bind: |f(x_{k+1}) - f(x_k)| <= L (x_{k+1} - x_k). The least loss
F_k(z) of the first k points with f(x_k) = z is convex and piecewise linear in z on [0, 1]. Going on
to the next point moves the breakpoints left of its minimum left by the gap and the others right,
and the walls at 0 and 1 stop them; the next label then adds a linear function, so breakpoints cross
the minimum. Two heaps with a common offset do this in O(T log T) (the "slope trick").

All of it is done in integers. Positions are L x rounded down to multiples of 2^-53, with L x exact,
so that the distance of any two points is off by less than 2^-53, however many lie between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

ONE = 2**53  # the value 1 in units of 2^-53


class CertificateError(ValueError):
    """The certificate does not prove what it claims."""


def require(holds: bool, otherwise: str) -> None:
    """Refuse a certificate unless the condition holds."""
    if not holds:
        raise CertificateError(otherwise)


def labelled(y: npt.ArrayLike, weights: Any, L: float) -> tuple[IntArray, IntArray]:
    """How often each point came with label 1 and with label 0.

    >>> labelled([1, 0], [7, 9], L=1)
    (array([7, 0]), array([0, 9]))
    """
    label = np.asarray(y)
    count = np.ones(label.shape, dtype=np.int64) if weights is None else counts(weights)
    if label.ndim != 1 or count.shape != label.shape or not np.isin(label, (0, 1)).all():
        raise ValueError("labels must be 0 or 1, with one weight each")
    if not L >= 0:
        raise ValueError("L must be a number from 0 to infinity")
    return np.where(label == 1, count, 0), np.where(label == 1, 0, count)


def counts(weights: npt.ArrayLike) -> IntArray:
    """Multiplicities as integers, few enough that sums of them do not overflow.

    >>> counts([3.0, 0.0])
    array([3, 0])
    """
    given = np.asarray(weights)
    whole = given.astype(np.int64)
    if np.any(whole != given) or np.any(whole < 0) or math.fsum(whole) >= ONE:
        raise ValueError("weights are multiplicities: whole numbers, none negative, in all < 2^53")
    return whole


@dataclass(frozen=True, eq=False)
class LineComparator:
    """An optimal f at all points and a flow along the line that proves it optimal."""

    loss: float
    f: FloatArray
    flow: IntArray  # from each point to the next, in the order of x (stable)
    primal_value: float
    dual_value: float
    gap: float
    L: float
    x: FloatArray
    ones: IntArray
    zeros: IntArray

    def verify(self) -> float:
        """Check f and bound the loss from below by the flow, in integers; return the gap."""
        order = np.argsort(self.x, kind="stable")
        gaps = _gaps(self.x[order], self.L)
        scaled = self.f[order] * ONE
        inside = (scaled >= 0) & (scaled <= ONE) & (scaled == np.floor(scaled))
        require(bool(np.all(inside)), "f leaves [0, 1] or its grid")
        f = scaled.astype(np.int64)
        # Neighbours suffice: the gaps add up exactly (one of 1 or more frees both sides anyway).
        require(bool(np.all(np.abs(np.diff(f)) <= np.array(gaps))), "f is not L-Lipschitz")
        primal, dual = _values(f, self.flow, gaps, self.ones[order], self.zeros[order])
        claims = (self.primal_value, self.dual_value, self.gap, self.loss)
        found = (primal / ONE, dual / ONE, (primal - dual) / ONE, primal / ONE)
        require(claims == found, "the values are not those of f and the flow")
        require(primal == dual, f"there is a gap of {self.gap}")
        return self.gap


def best_lipschitz_line(
    x: npt.ArrayLike, y: npt.ArrayLike, L: float, weights: npt.ArrayLike | None = None
) -> LineComparator:
    """The L-Lipschitz f: R -> [0, 1] of least loss; ``weights`` are multiplicities.

    >>> best_lipschitz_line([0.0, 0.25, 0.5], [0, 1, 0], L=2).loss
    0.5
    """
    ones, zeros = labelled(y, weights, L)
    return _solve(x, ones, zeros, L)


def best_lipschitz_line_sites(
    x: npt.ArrayLike, ones: npt.ArrayLike, zeros: npt.ArrayLike, L: float
) -> LineComparator:
    """The same where the point x[s] came with ``ones[s]`` and ``zeros[s]``.

    >>> best_lipschitz_line_sites([0.0, 0.5], [900, 10], [0, 500], L=1).loss
    255.0
    """
    some, others = counts(ones), counts(zeros)
    labelled(np.zeros(len(some)), others, L)  # only to check them
    return _solve(x, some, others, L)


def _solve(x: npt.ArrayLike, ones: IntArray, zeros: IntArray, L: float) -> LineComparator:
    place = np.asarray(x, dtype=np.float64)
    if place.shape != ones.shape or not np.all(np.isfinite(place)):
        raise ValueError("x must be finite numbers, one for each label")
    order = np.argsort(place, kind="stable")
    ones, zeros = ones[order], zeros[order]
    gaps, slopes = _gaps(place[order], L), (zeros - ones).tolist()
    values = _backtrack(*_minima(gaps, slopes), gaps)
    flow = np.array(_flow(values, gaps, slopes), dtype=np.int64)
    f = np.array(values, dtype=np.int64)
    primal, dual = _values(f, flow, gaps, ones, zeros)
    back = np.argsort(order, kind="stable")
    certificate = LineComparator(
        loss=primal / ONE,
        f=f[back] / ONE,
        flow=flow,
        primal_value=primal / ONE,
        dual_value=dual / ONE,
        gap=(primal - dual) / ONE,
        L=L,
        x=place,
        ones=ones[back],
        zeros=zeros[back],
    )
    if primal != dual:
        raise AssertionError("integers have no rounding: the gap must be 0")
    return certificate


def _gaps(x: FloatArray, L: float) -> list[int]:
    """Steps that f may take between neighbours, in units of 2^-53; 1 is as good as more."""
    if math.isinf(L):
        return [ONE if step else 0 for step in np.diff(x) > 0]
    over, under = float(L).as_integer_ratio()
    over *= ONE
    place = [a * over // (b * under) for a, b in map(float.as_integer_ratio, x.tolist())]
    return [min(ONE, q - p) for p, q in pairwise(place)]


def _minima(gaps: list[int], slopes: list[int]) -> tuple[list[int], list[int]]:
    """Where each F_k is least: from ``low[k]`` to ``high[k]``.

    Breakpoints wait in two heaps, (minus position, change of slope) on the left and (position,
    change of slope) on the right, all as they were before the two sides moved by ``offset``.
    An empty heap stands for its wall, where the slope changes by as much as one likes.
    """
    left: list[tuple[int, int]] = []
    right: list[tuple[int, int]] = []
    low, high, offset = [], [], 0
    for gap, slope in zip([0, *gaps], slopes, strict=False):
        offset += gap
        while slope > 0:  # ever more breakpoints see F rise: they go over to the right
            if not left or -left[0][0] <= offset:
                heappush(right, (-offset, slope))
                left.clear()
                break
            place, change = heappop(left)
            crossing = min(change, slope)
            heappush(right, (-place - 2 * offset, crossing))
            if change > crossing:
                heappush(left, (place, change - crossing))
            slope -= crossing
        while slope < 0:
            if not right or right[0][0] + offset >= ONE:
                heappush(left, (-ONE - offset, -slope))
                right.clear()
                break
            place, change = heappop(right)
            crossing = min(change, -slope)
            heappush(left, (-place - 2 * offset, crossing))
            if change > crossing:
                heappush(right, (place, change - crossing))
            slope += crossing
        low.append(max(0, -left[0][0] - offset) if left else 0)
        high.append(min(ONE, right[0][0] + offset) if right else ONE)
    return low, high


def _backtrack(low: list[int], high: list[int], gaps: list[int]) -> list[int]:
    """An optimal f, from the last point back: as near to each minimum as the gap allows."""
    values = low[-1:]
    for k in range(len(gaps) - 1, -1, -1):
        ahead, step = values[-1], gaps[k]
        best = min(max(ahead, low[k]), high[k])
        values.append(min(max(best, ahead - step), ahead + step))
    return values[::-1]


def _flow(values: list[int], gaps: list[int], slopes: list[int]) -> list[int]:
    """A flow that is complementary to f.

    It may run only uphill along steps that f takes in full, and what it gains at a point must be
    the slope there, or may be less where f = 0 and more where f = 1. The possible flows out of
    each point form an interval: forward all of them, backward one.
    """
    most = sum(map(abs, slopes)) + 1
    least, largest = [0], [0]
    for k, slope in enumerate(slopes[:-1]):
        a, b = least[-1] + slope, largest[-1] + slope
        if values[k] == 0:
            a = -most
        if values[k] == ONE:
            b = most
        step = values[k + 1] - values[k]
        if step < gaps[k]:
            b = min(b, 0)
        if -step < gaps[k]:
            a = max(a, 0)
        least.append(a)
        largest.append(b)
    flow, out = [], 0
    for k in range(len(slopes) - 1, 0, -1):
        out = min(max(out - slopes[k], least[k]), largest[k])
        flow.append(out)
    return flow[::-1]


def _values(
    f: IntArray, flow: IntArray, gaps: list[int], ones: IntArray, zeros: IntArray
) -> tuple[int, int]:
    """Loss of f, and the bound below every loss that any flow s (one number a gap) gives.

    sum_k c_k f_k = sum_k (c_k + s_{k-1} - s_k) f_k - sum_k s_k (f_{k+1} - f_k), where each f_k is
    in [0, 1] and each step at most its gap.
    """
    primal = sum(map(mul, ones.tolist(), (ONE - f).tolist()))
    primal += sum(map(mul, zeros.tolist(), f.tolist()))
    rest = zeros - ones - np.diff(flow, prepend=0, append=0)
    dual = ONE * (int(ones.sum()) + int(np.minimum(0, rest).sum()))
    dual -= sum(map(mul, np.abs(flow).tolist(), gaps))
    return primal, dual
