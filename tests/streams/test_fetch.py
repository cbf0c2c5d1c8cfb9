"""Fetching data sets: from a web server on this machine, or out of an installed package."""

import socket
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch
import pytest

from abacoc.streams import registry
from abacoc.streams.datasets import Packaged

ONE_LINE = r"\A[^\n]+\Z"


def refusal(function, *arguments, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        function(*arguments, **options)
    return str(caught.value)


pytestmark = pytest.mark.usefixtures("folders")


class Server:
    """A web server on this machine that serves `pages` and counts what it is asked for."""

    def __init__(self):
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                served.asked.append(self.path)
                page = served.pages.get(self.path)
                self.send_response(404 if page is None else 200)
                self.send_header("Content-Length", str(len(page or b"")))
                self.end_headers()
                self.wfile.write(page or b"")

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    def stop(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = Server()
    yield server
    server.stop()


def test_fetching(folders, tiny, server, content):
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = content
    path = registry.fetch("tiny")
    assert path == folders / "data" / "tiny.csv"
    assert path.read_bytes() == content
    assert registry.load("tiny").n_examples == 3
    assert registry.fetch("tiny") == path
    assert server.asked == ["/tiny.csv"]  # not asked again


def test_fetching_into_a_new_folder(folders, tiny, server, capfd, caplog, monkeypatch, content):
    monkeypatch.setattr(pooch.get_logger(), "handlers", [caplog.handler])
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


def test_a_wrong_file_at_the_address(folders, tiny, server, content):
    url = f"{server.address}/tiny.csv"
    tiny.urls(url)
    server.pages["/tiny.csv"] = content + b"7,8,a\n"
    message = refusal(registry.fetch, "tiny")
    assert message.startswith(f"could not fetch tiny: what {url} holds is not the registered")
    assert list((folders / "data").iterdir()) == []  # nothing is left behind


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
    server.pages["/tiny.csv"] = content
    tiny.urls(bad, good)
    assert registry.fetch("tiny").read_bytes() == content


def test_no_network(tiny, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
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


def test_a_set_without_an_address(tiny):
    assert refusal(registry.fetch, "tiny") == "could not fetch tiny: no public address"


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
        ("tiny.csv", content[:-1], "wrong SHA-256"),
    ]:
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr(name, held)
        assert says in refusal(registry.fetch, "tiny")
    archive.write_bytes(b"PK broken")
    assert "broken archive" in refusal(registry.load, "tiny")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("tiny.csv", content)
    assert registry.locate("tiny") == archive
    assert registry.load("tiny").n_examples == 3
    assert registry.fetch("tiny") == folders / "data" / "tiny.csv"
    assert registry.locate("tiny") == folders / "data" / "tiny.csv"
    (folders / "file").touch()
    assert "cannot write to" in refusal(registry.fetch, "tiny", folders / "file")
