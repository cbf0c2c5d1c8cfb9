"""The registry: where files are looked for, how they are fetched, what is verified."""

import hashlib
import importlib.util
import sys
import threading
import zipfile
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from abacoc.streams import registry
from abacoc.streams.datasets import DATASETS, DataFile, DataSet, Packaged

CONTENT = b"u,v,c\n1,2,a\n3,4,b\n5,6,a\n"
ONE_LINE = r"\A[^\n]+\Z"


def refusal(function, *arguments, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        function(*arguments, **options)
    return str(caught.value)


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


@pytest.fixture(autouse=True)
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


# The table ------------------------------------------------------------------------------------


def test_the_eight_data_sets():
    assert registry.names() == (
        *("kddcup99", "powersupply", "sea", "poker", "covtype", "electricity", "connect-4"),
        "banana",
    )


def test_entries_agree_with_table_one():
    for name in registry.names()[:-1]:
        entry = registry.get(name)
        assert entry.table1 is not None
        assert (entry.rows, entry.classes) == (entry.table1.examples, entry.table1.classes)
        # Table I counts the 41 columns of kddcup99 before they are binarised, all else after.
        assert entry.attributes == (118 if name == "kddcup99" else entry.table1.dimension)
    assert registry.get("banana").table1 is None


def test_every_set_can_be_had_and_every_address_is_fixed():
    for name in registry.names():
        entry = registry.get(name)
        assert entry.packaged or any(file.urls for file in entry.files)
        assert entry.title
        assert entry.terms
        for file in entry.files:
            assert len(file.sha256) == 64
            int(file.sha256, 16)
            for url in file.urls:
                assert url.startswith("https://")
                if "github" in url:  # a commit, not a branch that moves
                    assert any(len(part) == 40 for part in url.split("/"))
                    assert url.endswith("/" + file.name)


def test_unknown_names():
    message = refusal(registry.get, "covtyp")
    assert "unknown data set 'covtyp' (did you mean covtype?); there are: kddcup99, " in message
    assert "did you mean" not in refusal(registry.get, "zzz")
    for function in (registry.locate, registry.load, registry.check, registry.fetch):
        assert "unknown data set 'zzz'" in refusal(function, "zzz")


# Finding --------------------------------------------------------------------------------------


def test_the_folders_in_their_order(folders, tiny, monkeypatch):
    assert registry.locate("tiny") is None
    (folders / "shared" / "data" / "tiny.csv").touch()
    assert registry.locate("tiny") is None  # ABACOC_DATA is set: no other folder but the cache
    (folders / "cache" / "tiny.csv").touch()
    assert registry.locate("tiny") == folders / "cache" / "tiny.csv"
    monkeypatch.delenv("ABACOC_DATA")
    assert registry.locate("tiny") == folders / "shared" / "data" / "tiny.csv"
    (folders / "checkout" / "pyproject.toml").unlink()  # an installed package has no neighbours
    assert registry.locate("tiny") == folders / "cache" / "tiny.csv"
    monkeypatch.setenv("ABACOC_DATA", str(folders / "data"))
    (folders / "data" / "tiny.csv").touch()
    assert registry.locate("tiny") == folders / "data" / "tiny.csv"


def test_any_of_the_files_will_do(folders, tiny):
    file = DATASETS["tiny"].files[0]
    tiny(files=(replace(file, name="first.csv"), replace(file, name="second.csv")))
    (folders / "data" / "second.csv").write_bytes(CONTENT)
    assert registry.locate("tiny") == folders / "data" / "second.csv"
    assert registry.check("tiny").ok


def test_banana_is_found_inside_river_without_importing_it():
    if importlib.util.find_spec("river") is None:
        pytest.skip("river, which brings the banana set along, is not installed")
    before = "river" in sys.modules
    path = registry.locate("banana")
    assert path is not None
    assert path.parts[-3:] == ("river", "datasets", "banana.zip")
    assert registry.check("banana").ok
    assert registry.load("banana").n_examples == 5300
    assert ("river" in sys.modules) == before


# Loading and checking -------------------------------------------------------------------------


def test_loading(folders, tiny):
    (folders / "data" / "tiny.csv").write_bytes(CONTENT)
    stream = registry.load("tiny")
    assert stream.name == "tiny"
    assert stream.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert stream.note == "three rows; tiny.csv: CSV, header line"
    check = registry.check("tiny")
    assert check.ok
    assert check.path == folders / "data" / "tiny.csv"


def test_the_options_of_an_entry_are_used(folders, tiny):
    tiny(categorical=(2,), trailing_comma=True, attributes=4)
    (folders / "data" / "tiny.csv").write_bytes(CONTENT.replace(b"4,b", b"4,b,"))
    assert registry.load("tiny").attributes == ("u", "v=2", "v=4", "v=6")


def test_a_set_that_is_not_there(tiny):
    message = refusal(registry.load, "tiny")
    assert "abacoc data fetch tiny" in message
    assert "ABACOC_DATA" in message
    assert "tiny.csv" in message
    check = registry.check("tiny")
    assert (check.ok, check.path, check.problems) == (False, None, (message,))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (CONTENT + b"7,8,b\n", "4 rows instead of 3"),
        (CONTENT.replace(b"b", b"a"), "1 classes instead of 2"),
        (b"u,v,w,c\n1,2,3,a\n4,5,6,b\n7,8,9,a", "3 attributes instead of 2"),
    ],
)
def test_a_set_of_another_size(folders, tiny, content, says):
    path = folders / "data" / "tiny.csv"
    path.write_bytes(content)
    assert refusal(registry.load, "tiny") == f"{path}: not the registered tiny: {says}"
    assert registry.check("tiny").problems == (
        f"{path}: the SHA-256 is not the registered one",
        f"{path}: {says}",
    )


