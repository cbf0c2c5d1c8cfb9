"""Figure 1: the covers of the four methods after 2,000 points of the banana set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from abacoc import Auto, AutoAdj, Base, BaseAdj, prequential
from abacoc.cover import Cover
from abacoc.files import write_atomically
from abacoc.plots import draw_cover, off_screen
from abacoc.streams import load

N_POINTS = 2000
METHODS: dict[str, Callable[[], Cover]] = {
    "BASE": lambda: Base(vote="majority"),
    "BASE-ADJ": BaseAdj,
    "AUTO": Auto,
    "AUTO-ADJ": AutoAdj,
}


def figure1(folder: Path) -> list[Path]:
    """Draw the four covers and write their sizes; the two files.

    All points are divided by one number so that the two farthest are 1 apart, which BASE assumes
    and AUTO does not notice. (Instances of norm 1, the paper's scaling in the other experiments,
    would put a two-dimensional set on a circle.)
    """
    plt = off_screen()
    stream = load("banana")
    X, y = stream.X[:N_POINTS], stream.y[:N_POINTS]
    X = X / _diameter(X)
    figure, panels = plt.subplots(1, 4, figsize=(14, 4), layout="constrained")
    rows = ["method,n_examples,accuracy,n_balls,smallest_radius,largest_radius"]
    for axes, (name, method) in zip(panels, METHODS.items(), strict=True):
        learner = method()
        run = prequential(learner, X, y, keep=False)
        draw_cover(axes, learner, X, y)
        axes.set_title(f"{name}: {run.n_balls} balls, accuracy {run.accuracy:.3f}")
        radii = learner.balls.radii
        rows.append(
            f"{name},{run.n_examples},{run.accuracy:.6f},{run.n_balls},"
            f"{radii.min():.6f},{radii.max():.6f}"
        )
    figure.supxlabel(
        "colour of a ball: the share of the second class among its examples, blue 0 to red 1; "
        "+ are the centres",
        fontsize="medium",
    )
    figures, tables = folder / "figures", folder / "reproduced"
    figures.mkdir(parents=True, exist_ok=True)
    tables.mkdir(parents=True, exist_ok=True)
    with write_atomically(figures / "figure1.png", "wb") as file:
        figure.savefig(file, format="png", dpi=150)
    plt.close(figure)
    with write_atomically(tables / "figure1.csv") as file:
        file.write("\n".join(rows) + "\n")
    return [figures / "figure1.png", tables / "figure1.csv"]


def _diameter(X: NDArray[np.float64]) -> float:
    """Largest distance between two points."""
    return max(float(np.sqrt(((X - x) ** 2).sum(axis=1)).max()) for x in X)
