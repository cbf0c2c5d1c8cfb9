"""One stream by every door: the same numbers to the last bit, the same labels and predictions."""

import gzip
import os
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from abacoc import Auto, AutoAdj, prequential, prequential_pieces
from abacoc.streams import as_pieces, as_stream, read_pieces

N = 300


def numbers():
    """Awkward digits: thirds, tiny, huge, of seventeen digits, negative zeros."""
    generator = np.random.default_rng(7)
    columns = {
        "third": generator.integers(1, 90, N) / 3.0,
        "tiny": generator.random(N) * 1e-300,
        "huge": generator.random(N) * 1e15,
        "digits": np.nextafter(0.1, 1.0) + generator.random(N),
        "whole": generator.integers(-3, 4, N).astype(float),
    }
    columns["third"][3] = -0.0
    return columns


LABELS = [("up", "down", "über, all")[int(x > 10) + int(x > 20)] for x in numbers()["third"]]


def table(gaps=False):
    """With a category, a truth value and, if they are asked for, gaps."""
    frame = pd.DataFrame(numbers())
    generator = np.random.default_rng(8)
    frame["colour"] = generator.choice(["red", "dark blue", "green"], N)
    frame["flag"] = generator.random(N) < 0.5
    frame["class"] = LABELS
    if gaps:
        frame.loc[generator.random(N) < 0.2, "third"] = np.nan
        frame.loc[0, "digits"] = np.nan
        frame.loc[generator.random(N) < 0.2, "colour"] = None
    return frame


def records(frame):
    """Rows of plain Python values, None for gaps."""
    columns = [[None if pd.isna(v) else v for v in frame[name].tolist()] for name in frame]
    return list(zip(*columns, strict=True))