def test_a_set_of_the_right_size_and_the_wrong_content(folders, tiny):
    (folders / "data" / "tiny.csv").write_bytes(CONTENT.replace(b"5", b"9"))
    assert registry.load("tiny").n_examples == 3
    (problem,) = registry.check("tiny").problems
    assert "SHA-256" in problem


def test_checking_a_broken_file_reports_instead_of_raising(folders, tiny):
    (folders / "data" / "tiny.csv").write_bytes(b"u,v,c\n1,?,a\n")
    problems = registry.check("tiny").problems
    assert len(problems) == 2
    assert "missing value" in problems[1]


# Fetching -------------------------------------------------------------------------------------


def test_fetching(folders, tiny, server):
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = CONTENT
    path = registry.fetch("tiny")
    assert path == folders / "data" / "tiny.csv"
    assert path.read_bytes() == CONTENT
    assert registry.load("tiny").n_examples == 3
    assert registry.fetch("tiny") == path
    assert server.asked == ["/tiny.csv"]  # not asked again


def test_fetching_into_a_new_folder(folders, tiny, server, capfd):
    tiny.urls(f"{server.address}/5976042")
    server.pages["/5976042"] = CONTENT
    target = folders / "new" / "folder"
    assert registry.fetch("tiny", target) == target / "tiny.csv"
    assert capfd.readouterr() == ("", "")
    registry.fetch("tiny", folders / "other", progress=True)
    assert "100%" in capfd.readouterr().err


def test_fetching_goes_to_the_cache_where_no_folder_is_named(folders, tiny, server, monkeypatch):
    monkeypatch.delenv("ABACOC_DATA")
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = CONTENT
    assert registry.fetch("tiny") == folders / "cache" / "tiny.csv"


def test_a_wrong_file_at_the_address(folders, tiny, server):
    url = f"{server.address}/tiny.csv"
    tiny.urls(url)
    server.pages["/tiny.csv"] = CONTENT + b"7,8,a\n"
    message = refusal(registry.fetch, "tiny")
    assert message.startswith(f"could not fetch tiny: what {url} holds is not the registered")
    assert list((folders / "data").iterdir()) == []  # nothing is left behind


def test_a_wrong_file_in_the_folder_is_replaced(folders, tiny, server):
    (folders / "data" / "tiny.csv").write_bytes(CONTENT[:9])
    tiny.urls(f"{server.address}/tiny.csv")
    assert "404" in refusal(registry.fetch, "tiny")
    assert (folders / "data" / "tiny.csv").read_bytes() == CONTENT[:9]
    server.pages["/tiny.csv"] = CONTENT
    assert registry.fetch("tiny").read_bytes() == CONTENT


