"""The eight real data sets, where they are at hand: see the folder in `tests/conftest.py`."""

import gzip
import lzma

import numpy as np
import pytest

from abacoc.streams import Stream, load, registry
from abacoc.streams.readers import read_content

SMALL = ["powersupply", "sea", "poker", "electricity", "connect-4", "banana"]
BIG = ["kddcup99", "covtype"]


@pytest.fixture(scope="module")
def opened(data_folder):
    """The small sets, each read once; a set that is missing is a failure."""
    streams: dict[str, Stream] = {}

    def open_once(name):
        if name not in streams:
            streams[name] = load(name)
        return streams[name]

    return open_once


@pytest.mark.parametrize("name", [*SMALL, *BIG])
def test_the_file_is_in_the_folder(data_folder, name):
    path = registry.locate(name)
    assert path is not None
    assert path.parent == data_folder


@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(n, marks=pytest.mark.slow) for n in BIG)])
def test_checksum_and_content(data_folder, name):
    check = registry.check(name)
    assert check.problems == ()
    assert check.verified
    assert check.inspection is not None
    assert check.inspection.known_bytes
    found, entry = check.inspection.fingerprint, registry.get(name)
    assert found is not None
    assert entry.fingerprint is not None
    assert found.digest == entry.fingerprint.digest
    reader = {"arff": "ARFF", "libsvm": "LIBSVM", "csv": "CSV"}[entry.files[0].format]
    assert f": {reader}" in check.inspection.stream.note


# Sizes as the data folder's README gives them, independent of the registry.
@pytest.mark.parametrize(
    ("name", "rows", "attributes", "classes"),
    [
        ("powersupply", 29_928, 2, 24),
        ("sea", 60_000, 3, 2),
        ("poker", 25_010, 10, 10),
        ("electricity", 45_312, 8, 2),
        ("connect-4", 67_557, 126, 3),
        ("banana", 5_300, 2, 2),
        pytest.param("kddcup99", 494_021, 118, 23, marks=pytest.mark.slow),
        pytest.param("covtype", 581_012, 54, 7, marks=pytest.mark.slow),
    ],
)
def test_sizes(opened, name, rows, attributes, classes):
    stream = opened(name)
    assert (stream.n_examples, stream.n_attributes, stream.n_classes) == (rows, attributes, classes)
    assert len(np.unique(stream.y)) == classes


def test_powersupply(opened):
    stream = opened("powersupply")
    assert stream.X[0].tolist() == [117.4, 127.0]
    assert stream.labels[:3] == ("0", "1", "2")
    stray = (stream.X == [128.3, 93.3]).all(axis=1) & (stream.y == 2)
    assert stray.any()  # the row with the comma too many


def test_electricity(opened):
    stream = opened("electricity")
    assert stream.attributes[:3] == ("date", "day", "period")
    assert sorted(set(stream.X[:, 1].tolist())) == [1, 2, 3, 4, 5, 6, 7]
    assert stream.labels == ("UP", "DOWN")


def test_connect_4(opened):
    stream = opened("connect-4")
    assert stream.attributes[:4] == ("a1=0", "a1=1", "a1=2", "a2=0")
    assert (stream.X.reshape(-1, 42, 3).sum(axis=2) == 1).all()  # one state per cell
    assert (stream.X[:, 1::3].sum(axis=1) == 4).all()  # four o and four x after eight moves
    assert (stream.X[:, 2::3].sum(axis=1) == 4).all()


def test_poker_and_sea_and_banana(opened):
    assert opened("poker").attributes[:2] == ("S1", "R1")
    assert opened("poker").labels[0] == "9"
    assert opened("sea").X[0].tolist() == [6.677259, 5.152133, 2.982455]
    assert opened("banana").X[0].tolist() == [1.617466, -0.919233]
    assert opened("banana").labels == ("-1", "1")


# Copies of the real files with other bytes -----------------------------------------------------


def other_bytes(name, content):
    """The file as another host may have it: what it is called there, and what it holds."""
    if name == "poker":  # no header line, as UCI has it
        return "poker-hand-training-true.data.xz", lzma.compress(content.partition(b"\n")[2])
    if name == "electricity":  # a table instead of ARFF
        return "electricity.csv", content.partition(b"@data")[2].lstrip()
    if name == "powersupply":  # without the stray comma, and with other line ends
        assert b"128.3,93.3,2,\r\n" in content
        return "powersupply.arff", content.replace(b",\r\n", b"\r\n").replace(b"\r\n", b"\n")
    assert name == "connect-4"
    return "connect-4.tsv", gzip.decompress(content).replace(b"\n", b"\r\n")


