"""Pictures. Needs matplotlib (the extra ``plots``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from abacoc.ballset import BallSet


def draw_cover(axes: Axes, learner: BallSet, X: Any, y: Any) -> None:
    """The balls of a two-dimensional cover over its points.

    A ball's colour says how likely the second class is inside it: blue for never, red for
    always, pale where the two are mixed.
    """
    from matplotlib.collections import EllipseCollection

    balls = learner.balls
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError("a cover can be drawn in two dimensions only")
    second = balls.counts[:, 1:].sum(axis=1) / balls.counts.sum(axis=1)
    first_label = learner.classes[0]
    colours = np.where(np.asarray(y) == first_label, "#2166ac", "#b2182b")
    axes.scatter(X[:, 0], X[:, 1], s=1.5, c=colours, linewidths=0, zorder=1)
    widths = 2 * balls.radii
    order = np.argsort(-widths)  # large balls first, so that the small ones stay visible
    axes.add_collection(
        EllipseCollection(
            widths[order],
            widths[order],
            np.zeros(len(order)),
            offsets=balls.centres[order],
            offset_transform=axes.transData,
            units="xy",
            array=second[order],
            cmap="RdBu_r",
            clim=(0, 1),
            alpha=0.35,
            edgecolors="black",
            linewidths=0.4,
            zorder=2,
        )
    )
    axes.scatter(
        balls.centres[:, 0],
        balls.centres[:, 1],
        s=5,
        c="black",
        marker="+",
        linewidths=0.5,
        zorder=3,
    )
    axes.set_aspect("equal")
    margin = 0.08 * np.ptp(X, axis=0).max()
    axes.set_xlim(X[:, 0].min() - margin, X[:, 0].max() + margin)
    axes.set_ylim(X[:, 1].min() - margin, X[:, 1].max() + margin)
    axes.set_xticks([])
    axes.set_yticks([])
