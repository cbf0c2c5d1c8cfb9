"""CSV files: delimiters, the header line, kinds of columns, and what is refused."""

import numpy as np
import pytest

from abacoc.limits import Limits
from abacoc.streams import table
from abacoc.streams.csvfile import find_delimiter
from abacoc.streams.readers import read_content

ONE_LINE = r"\A[^\n]+\Z"


def read(text, name="a.csv", **options):
    return read_content(text.encode(), name, **options)


def refusal(text, name="a.csv", **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        read(text, name, **options)
    return str(caught.value)


# What is understood ---------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", "\t", ";", " ", "  ", " \t ", ", ", " ; "])
def test_every_delimiter_is_recognised(delimiter):
    rows = [["1.5", "red", "yes"], ["2", "blue", "no"], ["-3e2", "red", "yes"]]
    stream = read("\n".join(delimiter.join(row) for row in rows), "a.txt")
    assert stream.X.tolist() == [[1.5, 0, 1], [2, 1, 0], [-300, 0, 1]]
    assert stream.attributes == ("x1", "x2=blue", "x2=red")
    assert stream.labels == ("yes", "no")
    assert stream.y.tolist() == [0, 1, 0]


def test_the_delimiter_that_cuts_the_lines_alike_wins():
    assert find_delimiter(["a,b;c", "a;c", "a,b,d;c"]) == ";"
    assert find_delimiter(['"x;y",1', '"z",2']) == ","
    assert find_delimiter(["a,b 1 x", "c 2 y", "d 3 x"]) is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n \n", "\r\n\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n", "\ufeff\r\n"])
def test_line_ends_blank_lines_and_a_byte_order_mark(start, end):
    stream = read(start + end.join(["u,v,c", "1,2,a", "3,4,b"]) + end)
    assert stream.X.tolist() == [[1, 2], [3, 4]]
    assert stream.attributes == ("u", "v")


def test_quoted_cells():
    stream = read('"u, v","w",c\n"1","a ""x"", b",p\n2,"plain",q\n')
    assert stream.attributes == ("u, v", 'w=a "x", b', "w=plain")
    assert stream.X.tolist() == [[1, 1, 0], [2, 0, 1]]
    assert read('"u v" w c\n1 "a b" p\n2 d q', "a.txt").attributes == ("u v", "w=a b", "w=d")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("u,v,c\n1,2,a\n3,4,b", ("u", "v")),  # no number in the first line
        ("u,v,c\n1,2,0\n3,4,1", ("u", "v")),
        (",v,c\n0,2,a\n1,4,b", ("x1", "v")),  # a nameless index column
        ("0,1,target\n1,2,0\n3,4,1", ("0", "1")),  # numbered columns, as data frames are written
        ("u,v,c\n1,?x,a\n3,4_,b", ("u", "v=4_", "v=?x")),
        ("u,u,c\n1,2,a\n3,4,b", ("u", "u")),
        ("colour,size,c\nred,big,a\nred,tiny,b", ("colour=red", "size=big", "size=tiny")),
    ],
)
def test_a_header_line_is_recognised(text, names):
    stream = read(text)
    assert (stream.attributes, stream.n_examples) == (names, 2)
    assert stream.note == "a.csv: CSV, header line"


@pytest.mark.parametrize(
    "text",
    [
        "1,2,a\n3,4,b\n5,6,a",
        "1,2,a\n3,4,0\n5,6,b",  # a word as label among others
        "red,big,yes\nred,tiny,no\nblue,tiny,no",  # red comes back
        "f,f,e\ng,h,p\nh,g,q",  # the same word twice is no name
        "2,red,yes\n1,blue,no\n3,green,so",
    ],
)
def test_a_first_line_of_data_is_kept(text):
    stream = read(text)
    assert stream.n_examples == 3
    assert stream.note == "a.csv: CSV, no header line"


def test_categories_are_sorted_and_stand_in_the_place_of_the_attribute():
    stream = read("a,b,c,y\n1,z,9,p\n2,B,8,q\n3,a,7,p\n4,z,6,p")
    assert stream.attributes == ("a", "b=B", "b=a", "b=z", "c")
    assert stream.X.tolist() == [[1, 0, 0, 1, 9], [2, 1, 0, 0, 8], [3, 0, 1, 0, 7], [4, 0, 0, 1, 6]]
    assert stream.X.flags.c_contiguous


@pytest.mark.parametrize("which", ["b", 2, "2", np.int64(2)])
def test_numbers_forced_to_categories_are_sorted_by_value(which):
    stream = read("a,b,y\n1,10,p\n2,9,q\n3,10,p", categorical=[which])
    assert stream.attributes == ("a", "b=9", "b=10")
    assert stream.X.tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 1]]


