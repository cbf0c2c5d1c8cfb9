"""An item in a notebook."""

from __future__ import annotations

from paper.items.item import Item


def markdown(item: Item) -> str:
    """The text and the tables of an item, without its pictures.

    >>> print(markdown(Item("x", "Figure X", missing="There is nothing.")))
    **There is nothing.**
    """
    parts = [f"**{item.missing}**"] if item.missing else []
    parts += item.told
    for table in item.tables:
        parts += [f"*{table.caption}*" if table.caption else "", table.markdown()]
    return "\n\n".join(part for part in parts if part)


def show(item: Item, output: str) -> None:
    """Pictures first, then text and tables."""
    from pathlib import Path

    from IPython.display import Image, Markdown, display

    for picture in item.pictures:
        display(Image(Path(output) / "figures" / picture.file, alt=picture.alt))  # type: ignore[no-untyped-call]
    display(Markdown(markdown(item)))  # type: ignore[no-untyped-call]