def test_a_page_that_is_not_there_and_a_second_address(tiny, server):
    bad, good = f"{server.address}/gone.csv", f"{server.address}/tiny.csv"
    tiny.urls(bad)
    assert refusal(registry.fetch, "tiny") == (
        f"could not fetch tiny: {bad} answers with HTTP status 404"
    )
    server.pages["/tiny.csv"] = CONTENT
    tiny.urls(bad, good)
    assert registry.fetch("tiny").read_bytes() == CONTENT


def test_no_network(tiny, server):
    url = f"{server.address}/tiny.csv"
    tiny.urls(url)
    server.http.socket.close()  # the port is closed: connections are refused
    assert f"no connection to {url}" in refusal(registry.fetch, "tiny")


def test_a_folder_that_cannot_be_written(folders, tiny, server):
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = CONTENT
    (folders / "file").touch()
    assert "cannot write to" in refusal(registry.fetch, "tiny", folders / "file" / "sub")


def test_a_set_without_an_address(tiny):
    assert refusal(registry.fetch, "tiny") == "could not fetch tiny: no public address"


def test_packaged_sets(folders, tiny, monkeypatch):
    package = folders / "site" / "somepackage"
    package.mkdir(parents=True)
    monkeypatch.syspath_prepend(folders / "site")
    tiny(packaged=Packaged("somepackage", "data/tiny.zip", "tiny.csv"))
    assert "comes inside the Python package somepackage" in refusal(registry.fetch, "tiny")
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    (package / "data").mkdir()
    archive = package / "data" / "tiny.zip"
    for name, content, says in [
        ("other.csv", CONTENT, "no tiny.csv in it"),
        ("tiny.csv", CONTENT[:-1], "wrong SHA-256"),
    ]:
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr(name, content)
        assert says in refusal(registry.fetch, "tiny")
    archive.write_bytes(b"PK broken")
    assert "broken archive" in refusal(registry.load, "tiny")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("tiny.csv", CONTENT)
    assert registry.locate("tiny") == archive
    assert registry.load("tiny").n_examples == 3
    assert registry.fetch("tiny") == folders / "data" / "tiny.csv"
    assert registry.locate("tiny") == folders / "data" / "tiny.csv"
    (folders / "file").touch()
    assert "cannot write to" in refusal(registry.fetch, "tiny", folders / "file")


# Opening by name or path ----------------------------------------------------------------------


def test_opening_by_name_or_by_path(folders, tiny, monkeypatch):
    monkeypatch.chdir(folders)
    (folders / "data" / "tiny.csv").write_bytes(CONTENT)
    (folders / "tiny").write_bytes(b"9,x\n8,y\n")
    assert registry.open_stream("tiny").n_examples == 3
    assert registry.open_stream("./tiny").X.tolist() == [[9], [8]]
    assert registry.open_stream(folders / "tiny", categorical=[1]).attributes == ("x1=8", "x1=9")
    (folders / "plain").write_bytes(b"9,x\n8,y\n")
    assert registry.open_stream("plain").X.tolist() == [[9], [8]]


def test_options_for_a_registered_set_are_refused(folders, tiny):
    (folders / "data" / "tiny.csv").write_bytes(CONTENT)
    assert registry.open_stream("tiny", numeric=(), format=None).n_examples == 3
    assert "no categorical" in refusal(registry.open_stream, "tiny", categorical=[1])


@pytest.mark.parametrize("name", ["covtyp", "Covtype"])
def test_names_that_are_neither(name, folders, monkeypatch):
    monkeypatch.chdir(folders)
    message = refusal(registry.open_stream, name)
    assert message.startswith(f"'{name}' is neither a data set (did you mean covtype?) nor a file")
    assert "kddcup99, powersupply" in message


def test_paths_that_are_not_there(folders, monkeypatch):
    monkeypatch.chdir(folders)
    assert refusal(registry.open_stream, "covtyp.csv") == "no such file: covtyp.csv"
    assert refusal(registry.open_stream, "no/sea") == "no such file: no/sea"
