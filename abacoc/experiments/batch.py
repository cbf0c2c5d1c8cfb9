"""All that the notebooks need: tune the competitors, run the grids, export one table of results."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from abacoc.experiments.grids import ITEMS, Chosen, Grid, grid
from abacoc.experiments.jobs import Job
from abacoc.experiments.runner import Summary, run_grid
from abacoc.experiments.store import Store, export, export_curves
from abacoc.files import write_atomically

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
    provenance beside them. ``curves.csv`` has accuracy and model size over time, and
    ``sets_not_here.csv`` what could not be run for want of data.
    """
    run = partial(run_grid, store=store, workers=workers, scheduler=scheduler, progress=progress)
    summary = Summary()
    trials = grid("tuning", profile)
    tuned = {job.method for job in trials.jobs}
    if any(job.method in tuned for name in grids for job in grid(name, profile).jobs):
        say(f"tuning: {_size(trials)}")
        summary += run(trials.jobs)
    chosen = choose(store, trials.jobs)
    wanted = _together(grids, profile, chosen)
    say(f"{', '.join(grids)}: {_size(wanted)}")
    for name, how in wanted.missing:
        say(f"{name} is not here: {how}")
    summary += run(wanted.jobs)
    return summary, _export(store, Path(folder), profile, trials, chosen)


def choose(store: Store, trials: Iterable[Job]) -> dict[tuple[str, str], dict[str, Any]]:
    """The settings with the highest accuracy of each method on each stream, the first of equals.

    The choice is made in hindsight, as in the paper: it favours the competitors.
    """
    best: dict[tuple[str, str], tuple[float, dict[str, Any]]] = {}
    for job in trials:
        record = store.find(job)
        if record is not None and record.result is not None:
            place, accuracy = (job.stream, job.method), record.result["accuracy"]
            if place not in best or accuracy > best[place][0]:
                best[place] = accuracy, dict(job.settings)
    return {place: settings for place, (_, settings) in best.items()}


def _together(names: Sequence[str], profile: str, chosen: Chosen) -> Grid:
    parts = [grid(name, profile, chosen) for name in names]
    return Grid(
        tuple(dict.fromkeys(job for part in parts for job in part.jobs)),
        tuple(dict.fromkeys(omission for part in parts for omission in part.omitted)),
        tuple(dict.fromkeys(pair for part in parts for pair in part.missing)),
    )


def _export(store: Store, folder: Path, profile: str, trials: Grid, chosen: Chosen) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    whole, curves = _together(ALL, profile, chosen), grid("drift", profile, chosen).jobs
    absent = folder / "sets_not_here.csv"
    with write_atomically(absent) as file:
        rows = [("set", "how to get it"), *whole.missing]
        csv.writer(file, lineterminator="\n").writerows(rows)
    return [
        *export(store, whole.jobs, folder / "results.csv", whole.omitted),
        *export(store, trials.jobs, folder / "tuning.csv", trials.omitted),
        export_curves(store, curves, folder / "curves.csv"),
        absent,
    ]


def _size(part: Grid) -> str:
    left_out = f", {len(part.omitted)} left out" if part.omitted else ""
    return (
        f"{len(part.jobs)} jobs{left_out}, about {part.seconds / 60:.1f} minutes of one free core"
    )
