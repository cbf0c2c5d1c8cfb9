"""What comes through the front door: inputs of every kind, and what each gives or is told."""

import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from abacoc.streams import as_stream, read_file, read_pieces

PLAIN = "u,v,c\n1,2,a\n3,4,b\n5,6,a\n"
ROWS = ([[1, 2], [3, 4], [5, 6]], ["a", "b", "a"])


def npy():
    file = io.BytesIO()
    np.save(file, np.eye(2))
    return file.getvalue()


def database():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a, b)")
    content = connection.serialize()
    connection.close()
    return content


def numbered(width, rows, labels, start=0, step=1):
    """A file whose header counts."""
    names = ",".join(str(start + step * i) for i in range(width))
    return names + "\n" + "".join(f"{'0.5,' * (width - 1)}{labels[i]}\n" for i in range(rows))


# What a file holds, the options, and the rows and labels that come out, or the message.
GIVEN = {
    "plain": (PLAIN, {}, ROWS),
    "no header": ("1,2,a\n3,4,b\n", {}, ([[1, 2], [3, 4]], ["a", "b"])),
    "semicolons": ("u;v;c\n1;2;a\n3;4;b\n", {}, ([[1, 2], [3, 4]], ["a", "b"])),
    "tabs": ("u\tv\tc\n1\t2\ta\n3\t4\tb\n", {}, ([[1, 2], [3, 4]], ["a", "b"])),
    "bars": ("u|v|c\n1|2|a\n3|4|b\n", {}, ([[1, 2], [3, 4]], ["a", "b"])),
    "blanks": ("u v   c\n1 2 a\n3  4 b\n", {}, ([[1, 2], [3, 4]], ["a", "b"])),
    "a delimiter by its name": ("1|2|a\n", {"delimiter": "bar"}, ([[1, 2]], ["a"])),
    "decimal commas": (
        "u;v;c\n1,5;2;a\n-,25;1e1;b\n",
        {"decimal": ","},
        ([[1.5, 2], [-0.25, 10]], ["a", "b"]),
    ),
    "decimal commas in tabs": ("1,5\t2,5\ta\n", {"decimal": ","}, ([[1.5, 2.5]], ["a"])),
    "quoted cells": (
        'u,"the ""v""",c\n"1",2,"a, or so"\n3,4,b\n',
        {},
        ([[1, 2], [3, 4]], ["a, or so", "b"]),
    ),
    "a mark of UTF-8": ("\ufeffu,v,c\n1,2,a\n", {}, ([[1, 2]], ["a"])),
    "means": (
        "u,w,c\n1,red,a\n?,,b\n4,red,a\nNA,blue,a\n",
        {"missing": "mean"},
        ([[1, 0, 0, 1], [1, 1, 0, 0], [4, 0, 0, 1], [2.5, 0, 1, 0]], list("abaa")),
    ),
    "a gap in the first row": (
        "u,c\n?,a\n3,b\n?,a\n",
        {"missing": "mean"},
        ([[0], [3], [3]], list("aba")),
    ),
    "gaps as a category": (
        "u,c\n?,a\n3,b\n",
        {"missing": "category"},
        ([[0, 1], [3, 0]], list("ab")),
    ),
    "a column all missing": (
        "u,v,c\n?,1,a\n?,2,b\n",
        {"missing": "mean"},
        ([[1, 1], [1, 2]], list("ab")),
    ),
    "columns 0, 1, 2 and words": (numbered(3, 2, "ab"), {}, ([[0.5, 0.5]] * 2, list("ab"))),
    "columns 0, 1, 2 forced": (
        numbered(3, 2, "12"),
        {"header": True},
        ([[0.5, 0.5]] * 2, list("12")),
    ),
    "columns 0, 1, 2 denied": (
        numbered(3, 1, "1"),
        {"header": False},
        ([[0, 1], [0.5, 0.5]], list("21")),
    ),
    "an index of pandas": (",u,c\n0,1.5,a\n1,2.5,b\n", {"drop": "1"}, ([[1.5], [2.5]], list("ab"))),
    "label first, by name": (
        "c,u,v\na,1,2\nb,3,4\n",
        {"label": "c"},
        ([[1, 2], [3, 4]], list("ab")),
    ),
    "label first, by number": (
        "a,1,2\nb,3,4\n",
        {"label": "1", "header": False},
        ([[1, 2], [3, 4]], list("ab")),
    ),
    "one class": ("u,c\n1,a\n2,a\n", {}, ([[1], [2]], ["a", "a"])),
    "duplicate names": ("u,u,c\n1,2,a\n3,4,b\n", {}, ([[1, 2], [3, 4]], list("ab"))),
    "dates as categories": (
        "d,c\n2020-01-01,a\n2020-01-02,b\n",
        {"categorical": "d"},
        ([[1, 0], [0, 1]], list("ab")),
    ),
    "a stray comma, taken": (
        "u,c\n1,a,\n2,b,\n",
        {"trailing_comma": True},
        ([[1], [2]], list("ab")),
    ),
    "blanks of other scripts": (
        "u,v,c\n1,2\u00a0,a\n?,\u00a04,b\n",
        {"missing": "mean"},
        ([[1, 2], [1, 4]], list("ab")),
    ),
    "regression by name": (
        "u,c\n" + "".join(f"1,{i}.5\n" for i in range(120)),
        {"label": "c"},
        ([[1]] * 120, [f"{i}.5" for i in range(120)]),
    ),
}

