"""The wheel and the sdist: what they hold, and that they work in an empty environment."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
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
    assert suffixes == {".py", ".typed", ".json", ".toml"}
    data = {"abacoc/streams/datasets.toml", "abacoc/streams/fingerprints.json"}
    assert {n for n in names if n.endswith((".json", ".toml"))} == data
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
    assert {"abacoc_theory.py", "theory/proofs/ledger.py"} <= inside
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
    assert call("run", "adversary:opposite,n=500", "--json")["n_examples"] == 500
    assert all(step["as_recorded"] for step in call("verify", "--json")["steps"])
    assert not list((tmp_path / "venv").rglob("site-packages/theory"))
