"""The methods that came after the paper: they run, learn and count, and the paper's lists stay."""

import importlib.util
import json
import sys

import numpy as np
import pandas as pd
import pytest
from test_moa import CLASSES, arff, command_line_of_moa, three_classes

from abacoc import prequential
from abacoc.baselines import moa, successors
from abacoc.baselines.constant import NoChange
from abacoc.baselines.moa import MoaClassifier
from abacoc.baselines.river import RiverClassifier
from abacoc.cli import main
from abacoc.grid.jobs import make_job, run_job
from abacoc.methods import COMPETITORS, MENTIONED, METHODS, OWN, SUCCESSORS, YARDSTICKS, has_moa
from abacoc.wording import missing
from paper import grids, runs
from paper import successors as table

has_river = importlib.util.find_spec("river") is not None
needs_moa = pytest.mark.skipif(not has_moa(), reason="no MOA: the extra moa")
needs_river = pytest.mark.skipif(not has_river, reason="no River: the extra river")
OF_MOA = [pytest.param(name, marks=needs_moa) for name in ("sam-knn", "knn-paw", "arf")]
OF_RIVER = [pytest.param("amf", marks=needs_river)]
each = pytest.mark.parametrize("name", [*OF_MOA, *OF_RIVER])


def boxes(n=600, seed=0, noise=0.1):
    """Three classes that boxes tell apart, in random order."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    k = np.where(X[:, 0] < 0.4, 1, np.where(X[:, 1] < 0.5, 2, 0))
    k = np.where(rng.random(n) < noise, rng.integers(3, size=n), k)
    return X, [("x", "y", "z")[i] for i in k]


def answers(name, seed=0, n=600, **more):
    X, y = boxes(n, **more)
    run = prequential(METHODS[name].make({"seed": seed}, y), X, y)
    return run.predictions, run.model_sizes.tolist()


def test_the_lists_of_the_paper_are_as_they_were():
    assert OWN == ("base", "base-adj", "auto", "auto-adj")
    assert COMPETITORS == ("nn3", "cnn", "k-perc", "rules", "vfdt")
    assert (YARDSTICKS, MENTIONED) == (("no-change", "majority"), ("iblstreams",))
    assert SUCCESSORS == ("sam-knn", "knn-paw", "arf", "amf")
    assert (*OWN, *COMPETITORS) == grids.NINE
    assert {METHODS[name].chance for name in SUCCESSORS} == {True}
    assert not any(METHODS[name].chance for name in METHODS if name not in SUCCESSORS)


def test_no_grid_of_the_paper_has_them_and_their_runs_are_not_standard():
    jobs = [job for item in grids.ITEMS for job in grids.grid(item, "tiny").jobs]
    assert jobs
    assert not {job.method for job in jobs} & set(SUCCESSORS)
    rows = pd.DataFrame([{"method": name, "settings": "{}"} for name in (*SUCCESSORS, "nn3")])
    assert runs._plain(rows).tolist() == [False] * 4 + [True]


@each
def test_learns(name):
    X, y = boxes()
    learner = METHODS[name].make({}, y)
    assert learner.predict(X[0]) is None
    assert learner.n_balls == 0
    run = prequential(learner, X, y)
    assert run.accuracy > prequential(NoChange(), X, y).accuracy + 0.2
    assert run.accuracy > 0.7
    assert METHODS[name].used(learner).startswith(("MOA ", "River "))
    assert METHODS[name].unit == learner.unit
    assert f" {learner.unit}, 3 classes" in repr(learner)


@each
def test_the_same_seed_is_the_same_run_and_another_one_another(name):
    assert answers(name) == answers(name)
    assert (answers(name, seed=1) == answers(name)) == (name == "sam-knn")  # it has no need of any


@needs_moa
def test_the_chance_of_sam_knn_is_in_what_it_compresses():
    def answers(seed):
        X, y = boxes(900, noise=0.3)
        learner = successors.SamKnn(["x", "y", "z"], seed=seed)
        learner._model.limitOption.setValue(100)
        run = prequential(learner, X, y)
        assert run.model_sizes.max() <= 101
        return run.predictions

    assert answers(0) == answers(0) != answers(1)


@each
def test_asking_changes_nothing(name):
    X, y = boxes(300)
    asked, silent = (METHODS[name].make({}, y) for _ in range(2))
    for x, label in zip(X, y, strict=True):
        asked.predict(x[::-1])
        asked.update(x, label)
        silent.update(x, label)
    assert [asked.predict(x) for x in X] == [silent.predict(x) for x in X]
    assert asked.n_balls == silent.n_balls


@pytest.mark.parametrize("name", OF_MOA)
def test_agrees_with_the_command_line_of_moa(name, tmp_path):
    X, y = three_classes(700)
    start = y.index("y")  # before anything is learned MOA answers its first class
    X, y = X[start:], y[start:]
    arff(tmp_path / "stream.arff", X, y, CLASSES)
    learner = METHODS[name].make({"seed": 1}, CLASSES)  # MOA's own seed
    theirs = command_line_of_moa(learner.command, "stream.arff", tmp_path)
    predictions = prequential(learner, X, y).predictions
    hits = sum(p == label for p, label in zip(predictions, y, strict=True))
    assert theirs["classifications correct (percent)"] == str(hits / len(y) * 100)


@each
def test_another_setting_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} has no setting k"):
        METHODS[name].make({"k": 3}, ["a"])
    with pytest.raises(ValueError, match=f"{name} has no setting 'k'"):
        make_job("sea", name, k=3)


@needs_moa
def test_seeds_of_java():
    successors.KnnPaw(["a"], seed=2**31 - 1)
    for seed in (-1, 2**31):
        with pytest.raises(ValueError, match=f"is from 0 to 2147483647, not {seed}"):
            successors.KnnPaw(["a"], seed=seed)


def field(learner, name):
    return moa.field_of(moa.start_java(), learner._model, name).get(learner._model)


@needs_moa
def test_what_the_sizes_of_moas_count():
    X, y = boxes(300)
    learners = {name: METHODS[name].make({}, y) for name in SUCCESSORS[:3]}
    for learner in learners.values():
        prequential(learner, X, y)
    sam, paw, arf = learners.values()
    assert sam.n_balls == field(sam, "stm").size() + field(sam, "ltm").size() > 50
    assert paw.n_balls == field(paw, "window").size() > 50
    leaves = sum(
        int(measure.getValue())
        for tree in field(arf, "ensemble")
        for measure in tree.classifier.getModelMeasurements()
        if str(measure.getName()) == "tree size (leaves)"
    )
    assert arf.n_balls == 2 * leaves - 100 > 100  # all splits are in two; a hundred trees
    with pytest.raises(ValueError, match="kNN has no measurement and no field 'ltm'"):
        MoaClassifier("lazy.kNN", size="window+ltm")


@needs_river
def test_what_the_size_of_amf_counts():
    def nodes(node):
        return 1 if node.is_leaf else 1 + sum(nodes(child) for child in node.children)

    X, y = boxes(300)
    learner = successors.Amf()
    prequential(learner, X, y)
    assert learner.n_balls == sum(nodes(tree._root) for tree in learner._model) > 100
    assert learner.n_bytes > 100 * learner.n_balls


@needs_moa
def test_sam_knn_sees_no_label_before_it_has_answered():
    """And what it notes about its memories is what MOA notes that is told the label at once."""
    X, y = boxes(500, noise=0.3)
    ours = successors.SamKnn(["x", "y", "z"])
    run = prequential(ours, X, y)
    theirs = MoaClassifier("lazy.SAMkNN", size="stm+ltm", classes=["x", "y", "z"])
    theirs._make_header(2)
    said = []
    for x, label in zip(X, y, strict=True):
        instance = theirs._instance(x, theirs._number[label])
        votes = theirs._model.getVotesForInstance(instance)
        said.append(theirs.classes[theirs._max_index(votes)])
        theirs._model.trainOnInstance(instance)
    assert run.predictions[1:] == said[1:]
    for name in ("stmHistory", "ltmHistory", "cmHistory"):
        notes = [int(note) for note in field(ours, name)]
        assert notes == [int(note) for note in field(theirs, name)]
        assert len(notes) == field(ours, "stm").size()
        assert sum(notes) > 10


@needs_river
def test_any_classifier_of_river():
    from river.tree import HoeffdingTreeClassifier

    learner = RiverClassifier(HoeffdingTreeClassifier(grace_period=20, delta=0.1), size="n_leaves")
    X, y = boxes()
    run = prequential(learner, X, y)
    assert run.accuracy > 0.7
    assert run.n_balls == learner._model.n_leaves > 1
    learner.update(X[0], ("a", "new", "label"))
    assert learner.classes[-1] == ("a", "new", "label")


# Commands -----------------------------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = boxes(200)
    rows = [f"{a},{b},{label}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    (tmp_path / "mine.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")


@each
def test_run_and_grid(name, mine, capsys):
    assert main(["run", "mine.csv", "--method", name, "--seed", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    job = run_job(make_job("mine.csv", name, seed=3))
    assert (found["accuracy"], found["model_size"]) == (job["accuracy"], job["model_size"])
    assert (found["seed"], found["method_used"]) == (3, job["method_used"])
    grid = ["grid", "mine.csv", "--methods", name, "--seeds", "2", "--workers", "1"]
    assert main(grid) == 0
    told = capsys.readouterr().out
    assert METHODS[name].title in told
    assert "±" in told  # two seeds, as it has chance of its own
    assert METHODS[name].unit in told


@pytest.mark.parametrize("name", SUCCESSORS)
def test_what_to_install(name, mine, capsys, monkeypatch):
    def no():
        raise ValueError(missing("MOA", "jpype", "moa"))

    monkeypatch.setattr(moa, "start_java", no)
    monkeypatch.setitem(sys.modules, "river.forest", None)
    assert main(["run", "mine.csv", "--method", name]) == 2
    err = capsys.readouterr().err
    assert f"(the extra {'river' if name == 'amf' else 'moa'} of abacoc)" in err
    assert err.count("\n") == 1


# The table ----------------------------------------------------------------------------------------


def committed():
    return pd.read_csv(table.RESULTS / "reproduced" / "successors.csv").set_index("stream")


ENTRANT = ["method", "budget", "scale"]


def test_the_table_has_every_case_of_its_streams():
    for stream, rows in committed().groupby(level=0):
        cases = pd.DataFrame(table.cases(stream)).groupby(ENTRANT).size()
        assert rows.set_index(ENTRANT).seeds.to_dict() == cases.to_dict()
        assert (rows.accuracy >= 0).all()


@needs_moa
@needs_river
def test_the_table_is_what_comes_out():
    data = table.opened("phishing")
    entrants = ["auto-adj", "nn3", "knn-paw", "amf"]
    cases = [c for c in table.cases("phishing") if c.method in entrants and c.scale == "none"]
    numbers = ["accuracy", "kappa", "model_size"]
    made = pd.DataFrame([table.run(case, data) for case in cases])
    made = made.groupby("method")[numbers].mean()
    rows = committed().loc["phishing"]
    stored = rows[rows.scale == "none"].set_index("method").loc[made.index, numbers]
    np.testing.assert_allclose(made, stored.astype(float), rtol=1e-5)  # six digits are stored


@needs_river
@pytest.mark.parametrize("name", table.RIVERS)
def test_rivers_own_protocol_finds_the_same(name):
    """Only the first example, which nobody can answer, is none of River's."""
    from river import datasets, evaluate, metrics

    from abacoc.adapters.river import AutoAdjClassifier

    source = getattr(datasets, table.RIVERS[name])()
    theirs = evaluate.progressive_val_score(source, AutoAdjClassifier(), metrics.Accuracy())
    n = source.n_samples
    (case,) = [c for c in table.cases(name) if c.method == "auto-adj" and c.scale == "none"]
    ours = table.run(case, table.opened(name))["accuracy"]
    assert theirs.get() * (n - 1) == pytest.approx(ours * n, abs=1e-6)  # both are whole numbers


@needs_river
def test_a_stream_with_a_run_missing_is_not_in_the_table():
    case = next(table.cases("phishing"))
    rows = [table.run(case, table.opened("phishing"))]
    assert table.table(pd.DataFrame(rows)).empty
