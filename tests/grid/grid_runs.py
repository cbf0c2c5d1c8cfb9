"""A small grid, the runner as a process that can be killed, and how to compare what came out."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from abacoc.grid.jobs import make_job
from abacoc.grid.tables import export, read_rows
from abacoc.limits import DEFAULT

# A job takes some hundredths of a second here, so that a kill often falls into one.
STREAMS = ("generated:uniform,n=8000", "generated:sea,n=6000", "generated:hyperplane,n=5000")
OWN = ("base", "base-adj", "auto", "auto-adj", "nn3", "cnn")
FEW = [make_job("generated:banana,n=300", method, 0.5) for method in OWN]
BAD = make_job("generated:hyperplane,n=300", "base", vote="randomized")  # five classes

PROGRAM = """
import sys
from abacoc.grid.jobs import make_job
from abacoc.grid.runner import run_grid
from abacoc.grid.store import Store
folder, streams, methods, seeds = sys.argv[1:]
places = [(s, m) for s in streams.split(";") for m in methods.split()]
jobs = [make_job(s, m, 0.3, k) for s, m in places for k in range(int(seeds))]
summary = run_grid(jobs, Store(folder), workers=2, progress=True)
print(summary)
sys.exit(summary.exit_status)
"""

# `abacoc`, which says when it has written three results, and waits for an answer.
PAUSING = """
import sys
from abacoc.cli import main
from abacoc.grid.store import Store
write, left = Store.write, 3
def write_and_wait(store, record):
    global left
    write(store, record)
    left -= 1
    if left == 0:
        print("three", flush=True)
        sys.stdin.readline()
Store.write = write_and_wait
sys.exit(main(sys.argv[1:]))
"""

# A row of CSV whose label is longer than the readers take unless they are told to.
LONG_CELL = f"\n1,2,{'x' * (DEFAULT.cell + 1)}\n"


def grid_of(seeds=2):
    return [make_job(s, m, 0.3, k) for s in STREAMS for m in OWN for k in range(seeds)]


def start(folder, seeds=2):
    """The runner in a group of its own, so that the group can be killed."""
    command = [sys.executable, "-c", PROGRAM, str(folder), ";".join(STREAMS), " ".join(OWN)]
    return subprocess.Popen(
        [*command, str(seeds)],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def start_pausing(*arguments):
    """`abacoc` in a group of its own, which pauses when it has written three results."""
    return subprocess.Popen(
        [sys.executable, "-c", PAUSING, *arguments],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until_it_pauses(process):
    told = process.stdout.readline()
    assert told == "three\n", process.stderr.read()


def n_results(folder):
    return len(list(Path(folder).glob("??/[!.]*.json")))


def wait_until(condition, process=None, limit=120.0):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        if process is not None and process.poll() is not None:
            return
        time.sleep(0.005)


def kill_group(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    # its tracker of resources was killed, too, and could not tidy up
    for remains in Path("/dev/shm").glob(f"sem.loky-{process.pid}-*"):
        remains.unlink(missing_ok=True)
    for remains in Path("/dev/shm").glob(f"joblib_memmapping_folder_{process.pid}_*"):
        shutil.rmtree(remains, ignore_errors=True)


def children(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return (
        [int(child) for child in listed.read_text(encoding="utf-8").split()]
        if listed.exists()
        else []
    )


def command_of(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
    return ""


def is_alive(pid):
    with contextlib.suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        return state != "Z"
    return False


def table(store, jobs, folder, name):
    """The rows of a table, without the time that each run took."""
    path = folder / f"{name}.csv"
    export(store.find, jobs, path)
    return [row | {"seconds": ""} for row in read_rows(path)]
