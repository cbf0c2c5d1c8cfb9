"""The wheel and the sdist: what they hold, and that they work in an empty environment."""

import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from abacoc import __version__

ROOT = Path(__file__).parents[1]
BUILD = "import sys; from hatchling.build import build_{0}; print(build_{0}(sys.argv[1]))"


def build(kind, folder):
    done = subprocess.run(
        [sys.executable, "-c", BUILD.format(kind), str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build("wheel", tmp_path_factory.mktemp("wheel"))


def test_wheel_has_the_packages_and_nothing_else(wheel):
    """No data, no notebook, no test, and no name in site-packages that is not ours."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"abacoc", "abacoc_theory", f"abacoc-{__version__}.dist-info"}
    suffixes = {Path(name).suffix for name in names if ".dist-info" not in name}
    assert suffixes == {".py", ".typed", ".json", ".toml", ".html"}
    data = {"abacoc/streams/datasets.toml", "abacoc/streams/fingerprints.json"}
    data |= {"abacoc/watch.html"}  # what `abacoc watch` fills in
    assert {n for n in names if n.endswith((".json", ".toml", ".html"))} == data
    assert not [n for n in names if "test" in Path(n).name]


def test_sdist_is_the_checkout(tmp_path):
    with tarfile.open(build("sdist", tmp_path)) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    for path in (
        "Makefile",
        "requirements.lock",
        "tests/test_package.py",
        "notebooks/figure1.ipynb",
    ):
        assert path in inside
    assert {"abacoc_theory.py", "theory/proofs/ledger.py", "theory/coq/Statements.v"} <= inside
    assert not [n for n in inside if n.startswith("theory/coq/build")]
    assert ".ci/lock_changes.py" in inside  # `make lock` calls it
    assert "CITATION.cff" in inside
    assert not [n for n in inside if n.startswith(("paper_results/store", "paper_results/latest"))]


@pytest.mark.slow
def test_wheel_works_in_an_empty_environment(wheel, tmp_path):
    """A stream of one's own, and the proofs, without the checkout."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    commands = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([commands / "pip", "install", "-q", f"{wheel}[theory]"], check=True)
    (tmp_path / "mine.csv").write_text("0,0,a\n1,1,b\n0.1,0,a\n1,0.9,b\n" * 20)

    def call(*arguments):
        done = subprocess.run(
            [commands / "abacoc", *arguments], cwd=tmp_path, check=True, capture_output=True
        )
        return json.loads(done.stdout)

    assert call("run", "mine.csv", "--json")["n_examples"] == 80
    assert call("watch", "mine.csv", "--out", "page.html", "--json")["n_examples"] == 80
    assert call("run", "adversary:opposite,n=500", "--json")["n_examples"] == 500
    assert all(step["as_recorded"] for step in call("verify", "--json")["steps"])
    assert not list((tmp_path / "venv").rglob("site-packages/theory"))
    names = zipfile.ZipFile(wheel).namelist()
    modules = sorted(name.removesuffix(".py").replace("/", ".") for name in names if ".py" in name)
    assert _imported(commands, modules, tmp_path) == {
        "abacoc.adapters.river": "river",
        "abacoc.adapters.sklearn": "sklearn",
    }


LISTED = ("run", "watch", "grid", "data", "verify", "regret", "reproduce", "bench")


@pytest.mark.slow
def test_bare_wheel_does_its_job_or_says_what_it_needs(wheel, tmp_path):
    """Every command that --help lists, without any extra: an answer, or one line."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    commands = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([commands / "pip", "install", "-q", str(wheel)], check=True)
    (tmp_path / "mine.csv").write_text("0,0,a\n1,1,b\n0.1,0,a\n1,0.9,b\n" * 20)

    def call(*arguments):
        done = subprocess.run(
            [commands / "abacoc", *arguments], cwd=tmp_path, capture_output=True, text=True
        )
        return done.returncode, done.stdout, done.stderr

    told = call("--help")[1]
    assert {*LISTED} <= {line.split()[0] for line in told.splitlines() if line.startswith("    ")}
    page = ["watch", "mine.csv", "--out", "page.html"]
    for job in (["run", "mine.csv"], page, ["grid", "mine.csv"], ["data"]):
        status, out, _ = call(*job)
        assert (status, bool(out)) == (0, True), job
    needs = {
        "verify": "the extra theory",
        "reproduce": "abacoc reproduce needs a checkout of the project",
        "bench": "abacoc bench needs a checkout of the project",
    }
    for name, message in needs.items():
        status, out, err = call(name)
        assert (status, out, err.count("\n")) == (2, "", 1), name
        assert message in err
    status, _, err = call("run", "mine.csv", "--plot", "a.png")
    assert (status, err.count("\n")) == (2, 1)
    assert "matplotlib" in err


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no repository")
def test_the_ways_to_install_that_the_readme_names(wheel):
    """A dry run of each, which builds what has to be built; the extras' packages are here."""
    text = (ROOT / "README.md").read_text("utf-8")
    lines = re.findall(r"^pip install .*$", text, re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        address = ROOT.as_uri().replace("///", "//localhost/")  # pip 23.2 asks for a host
        words = shlex.split(line.replace("ADDRESS", address), comments=True)
        words = words[: words.index("&&")] if "&&" in words else words
        assert words[:2] == ["pip", "install"]
        wanted = words[2].replace(f"abacoc-{__version__}-py3-none-any.whl", str(wheel))
        options = [
            "--dry-run",
            "--no-index",
            "--no-build-isolation",
            "--force-reinstall",
            "--no-deps",
        ]
        command = [sys.executable, "-m", "pip", "install", *options, wanted]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "Would install abacoc-" in done.stdout
        extras = re.findall(r"\[(.*)\]", wanted)
        known = {found.partition("==")[2].strip("' \"") for found in metadata.requires("abacoc")}
        assert {*",".join(extras).split(",")} - {""} <= known


def _imported(commands, modules, folder):
    """The modules that could not be imported, and the package that each of them lacks."""
    program = (
        "import importlib, json, sys\nlacking = {}\n"
        "for name in sys.argv[1:]:\n"
        "    if name.endswith('__main__'): continue\n"
        "    try: importlib.import_module(name.removesuffix('.__init__'))\n"
        "    except ModuleNotFoundError as error: lacking[name] = error.name.split('.')[0]\n"
        "print(json.dumps(lacking))"
    )
    command = [commands / "python", "-c", program, *modules]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])
