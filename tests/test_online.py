"""Scaling without looking ahead: statistics, the learner with them, its files, interruptions."""

import copy
import itertools
import math
import pickle
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from spaces import vector_streams

import abacoc
from abacoc import Auto, AutoAdj, Base, BaseAdj, Scaled, auto, base, load, prequential
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Cnn, Nn3
from abacoc.checks import largest_to_square
from abacoc.grid.keys import programs
from abacoc.methods import METHODS
from abacoc.modelfile import state
from abacoc.protocol import prequential_pieces, sampling_mask, side_by_side
from abacoc.scaling import NOTHING, ONLINE, Statistics, scaled
from abacoc.streams import load as load_stream

LARGEST = largest_to_square(2)
EXTREME = [0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-162, 1e-160, 1.0, 1e150, LARGEST, -LARGEST]
COORDINATES = st.one_of(
    st.sampled_from(EXTREME), st.integers(-3, 3).map(float), st.floats(-LARGEST, LARGEST)
)
MATRICES = st.integers(1, 30).flatmap(lambda n: arrays(np.float64, (n, 2), elements=COORDINATES))
HOW = st.sampled_from(ONLINE)


def one_by_one(X, learned, how, seen=NOTHING):
    """The rows scaled by NumPy, row after row, and the statistics in the end."""
    Z = []
    for x, learn in zip(X, learned, strict=True):
        with_it = seen.including(x)
        Z.append(with_it.scale(x, how))
        seen = with_it if learn else seen
    return np.array(Z).reshape(X.shape), seen


def bits(statistics):
    return statistics.n, *(array.tobytes() for array in statistics[1:])


@given(MATRICES, HOW, st.data())
def test_the_kernel_has_the_bits_of_numpy_for_any_cut_and_any_mask(X, how, data):
    learned = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(X)), max_size=4)))
    Z, seen = one_by_one(X, learned, how)
    parts, now = [], NOTHING
    for start, end in itertools.pairwise([0, *cuts, len(X)]):
        part, now = now.take_rows(X[start:end], learned[start:end], how)
        parts.append(part)
    assert np.concatenate(parts).tobytes() == Z.tobytes()
    assert bits(now) == bits(seen)
    assert np.isfinite(Z).all()
    if learned.all():
        assert scaled(X, how).tobytes() == Z.tobytes()


@given(MATRICES)
def test_what_holds_of_statistics_whatever_is_rounded(X):
    """The model file refuses what does not hold here."""
    seen = NOTHING
    for x in X:
        seen = seen.including(x)
        assert ((seen.low <= seen.mean) & (seen.mean <= seen.high)).all()
        assert (seen.variance >= 0).all()
        assert (seen.variance <= (seen.high - seen.low) * (seen.high - seen.low)).all()
        # the point is at most sqrt(n - 1) deviations from the mean; a variance near the smallest
        # number is rounded by up to a half of itself
        assert (np.abs(seen.scale(x, "online")) <= 2 * math.sqrt(seen.n)).all()
        inside = seen.scale(x, "online-minmax")
        assert ((inside >= 0) & (inside <= 1)).all()
    assert np.array_equal(seen.low, X.min(axis=0))
    assert np.array_equal(seen.high, X.max(axis=0))


@given(arrays(np.float64, (12, 2), elements=st.floats(-1e6, 1e6).filter(lambda v: abs(v) > 1e-3)))
def test_mean_and_deviation_are_those_of_the_rows(X):
    seen = one_by_one(X, [True] * len(X), "online")[1]
    for column, mean, variance in zip(X.T.tolist(), seen.mean, seen.variance, strict=True):
        exact = [Fraction(v) for v in column]
        middle = sum(exact) / 12
        spread = sum((v - middle) ** 2 for v in exact) / 12
        # each of the 12 steps rounds the mean four times by at most 2^-53 of the largest value,
        # and the variance six times by that part of the range squared, with the mean's own error
        largest, width = max(map(abs, exact)), max(exact) - min(exact)
        assert abs(Fraction(mean) - middle) <= 12 * 4 * largest / 2**53
        error = 12 * (6 * width**2 + 2 * width * 12 * 4 * largest) / 2**53
        assert abs(Fraction(variance) - spread) <= error


