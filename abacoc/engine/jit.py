"""How kernels are compiled: no fast mathematics, and a cache that knows every source file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call; it becomes a part of its callers."""
    # fastmath stays off: additions keep their order, so that the bits are those of the reference
    return cast(Function, njit(error_model="numpy", fastmath=False)(function))


def inlined(function: Function) -> Function:
    """Compile a kernel on the path of every example, without the cost of a call."""
    return cast(Function, njit(error_model="numpy", fastmath=False, forceinline=True)(function))


def sources() -> list[Path]:
    """The files whose functions are compiled: those of this folder, and base.py for p_t."""
    here = Path(__file__).parent
    return [here.parent / "base.py", *sorted(here.glob("*.py"))]


def digest(paths: list[Path]) -> str:
    """A few letters that stand for what is in the files."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:12]


SOURCES = digest(sources())


def entry(function: Function) -> Function:
    """Compile a function that Python calls, once per machine: the result is kept on disk.

    Numba looks only at the file of an entry to tell whether its cache is stale, and would miss a
    change in a kernel elsewhere. The file of the cache has the name of the function; with the
    digest of all sources in the name, other sources have another file.
    """
    function.__qualname__ = f"{function.__name__}_{SOURCES}"
    return cast(Function, njit(error_model="numpy", fastmath=False, cache=True)(function))


def is_on_disk(entry: Any) -> bool:
    """True if an entry was compiled before, from these sources; or never will be."""
    if not hasattr(entry, "stats"):
        return True  # Numba is switched off
    return any(Path(entry.stats.cache_path).glob(f"*{entry.__name__}_{SOURCES}*.nbi"))
