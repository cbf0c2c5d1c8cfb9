"""Hostile files: whatever the bytes, a reader gives a stream or a `ValueError`, soon and in bounds.

Every case goes through the whole reader and the piecewise one, which must agree. A watchdog ends
what hangs, and the memory of a case is measured where a small file could ask for much.
"""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import signal
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import test_pieces
import test_reader_properties as made
from hypothesis import given
from hypothesis import strategies as st

from abacoc import load, modelfile
from abacoc.limits import Limits
from abacoc.streams import read_file

MODELS = Path(__file__).parent.parent / "models"
SECONDS = 20  # for a file of a few kilobytes; a busy machine needs one


@contextmanager
def watchdog():
    """A failure in the place of a hang, where the system has alarms."""

    def bark(*_):
        raise AssertionError(f"not done after {SECONDS} seconds")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def both(folder, name, content, rows=3, small=(1 << 18, 1 << 19), **options):
    """What both readers refuse the file with, None if they give the same stream."""
    path = folder / name
    path.write_bytes(content)
    with watchdog():
        refusal = test_pieces.compare(path, rows, small, **options)
        if refusal is None:
            made.assert_valid(read_file(path, **options))
            return None
    assert refusal.startswith(str(path))
    assert "\n" not in refusal
    assert len(refusal) < len(str(path)) + 400, "a message, not the file"
    return refusal


# Texts that are nearly right --------------------------------------------------------------------

NUMBERS = st.sampled_from(
    ["0", "1", "-2.5", "+3", ".5", "5.", "1e5", "1E-400", "-0", "007", "1e308", "123456789" * 30]
)
ODD = st.sampled_from(
    [
        *(
            "1e309",
            "-1e999",
            "9" * 5000,
            "1e" + "9" * 400,
            "0x10",
            "1_000",
            "1,5",
            "--1",
            "1e",
            "+",
        ),
        *("nan", "NaN", "-nan", "inf", "-Infinity", "?", "NA", "null", "", " ", "\t"),
        *(
            "١٢",
            "²",
            "1\u00a02",
            "\u2212" + "1",
            "１",
            "é",
            "\u0085",
            "\u2028",
            "\x0b",
            "\x1c",
            "\ufeff",
        ),
        *(
            '"',
            "'",
            '""',
            '"a',
            'a"',
            '"a"b',
            "'it\\'s'",
            "\\",
            "a\\",
            '"a,b"',
            "'{'",
            "{",
            "}",
            "%",
        ),
        *("\0", "#", "@data", "@attribute", "a" * 3000, "1:1", ":", "=", "a b", "yes", "no"),
    ]
)
CELLS = st.one_of(NUMBERS, NUMBERS, st.sampled_from(["yes", "no", "red"]), ODD)
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", "\n \n", "\u2028"])


@st.composite
def csv_texts(draw):
    """Rows of cells, most of them of the right width."""
    width = draw(st.integers(1, 5))
    delimiter = draw(st.sampled_from([",", ";", "\t", " ", ", "]))
    row = st.one_of(
        st.lists(CELLS, min_size=width, max_size=width), st.lists(CELLS, min_size=1, max_size=6)
    )
    rows = draw(st.lists(row.map(delimiter.join), max_size=8))
    mark = draw(st.sampled_from(["", "", "\ufeff", "\ufeff\ufeff"]))
    return mark + draw(ENDS).join(rows) + draw(st.sampled_from(["", "\n", "\r", ","]))


NAMES = st.sampled_from(["a", "'b c'", '"d"', "'e\\'f'", "g%", "", "'open", "{", "é", "a" * 2000])
TYPES = st.sampled_from(
    [
        *("numeric", "REAL", "integer % note", "string", "date 'yyyy'", "", "relational"),
        *(
            "{yes,no}",
            "{ yes , no }",
            "{'a,b',\"}\",c} % note",
            "{}",
            "{a,a}",
            "{a",
            "{'a}",
            "{a}}",
        ),
        "{" + ",".join(map(str, range(3000))) + "}",
        "{" * 3000 + "a" + "}" * 3000,
        "{" + "'" * 3001 + "}",
        "{" + "\\" * 3001 + "}",
        "{'" + "\\'" * 3000 + "}",
    ]
)


