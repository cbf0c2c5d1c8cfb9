"""Models that know the columns they were made with: predict, explain, and going on."""

import contextlib
import csv
import hashlib
import io
import json
from pathlib import Path

import numpy as np
import pytest
from interrupted import TOLD, files, signalled

from abacoc import AutoAdj, Base, load, prequential
from abacoc.cli import main
from abacoc.modelfile import from_state, state
from abacoc.streams import as_stream

N = 400


def rows(gaps=False):
    """Id, a number, a colour, another number and the label."""
    generator = np.random.default_rng(3)
    for i in range(N):
        u, v = generator.integers(0, 1000, 2) / 7
        colour = str(generator.choice(["red", "blue", "green"]))
        label = "in" if u < 70 or colour == "red" else "out"
        if gaps and generator.random() < 0.2:
            u = "?"
        yield {"id": f"k{i}", "u": str(u), "colour": colour, "v": str(v), "label": label}


def write(path, table, names, header=True):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if header:
            writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in table)
    return path


NAMES = ("id", "u", "colour", "v", "label")


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A model of the first half of a file, saved; the second half is new."""
    monkeypatch.chdir(tmp_path)
    table = list(rows())
    write("first.csv", table[:200], NAMES)
    assert abacoc("run", "first.csv", "--drop", "id", "--save", "m.model")[0] == 0
    return table[200:]


def abacoc(*arguments):
    """Status, output and messages of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(list(arguments))
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def said(out):
    return [row["pred"] for row in csv.DictReader(io.StringIO(out))]


def expected(new):
    """What the learner says of the points, made by hand."""
    learner = load("m.model")
    colours = ["blue", "green", "red"]
    points = [
        [float(row["u"]), *(float(row["colour"] == c) for c in colours), float(row["v"])]
        for row in new
    ]
    return [learner.predict(point) for point in points]


def test_the_columns_are_found_wherever_they_stand(mine):
    right = expected(mine)
    layouts = {
        "same.csv": (NAMES, True),
        "other.csv": (("v", "label", "colour", "id", "u"), True),
        "unlabelled.csv": (("colour", "v", "u"), True),
        "by_place.csv": (NAMES, False),
        "place_unlabelled.csv": (NAMES[:-1], False),
        "attributes.csv": (("u", "colour", "v"), False),
    }
    for path, (names, header) in layouts.items():
        write(path, mine, names, header)
        for more in ((), ("--pieces", "7")):
            status, out, err = abacoc("predict", "m.model", path, *more)
            assert status == 0, err
            assert said(out) == right, path
            assert ("accuracy" in err) is ("label" in names), path
        status, out, _ = abacoc("predict", "m.model", path, "--json")
        answer = json.loads(out)
        assert answer["predictions"] == right
        hits = [a == row["label"] for a, row in zip(right, mine, strict=True)]
        assert answer["accuracy"] == (sum(hits) / 200 if "label" in names else None)
    assert abacoc("predict", "m.model", "same.csv", "--out", "p.csv")[:2] == (0, "")
    assert said(Path("p.csv").read_text(encoding="utf-8")) == right
    status, out, err = abacoc("predict", "m.model", "same.csv", "--drop", "label")
    assert (said(out), "accuracy" in err) == (right, False)


def test_categories_that_are_new(mine):
    strange = [row | {"colour": "mauve"} for row in mine[:3]]
    write("new.csv", strange, NAMES)
    for more in ((), ("--pieces", "2")):
        status, out, err = abacoc("predict", "m.model", "new.csv", *more)
        assert status == 0
        assert said(out) == expected(strange)  # in none of the 0/1 columns
        assert err.splitlines()[0] == (
            "abacoc: note: new.csv: column 3 ('colour'): mauve: not known to the model, so in none "
            "of its 0/1 columns"
        )


def test_columns_that_do_not_fit(mine):
    write("few.csv", mine, ("u", "v", "label"))
    write("narrow.csv", mine, ("u", "label"), header=False)
    write("wide.csv", mine, (*NAMES, "u", "v"), header=False)
    foreign = [dict(zip("abcde", row.values(), strict=True)) for row in mine]
    write("foreign.csv", foreign, "abcde")
    listed = "id, u, colour, v, label"
    for path, more, reason in (
        ("few.csv", (), "few.csv: there is no column 'colour' (or not one), which the model has"),
        ("narrow.csv", (), f"narrow.csv: 2 columns; the model was made from 5: {listed}"),
        ("wide.csv", (), f"wide.csv: 7 columns; the model was made from 5: {listed}"),
        (
            "foreign.csv",
            (),
            "foreign.csv: none of the columns of the model is here: u, colour, v "
            "(--header no: found by their places)",
        ),
        ("first.csv", ("--label", "u"), "first.csv: the label 'u' is an attribute of the model"),
        ("first.csv", ("--drop", "u"), "first.csv: --drop u: it is an attribute of the model"),
        (
            "first.csv",
            ("--categorical", "u"),
            "first.csv: which columns are numbers and which words is settled by the model",
        ),
        (
            "first.csv",
            ("--out", "m.model"),
            "--out must be another file than the model and the new data",
        ),
        (
            "first.csv",
            ("--out", "first.csv"),
            "--out must be another file than the model and the new data",
        ),
    ):
        before = Path("m.model").read_bytes()
        status, out, err = abacoc("predict", "m.model", path, *more)
        assert (status != 0, out, err) == (True, "", f"abacoc: {reason}\n")
        assert Path("m.model").read_bytes() == before


