"""Tables of results, as CSV: what was run, what came out, and where it was computed.

A table can be brought up to date: what was computed anew takes the place of what it had, and the
rest stays. Whether both are equal, where both are there, is told.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from abacoc.experiments.jobs import Job
from abacoc.experiments.provenance import canonical
from abacoc.experiments.store import Record, Store
from abacoc.files import write_atomically

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
COLUMNS = (*JOB_COLUMNS, "status", "reason", *RESULT_COLUMNS, "key")
# What differs from run to run and from machine to machine; `seconds` is the loop alone.
TIMING_COLUMNS = ("seconds", "duration", "started", "finished")
AGREEMENT = "agreement.csv"

Rows = list[dict[str, str]]
Keep = Callable[[str], bool]  # whether the old rows of a stream stay


class Omission(NamedTuple):
    """A job that is left out, and why."""

    job: Job
    reason: str


@dataclass
class Agreement:
    """How many runs were computed again, and which of them came out otherwise."""

    again: int = 0
    other: Rows = field(default_factory=list)  # with both accuracies and sizes

    def __str__(self) -> str:
        """For people.

        >>> print(Agreement(again=12))
        all of the 12 runs that were computed again equal the stored ones, digit for digit
        """
        if not self.again:
            return "no stored run was computed again"
        if not self.other:
            told = f"all of the {self.again} runs that were computed again equal the stored ones"
            return f"{told}, digit for digit"
        told = f"{len(self.other)} of the {self.again} runs that were computed again"
        return f"{told} differ from the stored ones: see {AGREEMENT}"


def export(
    store: Store,
    jobs: Iterable[Job],
    path: str | Path,
    omitted: Iterable[Omission] = (),
    keep: Keep = lambda stream: False,
) -> Agreement:
    """Write a table of results to ``path``, and where they come from to ``NAME.provenance.csv``.

    A row per job, sorted, the omitted ones too. The first table is the same for the same sources
    and data, byte for byte; all that may differ, the times above all, is in the second. Rows that
    the table has already stay if ``keep`` says so of their stream and nothing newer is there.
    """
    path = Path(path)
    old = {_place(row): row for row in read_rows(path) if keep(row["stream"])}
    old_origins = {row["key"]: row for row in read_rows(beside(path))}
    new = [(_row(job, record), record) for job, record in _found(store, jobs)]
    new += [
        (_row(job, None) | {"status": "omitted", "reason": reason}, None)
        for job, reason in sorted(set(omitted))
    ]
    rows, origins, agreement = dict(old), {}, Agreement()
    for row, record in new:
        before = old.get(_place(row))
        if record is not None:
            origin = _texts(_origin(record))
            known = old_origins.get(before["key"]) if before else None
            if before and before["status"] == row["status"] == "done" and origin != known:
                _compare(before, row, agreement)
        if before is None or row["status"] == "done" or _says_more(row, before):
            rows[_place(row)] = row
            if record is not None:
                origins[row["key"]] = origin
    for row in rows.values():
        if row["key"] and row["key"] not in origins and row["key"] in old_origins:
            origins[row["key"]] = old_origins[row["key"]]
    names = list(dict.fromkeys(name for row in origins.values() for name in row))
    _write(path, COLUMNS, sorted(rows.values(), key=_order))
    _write(beside(path), names or ["key"], [origins[key] for key in sorted(origins)])
    return agreement


def export_curves(
    store: Store, jobs: Iterable[Job], path: str | Path, keep: Keep = lambda stream: False
) -> None:
    """Write the curves: accuracy in each window of the stream, model size at its end."""
    curves: dict[tuple[str, ...], Rows] = {}
    for row in read_rows(Path(path)):
        if keep(row["stream"]):
            curves.setdefault(_place(row), []).append(row)
    for job, record in _found(store, jobs):
        if record is not None and record.result is not None:
            curve, cells = record.result["curve"], _job_cells(job)
            points = zip(curve["ends"], curve["accuracy"], curve["model_sizes"], strict=True)
            rows = [
                _texts(cells | {"end": end, "accuracy": accuracy, "model_size": size})
                for end, accuracy, size in points
            ]
            curves[_place(rows[0])] = rows
    columns = (*JOB_COLUMNS, "end", "accuracy", "model_size")
    _write(Path(path), columns, [row for part in sorted(curves) for row in curves[part]])


def write_agreement(path: Path, agreement: Agreement) -> None:
    """Write the runs that came out otherwise; none is what one hopes for."""
    columns = (*JOB_COLUMNS, "stored_accuracy", "accuracy", "stored_size", "size")
    _write(path, columns, agreement.other)


def beside(path: Path) -> Path:
    """Where the provenance of a table is."""
    return path.with_suffix(".provenance.csv")


def read_rows(path: Path) -> Rows:
    """The rows of a table as texts; none if there is no such file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Rows -----------------------------------------------------------------------------------------


def _found(store: Store, jobs: Iterable[Job]) -> list[tuple[Job, Record | None]]:
    return [(job, store.find(job)) for job in sorted(set(jobs))]


def _place(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in JOB_COLUMNS)


def _order(row: dict[str, str]) -> tuple[Any, ...]:
    return (row["stream"], row["method"], float(row["rate"]), int(row["seed"]), *_place(row)[4:])


def _compare(before: dict[str, str], row: dict[str, str], agreement: Agreement) -> None:
    agreement.again += 1
    if any(before[name] != row[name] for name in RESULT_COLUMNS):
        told = {name: row[name] for name in JOB_COLUMNS}
        told |= {"stored_accuracy": before["accuracy"], "accuracy": row["accuracy"]}
        told |= {"stored_size": before["model_size"], "size": row["model_size"]}
        agreement.other.append(told)


def _says_more(row: dict[str, str], before: dict[str, str]) -> bool:
    """Of two rows without a result: one left out for want of time leaves an older one as it is."""
    return before["status"] != "done" and row["status"] != "omitted"


def _texts(cells: dict[str, Any]) -> dict[str, str]:
    """As in the file; Python writes a float as the shortest decimal that reads back the same."""
    return {name: "" if value is None else str(value) for name, value in cells.items()}


def _job_cells(job: Job) -> dict[str, Any]:
    return job.as_dict() | {"settings": canonical(dict(job.settings))}


def _row(job: Job, record: Record | None) -> dict[str, str]:
    row = dict.fromkeys(COLUMNS, "") | _job_cells(job)
    if record is None:
        row["status"] = "not run"
    elif record.result is None:
        row |= {"key": record.key, "status": "failed", "reason": record.error}
    else:
        cells = {name: record.result[name] for name in RESULT_COLUMNS}
        row |= {"key": record.key, "status": "done"} | cells
        row["resolved"] = canonical(cells["resolved"])
    return _texts(row)


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


def _write(path: Path, columns: Sequence[str], rows: Iterable[dict[str, str]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    with write_atomically(path) as file:
        file.write(text.getvalue())
