"""Files appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


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
    encoding = None if "b" in mode else "utf-8"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(
            handle, mode, encoding=encoding, newline=None if "b" in mode else ""
        ) as file:
            yield file
        # mkstemp makes the file private; give it the permissions an ordinary new file has
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
