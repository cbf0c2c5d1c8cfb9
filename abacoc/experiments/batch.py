"""All that the notebooks need: tune the competitors, run the grids, export one table of results."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from abacoc.experiments.effort import note
from abacoc.experiments.grids import ITEMS, Chosen, Grid, grid
from abacoc.experiments.inputs import head_of
from abacoc.experiments.jobs import Job
from abacoc.experiments.provenance import canonical
from abacoc.experiments.runner import Summary, run_grid
from abacoc.experiments.store import Store
from abacoc.experiments.tables import (
    AGREEMENT,
    Agreement,
    beside,
    export,
    export_curves,
    read_rows,
    write_agreement,
)
from abacoc.files import write_atomically

TUNING = "tuning.csv"
Choice = dict[tuple[str, str], dict[str, Any]]  # settings of a method on a stream

ALL = tuple(item for item in ITEMS if item != "tuning")
# The grids behind the items of `abacoc reproduce`; what is not here needs no runs.
NEEDS: dict[str, tuple[str, ...]] = {
    "fig2": ("fig2",),
    "fig3": ("fig3",),
    "table2": ("tables",),
    "table3": ("tables",),
    "fig4": ("fig4",),
    "identity": ("tables", "variants"),
    "ranks": ("fig3",),
    "ablation": ("ablation",),
    "drift": ("drift",),
    "wallclock": ("fig3", "fig4"),
}


def run_batch(
    profile: str,
    store: Store,
    folder: str | Path,
    *,
    grids: Sequence[str] = ALL,
    workers: int = 2,
    scheduler: str | None = None,
    progress: bool | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> tuple[Summary, list[Path]]:
    """Compute what is missing of these grids, then write the tables of *all* into ``folder``.

    ``results.csv`` has a row for every job of the profile: done, failed, not run, or omitted for a
    reason; ``tuning.csv`` has the trials behind the settings of the competitors; both have their
    provenance beside them. ``curves.csv`` has accuracy and model size over time,
    ``sets_not_here.csv`` what could not be run for want of data.

    Stored results that the tables have already are kept where nothing newer is there: by `quick`
    all, by the others those of streams that are not here. ``agreement.csv`` has the runs that were
    computed again and came out otherwise.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    run = partial(run_grid, store=store, workers=workers, scheduler=scheduler, progress=progress)
    summary = Summary()
    trials = grid("tuning", profile)
    tuned = {job.method for job in trials.jobs}
    if any(job.method in tuned for name in grids for job in grid(name, profile).jobs):
        say(f"tuning: {_size(trials)}")
        summary += run(trials.jobs)
    chosen = stored_choice(folder / TUNING) | choose(store, trials.jobs)
    wanted = _together(grids, profile, chosen)
    say(f"{', '.join(grids)}: {_size(wanted)}")
    for name, how in wanted.missing:
        say(f"{name} is not here: {how}")
    summary += run(wanted.jobs)
    written, agreement = _export(store, folder, profile, trials, chosen)
    say(str(agreement))
    if profile == "full":
        written.append(note(folder, _seconds(store, chosen), workers))
    return summary, written


def choose(store: Store, trials: Iterable[Job]) -> Choice:
    """The settings with the highest accuracy of each method on each stream.

    The choice is made in hindsight, as in the paper: it favours the competitors. Of equals the
    settings that say least are taken, those of the method itself first.
    """
    found = []
    for job in trials:
        record = store.find(job)
        if record is not None and record.result is not None:
            found.append((job.stream, job.method, dict(job.settings), record.result["accuracy"]))
    return _best(found)


def stored_choice(path: Path) -> Choice:
    """The same from a table of trials, where they are not run again."""
    return _best(
        (row["stream"], row["method"], json.loads(row["settings"]), float(row["accuracy"]))
        for row in read_rows(path)
        if row["accuracy"]
    )


def _best(trials: Iterable[tuple[str, str, dict[str, Any], float]]) -> Choice:
    """The choice must not depend on the order of the trials: a table is sorted, a grid is not."""
    best: dict[tuple[str, str], tuple[tuple[float, int, str], dict[str, Any]]] = {}
    for stream, method, settings, accuracy in trials:
        place = (head_of(stream)[0], method)  # a long stream is tuned on its head
        rank = (-accuracy, len(settings), canonical(settings))
        if place not in best or rank < best[place][0]:
            best[place] = rank, settings
    return {place: settings for place, (_, settings) in best.items()}


def _together(names: Sequence[str], profile: str, chosen: Chosen) -> Grid:
    parts = [grid(name, profile, chosen) for name in names]
    return Grid(
        tuple(dict.fromkeys(job for part in parts for job in part.jobs)),
        tuple(dict.fromkeys(omission for part in parts for omission in part.omitted)),
        tuple(dict.fromkeys(pair for part in parts for pair in part.missing)),
    )


def _export(
    store: Store, folder: Path, profile: str, trials: Grid, chosen: Chosen
) -> tuple[list[Path], Agreement]:
    whole, curves = _together(ALL, profile, chosen), grid("drift", profile, chosen).jobs
    here = {head_of(job.stream)[0] for job in whole.jobs}
    keep = (lambda stream: True) if profile == "quick" else (lambda s: head_of(s)[0] not in here)
    names = ("results.csv", TUNING, "curves.csv", "sets_not_here.csv", AGREEMENT)
    results, tuning, over_time, absent, other = (folder / name for name in names)
    with write_atomically(absent) as file:
        rows = [("set", "how to get it"), *whole.missing]
        csv.writer(file, lineterminator="\n").writerows(rows)
    agreement = export(store, whole.jobs, results, whole.omitted, keep)
    export(store, trials.jobs, tuning, trials.omitted, keep)
    export_curves(store, curves, over_time, keep)
    if agreement.again or not other.exists():
        write_agreement(other, agreement)
    return [results, beside(results), tuning, beside(tuning), over_time, absent, other], agreement


def _seconds(store: Store, chosen: Chosen) -> dict[tuple[str, str], float]:
    """What the runs behind each item take on one core; items share runs, so the sum is less."""
    records = {name: [store.find(job) for job in grid(name, "full", chosen).jobs] for name in ALL}
    return {
        (item, "runs"): sum(
            record.provenance["duration"] for name in names for record in records[name] if record
        )
        for item, names in NEEDS.items()
    }


def _size(part: Grid) -> str:
    left_out = f", {len(part.omitted)} left out" if part.omitted else ""
    return (
        f"{len(part.jobs)} jobs{left_out}, about {part.seconds / 60:.1f} minutes of one free core"
    )
