"""How kernels come: in good time, by another process, and with nobody left behind."""

import os
import subprocess
import sys
import time

import pytest

from abacoc.engine import jit, kernels
from abacoc.engine.kernels import Kernels

# a stream goes on until an engine has served for a while; then all of it once more without one
FIRST_RUN = """
import json, sys, time
import numpy as np
import abacoc, abacoc.auto, abacoc.base
from abacoc import prequential_pieces
from abacoc.engine.kernels import OURS
from abacoc.modelfile import state

rng, taken, seconds = np.random.default_rng(0), [], []
learner = getattr(abacoc, sys.argv[1])()

def pieces():
    left, started = 5, time.perf_counter()
    while left:
        X = rng.random((300, 3))
        taken.append((X, (X.sum(axis=1) + rng.random(300) > 2).astype(int)))
        yield taken[-1]
        seconds.append(time.perf_counter() - started)
        left -= learner.engine == "compiled"

run = prequential_pieces(learner, pieces(), keep=True)
assert 0 < run.by_reference < run.n_examples - 900, run
twin = getattr(getattr(abacoc, sys.argv[2]), sys.argv[1])()
again = prequential_pieces(twin, taken, keep=True)
assert again.predictions == run.predictions
assert again.model_sizes.tolist() == run.model_sizes.tolist()
assert state(learner) == state(twin)
assert seconds[0] < 5, seconds
print(run.by_reference)
"""


def python(program, *arguments, **variables):
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_first_run(tmp_path):
    """With an empty cache the first answers come at once; the second run finds the kernels."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    first = int(python(FIRST_RUN, "AutoAdj", "auto", **cache))
    second = int(python(FIRST_RUN, "AutoAdj", "auto", **cache))
    assert second < first
    assert int(python(FIRST_RUN, "BaseAdj", "base", **cache)) < first  # the same kernels


def test_a_short_run_needs_no_numba():
    program = """
import sys
from abacoc.cli import main
status = main(["run", "generated:sea,n=500"])
print("numba" in sys.modules, status)
"""
    assert python(program).splitlines()[-1] == "False 0"


class Missing(Kernels):
    """Kernels that are not on disk until another process is done; it does something else."""

    def __init__(self, there=False):
        super().__init__(f"{__name__}:{nothing.__name__}", f"{__name__}:ENTRIES")
        self.there, self.loads = there, 0

    def must_compile(self):
        return not self.there

    def load(self):
        self.loads += 1
        super().load()


def nothing():
    pass


class Kept:
    class stats:
        cache_path = "somewhere"


class Lost:
    class stats:
        cache_path = None


ENTRIES = (Kept,)


def test_nothing_happens_before_it_may_pay():
    wanted = Missing(there=True)
    assert not wanted.are_ready()
    wanted.worked = kernels.PATIENCE
    assert wanted.are_ready()
    assert wanted.loads == 1


def test_another_process_compiles(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILE", "import time; time.sleep(600)")
    wanted = Missing()
    wanted.worked = kernels.PAYS + 1  # here it would pay
    assert not wanted.are_ready()
    child = wanted._compiler
    assert child.poll() is None
    wanted.worked += 1
    assert not wanted.are_ready()
    assert wanted._compiler is child
    wanted.there = True
    wanted.worked += 1
    assert wanted.are_ready()
    assert child.poll() is not None


@pytest.mark.parametrize("trouble", ["nothing to run", "it fails", "nowhere to write", "frozen"])
def test_where_nobody_helps_it_is_compiled_here_once_it_pays(monkeypatch, trouble):
    if trouble == "nothing to run":
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    elif trouble == "it fails":
        monkeypatch.setattr(kernels, "COMPILE", "raise SystemExit(1)")
    elif trouble == "nowhere to write":
        monkeypatch.setitem(globals(), "ENTRIES", (Lost,))
    else:
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    wanted = Missing()
    wanted.worked = kernels.PATIENCE
    assert not wanted.are_ready()
    if wanted._compiler is not None:
        wanted._compiler.wait()
    wanted.worked = kernels.PAYS - 1
    assert not wanted.are_ready()
    assert wanted._compiler is None
    wanted.worked = kernels.PAYS
    assert wanted.are_ready()


@pytest.mark.linux
def test_it_ends_with_the_one_that_waits(tmp_path):
    """However that one ends: here it is killed."""
    program = """
import os, signal, sys
from abacoc.engine import kernels
from abacoc.engine.kernels import OURS
kernels.COMPILE = kernels.COMPILE.replace("compile_for_another(sys", "import time, threading; "
    "threading.Thread(target=time.sleep, args=[600]).start(); compile_for_another(sys")
OURS.home = "time:time"
assert OURS._start()
print(OURS._compiler.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    child = int(done.stdout)
    end = time.monotonic() + 60
    while os.path.exists(f"/proc/{child}") and "\nState:\tZ" not in status(child):
        assert time.monotonic() < end, "it is still there"
        time.sleep(0.05)


def status(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def test_without_a_folder_kernels_are_compiled_in_every_process(monkeypatch):
    def refuse(*_, **named):
        if named.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(jit, "njit", refuse)
    assert jit.entry(nothing) is nothing
