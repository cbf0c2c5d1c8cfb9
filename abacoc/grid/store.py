"""Results on disk: one file per key, whole or not at all, with a checksum."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from abacoc.files import sweep, write_atomically
from abacoc.grid.jobs import Job
from abacoc.grid.keys import canonical, digest, identity
from abacoc.grid.tables import Record, Table

STALE = 3600.0  # seconds; a temporary file this old belongs to a run that was killed


class Damaged(ValueError):
    """A file of the store that is not what was written."""


class Store:
    """A folder of results, `ab/abcdef....json` for the key abcdef....; behind it, a table of more.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = Store(folder.name)
    >>> record = Record({"job": 1}, {"accuracy": 0.1}, "", {"seconds": 2.0})
    >>> store.write(record)
    >>> store.read(record.key) == record, store.read("0" * 64)
    (True, None)
    >>> folder.cleanup()
    """

    def __init__(self, folder: str | Path, table: Table | None = None) -> None:
        self.folder, self.table = Path(folder), table or Table()

    def path(self, key: str) -> Path:
        """Where the result of that key is, or would be."""
        return self.folder / key[:2] / f"{key}.json"

    def write(self, record: Record) -> None:
        """Put a result in the place of what is there, if anything."""
        content = record._asdict()
        path = self.path(record.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path) as file:
            file.write(canonical({"checksum": digest(content), "content": content}) + "\n")

    def read(self, key: str) -> Record | None:
        """The result; None if there is none, `Damaged` if the file is not what was written."""
        path = self.path(key)
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            whole = json.loads(text)
            record = Record(**whole["content"])
            sound = whole["checksum"] == digest(whole["content"]) and record.key == key
        except (ValueError, KeyError, TypeError, RecursionError):
            sound = False
        if not sound:
            raise Damaged(f"{path} is truncated or altered: its checksum does not match")
        return record

    def find(self, job: Job, curve: bool = False) -> Record | None:
        """The result of a job, of the folder or else of the table, there perhaps without its curve.

        None without one, or with a damaged one, or without its data.
        """
        with contextlib.suppress(ValueError):
            found = self.read(digest(identity(job)))
            if found is not None:
                return found
        return self.table.find(job, curve)

    def sweep(self) -> int:
        """Remove what killed runs were just writing; how many files that was."""
        return sweep(self.folder.glob("??/.*.json.*"), STALE)
