"""NN3 and CNN without their kernels at first: the same answers, wherever the engine takes over."""

import copy
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import neighbours, streams

from abacoc.baselines import neighbours as module
from abacoc.baselines.neighbours import Cnn, Nn3
from abacoc.engine.kernels import Kernels

REACHED = Counter()


class After(Kernels):
    """Kernels that come when they are asked for the n-th time."""

    def __init__(self, n):
        super().__init__(f"{module.__name__}:compile_all", f"{module.__name__}:ENTRIES")
        self.left = n

    def are_ready(self):
        self.left -= 1
        if self.left < 0:
            self.load()
        return self.are_loaded


@pytest.mark.parametrize("condensed", [False, True], ids=["nn3", "cnn"])
@given(data=st.data(), stream=streams(), k=st.sampled_from([1, 2, 3, 3, 7]))
def test_same_answers(condensed, data, stream, k):
    X, y, learned = stream
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "KERNELS", After(data.draw(st.integers(0, 2 * len(X)))))
        learner = Cnn() if condensed else Nn3(k)
        learner.predict(X[0])
        predictions, sizes, by_reference = [], [], 0
        for part in np.array_split(np.arange(len(X)), 2):
            if len(part):
                answer = learner.run_rows(X[part], y[part].tolist(), learned[part])
                predictions += learner.named(answer)
                sizes += answer.sizes.tolist()
                by_reference += answer.by_reference
                learner = copy.deepcopy(learner)
    assert (predictions, sizes) == neighbours(X, y, learned, 1 if condensed else k, condensed)
    assert learner.n_learned == learned.sum()
    assert learner.engine == "compiled" or by_reference == len(X) or not learned.any()
    REACHED[
        "never" if by_reference == len(X) else "at once" if by_reference == 0 else "between"
    ] += 1


def test_all_of_it_was_reached():
    if sum(REACHED.values()) > 100:
        assert min(REACHED[where] for where in ("at once", "between", "never")) > 5, REACHED


@pytest.mark.parametrize("make", [Nn3, Cnn])
def test_an_exception_leaves_it_as_it_was(make, monkeypatch):
    """In the engine's run over what is stored, which is on the way to an engine."""
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 2)), rng.integers(0, 3, 200)
    monkeypatch.setattr(module, "KERNELS", After(10**9))
    learner, twin = make(), make()
    for part in learner, twin:
        part.run_rows(X[:100], y[:100].tolist(), np.ones(100, dtype=bool))
    monkeypatch.setattr(module, "KERNELS", After(0))
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
