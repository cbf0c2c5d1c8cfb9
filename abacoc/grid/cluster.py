"""Jobs on the workers of a Dask cluster. Workers may come and go; the scheduler may not.

What a worker was computing when it died, or had finished and still held, Dask gives to another one
for as long as the runner asks for it. A result is asked for as soon as it is there.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import sys
import warnings
from typing import TYPE_CHECKING, Any

from abacoc.grid.inputs import open_job_stream, reading_within
from abacoc.grid.workers import Task, attempt, differing, given_up, optional

if TYPE_CHECKING:
    from collections.abc import Iterator

    from abacoc.grid.tables import Record

CONNECT = 20.0  # seconds to wait for the scheduler, and for its first worker
# Seconds for a result, some kilobytes. If it takes longer, its worker has just died and it is being
# computed again: the others are not to wait for it.
FETCH = 10.0
PYTHON = "{}.{}".format(*sys.version_info[:2])

REMEDIES = {
    "data": "copy the runner's file there",
    "epoch": "install the runner's version of abacoc there",
    "programs": "install the runner's versions there",
    "job": "install the runner's version of abacoc there",
}


class UnfitWorker(ValueError):
    """A worker that could not give the runner's answer; the message names it and the remedy."""


# In a worker ----------------------------------------------------------------------------------


def attempt_there(task: Task, python: str) -> Record:
    """Run a job in a worker that has what the runner has; another one refuses."""
    if reason := unfit(task, python):
        from distributed import get_worker

        raise UnfitWorker(f"the worker {get_worker().address} {reason}")
    return attempt(task)


def unfit(task: Task, python: str) -> str:
    """Why this process could not give the answer of a runner with that Python; empty if it can."""
    if python != PYTHON:  # late: `_check_workers` has seen those that were there at the start
        return _other_python(PYTHON, python)
    try:
        with reading_within(task.limits):
            other = differing(task)
            open_job_stream(task.job.stream, task.job.order)  # the job takes it from memory
    except (ValueError, OSError) as error:
        return f"in {os.getcwd()} lacks data: {error}; copy it there from the runner's machine"
    remedies = dict.fromkeys(REMEDIES[name] for name in other)
    what = f"has other {' and '.join(other)} than the runner for {task.job.stream}"
    return f"{what}: {', '.join(remedies)}" if other else ""


def _other_python(there: str, here: str) -> str:
    return f"has Python {there}, the runner {here}: start it with Python {here}"


# In the runner --------------------------------------------------------------------------------


def on_cluster(tasks: list[Task], scheduler: str) -> Iterator[tuple[Task, Record]]:
    """Compute the tasks on a cluster; each with its record as soon as it is there.

    A worker that is lost costs time only. A scheduler that is lost ends it by `ConnectionError`, a
    worker that lacks what the runner has by `UnfitWorker`: others would get few of the jobs, since
    nothing is quicker than to refuse.
    """
    with _connected(scheduler) as (distributed, client):
        _check_workers(client)
        finished = distributed.as_completed(loop=client.loop)
        futures = {}

        def send(task: Task, rank: int) -> None:
            # not pure: a failure that the cluster remembers is not to be handed back as an answer
            future = client.submit(pickle.loads, _packed(task), pure=False, priority=-rank)
            futures[future] = task
            finished.add(future)

        for rank, task in enumerate(tasks):
            send(task, rank)
        for future in finished:
            try:
                record = future.result(timeout=FETCH)
            except TimeoutError:  # its worker died with it, and it is being made anew
                finished.add(future)
                continue
            except distributed.CancelledError as error:
                if getattr(error, "reason", "") == "scheduler-connection-lost":
                    raise _gone(scheduler) from None
                send(futures.pop(future), 0)  # somebody has restarted the workers
                continue
            except UnfitWorker:
                raise
            except Exception as error:
                if isinstance(error, OSError) or client.status != "running":
                    raise _gone(scheduler) from None
                _check_workers(client)  # one without this package has come since
                record = given_up(futures[future], f"given up by the cluster: {error!r}")
            task = futures.pop(future)
            future.release()  # or its loss, while it is written, would have it computed again
            yield task, record


class _Call:
    """What is no object of this class when it is unpickled, but the record of the task."""

    def __init__(self, task: Task) -> None:
        self.task = task

    def __reduce__(self) -> tuple[Any, ...]:
        return attempt_there, (self.task, PYTHON)


def _packed(task: Task) -> bytes:
    """A task in bytes, which run it when they are unpickled: to be sent with `pickle.loads`.

    A worker that cannot import the function, or the class of an argument, would not fail: it would
    stop listening to its scheduler, and its jobs would wait for ever. Bytes every worker can take.
    """
    return pickle.dumps(_Call(task))


def _gone(scheduler: str) -> ConnectionError:
    return ConnectionError(
        f"the Dask scheduler at {scheduler} is gone: start it and its workers again, then this "
        "command, which goes on where it stopped"
    )


@contextlib.contextmanager
def _connected(scheduler: str) -> Iterator[tuple[Any, Any]]:
    distributed = optional("distributed", "a cluster", "dask")
    with _quiet():
        try:
            with warnings.catch_warnings():
                # Dask's table of versions: what matters of it is said in one line, see below
                warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
                client = distributed.Client(scheduler, timeout=CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"no Dask scheduler answers at {scheduler}: {error}") from None
        with client:
            try:
                client.wait_for_workers(1, timeout=CONNECT)
            except TimeoutError:
                raise ValueError(
                    f"the Dask scheduler at {scheduler} has no workers: dask worker {scheduler} "
                    "starts one"
                ) from None
            yield distributed, client


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's own account of a lost connection, which is a page."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _check_workers(client: Any) -> None:
    """Refuse a worker with another Python (Dask's own condition), or without this package."""
    for address, found in client.get_versions()["workers"].items():
        python = ".".join(found["host"]["python"].split(".")[:2])
        if python != PYTHON:
            raise UnfitWorker(f"the worker {address} {_other_python(python, PYTHON)}")
    # By a function of Python itself: one of ours could not even be sent there.
    for address, found in client.run(__import__, __name__, on_error="return").items():
        if isinstance(found, ImportError):
            raise UnfitWorker(
                f"the worker {address} cannot import abacoc ({found}): install it there"
            )