def through_stdin(path, form):
    """Predictions of a process that reads the standard input."""
    program = (
        "import sys; from abacoc import AutoAdj, prequential; "
        "from abacoc.streams import as_stream; s = as_stream('-', **eval(sys.argv[1])); "
        "print(s.X.tobytes().hex()); print([s.labels[k] for k in s.y]); "
        "print(prequential(AutoAdj(), s).predictions)"
    )
    command = [sys.executable, "-c", program, repr(form)]
    with open(path, "rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
    bits, labels, said = done.stdout.splitlines()
    return np.frombuffer(bytes.fromhex(bits)), eval(labels), eval(said)


def through_fifo(folder, content):
    """A pipe into which another thread writes."""
    path = folder / "pipe"
    if not path.exists():
        os.mkfifo(path)

    def write():
        with open(path, "wb") as file:
            file.write(content)

    threading.Thread(target=write, daemon=True).start()
    return path


def seen(stream):
    return stream.X, [stream.labels[k] for k in stream.y.tolist()], stream.attributes


def gathered(pieces):
    parts = [(X, [pieces.labels[k] for k in y.tolist()]) for X, y in pieces]
    labels = [label for _, y in parts for label in y]
    return np.concatenate([X for X, _ in parts]), labels, pieces.attributes


@pytest.mark.posix  # for its pipes
@pytest.mark.parametrize("gaps", [False, True], ids=["full", "gaps"])
def test_tables(tmp_path, gaps):
    """Numbers, categories, truth values, gaps.

    Truth values are the words True and False in a CSV file of pandas and in each frame; a file of
    polars would spell them true and false, so it is pandas that writes here.
    """
    frame, form = table(gaps), {"missing": "mean"} if gaps else {}
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    content = path.read_bytes()
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    frame.to_parquet(tmp_path / "a.parquet")
    arrow, rows = pa.Table.from_pandas(frame, preserve_index=False), records(frame)
    names = list(frame)[:-1]
    # the kinds of columns are those of the first piece, and it has all the categories and a number
    # in each column
    halves = [frame[:150], frame[150:]]
    dictionaries = [(dict(zip(names, row[:-1], strict=True)), row[-1]) for row in rows]
    chunked = pd.read_csv(path, chunksize=100, float_precision="round_trip")  # else it is faster
    wholes = {
        "gz": as_stream(tmp_path / "a.csv.gz", **form),
        "parquet": as_stream(tmp_path / "a.parquet", **form),
        "pandas": as_stream(frame, **form),
        "polars": as_stream(pl.from_pandas(frame), **form),
        "arrow": as_stream(arrow, **form),
        "batch": as_stream(arrow.combine_chunks().to_batches()[0], **form),
        "columns": as_stream(frame.to_dict("list"), **form),
        "labels apart": as_stream(frame[names], frame["class"], **form),
        "dictionaries": as_stream(iter(dictionaries), **form),
        "list of dictionaries": as_stream(dictionaries, **form),
        "records": as_stream([dict(zip(frame, row, strict=True)) for row in rows], **form),
        "examples": as_stream(((row[:-1], row[-1]) for row in rows), **form),
        "rows": as_stream([list(row) for row in rows], **form),
        "frames": as_stream(iter(halves), **form),
        "chunks": as_stream(chunked, **form),
        "pairs": as_stream(((half[names], half["class"]) for half in halves), **form),
        "pipe": as_stream(through_fifo(tmp_path, content), **form),
    }
    pieces = {
        "pieces": as_pieces(path, rows=7, **form),
        "parquet in pieces": as_pieces(tmp_path / "a.parquet", rows=150, **form),
        "pipe in pieces": read_pieces(through_fifo(tmp_path, content), rows=120, **form),
        "frames in pieces": as_pieces(iter(halves), **form),
        "a frame": as_pieces(pl.from_pandas(frame), **form),
    }
    X, labels, attributes = seen(as_stream(path, **form))
    assert X.shape[1] == 5 + (4 if gaps else 3) + 2
    assert labels == LABELS
    run = prequential(AutoAdj(), X, labels)
    unnamed = {"examples", "rows"}  # columns called x1, x2, ...
    found = {name: seen(s) for name, s in wholes.items()}
    found |= {name: gathered(p) for name, p in pieces.items()}
    for name, (other, said, others_names) in found.items():
        assert other.tobytes() == X.tobytes(), name
        assert said == labels, name
        assert others_names == attributes or name in unnamed, name
        assert prequential(AutoAdj(), other, said).predictions == run.predictions
    bits, said, predictions = through_stdin(path, form)
    assert (bits.tobytes(), said, predictions) == (X.tobytes(), labels, run.predictions)


def test_numbers(tmp_path):
    """What can hold numbers alone."""
    frame = pd.DataFrame(numbers()).assign(label=LABELS)
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    X, labels, _ = seen(as_stream(path))
    assert X.tobytes() == frame.iloc[:, :-1].to_numpy().copy("C").tobytes()
    matrix, y = X.copy(), np.array(LABELS)
    wholes = {
        "array": as_stream(matrix, y),
        "Fortran": as_stream(np.asfortranarray(matrix), LABELS),
        "lists": as_stream(matrix.tolist(), LABELS),
        "examples": as_stream(zip(matrix, LABELS, strict=True)),
        "arrays": as_stream(iter([(matrix[:99], y[:99]), (matrix[99:], y[99:])])),
    }
    for name, stream in wholes.items():
        assert seen(stream)[0].tobytes() == X.tobytes(), name
        assert seen(stream)[1] == labels, name
    # a sparse matrix keeps no zero, so none that is negative: the same numbers, not the same bits
    for make in (sp.csr_matrix, sp.csc_array, sp.coo_matrix):
        stream = as_stream(make(matrix), LABELS)
        assert (stream.X == X).all()
        assert seen(stream)[1] == labels
    run = prequential(AutoAdj(), X, labels)
    for data in (path, str(path), as_stream(path), frame, pl.from_pandas(frame)):
        assert prequential(AutoAdj(), data).predictions == run.predictions
        assert prequential_pieces(AutoAdj(), data, keep=True).predictions == run.predictions
    for apart in (frame.iloc[:, :-1], matrix, sp.csr_matrix(matrix)):
        assert prequential(AutoAdj(), apart, LABELS).predictions == run.predictions
        halves = [(apart[:99], LABELS[:99]), (apart[99:], LABELS[99:])]
        for given_ in (halves, iter(halves)):
            assert prequential_pieces(AutoAdj(), given_, keep=True).predictions == run.predictions
    shifted = pd.Series(LABELS, index=range(7, 7 + N))  # labels go by place, not by index
    assert prequential(AutoAdj(), frame.iloc[:, :-1], shifted).predictions == run.predictions


def test_points_of_other_spaces_are_left_alone():
    from abacoc.metrics import edit_distance

    words, y = ["abc", "abd", "xyz", "xyy"], ["a", "a", "b", "b"]
    learner = Auto(metric=edit_distance)
    assert prequential(learner, words, y).predictions == [None, "a", "a", "b"]
    again = Auto(metric=edit_distance)
    pieces = [(words[:2], y[:2]), (words[2:], y[2:])]
    assert prequential_pieces(again, pieces, keep=True).predictions == [None, "a", "a", "b"]


# Generated tables ---------------------------------------------------------------------------------

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)
WORDS = st.sampled_from(["red", "blue", "a b", 'q"', "x,y", "é"])


