"""Methods by name: the table, the order of the classes, and the command line."""

import json
import sys

import numpy as np
import pytest

from abacoc import prequential
from abacoc.baselines import hoeffding, moa
from abacoc.baselines.kperc import typical_square
from abacoc.cli import main
from abacoc.methods import (
    COMPETITORS,
    EPOCHS,
    MENTIONED,
    METHODS,
    OWN,
    SUCCESSORS,
    YARDSTICKS,
    get,
    has_moa,
    sorted_labels,
)
from abacoc.wording import missing

needs_moa = pytest.mark.skipif(not has_moa(), reason="no MOA: the extra moa")
CSV = "age,town,income,label\n" + "\n".join(
    f"{20 + 7 * i % 40},{'Rome' if i % 3 else 'Milan'},{i % 7 / 2},{'yes' if i % 3 else 'no'}"
    for i in range(60)
)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text(CSV)


@pytest.fixture
def no_moa(monkeypatch):
    monkeypatch.setattr(hoeffding, "has_moa", lambda: False)


def call(capsys, *arguments):
    status = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def result_of(capsys, *arguments):
    status, out, err = call(capsys, "run", "mine.csv", *arguments, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


def stream(n=300):
    rng = np.random.default_rng(8)
    X = rng.random((n, 2))
    return X, ["even" if k % 2 == 0 else "odd" for k in (X.sum(axis=1) * 3).astype(int).tolist()]


@pytest.mark.parametrize(
    ("method", "settings", "used"),
    [
        ("nn3", {"k": 5}, "NN3"),
        ("cnn", {}, "CNN"),
        ("k-perc", {"gamma": 2.0}, "K-PERC"),
        ("iblstreams", {"start": 20, "reading": "moa"}, "IBLStreams"),
        pytest.param("vfdt", {"grace_period": 50}, "MOA HoeffdingTree", marks=needs_moa),
        pytest.param("rules", {"tie_threshold": 0.1}, "MOA RuleClassifier", marks=needs_moa),
    ],
)
def test_make(method, settings, used):
    X, y = stream()
    learner = get(method).make(settings, ["odd", "even"])
    assert get(method).used(learner) == used
    if "MOA" in used:
        assert learner.classes == ["even", "odd"]
    assert prequential(learner, X, y).accuracy > 0.4
    with pytest.raises(ValueError, match=f"{method} has no setting nonsense"):
        get(method).make({"nonsense": 1}, ["odd", "even"])


def test_make_refuses_what_it_does_not_know():
    with pytest.raises(ValueError, match="unknown method 'nn4': it is one of base, base-adj, auto"):
        get("nn4")
    with pytest.raises(ValueError, match="rules has to know the labels"):
        get("rules").make()
    with pytest.raises(ValueError, match="the leaf prediction is one of"):
        hoeffding.RiverVfdt(leaf_prediction="x")


def test_the_table_of_methods():
    """Every method has an epoch, a look of its own, and a class that takes its settings."""
    assert EPOCHS.keys() == METHODS.keys()
    named = tuple(n for n, m in METHODS.items() if not m.variant_of)
    assert (*OWN, *COMPETITORS, *YARDSTICKS, *MENTIONED, *SUCCESSORS) == named
    assert len({method.colour for method in METHODS.values()}) == len(METHODS)
    assert len({method.marker for method in METHODS.values()}) == len(METHODS)
    for method in METHODS.values():
        assert method.tuned.keys() <= method.settings.keys()
        for name, values in method.tuned.items():
            assert method.settings[name] in (None, values[0])  # the first point is the default
        if method.is_ours:
            compiled, plain = method.make(), method.make(reference=True)
            assert type(plain) in type(compiled).__mro__


def test_without_moa_the_tree_is_rivers_under_its_own_name(no_moa, mine, capsys):
    pytest.importorskip("river")
    learner = get("vfdt").make({"grace_period": 20, "leaf_prediction": "MC"}, ["odd", "even"])
    X, _ = stream(2000)
    run = prequential(learner, X, ["odd" if x > 0.5 else "even" for x in X[:, 0]])
    assert run.accuracy > 0.9
    assert run.n_balls == learner._model.n_leaves > 1
    assert learner.classes == ["even", "odd"]
    result = result_of(capsys, "--method", "vfdt")
    assert result["method_used"] == "River HoeffdingTreeClassifier"
    assert result["model_size"] == 1
    status, out, _ = call(capsys, "run", "mine.csv", "--method", "vfdt")
    assert status == 0
    assert "River HoeffdingTreeClassifier, rate 1" in out
    assert "model size   1 leaf, " in out


def test_what_to_install(no_moa, mine, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "river.tree", None)
    status, _, err = call(capsys, "run", "mine.csv", "--method", "vfdt")
    assert status == 2
    assert 'pip install "river>=' in err
    monkeypatch.setattr(moa, "start_java", no)
    status, _, err = call(capsys, "run", "mine.csv", "--method", "rules")
    assert status == 2
    assert missing("MOA", "jpype", "moa") in err


def no():
    raise ValueError(missing("MOA", "jpype", "moa"))


def test_the_order_of_the_classes():
    assert sorted_labels(["UP", "DOWN", "UP"]) == ["DOWN", "UP"]
    assert sorted_labels(["10", "9", "-1.5"]) == ["-1.5", "9", "10"]
    assert sorted_labels(["10", "9", "x"]) == ["10", "9", "x"]
    assert sorted_labels([2, 10, 1]) == [1, 2, 10]
    assert sorted_labels([("b",), "a"]) == [("b",), "a"]  # by their texts
    assert sorted_labels(["nan", "2", "10"]) == ["10", "2", "nan"]
    assert sorted_labels(["1.0", "01", "1"]) == ["01", "1", "1.0"]


@needs_moa
@pytest.mark.slow  # the classes themselves are tested with these numbers in test_moa.py
@pytest.mark.parametrize(
    ("method", "accuracy", "size"), [("vfdt", 0.803275, 29), ("rules", 0.732852, 36)]
)
def test_electricity_has_the_published_numbers(data_folder, capsys, method, accuracy, size):
    status, out, _ = call(capsys, "run", "electricity", "--method", method, "--json")
    assert status == 0
    assert round(json.loads(out)["accuracy"], 6) == accuracy
    assert json.loads(out)["model_size"] == size


def test_the_typical_distance_of_equal_points():
    assert typical_square(np.zeros((5, 2))) == 1.0
    assert typical_square(np.arange(5.0)[:, np.newaxis] * 1e-170) == 1.0
    assert typical_square(np.arange(5.0)[:, np.newaxis] * 1e170) == 1.0


# The command line -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["nn3", "cnn", "k-perc"])
def test_run(mine, capsys, method):
    result = result_of(capsys, "--method", method, "--rate", 0.8, "--dump", "out.csv")
    assert (result["method"], result["method_used"]) == (method, method.upper())
    assert (result["reading"], result["engine"]) == (None, "compiled")
    assert 0.3 < result["accuracy"] < 1
    with open("out.csv", encoding="utf-8") as file:
        rows = file.read().split()
    assert len(rows) == 61
    assert int(rows[-1].split(",")[-1]) == result["model_size"] <= result["n_updates"]
    status, out, _ = call(capsys, "run", "mine.csv", "--method", method)
    assert status == 0
    assert f"{method.upper()}, rate 1" in out
    assert "stored examples" in out


def test_options_reach_the_run(mine, capsys):
    assert result_of(capsys, "--method", "nn3", "--k", 1)["k"] == 1
    default = result_of(capsys, "--method", "k-perc")
    assert default["gamma"] > 0
    assert result_of(capsys, "--method", "k-perc", "--scale", "unit")["gamma"] != default["gamma"]
    early = result_of(capsys, "--method", "iblstreams", "--start", 20, "--reading", "moa")
    assert (early["k"], early["size"], early["start"], early["reading"]) == (16, 5000, 20, "moa")
    assert early["accuracy"] > 0.3
    usual = result_of(capsys, "--method", "iblstreams")
    assert (usual["reading"], usual["accuracy"], usual["model_size"]) == ("described", 0.0, 60)
    given = result_of(capsys, "--method", "k-perc", "--gamma", 1e-9, "--pieces", 10)
    assert given["gamma"] == 1e-9
    assert given["accuracy"] != default["accuracy"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "nn3", "--k", "0"], "k is a whole number of at least 1, not 0"),
        (["--method", "cnn", "--k", "3"], "--k is for nn3 and iblstreams, not for cnn"),
        (["--k", "3"], "--k is for nn3 and iblstreams, not for auto-adj"),
        (["--method", "vfdt", "--gamma", "3"], "--gamma is for k-perc, not for vfdt"),
        (["--method", "nn3", "--budget", "3"], "--budget is for auto and auto-adj, not for nn3"),
        (["--method", "nn3", "--save", "m"], "--save is for base, base-adj, auto, auto-adj, not"),
        (["--method", "nn3", "--reading", "literal"], "auto-adj and iblstreams, not for nn3"),
        (["--reading", "moa"], "unknown reading 'moa'; the readings are paper, literal, authors"),
        (["--method", "iblstreams", "--reading", "paper"], "unknown reading 'paper'; IBLStreams"),
        (["--start", "9"], "--start is for iblstreams, not for auto-adj"),
        (["--method", "nn3", "--engine", "reference"], "--engine reference is for base"),
        (["--method", "k-perc", "--gamma", "-1"], "gamma must be above 0 and finite"),
        (["--method", "k-perc", "--pieces", "9"], "with --pieces, give --gamma"),
        (["--grace-period", "9"], "--grace-period is for rules and vfdt, not for auto-adj"),
    ],
)
def test_what_makes_no_sense_is_refused(mine, capsys, options, message):
    status, out, err = call(capsys, "run", "mine.csv", *options)
    assert (status, out) == (2, "")
    assert err.startswith("abacoc: ")
    assert message in err
    assert err.count("\n") == 1
