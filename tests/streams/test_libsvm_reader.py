"""LIBSVM files: sparse rows, the label first."""

import pytest

from abacoc.limits import Limits
from abacoc.streams.readers import read_content

ONE_LINE = r"\A[^\n]+\Z"


def read(text, name="a.libsvm", **options):
    return read_content(text.encode(), name, **options)


def refusal(text, name="a.libsvm", **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        read(text, name, **options)
    return str(caught.value)


def test_what_is_not_there_is_zero():
    stream = read("+1 2:0.5 4:-3e1\n-1 \n\n+1\t1:7  \n# a comment\n2 3:1 # another\n")
    assert stream.X.tolist() == [[0, 0.5, 0, -30], [0, 0, 0, 0], [7, 0, 0, 0], [0, 0, 1, 0]]
    assert stream.labels == ("+1", "-1", "2")
    assert stream.y.tolist() == [0, 1, 0, 2]
    assert stream.attributes == ("x1", "x2", "x3", "x4")
    assert stream.X.flags.c_contiguous


@pytest.mark.parametrize("name", ["a.svm", "a.txt", "a.data", "a", "a.t"])
def test_the_format_is_recognised(name):
    assert read("# made by hand\n1 1:2 3:4\n2 2:1\n", name).X.tolist() == [[2, 0, 4], [0, 1, 0]]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("1 0:5", "index 0: they begin at 1"),
        ("1 2:5 2:6", "column 2: index 2 twice: they must rise"),
        ("1 3:5 2:6", "column 2: index 2 after 3: they must rise"),
        ("1:5 2:6", "missing label"),
        ("? 1:5", "missing label"),
        ("1 1:nan", "column 1: missing value 'nan'"),
        ("1 1:?", "column 1: missing value '?'"),
        ("1 2:inf", "column 2: infinite value 'inf'"),
        ("1 2:1e999", "column 2: '1e999' is too large for a float64"),
        ("1 2:1_0", "column 2: '1_0' is not a number"),
        ("1 2:x", "column 2: 'x' is not a number"),
        ("1 2:", "'2:' is not index:value"),
        ("1 2", "'2' is not index:value"),
        ("1 -2:3", "'-2:3' is not index:value"),
        ("1 2:3:4", "'2:3:4' is not index:value"),
        ("1 2 : 3", "'2' is not index:value"),
        ("1 qid:3 1:2", "'qid:3' is not index:value"),
        ("1 ²:3", "'²:3' is not index:value"),
        (
            "1 99999999999:3",
            "column 99999999999: an index above 65,536 (--limit columns=N allows more)",
        ),
        ("1 " + "9" * 5000 + ":3", "'9999999999999999999999999999999999999...' is not index:value"),
    ],
)
def test_bad_rows(row, says):
    separator = ", " if says.startswith("column") else ": "
    message = refusal(f"1 1:1\n\n{row}\n2 1:2\n")
    assert message == f"a.libsvm: row 2 (line 3){separator}{says}"


def test_broken_files():
    assert refusal("") == "a.libsvm: an empty file"
    assert refusal("# nothing\n") == "a.libsvm: an empty file"
    assert refusal("1\n2\n") == "a.libsvm: no row has an attribute"


def test_more_cells_than_memory():
    limits = Limits(matrix=18 * 8)
    assert read("1 9:1\n2 1:1\n", limits=limits).X.shape == (2, 9)
    assert refusal("1 10:1\n2 1:1\n", limits=limits) == (
        "a.libsvm: column 10: a matrix of 2 x 10 numbers takes more than 144 bytes"
        " (--limit matrix=N allows more)"
    )


@pytest.mark.parametrize("options", [{"numeric": [1]}, {"categorical": ["x1"]}])
def test_kinds_cannot_be_forced(options):
    assert "means nothing here" in refusal("1 1:2\n2 1:3\n", **options)
