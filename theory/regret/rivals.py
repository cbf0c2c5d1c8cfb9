"""Beside BASE: learners with better constants or exponents, most of which are told L.

Each has ``probability(x)`` and ``update(x, y)`` and takes BASE's place in ``check_bound``. Cells
live in a cube of R^d with diameter 1 and a corner at 0, as ``interval``, ``square``, ``cube`` do.

- ``OneBall``: the best coin for one ball, whatever x is.
- ``TunedCells``: cells of one size, the best for a known L and T: BASE's exponent (1+d)/(2+d).
- ``Chain``: cells in cells, each of which corrects the one around it: the minimax exponent,
  1/2 for d = 1, 1/2 and a logarithm for d = 2, (d-1)/d from d = 3 on. It knows L, but not T.
- ``Mixture``: whatever learners, weighted by their losses; of chains, it need not know L.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The coin ---------------------------------------------------------------------------------------
# Harvey, Liaw, Perkins and Randhawa, Optimal anytime regret with two experts (FOCS 2020). The
# experts are the constants 0 and 1, their gap g = |D| moves by one at each example. With
# M(z) = 1F1(-1/2; 1/2; z) = -sum_k z^k / ((2k-1) k!), the potential
#     R(t, g) = g/2 + kappa sqrt(t) M(g^2 / 2t)  up to g = gamma sqrt(t),  gamma sqrt(t) / 2 beyond
# solves the backward heat equation; gamma is the root of M(gamma^2 / 2), and kappa makes R smooth
# there. The worse expert gets the weight (R(t, g+1) - R(t, g-1)) / 2; by a discrete Ito formula the
# regret stays below R(t, g) <= gamma sqrt(t) / 2 at every t, and no coin has a smaller constant for
# all t. That is their theorem; the tests check the first half for n <= 2000, exactly.

_TERMS = [-1 / ((2 * k - 1) * math.factorial(k)) for k in range(18)]  # to 1e-18 for z < 1


def _series(terms: Sequence[float], z: float) -> float:
    total = 0.0
    for term in reversed(terms):
        total = total * z + term
    return total


def _root() -> float:
    low, high = 0.0, 1.0  # M falls from 1 to below 0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _series(_TERMS, middle) > 0 else (low, middle)
    return low


_Z = _root()
GAMMA = math.sqrt(2 * _Z)  # 1.3069...: a ball loses at most GAMMA / 2 sqrt(n)
_KAPPA = -1 / (2 * GAMMA * _series([k * a for k, a in enumerate(_TERMS)][1:], _Z))


def _potential(t: int, g: int) -> float:
    root = math.sqrt(t)
    if g >= GAMMA * root:
        return GAMMA * root / 2
    return g / 2 + _KAPPA * root * _series(_TERMS, g * g / (2 * t))


@functools.lru_cache(maxsize=2**18)  # most cells of a chain are small
def anytime_probability(ones: int, n: int) -> float:
    """The chance of predicting 1 after n labels: the coin with the least regret at all times.

    >>> [round(anytime_probability(ones, 4), 3) for ones in range(5)]
    [0.0, 0.201, 0.5, 0.799, 1.0]
    """
    lead = 2 * ones - n
    if lead == 0:
        return 0.5
    worse = (_potential(n + 1, abs(lead) + 1) - _potential(n + 1, abs(lead) - 1)) / 2
    return 1 - worse if lead > 0 else worse


def anytime_probabilities(n: int) -> NDArray[np.float64]:
    """The same for every number of ones from 0 to n; see ``one_ball.probabilities``.

    >>> anytime_probabilities(2).round(3).tolist()
    [0.116, 0.5, 0.884]
    """
    found = (np.arange(n + 1) > n / 2).astype(np.float64)  # beyond the middle it is certain
    reach = math.ceil((GAMMA * math.sqrt(n + 1) + 2) / 2)
    for ones in range(max(0, n // 2 - reach), min(n, (n + 1) // 2 + reach) + 1):
        found[ones] = anytime_probability(ones, n)
    return found


class OneBall:
    """The anytime coin, whatever x is: loses at most GAMMA / 2 sqrt(T) to the best constant.

    >>> from abacoc_theory import check_bound, interval
    >>> result = check_bound(interval(9), "opposite", 1000, L=0, algorithm=OneBall)
    >>> result.regret <= GAMMA / 2 * math.sqrt(1000)
    True
    """

    def __init__(self) -> None:
        self.ones = self.n = 0

    def probability(self, x: Any) -> float:
        """The chance of predicting 1."""
        return anytime_probability(self.ones, self.n)

    def update(self, x: Any, y: int) -> None:
        """Learn one example."""
        self.ones, self.n = self.ones + y, self.n + 1


# Cells ------------------------------------------------------------------------------------------


def cells_bound(T: float, L: float, d: int, m: int) -> float:
    """GAMMA / 2 sqrt(m^d T) + L T / (2m): a coin in each of m^d cells of diameter 1/m.

    In a cell the constant f(centre) is as good as f up to L / (2m) an example, and by Cauchy and
    Schwarz the coins lose most if all cells are visited alike.

    >>> round(cells_bound(10**6, 0, 1, 1), 1), round(cells_bound(10**6, 4, 1, 183))
    (653.5, 19769)
    """
    return GAMMA / 2 * math.sqrt(m**d * T) + L * T / (2 * m)


class TunedCells:
    """A cover tuned to a known L and T: m^d equal cells, with the m that has the least bound.

    The bound is convex in m; m is about (2 L sqrt(T) / (GAMMA d))^(2/(2+d)), and the bound of the
    order L^(d/(2+d)) T^((1+d)/(2+d)).

    >>> learner = TunedCells(4, 10**6, 1)
    >>> learner.m, round(learner.bound)
    (335, 17931)
    """

    def __init__(self, L: float, T: int, d: int) -> None:
        self.side, self.m = 1 / math.sqrt(d), 1
        while cells_bound(T, L, d, self.m + 1) < cells_bound(T, L, d, self.m):
            self.m += 1
        self.bound = cells_bound(T, L, d, self.m)
        self.balls: dict[tuple[int, ...], OneBall] = {}

    def _ball(self, x: Any) -> OneBall:
        return self.balls.setdefault(_cell(x, self.side, self.m), OneBall())

    def probability(self, x: Any) -> float:
        """The chance of predicting 1."""
        return self._ball(x).probability(x)

    def update(self, x: Any, y: int) -> None:
        """Learn one example."""
        self._ball(x).update(x, y)


def _cell(x: Any, side: float, m: int) -> tuple[int, ...]:
    return tuple([min(m - 1, int(float(c) / side * m)) for c in x])


# Chains -----------------------------------------------------------------------------------------

_DEEP = 40  # levels; cells of diameter 2^-40 are told apart


def chain_bound(T: int, L: float, d: int) -> float:
    """What a ``Chain`` loses at most in T steps, whatever comes; its docstring has the proof.

    >>> [round(chain_bound(10**6, 1, d) / 10 ** max(3, 6 - 6 / d), 2) for d in (1, 2, 3)]
    [4.17, 9.05, 3.27]
    """
    k = first = _first_level(L)
    total, left = GAMMA / 2 * math.sqrt(min(2.0 ** (d * k), T) * T), float(T)
    if L == 0:
        return total
    while True:
        reach, cells = L * 2.0**-k / 2, min(2.0 ** (d * k), T)
        if k > first:
            total += GAMMA * reach * math.sqrt(cells * T)
        total, left = total + reach * min(cells, left), left - min(cells, left)
        if reach * math.sqrt(T) <= 1 or k == _DEEP:
            return total + 2 * math.sqrt(T)
        k += 1


def _first_level(L: float) -> int:
    return max(0, math.ceil(math.log2(L))) if L > 0 else 0


class Chain:
    """Cells in cells: p = 1/2 + the sum of what all cells around x play, cut off at 0 and 1.

    After the chaining of Gaillard and Gerchinovitz (COLT 2015) and of Cesa-Bianchi, Gaillard,
    Gentile and Gerchinovitz (COLT 2017), and the growing nets of Kuzborskij and Cesa-Bianchi
    (NeurIPS 2020), with the anytime coin in each cell. Level k has cells of diameter 2^-k, from
    the first with L 2^-k <= 1 on. A cell of the first level plays in [-1/2, 1/2], any other in
    [-B_k, B_k], B_k = L 2^-k / 2: a cell's centre is 2^-k / 2 from that of its parent, so that f
    differs there by at most B_k. An example goes down through the cells that exist and opens one
    more, unless B_k <= 1 / sqrt(t) already.

    *Bound.* Let q_t be the sum before the cut, s_t = sign(q_t - y_t) the slope of |q - y_t| there,
    +1 for y_t = 0 and -1 for y_t = 1 at a tie. By convexity p_t loses at most s_t (q_t - f(x_t))
    more than f. Write f(x_t) as 1/2 + the steps of f from centre to centre + a rest of at most
    B_k, k being the last level of the example. In each cell this leaves the game of two experts
    (one end of its range or the other, slopes +1 and -1): it loses GAMMA / 2 sqrt(n) times the
    length of its range. In all, ``bound``: GAMMA / 2 sum sqrt(n_v) over the first cells + GAMMA
    sum B_k sqrt(n_v) over the others + all rests. At most min(2^dk, T) examples open a cell of
    level k, and the rests of those that open none are at most 1 / sqrt(t): ``chain_bound``.

    >>> from abacoc_theory import check_bound, square
    >>> learner = Chain(4, 2)
    >>> result = check_bound(square(9), "opposite", 1000, L=4, algorithm=learner)
    >>> result.regret <= learner.bound <= chain_bound(1000, 4, 2)
    True
    """

    def __init__(self, L: float, d: int) -> None:
        self.L, self.side, self.t, self.rests = L, 1 / math.sqrt(d), 0, 0.0
        self.first = _first_level(L)
        self.reaches = [L * 2.0**-k / 2 for k in range(_DEEP + 1)]  # B_k
        self.levels: list[dict[tuple[int, ...], list[Any]]] = [{} for _ in range(_DEEP + 1)]
        self._asked: tuple[Any, list[list[Any]], float] | None = None

    def _path(self, x: Any) -> tuple[list[list[Any]], float]:
        """The cells around x that play, as [ones, examples, what it plays], and q."""
        fine = _cell(x, self.side, 2**_DEEP)
        if self._asked is not None and self._asked[0] == fine:
            return self._asked[1:]
        path, q, enough = [], 0.5, 1 / math.sqrt(self.t + 1)
        for k in range(self.first, _DEEP + 1):
            shift = _DEEP - k
            key = tuple([c >> shift for c in fine])
            cell = self.levels[k].get(key)
            if cell is None:
                path.append([0, 0, 0.0, k, key])
                break
            path.append(cell)
            q += cell[2]
            if self.reaches[k] <= enough:
                break
        self._asked = fine, path, q
        return path, q

    def probability(self, x: Any) -> float:
        """The chance of predicting 1."""
        return min(1.0, max(0.0, self._path(x)[1]))

    def update(self, x: Any, y: int) -> None:
        """Learn one example."""
        path, q = self._path(x)
        up = int(q <= y if y else q < y)  # the slope is -1: the label lies above
        for cell in path:
            ones, n, _, k, key = cell
            reach = 0.5 if k == self.first else self.reaches[k]
            play = reach * (2 * anytime_probability(ones + up, n + 1) - 1)
            cell[:3] = ones + up, n + 1, play
            self.levels[k][key] = cell
        self.t, self.rests, self._asked = self.t + 1, self.rests + self.reaches[path[-1][3]], None

    @property
    def bound(self) -> float:
        """What it can have lost at most on what it has seen."""
        lost = [self.rests]
        for k, cells in enumerate(self.levels):
            reach = 0.5 if k == self.first else self.reaches[k]
            lost += (GAMMA * reach * math.sqrt(cell[1]) for cell in cells.values())
        return math.fsum(lost)


class Mixture:
    """The mean of some learners' p, each weighted with exp(-eta_t loss), eta_t = 2 sqrt(ln N / t).

    It loses at most sqrt(T ln N) more than the best of them (Bubeck, Introduction to online
    optimization, 2011, Theorem 2.4): with chains for L = 1, 2, 4, ... nobody need know L.

    >>> learner = Mixture([OneBall(), TunedCells(4, 100, 1)])
    >>> for x, y in [([0.1], 0), ([0.9], 1)] * 20: learner.update(x, y)
    >>> round(learner.probability([0.9]), 3), round(learner.probability([0.1]), 3)
    (0.997, 0.003)
    """

    def __init__(self, learners: Iterable[Any]) -> None:
        self.learners = list(learners)
        self.losses = [0.0] * len(self.learners)
        self.t = 0

    def probability(self, x: Any) -> float:
        """The chance of predicting 1."""
        eta, least = 2 * math.sqrt(math.log(len(self.learners)) / (self.t + 1)), min(self.losses)
        weights = [math.exp(-eta * (loss - least)) for loss in self.losses]
        told = (w * own.probability(x) for w, own in zip(weights, self.learners, strict=True))
        return min(1.0, math.fsum(told) / math.fsum(weights))

    def update(self, x: Any, y: int) -> None:
        """Learn one example."""
        self.t += 1
        for i, learner in enumerate(self.learners):
            self.losses[i] += abs(y - learner.probability(x))
            learner.update(x, y)
