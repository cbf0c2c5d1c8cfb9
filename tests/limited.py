"""Reading a file with limits on memory and time that the system keeps: a process for every case.

A server imports the library once and forks for each case. The child may take so many bytes of
address space more than it was born with, and so many seconds of the processor (not of the clock: a
busy machine makes no case slower).
"""

import json
import os
import subprocess
import sys

import pytest

SERVER = """
import json, os, resource, sys
from abacoc import Limits, load
from abacoc.streams import read_file, read_pieces

def act(action, path, limits):
    if action == "model":
        return str(load(path, limits=Limits(**limits)).n_balls)
    if action == "pieces":
        pieces = read_pieces(path, rows=100, limits=Limits(**limits))
        return str([sum(len(X) for X, _ in pieces), pieces.n_attributes])
    return str(list(read_file(path, limits=Limits(**limits)).X.shape))

for line in sys.stdin:
    memory, seconds, *case = json.loads(line)
    child = os.fork()
    if not child:
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + memory,) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            said = "took " + act(*case)
        except ValueError as error:
            said = "refused: " + str(error)
        except BaseException as error:
            said = "died: " + repr(error)
        print(json.dumps(said), flush=True)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status:
        print(json.dumps("killed by signal " + str(status & 127)), flush=True)
"""


class Limited:
    """The server; call it with a case."""

    def __init__(self):
        if not sys.platform.startswith("linux"):
            pytest.skip("limits on a process as Linux has them")
        # one thread for linear algebra: the stacks of more would be counted
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )

    def __call__(self, path, megabytes, seconds, action="file", **limits):
        """What came of it: `took SHAPE` or `refused: WHY`; else the limits were not enough."""
        case = [megabytes << 20, seconds, action, str(path), limits]
        self.process.stdin.write(json.dumps(case) + "\n")
        self.process.stdin.flush()
        said = json.loads(self.process.stdout.readline())
        assert said.startswith(("took", "refused")), said
        assert "not enough memory" not in said, said
        assert "Unable to allocate" not in said, said
        return said

    def stop(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