@pytest.mark.parametrize("name", ["poker", "electricity", "powersupply", "connect-4"])
def test_copies_with_other_bytes_and_the_right_content(
    data_folder, tmp_path, monkeypatch, opened, name
):
    right = opened(name)
    file_name, copy = other_bytes(name, registry.locate(name).read_bytes())
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path))
    (tmp_path / file_name).write_bytes(copy)
    assert registry.state(name) == "unverified"  # as far as one can tell without reading it
    stream = load(name)
    assert np.array_equal(stream.X, right.X)
    assert np.array_equal(stream.y, right.y)
    assert stream.labels == right.labels
    check = registry.check(name)
    assert check.verified
    assert check.inspection is not None
    assert not check.inspection.known_bytes


def test_a_shuffled_copy_and_one_with_a_changed_digit(data_folder, tmp_path, monkeypatch):
    header, *rows = (data_folder / "poker-hand-training-true.data").read_bytes().splitlines(True)
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path))
    path = tmp_path / "poker-hand-training-true.data"
    path.write_bytes(b"".join([header, *rows[::-1]]))
    with pytest.raises(ValueError, match="not the registered poker: the same examples in another"):
        load("poker")
    rows[20_000] = b"1,1,1,2,1,3,1,4,1,6," + rows[20_000].split(b",")[-1]
    path.write_bytes(b"".join([header, *rows]))
    with pytest.raises(ValueError, match=r"other values in column 1 \('S1'\), .* and \d more"):
        load("poker")


def head(path, unpack, lines):
    with unpack(path) as file:
        return b"".join(next(file) for _ in range(lines))


def test_the_head_of_kddcup99(data_folder):
    text = head(data_folder / "kddcup.data_10_percent.gz", gzip.open, 8000)
    stream = read_content(text, "kdd")
    assert stream.n_examples == 8000
    assert stream.attributes[:2] == ("x1", "x2=icmp")
    assert "x3=http" in stream.attributes
    assert stream.labels[0] == "normal."
    numbers = [text.split(b"\n")[-2].split(b",")[i] for i in (0, 4, 5, 40)]
    columns = [stream.attributes.index(name) for name in ("x1", "x5", "x6", "x41")]
    assert stream.X[-1, columns].tolist() == [float(cell) for cell in numbers]


def test_the_head_of_covtype(data_folder):
    text = head(data_folder / "covtype.csv.xz", lzma.open, 5001)
    stream = read_content(text, "covtype.csv")
    assert stream.X.shape == (5000, 54)
    assert stream.attributes[0] == "Elevation"
    rows = [line.split(b",") for line in text.split()[1:]]
    assert stream.X.tolist() == [[float(cell) for cell in row[:-1]] for row in rows]
    assert [stream.labels[code] for code in stream.y] == [row[-1].decode() for row in rows]
    # The archive that `fetch` gets has the same rows without the header line.
    bare = read_content(gzip.compress(text.partition(b"\n")[2]), "covtype.data.gz")
    assert np.array_equal(bare.X, stream.X)
    assert np.array_equal(bare.y, stream.y)


@pytest.mark.slow
def test_kddcup99_in_full(opened):
    stream = opened("kddcup99")
    groups = [
        [i for i, n in enumerate(stream.attributes) if n.startswith(f"x{c}=")] for c in (2, 3, 4)
    ]
    assert [len(group) for group in groups] == [3, 66, 11]
    for group in groups:
        assert (stream.X[:, group].sum(axis=1) == 1).all()
    assert all(label.endswith(".") for label in stream.labels)


@pytest.mark.slow
def test_kddcup99_with_codes_in_full(data_folder, opened):
    check = registry.check("kddcup99-41")
    assert check.verified
    assert check.inspection is not None
    coded, full = check.inspection.stream, opened("kddcup99")
    assert coded.X.shape == (494_021, 41)
    assert coded.X.max(axis=0)[1:4].tolist() == [2, 65, 10]
    numbers = [i for i, name in enumerate(full.attributes) if "=" not in name]
    assert np.array_equal(coded.X[:, [0, *range(4, 41)]], full.X[:, numbers])
    assert np.array_equal(coded.y, full.y)
