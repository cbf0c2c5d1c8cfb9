"""Rough copies: float32 numbers that tell which centres cannot be the closest.

Twice as many of them go through the processor at once as of float64. Whatever they leave is summed
in float64, in the order of the columns, as the reference does.

Why they leave the closest. Let c be a centre, x the query, d their distance, in n columns. What
lies beyond ``cutoff`` is cut off there, so that no sum is infinite: only the total of an empty lane
is. That brings no two points farther apart. Rounding to float32 then changes a coordinate v by at
most 2^-24 |v| + 2^-150, and |c_j| is at most |x_j| + |c_j - x_j|, so the distance of the rounded
points is at most (1 + 2^-24) d + 2^-23 |x| + sqrt(n) 2^-149. The sum of n squares in float32, in
any order, is at most (1 + 2^-24)^(n + 2) times the exact one, and n 2^-149 more where squares are
that small. ``round_query`` has 2^-22 |x|, and ``loosened`` 1 + (n + 8) 2^-23 in place of the
powers: to first order twice what is needed. That covers the higher orders up to 2^24 columns, what
bits add (four roundings more), and the rounding of the two functions themselves. A box is at least
as near as what is in it, in float32 too: no operation reverses an order.
"""

from __future__ import annotations

import math

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.jit import inlined
from abacoc.engine.state import State

FARTHEST = 2.0**62  # its square is a float32
UNIT, TINY = 2.0**-23, 2.0**-148
INFINITE = np.float32(np.inf)


def cutoff(n: int) -> float:
    """The sum of n squared differences of such coordinates is a float32, however rounded.

    >>> cutoff(1) > 2**62, cutoff(1024) > 2**57
    (True, True)
    """
    return math.sqrt(2.0**126 / (2 * max(n, 1)))


@inlined
def single(value: float, most: float) -> np.float32:
    """A coordinate as float32; ``most`` is the cutoff."""
    return np.float32(min(max(value, -most), most))


@inlined
def round_query(s: State) -> None:
    """Round the dense columns of the query, and note how far off this and the centres may be."""
    rough_x, dense, most, total = s.rough_x, s.dense, s.f[S.CUTOFF], 0.0
    for j in range(len(dense)):
        rough_x[j] = single(dense[j], most)
        total += float(rough_x[j]) * float(rough_x[j])
    s.f[S.BLUR] = 2.0 * UNIT * math.sqrt(total) + math.sqrt(len(dense)) * TINY


@inlined
def loosened(distance: float, blur: float, d: int) -> np.float32:
    """The total below which every centre within the distance is in float32; of d columns."""
    blurred, n = distance + blur, float(d + 8)
    if blurred > FARTHEST:
        return INFINITE
    return np.float32(blurred * blurred * (1.0 + n * UNIT) + n * TINY)
