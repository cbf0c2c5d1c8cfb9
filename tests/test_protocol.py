"""Algorithm 5: the recursion, the mask, the coin, what is kept."""

import io
import itertools
import typing
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import vector_streams

from abacoc import Auto, AutoAdj, Base, BaseAdj, prequential, prequential_pieces
from abacoc import auto as reference_auto
from abacoc import base as reference_base
from abacoc.metrics import edit_distance
from abacoc.protocol import _Experiment, online_accuracy, sampling_mask

ROUNDING = 2.0**-53


@given(st.lists(st.booleans(), min_size=1, max_size=2000))
def test_recursion_is_the_plain_mean(correct):
    """Each step rounds four times numbers of at most 1: t e_t <= (t-1) e_{t-1} + 4 t u, so
    e_t <= 2 (t + 1) u."""
    curve = online_accuracy(correct)
    hits = np.cumsum(correct)
    for t, m in enumerate(curve, start=1):
        assert abs(Fraction(m) - Fraction(int(hits[t - 1]), t)) <= 2 * (t + 1) * ROUNDING


@pytest.mark.parametrize("method", [reference_auto.AutoAdj, AutoAdj])
@given(vector_streams(), st.sampled_from([1.0, 0.5]))
def test_run_reports_what_happened(method, stream, rate):
    X, y = stream
    run = prequential(method(), X, y, rate=rate, seed=3)
    hits = [p == label for p, label in zip(run.predictions, y, strict=True)]
    assert run.accuracy == sum(hits) / len(y)
    assert run.recursive_accuracy == online_accuracy(hits)[-1]
    assert run.n_examples == len(y)
    assert run.n_updates == sampling_mask(len(y), rate, 3).sum()
    assert run.n_balls == run.model_sizes[-1]
    assert (np.diff(run.model_sizes) >= 0).all()
    forgetful = prequential(method(), X, y, rate=rate, seed=3, keep=False)
    assert forgetful.predictions is None
    assert forgetful.model_sizes is None
    assert forgetful.accuracy == run.accuracy
    assert forgetful.recursive_accuracy == run.recursive_accuracy


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
    with pytest.raises(ValueError, match="row 3: 1 attribute where the first row has 2"):
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


METHODS = [
    reference_auto.AutoAdj,
    AutoAdj,
    lambda: reference_base.Base(vote="majority"),
    lambda: Base(vote="majority"),
]


def cut(X, y, sizes):
    """The stream in pieces of these sizes, round and round."""
    pieces, at, size = [], 0, itertools.cycle(sizes)
    while at < len(X):
        end = at + next(size)
        pieces.append((X[at:end], y[at:end]))
        at = end
    return pieces


def outcome(run):
    """All of a run but the time."""
    sizes = None if run.model_sizes is None else run.model_sizes.tolist()
    return replace(run, seconds=0.0, model_sizes=sizes)


SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=4)


@given(vector_streams(), SIZES, st.sampled_from([1.0, 0.6]), st.sampled_from(METHODS))
def test_pieces_are_the_whole(stream, sizes, rate, make):
    X, y = stream
    whole = prequential(make(), X, y, rate=rate, seed=4)
    kept = prequential_pieces(make(), cut(X, y, sizes), rate=rate, seed=4, keep=True)
    assert outcome(kept) == outcome(whole)
    plain = prequential_pieces(make(), cut(X, y, sizes), rate=rate, seed=4)
    assert outcome(plain) == replace(outcome(whole), predictions=None, model_sizes=None)


@given(vector_streams(), SIZES, st.sampled_from(METHODS))
def test_each_piece_is_told_and_forgotten(stream, sizes, make):
    X, y = stream
    whole = prequential(make(), X, y)
    pieces, told = cut(X, y, sizes), []
    last = prequential_pieces(make(), pieces, after_piece=lambda *what: told.append(what))
    assert [labels for labels, _ in told] == [labels for _, labels in pieces]
    predictions, model_sizes, n = [], [], 0
    for labels, run in told:
        n += len(labels)
        assert (run.n_examples, len(run.predictions)) == (n, len(labels))
        assert run.n_balls == run.model_sizes[-1]
        predictions += run.predictions
        model_sizes += run.model_sizes.tolist()
    assert (predictions, model_sizes) == (whole.predictions, whole.model_sizes.tolist())
    assert (last.predictions, last.model_sizes.tolist()) == ([], [])
    assert last.accuracy == told[-1][1].accuracy == whole.accuracy