@given(MATRICES, HOW)
def test_a_constant_column_is_zero(X, how):
    X[:, 1] = X[0, 1]
    assert not scaled(X, how)[:, 1].any()


@given(arrays(np.float64, (9, 2), elements=st.floats(-1e3, 1e3, width=32)), st.integers(-60, 60))
def test_units_do_not_matter(X, exponent):
    """By a power of two, which rounds nothing: the same bits."""
    X[np.abs(X) < 1e-10] = 0.0
    for how in ONLINE:
        assert np.array_equal(scaled(X * 2.0**exponent, how), scaled(X, how))


def test_what_could_not_be_squared_is_refused_with_its_row():
    with pytest.raises(ValueError, match=r"row 2: column 1 is 1e\+154, too large to be squared"):
        scaled(np.array([[1.0, 2.0], [1e154, 0.0]]), "online")
    learner = Scaled(AutoAdj())
    with pytest.raises(ValueError, match=r"row 2: column 1 is 1e\+154, too large to be squared"):
        prequential(learner, [[1.0, 2.0], [1e154, 0.0]], ["a", "b"])
    with pytest.raises(ValueError, match="row 1, column 2: nan"):
        scaled(np.array([[1.0, np.nan]]), "online")
    assert learner.statistics is NOTHING
    learner.update([1.0, 2.0], "a")
    before = bits(learner.statistics)
    for x, says in (([1.0], "1 attribute where 2"), ([1.0, math.inf], "column 2 is inf")):
        for call in (learner.predict, learner.scale, lambda x: learner.update(x, "a")):
            with pytest.raises(ValueError, match=says):
                call(x)
    with pytest.raises(ValueError, match="the label is missing"):
        learner.update([3.0, 4.0], None)
    assert bits(learner.statistics) == before


# The learner --------------------------------------------------------------------------------------

PAIRS = {
    "auto": (Auto, auto.Auto),
    "fix": (lambda: AutoAdj(budget=5), lambda: auto.AutoAdj(budget=5)),
    "authors": (lambda: AutoAdj(reading="authors"), lambda: auto.AutoAdj(reading="authors")),
    "base": (lambda: Base(vote="majority"), lambda: base.Base(vote="majority")),
    "base-adj": (BaseAdj, base.BaseAdj),
}


@given(vector_streams(), st.sampled_from(sorted(PAIRS)), HOW, st.sampled_from([1.0, 0.5, 0.1]))
def test_compiled_reference_and_scaled_beforehand_are_one(stream, name, how, rate):
    X, y = stream
    X = np.array(X)
    compiled, reference = (Scaled(make(), how) for make in PAIRS[name])
    run = prequential(compiled, X, y, rate=rate)
    assert run.predictions == prequential(reference, X, y, rate=rate).predictions
    assert state(compiled) == state(reference)
    # the plain way: rows are scaled by hand, and then handed to a learner that knows nothing of it
    Z, seen = one_by_one(X, sampling_mask(len(X), rate, 0), how)
    plain = PAIRS[name][0]()
    assert run.predictions == prequential(plain, Z, y, rate=rate).predictions
    assert bits(seen) == bits(compiled.statistics)
    assert state(plain) == {k: v for k, v in state(compiled).items() if k != "scaler"}


@given(vector_streams(), HOW, st.integers(1, 40))
def test_pieces_make_no_difference(stream, how, rows):
    X, y = stream
    X = np.array(X)
    parts = [(X[i : i + rows], y[i : i + rows]) for i in range(0, len(X), rows)]
    whole, pieces = Scaled(AutoAdj(budget=6), how), Scaled(AutoAdj(budget=6), how)
    run = prequential(whole, X, y, rate=0.7)
    assert run.predictions == prequential_pieces(pieces, parts, rate=0.7, keep=True).predictions
    assert state(whole) == state(pieces)


