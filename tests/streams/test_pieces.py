"""A file read in pieces is the file read at once: the same numbers, the same refusals."""

import gzip
import itertools
import lzma
import os
import re
import threading
import tracemalloc

import numpy as np
import pytest
import test_reader_properties as made
from hypothesis import given
from hypothesis import strategies as st

from abacoc.limits import Limits
from abacoc.streams import read_file, read_pieces, source, table
from abacoc.streams.datasets import DATASETS

ROWS = st.integers(1, 14)
# Blocks that end inside a character, a line or a CR LF, and chunks that end inside a piece.
SMALL = st.tuples(st.sampled_from([1, 2, 3, 7, 30, 1 << 18]), st.sampled_from([1, 5, 1 << 19]))
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def compare(path, rows, small=(1 << 18, 1 << 19), **options):
    """Pieces of the file must agree with the whole; the refusal of both if it is a bad one."""
    try:
        whole = read_file(path, **options)
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_BLOCK", small[0])
        patch.setattr(table, "CHUNK_CELLS", small[1])
        if refusal is not None:
            with pytest.raises(ValueError, match=r"\A" + re.escape(refusal) + r"\Z"):
                read_pieces(path, rows=rows, **options)
            return refusal
        pieces = read_pieces(path, rows=rows, **options)
        given_out = list(pieces)
    assert [len(X) for X, _ in given_out[:-1]] == [rows] * (len(given_out) - 1)
    for X, y in given_out:
        assert 0 < len(X) <= rows
        assert X.dtype == np.float64
        assert X.flags.c_contiguous
        assert y.dtype == np.int64
    assert np.concatenate([X for X, _ in given_out]).tobytes() == whole.X.tobytes()
    assert np.concatenate([y for _, y in given_out]).tobytes() == whole.y.tobytes()
    for field in ("name", "note", "attributes", "labels", "n_examples", "n_attributes"):
        assert getattr(pieces, field) == getattr(whole, field)
    assert pieces.n_classes == whole.n_classes
    return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pieces")


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# The same numbers -----------------------------------------------------------------------------


@given(
    made.MATRICES,
    st.sampled_from(["csv", "tsv", "semicolon", "blank", "arff", "libsvm"]),
    st.booleans(),
    st.sampled_from(sorted(made.PACK)),
    LINE_ENDS,
    ROWS,
    SMALL,
)
def test_numbers_in_every_format(folder, X, format, header, packing, end, rows, small):
    delimiter = {"csv": ",", "tsv": "\t", "semicolon": ";", "blank": " "}.get(format)
    if delimiter:
        text, extension = made.as_csv(X, delimiter, header), "txt"
    else:
        text, extension = (made.as_arff(X) if format == "arff" else made.as_libsvm(X)), format
    content = made.PACK[packing](text.replace("\n", end).encode())
    assert compare(write(folder / f"a.{extension}{packing}", content), rows, small) is None


@given(made.tables(), made.BLANKS, ROWS, SMALL, st.sampled_from(["", "\ufeff"]))
def test_categories_and_labels_that_come_late(folder, drawn, blanks, rows, small, mark):
    path = write(folder / "a.csv", mark + made.with_header(*drawn, blanks))
    assert compare(path, rows, small) is None


@given(st.lists(st.sampled_from(["NA,1,p", "EU,10,q", "'A B',2,p"]), min_size=1), ROWS, SMALL)
def test_declared_values_keep_their_order_and_labels_do_not(folder, data, rows, small):
    head = "@attribute u {EU,NA,'A B'}\n@attribute v {10,2,1}\n@attribute c {q,r,p}\n@data\n"
    path = write(folder / "a.arff", head + "\n".join(data))
    assert compare(path, rows, small) is None
    assert compare(path, rows, small, numeric=["v"]) is None