@pytest.mark.parametrize("make", [reference_base.Base, Base])
def test_pieces_toss_the_same_coins(make):
    generator = np.random.default_rng(3)
    X, y = generator.random((300, 1)), generator.integers(0, 2, 300)
    whole = prequential(make(), X, y, seed=8)
    pieces = prequential_pieces(make(), cut(X, y, [7, 50]), seed=8, keep=True)
    assert outcome(pieces) == outcome(whole)
    assert whole.accuracy == np.mean(np.array(whole.predictions) == y)
    unlike = prequential(make(), X, y, seed=9)
    assert unlike.predictions != whole.predictions


def test_reference_and_compiled_toss_the_same_coins():
    X, y = np.random.default_rng(3).random((300, 1)), [0, 1, 1] * 100
    runs = [outcome(prequential(make(), X, y)) for make in (reference_base.Base, Base)]
    assert runs[0] == runs[1]
    assert isinstance(runs[0].predictions[0], int)


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_bad_pieces(make):
    good = ([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"\Athe stream is empty\Z"):
        prequential_pieces(make(), [])
    with pytest.raises(ValueError, match=r"rate must be above 0 and at most 1, not 1\.5"):
        prequential_pieces(make(), [good], rate=1.5)
    learner = make()
    with pytest.raises(ValueError, match=r"\Arow 4: column 1 is nan"):
        prequential_pieces(learner, [good, ([[0.5], [np.nan]], ["a", "b"])])
    assert learner.n_balls == 2, "the piece before stays learned, of the bad one nothing"


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_defaults_of_the_protocol(make):
    """Every example is learned, the seed is 0, a whole stream keeps its predictions."""
    X, y = np.random.default_rng(0).random((60, 2)), [0, 1, 2] * 20
    usual = prequential(make(), X, y)
    assert usual.n_updates == 60
    assert outcome(usual) == outcome(prequential(make(), X, y, rate=1.0, seed=0, keep=True))
    half = prequential(make(), X, y, rate=0.5)
    assert outcome(half) == outcome(prequential(make(), X, y, rate=0.5, seed=0))
    pieces = prequential_pieces(make(), [(X, y)], rate=0.5)
    assert outcome(pieces) == replace(outcome(half), predictions=None, model_sizes=None)


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_seconds_are_those_of_the_loop(make, monkeypatch):
    """A clock that ticks once per look at it; each piece is looked at before and after."""
    ticks = itertools.count()
    monkeypatch.setattr("time.perf_counter", lambda: float(next(ticks)))
    pieces = [([[float(i)]], [i % 2]) for i in range(5)]
    assert prequential_pieces(make(), pieces).seconds == 5.0


class Bar:
    """Stands in for tqdm."""

    made: typing.ClassVar[list] = []

    def __init__(self, **options):
        self.options, self.n, self.calls = options, 0, 0
        self.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def update(self, n=1):
        self.n += n
        self.calls += 1


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_bar_moves_with_the_examples(make, monkeypatch):
    monkeypatch.setattr("tqdm.tqdm", Bar)
    monkeypatch.setattr("abacoc.protocol.SLICE", 16)
    monkeypatch.setattr(Bar, "made", [])
    X, y = np.arange(50.0)[:, None], [0, 1] * 25
    prequential(make(), X, y)
    prequential_pieces(make(), [(X, y), (X, y)])
    assert Bar.made == [], "without a bar, tqdm and its locks are left alone"
    prequential(make(), X, y, progress=None)
    prequential(make(), X, y, progress=True)
    prequential_pieces(make(), [(X, y), (X, y)], progress=None, n_examples=100)
    assert [bar.options["disable"] for bar in Bar.made] == [None, False, None]
    assert [bar.options["total"] for bar in Bar.made] == [50, 50, 100]
    assert [bar.n for bar in Bar.made] == [50, 50, 100]
    assert Bar.made[0].calls == (50 if make is reference_auto.Auto else 4)
    assert not Bar.made[0].options["leave"], "a bar goes when it is done"


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_a_number_that_is_the_rate_is_not_below_it(make):
    """``rand() < rate``: line 7 is strict."""
    drawn = np.random.default_rng([5, 0]).random(20)
    rate = float(drawn[7])
    assert sampling_mask(20, rate, seed=5).tolist() == (drawn < rate).tolist()
    run = prequential(make(), np.arange(20.0)[:, None], [0, 1] * 10, rate=rate, seed=5)
    assert run.n_updates == (drawn < rate).sum()


@pytest.mark.parametrize("make", [reference_base.Base, Base])
def test_coins_come_from_their_own_source_of_chance(make):
    """[seed, 1], tossed once for every example: not the numbers of the mask or the discards."""
    X, y = np.random.default_rng(1).random((200, 1)), [0, 1] * 100
    run = prequential(make(), X, y, rate=0.5, seed=6)
    coins, learner, said = np.random.default_rng([6, 1]).random(200), make(), []
    for x, label, coin, learned in zip(X, y, coins, sampling_mask(200, 0.5, 6), strict=True):
        said.append(int(coin < learner.probability(x)))
        if learned:
            learner.update(x, label)
    assert run.predictions == said


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_labels_of_an_array_become_plain_values(make):
    """As a file or a caller would have them: the types of NumPy stay outside."""
    learner = make()
    run = prequential(learner, np.arange(6.0)[:, None], np.array([3, 5, 3, 5, 3, 5]))
    assert [type(label) for label in learner.classes] == [int, int]
    assert {type(said) for said in run.predictions[1:]} == {int}


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_what_is_not_kept_takes_no_memory(make):
    experiment = _Experiment(make(), 1.0, 0, keep=False)
    for _ in range(3):
        experiment.take_up(np.arange(6.0)[:, None], [0, 1] * 3, Bar())
    assert experiment.predictions == []
    assert sum(map(len, experiment.sizes)) == 0


WORDS = ["ball", "cover", "a word that is far away"]


@pytest.mark.parametrize("make", [reference_auto.Auto, Auto])
def test_points_that_are_no_vectors_come_as_they_are(make):
    learner = make(metric=edit_distance)
    prequential(learner, WORDS, ["a", "b", "a"])
    assert learner.balls.centres == WORDS
    assert {type(centre) for centre in learner.balls.centres} == {str}


ONE, WORD, SHORT = np.int64(1), np.str_("a"), np.float32(0.1)


@pytest.mark.parametrize(
    "y",
    [
        [(1,), ONE, (1,), ONE, (1, 2), ONE, (1, 2), ONE],  # np.int64(1) == (1,) is array([True])
        [ONE, (1, 2), ONE, (1, 2)],  # ... and with two elements it is neither true nor false
        [ONE, (), ONE, (), ((1, 2), 3), ONE, (ONE, 2), (1, 2)],
        [WORD, "a", ("a",), WORD, 1, ONE, 1.0, True, np.True_],
        [SHORT, 0.1, SHORT, 0.1, 0.1],  # equal for NumPy, which rounds the second
    ],
    ids=str,
)
@pytest.mark.parametrize("as_array", [False, True])
def test_labels_of_all_kinds(y, as_array):
    """A hit is a prediction of the same class: for the reference as for the compiled learners."""
    labels, X = y, np.full((len(y), 1), 0.5)
    if as_array:
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
    for ours, theirs in (
        (AutoAdj(), reference_auto.AutoAdj()),
        (Base(vote="majority"), reference_base.Base(vote="majority")),
    ):
        run, expected = prequential(ours, X, labels), prequential(theirs, X, labels)
        assert run.predictions == expected.predictions
        assert run.recursive_accuracy == expected.recursive_accuracy
        assert run.accuracy == expected.accuracy
        number = {label: k for k, label in enumerate(ours.classes)}
        hits = [number.get(p) == number[label] for p, label in zip(run.predictions, y, strict=True)]
        assert run.accuracy == sum(hits) / len(y)
        assert ours.classes == theirs.classes
