"""Where the numbers were measured."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata
from pathlib import Path
from time import perf_counter

import numpy as np

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


def read_rates() -> dict[str, str]:
    """How fast one core reads: what a scan of all centres cannot beat, in and beyond the caches.

    >>> sorted(read_rates())
    ['reads 1 MiB', 'reads 256 MiB']
    """
    rates = {}
    for mebibytes in (1, 256):
        values = np.zeros(mebibytes << 17)
        seconds = []
        for _ in range(max(5, 256 // mebibytes)):
            started = perf_counter()
            values.sum()
            seconds.append(perf_counter() - started)
        rates[f"reads {mebibytes} MiB"] = f"{values.nbytes / min(seconds) / 1e9:.1f} GB/s"
    return rates


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
