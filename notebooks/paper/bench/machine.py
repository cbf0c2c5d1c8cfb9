"""Where the numbers were measured."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path

PACKAGES = ("numpy", "numba", "river", "capymoa")


def describe() -> dict[str, str]:
    """Processor, system and versions; nothing is imported for it.

    >>> sorted(describe())[:4]
    ['abacoc', 'capymoa', 'cores', 'numba']
    """
    from abacoc import __version__

    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "abacoc": __version__,
        **{name: _version(name) for name in PACKAGES},
    }


def resident_bytes() -> int:
    """Memory that this process holds now; where the system does not tell, the most it ever held.

    >>> resident_bytes() > 10**6
    True
    """
    path = Path("/proc/self/statm")
    if path.is_file():
        return int(path.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if platform.system() == "Darwin" else 1024 * most


def _processor() -> str:
    """The model's name, which Linux tells in a file only."""
    path = Path("/proc/cpuinfo")
    if path.is_file():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
