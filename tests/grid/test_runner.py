"""The runner goes on after any interruption; the results are those of an undisturbed run."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from grid_runs import (
    BAD,
    FEW,
    children,
    command_of,
    grid_of,
    is_alive,
    kill_group,
    n_results,
    start,
    table,
    wait_until,
)

from abacoc.grid import runner, workers
from abacoc.grid.jobs import make_job
from abacoc.grid.keys import digest, identity
from abacoc.grid.runner import run_grid
from abacoc.grid.store import Store


def killed_again_and_again(folder, kills, seeds, chance):
    """Start, kill -9 the whole group at some moment, start again; the table in the end."""
    jobs, store = grid_of(seeds), Store(folder / "killed")
    for _ in range(kills):
        before = n_results(store.folder)
        # now and then it is killed before it has done anything
        wanted = chance.choice([0, 1, 2, 3, 5])
        process = start(store.folder, seeds)
        wait_until(lambda n=before + wanted: n_results(store.folder) >= n, process)
        time.sleep(chance.uniform(0, 0.1 if wanted else 1.0))
        assert process.poll() is None, "too late: all was done"
        kill_group(process)
        assert n_results(store.folder) >= before
    found = n_results(store.folder)
    process = start(store.folder, seeds)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    before = f", {found} computed here before" if found else ""
    assert f"{len(jobs)} runs: {len(jobs) - found} computed{before}, in " in out
    assert "left]" in err  # of the time, in the bar
    return table(store, jobs, folder, "killed")


def run_undisturbed(folder, seeds=2):
    jobs, store = grid_of(seeds), Store(folder / "undisturbed")
    assert run_grid(jobs, store, workers=1, progress=False).computed == len(jobs)
    return table(store, jobs, folder, "undisturbed")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return run_undisturbed(tmp_path_factory.mktemp("undisturbed"))


@pytest.mark.posix
def test_two_kills(tmp_path, undisturbed):
    assert killed_again_and_again(tmp_path, 2, 2, random.Random(1)) == undisturbed


@pytest.mark.slow
@pytest.mark.posix
def test_ten_kills(tmp_path):
    killed = killed_again_and_again(tmp_path, 10, 10, random.Random())
    assert killed == run_undisturbed(tmp_path, 10)


@pytest.mark.linux
def test_killed_worker_is_replaced_and_nobody_stays_behind(tmp_path, undisturbed):
    store = Store(tmp_path / "store")
    process = start(store.folder)
    try:
        wait_until(lambda: n_results(store.folder) > 0)
        # another child keeps count of resources
        pool = [pid for pid in children(process.pid) if "popen_loky" in command_of(pid)]
        assert len(pool) == 2
        os.kill(pool[0], signal.SIGKILL)
        before = n_results(store.folder)
        wait_until(lambda: n_results(store.folder) > before + 2)
        orphans = children(process.pid)
        assert not set(pool) & set(orphans)  # both have been replaced
        os.kill(process.pid, signal.SIGKILL)  # the runner alone
        process.wait()
        wait_until(lambda: not any(map(is_alive, orphans)))
    finally:
        kill_group(process)
    assert run_grid(grid_of(), store, workers=1, progress=False).exit_status == 0
    assert table(store, grid_of(), tmp_path, "table") == undisturbed


@pytest.mark.posix
def test_a_worker_whose_runner_was_gone_before_it_looked_leaves():
    code = (
        "import os, time; from abacoc.grid.workers import _leave_with;"
        "_leave_with(os.getpid()); time.sleep(60)"  # nobody is its own parent
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=40).returncode == 1


def test_second_run_finds_everything(tmp_path):
    store = Store(tmp_path)
    first = run_grid([*FEW, *FEW], store, workers=1)
    assert (first.total, first.found, first.computed, first.exit_status) == (6, 0, 6, 0)
    second = run_grid(FEW, store, workers=1)
    assert (second.total, second.found, second.computed) == (6, 6, 0)


def test_damaged_result_is_computed_again(tmp_path):
    store = Store(tmp_path)
    run_grid(FEW, store, workers=1)
    before = table(store, FEW, tmp_path, "before")
    path = store.path(digest(identity(FEW[0])))
    path.write_bytes(path.read_bytes().replace(b'"accuracy":0.', b'"accuracy":1.', 1))
    summary = run_grid(FEW, store, workers=1)
    assert (summary.found, summary.computed, summary.damaged) == (5, 1, 1)
    assert "1 damaged before" in str(summary)
    assert table(store, FEW, tmp_path, "after") == before


@pytest.mark.parametrize("n_workers", [1, 2])
def test_failure_is_recorded_and_tried_again(tmp_path, n_workers):
    store = Store(tmp_path)
    for _ in range(2):
        summary = run_grid([BAD, *FEW], store, workers=n_workers)
        assert summary.exit_status == 1
        assert [job for job, _ in summary.failures] == [BAD]
        assert f"failed: {BAD}: ValueError: row 4: BASE takes the labels 0 and 1" in str(summary)
        record = store.find(BAD)
        assert record is not None
        assert "Traceback" in record.provenance["traceback"]
        (row,) = table(store, [BAD], tmp_path, "table")
        assert row["status"] == "failed"
        assert row["reason"].startswith("ValueError: ")
    assert (summary.found, summary.computed) == (6, 0)


def test_set_that_nobody_has_seen_and_that_is_not_here(tmp_path, monkeypatch):
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path))
    monkeypatch.setattr("abacoc.streams.finding._platform_cache", lambda: tmp_path)
    summary = run_grid([make_job("sensor", "auto"), FEW[0]], Store(tmp_path / "s"), workers=1)
    assert summary.computed == 1
    assert "sensor is not on this machine" in summary.failures[0][1]


def test_a_worker_of_another_epoch_is_refused():
    known = identity(FEW[0])
    known |= {"epoch": 0, "data": "1"}
    record = workers.attempt(workers.Task(FEW[0], known, 1.0))
    assert record.result is None
    assert "this worker has other epoch and data than the runner" in record.error


def test_what_kills_its_worker_is_given_up(monkeypatch):
    """The pool breaks with one job; those beside it are not to blame."""
    tasks = [runner.Task(job, identity(job), 1.0) for job in FEW]

    def pool(left, n_workers):
        for i in list(left):
            if left[i].job == FEW[3]:
                raise workers.BrokenProcessPool
            yield i, workers.attempt(left[i])

    monkeypatch.setattr(workers, "_pool", pool)
    records = {task.job: record for task, record in workers.in_processes(tasks, 2)}
    assert set(records) == set(FEW)
    assert [job for job in FEW if records[job].error] == [FEW[3]]
    assert records[FEW[3]].error == workers.DIED


def test_long_streams_and_long_jobs_come_first():
    short = [make_job("generated:banana,n=300", method) for method in ("auto", "k-perc")]
    long = [make_job("generated:sea,n=6000", method) for method in ("auto", "k-perc")]
    tasks = [runner.Task(job, {}, runner.estimated_seconds(job)) for job in [*short, *long]]
    ordered = [task.job for task in runner._in_order(tasks)]
    assert ordered == [long[1], long[0], short[1], short[0]]


def test_no_workers():
    with pytest.raises(ValueError, match="at least 1, not 0"):
        run_grid(FEW, Store("nowhere"), workers=0)
