"""The paper's tables and figures from the table of runs, published and ours side by side.

Each module makes one item with ``make(given)``; the notebooks call it and show what it returns.
"""

from paper.items import (
    ablation,
    clock,
    drift,
    figure1,
    figure2,
    ledger,
    table1,
    tradeoff,
)
from paper.items.item import Given, Item, Picture, Table, stored
from paper.items.show import show

__all__ = [
    "Given",
    "Item",
    "Picture",
    "Table",
    "ablation",
    "clock",
    "drift",
    "figure1",
    "figure2",
    "ledger",
    "show",
    "stored",
    "table1",
    "tradeoff",
]
