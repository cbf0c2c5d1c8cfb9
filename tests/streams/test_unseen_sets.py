"""The sets that are not to be had everywhere, on small files of the same format.

What is tested is that a file in the format of the source is read, and comes out with the columns
of Table I; the number of rows cannot be right, and that it is not is told.
"""

import bz2
import gzip
from dataclasses import replace

import numpy as np
import pytest

from abacoc.streams import registry
from abacoc.streams.contents import inspect
from abacoc.streams.datasets import DATASETS
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


def test_airlines_with_the_day_declared_as_a_number(folders, monkeypatch):
    """Copies differ in this; the columns do not."""
    shortened(monkeypatch, "airlines", 40)
    put(folders, "airlines", airlines())
    declared = inspect(DATASETS["airlines"], airlines().encode(), "a.arff").stream
    text = airlines().replace("DayOfWeek {1,2,3,4,5,6,7}", "DayOfWeek numeric")
    numeric = inspect(DATASETS["airlines"], text.encode(), "a.arff").stream
    assert declared.attributes == numeric.attributes
    assert np.array_equal(declared.X, numeric.X)


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
