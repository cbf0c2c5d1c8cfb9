"""A Dask scheduler and workers as processes of their own, on this machine."""

import contextlib
import json
import os
import subprocess
import sys

from grid_runs import wait_until

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@contextlib.contextmanager
def scheduler(folder, port=0):
    """The process and its address; killed at the end."""
    written = folder / "scheduler.json"
    written.unlink(missing_ok=True)
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    where = ["--host", "127.0.0.1", "--port", str(port), "--scheduler-file", str(written)]
    process = subprocess.Popen([*program, *where], **QUIET)
    try:
        wait_until(lambda: _address(written) or process.poll() is not None)
        assert process.poll() is None, "the scheduler does not start"
        yield process, _address(written)
    finally:
        process.kill()
        process.wait()


def _address(path):
    """Empty until the scheduler has written it to the end."""
    with contextlib.suppress(OSError, ValueError):
        return json.loads(path.read_text())["address"]
    return ""


@contextlib.contextmanager
def worker(address, folder, preload="", **environment):
    """A worker in a folder, which runs a line of Python before anything else."""
    program = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
    program += ["--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]
    if preload:
        (folder / "preload.py").write_text(preload)
        program += ["--preload", "preload.py"]
    process = subprocess.Popen(program, cwd=folder, env=os.environ | environment, **QUIET)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
