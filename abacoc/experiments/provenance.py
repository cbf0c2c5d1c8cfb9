"""What a result depends on, and where it was computed.

The identity of a job is everything that can change its result: the job itself, the content of its
data, the sources, and the version of a program that stands behind a baseline. Its SHA-256 is the
key of the result. The versions of NumPy and Numba are not part of it: with them the answers are
the same bit for bit, or the tests fail.
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from abacoc.experiments.inputs import head_of, open_job_stream
from abacoc.experiments.jobs import Job

PACKAGE = Path(__file__).resolve().parents[1]
# Sources that no result depends on; a new module counts until it is named here.
IDLE = {
    "__init__.py",
    "__main__.py",
    "_version.py",
    "cli.py",
    "explain.py",
    "files.py",
    "modelfile.py",
    "plots.py",
    "streams/commands.py",
    "streams/download.py",
}
# Functions that look at a model or carry it elsewhere: no run of the grid calls them.
ONLY_LOOKS = {"explain", "__reduce__", "_restored"}


def canonical(value: Any) -> str:
    """JSON that is the same for equal values; floats keep every bit.

    >>> canonical({"b": 0.1, "a": [1, None]})
    '{"a":[1,null],"b":0.1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def identity(job: Job) -> dict[str, Any]:
    """Everything that can change the result of a job.

    >>> from abacoc.experiments.jobs import make_job
    >>> a = identity(make_job("generated:banana,n=50", "auto"))
    >>> b = identity(make_job("generated:banana,n=50", "auto", d_hat=3))
    >>> sorted(a), a["data"] == b["data"], digest(a) == digest(b)
    (['code', 'data', 'job', 'programs'], True, False)
    """
    return {
        "job": job.as_dict(),
        "data": data_version(head_of(job.stream)[0]),
        "code": code_version(),
        "programs": programs(job.method),
    }


@cache
def data_version(stream: str) -> str:
    """Digest of the content of a stream: the registered one where there is one, else of the arrays.

    A registered set with other content is refused when it is loaded.
    """
    from abacoc.streams import get
    from abacoc.streams.fingerprint import fingerprint
    from abacoc.streams.generators import is_generated

    registered = None if is_generated(stream) else get(stream).fingerprint
    return (registered or fingerprint(open_job_stream(stream))).digest


@cache
def code_version() -> str:
    """Digest of the sources that can change a result; comments and docstrings do not count.

    >>> len(code_version())
    64
    """
    hasher = hashlib.sha256()
    for path in sources():
        hasher.update(f"{path.relative_to(PACKAGE).as_posix()}\n".encode())
        hasher.update(meaning(path.read_text("utf-8")).encode())
    return hasher.hexdigest()


def sources() -> list[Path]:
    """The algorithms, their compiled twin, the baselines, the streams, and what runs a job."""
    found: set[Path] = set()
    for pattern in ("*.py", "compiled/*.py", "baselines/*.py", "streams/**/*.py"):
        found.update(PACKAGE.glob(pattern))
    found |= {PACKAGE / "experiments" / name for name in ("inputs.py", "jobs.py")}
    return sorted(path for path in found if path.relative_to(PACKAGE).as_posix() not in IDLE)


def meaning(source: str) -> str:
    """A source without comments, docstrings and layout: hours of results survive a reworded one.

    They also survive the method that only looks at a model, and the import of its module.

    >>> meaning('def f(x):\\n    "Twice."\\n    return 2*x  # fast')
    'def f(x):\\n    return 2 * x'
    >>> meaning('class A:\\n    b = 1\\n    def explain(self): return self.b')
    'class A:\\n    b = 1'
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            node.body = [child for child in node.body if not _only_looks(child)] or [ast.Pass()]
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and (ast.get_docstring(node, clean=False) is not None):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _only_looks(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "abacoc.explain"
    return isinstance(node, ast.FunctionDef) and node.name in ONLY_LOOKS


@cache
def programs(method: str) -> dict[str, str]:
    """The programs of others that a method runs, and their versions.

    VFDT is MOA's or River's, as installed: not the same results.
    """
    from abacoc.baselines import has_moa

    if method not in ("vfdt", "rules"):
        return {}
    package = "capymoa" if has_moa() or method == "rules" else "river"  # MOA's jar is in capymoa
    try:
        return {package: metadata.version(package)}
    except metadata.PackageNotFoundError:
        return {package: "not installed"}


@cache
def commit() -> str:
    """The commit of the checkout, with a mark if its sources were changed; else 'unknown'."""
    root = PACKAGE.parent
    if not (root / ".git").exists():
        return "unknown"
    try:
        head = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=all", "--", PACKAGE.name)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{head}, changed" if changed else head


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.strip()


@cache
def surroundings() -> dict[str, str]:
    """Machine, versions and commit.

    >>> {"processor", "cores", "python", "numpy", "numba", "commit"} <= set(surroundings())
    True
    """
    from abacoc.bench.machine import describe

    return describe() | {"commit": commit()}
