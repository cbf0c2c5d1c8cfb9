"""The sets that are not to be had everywhere, on small files of the same format.

What is tested is that a file in the format of the source is read, and comes out with the columns
of Table I; the number of rows cannot be right, and that it is not is told.
"""

import bz2
import csv
import gzip
import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from webserver import begin

from abacoc.cli import main
from abacoc.grid import inputs, keys
from abacoc.streams import registry
from abacoc.streams.contents import inspect
from abacoc.streams.datasets import DATASETS, Candidate, DataFile
from abacoc.streams.readers import read_content
from abacoc.streams.stream import with_codes

ONE_LINE = r"\A[^\n]+\Z"
pytestmark = pytest.mark.usefixtures("folders")


def sensor(rows=108):
    """Five readings and the sensor: time in minutes, temperature, humidity, light, voltage."""
    lines = ["@relation sensor", ""]
    names = ("rcdminutes", "temperature", "humidity", "light", "voltage")
    lines += [f"@attribute {name} real" for name in names]
    lines += [f"@attribute class {{{','.join(map(str, range(1, 59)))}}}", "", "@data"]
    for i in range(rows):
        lines.append(f"{i * 0.5},{19.98 + i},{37.09 - i},{45.08},{2.69964},{i % 54 + 1}")
    return "\n".join(lines) + "\n"


def airlines(rows=40):
    """Three nominal attributes with 18, 293 and 293 declared values; the day is nominal too."""
    carriers = [f"C{i}" for i in range(18)]
    airports = [f"A{i:03}" for i in range(293)]
    lines = [
        "@relation airlines",
        "",
        f"@attribute Airline {{{','.join(carriers)}}}",
        "@attribute Flight numeric",
        f"@attribute AirportFrom {{{','.join(airports)}}}",
        f"@attribute AirportTo {{{','.join(reversed(airports))}}}",
        "@attribute DayOfWeek {1,2,3,4,5,6,7}",
        "@attribute Time numeric",
        "@attribute Length numeric",
        "@attribute Delay {0,1}",
        "",
        "@data",
    ]
    for i in range(rows):
        cells = [carriers[i % 18], 269 + i, airports[7 * i % 293], airports[i], i % 7 + 1]
        lines.append(",".join(map(str, [*cells, 15 + i, 205, i % 2])))
    return "\n".join(lines) + "\n"


def acoustic(rows=30):
    """Label first, then index:value; what is zero is left out, so few rows have all indices."""
    lines = []
    for i in range(rows):
        kept = [j for j in range(1, 51) if (i + j) % 5 or (i == 0 and j == 50)]
        lines.append(" ".join([str(i % 3 + 1), *(f"{j}:{(i - j) / 64:g}" for j in kept)]))
    return " \n".join(lines) + "\n"


def hyperplane(rows=25):
    lines = ["@relation hyperplane"]
    lines += [f"@attribute attr{i} numeric" for i in range(10)]
    lines += ["@attribute class {1,2,3,4,5}", "@data"]
    for i in range(rows):
        lines.append(",".join([*(f"{(i * j % 11) / 10}" for j in range(10)), str(i % 5 + 1)]))
    return "\r\n".join(lines)


FILES = {
    "sensor": ("sensor.arff", sensor),
    "airlines": ("airlines.arff", airlines),
    "acoustic": ("acoustic.bz2", acoustic),
    "hyperPlane": ("hyperplane.arff", hyperplane),
}


def put(folders, name, text, file_name=None):
    path = folders / "data" / (file_name or FILES[name][0])
    pack = {".bz2": bz2.compress, ".gz": gzip.compress}.get(path.suffix, bytes)
    path.write_bytes(pack(text.encode()))
    return path


def shortened(monkeypatch, name, rows):
    """The entry, as if the set had so few rows."""
    monkeypatch.setitem(DATASETS, name, replace(DATASETS[name], rows=rows))