@pytest.mark.parametrize("how", ONLINE)
@pytest.mark.parametrize("name", sorted(set(METHODS) - {"rules", "auto-adj-fix"}))
def test_every_method_works_in_rows_and_one_by_one(name, how):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 2)) * [1.0, 1e4], rng.integers(0, 2, 150).tolist()
    settings = {"gamma": 1.0} if name == "k-perc" else {}
    settings |= {"start": 20} if name == "iblstreams" else {}
    settings |= {"vote": "majority"} if name == "base" else {}
    if "not installed" in programs(name):
        pytest.skip(programs(name))
    learner, twin = (Scaled(METHODS[name].make(settings, [0, 1]), how) for _ in range(2))
    run = prequential(learner, X, y, rate=0.6)
    plain = []
    for x, label, learn in zip(X, y, sampling_mask(150, 0.6, 0), strict=True):
        plain.append(twin.predict(x))
        if learn:
            twin.update(x, label)
    assert run.predictions == plain
    assert learner.n_balls == twin.n_balls
    assert bits(learner.statistics) == bits(twin.statistics)


def test_predictions_change_nothing_and_see_the_point_itself():
    learner = Scaled(Auto(), "online-minmax")
    assert learner.predict([5.0]) is None
    assert learner.statistics.n == 0
    for x, y in ([0.0], "a"), ([1.0], "b"):
        learner.update(x, y)
    before = state(learner)
    assert learner.scale([3.0]).tolist() == [1.0]
    assert learner.scale([-1.0]).tolist() == [0.0]
    assert [learner.predict([x]) for x in (-1.0, 3.0)] == ["a", "b"]
    assert learner.explain([3.0]).label == "b"
    assert learner.closest_counts([3.0]) == [0, 1]
    assert state(learner) == before


def test_probability_of_base_is_that_of_the_scaled_point():
    learner, plain = Scaled(Base()), Base()
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1, 1000]
    y = (X[:, 0] > 0).astype(int).tolist()
    for x, label in zip(X, y, strict=True):
        z = learner.scale(x)
        assert learner.probability(x) == plain.probability(z)
        learner.update(x, label)
        plain.update(z, label)
    run = prequential(Scaled(Base()), X, y)
    assert run.predictions == prequential(Scaled(base.Base()), X, y).predictions


@pytest.mark.parametrize("zeros", [*itertools.product([0.0, -0.0], repeat=3)])
def test_zeros_keep_their_signs_alike(zeros):
    X, learned = np.array(zeros)[:, np.newaxis], np.ones(3, dtype=bool)
    for how in ONLINE:
        Z, seen = NOTHING.take_rows(X, learned, how)
        plain, other = one_by_one(X, learned, how)
        assert (Z.tobytes(), bits(seen)) == (plain.tobytes(), bits(other))


def test_what_cannot_be_scaled_is_told():
    with pytest.raises(ValueError, match="scaled online or online-minmax, not 'standard'"):
        Scaled(AutoAdj(), "standard")
    with pytest.raises(ValueError, match="scaled already"):
        Scaled(Scaled(AutoAdj()))
    learned = AutoAdj()
    learned.update([1.0], "a")
    with pytest.raises(ValueError, match="learned points that were not scaled"):
        Scaled(learned)
    with pytest.raises(ValueError, match="a Nn3 cannot be saved"):
        Scaled(Nn3()).save("nowhere")
    with pytest.raises(AttributeError, match="'Scaled' object has no attribute '_closest'"):
        Scaled(AutoAdj())._closest([1.0])
    assert not hasattr(Scaled(abacoc.auto.Auto()), "is_compiled")


