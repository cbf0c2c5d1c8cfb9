"""The paper's items, one function each, and what runs them."""

from __future__ import annotations

from pathlib import Path

from abacoc.experiments.figure1 import figure1

ITEMS = {"fig1": figure1}


def reproduce(folder: str | Path, only: str | None = None) -> list[str]:
    """Regenerate the items into ``folder``; the files written."""
    if only is not None and only not in ITEMS:
        raise ValueError(f"unknown item {only!r}; the items are {', '.join(ITEMS)}")
    written: list[str] = []
    for name, item in ITEMS.items():
        if only in (None, name):
            written += [str(path) for path in item(Path(folder))]
    return written
