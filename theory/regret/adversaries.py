"""Adversaries against BASE: they see its state, and every move is determined by the seed.

An adversary yields (site, label) pairs; ``play`` hands each one to the learner before it asks for
the next, so that the adversary sees what BASE has become. All regrets are exact: the mistakes are
expected ones, and the comparator is the best L-Lipschitz function.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from . import one_ball
from .bounds import whole_dimension
from .comparator import Comparator, best_constant, best_lipschitz_sites
from .covering import packing_number_greedy
from .line_comparator import LineComparator, best_lipschitz_line_sites
from .sites import SiteBase, expected_mistakes
from .spaces import FiniteSpace

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Random = np.random.Generator
Moves = Callable[[SiteBase, int, Random], Iterator[tuple[int, int]]]


@dataclass(frozen=True, eq=False)
class Played:
    """A stream that an adversary chose, BASE's p_t on it, and BASE at its end."""

    sites: IntArray
    labels: IntArray
    p: FloatArray
    learner: SiteBase

    @functools.cached_property
    def mistakes(self) -> float:
        """Expected number of mistakes."""
        return expected_mistakes(self.p, self.labels)

    def comparator(self, L: float) -> float:
        """The loss of the best L-Lipschitz function."""
        return comparator(self.learner.space, self.sites, self.labels, L)

    def regret(self, L: float) -> float:
        """Expected mistakes beyond those of the best L-Lipschitz function."""
        return self.mistakes - self.comparator(L)


def comparator(space: FiniteSpace, sites: IntArray, labels: IntArray, L: float) -> float:
    """The loss of the best L-Lipschitz function on a stream.

    >>> from abacoc_theory.regret.spaces import interval
    >>> comparator(interval(3), np.array([0, 1, 1]), np.array([0, 1, 1]), 1.0)
    0.5
    """
    return best_function(space, sites, labels, L)[1].loss


def best_function(
    space: FiniteSpace, sites: IntArray, labels: IntArray, L: float
) -> tuple[IntArray, Comparator | LineComparator]:
    """The sites that were seen, and the best L-Lipschitz function on them with its certificate.

    >>> from abacoc_theory.regret.spaces import interval
    >>> seen, best = best_function(interval(3), np.array([2, 1, 1]), np.array([0, 1, 1]), 1.0)
    >>> seen.tolist(), best.f.tolist(), best.verify()
    ([1, 2], [1.0, 0.5], 0.0)
    """
    ones = np.bincount(sites[labels == 1], minlength=space.n)
    zeros = np.bincount(sites[labels == 0], minlength=space.n)
    seen = np.flatnonzero(ones + zeros)
    ones, zeros = ones[seen], zeros[seen]
    if L == 0:

        def distance(p: IntArray, q: IntArray) -> FloatArray:  # for whoever verifies it
            rows = [space.row(int(i))[seen[q]] for i in seen[p]]
            return np.array(rows).reshape(len(p), len(q))

        return seen, best_constant(distance, ones, zeros)
    if space.points is not None and space.points.shape[1] == 1:
        return seen, best_lipschitz_line_sites(space.points[seen, 0], ones, zeros, L)
    distances = np.array([space.row(int(i))[seen] for i in seen])
    return seen, best_lipschitz_sites(distances, ones, zeros, L)


def play(learner: SiteBase, moves: Moves, T: int, seed: int = 0) -> Played:
    """Let the adversary play T steps.

    >>> from abacoc_theory.regret.spaces import interval
    >>> played = play(SiteBase(interval(9)), opposite, 100)
    >>> round(played.mistakes, 3), played.comparator(0)
    (57.401, 50.0)
    """
    sites, labels, p = [], [], []
    for site, label in islice(moves(learner, T, np.random.default_rng(seed)), T):
        p.append(learner.probability(site))
        learner.update(site, label)
        sites.append(site)
        labels.append(label)
    return Played(np.array(sites, dtype=np.int64), np.array(labels), np.array(p), learner)


# Sites ----------------------------------------------------------------------------------------


