"""The cache of compiled code: other sources have other files."""

import importlib
import pkgutil
from pathlib import Path

from numba.core.registry import CPUDispatcher

import abacoc.baselines
import abacoc.engine
from abacoc import base
from abacoc.engine.jit import digest, sources


def test_every_compiled_function_is_in_a_source_of_the_digest():
    files = set()
    for package in abacoc.engine, abacoc.baselines:
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, CPUDispatcher):
                    files.add(Path(value.py_func.__code__.co_filename).resolve())
    assert Path(base.__file__).resolve() in files  # ball_probability
    assert files <= {path.resolve() for path in sources()}


def test_the_digest_changes_with_every_source(tmp_path):
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    seen = set()
    for texts in ("x = 1", "y = 1"), ("x = 2", "y = 1"), ("x = 1", "y = 2"):
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        seen.add(digest(paths))
    assert len(seen) == 3