def test_sparse_rows_whose_last_column_comes_last(tmp_path):
    path = write(tmp_path / "a.svm", "+1 2:0.5 # note\n-1\n\n+1 1:-0.0\n3 9:1\n")
    assert compare(path, 2) is None
    assert [X.shape for X, _ in read_pieces(path, rows=3)] == [(3, 9), (1, 9)]


def test_the_pieces_come_again_and_side_by_side(tmp_path):
    path = write(tmp_path / "a.csv", "".join(f"{i},c{i % 4},l{i % 3}\n" for i in range(20)))
    pieces = read_pieces(path, rows=6)
    first = [(X.tolist(), y.tolist()) for X, y in pieces]
    next(iter(pieces))  # one that is left in the middle
    for a, b, seen in zip(pieces, pieces, first, strict=True):
        assert (a[0].tolist(), a[1].tolist()) == (b[0].tolist(), b[1].tolist()) == seen


@pytest.mark.parametrize("name", [name for name, entry in DATASETS.items() if entry.fingerprint])
def test_the_heads_of_the_real_sets(data_folder, tmp_path, name):
    entry = DATASETS[name]
    paths = [data_folder / file.name for file in entry.files]
    whole = next(path for path in paths if path.exists())
    unpack = {".gz": gzip.open, ".xz": lzma.open}
    with unpack.get(whole.suffix, open)(whole, "rb") as file:
        head = b"".join(itertools.islice(file, 3000))
    path = write(tmp_path / (whole.stem if whole.suffix in unpack else whole.name), head)
    options = {name: getattr(entry, name) for name in ("numeric", "categorical", "trailing_comma")}
    assert compare(path, 997, (1 << 16, 1 << 14), **options) is None


# The same refusals ----------------------------------------------------------------------------


@given(st.lists(made.PIECES, max_size=40).map("".join), made.NAMES, made.OPTIONS, ROWS, SMALL)
def test_any_text(folder, text, name, options, rows, small):
    compare(write(folder / name, text), rows, small, **options)


@given(
    made.MATRICES,
    st.sampled_from([made.as_csv, made.as_arff, made.as_libsvm]),
    st.lists(st.tuples(st.integers(0, 9999), st.one_of(made.PIECES, st.binary(max_size=2)))),
    ROWS,
    SMALL,
)
def test_damaged_files(folder, X, writer, damages, rows, small):
    content = writer(X).encode()
    for at, damage in damages:
        at %= len(content) + 1
        inserted = damage if isinstance(damage, bytes) else damage.encode()
        content = content[:at] + inserted + content[at + 1 :]
    path = write(folder / f"a.{writer.__name__.removeprefix('as_')}", content)
    compare(path, rows, small)


ARCHIVES = st.sampled_from([".gz", ".bz2", ".xz"])


@given(ARCHIVES, st.integers(0, 400), st.integers(0, 255), st.booleans(), SMALL)
def test_damaged_archives(folder, packing, at, byte, cut, small):
    content = bytearray(made.PACK[packing](made.as_csv(np.arange(60.0).reshape(20, 3)).encode()))
    at %= len(content)
    content[at] = byte
    path = write(folder / f"a.csv{packing}", bytes(content[:at] if cut else content))
    compare(path, 7, small)


