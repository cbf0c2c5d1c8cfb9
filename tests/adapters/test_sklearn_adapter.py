"""scikit-learn's own contract, and that the answers are those of the learner."""

import joblib
import numpy as np
import pandas as pd
import pytest
from interrupts import interrupted
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import shuffle
from sklearn.utils.estimator_checks import parametrize_with_checks

import abacoc
from abacoc.adapters.sklearn import (
    AutoAdjClassifier,
    AutoClassifier,
    BaseAdjClassifier,
    BaseClassifier,
)
from abacoc.streams import as_stream, open_stream

MODELS = {
    "auto": (AutoClassifier(), abacoc.Auto),
    "auto-adj": (AutoAdjClassifier(), abacoc.AutoAdj),
    "auto-adj fix": (
        AutoAdjClassifier(budget=20, seed=3),
        lambda: abacoc.AutoAdj(budget=20, seed=3),
    ),
    "base": (BaseClassifier(), abacoc.Base),
    "base by majority": (
        BaseClassifier(vote="majority"),
        lambda: abacoc.Base(vote="majority"),
    ),
    "base-adj": (BaseAdjClassifier(), abacoc.BaseAdj),
    "online": (AutoAdjClassifier(scale="online"), lambda: abacoc.Scaled(abacoc.AutoAdj())),
    "online-minmax": (
        BaseClassifier(scale="online-minmax"),
        lambda: abacoc.Scaled(abacoc.Base(), "online-minmax"),
    ),
}


@parametrize_with_checks([model for model, _ in MODELS.values()])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


def head(n=400):
    stream = open_stream("generated:banana,n=400,seed=2")
    return stream.X[:n], stream.y[:n]


@pytest.mark.parametrize("name", MODELS)
def test_same_answers_as_the_learner(name):
    model, new_learner = MODELS[name]
    X, y = head()
    model, learner = clone(model).fit(X[:300], y[:300]), new_learner()
    for row, label in zip(X[:300], y[:300].tolist(), strict=True):
        learner.update(row, label)
    assert model.predict(X).tolist() == [learner.predict(row) for row in X]
    assert model.learner_.explain(X[-1], k=5) == learner.explain(X[-1], k=5)


@pytest.mark.parametrize("name", MODELS)
def test_two_halves_are_the_whole(name):
    model, _ = MODELS[name]
    X, y = head()
    whole = clone(model).fit(X, y)
    halves = (
        clone(model).partial_fit(X[:150], y[:150], classes=[0, 1]).partial_fit(X[150:], y[150:])
    )
    assert np.array_equal(whole.learner_.balls.centres, halves.learner_.balls.centres)
    assert np.array_equal(whole.predict_proba(X), halves.predict_proba(X))


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_belong_to_the_prediction(name):
    model, _ = MODELS[name]
    X, y = head()
    X = np.round(X, 1)  # so that equal points have different labels, and balls have ties
    model = clone(model).fit(X, y)
    shares = model.predict_proba(X)
    assert np.array_equal(shares.argmax(axis=1), model.predict(X))
    # the sum of two or three numbers that are each rounded once or twice
    assert np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=4 * 2.0**-52)


def test_probability_of_base():
    X, y = head()
    model, learner = BaseClassifier().fit(X, y), abacoc.Base()
    for row, label in zip(X, y.tolist(), strict=True):
        learner.update(row, label)
    p = np.array([learner.probability(row) for row in X])
    sure = p != 0.5  # ties go to the label that was first, by a last bit
    assert sure.any()
    assert np.array_equal(model.predict_proba(X)[sure, 1], p[sure])


def test_ties_go_to_the_label_that_was_first():
    model = AutoClassifier().fit([[0.0], [1.0], [0.0]], ["z", "b", "b"])
    assert model.learner_.explain([0.0]).balls[0].counts == {1: 1, 0: 1}
    assert model.predict([[0.0]]).tolist() == ["z"]
    assert model.predict_proba([[0.0]]).tolist() == [[0.5, 0.5 + 2.0**-53]]


def test_labels_of_any_kind_keep_their_type():
    X = [[0.0], [1.0], [5.0], [0.1]]  # each label a ball of its own
    for labels in (["b", "a", "c", "b"], [True, False, True, True], [2.0, 7.0, -1.0, 2.0]):
        model = AutoAdjClassifier().fit(X, labels)
        assert model.classes_.tolist() == sorted(set(labels))
        assert model.predict(X).tolist() == labels
        assert model.predict(X).dtype == np.asarray(labels).dtype


