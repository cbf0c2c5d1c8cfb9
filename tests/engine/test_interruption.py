"""Whatever is raised, and whenever: a learner is as before the call or as after it, and goes on.

disturbed.py does the work, in a process of its own: what aborts or never ends is red here. The
quick tests take every so many of the moments, the slow ones all; the counts are printed (-rP).
VFDT and RULES are programs of others (River, MOA), for which nobody can promise this.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from disturbed import METHODS, STREAMS

from abacoc import AutoAdj
from abacoc.engine.check import check
from abacoc.engine.engine import Engine

PROGRAM = Path(__file__).with_name("disturbed.py")
EVERYWHERE = [f"{name},{kind}" for name in METHODS for kind in STREAMS]
# each method on one stream
SOME = [f"{name},{STREAMS[i % len(STREAMS)]}" for i, name in enumerate(METHODS)]


def counts_of(how, cases, stride, *n):
    done = subprocess.run(
        [sys.executable, "-W", "error", PROGRAM, how, " ".join(cases), str(stride), *n],
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    assert done.returncode == 0, done.stderr  # an abort is a negative number
    print(how, done.stdout)
    counts = json.loads(done.stdout)
    assert counts["third states"] == 0, done.stderr
    return counts


@pytest.mark.parametrize(
    ("how", "stride", "least"),
    [
        ("lines", 29, 200),
        ("arrays", 3, 100),
        pytest.param("signals", 20, 30, marks=pytest.mark.posix),
    ],
)
def test_some_moments(how, stride, least):
    counts = counts_of(how, SOME, stride, "160")
    assert counts["points"] + counts["signals"] >= least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "stride"),
    [
        *(("lines", 1), ("opcodes", 7), ("arrays", 1), ("objects", 1)),
        pytest.param("signals", 1, marks=pytest.mark.posix),
    ],
)
def test_every_moment(how, stride):
    if how == "objects":
        pytest.importorskip("_testcapi")
    counts_of(how, EVERYWHERE, stride)


def test_interrupted_where_the_tree_is_built(monkeypatch):
    """The first case that was known: the process aborted, or the kernel never ended."""
    build, left = Engine._laid_out, [KeyboardInterrupt]

    def interrupted(self, state, dense, centres):
        if left and len(centres):  # not where there is no ball yet
            raise left.pop()
        return build(self, state, dense, centres)

    monkeypatch.setattr(Engine, "_laid_out", interrupted)
    rng = np.random.default_rng(0)
    X, y = rng.random((1000, 3)), rng.integers(0, 2, 1000).tolist()
    learner, twin = AutoAdj(budget=20), AutoAdj(budget=20)
    for x, label in zip(X, y, strict=True):
        try:
            learner.update(x, label)
        except KeyboardInterrupt:
            assert learner.n_balls == 20
            check(learner._engine)
            learner.update(x, label)
    assert not left
    for x, label in zip(X, y, strict=True):
        twin.update(x, label)
    assert np.array_equal(learner.balls.centres, twin.balls.centres)
