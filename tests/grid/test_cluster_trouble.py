"""What ends a run on a cluster, in one line: a lost scheduler, a worker that lacks something."""

import re
import subprocess
import sys

import pytest
from dask_processes import scheduler, worker
from grid_runs import FEW, LONG_CELL, n_results, start_pausing, wait_until, wait_until_it_pauses

from abacoc.cli import main
from abacoc.grid import cluster
from abacoc.grid.jobs import make_job
from abacoc.grid.keys import identity
from abacoc.grid.runner import run_grid
from abacoc.grid.store import Store
from abacoc.grid.workers import Task

distributed = pytest.importorskip("distributed")

GRID = ["grid", "generated:sea,n=300", "--methods", "auto,auto-adj,nn3,cnn", "--rates", "1,50%"]

OTHER_PYTHON = """
import collections, sys
Version = collections.namedtuple("Version", "major minor micro releaselevel serial")
sys.version_info = Version(3, 10, 0, "final", 0)
"""
WITHOUT_US = "import sys; sys.modules['abacoc'] = None"

CSV = "a,b,label\n" + "\n".join(f"{i % 7},{i % 5},{'x' if i % 7 < 3 else 'y'}" for i in range(200))


def test_scheduler_killed_and_restarted(tmp_path):
    store = tmp_path / "store"
    with scheduler(tmp_path) as (process, address), worker(address, tmp_path):
        asked = [*GRID, "--store", str(store), "--scheduler", address]
        with start_pausing(*asked) as runner:
            wait_until_it_pauses(runner)
            process.kill()
            process.wait()
            out, err = runner.communicate("go on\n", timeout=120)
    assert (runner.returncode, out) == (2, "")
    assert err == (
        f"abacoc: the Dask scheduler at {address} is gone: start it and its workers again, then "
        "this command, which goes on where it stopped\n"
    )
    assert n_results(store) == 3
    port = address.rpartition(":")[2]
    with scheduler(tmp_path, port) as (_, same), worker(same, tmp_path):
        assert same == address
        done = subprocess.run(
            [sys.executable, "-m", "abacoc", *asked], capture_output=True, text=True, timeout=120
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("8 runs: 5 computed, 3 computed here before, in ")


# Workers that lack something ------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with scheduler(tmp_path_factory.mktemp("scheduler")) as (_, found):
        yield found


@pytest.fixture
def call(address, tmp_path, monkeypatch, capsys):
    """`abacoc grid` in a folder beside that of the worker; status, and what it says."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def grid(*arguments):
        status = main(["grid", *arguments, "--methods", "auto", "--scheduler", address, "--json"])
        captured = capsys.readouterr()
        return status, captured.err if status else captured.out

    return grid


def test_another_python(address, tmp_path, call):
    """It has packages of its own, and this is mostly not among them."""
    here = "{}.{}".format(*sys.version_info[:2])
    with worker(address, tmp_path / "there", OTHER_PYTHON + WITHOUT_US):
        status, told = call("generated:sea,n=300")
    expected = rf"abacoc: the worker tcp://127.0.0.1:\d+ has Python 3.10, the runner {here}: "
    assert status == 2
    assert re.fullmatch(rf"{expected}start it with Python {here}\n", told)


@pytest.mark.parametrize("late", [False, True])
def test_without_this_package(address, tmp_path, call, monkeypatch, late):
    """Seen at the start, or by its failures when it has come later."""
    look, looks = cluster._check_workers, []

    def check(client):
        looks.append(client)
        if not (late and len(looks) == 1):
            look(client)

    monkeypatch.setattr(cluster, "_check_workers", check)
    with worker(address, tmp_path / "there", WITHOUT_US):
        status, told = call("generated:sea,n=300")
    assert status == 2
    expected = r"abacoc: the worker tcp://127.0.0.1:\d+ cannot import abacoc \(.*\): install it "
    assert re.fullmatch(rf"{expected}there\n", told)
    assert len(looks) == 1 + late


def test_a_file_that_the_worker_lacks_or_has_otherwise(address, tmp_path, call):
    here, there = tmp_path / "here" / "mine.csv", tmp_path / "there" / "mine.csv"
    here.write_text(CSV)
    with worker(address, tmp_path / "there"):
        status, told = call("mine.csv")
        assert status == 2
        found = re.fullmatch(
            r"abacoc: the worker tcp://127.0.0.1:\d+ in (.*) lacks data: (.*)\n", told
        )
        assert found
        assert found[1] == str(there.parent)
        assert found[2] == "no such file: mine.csv; copy it there from the runner's machine"
        there.write_text(CSV.replace("x", "z", 5))
        status, told = call("mine.csv")
        assert status == 2
        assert told.endswith(
            " has other data than the runner for mine.csv: copy the runner's file there\n"
        )
        there.write_text(CSV)  # the worker, still the same, looks again
        status, told = call("mine.csv")
        assert status == 0, told


def test_a_set_that_the_worker_lacks(address, tmp_path, call):
    nothing = {"ABACOC_DATA": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    with worker(address, tmp_path / "there", **nothing):
        status, told = call("covtype,head=100")
    assert status == 2
    assert "lacks data: covtype is not on this machine: " in told
    assert told.count("\n") == 1


def test_a_limit_reaches_the_worker(address, tmp_path, call):
    for folder in ("here", "there"):
        (tmp_path / folder / "mine.csv").write_text(CSV + LONG_CELL)
    with worker(address, tmp_path / "there"):
        status, told = call("mine.csv", "--limit", "cell=1M")
    assert status == 0, told


def test_a_worker_that_comes_late_is_asked_too():
    known = identity(FEW[0])
    assert cluster.unfit(Task(FEW[0], known, 1.0), cluster.PYTHON) == ""
    assert cluster.unfit(Task(FEW[0], known, 1.0), "2.7").endswith("start it with Python 2.7")
    told = cluster.unfit(Task(FEW[0], known | {"epoch": 0, "data": "1"}, 1.0), cluster.PYTHON)
    assert told.startswith("has other epoch and data than the runner for generated:banana")
    gone = make_job("./gone.csv", "auto")
    assert "no such file: ./gone.csv" in cluster.unfit(Task(gone, known, 1.0), cluster.PYTHON)


# Nobody there ---------------------------------------------------------------------------------


def test_no_workers(address, call, monkeypatch):
    with distributed.Client(address, set_as_default=False) as client:  # those of the tests above
        wait_until(lambda: not client.scheduler_info()["workers"])
    monkeypatch.setattr(cluster, "CONNECT", 1.0)
    status, told = call("generated:sea,n=300")
    assert (status, told) == (
        2,
        f"abacoc: the Dask scheduler at {address} has no workers: dask worker {address} starts "
        "one\n",
    )


def test_no_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT", 1.0)
    with pytest.raises(ValueError, match="no Dask scheduler answers at tcp:"):
        run_grid(FEW, Store(tmp_path), scheduler="tcp://127.0.0.1:9")


def test_missing_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        ValueError, match=r'a cluster needs distributed.*pip install "distributed>='
    ):
        run_grid(FEW, Store(tmp_path), scheduler="tcp://127.0.0.1:9")
