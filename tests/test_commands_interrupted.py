"""Ctrl-C and SIGTERM at well-defined moments of real commands; and the parts, in this process."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from interrupted import LIMIT, SCRIPT, TOLD, Command, files, signalled, wait_until

from abacoc import interruption
from abacoc.files import write_atomically
from abacoc.grid import runner
from abacoc.grid.claim import LOCK
from abacoc.grid.jobs import make_job
from abacoc.grid.store import Store
from abacoc.grid.tables import read_rows
from abacoc.interruption import Interrupted, heard, held

pytestmark = pytest.mark.linux  # all that a command has started is found in /proc
CSV = "a,b,label\n" + "\n".join(
    f"{i * 37 % 101},{i * 61 % 97},{'in' if (i * 37 % 101) < 50 else 'out'}" for i in range(3000)
)
RUN = ("run", "mine.csv", "--dump", "d.csv", "--save", "m.model", "--json")
GRID = ("grid", "mine.csv", "--methods", "auto,auto-adj,nn3,cnn", "--rates", "0.5", "--seeds", "4")
GRID = (*GRID, "--store", "store", "--table", "t.csv")
ALONE = (*GRID, "--workers", "1")  # for the same results without a pool
REPRODUCE = ("reproduce", "--profile", "tiny", "--only", "figure1", "--output", "out")
WRITE, SUBMIT = "abacoc.grid.store:Store.write", "joblib.externals.loky:ProcessPoolExecutor.submit"
KERNEL = "jupyter_client.provisioning.local_provisioner:LocalProvisioner.launch_kernel"
FILES = write_atomically.__wrapped__.__code__.co_filename
NOTEBOOKS = str(SCRIPT.parents[1] / "notebooks")
CELL = "papermill.clientwrap:PapermillNotebookClient.process_message"  # within a cell


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.csv").write_text(CSV)
    return tmp_path


def answer(folder, *arguments):
    """The same command undisturbed: what it prints."""
    status, out, err = Command("-m", "abacoc", *arguments, cwd=folder).end()
    assert (status, err) == (0, "")
    return out


def without_times(out):
    """What a run found, but not how long it took, nor who was the first to be there."""
    times = ("seconds", "examples_per_second", "engine", "by_reference")
    return {k: v for k, v in json.loads(out).items() if k not in times}


# One process ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "nth", "name", "to"),
    [
        ("abacoc.commands.run:add", 1, "SIGTERM", "group"),
        ("abacoc.streams.csvfile:is_header", 1, "SIGINT", "alone"),
        ("abacoc.commands.outputs:Dump.write", 1, "SIGINT", "group"),
        ("abacoc.files:os.replace", 2, "SIGTERM", "alone"),
    ],
    ids=["options", "reading", "writing", "saving"],
)
def test_run(mine, place, nth, name, to):
    status, out, err = signalled(place, nth, name, to, *RUN, cwd=mine).end()
    assert (status, out, err) == (TOLD[name][0], "", TOLD[name][1])
    # of the files that it had begun, each is whole or not there
    assert files(mine) in (["mine.csv"], ["d.csv", "mine.csv"], ["d.csv", "m.model", "mine.csv"])
    if Path(mine, "d.csv").exists():
        assert Path(mine, "d.csv").read_text(encoding="utf-8").count("\n") == 3001


def test_run_afterwards_is_as_if_nothing_had_been(mine):
    """While the file is being written that there was before."""
    before = without_times(answer(mine, *RUN))
    dump, model = (mine / "d.csv").read_bytes(), (mine / "m.model").read_bytes()
    command = signalled("abacoc.files:os.fsync", 1, "SIGINT", "group", *RUN, cwd=mine)
    assert command.end() == (130, "", TOLD["SIGINT"][1])
    assert files(mine) == ["d.csv", "m.model", "mine.csv"]
    assert (mine / "d.csv").read_bytes() == dump
    assert without_times(answer(mine, *RUN)) == before
    assert (dump, model) == ((mine / "d.csv").read_bytes(), (mine / "m.model").read_bytes())


@pytest.mark.parametrize(
    ("place", "command"),
    [
        ("abacoc_theory.proofs.report:verify", ["verify", "coin"]),
        ("abacoc.commands.regret:open_whole", ["regret", "mine.csv", "--lipschitz", "1"]),
        ("paper.bench.command:warm_up", ["bench", "--profile", "tiny", "--output", "out"]),
    ],
    ids=["verify", "regret", "bench"],
)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_other_commands(mine, place, command, name):
    """They go through the same door."""
    code = f"import sys; sys.path.insert(0, {NOTEBOOKS!r}); import runpy; "
    code += f"sys.argv[0] = {str(SCRIPT)!r}; runpy.run_path(sys.argv[0], run_name='__main__')"
    status, _, err = Command("-c", code, place, 1, name, "group", *command, cwd=mine).end()
    assert (status, err.splitlines(True)[-1]) == TOLD[name]
    assert "Traceback" not in err
    assert files(mine) == ["mine.csv"]


# The addresses of all sets are one that a test has made.
FETCH = """
import sys
from abacoc import cli
from abacoc.streams import download, registry
url = sys.argv.pop(1)
registry.download = lambda _, *rest: download.download(url, *rest)
sys.exit(cli.main())
"""


def test_a_download(tmp_path):
    """While the server is silent: the thread that waits for it does not keep the process."""
    (tmp_path / "temporary").mkdir()
    folders = {"ABACOC_DATA": str(tmp_path), "TMPDIR": str(tmp_path / "temporary")}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LIMIT)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/a"
        command = Command("-c", FETCH, url, "data", "fetch", "covtype", cwd=tmp_path, **folders)
        with listener.accept()[0] as connection:
            connection.recv(1)  # it has asked
            command.process.send_signal(signal.SIGINT)
            assert command.end() == (130, "", TOLD["SIGINT"][1])
    assert files(tmp_path) == []


@pytest.mark.slow
def test_compiling(mine):
    """Into a cache of its own, which serves the next call, whatever is in it."""
    cache = {"NUMBA_CACHE_DIR": str(mine / "cache")}
    place = "numba.core.compiler_machinery:PassManager.run"
    now = (*RUN, "--engine", "compiled")
    for nth, name in ((1, "SIGINT"), (20, "SIGTERM"), (80, "SIGINT")):
        status, out, err = signalled(place, nth, name, "group", *now, cwd=mine, **cache).end()
        compiling, *told = err.splitlines(True)
        assert compiling.startswith("abacoc: compiling for this machine")
        assert (status, out, told) == (TOLD[name][0], "", [TOLD[name][1]])
    status, out, _ = Command("-m", "abacoc", *now, cwd=mine, **cache).end()
    assert (status, without_times(out)) == (0, without_times(answer(mine, *now)))


@pytest.mark.parametrize(("nth", "name", "to"), [(1, "SIGINT", "group"), (4, "SIGTERM", "alone")])
def test_while_another_process_compiles(tmp_path, nth, name, to):
    """It is started by the first of these calls, and the others look after it."""
    place, cache = "abacoc.engine.kernels:Kernels._start", {"NUMBA_CACHE_DIR": str(tmp_path / "c")}
    if nth > 1:
        place = "abacoc.engine.kernels:Kernels._needs_no_wait"
    run = ("run", "generated:sea,n=200000")
    ended = signalled(place, nth, name, to, *run, cwd=tmp_path, **cache).end()
    assert ended == (TOLD[name][0], "", TOLD[name][1])


def test_a_run_that_ends_while_another_process_compiles(tmp_path):
    """That one ends as well; and nobody is told anything."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    run = ("run", "generated:sea,n=20000", "--json")
    status, out, err = Command("-m", "abacoc", *run, cwd=tmp_path, **cache).end()
    assert (status, err, json.loads(out)["engine"]) == (0, "", "reference")


