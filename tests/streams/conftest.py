"""A registry entry and folders to try the registry on."""

import hashlib
from dataclasses import replace

import pytest

from abacoc.streams import registry
from abacoc.streams.datasets import DATASETS, DataFile, DataSet

CONTENT = b"u,v,c\n1,2,a\n3,4,b\n5,6,a\n"


@pytest.fixture
def content():
    """What the file of the data set `tiny` holds."""
    return CONTENT


@pytest.fixture
def tiny(monkeypatch):
    """A small data set in the registry; a function to change its entry."""
    entry = DataSet(
        "tiny",
        "three rows",
        (DataFile("tiny.csv", hashlib.sha256(CONTENT).hexdigest()),),
        rows=3,
        attributes=2,
        classes=2,
        table1=None,
    )

    def change(**changes):
        monkeypatch.setitem(DATASETS, "tiny", replace(entry, **changes))

    def urls(*addresses):
        change(files=(replace(entry.files[0], urls=addresses),))

    change()
    change.urls = urls
    return change


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """ABACOC_DATA, the checkout and the platform's cache, all under `tmp_path` and empty."""
    package = tmp_path / "checkout" / "abacoc" / "streams"
    for folder in (package, tmp_path / "data", tmp_path / "shared" / "data", tmp_path / "cache"):
        folder.mkdir(parents=True)
    (tmp_path / "checkout" / "pyproject.toml").touch()
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(registry, "__file__", str(package / "registry.py"))
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache")
    return tmp_path
