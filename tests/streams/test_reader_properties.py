"""What holds of the readers for any file: round trips, the place of a fault, no other exception."""

import bz2
import gzip
import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from abacoc.streams import Stream, read_file, table
from abacoc.streams.readers import read_content

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 5))
MATRICES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=FINITE))
PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
WORDS = st.sampled_from(["red", "blue", "a b", "x_y", "é", "Zebra", "none", "it's", "50%"])


def labels_for(X):
    return ["yes" if row[0] > 0 else "no" for row in X]


def as_csv(X, delimiter=",", header=False):
    lines = [delimiter.join([f"u{j}" for j in range(X.shape[1])] + ["class"])] if header else []
    for row, label in zip(X.tolist(), labels_for(X), strict=True):
        lines.append(delimiter.join([*map(repr, row), label]))
    return "\n".join(lines) + "\n"


def as_arff(X):
    names = [f"@attribute u{j} numeric" for j in range(X.shape[1])]
    return "\n".join([*names, "@attribute class {no,yes}", "@data", as_csv(X)])


def as_libsvm(X):
    lines = []
    for row, label in zip(X.tolist(), labels_for(X), strict=True):
        lines.append(" ".join([label] + [f"{j}:{v!r}" for j, v in enumerate(row, 1)]))
    return "\n".join(lines)


@given(
    MATRICES,
    st.sampled_from(["csv", "tsv", "semicolon", "blank", "arff", "libsvm"]),
    st.booleans(),
    st.sampled_from(sorted(PACK)),
    st.integers(1, 40),
)
def test_numbers_come_back_to_the_last_bit(tmp_path_factory, X, format, header, packing, chunk):
    delimiter = {"csv": ",", "tsv": "\t", "semicolon": ";", "blank": " "}.get(format)
    if delimiter:
        text, extension = as_csv(X, delimiter, header), "tsv" if format == "tsv" else "txt"
    else:
        text, extension = (as_arff(X) if format == "arff" else as_libsvm(X)), format
    path = tmp_path_factory.getbasetemp() / f"round.{extension}{packing}"
    path.write_bytes(PACK[packing](text.encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "CHUNK_CELLS", chunk)
        stream = read_file(path)
    assert stream.X.tobytes() == X.tobytes()
    assert [stream.labels[code] for code in stream.y] == labels_for(X)
    assert stream.y[0] == 0
    named = format == "arff" or (delimiter is not None and header)
    assert stream.attributes[0] == ("u0" if named else "x1")


@st.composite
def tables(draw):
    """Rows of a mixed table: per column a kind, then cells of that kind; the label last."""
    kinds = draw(st.lists(st.sampled_from(["number", "word"]), min_size=1, max_size=4))
    row = st.tuples(*[FINITE.map(repr) if k == "number" else WORDS for k in kinds], WORDS)
    return kinds, draw(st.lists(row.map(list), min_size=2, max_size=12))


def with_header(kinds, rows, blanks):
    names = [f"name {j}" for j in range(len(kinds))] + ["the class"]
    lines = [";".join(names)]
    for row, blank in zip(rows, blanks, strict=False):
        lines += [""] * blank + [";".join(row)]
    return "\n".join(lines)


BLANKS = st.lists(st.integers(0, 2), min_size=12, max_size=12)


@given(tables(), BLANKS, st.integers(1, 40))
def test_mixed_tables_against_the_plain_way(drawn, blanks, chunk):
    kinds, rows = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "CHUNK_CELLS", chunk)
        stream = read_content(with_header(kinds, rows, blanks).encode(), "a.csv")
    names, expected = [], [[] for _ in rows]
    for j, kind in enumerate(kinds):
        cells = [row[j] for row in rows]
        columns = [None] if kind == "number" else sorted(set(cells))
        for category in columns:
            names.append(f"name {j}" + ("" if category is None else f"={category}"))
            for values, cell in zip(expected, cells, strict=True):
                values.append(float(cell) if category is None else float(cell == category))
    assert stream.attributes == tuple(names)
    assert stream.X.tolist() == expected
    assert stream.labels == tuple(dict.fromkeys(row[-1] for row in rows))
    assert [stream.labels[code] for code in stream.y] == [row[-1] for row in rows]


