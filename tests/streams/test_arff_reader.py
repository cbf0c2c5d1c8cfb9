"""ARFF files: declarations, nominal values, and what is refused."""

import pytest

from abacoc.streams.readers import read_content

ONE_LINE = r"\A[^\n]+\Z"
HEAD = "@relation r\n@attribute u numeric\n@attribute v {b,a,'c d'}\n@attribute class {no,yes}\n"


def read(text, name="a.arff", **options):
    return read_content(text.encode(), name, **options)


def refusal(text, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        read(text, **options)
    return str(caught.value)


def test_nominal_attributes_are_binarised_in_declared_order():
    stream = read(HEAD + "@data\n1.5,a,yes\n2,'c d',no\n3,a,yes\n")
    assert stream.attributes == ("u", "v=b", "v=a", "v=c d")
    assert stream.X.tolist() == [[1.5, 0, 1, 0], [2, 0, 0, 1], [3, 0, 1, 0]]
    assert stream.labels == ("yes", "no")  # by first appearance, not as declared
    assert stream.y.tolist() == [0, 1, 0]


def test_labels_that_never_occur_have_no_code():
    stream = read(HEAD + "@data\n1,a,yes\n2,b,yes\n")
    assert stream.labels == ("yes",)
    assert stream.y.tolist() == [0, 0]


def test_keywords_in_any_case_comments_quotes_and_crlf():
    text = (
        "% made by hand\n@RELATION 'x y'\n\n@Attribute 'the u' REAL % metres\n"
        '@ATTRIBUTE "it\'s" Integer\n@attribute w{"p}%",q} % two values\n@attribute c {0, 1}\n'
        "@DATA % here\n% a comment\n1, 2 ,\"p}%\", 0\n\n3,4,'q',1\n% end\n"
    )
    stream = read(text.replace("\n", "\r\n"))
    assert stream.attributes == ("the u", "it's", "w=p}%", "w=q")
    assert stream.X.tolist() == [[1, 2, 1, 0], [3, 4, 0, 1]]
    assert stream.labels == ("0", "1")


def test_escaped_quotes():
    text = "@attribute 'it\\'s' {'a\\'b',c}\n@attribute class {x,y}\n@data\n'a\\'b',x\nc,y\n"
    assert read(text).attributes == ("it's=a'b", "it's=c")


def test_rows_cut_by_blanks():
    assert read(HEAD + "@data\n1.5\ta  yes\n2 'c d' no").X.tolist() == [
        [1.5, 0, 1, 0],
        [2, 0, 0, 1],
    ]


def test_nominal_numbers_can_be_forced_to_numbers():
    head = "@attribute day {2,10,7}\n@attribute class {UP,DOWN}\n@data\n"
    text = head + "10,UP\n7,DOWN\n2,UP\n"
    assert read(text).attributes == ("day=2", "day=10", "day=7")
    stream = read(text, numeric=["day"])
    assert stream.attributes == ("day",)
    assert stream.X.tolist() == [[10], [7], [2]]
    undeclared = refusal(head + "10,UP\n3,DOWN\n", numeric=["day"])
    assert "row 2 (line 5), column 1 ('day'): value '3' is not declared" in undeclared


def test_nominal_words_cannot():
    message = refusal(HEAD + "@data\n1,a,yes\n", numeric=["v"])
    assert message == "a.arff: column 2 ('v'): cannot be numeric: the declared 'b' is not a number"


def test_numbers_can_be_forced_to_categories():
    stream = read(HEAD + "@data\n10,a,yes\n9,b,no\n", categorical=["u"])
    assert stream.attributes[:2] == ("u=9", "u=10")


def test_a_trailing_comma_on_demand():
    text = HEAD + "@data\n1,a,yes\n2,b,no,\n3,b,no\n"
    assert read(text, trailing_comma=True).n_examples == 3
    assert "row 2 (line 7), column 4: 4 cells instead of 3" in refusal(text)


def test_a_declared_value_may_spell_a_gap():
    text = "@attribute v {NA,EU}\n@attribute class {x,y}\n@data\nNA,x\nEU,y\n"
    assert read(text).attributes == ("v=NA", "v=EU")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("?,a,yes", "column 1 ('u'): missing value '?'"),
        ("1,?,yes", "column 2 ('v'): missing value '?'"),
        ("1,a,?", "column 3 ('class'): missing label '?'"),
        ("1,a,", "column 3 ('class'): missing label ''"),
        ("x,a,yes", "column 1 ('u'): 'x' is not a number"),
        ("inf,a,yes", "column 1 ('u'): infinite value 'inf'"),
        ("1,A,yes", "column 2 ('v'): value 'A' is not declared"),
        ("1,a,maybe", "column 3 ('class'): value 'maybe' is not declared"),
        ("1,a", "column 3 ('class'): 2 cells instead of 3"),
        ("1,'a,yes", "column 1 ('u'): a quote that is not closed"),
        ("{0 1, 2 yes}", "column 1: a row in sparse ARFF, which is not supported"),
    ],
)
def test_bad_rows(row, says):
    message = refusal(f"{HEAD}@data\n1,a,yes\n% note\n{row}\n2,b,no\n")
    assert message.startswith(f"a.arff: row 2 (line 8), {says}")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("@attribute v string", "line 3, column 2: attribute 'v' is of type 'string'"),
        ("@attribute v date 'yyyy'", "line 3, column 2: attribute 'v' is of type"),
        ("@attribute v relational", "line 3, column 2: attribute 'v' is of type"),
        ("@attribute v", "line 3, column 2: attribute 'v' has no type"),
        ("@attribute", "line 3, column 2: an attribute without a name"),
        ("@attribute 'v numeric", "line 3, column 2: an attribute without a name"),
        ("@attribute v {a,b", "line 3, column 2: a list of values"),
        ("@attribute v {a,'b}", "line 3, column 2: a list of values"),
        ("@attribute v {a,b} numeric", "line 3, column 2: a list of values"),
        ("@attribute v {a,,b}", "line 3, column 2: an empty value"),
        ("@attribute v {}", "line 3, column 2: an empty value"),
        ("@attribute v {a,b,a}", "line 3, column 2: value 'a' is declared twice"),
        ("v numeric", "line 3: 'v' where @attribute or @data is expected"),
    ],
)
def test_bad_declarations(line, says):
    text = f"@relation r\n@attribute u numeric\n{line}\n@attribute c {{x,y}}\n@data\n1,a,x\n"
    assert refusal(text).startswith(f"a.arff: {says}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "an empty file"),
        ("% only a comment\n", "an empty file"),
        (HEAD, "no @data line"),
        (HEAD + "@data\n% nothing\n", "a header and no data"),
        ("@relation r\n@attribute c {x,y}\n@data\nx\n", "fewer than two attributes"),
    ],
)
def test_broken_files(text, says):
    assert refusal(text).startswith(f"a.arff: {says}")


def test_files_like_those_of_moa_that_are_not_at_hand():
    airlines = (
        "@relation airlines\n@attribute Airline {CO,US,AA}\n@attribute Flight numeric\n"
        "@attribute AirportFrom {SFO,PHX}\n@attribute DayOfWeek {1,2,3}\n"
        "@attribute Delay {0,1}\n@data\nCO,269.0,SFO,3,1\nUS,1558.0,PHX,3,1\nAA,2400.0,SFO,1,0\n"
    )
    stream = read(airlines, numeric=["DayOfWeek"])
    assert stream.n_attributes == 3 + 1 + 2 + 1
    assert stream.X[0].tolist() == [1, 0, 0, 269, 1, 0, 3]
    assert stream.labels == ("1", "0")
