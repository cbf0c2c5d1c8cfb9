"""Who serves: the reference, until the kernels are here; and how they come without a wait.

To load kernels from disk takes a second, to compile them for a machine half a minute. So a learner
begins as the reference, which is there at once, and an engine takes over in mid-run:

- kernels that this process has serve from the first example on;
- after `PATIENCE` seconds of the reference's work kernels are loaded, if they are on disk; a
  short stream needs none;
- if they are not on disk, another process compiles them there meanwhile, for this run and for all
  later ones. It ends with this one, and what it has compiled by then stays on disk;
- where no process can do that (no folder to write to, no Python to start) they are compiled here,
  once the reference has worked for so long that this pays.

Who serves changes no answer.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from abacoc.interruption import held

PATIENCE = 0.3  # seconds of the reference's work: what Numba takes to be imported
AGAIN = 0.1  # seconds of it until the next look at the disk or at the other process
PAYS = 20.0  # seconds of it after which there is reason to compile here: about what that takes

COMPILE = """
import sys
sys.path[:] = sys.argv[2:]
from abacoc.engine.kernels import compile_for_another
compile_for_another(sys.argv[1])
"""


class Kernels:
    """Kernels that are compiled together: a function that compiles them, and their entries.

    Both are named as ``module:name``, and imported when they are needed: that is Numba's import.
    """

    def __init__(self, warm_up: str, entries: str) -> None:
        self.home, self.entries = warm_up, entries
        self.are_loaded = False
        self.worked = 0.0  # seconds for which the reference has served instead
        self.waited = 0.0  # seconds for which nobody has served
        self._next_look = PATIENCE
        self._compiler: subprocess.Popen[bytes] | None = None
        self._without_help = False
        self._one_at_a_time = threading.Lock()

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Within this block the reference serves instead of these kernels."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.worked += time.perf_counter() - started

    def load(self) -> None:
        """Load them from disk, or compile them, now."""
        if not self.are_loaded:
            _named(self.home)()
            self.are_loaded = True
            self.stop()

    def must_compile(self) -> bool:
        """True if not all of them are here or on disk."""
        from abacoc.engine.jit import is_on_disk

        return not self.are_loaded and not all(map(is_on_disk, _named(self.entries)))

    def are_ready(self) -> bool:
        """True if an engine can take over; they are loaded then. To be asked before each call."""
        if self.are_loaded or self.worked < self._next_look:
            return self.are_loaded
        if self._one_at_a_time.acquire(blocking=False):
            try:
                started = time.perf_counter()
                self._next_look = self.worked + AGAIN
                if not self.must_compile() or (self._needs_no_wait() and self.worked >= PAYS):
                    self.load()
            finally:
                self.waited += time.perf_counter() - started
                self._one_at_a_time.release()
        return self.are_loaded

    def _needs_no_wait(self) -> bool:
        """True if no other process compiles them; it is started if it can be."""
        if not self._without_help and self._compiler is None:
            self._without_help = not self._start()
        if self._compiler is not None and self._compiler.poll() is not None:
            self.stop()
            self._without_help = True  # it is done, and they are not on disk
        return self._without_help

    def _start(self) -> bool:
        from abacoc.engine.jit import can_be_kept

        entries = _named(self.entries)
        # a program that has Python in it would be started once more itself
        if getattr(sys, "frozen", False) or not sys.executable or not can_be_kept(entries[0]):
            return False
        paths = [os.path.abspath(path) for path in sys.path]
        nowhere = subprocess.DEVNULL
        try:
            with held():  # a Ctrl-C is for this process, which ends the other one
                self._compiler = subprocess.Popen(
                    [sys.executable, "-c", COMPILE, self.home, *paths],
                    stdin=subprocess.PIPE,  # its end is the sign that nobody waits any more
                    stdout=nowhere,
                    stderr=nowhere,
                )
                atexit.register(self.stop)
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """End the other process, if there is one; what it has compiled stays on disk."""
        if self._compiler is not None:
            atexit.unregister(self.stop)
            self._compiler.kill()
            self._compiler.communicate()
            self._compiler = None


def _named(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def compile_for_another(home: str) -> None:
    """Compile kernels, so that they are on disk; end at once if the process that asked is gone."""

    def watch() -> None:
        sys.stdin.buffer.read()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    _named(home)()


OURS = Kernels("abacoc.engine.engine:compile_all", "abacoc.engine.loop:ENTRIES")
