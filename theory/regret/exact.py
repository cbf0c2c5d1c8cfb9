"""BASE without rounding: distances are fractions, powers are compared as whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[Fraction]]


class ExactBase:
    """The cover of BASE (reading ``paper``) on a finite space with rational distances.

    ``base`` is the 2 of the dimension check. The radius k^(-1/(2+d)) never appears: a distance is
    compared with it by its (2+d)-th power.

    >>> cover = ExactBase([[Fraction(0), Fraction(9, 10)], [Fraction(9, 10), Fraction(0)]])
    >>> [cover.update(site) for site in (0, 1, 0)]
    [1, 2, 2]
    """

    def __init__(
        self, distances: Matrix, constant: Fraction = Fraction(1), base: Fraction = Fraction(2)
    ) -> None:
        self.distances, self.constant, self.base = distances, constant, base
        self.phase, self.steps, self.dimension = 1, 0, 1
        self.centres: list[int] = []

    def update(self, site: int) -> int:
        """Take a point up; the number of balls."""
        k, d = self.steps + 1, self.dimension  # this is the k-th step of the phase
        gap = min((self.distances[c][site] for c in self.centres), default=None)
        if gap is None or gap ** (2 + d) * k > 1:
            size = len(self.centres) + 1
            if self.exceeds(size, k, d, d):
                new = 0
                while self.exceeds(size, k, d, new):
                    new += 1
                self.phase, self.dimension, self.steps, self.centres = self.phase + 1, new, 0, []
            self.centres.append(site)
        self.steps += 1
        return len(self.centres)

    def exceeds(
        self, size: int, k: int, d: int, power: int, factor: Fraction | None = None
    ) -> bool:
        """Whether size > C (factor / eps)^power, where eps = k^(-1/(2+d))."""
        factor = self.base if factor is None else factor
        right = (self.constant * factor**power) ** (2 + d) * Fraction(k) ** power
        return Fraction(size) ** (2 + d) > right


def all_streams(n_sites: int, length: int) -> Iterator[tuple[int, ...]]:
    """Every sequence over equidistant sites, up to renaming: new sites come in order.

    >>> list(all_streams(3, 3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if length == 0:
        yield ()
        return
    for head in all_streams(n_sites, length - 1):
        for site in range(min(n_sites, max(head, default=-1) + 2)):
            yield (*head, site)


def star_space(leaves: int, distance: Fraction) -> list[list[Fraction]]:
    """Points at equal distances: the leaves of a star whose hub, half as far, is not streamed.

    >>> star_space(2, Fraction(1, 2))[0]
    [Fraction(0, 1), Fraction(1, 2)]
    """
    return [[Fraction(0) if i == j else distance for j in range(leaves)] for i in range(leaves)]


def star_covering_constant(leaves: int, distance: Fraction, d: int) -> Fraction:
    """C_S(d) of these points: all of them up to half their distance, one ball around the hub then.

    >>> star_covering_constant(4, Fraction(1, 2), 2)
    Fraction(1, 1)
    """
    return max(Fraction(1), leaves * (distance / 2) ** d)