def test_unannounced_classes_are_refused():
    model = AutoAdjClassifier()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model.partial_fit([[0.0]], ["a"])
    with pytest.raises(ValueError, match=r"labels \['c'\] are not among the classes"):
        model.partial_fit([[0.0], [1.0]], ["a", "c"], classes=["a", "b"])
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])
    model.partial_fit([[0.0], [1.0]], ["a", "a"], classes=["c", "b", "a"])
    assert model.predict_proba([[0.2]]).tolist() == [[1.0, 0.0, 0.0]]
    before = model.learner_.n_balls
    with pytest.raises(ValueError, match=r"labels \['d'\] are not among the classes"):
        model.partial_fit([[5.0], [6.0]], ["b", "d"])
    with pytest.raises(ValueError, match="not those of the first call"):
        model.partial_fit([[5.0]], ["b"], classes=["a", "b"])
    assert model.learner_.n_balls == before
    assert model.partial_fit([[5.0]], ["b"]).predict([[4.0]]).tolist() == ["b"]


def test_authors_reading_of_one_example():
    model = AutoClassifier(reading="authors").fit([[1.0]], ["only"])
    assert model.learner_.n_balls == 0
    assert model.predict([[3.0]]).tolist() == ["only"]
    assert model.predict_proba([[3.0]]).tolist() == [[1.0]]


def test_bad_parameters_are_told_when_fitting():
    with pytest.raises(ValueError, match="d_hat must be a number of at least 0, not -1"):
        AutoAdjClassifier(d_hat=-1).fit([[0.0]], [0])


def test_pipeline_and_cross_validation():
    X, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    pipeline = make_pipeline(StandardScaler(), AutoAdjClassifier())
    scores = cross_val_score(clone(pipeline), X, y, cv=StratifiedKFold(5))
    for score, (train, test) in zip(scores, StratifiedKFold(5).split(X, y), strict=True):
        scaler, learner = StandardScaler().fit(X[train]), abacoc.AutoAdj()
        for row, label in zip(scaler.transform(X[train]), y[train].tolist(), strict=True):
            learner.update(row, label)
        said = [learner.predict(row) for row in scaler.transform(X[test])]
        assert score == np.mean(said == y[test])


@pytest.mark.parametrize("mode", [None, "r"])
def test_joblib_keeps_a_model(tmp_path, mode):
    """A file of joblib, mapped into memory that cannot be written or not, and on it goes."""
    X, y = head()
    model = AutoAdjClassifier(budget=20).fit(X[:200], y[:200])
    joblib.dump(model, tmp_path / "model")
    loaded = joblib.load(tmp_path / "model", mmap_mode=mode)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    for each in (model, loaded):
        each.partial_fit(X[200:], y[200:])
    assert np.array_equal(loaded.learner_.balls.centres, model.learner_.balls.centres)


def test_a_fit_that_is_interrupted_leaves_the_model_before():
    rng = np.random.default_rng(0)
    X, y = rng.random((12, 3)), np.array(["a", "b", "c"] * 4)
    model, points = AutoAdjClassifier(budget=5).fit(X[:, :2], y), 0
    said = model.predict(X[:, :2]).tolist()
    for victim in interrupted(model, lambda model: model.fit(X, np.array(["d", "e"] * 6))):
        points += 1
        if victim.n_features_in_ == 3:  # after the last line but one
            assert victim.classes_.tolist() == ["d", "e"]
            victim.predict(X)
        else:
            assert victim.predict(X[:, :2]).tolist() == said
    assert points > 15
    for victim in interrupted(
        AutoAdjClassifier(), lambda model: model.partial_fit(X, y, ["a", "b", "c"])
    ):
        victim.partial_fit(X, y, ["a", "b", "c"]).predict(X)


def test_a_frame_with_words_is_taken_as_the_stream_that_it_is():
    """Columns by name, in any order; a word that is new is in no 0/1 column, and that is said."""
    rng = np.random.default_rng(3)
    size, colour = rng.normal(size=300), rng.choice(["red", "blue", "green"], 300)
    y = np.where((size > 0) ^ (colour == "red"), "in", "out")
    frame = pd.DataFrame({"size": size, "colour": colour})
    X = as_stream(frame, y).X
    assert X.shape == (300, 4)
    plain = AutoAdjClassifier().fit(X, y)
    ours = AutoAdjClassifier().fit(frame, y)
    assert ours.learner_.balls.centres.tolist() == plain.learner_.balls.centres.tolist()
    assert ours.predict(frame[["colour", "size"]]).tolist() == plain.predict(X).tolist()
    parts = AutoAdjClassifier().partial_fit(frame[:100], y[:100], classes=["in", "out"])
    parts.partial_fit(frame[100:], y[100:])
    assert parts.predict_proba(frame).tolist() == plain.predict_proba(X).tolist()
    strange = pd.DataFrame({"size": [0.5], "colour": ["violet"]})
    with pytest.warns(UserWarning, match="violet: not known to the model"):
        assert ours.predict(strange) == plain.predict([[0.5, 0, 0, 0]])
    with pytest.raises(ValueError, match="no column 'size'"):
        ours.predict(frame[["colour"]])
    again = ours.fit(X, y)  # from nothing: numbers now
    assert again.predict(X).tolist() == plain.predict(X).tolist()
