"""Names written beside points, so that no legend has to be looked up."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import patheffects

# Where a name may stand: so far from its point, in these directions.
DISTANCES, ANGLES = (9.0, 14.0, 20.0, 27.0, 36.0, 48.0, 62.0), np.radians(range(0, 360, 20))
LOOK: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center", "zorder": 5}


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
    halo = [patheffects.withStroke(linewidth=2, foreground="white")]
    axes.figure.canvas.draw()  # the layout moves the axes once; the names must come after that
    unit = axes.figure.dpi / 72
    points = axes.transData.transform(np.array(list(avoid), dtype=float).reshape(-1, 2))
    frame = axes.get_window_extent()
    turn = np.tile(np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1), (len(DISTANCES), 1))
    side = turn / np.abs(turn).max(axis=1, keepdims=True)
    distance = np.repeat(DISTANCES, len(ANGLES))
    taken: list[Any] = []
    for label in labels:
        look = LOOK | {"color": label.colour, "fontweight": label.weight, "path_effects": halo}
        text = axes.annotate(label.text, (label.x, label.y), xytext=(0, 0), fontsize=8.5, **look)
        extent = text.get_window_extent()
        half = np.array([extent.width, extent.height]) / 2 + 3.5 * unit  # markers are as wide
        anchor = axes.transData.transform((label.x, label.y))
        # the nearest side of the box is at this distance, not its middle
        centre = anchor + turn * distance[:, None] * unit + side * half
        low, high = centre - half, centre + half
        nearest = np.clip(anchor, low, high)
        line = anchor + np.linspace(0, 1, 7)[:, None] * (nearest - anchor)[:, None]
        # what speaks against a box: points and names that it covers, and the edge of the axes
        cost = distance / 12 + _inside(points, low[:, None], high[:, None]).sum(axis=1)
        for other_low, other_high in taken:
            covered = (np.minimum(high, other_high) > np.maximum(low, other_low)).all(axis=1)
            cost += 100 * covered + 60 * _inside(line, other_low, other_high).any(axis=1)
        cost += 50 * ((low < frame.min) | (high > frame.max)).any(axis=1)
        best = cost.argmin()
        text.set_position(tuple((centre[best] - anchor) / unit))
        taken.append((low[best], high[best]))
        if distance[best] > 14:
            ends = axes.transData.inverted().transform(np.array([anchor, nearest[best]]))
            # dotted, so that nobody takes it for an error bar
            axes.plot(*ends.T, ":", color=label.colour, linewidth=1, zorder=1)


def _inside(points: Any, low: Any, high: Any) -> Any:
    return ((points > low) & (points < high)).all(axis=-1)