@st.composite
def frames(draw, gaps=False):
    """Some columns of numbers and words, and a label."""
    n = draw(st.integers(2, 12))
    columns = {}
    for i in range(draw(st.integers(1, 4))):
        is_number = draw(st.booleans())
        cells = (st.floats(-1e100, 1e100) if gaps else FLOATS) if is_number else WORDS
        column = draw(st.lists(cells, min_size=n, max_size=n))
        if gaps:
            lost = draw(st.lists(st.booleans(), min_size=n, max_size=n))
            known = [c for c, gap in zip(column, lost, strict=True) if not gap]
            empty = np.nan if is_number else None
            if known:  # what is all missing has no kind in a file
                column = [empty if g else c for c, g in zip(column, lost, strict=True)]
        columns[f"c{i}"] = column
    columns["class"] = draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
    return pd.DataFrame(columns)


@given(frames())
def test_from_a_frame_to_a_file_and_back(tmp_path_factory, frame):
    path = tmp_path_factory.mktemp("round") / "a.csv"
    frame.to_csv(path, index=False)
    read, taken = as_stream(path, header=True), as_stream(frame)
    assert seen(read)[0].tobytes() == seen(taken)[0].tobytes()
    assert seen(read)[1:] == seen(taken)[1:]


@given(frames(gaps=True), st.integers(1, 12), st.sampled_from(["mean", "category"]))
def test_gaps_in_pieces_of_any_size(tmp_path_factory, frame, rows, missing):
    path = tmp_path_factory.mktemp("gaps") / "a.csv"
    frame.to_csv(path, index=False)
    form = {"missing": missing, "header": True}
    whole = as_stream(path, **form)
    taken = as_stream(frame, missing=missing)
    assert taken.X.tobytes() == whole.X.tobytes()
    pieces = read_pieces(path, rows=rows, **form)
    for _ in range(2):  # again from the beginning
        assert np.concatenate([X for X, _ in pieces]).tobytes() == whole.X.tobytes()
    assert pieces.columns == whole.columns == taken.columns | {"decimal": "."}


@given(st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), min_size=3, max_size=20), st.data())
def test_means_do_not_look_ahead(column, data):
    """Whatever comes later, the rows before it are the same."""
    cut = data.draw(st.integers(1, len(column) - 1))
    later = data.draw(st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), max_size=9))

    def taken(values):
        numbers = np.array([np.nan if v is None else v for v in values])
        return as_stream({"u": numbers, "c": ["a"] * len(values)}, missing="mean").X[:, 0]

    first, other = taken(column), taken(column[:cut] + later)
    assert first[:cut].tobytes() == other[:cut].tobytes()
    known = [v for v in column[:cut] if v is not None]
    if column[cut] is None:
        total = 0.0
        for value in known:
            total += value
        assert first[cut] == total / max(1, len(known))