@pytest.mark.parametrize("name", FILES)
def test_the_columns_and_classes_are_those_of_table_one(folders, monkeypatch, name):
    text = FILES[name][1]()
    path = put(folders, name, text)
    entry = registry.get(name)
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        registry.load(name)
    said = str(caught.value)
    # the number of rows is all that is wrong
    assert said.startswith(f"{path}: not the registered {name}: ")
    assert said.endswith(f" rows instead of {entry.rows:,}")
    shortened(monkeypatch, name, int(said.split()[-5].replace(",", "")))
    with pytest.warns(UserWarning, match="could not be verified"):
        stream = registry.load(name)
    assert stream.n_attributes == entry.table1.dimension
    assert stream.n_classes == entry.table1.classes
    assert {"arff": "ARFF", "libsvm": "LIBSVM", "csv": "CSV"}[entry.files[0].format] in stream.note
    assert stream.note.endswith("content not verified")
    check = registry.check(name)
    assert (check.ok, check.verified) == (True, False)
    assert registry.state(name) == "unverified"


def test_sensor(folders, monkeypatch):
    shortened(monkeypatch, "sensor", 108)
    put(folders, "sensor", sensor(), "sensor.arff.gz")
    with pytest.warns(UserWarning, match="verified"):
        stream = registry.load("sensor")
    assert stream.X[1].tolist() == [0.5, 20.98, 36.09, 45.08, 2.69964]
    assert stream.labels[:2] == ("1", "2")
    assert stream.n_classes == 54  # those that occur, not the 58 declared


def test_airlines(folders, monkeypatch):
    shortened(monkeypatch, "airlines", 40)
    put(folders, "airlines", airlines())
    with pytest.warns(UserWarning, match="verified"):
        stream = registry.load("airlines")
    names = stream.attributes
    assert names[0] == "Airline=C0"
    assert [i for i, name in enumerate(names) if "=" not in name] == [18, 605, 606, 607]
    assert [names[i] for i in (18, 605, 606, 607)] == ["Flight", "DayOfWeek", "Time", "Length"]
    # row 9: carrier 9, flight 278, from airport 63, to airport 9 of the reversed list, day 3
    ones = [names[i] for i in np.flatnonzero(stream.X[9]) if "=" in names[i]]
    assert ones == ["Airline=C9", "AirportFrom=A063", "AirportTo=A009"]
    assert stream.X[9, [18, 605, 606, 607]].tolist() == [278, 3, 24, 205]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("DayOfWeek {1,2,3,4,5,6,7}", "DayOfWeek numeric"),
        ("Flight numeric", f"Flight {{{','.join(map(str, range(1, 400)))}}}"),
    ],
)
def test_airlines_with_the_day_or_the_flight_declared_otherwise(old, new):
    """Copies differ in this; the columns do not."""
    declared = inspect(DATASETS["airlines"], airlines().encode(), "a.arff").stream
    assert old in airlines()
    other = inspect(DATASETS["airlines"], airlines().replace(old, new).encode(), "a.arff").stream
    assert declared.n_attributes == 608
    assert declared.attributes == other.attributes
    assert np.array_equal(declared.X, other.X)


def test_acoustic(folders, monkeypatch):
    shortened(monkeypatch, "acoustic", 30)
    put(folders, "acoustic", acoustic(), "acoustic")
    with pytest.warns(UserWarning, match="verified"):
        stream = registry.load("acoustic")
    assert stream.labels == ("1", "2", "3")
    assert stream.X[3, :4].tolist() == [2 / 64, 0.0, 0.0, -1 / 64]


def test_the_training_and_testing_parts_of_acoustic_together_are_refused(folders, monkeypatch):
    shortened(monkeypatch, "acoustic", 30)
    path = put(folders, "acoustic", acoustic(38))
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        registry.load("acoustic")
    assert str(caught.value) == f"{path}: not the registered acoustic: 38 rows instead of 30"


# Candidates ------------------------------------------------------------------------------------


def candidate(text):
    """What somebody would record of a file with this text."""
    return Candidate(hashlib.sha256(text.encode()).hexdigest(), len(text.encode()))


@pytest.fixture
def offered(monkeypatch, server):
    """A function that sets the rows of a set, and the files that are said to hold it."""

    def offer(name, rows, *files):
        """Of each file its name, what the server answers, and what is said of it."""
        entries = []
        for i, (file_name, answer, said) in enumerate(files):
            url = f"{server.address}/{i}/{file_name}"
            server.pages[f"/{i}/{file_name}"] = answer
            entries.append(DataFile(file_name, None, (url,), "arff", said))
        monkeypatch.setitem(
            DATASETS, name, replace(DATASETS[name], rows=rows, files=tuple(entries))
        )

    return offer


