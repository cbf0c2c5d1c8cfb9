"""The limits of the readers: the message of each, and files that once took minutes or gigabytes."""

import gzip
import lzma

import pytest
import test_fuzz as fuzz
from hypothesis import given
from hypothesis import strategies as st
from limited import Limited

from abacoc import Limits
from abacoc.cli import main
from abacoc.limits import LimitError
from abacoc.streams import read_file, read_pieces


@pytest.fixture(scope="module")
def limited():
    server = Limited()
    yield server
    server.stop()


# The message of each ----------------------------------------------------------------------------

ARFF = "@attribute u {a,b,c}\n@attribute c {yes}\n@data\na,yes\n"
# file, its text, the limit that is just met, the message at one less
CASES = {
    "line": ("a.csv", "1,2,a\r\n1,2222,b\n", {"line": 8}, "line 2: a line of more than 7 bytes"),
    "line without an end": ("a.csv", "1,a\n2,bé", {"line": 5}, "line 2: a line of more than 4"),
    "line after CRs": ("a.csv", "1,a\r2,b\r\r44,b\r", {"line": 4}, "line 4: a line of more than 3"),
    "cell": (
        "a.csv",
        "1,2,a\n1,2222,b\n",
        {"cell": 4},
        "row 2 (line 2), column 2 ('x2'): a cell of more characters than 3",
    ),
    "header": (
        "a.csv",
        "x,name,class\n1,2,a\n",
        {"cell": 5},
        "row 1 (line 1), column 3: a cell of more characters than 4",
    ),
    "name": (
        "a.arff",
        ARFF.replace(" u ", " long "),
        {"cell": 4},
        "line 1, column 1: a cell of more characters than 3",
    ),
    "declared value": (
        "a.arff",
        ARFF.replace(",b,", ",long,"),
        {"cell": 4},
        "line 1, column 1: a cell of more characters than 3",
    ),
    "label": (
        "a.svm",
        "1 1:2\n\nlong 1:2\n",
        {"cell": 4},
        "row 2 (line 3): a cell of more characters than 3",
    ),
    "value": (
        "a.svm",
        "1 1:2\n1 7:2.25\n",
        {"cell": 4},
        "row 2 (line 2), column 7: a cell of more characters than 3",
    ),
    "columns": (
        "a.csv",
        "1,2,3,a\n",
        {"columns": 4},
        "row 1 (line 1), column 4: more columns than 3",
    ),
    "columns of categories": (
        "a.csv",
        "1,r,a\n1,g,b\n1,b,b\n",
        {"columns": 4},
        "column 2 ('x2'): 4 attributes, more columns than 3",
    ),
    "columns, ARFF": (
        "a.arff",
        ARFF.replace("a,b,c", "a"),
        {"columns": 2},
        "column 2: more attributes than 1",
    ),
    "index": ("a.svm", "1 9:1\n", {"columns": 9}, "row 1 (line 1), column 9: an index above 8"),
    "categories": (
        "a.csv",
        "r,1,a\ng,1,a\nr,1,b\nb,1,b\n",
        {"categories": 3},
        "row 4 (line 4), column 1 ('x1'): more categories than 2",
    ),
    "declared": ("a.arff", ARFF, {"categories": 3}, "column 1 ('u'): more categories than 2"),
    "matrix": (
        "a.csv",
        "r,1,a\ng,1,a\nb,1,b\n",
        {"matrix": 3 * 4 * 8},
        "column 1 ('x1'): a matrix of 3 x 4 numbers takes more than 95 bytes",
    ),
    "matrix, LIBSVM": (
        "a.svm",
        "1 9:1\n2 1:1\n",
        {"matrix": 2 * 9 * 8},
        "column 9: a matrix of 2 x 9 numbers takes more than 143 bytes",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_limit_is_met_exactly_and_named(tmp_path, case, capsys):
    name, text, met, says = CASES[case]
    path = tmp_path / name
    path.write_bytes(text.encode())
    assert read_file(path, limits=Limits(**met)).n_examples
    ((limit, value),) = met.items()
    less = Limits(**{limit: value - 1})
    for read in (read_file, read_pieces):
        with pytest.raises(LimitError) as caught:
            read(path, limits=less)
        message = str(caught.value)
        assert message.startswith(f"{path}: {says}")
        assert f"(--limit {limit}=N allows more)" in message
        assert "\n" not in message
    assert main(["run", str(path), "--limit", f"{limit}={value - 1}"]) == 2
    assert capsys.readouterr().err == f"abacoc: {message}\n"
    assert main(["run", str(path), "--limit", f"{limit}={value}"]) == 0


def test_the_label_has_any_number_of_classes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,a\n2,b\n3,c\n")
    assert read_file(path, limits=Limits(categories=1)).n_classes == 3


def test_options_of_the_shell(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("1,a\n2,b\n")
    for option, says in [
        (
            "lines=5",
            "--limit takes line, cell, unpacked, dictionary, columns, categories, matrix or model,"
            " not lines",
        ),
        ("line", "--limit line is a number such as 500 or 64M, not "),
        ("line=-1", "--limit line is a number such as 500 or 64M, not -1"),
        ("line=1e9", "--limit line is a number such as 500 or 64M, not 1e9"),
        ("line=" + "9" * 5000, "--limit line is a number such as 500 or 64M, not " + "9" * 40),
        ("line=0", "limit line must be a whole number from 1, not 0"),
    ]:
        assert main(["run", str(path), "--limit", option]) == 2
        assert capsys.readouterr().err == f"abacoc: {says}\n"
    two = ["--limit", "line=1g", "--limit", "cell=1"]
    assert main(["run", str(path), *two]) == 0
    assert main(["run", "generated:sea,n=10", *two]) == 2
    assert "no limits" in capsys.readouterr().err


def test_a_registered_set_has_the_limits_of_the_caller(data_folder, capsys):
    assert main(["run", "sea", "--head", "10", "--limit", "matrix=1M"]) == 2
    assert "more than 1 MiB (--limit matrix=N allows more)" in capsys.readouterr().err


# Files that once took minutes or gigabytes ------------------------------------------------------

# Of each 1 MiB of the same byte, gzip makes 1 KB: so small members, one after the other.
MEMBER = 1 << 20


def bomb(byte, megabytes):
    return gzip.compress(byte * MEMBER) * megabytes


# what was: seconds or memory; now: megabytes and seconds that are enough, and why.
ONCE = {
    # 100 s: the pattern of a number tried every cut of the digits. Linear, it takes no time.
    "digits": ("a.csv", b"1,2,a\n3," + b"7" * 20_000 + b"x,b\n", 32, 2, "is not a number"),
    # 3.1 GB. A line of 16 MiB is held twice when it is put together.
    "no line end": ("a.csv.gz", bomb(b"1", 1024), 128, 5, "a line of more than 16 MiB"),
    # Every empty line was an object: 70 s for twice as many of them.
    "empty lines": ("a.csv.gz", bomb(b"\n", 128), 32, 10, "an empty file"),
    # 791 MB with what a learner makes of it.
    "an index": ("a.svm", b"1 1048576:1\n2 1:1\n", 32, 2, "column 1048576: an index above 65,536"),
    # A matrix of 8 GiB. The file has 0.3 MB, and ten thousand words of it are held.
    "categories": (
        "a.csv",
        b"".join(b"w%d,a\n" % i for i in range(32_000)),
        64,
        5,
        "row 10001 (line 10001), column 1 ('x1'): more categories than 10,000",
    ),
    # The sample by which a CSV file is recognised had a thousand lines, however long.
    "long lines": ("a.csv.gz", gzip.compress(b"1" * (1 << 23) + b"\n") * 32, 256, 10, "a single"),
}


@pytest.mark.parametrize("which", ONCE)
@pytest.mark.parametrize("action", ["file", "pieces"])
def test_files_that_once_took_minutes_or_gigabytes(tmp_path, limited, which, action):
    name, content, megabytes, seconds, says = ONCE[which]
    path = tmp_path / name
    path.write_bytes(content)
    said = limited(path, megabytes, seconds, action)
    assert said.startswith(f"refused: {path}: ")
    assert says in said


def test_rows_are_counted_as_they_come(tmp_path, limited):
    """24 bytes of each of 8 million rows, 200 MB, were held before anybody multiplied."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"1,2,a\n" * (1 << 20)) * 8)
    # a million rows are let in: 24 MB, and the text of a chunk
    said = limited(path, 128, 20, matrix=15 << 20)
    assert said.startswith(f"refused: {path}: column 1 ('x1'): a matrix of ")
    assert "takes more than 15 MiB" in said


def test_an_archive_that_asks_for_memory(tmp_path, limited):
    """A few kilobytes that are unpacked in half a gigabyte, of which all was touched."""
    filters = {"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}
    packer = lzma.LZMACompressor(filters=[filters])
    path = tmp_path / "a.csv.xz"
    path.write_bytes(packer.compress(b"1,2,a\n" * 100) + packer.flush())
    assert limited(path, 64, 2) == (
        f"refused: {path}: takes memory to unpack of more than 128 MiB"
        " (--limit dictionary=N allows more)"
    )
    assert limited(path, 1024, 2, dictionary=1 << 30) == "took [100, 2]"


def test_sparse_rows_stay_sparse(tmp_path, limited):
    """A thousand rows that would be 8 GiB as a matrix: refused as soon as they are too many."""
    path = tmp_path / "a.svm"
    path.write_text(f"1 {1 << 20}:1\n" * 1000)
    said = limited(path, 64, 5, columns=1 << 20)
    assert "a matrix of 1000 x 1048576 numbers takes more than 4 GiB" in said


# Any file, with limits of memory and time -------------------------------------------------------

SMALL = {
    "line": 1 << 18,
    "cell": 1 << 14,
    "unpacked": 1 << 22,
    "columns": 1 << 12,
    "categories": 1 << 10,
    "matrix": 1 << 24,
}
# Two matrices of 16 MiB (the numbers by columns, then by rows), a sample and a chunk of 2^19 cells
# as text of 50 bytes and 8 for its place (30 MB each, twice while they are stripped), a line of
# 2^18 bytes as so many cells; all that twice over, as an allocator wastes some.
MEGABYTES = 256
SECONDS = 10  # of the processor, for at most 4 MiB of text


@st.composite
def swollen(draw):
    """A file that is nearly right, a piece of it many times over, perhaps packed."""
    text = draw(st.one_of(fuzz.csv_texts(), fuzz.arff_texts(), fuzz.libsvm_texts())).encode()
    start, length = draw(st.integers(0, len(text))), draw(st.integers(1, 12))
    piece = text[start : start + length] or draw(st.sampled_from([b"1,", b"\n", b"a", b"1:1 "]))
    size = draw(st.sampled_from([1 << 10, 1 << 15, 1 << 18, 1 << 20]))
    text = text[:start] + piece * (size // len(piece)) + text[start:]
    packing = draw(st.sampled_from(["", "", *fuzz.made.PACK]))
    return draw(fuzz.made.NAMES) + packing, fuzz.made.PACK[packing](text)


@given(swollen(), st.sampled_from(["file", "pieces"]))
def test_any_file_within_memory_and_time(folder, limited, file, action):
    name, content = file
    path = folder / name
    path.write_bytes(content)
    said = limited(path, MEGABYTES, SECONDS, action, **SMALL)
    assert len(said) < len(str(path)) + 400, "a message, not the file"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("limits")
