"""Bits column by column: where all columns are bits, 512 centres are counted at once.

A *plane* is a column and a value, 0 or 1; it has a one for every centre that has exactly this
value there. A query that is 0 or 1 in the column differs from the centres in the plane of the
other value, so half of the planes tell all differing bits. They are added as binary numbers are on
paper, but for the lanes of a group side by side: word by word, digit by digit (simd.py).

The last two planes of a group have a one for every lane in use, and none at all.
"""

from __future__ import annotations

import numpy as np

from abacoc.engine import state as S
from abacoc.engine.jit import kernel
from abacoc.engine.simd import DIGITS, MANY, STEP, count_planes, lowest
from abacoc.engine.state import State

ONE, ZERO = np.uint64(1), np.uint64(0)
PLACES = 2**48  # more than there are lanes


@kernel
def write_planes(s: State, b: int, lane: int) -> None:
    """Write the bits of a centre once more."""
    if len(s.planes) == 0:
        return
    planes, d, n_words = s.planes[plane_group(b)], len(s.x), s.masks.shape[1]
    word, at = plane_word(b), plane_bit(b, lane)
    for g in range(d):
        w, bit = g >> 6, np.uint64(g & 63)
        one = (s.bits[b, w, lane] >> bit) & ONE
        zero = ((s.bits[b, w, lane] | s.bits[b, n_words + w, lane]) >> bit) & ONE ^ ONE
        planes[2 * g, word] = planes[2 * g, word] & ~(ONE << at) | (zero << at)
        planes[2 * g + 1, word] = planes[2 * g + 1, word] & ~(ONE << at) | (one << at)
    planes[2 * d, word] |= ONE << at


@kernel
def leave_planes(s: State, b: int, lane: int, plane: int) -> None:
    """A centre has another value than that of a plane; or, with the last but one, there is none."""
    if len(s.planes) > 0:
        s.planes[plane_group(b), plane, plane_word(b)] &= ~(ONE << plane_bit(b, lane))


@kernel
def plane_group(b: int) -> int:
    """The group to which a block belongs."""
    return b * S.WIDTH // S.GROUP


@kernel
def plane_word(b: int) -> int:
    """The word of a plane in which the lanes of a block are."""
    return b * S.WIDTH % S.GROUP // 64


@kernel
def plane_bit(b: int, lane: int) -> np.uint64:
    """The place of a lane in its word."""
    return np.uint64((b * S.WIDTH + lane) % 64)


@kernel
def choose_planes(s: State) -> int:
    """Note the planes of the centres that differ from the query; how many, a multiple of STEP."""
    x, chosen, n = s.x, s.chosen, 0
    for g in range(min(len(x), MANY)):  # of more columns some are left out, and the bound is lower
        zero, one = x[g] == 0.0, x[g] == 1.0
        chosen[n] = 2 * g + zero
        n += zero | one
    end = (n + STEP - 1) // STEP * STEP
    for i in range(n, end):
        chosen[i] = 2 * len(x) + 1
    return end


@kernel
def list_near(s: State, n: int, above: int, most: int) -> int:
    """Write the lanes with more than ``above`` and at most ``most`` ones in the n chosen planes.

    They go to ``picked``, the count in front of the number of the lane; how many there are.
    """
    h, planes, counts, picked, listed = s.h, s.planes, s.counts, s.picked, 0
    n_digits = 0  # in which a count of at most `most` can differ from it
    while most >> n_digits > 0:
        n_digits += 1
    for group in range((h[S.N_BLOCKS] * S.WIDTH + S.GROUP - 1) // S.GROUP):
        if count_planes(planes, group, s.chosen, n, most, counts) == ZERO:
            continue
        for w in range(S.GROUP // 64):
            near = counts[DIGITS, w]
            while near != ZERO:
                at = np.uint64(lowest(near))
                near &= near - ONE
                fewer = ZERO  # all digits are ones for `most`, and it is what is missing there
                for digit in range(n_digits):
                    fewer |= ((~counts[digit, w] >> at) & ONE) << np.uint64(digit)
                n_ones = most - np.int64(fewer)
                if n_ones > above:
                    picked[listed] = n_ones * PLACES + group * S.GROUP + w * 64 + np.int64(at)
                    listed += 1
    return listed
