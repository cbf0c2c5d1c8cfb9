"""All that the notebooks need: tune the competitors, run the grids, export one table of results."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from abacoc.grid.inputs import head_of
from abacoc.grid.jobs import Job
from abacoc.grid.keys import canonical
from abacoc.grid.runner import Summary, run_grid
from abacoc.grid.store import Store
from abacoc.grid.tables import CURVES, OTHER, RESULTS, TUNING, Place, export, export_curves
from paper.grids import ITEMS, OTHERS, STAND_INS, Grid, family, grid

Kept = TypeVar("Kept")
Choice = dict[tuple[str, str, str], dict[str, Any]]  # settings of a method on a stream

ALL = tuple(item for item in ITEMS if item != "tuning")


def run_batch(
    profile: str,
    store: Store,
    folder: str | Path,
    *,
    grids: Sequence[str] = ALL,
    workers: int = 2,
    scheduler: str | None = None,
    progress: bool | None = None,
    again: bool = False,
    compute: bool = True,
    say: Callable[[str], None] = lambda line: None,
) -> Summary:
    """Compute what is missing of these grids, then write the tables of *all* into ``folder``.

    ``results.csv`` has a row for every job of the profile: done, failed, not run, or omitted for a
    reason; ``tuning.csv`` has the trials behind the settings of the competitors,
    ``other_settings.csv`` their runs with settings that are none of the figures', ``curves.csv``
    accuracy and model size over time. What the table behind the store has is taken from it, unless
    it is to be computed ``again``; what it has beyond the profile is kept: by `quick` all, by the
    others the runs on streams that are not here. Without ``compute`` nothing is run, and the tables
    have what is there.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stored = store.table.streams
    known = partial(grid, profile=profile, stored=stored)
    run = partial(run_grid, store=store, workers=workers, scheduler=scheduler, progress=progress)
    summary, trials = Summary(), known("tuning")
    tuned = {job.method for job in trials.jobs}
    if any(job.method in tuned for name in grids for job in known(name).jobs):
        say(f"tuning: {_size(trials)}")
        summary += run(trials.jobs if compute else (), again=again)
    chosen = stored_choice(store) | choose(store, trials.jobs)
    parts = {name: known(name, chosen=chosen) for name in ALL}
    wanted, curves = _together(parts[name] for name in grids), parts["drift"].jobs
    say(f"{', '.join(grids)}: {_size(wanted)}")
    for name, how in wanted.missing:
        say(f"{name} is not here: {how}")
    summary += run(wanted.jobs if compute else (), again=again, curves=set(curves))
    others = parts.pop(OTHERS)
    whole = _together(parts.values())
    keep, table = _keep(profile, whole, stored), store.table
    for part, name, old in (
        (whole, RESULTS, table.results),
        (trials, TUNING, table.tuning),
        (others, OTHER, table.other),
    ):
        export(store.find, part.jobs, folder / name, part.omitted, _kept(old, keep), old)
    export_curves(store.find, curves, folder / CURVES, _kept(table.curves, keep))
    return summary


def _kept(rows: dict[Place, Kept], keep: Callable[[str], bool]) -> dict[Place, Kept]:
    return {place: kept for place, kept in rows.items() if keep(place[0])}


def _keep(profile: str, whole: Grid, stored: Collection[str]) -> Callable[[str], bool]:
    """Whether the runs of a stream stay in the table though the profile does not ask for them."""
    here = {head_of(job.stream)[0] for job in whole.jobs}
    # a stand-in never joins the runs of the set that it stands for
    idle = {instead for name, instead in STAND_INS.items() if name in here | set(stored)}
    if profile == "quick":
        return lambda stream: stream not in idle
    return lambda stream: stream not in idle and head_of(stream)[0] not in here


def choose(store: Store, trials: Iterable[Job]) -> Choice:
    """The settings with the highest accuracy of each method, or family, on each stream.

    The choice is made in hindsight, as in the paper: it favours the competitors. Of equals the
    settings that say least are taken, those of the method itself first.
    """
    return _best(
        (job.stream, job.method, job.scale, dict(job.settings), record.result["accuracy"])
        for job in trials
        if (record := store.find(job)) and record.result
    )


def stored_choice(store: Store) -> Choice:
    """The same from the trials of the table behind the store, where they are not run again."""
    return _best(
        (
            *(row[name] for name in ("stream", "method", "scale")),
            json.loads(row["settings"]),
            float(row["accuracy"]),
        )
        for row in store.table.tuning.values()
        if row["accuracy"]
    )


def _best(trials: Iterable[tuple[str, str, str, dict[str, Any], float]]) -> Choice:
    """The choice must not depend on the order of the trials: a table is sorted, a grid is not."""
    ranked = sorted(trials, key=lambda trial: (-trial[4], len(trial[3]), canonical(trial[3])))
    # a long stream is tuned on its head; of each family on each stream the first one stays
    return {
        (head_of(stream)[0], family(method, settings), scale): settings
        for stream, method, scale, settings, _ in ranked[::-1]
    }


def _together(grids: Iterable[Grid]) -> Grid:
    """Each job, omission and missing set once."""
    parts = [(part.jobs, part.omitted, part.missing) for part in grids]
    return Grid(
        *(tuple(dict.fromkeys(itertools.chain(*same))) for same in zip(*parts, strict=True))
    )


def _size(part: Grid) -> str:
    left_out = f", {len(part.omitted)} left out" if part.omitted else ""
    minutes = f"about {part.seconds / 60:.1f} minutes of one free core"
    return f"{len(part.jobs)} runs{left_out}, {minutes}"
