"""The Numba twin of the algorithms: same answers, bit for bit, hundreds of times faster.

``learners`` has the classes that ``abacoc`` exports. They begin as the reference; an engine takes
over as soon as its kernels are there (``kernels``). These are compiled once, and kept on disk.
"""

from __future__ import annotations


def warm_up() -> None:
    """Compile everything now, or load it from disk: an engine serves from the beginning on."""
    from abacoc.engine.kernels import OURS

    OURS.load()