ARFF_HEAD = "@attribute u real\n@attribute v real\n@attribute c {a,b}\n@data\n"
GOOD = "1,2,a\n3,4,b\n" * 30
BAD_CELL = "1,2,a\n?,2,a\n"
# Where there are several, one of the text is told before one of the content, wherever they are.
FAULTS = {
    "two cells": ("a.csv", BAD_CELL + GOOD + "x,1,a", "row 2 (line 2), column 1 ('x1'): missing"),
    "cell, byte": ("a.csv", (BAD_CELL + GOOD).encode() + b"\xe9", "line 63: byte 373 is not UTF-8"),
    "cell, zero": ("a.csv", BAD_CELL + GOOD + "\0", "line 63: a zero byte"),
    "zero, byte": ("a.csv", b"\0\n" + GOOD.encode() + b"\xff", "line 62: byte 363 is not UTF-8"),
    "byte, archive": ("a.gz", gzip.compress(b"\xff" + GOOD.encode())[:-9], "broken or truncated"),
    "cell, archive": ("a.gz", gzip.compress((BAD_CELL + GOOD).encode())[:-9], "broken or trunc"),
    "after a mark": ("a.csv", b"\xef\xbb\xbf1,2,a\n\xff", "line 2: byte 10 is not UTF-8"),
    "comments": ("a", "# y\n \n" * 40 + "1 1:2\n\n2 1:x\n", "row 2 (line 83), column 1: 'x' is"),
    "sparse": ("a.arff", ARFF_HEAD + GOOD + "{0 1}\n", "row 61 (line 65), column 1: a row in sp"),
    "no attribute": ("a.svm", "1\n" * 50, "no row has an attribute"),
    "no data": ("a.csv", "u,v,c\n" + "\n" * 50, "a header line and no data"),
    "nothing": ("a.csv", "\n \n" * 50, "an empty file"),
}


@pytest.mark.parametrize("which", FAULTS)
@pytest.mark.parametrize("block", [1, 64, 1 << 18])
def test_which_fault_is_told(tmp_path, which, block):
    name, content, says = FAULTS[which]
    path = write(tmp_path / name, content)
    assert compare(path, 5, (block, 7)).startswith(f"{path}: {says}")


@pytest.mark.parametrize("name", ["", "none.csv", "a\nb.csv"])
def test_files_that_are_none(tmp_path, name):
    assert compare(tmp_path / name, 5)


def test_options_that_mean_nothing(tmp_path):
    path = write(tmp_path / "a.csv", GOOD)
    assert compare(path, 5, format="xls")
    assert compare(path, 5, numeric=["z"])
    with pytest.raises(ValueError, match="rows must be at least 1, not 0"):
        read_pieces(path, rows=0)