def test_a_mixed_column_can_be_forced():
    stream = read("10,p\nx,q\n9,p\n1e999,p\ninf,p", categorical="1")
    assert stream.attributes == ("x1=10", "x1=1e999", "x1=9", "x1=inf", "x1=x")


def test_a_column_named_by_a_number_goes_before_the_number():
    stream = read("0,1,target\n5,6,0\n7,8,1", categorical=["1"])
    assert stream.attributes == ("0", "1=6", "1=8")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"categorical": ["z"]}, "no column named 'z'"),
        ({"numeric": [0]}, "no column 0: they go from 1 to 3"),
        ({"numeric": ["4"]}, "no column 4: they go from 1 to 3"),
        ({"categorical": ["y"]}, "column 3 ('y'): is the label"),
        ({"categorical": ["u"], "numeric": [1]}, "column 1 ('u'): can be numeric, categorical or"),
    ],
)
def test_columns_that_cannot_be_forced(options, says):
    assert says in refusal("u,v,y\n1,2,a\n3,4,b", **options)


def test_a_name_that_two_columns_have():
    assert "2 columns are named 'u'" in refusal("u,u,y\n1,2,a\n3,4,b", categorical=["u"])


def test_labels_are_kept_as_in_the_input():
    stream = read("1,normal.\n2, smurf. \n3,1.0\n4,1\n5,normal.")
    assert stream.labels == ("normal.", "smurf.", "1.0", "1")
    assert stream.y.tolist() == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("text", ["1", "-1.5e3", "+.5", "5.", "1E5", "0x", "4.9e-324", "00012"])
def test_numbers_are_those_of_python(text):
    if text == "0x":
        assert "'0x' is not a number" in refusal(f"1,a\n{text},b")
    else:
        assert read(f"1,a\n{text},b").X[1, 0] == float(text)


@pytest.mark.parametrize("text", ["1_000", "١", "0x10", "1e", "1 2", "--1", "1,5"])
def test_what_only_python_or_only_people_call_a_number_is_a_word(text):
    assert f"row 2 (line 2), column 1 ('x1'): {text!r} is not a number" in refusal(
        f"1;a\n{text};b", numeric=[1]
    )


def test_words_with_underscores_do_not_spoil_the_numbers_beside_them():
    assert read("1,ecr_i,a\n2,x_y,b").attributes == ("x1", "x2=ecr_i", "x2=x_y")


def test_blanks_of_any_kind_around_a_cell():
    assert read("\u00a01.5 ,\u2003p\n 2\u00a0,q").X.tolist() == [[1.5], [2.0]]


def test_a_trailing_comma_on_demand():
    text = "1,2,a\n3,4,b,\n5,6,a"
    assert read(text, trailing_comma=True).X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert "row 2 (line 2), column 4: 4 cells instead of 3 (a stray comma" in refusal(text)
    everywhere = "u,v,c,\n1,2,a,\n3,4,b,\n"
    assert read(everywhere, trailing_comma=True).attributes == ("u", "v")


def test_one_stray_comma_is_not_two_and_not_a_gap():
    assert "5 cells instead of 3" in refusal("1,2,a\n3,4,b,,\n5,6,a", trailing_comma=True)
    assert "column 3 ('x3'): missing label" in refusal("1,2,a\n3,4,\n5,6,a", trailing_comma=True)


# What is refused ------------------------------------------------------------------------------

MISSING = ["", "?", "NA", "na", "N/A", "#N/A", "<NA>", "NaN", "nan", "-nan", "+NaN", "NULL", "null"]
MISSING += ["(null)", "#NULL!"]


@pytest.mark.parametrize("gap", MISSING)
@pytest.mark.parametrize("chunk", [1, 1 << 19])
def test_missing_values(gap, chunk, monkeypatch):
    monkeypatch.setattr(table, "CHUNK_CELLS", chunk)
    where = "a.csv: row 3 (line 5), column {} ('{}'): missing "
    rows = "u,v,c\n1,red,a\n\n2,blue,b\n{},{},{}\n3,blue,a"
    told = f"value {gap!r} (--missing mean or category takes it)"
    assert refusal(rows.format(gap, "red", "a")) == where.format(1, "u") + told
    assert refusal(rows.format(3, gap, "a")) == where.format(2, "v") + told
    assert refusal(rows.format(3, "red", gap)) == where.format(3, "c") + f"label {gap!r}"


@pytest.mark.parametrize("gap", ["?", "NA", "nan"])
def test_missing_values_in_the_first_line_do_not_make_it_a_header(gap):
    assert f"row 1 (line 1), column 1 ('x1'): missing value '{gap}'" in refusal(
        f"{gap},x,y\n1,2,3\n4,5,6"
    )