class Rota:
    """The ball with the fewest examples."""

    def __init__(self, learner: SiteBase) -> None:
        self.learner, self.phase = learner, 0
        self.heap: list[tuple[int, int]] = []

    def next(self) -> int:
        """The ball to visit now; there must be one."""
        counts, heap = self.learner.counts, self.heap
        if self.phase != self.learner.phase:
            self.phase = self.learner.phase
            heap.clear()
        for ball in range(len(heap), len(counts)):
            heapq.heappush(heap, (counts[ball], ball))
        while heap[0][0] != counts[heap[0][1]]:  # entries are renewed when they come to the top
            heapq.heapreplace(heap, (counts[heap[0][1]], heap[0][1]))
        return heap[0][1]


class Opener:
    """The site nearest to the balls among those that would open a new one; -1 if none would."""

    def __init__(self, learner: SiteBase) -> None:
        self.learner, self.seen, self.farthest = learner, (0, 0), math.inf

    def next(self) -> int:
        """Such a site now."""
        learner = self.learner
        if self.seen != (learner.phase, learner.n_balls):  # distances change with new balls only
            self.seen = (learner.phase, learner.n_balls)
            self.farthest = float(learner.nearest_distance.max())
        if self.farthest <= learner.epsilon:
            return -1
        outside = learner.nearest_distance > learner.epsilon
        return int(np.where(outside, learner.nearest_distance, np.inf).argmin())


# Labels --------------------------------------------------------------------------------------


class OneBallPolicy:
    """The best labels for a ball that is to get n examples, against a constant, 1 unless told.

    ``first`` takes the prediction of the ball's first example, which is somebody else's. Against
    one constant all balls can be extremal at once: the same f is best in each of them.

    >>> policy = OneBallPolicy(4)
    >>> policy.first(0.0), [policy.label(ones, n) for ones, n in ((1, 1), (1, 2), (2, 3), (4, 4))]
    (1, [0, 1, 1, 1])
    """

    LONGEST = 4096  # the table has n^2 / 2 bytes

    def __init__(self, n: int, constant: float = 1.0) -> None:
        self.n, self.constant = n, constant
        # W(n) is reached to first order by balance and such a run; the surplus of ones that is
        # best against the constant q is (2 q - 1) sqrt(n)
        self.run = math.isqrt(math.floor((2 * constant - 1) ** 2 * n)) if constant > 0.5 else 0
        self.gain = np.zeros(max(2, n + 1))  # after n examples nothing more is to be won
        self._table: list[bytes] = []
        if n > self.LONGEST:
            self.gain = np.zeros(2)
            return
        for k in range(n - 1, 0, -1):
            p = one_ball.probabilities(k)
            by_one, by_zero = constant - p + self.gain[1 : k + 2], p - constant + self.gain[: k + 1]
            self._table.append((by_one >= by_zero).astype(np.uint8).tobytes())
            self.gain = np.maximum(by_one, by_zero)
        self._table.append(b"")  # the first example is not the ball's own
        self._table.reverse()

    def first(self, p: float) -> int:
        """The first label, given the chance with which another ball predicts 1."""
        return int(self.constant - p + self.gain[1] >= p - self.constant + self.gain[0])

    def label(self, ones: int, n: int) -> int:
        """The next label of a ball with n examples, ``ones`` of them 1."""
        if n >= self.n:
            return 1  # p is 1 already, or almost: this costs BASE little and f nothing
        if self._table:
            return self._table[n][ones]
        return int(2 * ones <= n or n >= self.n - self.run)


def balanced(learner: SiteBase, ball: int, ending: bool) -> int:
    """Whichever label the ball has seen less; at the end of the stream 1."""
    return int(ending or 2 * learner.ones[ball] <= learner.counts[ball])


def against(p: float) -> int:
    """The less likely prediction."""
    return int(p <= 0.5)


# Adversaries ----------------------------------------------------------------------------------


