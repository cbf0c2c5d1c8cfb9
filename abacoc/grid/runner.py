"""Run the jobs of a grid that have no result yet: in processes of this machine, or on a cluster.

A result is one of the store, or of the table behind it, unless what the table has is to be checked:
then it is computed again. Each result is written as soon as it is there, by this process alone.
Whatever ends a run, the next one goes on where it stopped; only the jobs that were being computed
are lost.
"""

from __future__ import annotations

import contextlib
import itertools
import time
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from abacoc.grid.claim import only_runner
from abacoc.grid.cluster import on_cluster
from abacoc.grid.costs import estimated_seconds
from abacoc.grid.inputs import chosen_limits
from abacoc.grid.keys import digest, identity
from abacoc.grid.store import Damaged, Store
from abacoc.grid.workers import Task, in_processes
from abacoc.wording import number

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from abacoc.grid.jobs import Job


@dataclass
class Summary:
    """What a run of the grid did."""

    total: int = 0
    found: int = 0  # had been computed here before
    taken: int = 0  # are in the table
    computed: int = 0
    damaged: int = 0  # had a damaged one, and were computed again
    failures: list[tuple[Job, str]] = field(default_factory=list)  # to be tried again next time
    seconds: float = 0.0

    @property
    def exit_status(self) -> int:
        """0 if every job has a result now, else 1."""
        return 1 if self.failures else 0

    def __add__(self, other: Summary) -> Summary:
        """Both runs together."""
        return Summary(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def __str__(self) -> str:
        """A line for people, and one per failure.

        >>> print(Summary(total=9, found=3, taken=1, computed=5, damaged=1, seconds=2))
        9 runs: 5 computed (1 damaged before), 3 computed here before, 1 of the table, in 2 s
        """
        damaged = f" ({self.damaged} damaged before)" if self.damaged else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        found = f", {self.found} computed here before" if self.found else ""
        taken = f", {self.taken} of the table" if self.taken else ""
        lines = [
            f"{number(self.total, 'runs')}: {self.computed} computed{damaged}{found}{taken}"
            f"{failed}, in {self.seconds:.0f} s"
        ]
        return "\n".join(lines + [f"failed: {job}: {error}" for job, error in self.failures])


def run_grid(
    jobs: Iterable[Job],
    store: Store,
    workers: int = 2,
    scheduler: str | None = None,
    progress: bool | None = None,
    again: bool = False,
    curves: Collection[Job] = (),
) -> Summary:
    """Compute what is missing of a grid.

    A run that the table behind the store has is not missing, unless it is to be computed ``again``
    to be compared, or its curve is wanted and not there.

    ``scheduler`` is the address of a Dask scheduler, such as ``tcp://host:8786``, whose workers
    have this package, and the data at the same paths; without it, ``workers`` processes are started
    here. With ``progress=None`` there is a bar if the terminal is one. A job that fails is recorded
    with its error, does not stop the others, and is tried again next time. While another runner is
    at the same store this raises `Busy`, unless nothing is missing.
    """
    if workers < 1:
        raise ValueError(f"the workers are at least 1, not {workers}")
    started = time.monotonic()
    unique = sorted(set(jobs))
    summary = Summary(total=len(unique))
    store.sweep()
    tasks = _in_order(_missing(unique, store, summary, again, curves))
    if tasks:
        finished = on_cluster(tasks, scheduler) if scheduler else in_processes(tasks, workers)
        # closed, so that the workers are gone before anybody hears of an interruption
        with (
            only_runner(store.folder),
            contextlib.closing(finished),  # type: ignore[type-var]
            _bar(tasks, progress) as bar,
        ):
            for task, record in finished:
                store.write(record)
                if record.error:
                    summary.failures.append((task.job, record.error))
                else:
                    summary.computed += 1
                bar(task)
    summary.seconds = time.monotonic() - started
    return summary


def _missing(
    jobs: Sequence[Job], store: Store, summary: Summary, again: bool, curves: Collection[Job]
) -> list[Task]:
    tasks = []
    for job in jobs:
        try:
            known = identity(job)
        except ValueError as error:  # nobody has seen the data, and they are not here
            summary.failures.append((job, str(error)))
            continue
        try:
            record = store.read(digest(known))
        except Damaged:
            summary.damaged += 1
            record = None
        if record is not None and record.result is not None:
            summary.found += 1
        elif not again and store.table.find(job, curve=job in curves):
            summary.taken += 1
        else:
            tasks.append(Task(job, known, estimated_seconds(job), chosen_limits()))
    return tasks


def _in_order(tasks: list[Task]) -> list[Task]:
    """Stream by stream, so that a worker mostly has the one it needs; the long ones first."""
    total: dict[str, float] = {}
    for task in tasks:
        total[task.job.stream] = total.get(task.job.stream, 0.0) + task.cost
    return sorted(tasks, key=lambda task: (-total[task.job.stream], task.job.stream, -task.cost))


# Progress -------------------------------------------------------------------------------------


@contextlib.contextmanager
def _bar(tasks: list[Task], progress: bool | None) -> Iterator[Callable[[Task], None]]:
    """A bar over the estimated time rather than the jobs, some of which take minutes."""
    from tqdm import tqdm

    count = itertools.count(1)
    with tqdm(
        total=sum(_milliseconds(task) for task in tasks),
        disable=None if progress is None else not progress,  # None: unless the terminal is one
        smoothing=0,  # the mean speed so far: the estimate of a single job is rough
        bar_format="{percentage:3.0f}%|{bar}| {desc} [{elapsed}, about {remaining} left]",
        desc=f"0 of {len(tasks)} jobs",
    ) as bar:

        def step(task: Task) -> None:
            bar.set_description_str(f"{next(count)} of {len(tasks)} jobs", refresh=False)
            bar.update(_milliseconds(task))

        yield step


def _milliseconds(task: Task) -> int:
    """Whole ones, whose sum is exact: the bar ends at 100 %."""
    return max(1, round(1000 * task.cost))
