"""The paper's tables and figures from the table of runs, published and ours side by side.

Each module makes one item with ``make(given)``; the notebooks call it and show what it returns.
"""

from paper.items import (
    clock,
    figure1,
    figure2,
    rows,
    significance,
    statements,
    table1,
    tables23,
    tradeoff,
)
from paper.items.item import Given, Item, Picture, Table, stored
from paper.items.show import show

__all__ = [
    "Given",
    "Item",
    "Picture",
    "Table",
    "clock",
    "figure1",
    "figure2",
    "rows",
    "show",
    "significance",
    "statements",
    "stored",
    "table1",
    "tables23",
    "tradeoff",
]