def opposite(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
    """All sites in turn, in random order, with the label that BASE thinks less likely."""
    order = rng.permutation(learner.space.n).tolist()
    for t in range(T):
        site = order[t % len(order)]
        yield site, against(learner.probability(site))


def uniform(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
    """Random sites, with the label that BASE thinks less likely."""
    for site in rng.integers(learner.space.n, size=T).tolist():
        yield site, against(learner.probability(site))


def extremal(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
    """The worst labels of the one-ball game in each ball of a packing that is opened early."""
    del rng
    space, D = learner.space, whole_dimension(learner.space.dimension)
    policy = OneBallPolicy(max(1, T // packing_number_greedy(space, T ** (-1 / (2 + D)))))
    opener, rota = Opener(learner), Rota(learner)
    while True:
        site = opener.next()
        if site >= 0:
            yield site, policy.first(learner.probability(site))
        else:
            ball = rota.next()
            label = policy.label(learner.ones[ball], learner.counts[ball])
            yield learner.centres[ball], label


def outside(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
    """A point just outside all balls if there is one; else the ball with the fewest examples.

    Labels are balanced in each ball, and each ball ends with a run of about sqrt(n) ones.
    """
    del rng
    opener, rota = Opener(learner), Rota(learner)
    for t in range(T):
        site = opener.next()
        if site >= 0:
            yield site, against(learner.probability(site))
        else:
            ball = rota.next()
            ending = T - t <= math.sqrt(learner.n_balls * T)
            yield learner.centres[ball], balanced(learner, ball, ending)


def traps(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
    """As many phases as possible: each dimension gets the share of T that Hoelder's weights say.

    Before its time is over a phase opens no more balls than its dimension allows; then one more.
    """
    del rng
    opener, rota = Opener(learner), Rota(learner)
    D = whole_dimension(learner.space.dimension)
    weights = [2 ** (-(D - d) * (2 + D) / 2) for d in range(1, D + 1)]
    ends = (np.cumsum(weights) / sum(weights) * T).tolist()
    for t in range(T):
        last = learner.dimension >= D
        end = T if last else ends[learner.dimension - 1]
        site = opener.next() if last or t >= end or not learner.is_full else -1
        if site >= 0:
            yield site, against(learner.probability(site))
        else:
            ball = rota.next()
            ending = end - t <= math.sqrt(learner.n_balls * (learner.steps + max(0, end - t)))
            yield learner.centres[ball], balanced(learner, ball, ending)


def edges(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
    """One ball, ones at one end of it and zeros at the other, as far apart as its radius lets."""
    del rng
    space = learner.space
    rows = np.array([space.row(i) for i in range(space.n)])
    centre = int(rows.max(axis=1).argmin())
    yield centre, 1
    row, (a, b) = rows[centre], (centre, centre)
    reach = math.inf
    for _ in range(T - 1):
        if reach > learner.epsilon:
            inside = row <= learner.epsilon
            # the two ends: the pair of sites in the ball that are farthest apart
            among = np.flatnonzero(inside)
            pair = int(rows[np.ix_(among, among)].argmax())
            a, b = int(among[pair // len(among)]), int(among[pair % len(among)])
            reach = max(row[a], row[b])
        label = balanced(learner, 0, False)
        yield (a if label else b), label


def smooth(L: float, noise: float = 0.1) -> Moves:
    """Random sites; the likelier label of an L-Lipschitz target, flipped now and then.

    A flip is spent only where BASE sides with the target, where it costs BASE most.
    """

    def moves(learner: SiteBase, T: int, rng: Random) -> Iterator[tuple[int, int]]:
        row = learner.space.row(int(rng.integers(learner.space.n)))
        # a triangle wave in [0, 1] of slope 2 L; the target is f = 1/4 + wave / 2
        wave = np.abs((2 * max(L, 0.5) * row + rng.random()) % 2 - 1)
        target = (wave > 0.5).astype(int).tolist()
        flips = (rng.random(T) < noise).astype(int).tolist()
        for site, flip in zip(rng.integers(len(target), size=T).tolist(), flips, strict=True):
            sides = (learner.probability(site) > 0.5) == bool(target[site])
            yield site, target[site] ^ (flip if sides else 0)

    return moves


def adversaries(L: float) -> dict[str, Moves]:
    """All of them by name; only the smooth target depends on L."""
    fixed = (opposite, uniform, extremal, outside, traps, edges)
    return {moves.__name__: moves for moves in fixed} | {"smooth": smooth(L)}
