"""The paper's numbers, as they are printed (``paper_results/published``)."""

from __future__ import annotations

import csv
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from abacoc.streams.datasets import TableRow
from paper.notebooks import ROOT

FOLDER = ROOT / "paper_results" / "published"
METHODS = ("NN3", "AUTO-ADJ", "AUTO-ADJ FIX")  # the columns of Tables II and III
TABLES = {"II": 0.10, "III": 0.01}  # and their budgets
RATES = (0.10, 0.05, 0.03, 0.01)
# A printed .714 may be rounded or cut (Table III's sizes are cut): it stands for .7135 to .715.
BELOW, ABOVE = 0.0005, 0.001
Floats = NDArray[np.float64]


class Point(NamedTuple):
    """A point of Figures 3 and 4: means over the sets; the accuracy is normalised."""

    method: str
    rate: float
    size: float
    accuracy: float


Points = dict[tuple[str, float], Point]  # by method and rate


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file as they are written, digit for digit.

    >>> rows("figure2")[0]
    {'panel': 'a', 'method': 'AUTO-ADJ', 'value': '0.133699375001397'}
    """
    path = FOLDER / f"{name}.csv"
    if not path.is_file():
        raise ValueError(f"no file {path}: the paper's numbers come with a checkout of the project")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table1() -> dict[str, TableRow]:
    """Table I, by data set."""
    return {
        name: TableRow(int(classes), int(dimension), int(examples), drift == "yes", source)
        for name, classes, dimension, examples, drift, source in map(dict.values, rows("table1"))
    }


def tables() -> pd.DataFrame:
    """Tables II and III, a row per cell; the sizes are relative to the length of the stream."""
    both = [pd.DataFrame(rows(f"table{n}")).assign(table=t) for n, t in enumerate(TABLES, start=2)]
    return pd.concat(both, ignore_index=True).astype({"accuracy": float, "size": float})


def column(table: str, method: str, what: Literal["accuracy", "size"]) -> Floats:
    """A column of Table II or III, in the order of its rows.

    >>> float(column("II", "AUTO-ADJ", "accuracy").max())
    0.98
    """
    cells = tables()
    return np.asarray(cells[(cells.table == table) & (cells.method == method)][what])


def names() -> list[str]:
    """The data sets in the order of Tables II and III."""
    return list(tables().data.unique())


def figure2() -> dict[str, dict[str, float]]:
    """Figure 2: panel (a: model size, b: normalised accuracy), method, bar."""
    return {
        panel: {r["method"]: float(r["value"]) for r in rows("figure2") if r["panel"] == panel}
        for panel in ("a", "b")
    }


def figure3(name: str = "figure3") -> Points:
    """Figure 3, nine methods at four rates; by method and rate.

    >>> figure3()["NN3", 0.05].size
    0.05
    """
    points = (
        Point(method, float(rate.rstrip("%")) / 100, float(size), float(accuracy))
        for method, rate, size, accuracy in map(dict.values, rows(name))
    )
    return {(point.method, point.rate): point for point in points}


def figure4() -> Points:
    """Figure 4, three methods at four rates or budgets; by method and rate."""
    return figure3("figure4")
