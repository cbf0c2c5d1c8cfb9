"""Fetching data sets: from a web server on this machine, or out of an installed package."""

import os
import socket
import zipfile

import pytest

from abacoc.streams import download, registry
from abacoc.streams.datasets import Packaged

ONE_LINE = r"\A[^\n]+\Z"


def refusal(function, *arguments, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        function(*arguments, **options)
    return str(caught.value)


pytestmark = pytest.mark.usefixtures("folders")


def test_fetching(folders, tiny, server, content):
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = content
    path = registry.fetch("tiny")
    assert path == folders / "data" / "tiny.csv"
    assert path.read_bytes() == content
    assert registry.load("tiny").n_examples == 3
    assert registry.fetch("tiny") == path
    assert server.asked == ["/tiny.csv"]  # not asked again


def test_fetching_into_a_new_folder(folders, tiny, server, capfd, caplog, content):
    tiny.urls(f"{server.address}/5976042")
    server.pages["/5976042"] = content
    target = folders / "new" / "folder"
    assert registry.fetch("tiny", target) == target / "tiny.csv"
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    registry.fetch("tiny", folders / "other", progress=True)
    assert "100%" in capfd.readouterr().err


def test_fetching_goes_to_the_cache_where_no_folder_is_named(
    folders, tiny, server, monkeypatch, content
):
    monkeypatch.delenv("ABACOC_DATA")
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = content
    assert registry.fetch("tiny") == folders / "cache" / "tiny.csv"


@pytest.mark.posix
def test_others_may_read_what_was_fetched(tiny, server, content):
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = content
    mask = os.umask(0o022)
    try:
        assert registry.fetch("tiny").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(mask)


def test_a_wrong_file_in_the_folder_is_replaced(folders, tiny, server, content):
    (folders / "data" / "tiny.csv").write_bytes(content[:9])
    tiny.urls(f"{server.address}/tiny.csv")
    assert "404" in refusal(registry.fetch, "tiny")
    assert (folders / "data" / "tiny.csv").read_bytes() == content[:9]
    server.pages["/tiny.csv"] = content
    assert registry.fetch("tiny").read_bytes() == content


def test_a_page_that_is_not_there_and_a_second_address(tiny, server, content):
    bad, good = f"{server.address}/gone.csv", f"{server.address}/tiny.csv"
    tiny.urls(bad)
    assert refusal(registry.fetch, "tiny") == (
        f"could not fetch tiny: {bad} answers with HTTP status 404"
    )
    assert server.asked == ["/gone.csv"]  # it will not be there a second later
    server.pages["/tiny.csv"] = content
    tiny.urls(bad, good)
    assert registry.fetch("tiny").read_bytes() == content


@pytest.mark.usefixtures("quick_attempts")
def test_no_network(tiny):
    with socket.socket() as bound:  # but not listening: connections are refused
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/tiny.csv"
        tiny.urls(url)
        message = refusal(registry.fetch, "tiny")
    assert message == f"could not fetch tiny: no connection to {url} (ConnectionError)"


def test_a_folder_that_cannot_be_written(folders, tiny, server, content):
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = content
    (folders / "file").touch()
    assert "cannot write to" in refusal(registry.fetch, "tiny", folders / "file" / "sub")
    assert "cannot write to" in refusal(registry.fetch, "tiny", folders / "file")
    assert server.asked == []  # told before the download, not after it


def test_a_full_disk(folders, tiny, server, content, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = content
    with monkeypatch.context() as patched:
        patched.setattr("abacoc.streams.registry.write_atomically", full)
        message = refusal(registry.fetch, "tiny")
    assert message == f"cannot write to {folders / 'data'}: No space left on device"
    with monkeypatch.context() as patched:
        patched.setattr(download, "open", full, raising=False)
        assert "No space left on device" in refusal(registry.fetch, "tiny")


def test_a_set_without_an_address(tiny):
    message = refusal(registry.fetch, "tiny")
    assert message.startswith("could not fetch tiny: no address is registered")
    assert "ABACOC_DATA" in message


def test_packaged_sets(folders, tiny, monkeypatch, content):
    package = folders / "site" / "somepackage"
    package.mkdir(parents=True)
    monkeypatch.syspath_prepend(folders / "site")
    tiny(packaged=Packaged("somepackage", "data/tiny.zip", "tiny.csv"))
    assert "comes inside the Python package somepackage" in refusal(registry.fetch, "tiny")
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    (package / "data").mkdir()
    archive = package / "data" / "tiny.zip"
    for name, held, says in [
        ("other.csv", content, "no tiny.csv in it"),
        ("tiny.csv", content[:-6], "2 rows instead of 3"),
    ]:
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr(name, held)
        assert says in refusal(registry.fetch, "tiny")
    archive.write_bytes(b"PK broken")
    assert "broken archive" in refusal(registry.load, "tiny")
    assert registry.state("tiny") == "unverified"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("tiny.csv", content)
    assert registry.locate("tiny") == archive
    assert registry.state("tiny") == "verified"
    assert registry.load("tiny").n_examples == 3
    assert registry.fetch("tiny") == folders / "data" / "tiny.csv"
    assert registry.locate("tiny") == folders / "data" / "tiny.csv"
    (folders / "file").touch()
    assert "cannot write to" in refusal(registry.fetch, "tiny", folders / "file")
