"""Results on disk: one file per key, whole or not at all, with a checksum; and tables of them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from abacoc.experiments.jobs import Job
from abacoc.experiments.provenance import canonical, digest, identity
from abacoc.files import write_atomically

STALE = 3600.0  # seconds; a temporary file this old belongs to a run that was killed

JOB_COLUMNS = ("stream", "method", "rate", "seed", "scale", "settings")
RESULT_COLUMNS = (
    "accuracy",
    "model_size",
    "model_share",
    "n_examples",
    "n_attributes",
    "n_classes",
    "n_updates",
    "method_used",
    "resolved",
)
# What differs from run to run and from machine to machine; `seconds` is the loop alone.
TIMING_COLUMNS = ("seconds", "duration", "started", "finished")


class Omission(NamedTuple):
    """A job that is left out, and why."""

    job: Job
    reason: str


class Record(NamedTuple):
    """What is known of a job that was run."""

    identity: dict[str, Any]
    result: dict[str, Any] | None  # None: it failed
    error: str  # one line; empty: it did not fail
    provenance: dict[str, Any]  # machine, versions, commit, times: nothing that is compared

    @property
    def key(self) -> str:
        """The name of the result."""
        return digest(self.identity)


class Damaged(ValueError):
    """A file of the store that is not what was written."""


class Store:
    """A folder of results, `ab/abcdef....json` for the key abcdef....

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = Store(folder.name)
    >>> record = Record({"job": 1}, {"accuracy": 0.1}, "", {"seconds": 2.0})
    >>> store.write(record)
    >>> store.read(record.key) == record, store.read("0" * 64)
    (True, None)
    >>> folder.cleanup()
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path(self, key: str) -> Path:
        """Where the result of that key is, or would be."""
        return self.folder / key[:2] / f"{key}.json"

    def write(self, record: Record) -> None:
        """Put a result in the place of what is there, if anything."""
        content = record._asdict()
        path = self.path(record.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not forced to the disk: what a loss of power leaves of it fails its checksum.
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

    def find(self, job: Job) -> Record | None:
        """The result of a job; None without one, or with a damaged one, or without its data."""
        with contextlib.suppress(ValueError):
            return self.read(digest(identity(job)))
        return None

    def sweep(self) -> int:
        """Remove what killed runs were just writing; how many files that was."""
        old = time.time() - STALE
        count = 0
        for path in self.folder.glob("??/.*.json.*"):
            with contextlib.suppress(FileNotFoundError):  # somebody else was quicker
                if path.stat().st_mtime < old:
                    path.unlink()
                    count += 1
        return count


# Tables ---------------------------------------------------------------------------------------


def export(
    store: Store, jobs: Iterable[Job], path: str | Path, omitted: Iterable[Omission] = ()
) -> tuple[Path, Path]:
    """Write a table of results to ``path``, and where they come from to ``NAME.provenance.csv``.

    A row per job, sorted, the omitted ones too. The first table is the same for the same sources
    and data, byte for byte; all that may differ, the times above all, is in the second.
    """
    path = Path(path)
    found = [(job, store.find(job)) for job in sorted(set(jobs))]
    rows = [_row(job, record) for job, record in found]
    rows += [
        _job_cells(job) | {"status": "omitted", "reason": reason} for job, reason in set(omitted)
    ]
    rows.sort(key=lambda row: [row[name] for name in JOB_COLUMNS])
    columns = (*JOB_COLUMNS, "status", "reason", *RESULT_COLUMNS, "key")
    _write(path, columns, rows)
    origins = [_origin(record) for _, record in found if record is not None]
    names = list(dict.fromkeys(name for row in origins for name in row))
    beside = path.with_suffix(".provenance.csv")
    _write(beside, names or ["key"], origins)
    return path, beside


def export_curves(store: Store, jobs: Iterable[Job], path: str | Path) -> Path:
    """Write the curves: accuracy in each window of the stream, model size at its end."""
    rows = []
    for job in sorted(set(jobs)):
        record = store.find(job)
        if record is not None and record.result is not None:
            curve = record.result["curve"]
            points = zip(curve["ends"], curve["accuracy"], curve["model_sizes"], strict=True)
            rows += [
                _job_cells(job) | {"end": end, "accuracy": accuracy, "model_size": size}
                for end, accuracy, size in points
            ]
    _write(Path(path), (*JOB_COLUMNS, "end", "accuracy", "model_size"), rows)
    return Path(path)


def _job_cells(job: Job) -> dict[str, Any]:
    return job.as_dict() | {"settings": canonical(dict(job.settings))}


def _row(job: Job, record: Record | None) -> dict[str, Any]:
    if record is None:
        return _job_cells(job) | {"status": "not run"}
    row = _job_cells(job) | {"key": record.key}
    if record.result is None:
        return row | {"status": "failed", "reason": record.error}
    cells = {name: record.result[name] for name in RESULT_COLUMNS}
    return row | {"status": "done"} | cells | {"resolved": canonical(cells["resolved"])}


def _origin(record: Record) -> dict[str, Any]:
    programs = ", ".join(
        f"{name} {version}" for name, version in record.identity["programs"].items()
    )
    return {
        "key": record.key,
        "data": record.identity["data"],
        "code": record.identity["code"],
        "programs": programs,
        **{name: record.provenance.get(name) for name in TIMING_COLUMNS},
        **record.provenance["surroundings"],
    }


def _write(path: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """CSV; Python writes a float as the shortest decimal that reads back the same."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with write_atomically(path) as file:
        file.write(text.getvalue())
