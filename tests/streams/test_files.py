"""Files on the disk: formats by extension, compression, and files that cannot be read."""

import bz2
import contextlib
import gzip
import lzma
import os
import subprocess
import sys
import threading

import pytest

from abacoc.limits import Limits
from abacoc.streams import read_file, source

ONE_LINE = r"\A[^\n]+\Z"
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
CSV = b"u,v,c\n1,2,a\n3,4,b\n"
TSV = b"u\tv\tc\n1\t2\ta\n3\t4\tb\n"
ARFF = b"@attribute u real\n@attribute v real\n@attribute c {a,b}\n@data\n1,2,a\n3,4,b\n"
LIBSVM = b"a 1:1 2:2\nb 1:3 2:4\n"


def refusal(path, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        read_file(path, **options)
    return str(caught.value)


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV),
        ("a.CSV", CSV),
        ("a.tsv", TSV),
        ("a.txt", CSV),
        ("a.data", TSV),
        ("a", CSV),
        ("a.arff", ARFF),
        ("a.txt", b"% by hand\n" + ARFF),
        ("a.libsvm", LIBSVM),
        ("a.svm", LIBSVM),
        ("a.data", LIBSVM),
    ],
)
def test_every_extension_and_compression(tmp_path, name, content, packing):
    path = tmp_path / (name + packing)
    path.write_bytes(PACK[packing](content))
    stream = read_file(path)
    assert stream.X.tolist() == [[1, 2], [3, 4]]
    assert stream.labels == ("a", "b")
    assert stream.name == "a"
    assert stream.note.startswith(f"{path.name}: ")


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
def test_compression_without_its_extension(tmp_path, packing):
    path = tmp_path / "kddcup99_10_data"
    path.write_bytes(PACK[packing](CSV))
    assert read_file(str(path)).X.tolist() == [[1, 2], [3, 4]]


def test_the_format_can_be_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(ARFF)
    assert read_file(path, format="arff").attributes == ("u", "v")
    assert (
        refusal(path, format="xls")
        == "unknown format 'xls': it is one of csv, arff, libsvm, parquet"
    )


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
def test_truncated_and_broken_archives(tmp_path, packing):
    path = tmp_path / f"a.csv{packing}"
    whole = PACK[packing](CSV * 50)
    broken = bytearray(whole)
    broken[len(broken) // 2] ^= 0xFF
    for content in (whole[:-5], whole[: len(whole) // 2], whole[:4], bytes(broken), CSV):
        path.write_bytes(content)
        assert refusal(path) == f"{path}: broken or truncated {packing} file"


def test_an_archive_that_unfolds_without_end(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"1,2,a\n" * 1000))
    assert refusal(path, limits=Limits(unpacked=5999)) == (
        f"{path}: unfolds to more than 5,999 bytes (--limit unpacked=N allows more)"
    )
    assert read_file(path, limits=Limits(unpacked=6000)).n_examples == 1000


def test_files_that_are_none(tmp_path):
    assert refusal(tmp_path) == f"{tmp_path}: is a folder, not a file"
    assert refusal(tmp_path / "a.csv") == f"no such file: {tmp_path / 'a.csv'}"
    assert refusal("a\0b").startswith("no such file: a\\x00b")
    assert refusal("x" * 5000).startswith("no such file: xxx")
    assert refusal("a\nb.csv") == "no such file: a\\nb.csv"


@contextlib.contextmanager
def writing(path, content):
    thread = threading.Thread(target=lambda: path.write_bytes(content))
    thread.start()
    try:
        yield
    finally:
        thread.join(60)


@pytest.mark.posix
@pytest.mark.parametrize("content", [CSV, gzip.compress(CSV)], ids=["plain", "packed"])
def test_a_pipe_is_read_once(tmp_path, content):
    os.mkfifo(tmp_path / "a.csv")
    with writing(tmp_path / "a.csv", content):
        stream = read_file(tmp_path / "a.csv")
    assert stream.X.tolist() == [[1, 2], [3, 4]]
    with writing(tmp_path / "a.csv", content):
        assert "more than 9 bytes" in refusal(tmp_path / "a.csv", limits=Limits(unpacked=9))


@pytest.mark.posix
def test_a_device_is_refused_rather_than_waited_for():
    assert refusal("/dev/zero") == "/dev/zero: neither a file nor a pipe"


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "a.csv"
    path.write_bytes(CSV)
    monkeypatch.setattr(source, "open", forbidden, raising=False)
    assert refusal(path) == f"{path}: cannot be read: Permission denied"


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"u,v,c\n1,2,caf\xe9\n")
    assert refusal(path) == f"{path}: line 2: byte 14 is not UTF-8 text"
    path.write_bytes(CSV.decode().encode("utf-16"))
    assert "UTF-16 text: save it as UTF-8" in refusal(path)
    path.write_bytes(CSV.decode().encode("utf-16-le"))
    assert "UTF-16 text: save it as UTF-8" in refusal(path)


def test_too_little_memory(tmp_path, monkeypatch):
    def exhausted(*_):
        raise MemoryError

    path = tmp_path / "a.csv"
    path.write_bytes(CSV)
    monkeypatch.setattr("abacoc.streams.csvfile.read", exhausted)
    assert refusal(path) == f"{path}: not enough memory to read it"


def test_importing_the_readers_loads_neither_requests_nor_river():
    code = "import sys, abacoc.streams; print({'requests', 'river'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