@pytest.mark.slow
def test_run_at_any_moment(mine):
    """From the first function of the command to its last, in equal steps and by chance."""
    last, chance = 2_000_000, random.Random(1)
    ends = 0
    while last > 3:
        status, _, err = signalled("anything", last, "SIGINT", "group", *RUN, cwd=mine).end()
        assert (status, err) in ((0, ""), TOLD["SIGINT"])
        assert not [name for name in files(mine) if Path(name).name.startswith(".")]
        ends += status == 0
        last = int(last * chance.uniform(0.5, 0.7))
    assert ends, "it was long enough to see the end"


# Several processes ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "mine.csv").write_text(CSV)
    answer(folder, *ALONE)
    return rows(folder)


def rows(folder):
    return [row | {"seconds": ""} for row in read_rows(folder / "t.csv")]


@pytest.mark.parametrize(
    ("place", "nth", "name", "to"),
    [
        (WRITE, 1, "SIGINT", "group"),  # the first finished job
        (SUBMIT, 2, "SIGTERM", "alone"),  # workers are starting
        (SUBMIT, 6, "SIGINT", "alone"),  # they have results, and get more to do
        pytest.param(WRITE, 2, "SIGTERM", "alone", marks=pytest.mark.slow),
        pytest.param(SUBMIT, 1, "SIGINT", "group", marks=pytest.mark.slow),  # none has started
        pytest.param(SUBMIT, 3, "SIGTERM", "group", marks=pytest.mark.slow),
        pytest.param(SUBMIT, 2, "SIGINT", "group", marks=pytest.mark.slow),
        pytest.param(WRITE, 9, "SIGTERM", "group", marks=pytest.mark.slow),
        pytest.param("abacoc.files:os.fsync", 3, "SIGINT", "group", marks=pytest.mark.slow),
        pytest.param("abacoc.grid.workers:warm_up", 1, "SIGINT", "group", marks=pytest.mark.slow),
        pytest.param("abacoc.grid.runner:identity", 1, "SIGINT", "group", marks=pytest.mark.slow),
    ],
)
def test_grid(mine, undisturbed, place, nth, name, to):
    assert signalled(place, nth, name, to, *GRID, cwd=mine).end() == (
        TOLD[name][0],
        "",
        TOLD[name][1],
    )
    names = [name for name in files(mine) if Path(name).name != LOCK]
    assert all(name == "mine.csv" or name.endswith(".json") for name in names)
    assert not [name for name in names if Path(name).name.startswith(".")]
    found = len(names) - 1
    assert found < 16
    before = f", {found} computed here before" if found else ""
    assert f"16 runs: {16 - found} computed{before}, in " in answer(mine, *ALONE)
    assert rows(mine) == undisturbed


