"""A kernel that could not get memory would stop in the middle of an example: none asks for any."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import abacoc.engine

# what kernels may call besides each other: nothing here makes an array
HARMLESS = {"range", "len", "min", "max", "abs", "float", "int", "math.sqrt", "math.exp"}
HARMLESS |= {"math.copysign", "np.int64", "np.uint64", "np.float32", "np.signbit", "np.argmax"}
PROGRAM = """
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Nn3
from abacoc import Scaled
from abacoc.engine import cases, expansion, loop, neighbours, scaling, warm_up

warm_up()
for learner in Nn3(), KPerc(), IblStreams():
    learner.compile_now()
Scaled(Nn3()).compile_now()
for module in (loop, neighbours, expansion, cases, scaling):
    for name, function in vars(module).items():
        if hasattr(function, "inspect_llvm") and function.signatures and name != "ball_probability":
            print(name, *function.inspect_llvm().values())
"""


def kernels():
    for path in sorted(Path(abacoc.engine.__file__).parent.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
                if decorators & {"kernel", "inlined", "entry", "intrinsic"}:
                    yield node


def test_no_call_that_could_make_an_array():
    found = list(kernels())
    known = {node.name for node in found} | {"squares", "box_squares", "add_differing_bits"}
    known |= {"count_planes", "within", "least", "lowest", "highest", "ones_of"}
    known |= {"ball_probability", "needed_shelves"}  # of base.py and tree.py: a few numbers
    assert len(found) > 60
    for node in found:
        if node.name.startswith("_"):
            continue  # of simd.py: what LLVM is told to do
        body = ast.Module(node.body, [])
        calls = {ast.unparse(call.func) for call in ast.walk(body) if isinstance(call, ast.Call)}
        assert calls <= known | HARMLESS, (node.name, calls - known - HARMLESS)
        assert not any(isinstance(part, ast.List | ast.ListComp) for part in ast.walk(body))


@pytest.mark.slow
def test_no_allocation_in_what_llvm_gets(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},  # of what is cached no code is kept
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(re.findall(r"NRT_\w+", done.stdout)) == set()  # Numba's memory, and its counts
    looked_at = set(re.findall(r"^(\w+) ; ModuleID", done.stdout, re.MULTILINE))
    assert {
        "run",
        "take",
        "look",
        "build",
        "run_neighbours",
        "run_cases",
        "scale_rows",
    } <= looked_at
