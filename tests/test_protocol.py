"""Algorithm 5: the recursion, the mask, the coin, what is kept."""

import io
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import vector_streams

from abacoc import Auto, AutoAdj, Base, BaseAdj, prequential
from abacoc.protocol import online_accuracy, sampling_mask

ROUNDING = 2.0**-53


@given(st.lists(st.booleans(), min_size=1, max_size=2000))
def test_recursion_is_the_plain_mean(correct):
    """Each step rounds four times numbers of at most 1: t e_t <= (t-1) e_{t-1} + 4 t u, so
    e_t <= 2 (t + 1) u."""
    curve = online_accuracy(correct)
    hits = np.cumsum(correct)
    for t, m in enumerate(curve, start=1):
        assert abs(Fraction(m) - Fraction(int(hits[t - 1]), t)) <= 2 * (t + 1) * ROUNDING


@given(vector_streams(), st.sampled_from([1.0, 0.5]))
def test_run_reports_what_happened(stream, rate):
    X, y = stream
    run = prequential(AutoAdj(), X, y, rate=rate, seed=3)
    hits = [p == label for p, label in zip(run.predictions, y, strict=True)]
    assert run.accuracy == sum(hits) / len(y)
    assert run.recursive_accuracy == online_accuracy(hits)[-1]
    assert run.n_examples == len(y)
    assert run.n_updates == sampling_mask(len(y), rate, 3).sum()
    assert run.n_balls == run.model_sizes[-1]
    assert (np.diff(run.model_sizes) >= 0).all()
    forgetful = prequential(AutoAdj(), X, y, rate=rate, seed=3, keep=False)
    assert forgetful.predictions is None
    assert forgetful.model_sizes is None
    assert forgetful.accuracy == run.accuracy


@given(vector_streams(), st.floats(0.05, 1), st.integers(0, 99))
def test_what_the_mask_leaves_out_is_never_learned(stream, rate, seed):
    """Running Algorithm 5 equals learning the masked sub-stream and predicting the rest."""
    X, y = stream
    mask = sampling_mask(len(X), rate, seed)
    run = prequential(Auto(), X, y, rate=rate, seed=seed)
    learner = Auto()
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        assert learner.predict(x) == run.predictions[t]
        if mask[t]:
            learner.update(x, label)
        assert learner.n_balls == run.model_sizes[t]


def test_mask_is_nested_and_has_the_right_rate():
    n = 40_000
    masks = [sampling_mask(n, rate, seed=5) for rate in (0.01, 0.1, 0.5, 1.0)]
    for lower, higher in pairwise(masks):
        assert (higher | ~lower).all(), "what is learned at a low rate is learned at a higher one"
    assert masks[-1].all()
    # five standard deviations of a binomial share
    for mask, rate in zip(masks, (0.01, 0.1, 0.5), strict=False):
        assert abs(mask.mean() - rate) < 5 * (rate * (1 - rate) / n) ** 0.5
    assert (sampling_mask(n, 0.5, seed=6) != masks[2]).any()


def test_mask_is_shared_by_all_methods():
    """Every method learns the same examples, whatever else it draws."""

    class Recorder(Auto):
        def update(self, x, y):
            seen.append(x[0])
            super().update(x, y)

    X, y = np.arange(300.0)[:, None], np.arange(300) % 2
    learned = []
    for learner in (Recorder(), Recorder(budget=5, seed=9), Recorder(reading="authors")):
        seen: list[float] = []
        prequential(learner, X, y, rate=0.3, seed=4)
        learned.append(seen)
    assert learned[0] == learned[1] == learned[2]
    assert learned[0] == np.flatnonzero(sampling_mask(300, 0.3, 4)).tolist()


def test_coin_of_base_has_the_probability_p_t():
    """Mean of the coins against the sum of p_t: five standard deviations, one fixed seed."""
    generator = np.random.default_rng(1)
    X = generator.random((3000, 1))
    y = (generator.random(3000) < X[:, 0]).astype(int)
    run = prequential(Base(), X, y, seed=2)
    learner, p = Base(), []
    for x, label in zip(X, y, strict=True):
        p.append(learner.probability(x))
        learner.update(x, label)
    p = np.array(p)
    assert set(run.predictions) == {0, 1}
    sd = np.sqrt((p * (1 - p)).sum())
    assert abs(sum(run.predictions) - p.sum()) < 5 * sd
    assert prequential(Base(), X, y, seed=2).predictions == run.predictions
    assert prequential(Base(), X, y, seed=3).predictions != run.predictions


@pytest.mark.parametrize("method", [Base, BaseAdj, Auto, AutoAdj])
def test_bad_streams_are_refused_before_anything_is_learned(method):
    from abacoc.modelfile import state

    learner = method()
    learner.update([0.0, 0.0], 0)
    learner.update([0.5, 0.5], 1)
    before = state(learner)
    good = [[0.1, 0.2]] * 3
    cases = [
        ([[0.1, 0.2], [0.1, np.nan]], [0, 1], "row 2: column 2 is nan"),
        ([[0.1, 0.2], [np.inf, 0.0]], [0, 1], "row 2: column 1 is inf"),
        ([[0.1, 0.2], [1e200, 0.0]], [0, 1], r"row 2: column 1 is 1e\+200, too large"),
        ([[0.1, 0.2], [0.1, 0.2, 0.3]], [0, 1], "row 2: 3 attributes where 2"),
        (good, [0, 1], "3 instances but 2 labels"),
        (good, [0, 1, None], "row 3: .*None"),
        ([], [], "empty"),
    ]
    for X, y, message in cases:
        with pytest.raises(ValueError, match=message):
            prequential(learner, X, y)
        assert state(learner) == before
    for rate in (0, -0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="rate"):
            prequential(learner, good, [0, 1, 0], rate=rate)
    assert state(learner) == before


def test_first_row_fixes_the_number_of_attributes():
    with pytest.raises(ValueError, match="row 3: 1 attributes where the first row has 2"):
        prequential(Auto(), [[0.0, 1.0], [1.0, 1.0], [2.0]], [0, 1, 0])


def test_bar_appears_on_a_terminal_only(monkeypatch):
    X, y = np.random.default_rng(0).random((4000, 2)), [0, 1] * 2000

    class Screen(io.StringIO):
        def __init__(self, terminal):
            super().__init__()
            self.terminal = terminal

        def isatty(self):
            return self.terminal

    shown = {}
    for terminal in (True, False):
        screen = Screen(terminal)
        monkeypatch.setattr("sys.stderr", screen)
        monkeypatch.setattr("abacoc.protocol.BAR_DELAY", 0.0)
        prequential(AutoAdj(), X, y, progress=None)
        shown[terminal] = screen.getvalue()
    assert "4000" in shown[True]
    assert shown[False] == ""