def test_grid_from_outside(mine, undisturbed):
    """As a terminal does it: to all, twice, as soon as the first result is there."""
    command = Command("-m", "abacoc", *GRID, cwd=mine)
    wait_until(lambda: any(name.endswith(".json") for name in files(mine)))
    pool = [pid for pid, line in command.family().items() if "popen_loky" in line]
    assert len(pool) == 2
    for pid in pool:  # signals are for their parent, which ends them
        (mask,) = re.findall(
            r"SigBlk:\t(\w+)", Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        )
        assert all(int(mask, 16) >> number - 1 & 1 for number in interruption.SIGNALS)
    for _ in range(2):
        os.killpg(command.process.pid, signal.SIGINT)
    assert command.end() == (130, "", TOLD["SIGINT"][1])
    answer(mine, *ALONE)
    assert rows(mine) == undisturbed


def test_nobody_waits_for_a_long_job(tmp_path):
    """Two that take hours: the pool is ended, and not only asked to end."""
    long = ("grid", "generated:uniform,n=3000000", "--methods", "k-perc,cnn", "--store", "store")
    assert signalled(SUBMIT, 2, "SIGINT", "group", *long, cwd=tmp_path).end() == (
        130,
        "",
        TOLD["SIGINT"][1],
    )


def test_the_workers_are_gone_when_the_runner_raises(tmp_path, monkeypatch):
    """Not when somebody lets go of the exception, whose frames hold them."""
    ended = []

    def in_processes(tasks, workers):
        try:
            yield from ((task, None) for task in tasks)
        finally:
            ended.append(True)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "in_processes", in_processes)
    monkeypatch.setattr(Store, "write", interrupted)
    job = make_job("generated:banana,n=300", "auto")
    with pytest.raises(KeyboardInterrupt) as held_on_to:
        runner.run_grid([job], Store(tmp_path))
    assert ended == [True]
    del held_on_to


@pytest.mark.slow
def test_grid_at_any_moment(mine, undisturbed):
    for nth in (3_000, 30_000, 100_000, 200_000, 300_000, 400_000, 500_000):
        status, _, err = signalled("anything", nth, "SIGINT", "group", *GRID, cwd=mine).end()
        assert (status, err) in ((0, ""), TOLD["SIGINT"])
    answer(mine, *ALONE)
    assert rows(mine) == undisturbed


@pytest.mark.parametrize(
    ("place", "nth", "name"),
    [
        (KERNEL, 1, "SIGINT"),  # the kernel starts
        pytest.param(CELL, 1, "SIGTERM", marks=pytest.mark.slow),
        pytest.param(CELL, 4, "SIGINT", marks=pytest.mark.slow),
        pytest.param("abacoc.files:os.fsync", 1, "SIGINT", marks=pytest.mark.slow),
    ],
)
def test_reproduce(tmp_path, place, nth, name):
    (tmp_path / "temporary").mkdir()
    variables = {"TMPDIR": str(tmp_path / "temporary")}
    command = signalled(place, nth, name, "group", *REPRODUCE, cwd=tmp_path, **variables)
    status, out, err = command.end()
    assert (status, out, err) == (TOLD[name][0], "figure1 ...\n", TOLD[name][1])
    assert not [file for file in files(tmp_path) if "executed" in file or "temporary" in file]


