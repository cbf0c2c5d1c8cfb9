"""Tables of runs, as CSV: what was run and what came out. A table is a store as well.

A run that a table has, with the epoch that its method has now and the content that its data have,
need not be computed again, whoever computed it and wherever. Only ``seconds``, the time of the
loop, differs from machine to machine: it is that of the first computation, and is not compared.
"""

from __future__ import annotations

import csv
import io
import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from abacoc.files import write_atomically
from abacoc.grid.inputs import head_of
from abacoc.grid.keys import canonical, data_version, digest, identity, programs
from abacoc.methods import EPOCHS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from abacoc.grid.jobs import Job


def _or_none(text: str) -> float | None:
    """A score; runs from before it was kept do not have it."""
    return float(text) if text else None


JOB_COLUMNS = ("stream", "method", "rate", "seed", "scale", "settings", "order")
RESULT_COLUMNS: dict[str, Callable[[str], Any]] = {
    "accuracy": float,
    "kappa": _or_none,
    "kappa_temporal": _or_none,
    "macro_f1": _or_none,
    "model_size": int,
    "model_share": float,
    "n_examples": int,
    "n_attributes": int,
    "n_classes": int,
    "n_updates": int,
    "method_used": str,
    "resolved": json.loads,
}
KEY_COLUMNS = ("epoch", "data", "programs")
COLUMNS = (*JOB_COLUMNS, "status", "reason", *RESULT_COLUMNS, *KEY_COLUMNS, "seconds")
RESULTS, TUNING, CURVES = "results.csv", "tuning.csv", "curves.csv"
OTHER = "other_settings.csv"
CURVE_COLUMNS = (*JOB_COLUMNS, "end", "accuracy", "model_size")

Row = dict[str, str]
Place = tuple[str, ...]  # the cells that name a job
NONE: Mapping[Place, Row] = {}


class Record(NamedTuple):
    """What is known of a job that was run."""

    identity: dict[str, Any]
    result: dict[str, Any] | None  # None: it failed
    error: str  # one line; empty: it did not fail
    provenance: dict[str, Any]  # times, and where it failed: nothing that is compared

    @property
    def key(self) -> str:
        """The name of the result."""
        return digest(self.identity)


class Omission(NamedTuple):
    """A job that is left out, and why."""

    job: Job
    reason: str


class Table:
    """The runs of a folder with tables, those of them that are valid today, and their curves."""

    def __init__(self, folder: Path | None = None) -> None:
        self.results = _valid(folder, RESULTS)
        self.tuning = _valid(folder, TUNING)  # the trials behind the settings of the competitors
        self.other = _valid(folder, OTHER)  # the competitors with settings that were not chosen
        self.curves: dict[Place, list[Row]] = {}
        for row in read_rows(folder / CURVES) if folder else ():
            if place(row) in self.results:
                self.curves.setdefault(place(row), []).append(row)

    @property
    def streams(self) -> set[str]:
        """The streams with results."""
        return {row["stream"] for row in self.results.values() if row["status"] == "done"}

    def _row(self, here: Place) -> Row | None:
        """A run that is there; a table may say that it has not run what another has."""
        rows = [part.get(here) for part in (self.results, self.tuning, self.other)]
        return next((row for row in rows if row and row["status"] == "done"), None)

    def find(self, job: Job, curve: bool = False) -> Record | None:
        """The run of a job, with its curve if that is asked for; None if it is not there."""
        here = place(_job_cells(job))
        row, points = self._row(here), self.curves.get(here)
        if row is None or (curve and points is None):
            return None
        result = {name: kind(row[name]) for name, kind in RESULT_COLUMNS.items()}
        if points is not None:
            result["curve"] = {
                "ends": [int(point["end"]) for point in points],
                "accuracy": [float(point["accuracy"]) for point in points],
                "model_sizes": [int(point["model_size"]) for point in points],
            }
        return Record(identity(job), result, "", {"seconds": row["seconds"]})


def _valid(folder: Path | None, name: str) -> dict[Place, Row]:
    rows = read_rows(folder / name) if folder else []
    return {place(row): row for row in rows if is_valid(row)}


