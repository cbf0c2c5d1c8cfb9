"""With NUMBA_DISABLE_JIT the kernels are Python: slow, and with the same answers."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from abacoc.engine import simd

PLAIN = Path(__file__).parent.parent / "baselines"  # the competitors in a few lines
PROGRAM = """
import sys
import numpy as np
from abacoc import prequential
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Cnn, Nn3
from abacoc.cli import main
from abacoc.engine.loop import run
from abacoc.methods import METHODS, OWN
from plain import iblstreams, neighbours, perceptron

assert not hasattr(run, "py_func"), "it was compiled"
rng, all_of_them = np.random.default_rng(0), np.ones(300, dtype=bool)
for n_bits in (0, 20):
    X = np.hstack([rng.random((300, 3)), 1.0 * (rng.random((300, n_bits)) < 0.1)])
    y = (X[:, 0] + 0.5 * rng.random(300) > 0.7).astype(int)
    for name in OWN:
        settings = {"budget": 150} if METHODS[name].budget else {}
        ways = [METHODS[name].make(settings, reference=way) for way in (False, True)]
        runs = [prequential(learner, X, y) for learner in ways]
        assert runs[0].predictions == runs[1].predictions, name
        assert np.array_equal(ways[0].balls.centres, ways[1].balls.centres), name
    for learner, said in (
        (Nn3(), neighbours(X, y, all_of_them, 3)),
        (Cnn(), neighbours(X, y, all_of_them, 1, condensed=True)),
        (KPerc(), perceptron(X, y, all_of_them, 1.0)),
        (IblStreams(5, 60, 20), iblstreams(X, y, all_of_them, k=5, size=60, start=20)),
    ):
        assert prequential(learner, X, y).predictions == said[0], learner
sys.exit(main(["run", "generated:sea,n=50"]) + main(["run", "generated:sea,n=50", "--method=nn3"]))
"""


def test_answers_without_numba():
    paths = os.pathsep.join([*filter(None, sys.path), str(PLAIN)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_lanes_without_a_centre_may_hold_anything():
    """Memory that was never written to, for example: no warning comes of it, and no answer."""
    values = np.full((2, simd.WIDTH), 1e300)
    values[:, 0] = 0.0
    totals = np.zeros(simd.WIDTH)
    assert simd._squares_in_python(values, 0, np.zeros(2), 0, 2, totals, 0, 1.0) == 1