@pytest.mark.slow
def test_reproduce_goes_on_after_it(tmp_path):
    """In the runs, and in a notebook; the files are those of an undisturbed one."""

    def call(folder, *moment):
        arguments = ("reproduce", "--profile", "tiny", "--only", "ablation", "--output", folder)
        if moment:
            status, _, err = signalled(*moment, *arguments, cwd=tmp_path).end()
            assert (status, err) == TOLD[moment[2]]
        else:
            answer(tmp_path, *arguments)

    call("plain")
    call("stopped", WRITE, 3, "SIGINT", "group")
    call("stopped", CELL, 3, "SIGTERM", "group")
    call("stopped")
    names = [name for name in files(tmp_path / "plain") if not name.startswith("store")]
    assert names == [name for name in files(tmp_path / "stopped") if not name.startswith("store")]
    for name in names:
        if not name.endswith("results.csv"):  # it has times
            first, second = ((tmp_path / f / name).read_bytes() for f in ("plain", "stopped"))
            assert first == second, name


# The parts ------------------------------------------------------------------------------------


def test_the_first_signal_is_raised_and_no_other():
    before = [signal.getsignal(number) for number in interruption.SIGNALS]
    tidied = []

    @heard(for_good=False)
    def twice():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGINT)
            tidied.append(True)

    with pytest.raises(Interrupted, match="terminated") as caught:
        twice()
    assert tidied == [True]
    assert caught.value.status == 143
    assert [signal.getsignal(number) for number in interruption.SIGNALS] == before


def test_what_follows_from_a_signal_is_the_signal():
    @heard(for_good=False)
    def broken():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ValueError("a pool is broken") from None

    with pytest.raises(Interrupted):
        broken()
    with pytest.raises(ValueError, match="another"), heard(for_good=False):
        raise ValueError("another")


def test_signals_that_are_ignored_stay_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with heard(for_good=False):
            signal.raise_signal(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_hears_nothing():
    heard_there = []

    def inside():
        with heard(for_good=False):
            heard_there.append(True)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert heard_there == [True]


class Dying:
    """Something whose destructor is interrupted."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_a_signal_in_a_destructor_comes_again(capsys):
    @heard(for_good=False)
    def wait():
        Dying()
        time.sleep(LIMIT)

    with pytest.raises(Interrupted):
        wait()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("threads", [0, 1])
def test_signals_wait_while_they_are_held(threads):
    """Also where the system gives them to another thread, which has no mask."""
    seen, done = [], threading.Event()
    others = [threading.Thread(target=done.wait) for _ in range(threads)]

    @heard(for_good=False)
    def inside():
        with held():
            os.kill(os.getpid(), signal.SIGINT)
            end = time.monotonic() + 0.2  # for the other thread to wake up; too short hides a fault
            while time.monotonic() < end:
                pass
            seen.append("went on")
        seen.append("and on")

    for other in others:
        other.start()
    try:
        with pytest.raises(Interrupted):
            inside()
    finally:
        done.set()
        for other in others:
            other.join()
    assert seen == ["went on"]
    with pytest.raises(KeyboardInterrupt):  # all is as before
        signal.raise_signal(signal.SIGINT)


def test_processes_started_while_signals_are_held_hear_none():
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    with held():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "alive\n")


STUCK = """
import signal, sys, time
from abacoc import cli, interruption
interruption.GRACE = 0.1
def stuck(options):
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        time.sleep(600)
class Parser:
    command = staticmethod(stuck)
    def parse_args(self, arguments):
        return self
cli._parser = lambda *_: Parser()
sys.exit(cli.main())
"""


def test_who_is_stuck_is_ended(tmp_path):
    status, _, err = Command("-c", STUCK, cwd=tmp_path).end()
    assert (status, err) == (130, "abacoc: interrupted; not all could be tidied up\n")


# between opening a file and entering its block Python itself closes it, and says so
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_file_is_whole_or_not_there_at_every_bytecode(tmp_path):
    """An interruption before any of them, one after the other, until one comes too late."""
    path, steps = tmp_path / "a", 0

    def write(text, at=None):
        nonlocal steps
        steps = 0

        def trace(frame, event, argument):
            nonlocal steps
            if frame.f_code.co_filename != FILES:
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            if event == "opcode":
                steps += 1
                if steps == at:
                    raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            with write_atomically(path) as file:
                file.write(text)
        finally:
            sys.settrace(before)

    write("old")
    total = steps
    assert total > 100
    for at in range(1, total + 1):
        with pytest.raises(KeyboardInterrupt):
            write("new", at)
        assert os.listdir(tmp_path) == ["a"], at
        assert path.read_text() in ("old", "new")
        path.write_text("old")
