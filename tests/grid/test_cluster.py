"""A cluster whose workers are killed: at twenty moments, each an event and not an hour.

The scheduler lives in this process, and tells a plugin of every step of every job, before the
runner hears of it. So "when the third result is there" is a moment, and a result that is lost with
its worker is seen.
"""

import contextlib
import dataclasses
import itertools
import os
import signal

import pytest
from dask_processes import worker
from grid_runs import BAD, FEW, is_alive, n_results, table, wait_until

from abacoc.grid import cluster as grid_cluster
from abacoc.grid.jobs import make_job
from abacoc.grid.runner import run_grid
from abacoc.grid.store import Store

distributed = pytest.importorskip("distributed")

# Dask's own, of the workers that are killed
pytestmark = pytest.mark.filterwarnings("default")

JOBS = [*FEW, *(make_job("generated:sea,n=400", method, 0.5) for method in ("auto", "nn3"))]

# What happens to a job for the n-th time when the worker that has it is killed.
EVENTS = ("handed out", "finished", "fetched", "written")
MOMENTS = list(itertools.product(EVENTS, range(1, 6)))
QUICK = {("handed out", 2), ("finished", 1), ("fetched", 3), ("written", 4)}


class Killer:
    """Kills one worker at one moment; the jobs whose results were lost, and those sent again."""

    name = "killer"

    def __init__(self, scheduler, pids, event, count):
        self.scheduler, self.pids, self.event, self.left = scheduler, pids, event, count
        self.killed, self.victim, self.lost, self.sent_again = [], "", set(), set()

    def happens(self, event, key=""):
        """To that job; with it, the worker that has it is killed, else the first one."""
        self.left -= event == self.event
        if self.left or self.killed:
            return
        address, self.victim = next(iter(self.pids)), key
        if key:
            task = self.scheduler.tasks[key]
            address = (task.processing_on or next(iter(task.who_has))).address
        self.killed.append(address)
        os.kill(self.pids[address], signal.SIGKILL)
        wait_until(lambda: not is_alive(self.pids[address]))

    def transition(self, key, start, finish, *_, **__):
        """Told by the scheduler, after each step of a job."""
        if not key.startswith("loads"):  # what is no job: see `_packed`
            return
        task = self.scheduler.tasks.get(key)
        if finish == "processing":
            if key in self.lost:
                self.sent_again.add(key)
            self.happens("handed out", key)
        elif finish == "memory":
            self.happens("finished", key)
        elif start == "memory" and task is not None and task.who_wants:
            self.lost.add(key)


@pytest.fixture(scope="module")
def cluster():
    """The scheduler alone."""
    with distributed.LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as started:
        yield started


@pytest.fixture
def client(cluster, tmp_path):
    """Of two new workers; nobody puts another in the place of one that dies."""
    address = cluster.scheduler_address
    with (
        worker(address, tmp_path),
        worker(address, tmp_path),
        distributed.Client(address, set_as_default=False) as started,
    ):
        started.wait_for_workers(2, timeout=60)
        yield started
    wait_until(lambda: not cluster.scheduler.workers)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    store = Store(folder / "store")
    assert run_grid(JOBS, store, workers=1, progress=False).computed == len(JOBS)
    return table(store, JOBS, folder, "undisturbed")


@contextlib.contextmanager
def killing(cluster, client, monkeypatch, event, count):
    killer = Killer(cluster.scheduler, client.run(os.getpid), event, count)
    result, write = distributed.Future.result, Store.write

    def fetch(future, *args, **named):
        killer.happens("fetched", future.key)
        if (event, killer.victim) == (
            "fetched",
            future.key,
        ):  # what is asked for has gone, and the scheduler knows
            wait_until(lambda: future.key in killer.lost)
        return result(future, *args, **named)

    def write_and_tell(store, record):
        write(store, record)
        killer.happens("written")

    monkeypatch.setattr(distributed.Future, "result", fetch)
    monkeypatch.setattr(Store, "write", write_and_tell)
    client.sync(_add, cluster.scheduler, killer)
    try:
        yield killer
    finally:
        client.sync(_remove, cluster.scheduler, killer)


async def _add(scheduler, plugin):
    scheduler.add_plugin(plugin, name=plugin.name)


async def _remove(scheduler, plugin):
    scheduler.remove_plugin(name=plugin.name)


@pytest.mark.parametrize(
    ("event", "count"),
    [
        pytest.param(*moment, marks=() if moment in QUICK else pytest.mark.slow)
        for moment in MOMENTS
    ],
)
@pytest.mark.posix
def test_worker_killed(cluster, client, tmp_path, monkeypatch, undisturbed, event, count):
    store = Store(tmp_path / "store")
    with killing(cluster, client, monkeypatch, event, count) as killer:
        summary = run_grid(JOBS, store, scheduler=cluster.scheduler_address)
    assert len(killer.killed) == 1
    assert (summary.computed, summary.exit_status) == (len(JOBS), 0)
    assert table(store, JOBS, tmp_path, "killed") == undisturbed
    if event in ("finished", "fetched"):  # the runner did not have it yet
        assert killer.victim in killer.lost & killer.sent_again


def test_all_events_at_five_counts():
    assert len(MOMENTS) == 20
    assert set(MOMENTS) > QUICK
    assert {event for event, _ in QUICK} == set(EVENTS)


def test_somebody_restarts_the_cluster(cluster, client, tmp_path, monkeypatch):
    """The scheduler has forgotten the jobs, the workers are others; the runner sends them again."""
    write, restarted = Store.write, contextlib.ExitStack()

    def write_and_restart(store, record):
        write(store, record)
        if n_results(store.folder) == 1:
            client.restart(wait_for_workers=False)
            restarted.enter_context(worker(cluster.scheduler_address, tmp_path))

    monkeypatch.setattr(Store, "write", write_and_restart)
    store = Store(tmp_path / "store")
    with restarted:
        summary = run_grid(JOBS, store, scheduler=cluster.scheduler_address)
    assert (summary.computed, summary.exit_status) == (len(JOBS), 0)


def test_a_result_that_takes_too_long_is_asked_for_again(cluster, client, tmp_path, monkeypatch):
    result, late = distributed.Future.result, []

    def fetch(future, timeout):
        if len(late) < 2:
            late.append(timeout)
            raise TimeoutError
        return result(future, timeout)

    monkeypatch.setattr(distributed.Future, "result", fetch)
    summary = run_grid(JOBS, Store(tmp_path / "store"), scheduler=cluster.scheduler_address)
    assert late == [grid_cluster.FETCH] * 2
    assert (summary.computed, summary.exit_status) == (len(JOBS), 0)


def test_failure_on_a_cluster(cluster, client, tmp_path):
    store = Store(tmp_path)
    summary = run_grid([BAD, *FEW], store, scheduler=cluster.scheduler_address)
    assert (summary.computed, summary.exit_status) == (6, 1)
    again = run_grid([dataclasses.replace(FEW[0])], store, scheduler=cluster.scheduler_address)
    assert again.found == 1
