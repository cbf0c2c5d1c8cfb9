"""A job in a worker, and the workers that are processes of this machine."""

from __future__ import annotations

import importlib
import os
import threading
import time
import traceback
import warnings
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, NamedTuple

from abacoc import wording
from abacoc.grid.inputs import reading_within
from abacoc.grid.jobs import Job, run_job
from abacoc.grid.keys import identity
from abacoc.grid.tables import Record
from abacoc.interruption import held
from abacoc.limits import DEFAULT, Limits
from abacoc.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

IDLE = 300.0  # seconds after which a worker without a job ends; the next grid may come
DIED = "its worker process died twice (killed, or out of memory)"


class Task(NamedTuple):
    """A job to be computed."""

    job: Job
    identity: dict[str, Any]
    cost: float  # a guess of the seconds
    limits: Limits = DEFAULT  # of the reader; no part of the result


# In a worker ----------------------------------------------------------------------------------


def attempt(task: Task) -> Record:
    """Run a job; what goes wrong becomes a part of the record.

    A worker whose epoch, data or programs are not those of the key refuses.
    """
    clock = time.perf_counter()
    provenance: dict[str, Any] = {}
    try:
        with reading_within(task.limits):
            if other := differing(task):
                raise ValueError(f"this worker has other {' and '.join(other)} than the runner")
            result = run_job(task.job)
        provenance["seconds"] = result.pop("seconds")
        error = ""
    except Exception as problem:
        result = None
        error = " ".join(f"{type(problem).__name__}: {problem}".split())
        provenance["traceback"] = traceback.format_exc()
    provenance["duration"] = time.perf_counter() - clock
    return Record(task.identity, result, error, provenance)


def differing(task: Task) -> list[str]:
    """What is not here as it is where the task was made: epoch, data or programs."""
    mine = identity(task.job)
    return [name for name in task.identity if mine[name] != task.identity[name]]


def given_up(task: Task, error: str) -> Record:
    """The record of a job that no worker lived to report on."""
    return Record(task.identity, None, error, {})


# On this machine ------------------------------------------------------------------------------


def in_processes(tasks: list[Task], workers: int) -> Iterator[tuple[Task, Record]]:
    """Compute the tasks in processes of this machine; each with its record as soon as it is there.

    A process that is killed takes down its siblings (they share queues): all are started again.
    """
    warm_up(task.job.method for task in tasks)
    if workers == 1:
        yield from ((task, attempt(task)) for task in tasks)
        return
    left = dict(enumerate(tasks))
    while left:
        try:
            for i, record in _pool(left, workers):
                yield left.pop(i), record
        except BrokenProcessPool:
            # Jobs are handed out in order: the first ones left were being computed.
            for i in list(left)[:workers]:
                task = left.pop(i)
                yield task, _alone(task, workers)


def _alone(task: Task, workers: int) -> Record:
    """Once more, with nobody beside it who could be to blame."""
    try:
        return next(_pool({0: task}, workers))[1]
    except BrokenProcessPool:
        return given_up(task, DIED)


def _pool(tasks: dict[int, Task], workers: int) -> Iterator[tuple[int, Record]]:
    """Each number with its record, in the order in which they come; no worker outlives an error.

    The pool is that of joblib, without its `Parallel`: there a thread hands in jobs while an
    interrupted main thread ends the pool, and tells of its trouble.
    """
    loky = optional("joblib", "more than one worker", "grid").externals.loky
    # A worker that has read a large stream looks leaky to joblib, which replaces it and says so.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
    if os.name == "posix":
        # joblib would start it with the workers, which lets signals through in Python 3.11
        resource_tracker.ensure_running()
    pool = None
    try:
        with held():  # a Ctrl-C is for this process: it ends the others
            runner = {"initializer": _leave_with, "initargs": (os.getpid(),)}
            pool = loky.get_reusable_executor(workers, timeout=IDLE, **runner)
            jobs = [pool.submit(_numbered, i, task) for i, task in tasks.items()]
        for job in loky.as_completed(jobs):
            yield job.result()
    except BaseException:
        if pool is not None:
            # first the workers: a pool without any gives up quietly whatever it is about to do
            for worker in list(pool._processes.values()):
                loky.backend.utils.kill_process_tree(worker)
            pool.shutdown()
        raise


def _numbered(i: int, task: Task) -> tuple[int, Record]:
    return i, attempt(task)


def _leave_with(runner: int) -> None:
    """End this process when the runner is gone, however it went: nobody waits for the result.

    The runner says its own number: it may be gone before this process asks for its parent's.
    """
    if os.name != "posix":  # elsewhere the number of the parent stays
        return

    def watch() -> None:
        while os.getppid() == runner:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def warm_up(methods: Iterable[str]) -> None:
    """Compile once, here, what the workers then load from disk."""
    from abacoc.engine import warm_up as compile_ours

    compile_ours()
    for name in sorted(set(methods)):
        if METHODS[name].compiled and not METHODS[name].is_ours:
            METHODS[name].make().compile_now()


def optional(package: str, what: str, extra: str) -> Any:
    """A package that not every installation has, or a line that says how to get it."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError:
        raise ValueError(wording.missing(what, package, extra)) from None
