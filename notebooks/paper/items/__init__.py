"""The paper's tables and figures from the table of runs, published and ours side by side.

Each module makes one item with ``make(given)``; the notebooks call it and show what it returns.
"""

from paper.items import (
    ablation,
    drift,
    ledger,
    rows,
    significance,
    statements,
    tables23,
)
from paper.items.item import Given, Item, Picture, Table, stored
from paper.items.show import show

__all__ = [
    "Given",
    "Item",
    "Picture",
    "Table",
    "ablation",
    "drift",
    "ledger",
    "rows",
    "show",
    "significance",
    "statements",
    "stored",
    "tables23",
]