def test_a_refusal_of_the_learner_leaves_the_scaler():
    learner = Scaled(Base())
    learner.update([1.0], 1)
    before = state(learner)
    with pytest.raises(ValueError, match="BASE takes the labels 0 and 1"):
        learner.update([2.0], "yes")
    assert state(learner) == before


def filled(learner, n=60, start=0):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 2)) * [1, 1e5], rng.integers(0, 3, 200).tolist()
    for i in range(start, start + n):
        learner.update(X[i], y[i])
    return learner


def test_copies_are_independent():
    learner = filled(Scaled(AutoAdj(budget=9)))
    before = state(learner)
    for twin in (copy.copy(learner), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        filled(twin, start=60)
        assert state(learner) == before
        assert state(twin) == state(filled(Scaled(AutoAdj(budget=9)), 120))


def test_memory_counts_the_statistics():
    learner = filled(Scaled(AutoAdj()))
    assert learner.n_bytes == learner.learner.n_bytes + 4 * 2 * 8
    assert repr(learner) == "Scaled(AutoAdj(), 'online', n=60)"


@pytest.mark.parametrize("how", ONLINE)
@pytest.mark.parametrize("make", [lambda: AutoAdj(budget=9), lambda: Base(vote="majority")])
@pytest.mark.parametrize("n", [0, 1, 60])
def test_a_saved_learner_goes_on_to_the_same_bits(tmp_path, make, how, n):
    learner = filled(Scaled(make(), how), n)
    learner.save(tmp_path / "model")
    for reference in (False, True):
        again = load(tmp_path / "model", reference=reference)
        assert type(again) is Scaled
        assert type(again.learner).__module__.startswith("abacoc.engine") != reference
        assert state(again) == state(learner)
        assert state(filled(again, 60, start=n)) == state(filled(Scaled(make(), how), n + 60))


def test_saved_where_points_are_of_any_kind(tmp_path):
    """A metric space that takes vectors has no attributes of its own."""
    learner = filled(Scaled(Auto(metric="manhattan")))
    learner.save(tmp_path / "model")
    assert state(load(tmp_path / "model")) == state(learner)


def test_a_class_that_is_not_scaled_does_not_load_it(tmp_path):
    filled(Scaled(AutoAdj())).save(tmp_path / "model")
    with pytest.raises(ValueError, match="model holds a Scaled AutoAdj, not a AutoAdj"):
        AutoAdj.load(tmp_path / "model")


def test_side_by_side_is_one_after_the_other():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(90, 2)) * [1, 1000], rng.integers(0, 2, 90).tolist()
    pieces = [(X[i : i + 40], y[i : i + 40]) for i in range(0, 90, 40)]
    both = side_by_side(
        [(Scaled(AutoAdj()), lambda X: X), (AutoAdj(), lambda X: 2 * X)], pieces, rate=0.5, seed=4
    )
    alone = [
        prequential(learner, Z, y, rate=0.5, seed=4)
        for learner, Z in ((Scaled(AutoAdj()), X), (AutoAdj(), 2 * X))
    ]
    for run, other in zip(both, alone, strict=True):
        assert (run.accuracy, run.kappa, run.n_balls) == (
            other.accuracy,
            other.kappa,
            other.n_balls,
        )
    with pytest.raises(ValueError, match="the stream is empty"):
        side_by_side([(AutoAdj(), lambda X: X)], [])


# Interruptions: single calls are in tests/engine/disturbed.py -----------------------------------


PACKAGE = str(Path(abacoc.__file__).parent)


def at_line(n, call):
    """Call; KeyboardInterrupt where the n-th line of the package would begin. Whether it came."""
    left = n

    def step(frame, event, argument):
        nonlocal left
        left -= event == "line"
        if event == "line" and left == 0:
            raise KeyboardInterrupt
        return step

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: step if frame.f_code.co_filename.startswith(PACKAGE) else None)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