@pytest.mark.posix
@pytest.mark.parametrize("rows", [1, 2, 7, 1000])
@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_comes_once_in_pieces(tmp_path, rows, packed, monkeypatch):
    """The columns are numbers, so the first piece tells all there is to know of them.

    There is more of it than what is looked at to tell the format, which its name tells here.
    """
    monkeypatch.setattr(source, "_BLOCK", 256)
    text = "a,b,c\n" + "".join(f"{i % 7},{i * i / 8},{'xyz'[i % 3]}\n" for i in range(500))
    whole = read_file(write(tmp_path / "whole.csv", text))
    content = gzip.compress(text.encode()) if packed else text.encode()
    os.mkfifo(tmp_path / "a.csv")
    thread = threading.Thread(target=lambda: (tmp_path / "a.csv").write_bytes(content))
    thread.start()
    pieces = read_pieces(tmp_path / "a.csv", rows=rows)
    assert (pieces.n_examples, pieces.attributes) == (None, ("a", "b"))
    found = list(pieces)
    thread.join(60)
    assert [len(X) for X, _ in found] == [rows] * (500 // rows) + [500 % rows] * (500 % rows > 0)
    assert np.array_equal(np.concatenate([X for X, _ in found]), whole.X)
    assert np.array_equal(np.concatenate([y for _, y in found]), whole.y)
    assert pieces.labels == whole.labels


def test_disk_errors_are_not_taken_for_a_broken_archive(tmp_path, monkeypatch):
    def failing(*_):
        raise OSError(5, "Input/output error")

    path = write(tmp_path / "a.csv.gz", gzip.compress(GOOD.encode()))
    monkeypatch.setattr(gzip.GzipFile, "read", failing)
    with pytest.raises(ValueError, match=r"a\.csv\.gz: cannot be read: Input/output error\Z"):
        read_pieces(path)


def test_too_little_memory(tmp_path, monkeypatch):
    def exhausted(*_):
        raise MemoryError

    path = write(tmp_path / "a.csv", GOOD)
    pieces = read_pieces(path)
    monkeypatch.setattr(table.TableRows, "take", exhausted)
    for read in (lambda: read_pieces(path), lambda: list(pieces)):
        with pytest.raises(ValueError, match="not enough memory to read it"):
            read()


def test_the_limit_of_a_matrix_is_for_a_piece(tmp_path):
    limits = Limits(matrix=99 * 8)
    words = write(tmp_path / "a.csv", "".join(f"id{i},1,a\n" for i in range(10)))
    sparse = write(tmp_path / "a.svm", "1 11:1\n" * 10)
    for path in (words, sparse):
        assert compare(path, 10, limits=limits)
        pieces = read_pieces(path, rows=9, limits=limits)
        assert [X.shape for X, _ in pieces] == [(9, 11), (1, 11)]


# A file that changes --------------------------------------------------------------------------


def test_a_file_that_changes_between_the_readings(tmp_path):
    path = write(tmp_path / "a.csv", GOOD)
    pieces = read_pieces(path, rows=20)
    under_way = iter(pieces)
    next(under_way)
    with path.open("a") as file:
        file.write("5,6,c\n")
    for changed in (under_way, iter(pieces)):
        with pytest.raises(ValueError, match=r"a\.csv: has changed since it was first read"):
            next(changed)
    path.unlink()
    with pytest.raises(ValueError, match="no such file"):
        next(iter(pieces))


def test_a_file_that_changes_during_the_first_reading(tmp_path, monkeypatch):
    path = write(tmp_path / "a.csv", GOOD)
    settle = table.TableRows.settle

    def settle_and_write(rows, *counts):
        settle(rows, *counts)
        os.utime(path, (1, 1))

    monkeypatch.setattr(table.TableRows, "settle", settle_and_write)
    with pytest.raises(ValueError, match="has changed since it was first read"):
        read_pieces(path)


@pytest.mark.parametrize(
    ("name", "before", "after", "says"),
    [
        ("a.csv", "1,r,a\n2,s,b\n", "1,r,a\n2,t,b\n", "row 2 .*column 2.*value 't'"),
        ("a.csv", "1,r,a\n2,s,b\n", "1,r,a\n2,s,c\n", "row 2 .*column 3.*value 'c'"),
        ("a.csv", "1,r,a\n2,s,b\n", "1,r,a\n\n\n\n\n\n\n", "has changed"),
        ("a.svm", "1 1:2\n2 1:3\n", "1 1:2\n3 1:3\n", "row 2 .*was not there before"),
        ("a.svm", "1 1:2\n2 1:3\n", "1 1:2\n2 2:3\n", "row 2 .*was not there before"),
    ],
)
def test_a_change_that_size_and_time_do_not_tell(tmp_path, name, before, after, says):
    path = write(tmp_path / name, before)
    pieces = read_pieces(path, rows=1)
    kept = os.stat(path)
    write(path, after)
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    with pytest.raises(ValueError, match=says):
        list(pieces)


# Memory ---------------------------------------------------------------------------------------


def test_memory_is_that_of_a_piece(tmp_path):
    # Many categories make a large matrix of few cells: tracing each cell is what takes the time.
    block = "".join(f"word {i % 50},{'ab'[i % 2]}\n" for i in range(5000))
    path = write(tmp_path / "a.csv", block * 60)
    tracemalloc.start()
    try:
        pieces = read_pieces(path, rows=5000)
        assert sum(len(X) for X, _ in pieces) == 300_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    whole = pieces.n_examples * pieces.n_attributes * 8
    assert whole == 120_000_000
    # Two pieces of 2 MB, for the caller has one while the next is made, and the lines and cells of
    # a block of 256 KiB as Python holds them: 8.5 MB in all. The slack is for other Pythons, and
    # less than the 5 MB that the codes of all rows would take, were they kept.
    assert peak < whole / 10
