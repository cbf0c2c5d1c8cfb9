"""The lock is complete; `make` installs it and nothing else, whatever is released meanwhile."""

import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
needs_pip = pytest.mark.skipif(find_spec("pip") is None, reason="this environment has no pip")


parsed = cache(Requirement)  # the same lines are asked for again and again


@cache
def holds(marker, extra=None):
    """Whether a requirement is one for this Python and platform."""
    return marker is None or marker.evaluate(None if extra is None else {"extra": extra})


def lines(lock):
    """Each package of a lock: its requirement, and what follows it."""
    for line in lock.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            requirement, *hashes = re.split(r"\s+(?=--)", line.strip())
            yield parsed(requirement), hashes


def pins(lock):
    """The version of each package that the lock has for this Python and platform."""
    found = {}
    for requirement, _ in lines(lock):
        if holds(requirement.marker):
            name = canonicalize_name(requirement.name)
            assert name not in found, f"{name} twice"
            (specifier,) = requirement.specifier
            found[name] = specifier.version
    return found


@cache
def installed(name):
    """The version of an installed package and what it requires."""
    found = metadata.distribution(name)
    return found.version, [Requirement(text) for text in found.requires or ()]


def unmet(pinned, root="abacoc[all]"):
    """Requirements, direct or indirect, that no pin satisfies."""
    missing, seen, todo = [], set(), [Requirement(root)]
    while todo:
        wanted = todo.pop()
        name = canonicalize_name(wanted.name)
        if name != "abacoc":
            version = pinned.get(name)
            if version is None or not wanted.specifier.contains(version, prereleases=True):
                missing.append(f"{name}: {wanted} is needed, {version or 'nothing'} locked")
                continue
            assert installed(name)[0] == version, f"{name} is not the one of the lock: run make"
        for extra in {"", *wanted.extras} - {e for n, e in seen if n == name}:
            seen.add((name, extra))
            for needed in installed(name)[1]:
                if holds(needed.marker, extra):
                    todo.append(needed)
    return missing


def test_every_line_has_one_version_and_hashes():
    for requirement, hashes in lines(LOCK.read_text("utf-8")):
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(HASH.fullmatch(text) for text in hashes), requirement


def test_lock_is_complete():
    assert unmet(pins(LOCK.read_text("utf-8"))) == []


def test_incomplete_lock_is_noticed():
    """Whichever line is missing; and a version that is too old, here of a package with an extra."""
    text = LOCK.read_text("utf-8")
    whole = pins(text)
    assert len(whole) > 50
    for name in whole:
        without = pins(re.sub(rf"(?m)^{name}==.*\n(?:    --hash.*\n)+", "", text))
        assert without.keys() == whole.keys() - {name}
        told = unmet(without)
        assert told, name
        assert all(what.startswith(f"{name}: ") for what in told)
    (told,) = unmet(whole | {"coverage": "1.0"})
    assert re.fullmatch(r"coverage: coverage\[toml\]>=[\d.]+ is needed, 1\.0 locked", told)


def make(*arguments, folder=ROOT, **variables):
    """Call make as if from a shell, even where the tests themselves were started by it."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=inherited | variables,
        capture_output=True,
        text=True,
    )


def write_wheel(folder, name, version, *requires):
    """Make an empty package; returns the hash of its wheel."""
    info = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {text}\n" for text in requires)
    files = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        f"Provides-Extra: x\n{needs}",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "".join(f"{info}/{file},,\n" for file in ("METADATA", "WHEEL", "RECORD")),
    }
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(f"{info}/{file}", text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def install(tmp_path):
    """Install a lock as the Makefile does, from the wheels in a folder alone."""
    told = make("--dry-run", "--always-make", ".venv/.locked").stdout.splitlines()
    (line,) = [line for line in told if line.endswith(" -r requirements.lock")]
    _, *options = shlex.split(line.removesuffix(" -r requirements.lock"))
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}

    def call(lock):
        (tmp_path / "made-up.lock").write_text(lock)
        command = [sys.executable, *options, "-r", "made-up.lock", "--target", "site"]
        command += ["--no-index", "--find-links", "."]
        alone = clean | {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, text=True)
        names = sorted(path.stem for path in tmp_path.glob("site/*.dist-info"))
        return done, names

    return call


@needs_make
@needs_pip
def test_newer_releases_do_not_matter(install, tmp_path):
    """An extra of a pinned package makes some versions of pip look at the newest release; the
    second requirement is in no index, so that any pip fails that looks at requirements at all."""
    first = write_wheel(tmp_path, "a", "1.0", "b[x]>=1", "nowhere")
    second = write_wheel(tmp_path, "b", "1.0")
    write_wheel(tmp_path, "b", "99.0")
    lock = f"a==1.0 --hash=sha256:{first}\nb==1.0 --hash=sha256:{second}\n"
    done, names = install(lock)
    assert done.returncode == 0, done.stderr
    assert names == ["a-1.0", "b-1.0"]


@needs_make
@needs_pip
def test_files_without_the_right_hash_are_refused(install, tmp_path):
    write_wheel(tmp_path, "b", "1.0")
    for lock, reason in (
        ("b==1.0\n", "Hashes are required"),
        (f"b==1.0 --hash=sha256:{'0' * 64}\n", "DO NOT MATCH THE HASHES"),
    ):
        done, names = install(lock)
        assert done.returncode != 0
        assert reason in done.stderr
        assert names == []


@needs_make
@needs_pip
def test_nothing_is_built_to_be_installed(install, tmp_path):
    """Of a package that has no wheel: its build would need tools that the lock does not name."""
    path = tmp_path / "b-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in {
            "PKG-INFO": "Name: b\nVersion: 1.0\n",
            "setup.py": "raise SystemExit",
        }.items():
            member = tarfile.TarInfo(f"b-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    done, names = install(f"b==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n")
    assert done.returncode != 0
    assert "No matching distribution found for b==1.0" in done.stderr
    assert names == []


def test_what_builds_the_project_is_locked():
    """With all that it needs itself, and for an editable install: no index is asked for it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = project["build-system"]["requires"]
    assert set(wanted) <= set(project["project"]["optional-dependencies"]["dev"])
    pinned = pins(LOCK.read_text("utf-8"))
    needed = {canonicalize_name(Requirement(text).name) for text in [*wanted, "editables"]}
    assert needed <= pinned.keys()
    for text in wanted:
        assert unmet(pinned, text) == []
        assert unmet({}, text), "the requirement is looked at"


