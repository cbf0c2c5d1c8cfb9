"""Why a learner says what it says: the balls closest to a point, and what they have seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abacoc.ballset import Ball, Label
from abacoc.wording import number

if TYPE_CHECKING:
    from abacoc.cover import Cover  # which imports this module


@dataclass(frozen=True)
class NearBall:
    """A ball as a point sees it."""

    index: int  # position in order of storage, as in ``learner.balls``
    centre: Any  # a tuple of numbers, or a point of the metric space
    radius: float  # NaN for AUTO's first ball until the second label has come
    counts: dict[Label, int]  # examples of each label that it has seen
    mistakes: int | None  # None for BASE and BASE-ADJ, which do not count them
    distance: float
    inside: bool  # whether an example at the point would be learned by the ball


@dataclass(frozen=True)
class Explanation:
    """What a learner would predict, and the balls closest to the point, the closest first.

    The first ball alone decides: ``label`` is what ``predict`` says, ``shares`` are the parts of
    the labels among the examples of that ball. Without a ball the label is None.
    """

    label: Label | None
    shares: dict[Label, float]
    balls: tuple[NearBall, ...]
    n_balls: int  # of the whole model

    def __str__(self) -> str:
        if not self.balls:
            return "no prediction: there is no ball yet"
        lines = [
            f"predicted {self.label}, by the closest of {number(self.n_balls, 'balls')}",
            f"{'ball':>8} {'distance':>10} {'radius':>10}          {'mistakes':>8}  examples",
        ]
        for ball in self.balls:
            place = "inside" if ball.inside else "outside"
            radius = "none yet" if math.isnan(ball.radius) else f"{ball.radius:.4g}"
            mistakes = "" if ball.mistakes is None else ball.mistakes
            seen = ", ".join(f"{label}: {n:,}" for label, n in ball.counts.items() if n)
            lines.append(
                f"{ball.index:8} {ball.distance:10.4g} {radius:>10}  {place:7} "
                f"{mistakes:>8}  {seen}"
            )
        return "\n".join(lines)


def explanation(learner: Cover, x: Any, k: int = 1) -> Explanation:
    """The ``k`` balls closest to ``x`` and the prediction; the learner stays as it is.

    Every ball is looked at, once, and the distances have the bits that the search finds: the
    first ball is the one that ``predict`` asks, ties included.

    >>> from abacoc import Auto
    >>> learner = Auto()
    >>> print(learner.explain([0.3]))
    no prediction: there is no ball yet
    >>> for x, y in ([0.0], "a"), ([1.0], "b"), ([0.2], "a"), ([5.0], "c"):
    ...     learner.update(x, y)
    >>> print(learner.explain([2.5], k=2))
    predicted b, by the closest of 3 balls
        ball   distance     radius          mistakes  examples
           1        1.5          1  outside        0  b: 1
           0        2.5          1  outside        0  a: 2
    >>> learner.explain([2.5]).balls[0].counts
    {'a': 0, 'b': 1, 'c': 0}
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k must be a whole number of at least 1, not {k!r}")
    x = learner.check_point(x)
    balls = learner.balls
    distances = _distances(learner, balls.centres, x)
    near, decided = [], None
    for i in np.argsort(distances, kind="stable")[:k].tolist():  # stable: ties as in the search
        counts, radius = balls.counts[i].tolist(), float(balls.radii[i])
        mistakes = None if balls.mistakes is None else int(balls.mistakes[i])
        ball = Ball(balls.centres[i], counts, radius=radius, mistakes=mistakes or 0)
        decided = decided or ball
        near.append(
            NearBall(
                index=i,
                centre=tuple(ball.centre.tolist()) if learner._needs_vectors else ball.centre,
                radius=radius,
                counts=dict(zip(learner.classes, counts, strict=True)),
                mistakes=mistakes,
                distance=float(distances[i]),
                inside=learner._is_inside(float(distances[i]), ball),
            )
        )
    if decided is None:
        return Explanation(None, {}, (), 0)
    return Explanation(
        label=learner.classes[learner.output_prediction(decided)],
        shares={label: n / sum(decided.counts) for label, n in near[0].counts.items()},
        balls=tuple(near),
        n_balls=learner.n_balls,
    )


def _distances(learner: Cover, centres: Any, x: Any) -> NDArray[np.float64]:
    """Distance of every centre to ``x``, with the additions in the order of the search."""
    if learner.metric == "euclidean":
        total = np.zeros(len(centres))
        for column, value in zip(centres.T, x, strict=len(centres) > 0):
            total += (column - value) * (column - value)
        return np.sqrt(total)
    found = [learner._search.distance(centre, x) for centre in centres]
    for centre, distance in zip(centres, found, strict=True):
        if not 0.0 <= distance < np.inf:  # the search refuses the same
            raise ValueError(f"the metric gave {distance} for {centre!r} and {x!r}")
    return np.array(found, dtype=np.float64)
