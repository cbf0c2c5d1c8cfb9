"""A learner that was pickled, copied or stored by joblib is the same learner, and goes on alike."""

import copy
import pickle

import joblib
import numpy as np
import pytest

from abacoc import Auto, AutoAdj, Base, BaseAdj, auto
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.neighbours import Cnn, Nn3

rng = np.random.default_rng(0)
X = np.hstack([rng.normal(size=(400, 3)), rng.integers(0, 2, (400, 20))])  # columns of bits too
Y = (X[:, 0] > 0).astype(int).tolist()
LEARNERS = {
    "base": lambda: Base(vote="majority"),
    "base-adj": BaseAdj,
    "auto": Auto,
    "auto-adj": AutoAdj,
    "fix": lambda: AutoAdj(budget=40),
    "reference": lambda: auto.AutoAdj(budget=40),
    "nn3": Nn3,
    "cnn": Cnn,
    "iblstreams": lambda: IblStreams(k=5, size=100, start=30),
}


def by_joblib(mode):
    def carry(learner, folder):
        joblib.dump(learner, folder / "model")
        return joblib.load(folder / "model", mmap_mode=mode)

    return carry


WAYS = {
    "pickle": lambda learner, folder: pickle.loads(pickle.dumps(learner)),
    "deepcopy": lambda learner, folder: copy.deepcopy(learner),
    "joblib": by_joblib(None),
    "joblib, read-only memory": by_joblib("r"),
}


# These have small arrays of their own, which cannot be written in read-only memory.
OTHERS = ("nn3", "cnn", "iblstreams", "reference")
PAIRS = [(n, w) for n in LEARNERS for w in WAYS if n not in OTHERS or "read-only" not in w]


@pytest.mark.parametrize(("name", "way"), PAIRS)
@pytest.mark.parametrize("length", [0, 300])
def test_goes_on_alike(name, way, length, tmp_path):
    scale = 1 / np.linalg.norm(X, axis=1).max() if name.startswith("base") else 1.0
    points = X * scale
    learner = LEARNERS[name]()
    for x, y in zip(points[:length], Y[:length], strict=True):
        learner.update(x, y)
    twin = WAYS[way](learner, tmp_path)
    for x, y in zip(points[length:], Y[length:], strict=True):
        assert twin.predict(x) == learner.predict(x)
        twin.update(x, y)
        learner.update(x, y)
    assert twin.n_balls == learner.n_balls
    assert [twin.predict(x) for x in points] == [learner.predict(x) for x in points]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("length", [0, 150])
def test_a_copy_is_a_learner_of_its_own(name, length):
    """Also by copy.copy: two learners with the same arrays wrote into each other."""
    learner = LEARNERS[name]()
    for x, y in zip(X[:length], Y[:length], strict=True):
        learner.update(x / 10, y)
    said = [learner.n_balls, [learner.predict(x / 10) for x in X]]
    other = copy.copy(learner)
    for x, y in zip(X[length:], Y[length:], strict=True):
        other.update(x / 10, 1 - y)
    assert [learner.n_balls, [learner.predict(x / 10) for x in X]] == said
    assert [other.n_balls, [other.predict(x / 10) for x in X]] != said
