"""The digits of the tables are the same with and without the wide registers of the processor."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from paper.reproduce import run_in

WIDE = [
    name
    for name in __cpu_dispatch__
    if (name.startswith("AVX512") or name == "X86_V4") and __cpu_features__[name]
]

# whatever a table of theory/ is made of, where a power or a logarithm enters
DIGITS = """
from dataclasses import asdict
from fractions import Fraction

import numpy as np
from abacoc_theory.proofs import witnesses
from abacoc_theory import Chain, Mixture, OneBall, check_bound
from abacoc_theory.regret import adversaries, combs, covering, intervals, minimax, one_ball, sites
from abacoc_theory.regret import spaces, tightness

for d in (1, 2, 3):
    tree = tightness.hub_tree(d, 3000)
    print(d, tree.covering.hex(), np.sort(tree.row(0)).tobytes().hex())
for T in (10**3, 10**4, 10**6):
    layout = tightness.refined_interval(T)
    print(T, layout.space.row(0).tobytes().hex(), layout.order)
layouts = [tightness.refined_interval(1000), tightness.refined_star(1000, 4, 0.5)]
layouts += [layout for d in (1, 2, 3) for layout in tightness.hub_layouts(d, 1000)]
found = [tightness.run_layout("", layout, 1000) for layout in layouts]
found += [tightness.measured("", tightness.wedge(d, 1000), 2.0, 1.0) for d in (1, 2, 3)]
for row in found:
    print([v.hex() if isinstance(v, float) else v for v in asdict(row).values()])
for d, L in (1, 0.5), (2, 1.0), (3, 4.0):
    comb = combs.comb(d, 2000, L)
    played = adversaries.play(sites.SiteBase(comb.space), comb, 2000)
    print(comb.n_balls, comb.shape, comb.f.tobytes().hex(), played.mistakes.hex())
space, moves = intervals.scan(2000, 1.0, 0.85, 2)
print(space.points.tobytes().hex())
for space in spaces.cantor(6), spaces.cantor(5, 0.4), spaces.sierpinski(4), spaces.tree(3, 5):
    print(space.name, covering.covering_constant(space, space.dimension).hex())
print(one_ball.worst_regrets(300).tobytes().hex())
print(witnesses.trap(10**4, Fraction(0), plain=True).regret.hex())
print(witnesses.trap(10**6, Fraction(21, 20), 10).regret.hex(), witnesses.tree(9).regret.hex())
for d, space in (1, spaces.interval(65)), (2, spaces.square(9)), (3, spaces.cube(5)):
    print([gain.hex() for gain in minimax.coin_gains(space, 500, 4.0, 3)])
    print([minimax.packing_value(T, d, 4.0).hex() for T in (10, 1000, 10**5)])
    for learner in Chain(4.0, d), Mixture([OneBall(), Chain(1.0, d)]):
        print(check_bound(space, "opposite", 500, 4.0, algorithm=learner).p.tobytes().hex())
"""


def digits(**environment: str) -> str:
    here = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-c", DIGITS],
        cwd=here,
        env=os.environ | {"PYTHONPATH": str(here)} | environment,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.skipif(not WIDE, reason="this processor has no AVX-512: nothing to switch off")
def test_digits_do_not_depend_on_the_processor():
    with_them = digits().splitlines()
    without = digits(NPY_DISABLE_CPU_FEATURES=" ".join(WIDE)).splitlines()
    assert len(with_them) > 20
    different = [a[:60] for a, b in zip(with_them, without, strict=True) if a != b]
    assert not different


@pytest.mark.slow  # the notebook twice; its digits come from the modules that DIGITS runs through
@pytest.mark.skipif(not WIDE, reason="this processor has no AVX-512: nothing to switch off")
def test_tables_of_the_regret_do_not_depend_on_the_processor(tmp_path, monkeypatch):
    """The notebook itself, small: its kernel inherits the environment."""
    small = {"horizons": [100, 1000], "long_horizons": [1000], "short_horizons": [200]}
    tables = []
    for name, features in (("with", ""), ("without", " ".join(WIDE))):
        monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", features)
        run_in(tmp_path / name, "regret", {**small, "restarts": 1, "steps": 2})
        written = sorted((tmp_path / name / "reproduced").glob("*.csv"))
        tables.append({path.name: path.read_text() for path in written})
    assert len(tables[0]) == 4
    assert tables[0] == tables[1]
