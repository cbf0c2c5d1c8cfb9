"""One runner at a time for a store: the second one says who is at it.

The kernel's lock on a file does it, rather than claims that expire: it needs no clock, no beat and
no guess of how long a job may take, and it ends with the process that holds it, however that ends;
over NFS, where the lock is the server's, too. Nothing false can come of it where it does not hold
(a file system without locks, a lock file that somebody removed): then two runners compute the same
answers, and each is put in its place whole. A lock saves work, it protects nothing.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = "runner.lock"  # stays in the store: a file that is removed can be locked twice


class Busy(ValueError):
    """Another runner is at this store."""


@contextlib.contextmanager
def only_runner(folder: str | Path) -> Iterator[None]:
    """Hold the store, or raise `Busy`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, only_runner(folder):
    ...     Path(folder, LOCK).read_text() == f"process {os.getpid()} on {socket.gethostname()}"
    True
    """
    path = Path(folder, LOCK)
    path.parent.mkdir(parents=True, exist_ok=True)
    # not inherited by the worker processes: the lock would live as long as they do
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _locked(handle):
            holder = os.read(handle, 200).decode(errors="replace") or "another process"
            raise Busy(
                f"{holder} is computing into {folder}: wait for it, or take another folder "
                f"(if that machine was lost, remove {path})"
            )
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode())
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    """Lock an open file, unless somebody else has; True also where there are no such locks."""
    if sys.platform != "win32":
        import fcntl

        try:
            # not lockf: that lock is the process's, and a second runner in it would pass
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # this file system has none
            return True
    return True
