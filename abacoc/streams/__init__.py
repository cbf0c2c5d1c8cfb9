"""Labelled streams: generated ones, files (CSV, ARFF, LIBSVM) and the registered data sets."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from abacoc.streams.stream import Stream, is_generated, label_codes, shuffled

if TYPE_CHECKING:
    from abacoc.scaling import scaled
    from abacoc.streams.generators import generate
    from abacoc.streams.readers import Pieces, read_file, read_pieces
    from abacoc.streams.registry import check, fetch, get, load, locate, names

__all__ = [
    "Pieces",
    "Stream",
    "check",
    "fetch",
    "generate",
    "get",
    "is_generated",
    "label_codes",
    "load",
    "locate",
    "names",
    "open_stream",
    "read_file",
    "read_pieces",
    "scaled",
    "shuffled",
]

# Each is imported when it is first asked for: a generated stream needs no readers and no registry,
# a file neither registry nor generators.
_HOMES = {
    "abacoc.scaling": ("scaled",),
    "abacoc.streams.generators": ("generate",),
    "abacoc.streams.readers": ("Pieces", "read_file", "read_pieces"),
    "abacoc.streams.registry": ("check", "fetch", "get", "load", "locate", "names"),
}


def __getattr__(name: str) -> Any:
    for home, public in _HOMES.items():
        if name in public:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open_stream(name_or_path: str | os.PathLike[str], **reader_options: Any) -> Stream:
    """A registered data set by its name, else a file by its path (`./sea` for a file named sea).

    `generated:NAME,...` and `adversary:NAME,...` are generated, see `abacoc.streams.generators`.
    The options are those of `read_file`; a registered data set has its own and takes `limits` only.
    """
    text = os.fspath(name_or_path)
    if is_generated(text):
        from abacoc.streams.generators import open_generated

        return open_generated(text, **reader_options)
    # the name of a set has neither folder nor suffix
    if not (os.path.dirname(text) or os.path.splitext(text)[1]):
        from abacoc.streams.registry import is_file, open_set

        if not is_file(text):
            return open_set(text, **reader_options)
    from abacoc.streams.readers import read_file

    return read_file(name_or_path, **reader_options)
