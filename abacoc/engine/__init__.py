"""The Numba twin of the algorithms: same answers, bit for bit, hundreds of times faster.

``learners`` has the classes that ``abacoc`` exports. They compile on first use; the result is
kept on disk.
"""

from __future__ import annotations

_warm = False


def warm_up() -> None:
    """Compile everything now, or load it from disk, so that nothing waits for it later."""
    global _warm
    if _warm:
        return
    import numpy as np

    from abacoc.engine.engine import Engine
    from abacoc.engine.loop import recompute_tickets, recursive_mean

    engine = Engine()
    engine.allocate(1, 1.0)
    engine.f[:] = 1.0  # no division by zero where Numba is switched off
    X, flags = np.zeros((1, 1)), np.zeros(1, dtype=np.bool_)
    numbers = np.zeros(1, dtype=np.int64)
    engine.run(X, numbers, flags, (numbers, numbers, np.zeros(1)))
    engine.look(X[0])
    engine.chance()
    engine.take(X[0], 0)
    engine.centres()
    recompute_tickets(engine._handle)
    recursive_mean(flags, 0.0, 0)
    _warm = True


def must_compile() -> bool:
    """True if nothing compiled from these sources is on disk yet."""
    from abacoc.engine.jit import is_on_disk
    from abacoc.engine.loop import run

    return not _warm and not is_on_disk(run)