@needs_make
def test_project_is_built_by_what_is_installed():
    """Neither `make` nor `make wheel` gets tools of its own."""

    def told(goal):
        return make("--dry-run", "--always-make", goal).stdout.splitlines()

    (line,) = [line for line in told(".venv/.installed") if line.endswith(" -e .")]
    assert {"--no-index", "--no-deps", "--no-build-isolation"} <= set(shlex.split(line))
    (line,) = [line for line in told("wheel") if " -m build " in line]
    assert "--no-isolation" in shlex.split(line)


# Takes the place of python3, both that of the machine and that of the .venv it makes.
PYTHON = """#!/bin/sh
case "$*" in
  -V) echo "Python ${VERSION:-3.11.7}" ;;
  "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
  *"$FAILS"*) exit 1 ;;
  *" -r requirements.lock") echo lock >> calls ;;
  *" -e .") echo project >> calls ;;
esac
"""


@needs_make
@pytest.mark.posix
def test_installation_is_done_once(tmp_path):
    """And again when the lock, the project, the Python or the folder is another."""
    here = tmp_path / "a folder"
    here.mkdir()
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        (here / name).write_bytes((ROOT / name).read_bytes())
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)

    def calls(folder=here, fails="nothing", **variables):
        (folder / "calls").write_text("")
        goal = (f"PYTHON={python}", ".venv/.installed")
        done = make(*goal, folder=folder, FAILS=fails, **variables)
        assert bool(done.returncode) == (fails != "nothing"), done.stderr
        return (folder / "calls").read_text().split()

    def change(name):
        newest = max(path.stat().st_mtime for path in here.glob(".venv/.*ed")) + 1
        os.utime(here / name, (newest, newest))

    def settle():  # the changed files must not be newer than the stamps in the next step
        for name in ("requirements.lock", "pyproject.toml"):
            os.utime(here / name, (0, 0))

    assert calls(fails="requirements.lock") == []
    assert calls(fails=" -e .") == ["lock"]
    assert calls(fails=" check") == ["project"]
    assert calls() == ["project"]
    assert calls() == []
    change("pyproject.toml")
    assert calls() == ["project"]
    settle()
    change("requirements.lock")
    assert calls(fails="requirements.lock") == []
    settle()
    assert calls() == ["lock", "project"]
    assert calls() == []
    assert calls(VERSION="3.12.1") == ["lock", "project"]
    assert calls(VERSION="3.12.1") == []
    copy = tmp_path / "copy"
    shutil.copytree(here, copy)
    assert calls(copy, VERSION="3.12.1") == ["lock", "project"]
    (here / ".venv" / "bin" / "python").unlink()
    assert calls() == ["lock", "project"]
    assert calls() == []


def test_changes_of_the_lock_are_told(tmp_path):
    old = "kept==1 \\\n    --hash=sha256:0\ntwice==1 ; p < '3'\ntwice==2 ; p >= '3'\ngone==2.0\n"
    new = "kept==1 \\\n    --hash=sha256:1\ntwice==1 ; p < '3'\ntwice==3 ; p >= '3'\nnew-er==4\n"

    def told(*locks):
        for name, text in zip(("old", "new"), locks, strict=True):
            (tmp_path / name).write_text(text)
        command = [sys.executable, str(ROOT / ".ci" / "lock_changes.py"), "old", "new"]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)

    assert told(old, new).stdout.splitlines() == [
        "gone    removed  2.0",
        "new-er  added    4",
        "twice   changed  1, 2 -> 1, 3",
    ]
    assert told(old, old).stdout == "No version changed.\n"