REFUSED = {
    "missing number": (
        "u,c\n1,a\n?,b\n",
        {},
        "row 2 (line 3), column 1 ('u'): missing value '?' (--missing mean or category takes it)",
    ),
    "missing word": (
        "w,c\nred,a\n,b\n",
        {},
        "row 2 (line 3), column 1 ('w'): missing value '' (--missing mean or category takes it)",
    ),
    "missing label": (
        "u,c\n1,a\n2,?\n",
        {"missing": "mean"},
        "row 2 (line 3), column 2 ('c'): missing label '?'",
    ),
    "gaps, then numbers": (
        "u,c\n" + "?,a\n" * 1000 + "3,b\n",
        {"missing": "mean"},
        "row 1001 (line 1002), column 1 ('u'): number '3', though nothing but missing values came "
        "before it (--numeric or --categorical says what the column is)",
    ),
    "decimal commas unsaid": (
        "u;c\n1,5;a\n2,5;b\n",
        {},
        "row 1 (line 2), column 1 ('u'): '1,5' has a decimal comma (--decimal , or --categorical "
        "takes it)",
    ),
    "UTF-16": (
        PLAIN.encode("utf-16"),
        {},
        "UTF-16 text: save it as UTF-8, as `iconv -f UTF-16 -t UTF-8` does",
    ),
    "UTF-16 without a mark": (
        PLAIN.encode("utf-16-le"),
        {},
        "UTF-16 text: save it as UTF-8, as `iconv -f UTF-16 -t UTF-8` does",
    ),
    "the other UTF-16": (
        PLAIN.encode("utf-16-be"),
        {},
        "UTF-16 text: save it as UTF-8, as `iconv -f UTF-16 -t UTF-8` does",
    ),
    "xlsx": (
        b"PK\x03\x04\x14\x00\x06\x00",
        {},
        "a spreadsheet, not text: save the sheet as CSV, or unpack the archive if it is another "
        "zip file",
    ),
    "xls": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        {},
        "a spreadsheet, not text: save the sheet as CSV",
    ),
    "npy": (
        npy(),
        {},
        "an array of NumPy, not text: as_stream(X, y) takes what numpy.load gives",
    ),
    "sqlite": (database(), {}, "a database, not text: save the table as CSV"),
    "a zero byte": (b"u,c\n1,a\n2\0,b\n", {}, "line 3: a zero byte: not a text file"),
    "columns 0, 1, 2 and numbers": (
        numbered(3, 2, "12"),
        {},
        "row 1 (line 1): '0, 1, 2': is this an example, or does it name the columns? Say --header "
        "no or --header yes",
    ),
    "years": (
        numbered(4, 3, ["a", "b", "a"], 1990, 10),
        {},
        "row 1 (line 1): '1990, 2000, 2010, 2020': is this an example, or does it name the "
        "columns? Say --header no or --header yes",
    ),
    "years and numbers": (
        numbered(4, 3, "121", 1990, 10),
        {},
        "row 1 (line 1): '1990, 2000, 2010, 2020': is this an example, or does it name the "
        "columns? Say --header no or --header yes",
    ),
    "a date": (
        "d,u,c\n2020-01-01,1,a\n2020-01-02,2,b\n",
        {},
        "column 1 ('d'): holds dates such as '2020-01-01': --drop d leaves it out, --categorical d "
        "makes 0/1 columns of it",
    ),
    "a date among gaps": (
        "d,u,c\n2020-01-01,1,a\n?,2,b\n2020-01-02,2,b\n",
        {"missing": "mean"},
        "column 1 ('d'): holds dates such as '2020-01-01': --drop d leaves it out, --categorical d "
        "makes 0/1 columns of it",
    ),
    "names of the rows": (
        "n,u,c\n" + "".join(f"name{i},{i % 7},a\n" for i in range(60)),
        {},
        "column 1 ('n'): has another word in each of the 60 rows, like an id or a name: --drop n "
        "leaves it out, --categorical n makes 0/1 columns of it",
    ),
    "regression": (
        "u,c\n" + "".join(f"1,{i}.5\n" for i in range(120)),
        {},
        "column 2 ('c'): 120 labels in 120 rows: if this is no label, --label NAME names the "
        "column that is; if it is, name it",
    ),
    "a single column": (
        "u\n1\n2\n",
        {},
        "row 1 (line 1), column 1: a single column: an attribute and the label are needed "
        "(--delimiter tells what stands between the cells)",
    ),
    "empty": ("", {}, "an empty file"),
    "blank lines": ("\n \n", {}, "an empty file"),
    "header only": ("u,c\n", {}, "a header line and no data"),
    "a name that comes twice": (
        "u,u,c\n1,2,a\n",
        {"drop": "u"},
        "2 columns are named 'u'; use a number",
    ),
    "all dropped": (
        "u,v,c\n1,2,a\n",
        {"drop": ["u", "v"]},
        "no attribute is left beside the label",
    ),
    "the label dropped": (
        "u,v,c\n1,2,a\n",
        {"drop": "c"},
        "the last column is the label and cannot be dropped: --label NAME",
    ),
    "the named label dropped": (
        "u,v,c\n1,2,a\n",
        {"drop": "u", "label": "u"},
        "column 1 ('u'): is the label, and --label names another",
    ),
    "misspelt": (
        "size,colour,c\n1,2,a\n",
        {"drop": "color"},
        "there is no column named 'color' (did you mean colour?)",
    ),
    "no such number": (PLAIN, {"drop": "9"}, "there is no column 9: they go from 1 to 3"),
    "10^400": (
        "u,c\n1e400,a\n",
        {},
        "row 1 (line 2), column 1 ('u'): '1e400' is too large for a float64",
    ),
    "a stray comma": (
        "u,c\n1,a\n2,b,\n",
        {},
        "row 2 (line 3), column 3: 3 cells instead of 2 (a stray comma at the end?)",
    ),
    "an open quote": (
        'u,c\n1,a\n"2,b\n',
        {},
        "row 2 (line 3), column 1 ('u'): a quote that is not closed, or text after a closing quote",
    ),
    "JSON lines": (
        '{"u": 1, "c": "a"}\n{"u": 2, "c": "b"}\n',
        {},
        "JSON: no format that is read here; pandas.read_json makes a frame, as_stream takes it",
    ),
}


