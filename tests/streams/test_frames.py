"""Frames as people have them: kinds of columns, gaps, names, and what is no table."""

import re
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from abacoc.streams import as_pieces, as_stream

AB = ["a", "b"]


def taken(column, **form):
    """The rows and the names that a column becomes."""
    stream = as_stream({"u": column, "c": AB}, **form)
    return stream.X.tolist(), stream.attributes


NUMBERS = {
    "Int64": pd.array([1, 2], dtype="Int64"),
    "Float64": pd.array([1, 2], dtype="Float64"),
    "uint8": np.array([1, 2], dtype=np.uint8),
    "float32": np.array([1, 2], dtype=np.float32),
    "Decimal": [Decimal("1"), Decimal("2.0")],
    "objects": np.array([1, 2.0], dtype=object),
    "NumPy's own": np.array([np.float64(1), np.int8(2)], dtype=object),
    "texts": ["1", " 2 "],
    "polars": pl.Series([1, 2], dtype=pl.Int16),
    "Arrow": pa.chunked_array([[1], [2]]),
    "Arrow's in pandas": pd.Series([1, 2], dtype="int64[pyarrow]"),
    "decimals of Arrow": pa.array([Decimal("1.00"), Decimal("2.00")]),
}
WORDS = {
    "string": pd.array(["x", "y"], dtype="string"),
    "categorical": pd.Categorical(["x", "y"]),
    "of polars": pl.Series(["x", "y"], dtype=pl.Categorical),
    "enum": pl.Series(["x", "y"], dtype=pl.Enum(["y", "x"])),
    "dictionary of Arrow": pa.array(["x", "y"]).dictionary_encode(),
    "fixed": np.array(["x", "y"], dtype="<U3"),
}
TRUTHS = {
    "bool": [True, False],
    "boolean": pd.array([True, False], dtype="boolean"),
    "NumPy": np.array([True, False]),
    "polars": pl.Series([True, False]),
    "Arrow": pa.array([True, False]),
}
DATES = {
    "datetime64": pd.to_datetime(["2020-01-01", "2020-01-02"]),
    "with a zone": pd.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("UTC"),
    "date": [date(2020, 1, 1), date(2020, 1, 2)],
    "datetime": [datetime(2020, 1, 1), datetime(2020, 1, 2)],
    "polars": pl.Series([date(2020, 1, 1), date(2020, 1, 2)]),
    "Arrow": pa.array([date(2020, 1, 1), date(2020, 1, 2)]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers(name):
    assert taken(NUMBERS[name]) == ([[1.0], [2.0]], ("u",))


@pytest.mark.parametrize("name", WORDS)
def test_words(name):
    assert taken(WORDS[name]) == ([[1.0, 0.0], [0.0, 1.0]], ("u=x", "u=y"))


@pytest.mark.parametrize("name", TRUTHS)
def test_truth_values(name):
    assert taken(TRUTHS[name]) == ([[0.0, 1.0], [1.0, 0.0]], ("u=False", "u=True"))


@pytest.mark.parametrize("name", DATES)
def test_dates_are_noticed(name):
    with pytest.raises(
        ValueError, match=r"column 1 \('u'\): holds dates such as '2020-01-01.*drop u"
    ):
        taken(DATES[name])


@pytest.mark.parametrize(
    "column",
    [
        pd.array([None, 2], dtype="Int64"),
        [None, 2],
        [float("nan"), 2],
        pl.Series([None, 2]),
        pa.array([None, 2]),
        [None, Decimal(2)],
        np.array([np.nan, 2], dtype=np.float32),
    ],
    ids=str,
)
def test_gaps_of_numbers(column):
    with pytest.raises(ValueError, match=r"row 1, column 1 \('u'\): missing value"):
        taken(column)
    assert taken(column, missing="mean") == ([[0.0], [2.0]], ("u",))
    assert taken(column, missing="category") == ([[0.0, 1.0], [2.0, 0.0]], ("u", "u=?"))


@pytest.mark.parametrize(
    "column",
    [
        pd.array([None, "x"], dtype="string"),
        pd.Categorical([None, "x"]),
        pl.Series([None, "x"]),
        pa.array([None, "x"]),
        [float("nan"), "x"],
        [pd.NA, "x"],
    ],
    ids=str,
)
def test_gaps_of_words(column):
    with pytest.raises(ValueError, match=r"row 1, column 1 \('u'\): missing value"):
        taken(column)
    assert taken(column, missing="mean") == ([[1.0, 0.0], [0.0, 1.0]], ("u=?", "u=x"))


REFUSED = {
    "lists": (
        [[1], [2]],
        "column 1 ('u'): holds arrays of 1 dimensions, neither numbers nor words",
    ),
    "ragged": ([[1], [2, 3]], None),
    "objects": ([object(), 1], "column 1 ('u'): holds object, neither numbers nor words: drop it"),
    "complex": ([1j, 2], None),
    "numbers, then words": (
        np.array([1.5, "x"], dtype=object),
        "row 2, column 1 ('u'): 'x' is not a number, though the column begins with numbers "
        "(--categorical takes all as words)",
    ),
    "words, then numbers": (
        np.array(["x", 1.5], dtype=object),
        "row 2, column 1 ('u'): number '1.5', though the column begins with words "
        "(--categorical takes all as words)",
    ),
    "an infinity": ([0.5, float("inf")], "row 2, column 1 ('u'): infinite value 'inf'"),
    "10^400": ([1, 10**400], None),
    "too short": ([1], "columns of 1 and of 2 rows"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    column, reason = REFUSED[name]
    if name == "ragged":
        column = pd.Series(column)
    with pytest.raises(ValueError, match=r"\A[^\n]*\Z") as caught:
        taken(column)
    assert str(caught.value).startswith(f"stream: {reason or ''}")


def test_what_is_refused_may_be_dropped():
    frame = pd.DataFrame({"u": [1, 2], "tags": [[1], [2, 3]], "c": AB})
    with pytest.raises(ValueError, match=r"column 2 \('tags'\): holds list, .*: drop it"):
        as_stream(frame)
    assert as_stream(frame, drop="tags").attributes == ("u",)


def test_names():
    frame = pd.DataFrame([[1, 2, "a"], [3, 4, "b"]], columns=["u", "u", "c"])
    assert as_stream(frame).X.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="2 columns are named 'u'; use a number"):
        as_stream(frame, drop="u")
    assert as_stream(frame, drop=1).X.tolist() == [[2], [4]]
    numbered = frame.set_axis([0, 1, 2], axis=1)
    for which in (2, "2"):  # a name before a number
        assert as_stream(numbered, label=which).labels == ("a", "b")
    assert as_stream(numbered, label=0).labels == ("1", "3")


def test_labels_are_not_merged():
    """Whole numbers beyond 2^53, which a float64 does not tell apart."""
    large = [2**53, 2**53 + 1]
    for labels in (large, np.array(large), pl.Series(large), np.array(large, dtype=np.uint64)):
        assert as_stream({"u": [1, 2]}, labels).labels == tuple(map(str, large))
    assert as_stream({"u": [1, 2], "c": [0.0, 1.0]}).labels == ("0", "1")


def test_pieces_of_frames():
    one = pd.DataFrame({"u": [1.0, 2.0], "c": AB})
    nothing = one.iloc[:0].astype(object)
    assert as_stream(iter([nothing, one, nothing, one])).X.tolist() == [[1], [2], [1], [2]]
    for other, reason in (
        (one.rename(columns={"u": "v"}), "other columns from row 3 on than before"),
        (one.assign(v=1), "other columns from row 3 on than before"),
        (one.assign(u=["x", "y"]), "row 3, column 1 ('u'): 'x' is not a number"),
        (one.assign(u=[True, False]), "row 3, column 1 ('u'): 'True' is not a number"),
        (one.assign(u=[1.0, None]), "row 4, column 1 ('u'): missing value 'nan'"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"stream: {reason}")):
            as_stream(iter([one, other]))
        with pytest.raises(ValueError, match=re.escape(f"stream: {reason}")):
            list(as_pieces(iter([one, other])))


def test_dictionaries_in_batches():
    """An attribute that no example of a later batch has is a gap, as within one."""
    first = [({"u": 1.0, "v": 2.0}, "a")] * 4096
    later = [({"u": 1.0}, "a"), ({"v": 2.0, "u": 1.0}, "b")]
    stream = as_stream(iter(first + later), missing="mean")
    assert stream.X[-2:].tolist() == [[1.0, 2.0], [1.0, 2.0]]
    with pytest.raises(ValueError, match="row 4097: an attribute 'w' is new"):
        as_stream(iter([*first, ({"u": 1.0, "w": 3.0}, "a")]))
    with pytest.raises(ValueError, match="row 2: either all x are dictionaries, or none"):
        as_stream(iter([first[0], ([1.0, 2.0], "a")]))
    with pytest.raises(ValueError, match="row 2: 1 attribute where the first row has 2"):
        as_stream(iter([([1.0, 2.0], "a"), ([1.0], "a")]))
    with pytest.raises(ValueError, match=r"row 2: not an example \(x, y\)"):
        as_stream(iter([([1.0, 2.0], "a"), ([1.0], "a", 3)]))


@pytest.mark.parametrize(
    ("data", "y", "reason"),
    [
        (pl.DataFrame({"u": [1]}).lazy(), None, "a lazy frame is no table yet: frame.collect()"),
        (pd.DataFrame(), None, "an empty stream"),
        (pd.DataFrame({"u": [], "c": []}), None, "an empty stream"),
        ([], None, "an empty stream"),
        (iter([]), None, "an empty stream"),
        ([[]], None, "rows without a value"),
        ([[1, 2], [1]], None, "rows of different lengths"),
        ([[1, 2], 3], None, "rows of different lengths"),
        ({"u": 1, "c": 2}, None, "a table has columns of values, not single values"),
        (np.arange(3.0), None, "a matrix has two dimensions, not 1"),
        (3, None, "an object of type int is no stream"),
        (None, None, "an object of type NoneType is no stream"),
        (pd.DataFrame({"u": [1, 2]}), "ab", "y has one label per row; label=NAME names a column"),
        (np.eye(2), 5, "y has one label per row"),
        (np.eye(2), np.eye(2), "y has one label per row"),
        (np.eye(2), ["a"], "2 instances but 1 labels"),
        (iter([1]), ["a"], "labels of their own are for a table or a matrix"),
        (pd.Series([1.0, 2.0]), None, "an iterator gives examples (x, y) or tables"),
        (np.eye(2), ["a", None], "row 2, column 3 ('label'): missing label ''"),
    ],
    ids=lambda value: None if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_table(data, y, reason, recwarn):
    with pytest.raises(ValueError, match=r"\A[^\n]*\Z") as caught:
        as_stream(data, y)
    assert reason in str(caught.value)
    assert list(recwarn) == []  # nothing was asked of a lazy frame


def test_rows_of_a_piece():
    for rows in (0, -1):
        with pytest.raises(ValueError, match=f"rows must be at least 1, not {rows}"):
            as_pieces({"u": [1], "c": ["a"]}, rows=rows)
