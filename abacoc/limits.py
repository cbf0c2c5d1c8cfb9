"""How much a file may ask for: limits with names, and the option that raises each.

They are there for files that are broken, or made to do harm: a megabyte can unfold to a thousand,
18 bytes can name a million attributes. What is larger and meant so is read with the limit raised,
from the shell by `--limit NAME=VALUE`, from Python by `limits=Limits(NAME=VALUE)`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

OPTION = "--limit "
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class LimitError(ValueError):
    """A limit that a file goes beyond, on one line with the option that raises it."""


@dataclass(frozen=True)
class Limits:
    """The most that is taken of each; bytes unless a comment says otherwise.

    >>> Limits(line=100).cell, Limits.parse(["line=2K", "categories=50"]).line
    (131072, 2048)
    """

    line: int = 1 << 24  # of text: 256 for each of that many columns
    cell: int = 1 << 17  # characters; the csv module of Python has the same
    unpacked: int = 1 << 32  # what a compressed file unfolds to
    dictionary: int = 1 << 27  # memory to unpack an .xz file, which says how much; -9 is 65 MiB
    columns: int = 1 << 16  # a number: of attributes, each category one; the largest index
    categories: int = 10_000  # a number: of one column, each of which becomes a column of zeros
    matrix: int = 1 << 32  # of the instances in memory: the whole, or a piece where read in pieces
    model: int = 1 << 30  # a file with a learner

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is not int or value < 1:
                raise ValueError(f"limit {field.name} must be a whole number from 1, not {value!r}")

    @classmethod
    def parse(cls, options: list[str]) -> Limits:
        """The limits that the options `NAME=VALUE` of the shell change; K, M, G are powers of 1024.

        >>> Limits.parse(["line=64M"]) == Limits(line=1 << 26)
        True
        """
        names = [field.name for field in fields(cls)]
        given: dict[str, int] = {}
        for option in options:
            name, _, value = option.partition("=")
            if name not in names:
                raise ValueError(
                    f"--limit takes {', '.join(names[:-1])} or {names[-1]}, not {name[:40]}"
                )
            digits = value.rstrip("KMGkmg")
            unit = value[len(digits) :].upper()
            if not (digits.isdecimal() and len(digits) < 19 and unit in _UNITS):
                raise ValueError(f"--limit {name} is a number such as 500 or 64M, not {value[:40]}")
            given[name] = int(digits) * _UNITS[unit]
        return cls(**given)

    def said(self, name: str) -> str:
        """A limit and the option that raises it, for a message.

        >>> Limits(categories=1234).said("categories"), Limits().said("line")
        ('1,234 (--limit categories=N allows more)', '16 MiB (--limit line=N allows more)')
        """
        value = getattr(self, name)
        shown = f"{value:,}" if name in ("cell", "columns", "categories") else size(value)
        return f"{shown} ({OPTION}{name}=N allows more)"


DEFAULT = Limits()


def size(n_bytes: int) -> str:
    """A number of bytes, in the largest unit that leaves it whole.

    >>> size(1 << 32), size(3000), size(1536 << 10)
    ('4 GiB', '3,000 bytes', '1,536 KiB')
    """
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if n_bytes % scale == 0:
            return f"{n_bytes // scale:,} {unit}"
    return f"{n_bytes:,} bytes"