@pytest.mark.parametrize("more", [(), ("--scale", "online"), ("--missing", "mean")])
@pytest.mark.parametrize("pieces", [(), ("--pieces", "33")])
def test_going_on_is_never_having_stopped(tmp_path, monkeypatch, more, pieces):
    """At rate 1: the mask of a smaller one begins anew with each command, as its seed says."""
    monkeypatch.chdir(tmp_path)
    table = list(rows(gaps="--missing" in more))
    names = NAMES[1:]
    write("whole.csv", table, names)
    write("first.csv", table[:150], names)
    write("second.csv", table[150:], names)
    assert (
        abacoc("run", "whole.csv", *more, *pieces, "--save", "w.model", "--dump", "w.csv")[0] == 0
    )
    assert abacoc("run", "first.csv", *more, *pieces, "--save", "m.model")[0] == 0
    status, _, err = abacoc(
        "run", "second.csv", "--load", "m.model", *pieces, "--save", "m.model", "--dump", "d.csv"
    )
    assert status == 0, err
    assert Path("m.model").read_bytes() == Path("w.model").read_bytes()
    assert (
        said(Path("d.csv").read_text(encoding="utf-8"))
        == said(Path("w.csv").read_text(encoding="utf-8"))[150:]
    )


@pytest.mark.parametrize("scale", ["minmax", "standard", "unit"])
def test_a_fixed_scaling_goes_on(tmp_path, monkeypatch, scale):
    """It is that of the first part, for the scaling of the whole had looked ahead."""
    from abacoc.scaling import fit

    monkeypatch.chdir(tmp_path)
    table, names = list(rows()), ("u", "v", "label")
    write("whole.csv", table, names)
    write("first.csv", table[:150], names)
    write("second.csv", table[150:], names)
    assert abacoc("run", "first.csv", "--scale", scale, "--save", "m.model")[0] == 0
    assert abacoc("run", "second.csv", "--load", "m.model", "--dump", "d.csv")[0] == 0
    stream = as_stream("whole.csv")
    X = fit(stream.X[:150], scale).apply(stream.X)
    right = prequential(AutoAdj(), X, [stream.labels[k] for k in stream.y]).predictions[150:]
    assert said(Path("d.csv").read_text(encoding="utf-8")) == right


def test_two_classes_by_a_coin(tmp_path, monkeypatch):
    """0 and 1 inside, the texts outside, also where the second file begins with the other label."""
    monkeypatch.chdir(tmp_path)
    table = list(rows())
    write("first.csv", table[:200], ("u", "v", "label"))
    later = sorted(table[200:], key=lambda row: row["label"] != "in")
    if table[0]["label"] == "in":
        later.reverse()
    write("second.csv", later, ("u", "v", "label"))
    coin = ("--method", "base", "--vote", "randomized", "--scale", "unit")
    assert abacoc("run", "first.csv", *coin, "--save", "m.model")[0] == 0
    _, out, _ = abacoc("predict", "m.model", "second.csv", "--json")
    answer = json.loads(out)
    assert set(answer["predictions"]) <= {"in", "out"}
    truth = [row["label"] for row in later]
    hits = sum(a == b for a, b in zip(answer["predictions"], truth, strict=True))
    assert answer["accuracy"] == hits / 200
    _, out, _ = abacoc("explain", "m.model", "second.csv", "--row", "3")
    assert f"its label: {later[2]['label']}" in out
    assert f"predicted {answer['predictions'][2]}," in out
    _, out, _ = abacoc("explain", "m.model", "second.csv", "--row", "3", "--json")
    why = json.loads(out)
    assert why["prediction"] == answer["predictions"][2]
    assert set(why["balls"][0]["counts"]) == {"in", "out"}
    assert abacoc("run", "second.csv", "--load", "m.model", "--save", "m.model")[0] == 0
    assert load("m.model").columns["labels"] == load("m.model").columns["labels"][:2]


def test_explain(mine):
    write("new.csv", mine, NAMES)
    status, out, _ = abacoc("explain", "m.model", "new.csv", "--row", "7", "--k", "2", "--json")
    why = json.loads(out, parse_constant=pytest.fail)  # no NaN, no Infinity
    assert why["prediction"] == expected(mine)[6]
    assert (why["label"], len(why["balls"])) == (mine[6]["label"], 2)
    assert why["values"]["u"] == float(mine[6]["u"])
    for row in ("0", "201"):
        status, _, err = abacoc("explain", "m.model", "new.csv", "--row", row)
        assert (status != 0, err) == (True, f"abacoc: --row {row}: the rows go from 1 to 200\n")


