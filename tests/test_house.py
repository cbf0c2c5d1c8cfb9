"""Which part may know which: the reference is read, and trusted, without the engine."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import abacoc

PACKAGE = Path(abacoc.__file__).parent
ALGORITHMS = {"auto", "base", "budget", "cover"}
BENEATH = {"ballset", "checks", "explain", "metrics", "modelfile", "readings", "search"}


def imported(path):
    """The modules that a file imports, also inside functions; of abacoc without that name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports are not looked at"
            inside = [f"abacoc.{alias.name}" for alias in node.names]
            names = inside if node.module == "abacoc" else [node.module]
        else:
            continue
        yield from (name.removeprefix("abacoc.").partition(".")[0] for name in names)


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_the_algorithms_import_numpy_and_each_other(name):
    found = set(imported(PACKAGE / f"{name}.py")) - sys.stdlib_module_names
    assert found <= {"numpy", *ALGORITHMS, *BENEATH}


@pytest.mark.parametrize("name", sorted(ALGORITHMS | BENEATH))
def test_the_reference_does_not_know_the_engine(name):
    assert "engine" not in set(imported(PACKAGE / f"{name}.py"))
    assert "abacoc.engine" not in (PACKAGE / f"{name}.py").read_text("utf-8")  # nor by its name


def test_the_reference_runs_without_the_engine():
    program = "import sys, abacoc.auto, abacoc.base; sys.exit('abacoc.engine' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
