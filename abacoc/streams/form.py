"""What a reader is told of an input: which column is the label, which are left out, and so on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, Literal

from abacoc.limits import DEFAULT, Limits

FORMATS = ("csv", "arff", "libsvm", "parquet")
DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "blanks": " "}
Named = Collection[str | int]  # columns by name, or by number from 1


@dataclass(frozen=True)
class Form:
    """How to take a table; the options of the shell have the same names.

    Columns are given by name or by number from 1. `missing` says what becomes of a value that is
    missing: with ``mean`` a number becomes the mean of those before it in the stream (it does not
    look ahead) and a word the category ``?``; with ``category`` a column of numbers also gets a
    0/1 column that says where they are missing. A missing label is refused in any case.
    With the `model` of a saved learner (its `columns`) the columns are those that it was made with.

    >>> Form(drop="id", decimal=",").drop
    ('id',)
    """

    label: str | int | None = None  # None: the last column, in LIBSVM the first
    drop: Named = ()
    numeric: Named = ()
    categorical: Named = ()
    header: bool | None = None  # None: told by the first lines
    delimiter: str | None = None  # None: told by the first lines; " " is any run of blanks
    decimal: Literal[".", ","] = "."
    missing: Literal["error", "mean", "category"] = "error"
    format: str | None = None  # None: told by the name or the content
    trailing_comma: bool = False  # accept one stray delimiter at the end of a row
    known: bool = False  # a registered set: what its columns look like is no news
    limits: Limits = DEFAULT  # None is the same
    model: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        """Refuse what no reader knows; a lone name is a list of one, not of its letters."""
        for name in ("drop", "numeric", "categorical"):
            columns: Any = getattr(self, name)
            listed = (columns,) if isinstance(columns, str | int) else tuple(columns)
            object.__setattr__(self, name, listed)
        object.__setattr__(self, "delimiter", DELIMITERS.get(self.delimiter or "", self.delimiter))
        object.__setattr__(self, "limits", self.limits or DEFAULT)
        _refuse(self.format, "format", (None, *FORMATS))
        _refuse(self.missing, "missing", ("error", "mean", "category"))
        _refuse(self.decimal, "decimal", (".", ","))
        if self.delimiter is not None and len(self.delimiter) != 1:
            known = ", ".join(DELIMITERS)
            raise ValueError(f"a delimiter is one character or {known}, not {self.delimiter!r}")
        if self.delimiter == self.decimal == ",":
            raise ValueError("the comma cannot be both --delimiter and --decimal")

    def refuse_given(self, source: str, *names: str) -> None:
        """`ValueError` if one of these was given, where it means nothing."""
        plain = {field.name: field.default for field in fields(self)}
        for name in names:
            if getattr(self, name) != plain[name]:
                raise ValueError(f"{source}: --{name.replace('_', '-')} means nothing here")


def _refuse(given: str | None, what: str, known: tuple[str | None, ...]) -> None:
    if given not in known:
        names = ", ".join(name for name in known if name)
        raise ValueError(f"unknown {what} {given!r}: it is one of {names}")