ROWS = {
    "fix": lambda: AutoAdj(budget=3),
    "base": lambda: BaseAdj(),
    "nn3": Nn3,
    "cnn": Cnn,
    "k-perc": lambda: KPerc(gamma=1.0),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_interrupted_at_every_line(name):
    """Some rows have been learned; the scaler is the one of just those, and all goes on."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(70, 2)) * [1, 1e3], rng.integers(0, 3, 70).tolist()
    learned = rng.random(70) < 0.7
    learner = Scaled(ROWS[name]())
    for i in range(4):
        learner.update(X[i], y[i])
    X, y, learned = X[4:], y[4:], learned[4:]
    rows = np.flatnonzero(learned)
    states = [bits(learner.statistics)]
    seen = learner.statistics
    for x in X[learned]:
        seen = seen.including(x)
        states.append(bits(seen))
    counts = []
    for n in itertools.count(1):
        victim = copy.deepcopy(learner)
        before = victim.learner.n_learned
        if not at_line(n, lambda victim=victim: victim.run_rows(X, y, learned)):
            break
        taken = victim.learner.n_learned - before
        assert bits(victim.statistics) == states[taken]
        counts.append(taken)
        rest = rows[taken - 1] + 1 if taken else 0
        if rest < len(X):
            victim.run_rows(X[rest:], y[rest:], learned[rest:])
        twin = copy.deepcopy(learner)
        twin.run_rows(X, y, learned)
        assert bits(victim.statistics) == bits(twin.statistics)
        assert victim.n_balls == twin.n_balls
        points = X[:9] * 0.9
        assert [victim.predict(x) for x in points] == [twin.predict(x) for x in points]
    assert {0, len(rows)} <= set(counts)
    if name == "fix":  # its kernel comes back for every ticket
        assert len(set(counts)) > 10


def test_a_settlement_that_is_interrupted_is_taken_up_again():
    for make in (lambda: AutoAdj(budget=3), lambda: auto.AutoAdj(budget=3)):
        learner = filled(Scaled(make()), 10)
        after = state(filled(Scaled(make()), 11))
        for n in itertools.count(1):
            victim = copy.deepcopy(learner)
            pending = copy.deepcopy(learner)
            filled(pending, 1, start=10)
            # as if the last line of the update had not been reached
            mark = victim._mark()
            x = victim.check_point(np.random.default_rng(3).normal(size=(200, 2))[10] * [1, 1e5])
            seen = victim.statistics.including(x)
            note = abacoc.online.Pending(mark, x[np.newaxis], np.ones(1, dtype=bool), seen)
            victim.learner.update(seen.scale(x, "online"), 0)
            victim._state = victim._state[0], note
            if not at_line(n, victim.settle):
                break
            # a copy has another learner, of which the note says nothing
            assert bits(copy.deepcopy(victim)._state[0]) == bits(pending.statistics)
            assert bits(victim.statistics) == bits(pending.statistics)
        assert n > 5
        assert state(victim)["scaler"] == after["scaler"]


# On data ------------------------------------------------------------------------------------------


def test_electricity_without_looking_ahead(data_folder):
    stream = load_stream("electricity")
    accuracy = {
        how: prequential(Scaled(AutoAdj(), how), stream.X, stream.y, keep=False).accuracy
        for how in ONLINE
    }
    assert accuracy["online"] >= 0.81
    assert accuracy["online-minmax"] >= 0.77
    plain = prequential(AutoAdj(), scaled(stream.X, "online"), stream.y, keep=False)
    assert plain.accuracy == accuracy["online"]


def test_statistics_are_never_written_to():
    seen = NOTHING.including(np.array([1.0, 2.0]))
    before = bits(seen)
    seen.including(np.array([5.0, -1.0]))
    seen.take_rows(np.ones((3, 2)), np.ones(3, dtype=bool), "online")
    assert bits(seen) == before
    assert isinstance(seen, Statistics)
