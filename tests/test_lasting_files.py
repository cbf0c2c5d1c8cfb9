"""Files that last: on the disk before they have their name; what a kill leaves is swept."""

import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from abacoc import Auto
from abacoc.files import STALE, write_atomically
from abacoc.grid.store import Store
from abacoc.grid.tables import Record


@pytest.fixture
def calls(monkeypatch):
    """What is forced to the disk, and renamed, in order; with the size that the file had then."""
    found = []
    fsync, replace = os.fsync, os.replace

    def told_fsync(handle):
        status = os.fstat(handle)
        found.append("folder" if stat.S_ISDIR(status.st_mode) else ("file", status.st_size))
        fsync(handle)

    def told_replace(old, new):
        found.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", told_fsync)
    monkeypatch.setattr(os, "replace", told_replace)
    return found


@pytest.mark.posix
def test_the_file_then_its_name_then_the_folder(tmp_path, calls):
    with write_atomically(tmp_path / "a") as file:
        file.write("x" * 100)
    assert calls == [("file", 100), "rename", "folder"]
    calls.clear()
    learner = Auto()
    learner.update([0.0], "a")
    learner.save(tmp_path / "model")
    assert calls == [("file", (tmp_path / "model").stat().st_size), "rename", "folder"]
    calls.clear()
    store, record = Store(tmp_path / "store"), Record({"job": 1}, {"accuracy": 0.1}, "", {})
    store.write(record)
    assert calls == [("file", store.path(record.key).stat().st_size), "rename", "folder"]


def test_a_disk_that_fails_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_text("old")

    def failing(handle):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output error"), write_atomically(path) as file:
        file.write("new")
    assert (path.read_text(), os.listdir(tmp_path)) == ("old", ["a"])


KILLED = """
import os, signal, sys
from abacoc.files import write_atomically
with write_atomically(sys.argv[1]) as file:
    file.write("half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.posix
def test_what_a_kill_leaves_is_swept(tmp_path):
    path = tmp_path / "model[1]"
    path.write_text("old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    (left,) = [name for name in os.listdir(tmp_path) if name != path.name]
    with write_atomically(path) as file:
        file.write("new")
    assert left in os.listdir(tmp_path), "it might belong to somebody who is writing"
    (tmp_path / ".another.12345678").touch()
    for name in (left, ".another.12345678"):
        os.utime(tmp_path / name, (0, time.time() - STALE - 1))
    with write_atomically(path) as file:
        file.write("newer")
    assert sorted(os.listdir(tmp_path)) == [".another.12345678", "model[1]"]
    assert path.read_text() == "newer"