BAD = ["", "?", "NA", " nan ", "null"]


@given(tables(), BLANKS, st.integers(1, 40), st.data())
def test_the_first_fault_is_named_with_its_row_line_and_column(drawn, blanks, chunk, data):
    kinds, rows = drawn
    places = st.tuples(st.integers(0, len(rows) - 1), st.integers(0, len(kinds)))
    faults = data.draw(st.lists(places, min_size=1, max_size=3))
    for row, column in faults:
        rows[row][column] = data.draw(st.sampled_from(BAD))
    row, column = min(faults)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "CHUNK_CELLS", chunk)
        with pytest.raises(ValueError, match="missing") as caught:
            read_content(with_header(kinds, rows, blanks).encode(), "a.csv")
    line = 2 + row + sum(blanks[: row + 1])
    assert str(caught.value).startswith(
        f"a.csv: row {row + 1} (line {line}), column {column + 1} ('"
    )


def survives(content, name, **options):
    """Read the content: a valid stream, or a `ValueError` of one line that names the file."""
    try:
        stream = read_content(content, name, **options)
    except ValueError as error:
        message = str(error)
    else:
        assert_valid(stream)
        return True
    assert name in message
    assert "\n" not in message
    return False


def assert_valid(stream):
    assert isinstance(stream, Stream)
    assert np.isfinite(stream.X).all()
    assert set(stream.y.tolist()) == set(range(stream.n_classes))
    first_rows = np.unique(stream.y, return_index=True)[1]
    assert (np.diff(first_rows) > 0).all()  # numbered by first appearance
    assert len(stream.attributes) == stream.X.shape[1]


NAMES = st.sampled_from(["a.csv", "a.arff", "a.libsvm", "a.txt", "a.csv.gz", "a.bz2", "a.xz"])
PIECES = st.sampled_from(
    [
        *"0123456789.,;:\t\n\r \"'\\{}%#@?_-+eEax\ufeff\u00a0\x0b\x1c١²é",
        *("1:2", "\n1 2:3", "\n1,2,a", "\na;b", "nan", "inf", "1e999", "1_0", "@data\n", '""'),
        *(
            "@attribute a numeric\n",
            "@attribute b {x,y}\n",
            "\n1,x\n",
            "\n2,y",
            "\n@data\n",
            "\r\n",
        ),
    ]
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "trailing_comma": st.booleans(),
        "numeric": st.sampled_from([(1,), ("a",), ("2",)]),
        "categorical": st.sampled_from([(1,), ("b",), (2,)]),
    },
)


@given(st.lists(PIECES, max_size=40).map("".join), NAMES, OPTIONS, st.integers(1, 9))
def test_any_text_is_a_stream_or_a_value_error(text, name, options, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "CHUNK_CELLS", chunk)
        survives(text.encode(), name, **options)


@given(st.binary(max_size=60), NAMES)
def test_any_bytes_are_a_stream_or_a_value_error(content, name):
    survives(content, name)


@given(MATRICES, st.sampled_from([as_csv, as_arff, as_libsvm]), st.data())
def test_a_damaged_file_is_a_stream_or_a_value_error(X, write, data):
    text = write(X)
    name = "a." + write.__name__.removeprefix("as_")
    assert survives(text.encode(), name)
    at = data.draw(st.integers(0, len(text) - 1))
    piece = data.draw(PIECES)
    cut = data.draw(st.integers(0, 3))
    survives((text[:at] + piece + text[at + cut :]).encode(), name)


@given(st.sampled_from([".gz", ".bz2", ".xz"]), st.integers(0, 400), st.integers(0, 255))
def test_a_damaged_archive_is_a_stream_or_a_value_error(packing, at, byte):
    content = bytearray(PACK[packing](as_csv(np.arange(60.0).reshape(20, 3)).encode()))
    content[at % len(content)] = byte
    survives(bytes(content), f"a.csv{packing}")
    survives(bytes(content[: at % len(content)]), f"a.csv{packing}")
