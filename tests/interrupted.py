"""Commands in real processes that are interrupted, and whether anything of them stays behind."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

SCRIPT = Path(__file__).with_name("signalled.py")
LIMIT = 120.0  # seconds to wait for an event; it comes within a few
TOLD = {"SIGINT": (130, "abacoc: interrupted\n"), "SIGTERM": (143, "abacoc: terminated\n")}
MARK = "ABACOC_TEST_MARK"


def wait_until(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.005)


class Command:
    """`abacoc` in a group of its own; all its descendants, of any group, carry a mark."""

    def __init__(self, *command, cwd, **variables):
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [sys.executable, *map(str, command)],
            cwd=cwd,
            env={**os.environ, MARK: self.mark, **variables},
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def family(self):
        """The command lines of all living processes that carry the mark."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"{MARK}={self.mark}".encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_text()
        return found

    def end(self):
        """Wait for the end: status, output and messages. Nobody else may live then."""
        try:
            self.process.wait(LIMIT)
            # they tidy up after the others, and end when nobody is left
            left = {pid: line for pid, line in self.family().items() if "tracker" not in line}
            out, err = self.process.communicate(timeout=LIMIT)
            wait_until(lambda: not self.family())
        finally:
            for pid in self.family():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        assert left == {}, left
        pid = self.process.pid
        assert [path for path in Path("/dev/shm").glob("*") if f"-{pid}-" in path.name] == []
        assert list(Path("/dev/shm").glob(f"*_{pid}_*")) == []
        return self.process.returncode, out, err


def signalled(place, nth, name, to, *arguments, cwd, **variables):
    """A command that gets a signal at a moment; see `signalled.py`."""
    return Command(SCRIPT, place, nth, name, to, *arguments, cwd=cwd, **variables)


def files(folder):
    """All files below a folder, hidden ones as well."""
    return sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*") if p.is_file())
