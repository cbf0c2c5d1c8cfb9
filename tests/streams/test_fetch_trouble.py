"""Downloads that go wrong, and files of other hosts that have the right content all the same."""

import bz2
import gc
import gzip
import lzma
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace

import pytest
from webserver import begin, broken_off, reset, silent, together

from abacoc.streams import download, registry
from abacoc.streams.columns import MENDS_GAPS

ONE_LINE = r"\A[^\n]+\Z"


def refusal(function, *arguments, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        function(*arguments, **options)
    return str(caught.value)


pytestmark = pytest.mark.usefixtures("folders")


@pytest.fixture
def url(tiny, server):
    """The one address of the set `tiny`."""
    tiny.urls(f"{server.address}/tiny.csv")
    return f"{server.address}/tiny.csv"


@pytest.fixture
def left(folders, monkeypatch):
    """The names of all that is in the target folder and in the one for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(folders / "temporary"))
    (folders / "temporary").mkdir()
    return lambda: [p.name for name in ("data", "temporary") for p in (folders / name).iterdir()]


# Trouble that passes ---------------------------------------------------------------------------


@pytest.mark.parametrize("trouble", [503, 500, 429, broken_off, reset])
def test_a_second_attempt_after_trouble_that_may_pass(url, server, content, left, trouble):
    first = trouble if isinstance(trouble, int) else trouble(content)
    server.pages["/tiny.csv"] = [first, content]
    assert registry.fetch("tiny").read_bytes() == content
    assert len(server.asked) == 2
    assert left() == ["tiny.csv"]


def test_a_second_attempt_after_silence(url, server, content, left, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 1.0)
    server.pages["/tiny.csv"] = [silent(content), content]
    assert registry.fetch("tiny").read_bytes() == content
    assert len(server.asked) in (2, 3)  # this machine may be busy for a second, too
    assert left() == ["tiny.csv"]


def test_a_third_attempt_is_the_last(url, server, content, left):
    server.pages["/tiny.csv"] = [503, 503, 503, content]
    assert refusal(registry.fetch, "tiny") == (
        f"could not fetch tiny: {url} answers with HTTP status 503"
    )
    assert len(server.asked) == 3
    assert left() == []
    assert registry.fetch("tiny").read_bytes() == content  # and nothing stands in the way later


@pytest.mark.parametrize("trouble", [broken_off, reset, silent])
def test_a_server_that_is_gone_half_way_each_time(url, server, content, left, trouble, monkeypatch):
    if trouble is silent:
        monkeypatch.setattr(download, "TIMEOUT", 0.3)
    server.pages["/tiny.csv"] = trouble(content)
    message = refusal(registry.fetch, "tiny")
    assert message in (
        f"could not fetch tiny: the download from {url} broke off",
        f"could not fetch tiny: no connection to {url} (ConnectionError)",
    )
    assert len(server.asked) == 3
    assert left() == []


def test_what_was_there_survives_a_failure(folders, url, server, content, left):
    old = folders / "data" / "tiny.csv"
    old.write_bytes(content[:-6])
    server.pages["/tiny.csv"] = broken_off(content)
    refusal(registry.fetch, "tiny")
    assert old.read_bytes() == content[:-6]
    assert left() == ["tiny.csv"]


def test_an_interrupted_download_leaves_nothing(url, server, content, left, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    server.pages["/tiny.csv"] = content
    monkeypatch.setattr("requests.Response.iter_content", interrupted)
    with pytest.raises(KeyboardInterrupt):
        registry.fetch("tiny")
    assert left() == []


# Time and size --------------------------------------------------------------------------------


def drip(content, header=False):
    """A byte now and then, for ever: never silent for as long as anybody waits."""

    def send(handler):
        if header:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        else:
            begin(handler, 10**6)
        for _ in range(100):  # ends with the test
            handler.wfile.write(b"1")
            handler.wfile.flush()
            time.sleep(0.05)

    return send


@pytest.mark.parametrize("header", [False, True])
def test_a_server_that_is_slow_for_ever(url, server, content, left, monkeypatch, header):
    monkeypatch.setattr(download, "DEADLINE", 0.5)
    server.pages["/tiny.csv"] = drip(content, header)
    start = time.monotonic()
    assert refusal(registry.fetch, "tiny") == (
        f"could not fetch tiny: {url} takes more than 0.5 seconds"
    )
    assert time.monotonic() - start < 4, "the server goes on for five"
    assert len(server.asked) == 1, "the time is for all attempts"
    assert left() == []


def test_the_time_is_for_all_attempts(url, server, content, left, monkeypatch):
    monkeypatch.setattr(download, "DEADLINE", 1.0)
    monkeypatch.setattr(download, "WAITS", (30.0, 30.0))
    server.pages["/tiny.csv"] = 503
    start = time.monotonic()
    assert "takes more than 1 seconds" in refusal(registry.fetch, "tiny")
    assert time.monotonic() - start < 15, "one wait is longer"
    assert left() == []
    gc.collect()  # a connection that was left open would be warned of now, which is an error


def test_a_known_file_has_a_size(tiny, server, content, left):
    known = replace(registry.get("tiny").files[0], bytes=len(content))
    tiny(files=(replace(known, urls=(f"{server.address}/tiny.csv",)),))
    server.pages["/tiny.csv"] = content + b"9" * (len(content) + 1)
    says = f"{server.address}/tiny.csv holds more than {2 * len(content)} bytes"
    assert refusal(registry.fetch, "tiny") == f"could not fetch tiny: {says}"
    server.pages["/tiny.csv"] = content.replace(b"\n", b"\r\n")
    assert registry.fetch("tiny").stat().st_size > len(content), "other line ends will do"


def test_what_comes_is_written_as_it_comes(url, server, content, folders, left):
    """Half of it is on the disk while the server has yet to send the rest."""
    sizes = []

    def send(handler):
        begin(handler, 1 << 20)
        handler.wfile.write(b"1" * (1 << 19))
        handler.wfile.flush()
        end = time.monotonic() + 5
        while time.monotonic() < end and not any(sizes):
            time.sleep(0.01)
            files = (folders / "temporary").glob("*/*")
            sizes.append(max((file.stat().st_size for file in files), default=0))
        handler.wfile.write(b"1" * (1 << 19))

    server.pages["/tiny.csv"] = send
    refusal(registry.fetch, "tiny")
    assert any(sizes)


def test_what_a_killed_download_left_is_swept(url, server, content, folders, left):
    server.pages["/tiny.csv"] = content
    for name in ("abacoc-download-old", "abacoc-download-new", "another-old"):
        (folders / "temporary" / name).mkdir()
        (folders / "temporary" / name / "half").touch()
        if name.endswith("old"):
            os.utime(folders / "temporary" / name, (0, 0))
    registry.fetch("tiny")
    assert sorted(left()) == ["abacoc-download-new", "another-old", "tiny.csv"]


# Other processes -------------------------------------------------------------------------------

FETCH = """
import sys
from abacoc.streams import download, registry
from abacoc.streams.datasets import DATASETS, DataFile, DataSet

url, sha256, folder = sys.argv[1:]
file = DataFile("tiny.csv", sha256, (url,))
DATASETS["tiny"] = DataSet("tiny", "three rows", (file,), 3, 2, 2, None)
print(registry.fetch("tiny", folder))
"""


def test_two_processes_that_fetch_the_same_set(folders, tiny, server, content):
    server.pages["/tiny.csv"] = together(content, 2)
    sha256 = registry.get("tiny").files[0].sha256
    target = folders / "data"
    command = [sys.executable, "-c", FETCH, f"{server.address}/tiny.csv", sha256, str(target)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        said = [process.communicate(timeout=30) for process in running]
    finally:
        for process in running:
            process.kill()
    assert said == [(f"{target / 'tiny.csv'}\n", "")] * 2
    assert len(server.asked) == 2  # they did overlap: the server waited for both
    assert [path.name for path in target.iterdir()] == ["tiny.csv"]
    assert (target / "tiny.csv").read_bytes() == content


def test_a_process_that_is_killed_leaves_no_file(folders, url, server, content, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(folders))
    server.pages["/tiny.csv"] = [silent(content), content]
    sha256 = registry.get("tiny").files[0].sha256
    target = folders / "data"
    process = subprocess.Popen([sys.executable, "-c", FETCH, url, sha256, str(target)])
    try:
        deadline = time.monotonic() + 30
        while not server.asked and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait(30)
    assert server.asked == ["/tiny.csv"]
    assert list(target.iterdir()) == []
    assert registry.fetch("tiny").read_bytes() == content


# Other bytes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda content: content.replace(b"\n", b"\r\n"), "tiny.csv"),
        (lambda content: content.partition(b"\n")[2], "tiny.csv"),  # no header line
        (lambda content: content.replace(b"5", b"5.000").replace(b"1", b"+1e0"), "tiny.csv"),
        (lambda content: content.replace(b",", b";"), "tiny.csv"),
        (lambda content: content.replace(b"b", b"no").replace(b"a", b"yes"), "tiny.csv"),
        (gzip.compress, "tiny.csv.gz"),
        (bz2.compress, "tiny.csv.bz2"),
        (lambda content: lzma.compress(content.replace(b"\n", b"\r\n")), "tiny.csv.xz"),
    ],
)
def test_a_file_of_another_host_with_the_right_content(folders, url, server, content, change, name):
    held = change(content)
    assert held != content
    server.pages["/tiny.csv"] = held
    path = registry.fetch("tiny")
    assert path == folders / "data" / name
    assert path.read_bytes() == held
    assert registry.load("tiny").X.tolist() == [[1, 2], [3, 4], [5, 6]]
    check = registry.check("tiny")
    assert (check.ok, check.verified, check.path) == (True, True, path)
    assert check.inspection is not None
    assert not check.inspection.known_bytes
    assert registry.fetch("tiny") == path
    assert len(server.asked) == 1  # what is right is not fetched again, whatever its bytes


def test_a_server_that_unpacks_on_the_way(folders, tiny, url, server, content):
    """Some send a .gz file as a plain one in a compressed transfer."""
    packed = gzip.compress(content)

    def send(handler):
        begin(handler, len(packed), Content_Encoding="gzip")
        handler.wfile.write(packed)

    server.pages["/tiny.csv"] = send
    assert registry.fetch("tiny").read_bytes() == content


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"5,6,a\n", b"5,6,a\n7,8,a\n", "4 rows instead of 3"),
        (b"5,6,a\n", b"", "2 rows instead of 3"),
        (b"3,4,b", b"3,4,a", "1 class instead of 2"),
        (b"5,6,a", b"5,6.5,d", "3 classes instead of 2"),
        (b"3,4,b", b"3,4.5,d", "classes 'd' instead of 'b'; other values in column 2 ('v')"),
        (b"5,6,a", b"5,6,b", "1 of class 'a' instead of 2; 2 of class 'b' instead of 1"),
        (b"5,6", b"5,6.5", "other values in column 2 ('v')"),
        (b"1,2,a\n3,4,b\n", b"3,4,b\n1,2,a\n", "the same examples in another order"),
        (b"4,b\n5,6,a", b"4,a\n5,6,b", "the labels of other rows"),
        (b"3", b"?", f"tiny.csv: row 2 (line 3), column 1 ('u'): missing value '?'{MENDS_GAPS}"),
    ],
)
def test_a_file_with_the_wrong_content(url, server, content, left, old, new, says):
    held = content.replace(old, new)
    assert held != content
    server.pages["/tiny.csv"] = held
    assert refusal(registry.fetch, "tiny") == (
        f"could not fetch tiny: what {url} holds is not the registered tiny: {says}"
    )
    assert len(server.asked) == 1  # it would be the same again
    assert left() == []


def test_a_file_that_breaks_off_where_no_length_was_announced(url, server, content, left):
    server.pages["/tiny.csv"] = broken_off(content, announced=False)
    assert "not the registered tiny" in refusal(registry.fetch, "tiny")
    server.pages["/tiny.csv"] = broken_off(gzip.compress(content), announced=False)
    assert "broken or truncated .gz file" in refusal(registry.fetch, "tiny")
    assert left() == []


def test_a_page_instead_of_the_file(url, server, left):
    server.pages["/tiny.csv"] = b"<html><body>Please log in, then try again</body></html>"
    assert "is not the registered tiny" in refusal(registry.fetch, "tiny")
    assert left() == []


def test_a_checksum_without_a_fingerprint_admits_no_other_bytes(tiny, server, content, left):
    tiny_url = f"{server.address}/tiny.csv"
    file = replace(registry.get("tiny").files[0], urls=(tiny_url,))
    tiny(files=(file,), fingerprint=None)
    server.pages["/tiny.csv"] = content.replace(b"\n", b"\r\n")
    assert "other bytes, and no fingerprint" in refusal(registry.fetch, "tiny")
    server.pages["/tiny.csv"] = content
    assert registry.fetch("tiny").read_bytes() == content
    assert left() == ["tiny.csv"]