@pytest.mark.parametrize("text", ["inf", "-Inf", "+infinity", "INFINITY"])
def test_infinities(text):
    for row in (0, 1):
        rows = ["1,a", "2,b"]
        rows[row] = f"{text},a"
        assert f"row {row + 1} (line {row + 1}), column 1 ('x1'): infinite" in refusal(
            "\n".join(rows)
        )


def test_a_number_that_overflows():
    assert "row 2 (line 2), column 1 ('x1'): '-1e309' is too large" in refusal("1,a\n-1e309,b")
    assert "row 1 (line 1), column 1 ('x1'): '1e309' is too large" in refusal("1e309,a\n1,b")
    assert read("1,a\n1.7976931348623157e308,b").X[1, 0] == np.finfo(np.float64).max


def test_columns_that_mix_numbers_and_words():
    words_later = refusal("u,v,c\n1,2,a\n1,x,b\n1,y,b")
    assert "row 2 (line 3), column 2 ('v'): 'x' is not a number" in words_later
    assert "--categorical takes all as words" in words_later
    numbers_later = refusal("u,v,c\n1,x,a\n1,x,b\n1,7,b\n1,8,a")
    assert "row 3 (line 4), column 2 ('v'): number '7'" in numbers_later
    assert "--categorical takes all as words" in numbers_later
    first = refusal("1,x,0\n1,2,1\n1,3,1")
    assert "row 2 (line 2), column 2 ('x2'): number '2'" in first


def test_decimal_commas():
    assert "row 1 (line 1), column 1 ('x1'): '1,5' has a decimal comma" in refusal("1,5;a\n2,5;b")


@pytest.mark.parametrize(("row", "cells", "column"), [("3,a", 2, 3), ("3,4,5,a", 4, 4)])
def test_wrong_number_of_cells(row, cells, column):
    message = refusal(f"1,2,a\n{row}\n5,6,a")
    assert f"row 2 (line 2), column {column}" in message
    assert f"{cells} cells instead of 3" in message


def test_wrong_number_of_cells_between_blanks():
    message = refusal("1 2 a\n3 b\n5 6 7 a", "a.txt")
    assert message == "a.txt: row 2 (line 2), column 3 ('x3'): 2 cells instead of 3"


def test_a_first_line_with_a_gap_is_no_header():
    message = refusal("u,,c\n1,2,a\n3,4,b")
    assert message.startswith("a.csv: row 1 (line 1), column 2 ('x2'): missing value ''")


def test_cells_too_few_and_too_many_do_not_make_up_for_each_other():
    assert "row 2 (line 2), column 3 ('x3'): 2 cells" in refusal("1,2,a\n3,b\n4,5,6,a")


def test_a_header_line_of_another_width():
    message = refusal("u,v,w,c\n1,2,a\n3,4,b")
    assert message == "a.csv: row 1 (line 2), column 4 ('c'): 3 cells instead of 4"


def test_more_columns_than_anybody_can_hold():
    assert refusal("1,2,3,a", limits=Limits(columns=3)) == (
        "a.csv: row 1 (line 1), column 4: more columns than 3 (--limit columns=N allows more)"
    )


def test_the_first_fault_is_the_one_that_is_told():
    assert "row 2 (line 2), column 1 ('x1'): missing" in refusal("1,2,a\n?,3,b\n4,a\n5,x,a")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a.csv: an empty file"),
        ("\n \r\n\t\n", "a.csv: an empty file"),
        ("\ufeff", "a.csv: an empty file"),
        ("u,v,c\n", "a.csv: a header line and no data"),
        ("1\n2\n", "a.csv: row 1 (line 1), column 1: a single column"),
        ('1,2,a\n"3,4,b\n', "a.csv: row 2 (line 2), column 1 ('x1'): a quote"),
        ('"1,2,a\n3,4,b\n', "a.csv: row 1 (line 1), column 1: a quote"),
        ('1,2,a\n"3"4,5,b\n', "a.csv: row 2 (line 2), column 1 ('x1'): a quote"),
        ("1,a\n2,\0", "a.csv: line 2: a zero byte"),
    ],
)
def test_broken_files(text, says):
    assert refusal(text).startswith(says)


def test_binarising_identifiers_is_refused_before_it_fills_the_memory():
    limits = Limits(matrix=99 * 8)
    rows = [f"id{i},1,a" for i in range(10)]
    assert "column 1 ('x1')" not in str(read("\n".join(rows[:9]), limits=limits))
    assert refusal("\n".join(rows), limits=limits) == (
        "a.csv: column 1 ('x1'): a matrix of 10 x 11 numbers takes more than 792 bytes"
        " (--limit matrix=N allows more): this column has 10 categories"
    )


def test_a_long_or_wild_cell_does_not_spoil_the_message():
    message = refusal("1,a\n" + "x\x0b" * 10_000 + ",b")
    assert len(message) < 250
    assert message.isprintable()
