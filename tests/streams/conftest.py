"""A registry entry, folders and a web server to try the registry on."""

import hashlib
from dataclasses import replace

import pytest
from webserver import Server

from abacoc.streams import download, finding
from abacoc.streams.contents import fingerprint
from abacoc.streams.datasets import DATASETS, DataFile, DataSet
from abacoc.streams.readers import read_content

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
        fingerprint=fingerprint(read_content(CONTENT, "tiny.csv"), with_examples=True),
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
    for folder in ("checkout", "data", "shared/data", "cache"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "checkout" / "pyproject.toml").touch()
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(finding, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: tmp_path / "cache")
    return tmp_path


@pytest.fixture
def quick_attempts(monkeypatch):
    """Second and third attempts come at once."""
    monkeypatch.setattr(download, "WAITS", (0.0, 0.01))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server(quick_attempts):
    """A web server on this machine; see `webserver`."""
    server = Server()
    yield server
    server.stop()