def test_labels_that_are_numbers_in_the_library(tmp_path, monkeypatch):
    """A file has the text 1 where the model knows the number."""
    monkeypatch.chdir(tmp_path)
    learner = AutoAdj()
    prequential(learner, [[0.0], [1.0], [0.1], [0.9]], [0, 1, 0, 1])
    learner.save("m.model")
    write("new.csv", [{"x": "0.05", "c": "0"}, {"x": "0.95", "c": "1"}], ("x", "c"))
    assert json.loads(abacoc("predict", "m.model", "new.csv", "--json")[1])["accuracy"] == 1.0


FORGED = {
    "no columns": lambda c: c.clear(),
    "no list": lambda c: c.update(columns="u"),
    "a kind": lambda c: c["columns"][0].update(kind="date"),
    "a kind that is a list": lambda c: c["columns"][0].update(kind=[]),
    "no name": lambda c: c["columns"][1].pop("name"),
    "a name that is no text": lambda c: c["columns"][1].update(name=1),
    "two labels": lambda c: c["columns"].append({"name": "l", "kind": "label"}),
    "one attribute more": lambda c: c["columns"].append({"name": "l", "kind": "number"}),
    "one category less": lambda c: c["columns"][2]["categories"].pop(),
    "a category twice": lambda c: c["columns"][2].update(categories=["a", "a", "b"]),
    "categories in a text": lambda c: c["columns"][2].update(categories="abc"),
    "a category that is no text": lambda c: c["columns"][2].update(categories=["a", "b", 1]),
    "gaps that are many": lambda c: c["columns"][1].update(known=-1),
    "a mean that is none": lambda c: c["columns"][1].update(known=1, total=float("nan")),
    "a total too large": lambda c: c["columns"][1].update(known=1, total=10**400),
    "a mark that is none": lambda c: c["columns"][1].update(marked=1),
    "a way with gaps": lambda c: c.update(missing="guess"),
    "labels": lambda c: c.update(labels=[0, 1]),
    "labels in a text": lambda c: c.update(labels="ab"),
    "a label twice": lambda c: c.update(labels=["a", "a"]),
    "a scaling": lambda c: c.update(scale={"how": "log"}),
    "a scaling that is none": lambda c: c.update(scale=[]),
    "a scaling of no columns": lambda c: c.update(scale={"how": "minmax", "factor": 1}),
    "a scaling of others": lambda c: c.update(
        scale={"how": "minmax", "factor": [1.0], "low": [0.0], "span": [1.0]}
    ),
    "a span of nothing": lambda c: c.update(
        scale={"how": "minmax", "factor": [1.0] * 5, "low": [0.0] * 5, "span": [0.0] * 5}
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_columns(mine, name):
    content = Path("m.model").read_bytes()
    first, _, payload = content.split(b"\n", 2)
    record = json.loads(payload)
    FORGED[name](record["columns"])
    payload = json.dumps(record).encode()
    digest = hashlib.sha256(payload).hexdigest().encode()
    with open("forged.model", "wb") as file:
        file.write(b"\n".join([first, digest, payload]))
    with pytest.raises(ValueError, match=r"\Aforged.model holds no state of a learner: [^\n]*\Z"):
        load("forged.model")
    status, out, err = abacoc("predict", "forged.model", "first.csv")
    assert (status != 0, out, err.count("\n")) == (True, "", 1)


def test_a_model_without_columns_is_one(mine):
    """Format 1 has none; they are the file's then, its label last."""
    content = Path("m.model").read_bytes()
    record = json.loads(content.split(b"\n", 2)[2])
    del record["columns"]
    payload = json.dumps(record).encode()
    digest = hashlib.sha256(payload).hexdigest().encode()
    with open("one.model", "wb") as file:
        file.write(b"abacoc model, format 1\n" + digest + b"\n" + payload)
    write("new.csv", mine, NAMES[1:])
    assert said(abacoc("predict", "one.model", "new.csv")[1]) == expected(mine)
    assert load("one.model").columns is None
    learner = from_state(record, {"AutoAdj": AutoAdj, "Base": Base})
    assert state(learner) == state(load("one.model"))


@pytest.mark.parametrize(
    "place", ["abacoc.commands.outputs:Predictions.write", "abacoc.files:os.fsync"]
)
@pytest.mark.posix
def test_ctrl_c_leaves_no_half_file(mine, tmp_path, place):
    write("new.csv", mine, NAMES)
    before = files(tmp_path)
    command = ("predict", "m.model", "new.csv", "--pieces", "50", "--out", "p.csv")
    done = signalled(place, 1, "SIGINT", "group", *command, cwd=tmp_path).end()
    assert done == (130, "", TOLD["SIGINT"][1])
    assert files(tmp_path) == before