def in_file(folder, content, name="in.data"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_what_is_given(name, suffix, tmp_path):
    content, form, (rows, labels) = GIVEN[name]
    content = content.encode()
    path = in_file(tmp_path, gzip.compress(content) if suffix else content, f"in.data{suffix}")
    stream = as_stream(path, **form)
    assert stream.X.tolist() == np.array(rows, dtype=float).tolist()
    assert [stream.labels[k] for k in stream.y] == labels
    for size in (1, 2, 1000):
        pieces = list(read_pieces(path, rows=size, **form))
        assert np.concatenate([X for X, _ in pieces]).tolist() == stream.X.tolist()
        assert np.concatenate([y for _, y in pieces]).tolist() == stream.y.tolist()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name, tmp_path):
    content, form, reason = REFUSED[name]
    path = in_file(tmp_path, content)
    for read in (as_stream, lambda path, **form: read_pieces(path, rows=2, **form)):
        with pytest.raises(ValueError, match=r"\A.*\Z") as caught:
            read(path, **form)
        assert str(caught.value) == f"{path}: {reason}"


SPECIAL = {
    "truncated.csv.gz": (
        gzip.compress(PLAIN.encode() * 50)[:-12],
        {},
        "broken or truncated .gz file",
    ),
    "a.libsvm": (
        "a 1:1\nb 1:2\n",
        {"label": "x1"},
        "LIBSVM, label first and numbers alone: --label means nothing here",
    ),
    "b.arff": ("@relation r\n", {"header": True}, "--header means nothing here"),
    "c.parquet": (b"PAR1 and no more", {}, "a broken or truncated Parquet file, or none"),
    "d.parquet": (PLAIN, {}, "a broken or truncated Parquet file, or none"),
    "e.arff": (PLAIN, {}, "line 1: 'u,v,c' where @attribute or @data is expected"),
    "f.csv": ("@relation r\n@data\n1,a\n", {"format": "arff"}, "fewer than two attributes"),
    "g.csv": (PLAIN, {"format": "libsvm"}, "no row has an attribute"),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_what_the_name_or_the_format_makes_wrong(name, tmp_path):
    content, form, reason = SPECIAL[name]
    path = in_file(tmp_path, content, name)
    for read in (as_stream, read_pieces):
        with pytest.raises(ValueError, match=r"\A[^\n]*\Z") as caught:
            read(path, **form)
        assert str(caught.value).startswith(f"{path}: {reason}")


def test_places_that_are_no_files(tmp_path):
    for read in (as_stream, read_pieces):
        for suffix in ("", ".parquet"):
            folder = tmp_path / f"folder{suffix}"
            folder.mkdir(exist_ok=True)
            with pytest.raises(ValueError, match="is a folder, not a file"):
                read(folder)
            with pytest.raises(ValueError, match="no such file"):
                read(tmp_path / f"nothing{suffix or '.csv'}")
        with pytest.raises(ValueError, match="neither a file nor a pipe"):
            read(os.devnull)


def test_options_that_contradict(tmp_path):
    path = in_file(tmp_path, PLAIN)
    for form, reason in (
        ({"delimiter": ",", "decimal": ","}, "the comma cannot be both --delimiter and --decimal"),
        ({"delimiter": "xy"}, "a delimiter is one character or tab, comma, semicolon, bar, blanks"),
        ({"missing": "zero"}, "unknown missing 'zero': it is one of error, mean, category"),
        ({"format": "xlsx"}, "unknown format 'xlsx': it is one of csv, arff, libsvm, parquet"),
    ):
        with pytest.raises(ValueError, match=re.escape(reason)):
            as_stream(path, **form)
    with pytest.raises(ValueError, match="can be numeric, categorical or dropped, not two"):
        as_stream(path, drop="u", numeric="u")
    with pytest.raises(ValueError, match="labels of their own are for data in memory"):
        as_stream(path, ["a"])
    with pytest.raises(ValueError, match="a stream has its columns already"):
        as_stream(as_stream(path), label="u")
    with pytest.raises(ValueError, match="labels are given twice"):
        as_stream({"u": [1]}, ["a"], label="u")


def test_columns_are_judged_by_the_whole_file_and_not_by_a_piece(tmp_path):
    """As many words, and as many labels, as a piece has rows."""
    rows = [f"w{i % 60},{i % 7},k{i % 150}" for i in range(3000)]
    path = in_file(tmp_path, "w,u,c\n" + "\n".join(rows) + "\n")
    whole = read_file(path)
    pieces = read_pieces(path, rows=60)
    assert np.concatenate([X for X, _ in pieces]).tolist() == whole.X.tolist()
    named = in_file(tmp_path, "n,u,c\n" + "".join(f"n{i},{i % 7},a\n" for i in range(200)), "n.csv")
    for size in (10, 200):
        with pytest.raises(ValueError, match="another word in each of the 200 rows"):
            read_pieces(named, rows=size)


def test_an_index_is_told_and_taken(tmp_path):
    content = "i,u,c\n" + "".join(f"{i},{i * i % 7},a\n" for i in range(60))
    path = in_file(tmp_path, content)
    for size in (None, 10):
        with pytest.warns(UserWarning, match=r"\('i'\): goes up by 1 from row to row.*--drop i "):
            stream = as_stream(path) if size is None else read_pieces(path, rows=size)
        assert stream.attributes == ("i", "u")
    twice = in_file(tmp_path, content.replace("i,u", "u,u"), "twice.csv")
    with pytest.warns(UserWarning, match=r"column 1 \('u'\): goes up.*--drop 1 leaves it out"):
        as_stream(twice)


def test_a_retry_leaves_means_and_steps_alone(tmp_path):
    """A blank that float() does not know sends the chunk through twice; `u` came before it."""
    path = in_file(tmp_path, "u,v,c\n1,5,a\n3,\u00a06,b\n?,7,a\n")
    assert as_stream(path, missing="mean").X[:, 0].tolist() == [1.0, 3.0, 2.0]
    record = as_stream(path, missing="mean").columns["columns"][0]
    assert (record["known"], record["total"]) == (2, 4.0)


def test_a_pipe_comes_once():
    program = (
        "from abacoc.streams import read_pieces\n"
        "pieces = read_pieces('-', rows=2)\n"
        "print(sum(len(X) for X, y in pieces))\n"
        "try: list(pieces)\n"
        "except ValueError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=PLAIN, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "3",
        "standard input: comes once, and has been read: open it anew",
    ]


def test_the_shell_says_the_same(tmp_path):
    """One line on the standard error, status 1 or 2, and no traceback."""
    path = in_file(tmp_path, PLAIN)
    command = [sys.executable, "-m", "abacoc", "run", str(path), "--drop", "w", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.splitlines() == [
        f"abacoc: {path}: there is no column named 'w'; there are u, v, c"
    ]
    command = [*command[:4], str(path), "--label", "u", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["n_classes"] == 3
