"""Without kernels at first: the same answers, wherever they take over."""

import copy
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import iblstreams, neighbours, perceptron, streams

from abacoc.baselines import neighbours as module
from abacoc.baselines.examples import ExampleLearner
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Cnn, Nn3
from abacoc.engine.kernels import Kernels

REACHED = Counter()


METHODS = {
    "nn3": (Nn3, neighbours),
    "cnn": (Cnn, lambda X, y, learned: neighbours(X, y, learned, 1, True)),
    "k-perc": (KPerc, lambda X, y, learned: perceptron(X, y, learned, 1.0)[:2]),
    "iblstreams": (
        lambda: IblStreams(5, 60, 20),
        lambda X, y, learned: iblstreams(X, y, learned, k=5, size=60, start=20)[:2],
    ),
}


def after(learner, n):
    """Kernels that come when they are asked for the n-th time."""
    home = learner.kernels.home, learner.kernels.entries

    class After(Kernels):
        left = n

        def are_ready(self):
            self.left -= 1
            if self.left < 0:
                self.load()
            return self.are_loaded

    return After(*home)


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data(), stream=streams())
def test_same_answers(method, data, stream):
    X, y, learned = stream
    make, plain = METHODS[method]
    with pytest.MonkeyPatch.context() as patch:
        kernels = after(make(), data.draw(st.integers(0, 2 * len(X))))
        patch.setattr(ExampleLearner, "kernels", kernels, raising=False)
        for cls in Nn3, KPerc, IblStreams:
            patch.delattr(cls, "kernels")
        learner = make()
        learner.predict(X[0])
        predictions, sizes, by_reference = [], [], 0
        for part in np.array_split(np.arange(len(X)), 2):
            if len(part):
                answer = learner.run_rows(X[part], y[part].tolist(), learned[part])
                predictions += learner.named(answer)
                sizes += answer.sizes.tolist()
                by_reference += answer.by_reference
                learner = copy.deepcopy(learner)
        in_the_end = learner.engine
    assert (predictions, sizes) == plain(X, y, learned)
    assert learner.n_learned == learned.sum()
    where = "never" if in_the_end == "reference" else "between" if by_reference else "at once"
    REACHED[where] += 1


def test_all_of_it_was_reached():
    if sum(REACHED.values()) > 100:
        assert min(REACHED[where] for where in ("at once", "between", "never")) > 5, REACHED


@pytest.mark.parametrize("make", [Nn3, Cnn])
def test_an_exception_leaves_it_as_it_was(make, monkeypatch):
    """In the engine's run over what is stored, which is on the way to an engine."""
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 2)), rng.integers(0, 3, 200)
    monkeypatch.setattr(Nn3, "kernels", after(Nn3(), 10**9))
    learner, twin = make(), make()
    for part in learner, twin:
        part.run_rows(X[:100], y[:100].tolist(), np.ones(100, dtype=bool))
    monkeypatch.setattr(Nn3, "kernels", after(Nn3(), 0))
    run, left = module.NeighbourEngine.run, [KeyboardInterrupt]

    def interrupted(self, *arguments):
        run(self, *arguments)
        if left:
            raise left.pop()

    monkeypatch.setattr(module.NeighbourEngine, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.update(X[100], y[100])
    assert (learner.engine, learner.n_balls, learner.n_learned) == (
        "reference",
        twin.n_balls,
        100,
    )
    rest = (X[100:], y[100:].tolist(), np.ones(100, dtype=bool))
    answers = [part.run_rows(*rest) for part in (learner, twin)]
    assert learner.engine == "compiled"
    assert np.array_equal(answers[0].predicted, answers[1].predicted)
    assert np.array_equal(answers[0].sizes, answers[1].sizes)
