"""Files appear whole or not at all, and last: a loss of power takes none that was written."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

STALE = 24 * 3600.0  # seconds: what has not been touched for a day belongs to nobody who lives


def check_folder(path: str | Path) -> None:
    """ValueError if a file could not be written there: better before the work than after it."""
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(f"no folder {path.parent} to write {path.name} into")
    if path.exists() and not path.is_file():  # a folder, a device, a pipe
        raise ValueError(f"{path} cannot be written: it is not an ordinary file")
    if len(os.fsencode(path.name)) > 200 or not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written")


@contextlib.contextmanager
def write_atomically(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A new file that takes the place of ``path`` only when it has been written to the end.

    It is on the disk before it has the name, and the name before this returns. What processes that
    were killed have left beside it is swept.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder, "answer.txt")
    ...     with write_atomically(target) as file:
    ...         _ = file.write("42")
    ...     target.read_text()
    '42'
    """
    check_folder(path)
    path = Path(path).resolve()  # through a link, to the file it means
    sweep(p for p in path.parent.iterdir() if p.name.startswith(f".{path.name}."))
    text = "b" not in mode
    # named before it is made, so that no moment is between making it and the duty to remove it
    name = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        with open(
            name,
            mode.replace("w", "x"),
            encoding="utf-8" if text else None,
            newline="" if text else None,
        ) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    if hasattr(os, "O_DIRECTORY"):  # elsewhere a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sweep(remains: Iterable[Path], age: float = STALE) -> int:
    """Remove the files, and folders of files, that nobody touched for so many seconds; how many.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     old = Path(folder, "old")
    ...     old.touch()
    ...     os.utime(old, (0, 0))
    ...     Path(folder, "new").touch()
    ...     sweep(Path(folder).iterdir()), os.listdir(folder)
    (1, ['new'])
    """
    old = time.time() - age
    count = 0
    for path in remains:
        with contextlib.suppress(OSError):  # somebody else was quicker, or it is not ours
            if path.lstat().st_mtime < old:
                if path.is_dir() and not path.is_symlink():
                    for inner in path.iterdir():
                        inner.unlink()
                    path.rmdir()
                else:
                    path.unlink()
                count += 1
    return count