def is_valid(row: Row) -> bool:
    """Whether a row says what would come out today; a run that was left out says nothing.

    A program of others that is not installed here may stand in a table all the same.
    """
    if row["status"] != "done":
        return True
    try:
        if (row["epoch"], row["data"]) != (str(EPOCHS[row["method"]]), _data(row["stream"])):
            return False
    except (KeyError, ValueError):  # no such method any more, or nobody has seen the data
        return False
    program = row["programs"].partition(" ")[0]
    return row["programs"] == programs(row["method"]) or not find_spec(program)


def _data(stream: str) -> str:
    return data_version(head_of(stream)[0])


def export(
    find: Callable[[Job], Record | None],
    jobs: Iterable[Job],
    path: Path,
    omitted: Iterable[Omission] = (),
    kept: Mapping[Place, Row] = NONE,
    old: Mapping[Place, Row] = NONE,
) -> None:
    """Write a table of runs, a row per job, sorted, the omitted ones too.

    ``kept`` are rows that stay where nothing newer is there. A run that the ``old`` table has, too,
    keeps the time that it took there.
    """
    rows = dict(kept)
    for job in sorted(set(jobs)):
        row = _row(job, find(job))
        timed, before = old.get(place(row)), rows.get(place(row))
        if timed and timed["status"] == row["status"] == "done":
            row["seconds"] = timed["seconds"]
        if before is None or before["status"] != "done" or row["status"] != "not run":
            rows[place(row)] = row
    for job, reason in sorted(set(omitted)):
        row = _row(job, None) | {"status": "omitted", "reason": reason}
        rows.setdefault(place(row), row)  # another profile may have tried harder
    write_rows(path, COLUMNS, sorted(rows.values(), key=_order))


def export_curves(
    find: Callable[[Job, bool], Record | None],
    jobs: Iterable[Job],
    path: Path,
    kept: dict[Place, list[Row]] | None = None,
) -> None:
    """Write the curves: accuracy in each window of the stream, model size at its end."""
    curves = dict(kept or {})
    for job in jobs:
        record = find(job, True)
        if record is not None and record.result is not None:
            curve, cells = record.result["curve"], _job_cells(job)
            points = zip(curve["ends"], curve["accuracy"], curve["model_sizes"], strict=True)
            curves[place(cells)] = [
                _texts(cells | {"end": end, "accuracy": accuracy, "model_size": size})
                for end, accuracy, size in points
            ]
    write_rows(path, CURVE_COLUMNS, [row for part in sorted(curves) for row in curves[part]])


def read_rows(path: Path) -> list[Row]:
    """The rows of a table as texts; none if there is no such file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write a table; it appears whole or not at all."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    with write_atomically(path) as file:
        file.write(text.getvalue())


# Rows -----------------------------------------------------------------------------------------


def place(row: Row) -> Place:
    """The cells that name a job."""
    return tuple(row[name] for name in JOB_COLUMNS)


def _order(row: Row) -> tuple[Any, ...]:
    return (row["stream"], row["method"], float(row["rate"]), int(row["seed"]), *place(row)[4:])


def _texts(cells: dict[str, Any]) -> Row:
    """As in the file; Python writes a float as the shortest decimal that reads back the same."""
    return {name: "" if value is None else str(value) for name, value in cells.items()}


def _job_cells(job: Job) -> Row:
    return _texts(job.as_dict() | {"settings": canonical(dict(job.settings))})


def _row(job: Job, record: Record | None) -> Row:
    row: dict[str, Any] = dict.fromkeys(COLUMNS, "") | _job_cells(job)
    if record is None:
        row["status"] = "not run"
    elif record.result is None:
        row |= {"status": "failed", "reason": record.error}
    else:
        row |= {name: record.result[name] for name in RESULT_COLUMNS} | {"status": "done"}
        row |= {name: record.identity[name] for name in KEY_COLUMNS}
        row["resolved"] = canonical(row["resolved"])
        row["seconds"] = f"{float(record.provenance['seconds']):.6g}"
    return _texts(row)
