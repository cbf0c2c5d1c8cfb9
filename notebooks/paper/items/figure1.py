"""Figure 1: the covers of the four methods on the banana set."""

from __future__ import annotations

from abacoc.grid.tables import read_rows
from paper.figure1 import figure1
from paper.items.item import Given, Item, Picture, Table, kept

TITLE = "Figure 1: the covers after 2,000 points of banana"


def make(given: Given) -> Item:
    """The picture, drawn anew; the paper prints no number for it."""
    picture, table = figure1(given.output)
    shown = [
        [
            row["method"],
            row["n_balls"],
            f"{float(row['accuracy']):.3f}",
            f"{float(row['smallest_radius']):.3f} to {float(row['largest_radius']):.3f}",
        ]
        for row in read_rows(table)
    ]
    told = [
        "The paper prints no numbers for it. It says that "
        "BASE has many overlapping balls, AUTO balls of different radii, and the variants that "
        "move their centres have fewer balls."
    ]
    item = Item(
        "fig1",
        TITLE,
        told,
        [Picture(picture.name, "Four covers of the banana set by balls")],
        [Table("Ours", ["method", "balls", "accuracy", "radii"], shown)],
        [table.name],
        from_runs=False,
    )
    return kept(item, given)