def test_candidates_are_tried_in_turn_and_none_of_the_wrong_shape_is_kept(folders, server, offered):
    right, short = airlines(40), airlines(39)
    without = right.replace("Airline {C0,", "Airline {").replace("C0,", "C1,")  # one airline less
    packed = gzip.compress(right.encode())
    offered(
        "airlines",
        40,
        ("airlines.arff", 404, candidate(right)),
        ("airlines.arff", short.encode(), candidate(short)),
        ("airlines.arff", without.encode(), None),
        ("airlines.arff.gz", packed, None),
    )
    path = registry.fetch("airlines")
    assert [asked[:3] for asked in server.asked] == ["/0/", "/1/", "/2/", "/3/"]
    assert path == folders / "data" / "airlines.arff.gz"
    assert list(path.parent.iterdir()) == [path]
    # packed in another way it is still the file that somebody has seen
    assert registry.provenance("airlines", path) == (
        f"the digest is that of candidate airlines.arff, {len(right):,} bytes, SHA-256 "
        f"{candidate(right).sha256[:8]}, seen elsewhere but never here"
    )
    assert registry.fetch("airlines") == path
    assert len(server.asked) == 4
    del server.pages["/3/airlines.arff.gz"]
    path.unlink()
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        registry.fetch("airlines")
    for problem in ("39 rows instead of 40", "607 attributes instead of 608"):
        assert f"is not the registered airlines: {problem};" in str(caught.value)
    assert str(caught.value).count("HTTP status 404") == 2
    assert list(path.parent.iterdir()) == []


