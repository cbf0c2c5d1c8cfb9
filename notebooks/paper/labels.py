"""Names written beside points, so that no legend has to be looked up."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
DISTANCES = (
    9.0,
    14.0,
    20.0,
    27.0,
    36.0,
    48.0,
    62.0,
)
ANGLES = tuple(range(0, 360, 20))


class Label(NamedTuple):
    """A name and the point that it belongs to."""

    x: float
    y: float
    text: str
    colour: str
    weight: str = "bold"


def along(points: Sequence[tuple[float, float]], log_x: bool = False) -> list[tuple[float, float]]:
    """Points on the line through these points, close enough for a name to notice it.

    >>> len(along([(0.0, 0.0), (1.0, 1.0)]))
    21
    """
    shares = np.linspace(0, 1, 21)
    found = list(points[:1])
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        xs = x0 * (x1 / x0) ** shares if log_x else x0 + (x1 - x0) * shares
        found += list(zip(xs.tolist(), (y0 + (y1 - y0) * shares).tolist(), strict=True))[1:]
    return found


def place(axes: Any, labels: Iterable[Label], avoid: Iterable[tuple[float, float]]) -> None:
    """Write each name where it covers no other name and as few points as possible.

    The limits and scales of the axes must be final. A name far from its point gets a thin line.
    """
    from matplotlib import patheffects

    halo = [patheffects.withStroke(linewidth=2, foreground="white")]
    figure = axes.figure
    figure.canvas.draw()  # the layout moves the axes once; the names must come after that
    unit = figure.dpi / 72
    points = axes.transData.transform(np.array(list(avoid), dtype=float).reshape(-1, 2))
    frame = axes.get_window_extent()
    taken: list[Floats] = []
    for label in labels:
        text = axes.annotate(
            label.text,
            (label.x, label.y),
            xytext=(0, 0),
            textcoords="offset points",
            color=label.colour,
            ha="center",
            va="center",
            fontweight=label.weight,
            fontsize=8.5,
            path_effects=halo,
            zorder=5,
        )
        extent = text.get_window_extent()
        half = np.array([extent.width, extent.height]) / 2 + 3.5 * unit  # markers are as wide
        anchor = axes.transData.transform((label.x, label.y))
        best: tuple[float, Floats, float] | None = None
        for distance in DISTANCES:
            for angle in ANGLES:
                turn = np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle))])
                # the nearest side of the box is at this distance, not its middle
                side = turn / np.abs(turn).max()
                centre = anchor + turn * distance * unit + side * half
                box = np.array([*(centre - half), *(centre + half)])
                leader = (anchor, np.clip(anchor, box[:2], box[2:]))
                cost = _cost(box, leader, points, taken, frame) + distance / 12
                if best is None or cost < best[0]:
                    best = (cost, box, distance)
        assert best is not None
        _, box, distance = best
        middle = (box[:2] + box[2:]) / 2
        text.set_position(tuple((middle - anchor) / unit))
        taken.append(box)
        if distance > 14:
            nearest = np.clip(anchor, box[:2], box[2:])
            ends = axes.transData.inverted().transform(np.array([anchor, nearest]))
            # dotted, so that nobody takes it for an error bar
            axes.plot(*ends.T, ":", color=label.colour, linewidth=1, zorder=1)


def _cost(
    box: Floats,
    leader: tuple[Floats, Floats],
    points: Floats,
    taken: Sequence[Floats],
    frame: Any,
) -> float:
    """What speaks against a box: names and points that it covers, and the edge of the axes."""
    line = leader[0] + np.linspace(0, 1, 7)[:, None] * (leader[1] - leader[0])
    inside = (points > box[:2]) & (points < box[2:])
    cost = 1.0 * float(inside.all(axis=1).sum())
    for other in taken:
        width, height = np.minimum(box[2:], other[2:]) - np.maximum(box[:2], other[:2])
        crossed = ((line > other[:2]) & (line < other[2:])).all(axis=1).any()
        cost += (100 if width > 0 and height > 0 else 0) + (60 if crossed else 0)
    outside = box[0] < frame.x0 or box[2] > frame.x1 or box[1] < frame.y0 or box[3] > frame.y1
    return cost + (50 if outside else 0)