@st.composite
def arff_texts(draw):
    """A header that is mostly one, and rows."""
    attributes = draw(st.lists(st.tuples(NAMES, TYPES), max_size=4))
    lines = ["@relation r", *(f"@attribute {name} {kind}" for name, kind in attributes)]
    lines += draw(st.lists(st.sampled_from(["% note", "@end", "@ATTRIBUTE\tz\treal"]), max_size=2))
    lines += draw(st.sampled_from([["@data"], ["@DATA % x"], [], ["@data", "@data"]]))
    width = len(attributes)
    row = st.one_of(
        st.lists(CELLS, min_size=width, max_size=width).map(",".join),
        st.sampled_from(["{0 1, 1 yes}", "{}", "%", "'a", "1 2", ",,,", "{" * 2000]),
    )
    lines += draw(st.lists(row, max_size=6))
    return draw(ENDS).join(lines)


INDICES = st.sampled_from(
    [
        *("1", "2", "3", "10", "0", "-1", "01", "1" * 18, "1" * 19, str(10**18), str(2**63)),
        *("1048577", "١", "1_0", "", "x", "+1", "1.0"),
    ]
)


@st.composite
def libsvm_texts(draw):
    """Labels and pairs; indices that fall, come twice, or are huge."""
    pair = st.builds(lambda i, v: f"{i}:{v}", INDICES, CELLS)
    rising = st.lists(NUMBERS, max_size=4).map(
        lambda values: " ".join(f"{i}:{v}" for i, v in enumerate(values, 1))
    )
    row = st.tuples(
        st.sampled_from(["+1", "-1", "0", "a", "nan", "", "1:1", "é", "#"]),
        st.one_of(rising, rising, st.lists(pair, max_size=4).map(" ".join)),
        st.sampled_from(["", "", " # note", " #", "\t", " 1:"]),
    )
    return draw(ENDS).join(
        draw(st.lists(row.map(lambda parts: f"{parts[0]} {parts[1]}{parts[2]}")))
    )


@given(csv_texts(), st.integers(1, 5), test_pieces.SMALL, made.OPTIONS)
def test_texts_that_are_nearly_csv(folder, text, rows, small, options):
    both(folder, "a.csv", text.encode(), rows, small, **options)


@given(arff_texts(), st.integers(1, 5), test_pieces.SMALL, made.OPTIONS)
def test_texts_that_are_nearly_arff(folder, text, rows, small, options):
    both(folder, "a.arff", text.encode(), rows, small, **options)


@given(libsvm_texts(), st.integers(1, 5), test_pieces.SMALL)
def test_texts_that_are_nearly_libsvm(folder, text, rows, small):
    both(folder, "a.svm", text.encode(), rows, small)


@given(st.one_of(csv_texts(), arff_texts(), libsvm_texts()), made.NAMES)
def test_the_format_is_guessed_or_wrong(folder, text, name):
    both(folder, name, text.encode())
    both(folder, "unknown", text.encode())


@given(st.binary(max_size=200), made.NAMES, test_pieces.SMALL)
def test_any_bytes(folder, content, name, small):
    both(folder, name, content, small=small)


# Good files that were damaged -------------------------------------------------------------------

GOOD = {
    "a.csv": made.as_csv(np.arange(24.0).reshape(8, 3) - 7.5, header=True),
    "a.tsv": made.as_csv(np.arange(24.0).reshape(8, 3) - 7.5, "\t"),
    "a.arff": made.as_arff(np.arange(24.0).reshape(8, 3) - 7.5),
    "a.svm": made.as_libsvm(np.arange(24.0).reshape(8, 3) - 7.5),
}
FLIP = st.tuples(st.just("flip"), st.integers(0, 9999), st.integers(0, 7))
CUT = st.tuples(st.just("cut"), st.integers(0, 9999), st.integers(0, 40))
PUT = st.tuples(st.just("put"), st.integers(0, 9999), st.one_of(ODD, made.PIECES))
TWICE = st.tuples(st.just("twice"), st.integers(0, 9999), st.integers(0, 60))
DAMAGE = st.lists(st.one_of(FLIP, CUT, PUT, TWICE), min_size=1, max_size=4)


