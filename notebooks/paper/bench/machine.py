"""Where the numbers were measured."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata
from pathlib import Path

from abacoc import __version__


def describe() -> dict[str, str]:
    """Processor, system and versions; nothing is imported for it.

    >>> sorted(describe())[:4]
    ['abacoc', 'capymoa', 'cores', 'numba']
    """
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "abacoc": __version__,
        **{name: _version(name) for name in ("numpy", "numba", "river", "capymoa")},
    }


def processor() -> str:
    """The model's name, which Linux tells in a file only."""
    path = Path("/proc/cpuinfo")
    told = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    found = re.search(r"^model name\s*: *(.*)$", told, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
