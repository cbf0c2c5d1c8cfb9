"""The fingerprint of a content: what it depends on, and what it does not."""

import hashlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc.streams import contents as module
from abacoc.streams.contents import differences, fingerprint, renamed
from abacoc.streams.datasets import RECORDED, Fingerprint
from abacoc.streams.stream import Stream, label_codes


def make(rows, labels, names=None):
    X = np.array(rows, dtype=np.float64).reshape(len(labels), -1)
    codes, texts = label_codes(labels)
    return Stream("s", X, codes, texts, names or tuple(f"x{i}" for i in range(1, X.shape[1] + 1)))


def plain_digest(columns, codes):
    """The definition, one number at a time."""
    parts = [b"".join(struct.pack("<d", x if x else 0.0) for x in column) for column in columns]
    parts.append(b"".join(struct.pack("<q", code) for code in codes))
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def examples():
    """Rows of two numbers with a label each."""
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    return st.lists(st.tuples(numbers, numbers, st.sampled_from("abc")), min_size=1, max_size=20)


def stream_of(rows):
    return make([row[:2] for row in rows], [row[2] for row in rows])


@given(examples())
def test_the_digest_is_what_it_is_said_to_be(rows):
    stream = stream_of(rows)
    found = fingerprint(stream)
    columns = [[row[0] for row in rows], [row[1] for row in rows]]
    assert found.digest == plain_digest(columns, stream.y.tolist())
    labels = [row[2] for row in rows]
    assert found.histogram == {label: labels.count(label) for label in dict.fromkeys(labels)}
    assert (found.rows, found.attributes) == (len(rows), 2)


@given(examples(), st.randoms(use_true_random=False))
def test_order(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    one, other = (fingerprint(stream_of(r), with_examples=True) for r in (rows, shuffled))
    assert one.examples == other.examples
    same = [struct.pack("<dd", a + 0.0, b + 0.0) + c.encode() for a, b, c in rows] == [
        struct.pack("<dd", a + 0.0, b + 0.0) + c.encode() for a, b, c in shuffled
    ]
    if same:
        assert one == other
    else:
        assert differences(stream_of(shuffled), other, one) == [
            "the same examples in another order"
        ]


@given(examples(), st.data())
def test_any_change_is_seen_and_told(rows, data):
    """But for the names of the columns and the sign of a zero."""
    before = fingerprint(stream_of(rows), with_examples=True)
    i = data.draw(st.integers(0, len(rows) - 1))
    j = data.draw(st.integers(0, 2))
    changed = list(rows[i])
    changed[j] = data.draw(
        st.sampled_from("abc").filter(lambda label: label != rows[i][2])
        if j == 2
        else st.floats(-9, 9).filter(lambda x: x != rows[i][j])
    )
    stream = stream_of([*rows[:i], tuple(changed), *rows[i + 1 :]])
    after = fingerprint(stream)
    told = differences(stream, after, before)
    if stream.y.tolist() == stream_of(rows).y.tolist() and j == 2:
        assert told == []  # a class by another name
        assert renamed(after, before)
        return
    if j < 2:
        assert told == [f"other values in column {j + 1} ('x{j + 1}')"]
    else:
        assert "class" in told[0] or "labels" in told[0]


def test_what_does_not_matter():
    stream = make([[0.0, 1.5], [2.0, -3.0]], "ab")
    same = make([[-0.0, 1.5], [2.0, -3.0]], "ab", ("with", "names"))
    assert fingerprint(stream, with_examples=True) == fingerprint(same, with_examples=True)


def test_classes_by_other_names():
    """No learner sees them; but it is told."""
    one, other = make([[1.0], [2.0]], "ab"), make([[1.0], [2.0]], ["a", "c"])
    first, second = fingerprint(one, with_examples=True), fingerprint(other)
    assert differences(other, second, first) == []
    assert renamed(second, first) == "classes named 'a', 'c', not 'a', 'b'"
    assert renamed(first, first) == ""


def test_long_lists_are_cut():
    one = make(np.zeros((9, 9)), "abcdefghi")
    other = make(np.ones((9, 9)), "ABCDEFGHI")
    told = differences(other, fingerprint(other), fingerprint(one, with_examples=True))
    assert told == [
        "classes 'A', 'B', 'C' and more instead of 'a', 'b', 'c' and more",
        "other values in column 1 ('x1'), column 2 ('x2'), column 3 ('x3') and 6 more",
    ]


def test_a_difference_that_only_the_digest_shows():
    stream = make([[1.0]], "a")
    found = fingerprint(stream)
    expected = Fingerprint.from_json(found.as_json() | {"digest": "0" * 64})
    assert differences(stream, found, expected) == ["the content differs"]


@pytest.mark.parametrize("block", [1, 2, 7, 8, 4096])
def test_blocks_do_not_matter(monkeypatch, block):
    stream = make(np.arange(16.0).reshape(8, 2), "abababab")
    before = fingerprint(stream, with_examples=True)
    monkeypatch.setattr(module, "_BLOCK", block)
    assert fingerprint(stream, with_examples=True) == before


def test_json():
    found = fingerprint(make([[1.0, 2.0]], "a"), with_examples=True)
    assert Fingerprint.from_json(json.loads(json.dumps(found.as_json()))) == found


def test_the_recorded_one_of_sea_from_its_text(data_folder):
    """With nothing of this package but the definition."""
    lines = (data_folder / "sea.data").read_text().split()
    cells = [line.split(",") for line in lines]
    codes = {label: i for i, label in enumerate(dict.fromkeys(row[3] for row in cells))}
    columns = [[float(row[i]) for row in cells] for i in range(3)]
    assert RECORDED["sea"].digest == plain_digest(columns, [codes[row[3]] for row in cells])
