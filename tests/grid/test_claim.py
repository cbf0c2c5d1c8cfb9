"""Two runners on one store: the second says who is at it; one that is dead is in nobody's way."""

import os
import signal
import socket

import pytest
from grid_runs import (
    FEW,
    children,
    command_of,
    is_alive,
    kill_group,
    n_results,
    start_pausing,
    wait_until_it_pauses,
)

from abacoc.cli import main
from abacoc.grid import claim
from abacoc.grid.claim import LOCK, Busy, only_runner
from abacoc.grid.runner import run_grid
from abacoc.grid.store import Store

FIRST = ["grid", "generated:sea,n=300", "--seeds", "5", "--rates", "50%", "--workers", "2"]
SECOND = ["grid", "generated:banana,n=300", "--methods", "auto", "--workers", "1", "--json"]


@pytest.mark.linux
def test_the_first_lives_then_dies(tmp_path, capsys):
    """It pauses, so that it cannot finish meanwhile; killed -9, it leaves its workers behind."""
    store = tmp_path / "store"
    first = start_pausing(*FIRST, "--store", str(store))
    try:
        wait_until_it_pauses(first)
        assert main([*SECOND, "--store", str(store)]) == 2
        assert capsys.readouterr() == (
            "",
            f"abacoc: process {first.pid} on {socket.gethostname()} is computing into {store}: "
            "wait for it, or take another folder (if that machine was lost, remove "
            f"{store / LOCK})\n",
        )
        assert n_results(store) == 3
        orphans = [pid for pid in children(first.pid) if "popen_loky" in command_of(pid)]
        for pid in orphans:  # or they would leave with their parent
            os.kill(pid, signal.SIGSTOP)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        assert main([*SECOND, "--store", str(store)]) == 0
        assert len(orphans) == 2
        assert all(map(is_alive, orphans))
    finally:
        kill_group(first)


def test_nothing_to_compute_needs_no_claim(tmp_path):
    store = Store(tmp_path)
    run_grid(FEW[:1], store, workers=1)
    with only_runner(tmp_path):
        assert run_grid(FEW[:1], store, workers=1).found == 1
        with pytest.raises(Busy, match=f"process {os.getpid()} on .* is computing into"):
            run_grid(FEW, store, workers=1)
    assert run_grid(FEW, store, workers=1).computed == len(FEW) - 1


def test_an_error_ends_the_claim(tmp_path):
    with pytest.raises(ZeroDivisionError), only_runner(tmp_path):
        raise ZeroDivisionError
    with only_runner(tmp_path):
        pass


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    """Both compute the same: better than none."""
    fcntl = pytest.importorskip("fcntl")

    def unsupported(handle, how):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with only_runner(tmp_path), only_runner(tmp_path):
        assert claim.LOCK in os.listdir(tmp_path)
