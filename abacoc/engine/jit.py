"""How kernels are compiled: no fast mathematics, and a cache that knows every source file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from numba import njit
from numba.core.compiler import Compiler

Function = TypeVar("Function", bound=Callable[..., Any])


config: Any = numba.config


class _Part(Compiler):
    """Optimizes a part a little: it becomes a part of entries, which are optimized in full.

    Numba optimizes every function with all that it calls, once more in each of its callers.
    """

    def compile_extra(self, func: Any) -> Any:
        """Compile the function. The level is read when it is optimized; one thread compiles."""
        before = config.OPT
        config.OPT = type(before)(min(before, 1))
        try:
            return super().compile_extra(func)  # type: ignore[no-untyped-call]
        finally:
            config.OPT = before


# fastmath stays off: additions keep their order, so that the bits are those of the reference.
# Without Numba's memory (`nrt`) nobody counts who uses an array, which took as long as a small
# search, and a kernel that asks for memory is not compiled.
_EXACT: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "_nrt": False}
_PART = _EXACT | {
    "pipeline_class": _Part,
    "no_cpython_wrapper": True,  # Python does not call it
    "no_cfunc_wrapper": True,
}


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call; it becomes a part of its callers."""
    return cast(Function, njit(**_PART)(function))


def inlined(function: Function) -> Function:
    """Compile a kernel on the path of every example, without the cost of a call."""
    return cast(Function, njit(**_PART, forceinline=True)(function))


WITHOUT = ("__init__.py", "check.py", "engine.py", "kernels.py", "learners.py", "rows.py")


def sources() -> list[Path]:
    """The files with what is compiled: those of this folder but a few, and base.py for p_t."""
    here = Path(__file__).parent
    paths = [path for path in here.glob("*.py") if path.name not in WITHOUT]
    return [here.parent / "base.py", *sorted(paths)]


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
    try:
        return cast(Function, njit(**_EXACT, cache=True)(function))
    except RuntimeError:  # there is no folder to write to: compile in every process
        return cast(Function, njit(**_EXACT)(function))


@cache
def in_python(entry: Any) -> Any:
    """An entry as Python runs it, and the kernels that it calls: slow, with the same answers.

    It takes the state itself, and can be interrupted in the middle of an example.
    """
    made: dict[Any, Any] = {}

    def plain(value: Any) -> Any:
        python = getattr(value, "py_func", None)
        if python is None:
            return value
        if python not in made:
            names: dict[str, Any] = {}
            made[python] = FunctionType(python.__code__, names)
            names |= {name: plain(value) for name, value in python.__globals__.items()}
        return made[python]

    return plain(entry)


def is_on_disk(entry: Any) -> bool:
    """True if an entry was compiled before, from these sources; or never will be."""
    if not hasattr(entry, "stats"):
        return True  # Numba is switched off
    folder = entry.stats.cache_path
    found = Path(folder).glob(f"*{entry.__name__}_{SOURCES}*.nbi") if folder else ()
    return any(found)


def can_be_kept(entry: Any) -> bool:
    """True if what an entry is compiled to can be written to disk."""
    return hasattr(entry, "stats") and entry.stats.cache_path is not None