def test_a_copy_is_never_verified_if_nobody_here_has_seen_it(folders, server, offered, capsys):
    text = sensor()
    said = ("a digest nobody has seen (SHA-256, unpacked: ", "the digest is that of candidate ")
    for known in (False, True):
        claim = candidate(text if known else text + "\n")
        offered("sensor", 108, ("sensor.arff", text.encode(), claim))
        assert main(["data", "fetch", "sensor"]) == 0
        path = folders / "data" / "sensor.arff"
        printed = capsys.readouterr().out
        assert printed.startswith(f"sensor: {path}, not verified: {said[known]}")
        assert candidate(text).sha256[:8] in printed
        assert registry.state("sensor") == "unverified"
        assert main(["data", "check", "sensor"]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith("sensor      unverified: the content could not be verified")
        assert said[known] in printed
        check = registry.check("sensor")
        assert (check.ok, check.verified, check.inspection.known_bytes) == (True, False, False)
        path.unlink()


def test_more_bytes_than_the_candidate_has_are_refused_as_they_come(folders, server, offered):
    """Of a file without an end no more is taken than the candidate has, and it is not tried again.

    A file of which nothing is said may have as many bytes as the largest candidate of the set.
    """
    text = sensor()
    sent = []

    def endless(handler):
        begin(handler)
        for _ in range(4000):  # 256 MB, more than sockets buffer
            handler.wfile.write(b"1,2,3,4,5,1\n" * 5461)
            sent.append(65532)

    offered(
        "sensor",
        108,
        ("sensor.arff", endless, candidate(text)),
        ("sensor.arff.gz", endless, None),
    )
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        registry.fetch("sensor")
    assert str(caught.value).count(f"holds more than {len(text):,} bytes") == 2
    assert [asked[:3] for asked in server.asked] == ["/0/", "/1/"]
    assert sum(sent) < 2 * 4000 * 65532 / 4
    assert list((folders / "data").iterdir()) == []
    offered("sensor", 108, ("sensor.arff", text.encode(), candidate(text)))
    assert registry.fetch("sensor").read_text() == text  # as many bytes as it has will do


@pytest.fixture
def nothing_remembered(monkeypatch):
    """What is remembered of the sets is forgotten, before and after."""
    monkeypatch.setattr(inputs, "_last", type(inputs._last)())
    caches = (inputs.shape, keys._data_version)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.filterwarnings("ignore:.*could not be verified:UserWarning")
@pytest.mark.usefixtures("nothing_remembered")
def test_from_fetch_to_the_rows_of_tables_two_and_three(offered, tmp_path, capsys):
    """The way of whoever has a network, with small files in place of the sets."""
    offered("sensor", 540, ("sensor.arff.gz", gzip.compress(sensor(540).encode()), None))
    offered("airlines", 250, ("airlines.arff", airlines(250).encode(), candidate(airlines(250))))
    offered("acoustic", 300, ("acoustic.bz2", bz2.compress(acoustic(300).encode()), None))
    sets = ["sensor", "airlines", "acoustic"]

    assert main(["data", "fetch", *sets]) == 0
    fetched = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in fetched] == sets
    assert ["nobody has seen" in line for line in fetched] == [True, False, True]

    assert main(["data", "check", *sets]) == 0
    assert capsys.readouterr().out.count(" unverified: ") == 3

    options = ["--only", "tables23", "--output", str(tmp_path / "made"), "--workers", "1"]
    status = main(["reproduce", "--profile", "full", *options, "--json"])
    done = json.loads(capsys.readouterr().out)
    assert done["failures"] == []
    # AUTO-ADJ FIX, NN3 and AUTO-ADJ at two levels with five seeds under two protocols, and
    # Figure 2's four
    assert done["runs_computed"] == 3 * (3 * 2 * 5 * 2 + 4)
    assert status == 1  # other tables than the committed ones
    tables = {"results.csv", "table2.csv", "table3.csv"}
    assert {f"reproduced/{name}" for name in tables} <= {d["table"] for d in done["differences"]}

    def rows(table):
        with open(tmp_path / "made" / "reproduced" / table, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    for name in sets:
        runs = [row for row in rows("results.csv") if row["stream"] == name and row["accuracy"]]
        assert len(runs) == 64
        for table in ("table2.csv", "table3.csv"):
            cells = [row for row in rows(table) if row["set"] == name]
            for protocol in ("raw", "paper"):
                assert [cell[f"{protocol}_seeds"] for cell in cells] == ["5"] * 3
                assert all(0 <= float(cell[f"{protocol}_accuracy"]) <= 1 for cell in cells)


# Codes instead of 0/1 columns ------------------------------------------------------------------


def test_codes():
    text = b"1,tcp,b,SF,9,x\n2,udp,a,REJ,8,y\n3,icmp,c,SF,7,x\n"
    stream = with_codes(read_content(text, "k.csv"))
    assert stream.attributes == ("x1", "x2", "x3", "x4", "x5")
    # the categories in alphabetical order: icmp, tcp, udp; a, b, c; REJ, SF
    assert stream.X.tolist() == [[1, 1, 1, 1, 9], [2, 2, 0, 0, 8], [3, 0, 2, 1, 7]]
    assert stream.X.flags.c_contiguous


def test_codes_where_there_is_nothing_to_code():
    stream = read_content(b"a,a,c\n1,2,x\n3,4,y\n", "k.csv")  # two columns of one name
    assert np.array_equal(with_codes(stream).X, stream.X)


def test_the_variant_of_kddcup99(data_folder, monkeypatch):
    """On the beginning of the real file: 41 columns, the numbers as they are."""
    monkeypatch.setenv("ABACOC_DATA", str(data_folder))
    with gzip.open(data_folder / "kddcup.data_10_percent.gz") as file:
        text = b"".join(next(file) for _ in range(5000))
    full = inspect(registry.get("kddcup99"), text, "kdd").stream
    coded = inspect(registry.get("kddcup99-41"), text, "kdd").stream
    assert coded.n_attributes == 41
    assert coded.attributes == tuple(f"x{i}" for i in range(1, 42))
    numbers = [i for i, name in enumerate(full.attributes) if "=" not in name]
    assert np.array_equal(coded.X[:, [0, *range(4, 41)]], full.X[:, numbers])
    for line, row in zip(text.split(b"\n"), coded.X, strict=False):
        for column in (1, 2, 3):
            word = line.split(b",")[column].decode()
            words = [n for n in full.attributes if n.startswith(f"x{column + 1}=")]
            assert words[int(row[column])] == f"x{column + 1}={word}"
    assert registry.locate("kddcup99-41") == registry.locate("kddcup99")
    assert registry.state("kddcup99-41") == "verified"
