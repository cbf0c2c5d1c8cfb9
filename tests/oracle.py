"""A second, deliberately naive writing of Algorithms 2-4, to compare the package with.

Written from the paper and the agreed readings only, without looking at the package: plain loops
over lists of floats, no NumPy, no search structure, nothing shared with `abacoc`. Points are
sequences of numbers, labels are hashable. Every function returns what was predicted before each
example was learned, the number of balls after it was learned, and the final balls as dicts.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Point = Sequence[float]
Label = Hashable
Distance = Callable[[Point, Point], float]
Ball = dict[str, Any]


def euclid(centre: Point, x: Point) -> float:
    """Add the squared differences up in the order of the coordinates, then take the root."""
    total = 0.0
    for a, b in zip(centre, x, strict=True):
        difference = a - b
        total += difference * difference
    return math.sqrt(total)


def nearest(balls: list[Ball], x: Point, distance: Distance) -> tuple[Ball, float]:
    """Find the ball with the closest centre; of equally close ones, the one stored first."""
    best, best_distance = balls[0], distance(balls[0]["centre"], x)
    for ball in balls[1:]:
        d = distance(ball["centre"], x)
        if d < best_distance:
            best, best_distance = ball, d
    return best, best_distance


def majority(counts: dict[Label, int], seen: list[Label]) -> Label:
    """Take the most frequent label; of equally frequent ones, the first seen in the stream."""
    best = None
    for label in seen:
        if label in counts and (best is None or counts[label] > counts[best]):
            best = label
    return best


def examples(
    X: Sequence[Point], y: Sequence[Label], seen: list[Label]
) -> Iterator[tuple[list[float], Label]]:
    """Yield the stream as plain floats, noting each label in `seen` when it first comes by."""
    for x, label in zip(X, y, strict=True):
        if label not in seen:
            seen.append(label)
        yield [float(v) for v in x], label


def move(ball: Ball, x: Point, n: int) -> None:
    """Move the centre by (x - centre) / n."""
    ball["centre"] = [c + (v - c) / n for c, v in zip(ball["centre"], x, strict=True)]


def too_many(size: int, C: float, k: int, d: int, power: int) -> bool:
    """Say whether size > C (2 / eps)^power, in fractions; eps is k^(-1/(2+d))."""
    left, right = Fraction(size), Fraction(C) * 2**power
    return left ** (2 + d) > right ** (2 + d) * k**power


def public(balls: list[Ball], *names: str) -> list[Ball]:
    """Keep only these entries of each ball."""
    return [{name: ball[name] for name in names} for ball in balls]


def auto(
    X: Sequence[Point],
    y: Sequence[Label],
    d_hat: float = 2,
    adjust: bool = False,
    reading: str = "paper",
    radius_rule: str | None = None,
    distance: Distance = euclid,
) -> tuple[list[Label], list[int], list[Ball]]:
    """Run Algorithm 4: AUTO, or AUTO-ADJ with `adjust`. A ball still alone has radius 0.

    >>> auto([[0.0], [1.0], [0.5], [3.0], [2.0]], "abbac")[:2]
    ([None, 'a', 'a', 'b', 'b'], [1, 2, 2, 3, 3])
    """
    assert reading in ("paper", "authors", "literal")
    rule = radius_rule or ("infinite" if reading == "literal" else "max")
    authors = reading == "authors"
    balls: list[Ball] = []
    seen: list[Label] = []
    predictions, sizes, first = [], [], None

    def radius(R: float, m: int) -> float:
        if rule == "infinite" and m == 0:
            return math.inf
        factor = {"max": max(m, 1), "plus": m + 1, "infinite": m}[rule]
        shrink: float = factor ** (-1.0 / (2 + d_hat))
        return R * shrink

    def new(x: Point, label: Label, R: float, eps: float) -> Ball:
        return {"centre": x, "radius": eps, "counts": {label: 1}, "mistakes": 0, "R": R, "u": 1}

    for x, label in examples(X, y, seen):
        guess, gap = None, math.inf
        if balls:
            ball, gap = nearest(balls, x, distance)
            guess = majority(ball["counts"], seen)
        predictions.append(guess)

        if first is None:  # InitProcedure, first example
            first = (x, label)
            if not authors:
                balls = [new(x, label, 0.0, 0.0)]
        elif len(balls) < 2:  # InitProcedure, waiting for the second ball
            if authors or label != first[1]:
                R = distance(first[0], x)
                balls = [new(*first, R, R), new(x, label, R, R)]
        elif gap < ball["radius"] or (gap == ball["radius"] and not authors):
            ball["counts"][label] = ball["counts"].get(label, 0) + 1
            correct = label == (majority(ball["counts"], seen) if authors else guess)
            if not correct:
                ball["mistakes"] += 1
            elif adjust:
                ball["u"] += 1
                move(ball, x, ball["u"])
            if not (authors and correct):  # only with 'infinite' does this condition matter
                ball["radius"] = radius(ball["R"], ball["mistakes"])
        else:
            balls.append(new(x, label, gap, radius(gap, 0)))
        sizes.append(len(balls))
    return predictions, sizes, public(balls, "centre", "radius", "counts", "mistakes")


def base(
    X: Sequence[Point],
    y: Sequence[int],
    C: float = 1.0,
    reading: str = "paper",
    distance: Distance = euclid,
) -> tuple[list[float], list[int], list[Ball], list[tuple[int, int, float]]]:
    """Run Algorithm 2: the probabilities of label 1, sizes, balls, and the trace.

    The trace has phase, dimension and radius as they were when the example was tested, that is
    before it could start a new phase. The radius of the final balls is the one that would test
    the next example.

    >>> p, sizes, _, trace = base([[0.0], [0.9], [0.1], [0.5]], [1, 0, 1, 1])
    >>> [round(v, 4) for v in p], sizes
    ([0.5, 0.7887, 0.7887, 0.2113], [1, 2, 2, 2])
    >>> [(i, d, round(radius, 4)) for i, d, radius in trace]
    [(1, 1, 1.0), (1, 1, 0.7937), (1, 1, 0.6934), (1, 1, 0.63)]
    """
    assert reading in ("paper", "literal")
    literal = reading == "literal"
    balls: list[Ball] = []
    ps, sizes, trace = [], [], []
    phase, d, t = 1, 1, 0 if literal else 1  # paper: the t-th step of the phase is being made

    def epsilon() -> float:
        return math.inf if t == 0 else t ** (-1.0 / (2 + d))

    for x, label in examples(X, y, []):
        eps, p, gap = epsilon(), 0.5, math.inf
        if balls:
            ball, gap = nearest(balls, x, distance)
            ones, n = ball["counts"].get(1, 0), sum(ball["counts"].values())
            q, gamma = (ones + 1) / (n + 2), 1 / (2 * math.sqrt(n + 2))
            p = 0.5 + (q - 0.5) / (2 * gamma)
            if q < 0.5 - gamma:
                p = 0.0
            if q > 0.5 + gamma:
                p = 1.0
        ps.append(p)
        trace.append((phase, d, eps))

        if balls and gap <= eps:
            ball["counts"][label] = ball["counts"].get(label, 0) + 1
        else:
            if too_many(len(balls) + 1, C, t, d, d):  # dimension check
                size, new = 0 if literal else len(balls), 0
                while too_many(size + 1, C, t, d, new):
                    new += 1
                phase, d, t, balls = phase + 1, new, 0 if literal else 1, []
            balls.append({"centre": x, "counts": {label: 1}})
            t += 1 if literal else 0
        t += 0 if literal else 1
        sizes.append(len(balls))
    for ball in balls:
        ball["radius"] = epsilon()
    return ps, sizes, public(balls, "centre", "radius", "counts"), trace


def base_majority(
    X: Sequence[Point],
    y: Sequence[Label],
    C: float = 1.0,
    adjust: bool = False,
    divisor: str = "total",
    distance: Distance = euclid,
) -> tuple[list[Label], list[int], list[Ball]]:
    """Run BASE with majority votes (footnote of Section VI); with `adjust`, Algorithm 3.

    >>> predictions, sizes, balls = base_majority([[0.0], [0.9], [0.2], [0.5]], "abaa", adjust=True)
    >>> predictions, sizes, [round(ball["centre"][0], 4) for ball in balls]
    ([None, 'a', 'a', 'a'], [1, 2, 2, 2], [0.2333, 0.9])
    """
    assert divisor in ("total", "correct")
    balls: list[Ball] = []
    seen: list[Label] = []
    predictions, sizes = [], []
    d, k = 1, 0  # dimension of the phase, steps made in the phase
    for x, label in examples(X, y, seen):
        k += 1
        eps = k ** (-1.0 / (2 + d))
        guess, gap = None, math.inf
        if balls:
            ball, gap = nearest(balls, x, distance)
            guess = majority(ball["counts"], seen)
        predictions.append(guess)

        if balls and gap <= eps:
            ball["counts"][label] = ball["counts"].get(label, 0) + 1
            if guess == label:
                ball["u"] += 1
                if adjust:
                    total = sum(ball["counts"].values())
                    move(ball, x, total if divisor == "total" else ball["u"])
        else:
            if too_many(len(balls) + 1, C, k, d, d):  # dimension check
                new = 0
                while too_many(len(balls) + 1, C, k, d, new):
                    new += 1
                balls, k, d = [], 1, new
            balls.append({"centre": x, "counts": {label: 1}, "u": 1})
        sizes.append(len(balls))
    for ball in balls:
        ball["radius"] = (k + 1) ** (-1.0 / (2 + d))
    return predictions, sizes, public(balls, "centre", "radius", "counts")
