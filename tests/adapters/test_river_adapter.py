"""River's own contract, and what it does not ask: features that come and go, exactly."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from interrupts import interrupted
from river import checks, compose, preprocessing

import abacoc
from abacoc.adapters import river as adapters
from abacoc.streams import load, open_stream

MODELS = {
    "auto": adapters.AutoClassifier(),
    "auto-adj": adapters.AutoAdjClassifier(),
    "auto-adj fix": adapters.AutoAdjClassifier(budget=20, seed=3),
    "auto-adj as the authors": adapters.AutoAdjClassifier(reading="authors"),
    "base": adapters.BaseClassifier(),
    "base by majority": adapters.BaseClassifier(vote="majority"),
    "base-adj": adapters.BaseAdjClassifier(),
    "online": adapters.AutoAdjClassifier(budget=20, seed=3, scale="online"),
    "online-minmax": adapters.BaseClassifier(scale="online-minmax"),
    "base-adj online": adapters.BaseAdjClassifier(scale="online"),
}
PLAIN = {
    "auto": abacoc.Auto,
    "auto-adj": abacoc.AutoAdj,
    "auto-adj fix": lambda: abacoc.AutoAdj(budget=20, seed=3),
    "auto-adj as the authors": lambda: abacoc.AutoAdj(reading="authors"),
    "base": abacoc.Base,
    "base by majority": lambda: abacoc.Base(vote="majority"),
    "base-adj": abacoc.BaseAdj,
    "online": lambda: abacoc.Scaled(abacoc.AutoAdj(budget=20, seed=3)),
    "online-minmax": lambda: abacoc.Scaled(abacoc.Base(), "online-minmax"),
    "base-adj online": lambda: abacoc.Scaled(abacoc.BaseAdj()),
}


def all_checks():
    for name, model in MODELS.items():
        for number, check in enumerate(checks.yield_checks(model)):
            yield pytest.param(model, check, id=f"{name}-{number}-{check.__name__}")


@pytest.mark.parametrize(("model", "check"), list(all_checks()))
def test_contract_of_river(model, check):
    check(model.clone())


@pytest.mark.parametrize("name", MODELS)
def test_no_check_is_skipped(name):
    assert not set(MODELS[name]._unit_test_skips())


def head(n=400):
    stream = open_stream("generated:banana,n=400,seed=2")
    return stream.X[:n], stream.y[:n].tolist()


@pytest.mark.parametrize("name", MODELS)
def test_same_answers_as_the_learner(name):
    model, learner = MODELS[name].clone(), PLAIN[name]()
    for row, label in zip(*head(), strict=True):
        x = dict(enumerate(row.tolist()))
        assert model.predict_one(x) == learner.predict(row)
        model.learn_one(x, label)
        learner.update(row, label)
    assert model.learner.n_balls == learner.n_balls
    assert model.learner.explain(row, k=5) == learner.explain(row, k=5)


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_belong_to_the_prediction(name):
    model = MODELS[name].clone()
    for row, label in zip(*head(), strict=True):
        x = dict(enumerate(row.tolist()))
        model.learn_one(x, label)
        shares = model.predict_proba_one(x)
        if model.learner.n_balls:  # the authors' first example makes no ball
            assert shares[model.predict_one(x)] == max(shares.values())


def test_probability_of_base():
    model, learner = adapters.BaseClassifier(), abacoc.Base()
    assert model.predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    for row, label in zip(*head(), strict=True):
        x = dict(enumerate(row.tolist()))
        p = learner.probability(row)
        assert model.predict_proba_one(x) == {0: 1 - p, 1: p}
        model.learn_one(x, label)
        learner.update(row, label)


def test_base_refuses_a_third_class():
    model = adapters.BaseClassifier()
    with pytest.raises(ValueError, match="BASE takes the labels 0 and 1, not 'yes'"):
        model.learn_one({"a": 1.0}, "yes")
    assert model.learner.n_balls == 0


@pytest.mark.parametrize("name", MODELS)
def test_features_that_come_and_go_are_zeros(name):
    """The model is the one of the whole matrix, where what an example lacks is 0."""
    generator = np.random.default_rng(5)
    X = np.round(generator.normal(size=(300, 9)), 1)
    X[generator.random(X.shape) < 0.5] = 0.0
    for j in range(9):
        X[: 30 * j, j] = 0.0  # column j begins later and later
    labels = (X.sum(axis=1) > 0).astype(int).tolist()
    model, learner = MODELS[name].clone(), PLAIN[name]()
    for row, label in zip(X, labels, strict=True):
        present = {f"f{j}": value for j, value in enumerate(row.tolist()) if value}
        known = {k: v for k, v in present.items() if k in model._places}
        assert model.predict_one(present) == model.predict_one(known)
        model.learn_one(present, label)
        learner.update(row, label)
    ours, theirs = model.learner.balls, learner.balls
    columns = [model._places[f"f{j}"] for j in range(9)]
    assert columns == list(range(9)), "in the order of the matrix, as are the additions"
    assert np.array_equal(ours.centres[:, :9], theirs.centres)
    assert np.array_equal(ours.radii, theirs.radii)
    assert np.array_equal(ours.counts, theirs.counts)
    assert ours.centres.shape[1] > 9
    assert not ours.centres[:, 9:].any(), "the room that is left is 0"
    if model.scale:
        ours, theirs = model.learner.statistics, learner.statistics
        assert ours.n == theirs.n == 300
        for wide, plain in zip(ours[1:], theirs[1:], strict=True):
            assert np.array_equal(wide[:9], plain)
            assert not wide[9:].any()


def test_one_feature_after_another_keeps_the_budget_and_its_coin():
    """A budget discards at random: the coin must survive the larger space."""
    model, learner = adapters.AutoAdjClassifier(budget=3, seed=7), abacoc.AutoAdj(budget=3, seed=7)
    for t in range(40):
        row = np.zeros(40)
        row[t] = 1.0 + t % 7
        model.learn_one({t: row[t]}, t % 3)
        learner.update(row, t % 3)
    assert model.learner.n_balls == learner.n_balls == 3
    assert np.array_equal(model.learner.balls.centres[:, :40], learner.balls.centres)


def test_names_of_different_types_and_any_order():
    first, second = adapters.AutoAdjClassifier(), adapters.AutoAdjClassifier()
    for a, b, c, label in ((0.1, 0.2, 0.3, "x"), (1.0, 0.4, 0.2, "y"), (0.7, 0.1, 0.9, "x")):
        first.learn_one({"a": a, 1: b, (2, 3): c}, label)
        second.learn_one({(2, 3): c, 1: b, "a": a}, label)
    assert np.array_equal(first.learner.balls.centres, second.learner.balls.centres)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "feature 'b' is nan, not between -1e150 and 1e150"),
        (float("-inf"), "feature 'b' is -inf, not between"),
        ("3", "feature 'b' is '3', not a number"),
        (None, "feature 'b' is None, not a number"),
        (1e151, "feature 'b' is 1e\\+151, not between"),
        (10**400, "not between"),
    ],
    ids=["nan", "infinity", "text", "none", "large", "very large"],
)
def test_bad_features_change_nothing(value, message):
    model = adapters.AutoAdjClassifier()
    model.learn_one({"a": 1.0}, "x")
    model.learn_one({"a": 2.0}, "y")
    before = pickle.dumps(model.learner.balls)
    with pytest.raises(ValueError, match=message):
        model.learn_one({"a": 1.0, "b": value}, "x")
    assert pickle.dumps(model.learner.balls) == before
    assert model._places == {"a": 0}
    with pytest.raises(ValueError, match="the label is missing"):
        model.learn_one({"new": 1.0}, None)
    assert model._places == {"a": 0}


def test_example_without_features():
    model = adapters.AutoAdjClassifier()
    model.learn_one({}, "nothing")
    model.learn_one({"a": 1.0}, "one")
    assert (model.predict_one({}), model.predict_one({"a": 0.9})) == ("nothing", "one")


def test_in_a_pipeline():
    model = compose.Pipeline(preprocessing.StandardScaler(), adapters.AutoAdjClassifier())
    hits = 0
    for row, label in zip(*head(), strict=True):
        x = dict(enumerate(row.tolist()))
        hits += model.predict_one(x) == label
        model.learn_one(x, label)
    assert hits > 0.6 * 400  # the two bananas are half and half


def test_beside_the_scaler_of_river(data_folder):
    """Where units differ, both gain a lot over no scaling, and differ by what they know."""
    stream = load("electricity")
    rows = stream.X[:3000].tolist(), [stream.labels[k] for k in stream.y[:3000]]

    def accuracy(model):
        hits = 0
        for row, label in zip(*rows, strict=True):
            x = dict(enumerate(row))
            hits += model.predict_one(x) == label
            model.learn_one(x, label)
        return hits / 3000

    theirs = accuracy(preprocessing.StandardScaler() | adapters.AutoAdjClassifier())
    ours = accuracy(adapters.AutoAdjClassifier(scale="online"))
    learner = abacoc.Scaled(abacoc.AutoAdj())
    assert ours == abacoc.prequential(learner, stream.X[:3000], rows[1]).accuracy
    plain = accuracy(adapters.AutoAdjClassifier())
    print(f"StandardScaler {theirs:.4f}, online {ours:.4f}, neither {plain:.4f}")
    assert min(ours, theirs) > plain
    # two deviations of the difference of two such accuracies, were they independent
    assert abs(ours - theirs) < 2 * (2 * 0.25 / 3000) ** 0.5


def test_an_unknown_scaling_is_refused():
    with pytest.raises(ValueError, match="scaled online or online-minmax, not 'standard'"):
        adapters.AutoAdjClassifier(scale="standard")


def test_copy_goes_on_alike(tmp_path):
    model = adapters.AutoAdjClassifier(budget=10)
    X, y = head()
    for row, label in zip(X[:200], y[:200], strict=True):
        model.learn_one(dict(enumerate(row.tolist())), label)
    joblib.dump(model, tmp_path / "model")
    twins = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    twins.append(joblib.load(tmp_path / "model"))
    for row, label in zip(X[200:], y[200:], strict=True):
        for each in (model, *twins):
            each.learn_one(dict(enumerate(row.tolist())), label)
    for twin in twins:
        assert np.array_equal(twin.learner.balls.centres, model.learner.balls.centres)


@pytest.mark.parametrize("name", ["auto-adj fix", "base-adj", "online"])
def test_an_interruption_leaves_a_model_that_goes_on(name):
    """Once a model whose points had become wider than its balls refused everything."""
    rng = np.random.default_rng(0)
    model, points = MODELS[name].clone(), 0
    for t in range(13):
        x = {f"f{i}": value for i, value in enumerate(rng.random(1 + t // 3).tolist())}

        def learn(model, x=x, y=t % 3):
            model.learn_one(x, y)

        after = copy.deepcopy(model)
        learn(after)
        for victim in interrupted(model, learn):
            points += 1
            assert sum(victim.predict_proba_one(x).values()) in (0.0, pytest.approx(1.0))
            victim.predict_one(x)
            if inside(victim) != inside(after):
                learn(victim)
            assert inside(victim) == inside(after)
        learn(model)
    assert points > 100


def inside(model):
    return [model._places, model._width, abacoc.modelfile.state(model.learner)]