def damaged(content, damages):
    for kind, at, what in damages:
        at %= len(content) + 1
        if kind == "flip" and at < len(content):
            content = content[:at] + bytes([content[at] ^ (1 << what)]) + content[at + 1 :]
        elif kind == "cut":
            content = content[:at] + content[at + what :]
        elif kind == "put":
            content = content[:at] + what.encode() + content[at:]
        elif kind == "twice":
            content = content[: at + what] + content[at:]
    return content


@given(st.sampled_from(sorted(GOOD)), DAMAGE, test_pieces.LINE_ENDS, test_pieces.SMALL)
def test_damaged_files(folder, name, damages, end, small):
    good = GOOD[name].replace("\n", end).encode()
    both(folder, name, damaged(good, damages), small=small)


@given(
    st.sampled_from(sorted(GOOD)),
    st.sampled_from([".gz", ".bz2", ".xz"]),
    DAMAGE,
    st.binary(max_size=5),
    st.booleans(),
)
def test_damaged_archives(folder, name, packing, damages, garbage, named):
    """With an extension, or recognised by its first bytes; whole archives with more after them."""
    packed = made.PACK[packing](GOOD[name].encode())
    name += packing if named else ""
    both(folder, name, damaged(packed, damages))
    both(folder, name, packed + garbage)
    both(folder, name, packed + packed[: len(packed) // 2])


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz"])
def test_archives_of_the_wrong_name_or_twice(folder, packing):
    text = GOOD["a.csv"].encode()
    packed = made.PACK[packing](text)
    assert both(folder, "a.csv", packed) is None, "the first bytes tell"
    assert "broken or truncated" in both(folder, f"a.csv{packing}", text)
    assert both(folder, f"a.csv{packing}", packed + made.PACK[packing](b"9,9,9,no\n")) is None
    for other in made.PACK:
        if other not in ("", packing):
            assert "broken or truncated" in both(folder, f"a.csv{other}", packed)
            assert both(folder, f"a{packing}", made.PACK[packing](made.PACK[other](text)))


# Small files that ask for much ------------------------------------------------------------------


BOMBS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@pytest.mark.parametrize("packing", BOMBS)
@pytest.mark.parametrize("filling", [b"\0", b" ", b"\n", b"1,2,a\n"], ids=["0", "_", "n", "rows"])
def test_bombs_are_refused_at_the_bound(folder, packing, filling):
    """A bound of 256 KiB in the place of 4 GiB, and a few kilobytes that unfold to 8 MiB."""
    limits = Limits(unpacked=1 << 18)
    packed = io.BytesIO()
    with BOMBS[packing](packed, "wb") as file:
        file.write(b"1,2,a\n" + filling * ((1 << 23) // len(filling)))
    assert len(packed.getvalue()) < 1 << 15
    refusal = both(folder, f"bomb.csv{packing}", packed.getvalue(), limits=limits)
    assert "unfolds to more than 256 KiB (--limit unpacked=N allows more)" in refusal


LONG = 1 << 16
# name: file, what is said, or None for a stream
GREEDY = {
    "one long line": ("a.csv", "1" * LONG, "a single column"),
    "a long number": ("a.csv", "1," + "7" * LONG + ",a\n", "too large for a float64"),
    "a long word": ("a.csv", "1," + "w" * LONG + ",a\n2,b,a\n", None),
    "a long label": ("a.csv", "1,2," + "w" * LONG + "\n", None),
    "a quote that stays open": ("a.csv", '1,"' + '""' * LONG + ",a\n", "not closed"),
    "a long name": ("a.arff", "@attribute " + "n" * LONG, "has no type"),
    "quotes in a list": ("a.arff", "@attribute a {" + "'\\''," * LONG, "not closed"),
    "commas": ("a.csv", "," * (LONG // 4), "missing value"),
    "an index": ("a.svm", f"1 {10**18 - 1}:1\n", "an index above"),
    "a larger index": ("a.svm", f"1 {10**18}:1\n", "is not index:value"),
    "the same index": ("a.svm", "1" + " 1:1" * LONG, "index 1 twice"),
    "blank lines": ("a.csv", "\n" * LONG, "empty file"),
    "comments": ("a.svm", "#\n" * LONG, "empty file"),
    "backslashes": ("a.arff", "@attribute '" + "\\" * LONG, "not closed"),
    "blanks": ("a.arff", "@attribute" + " " * LONG, "without a name"),
    "blanks in libsvm": ("a.svm", "1" + " " * LONG + "x", "not index:value"),
    "digits in libsvm": ("a.svm", "1 " + "1" * LONG, "not index:value"),
    "colons in libsvm": ("a.svm", "1 " + "1:" * LONG, "not index:value"),
}


@pytest.mark.parametrize("which", GREEDY)
def test_small_files_that_ask_for_much(folder, which):
    """Some 100 KB must take neither the memory of a data set nor a time that grows with squares."""
    name, text, says = GREEDY[which]
    tracemalloc.start()
    try:
        refusal = both(folder, name, text.encode())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refusal is None if says is None else says in refusal
    # a thousand bytes for each: a column is made for every comma, a pair of every `1:1`
    assert peak < 1000 * LONG


def test_one_index_can_ask_for_a_matrix_that_is_refused(folder):
    """4 GiB of zeros for the whole; three rows at a time they are fine."""
    path = folder / "wide.svm"
    path.write_text(f"1 {1 << 20}:1\n" + "1\n" * 512)
    with watchdog(), pytest.raises(ValueError, match="513 x 1048576 numbers takes more than 4 GiB"):
        read_file(path, limits=Limits(columns=1 << 20))


def test_too_many_columns(folder):
    assert "more columns than" in both(folder, "a.csv", b"," * (1 << 20))


# Models -----------------------------------------------------------------------------------------

STORED = {path.name: path.read_bytes() for path in MODELS.iterdir()}
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([10**18, 2**63, -1, 0, 10**30]),
        st.floats(),
        st.sampled_from(["", "paper", "Base", "euclidean", "edit_distance", "tuple", "array"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["tuple", "array", "list", "x", "state"]), inner, max_size=2
        ),
    ),
    max_leaves=5,
)


def places(value, path=()):
    """The way to every value inside a record."""
    if path:
        yield path
    inner = value if isinstance(value, dict) else range(len(value) if type(value) is list else 0)
    for key in inner:
        yield from places(value[key], (*path, key))


def survives_as_model(path, content):
    path.write_bytes(content)
    for reference in (False, True):
        with watchdog():
            try:
                learner = load(path, reference=reference)
            except ValueError:
                continue
            use(learner)


def use(learner):
    """A model that was accepted can be asked, taught and saved; its input may still be refused."""
    points = ["ball", [1], [0.5, 0.25], [0.0, 1.0]]
    labels = [*learner.classes[:2], "new", 1]
    for x in points:
        for label in labels:
            try:
                learner.predict(x)
                learner.update(x, label)
            except ValueError:
                continue
    assert len(learner.balls.radii) == learner.n_balls
    modelfile.state(learner)


@given(st.sampled_from(sorted(STORED)), DAMAGE)
def test_damaged_models(folder, name, damages):
    content = damaged(STORED[name], damages)
    if content != STORED[name]:
        (folder / "model").write_bytes(content)
        with watchdog(), pytest.raises(ValueError, match="model"):
            load(folder / "model")


@given(st.binary(max_size=100))
def test_any_bytes_as_a_model(folder, content):
    survives_as_model(folder / "model", content)
    survives_as_model(folder / "model", b"abacoc model, format 1\n" + content)


@given(st.sampled_from(sorted(STORED)), st.data())
def test_models_with_another_value_somewhere(folder, name, data):
    """With a checksum that is right: refused, or a learner that works."""
    record = json.loads(STORED[name].split(b"\n", 2)[2])
    *path, last = data.draw(st.sampled_from(list(places(record))))
    inner = record
    for step in path:
        inner = inner[step]
    inner[last] = data.draw(VALUES)
    payload = json.dumps(record).encode()
    checksum = hashlib.sha256(payload).hexdigest().encode()
    survives_as_model(folder / "model", b"abacoc model, format 1\n" + checksum + b"\n" + payload)
