"""The stream itself, and the scalings that take the whole of it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from abacoc.scaling import SCALES
from abacoc.streams import Stream, label_codes, scaled

FINITE = st.floats(allow_nan=False, allow_infinity=False)
MATRICES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=FINITE)
ORDINARY = arrays(np.float64, (5, 3), elements=st.floats(-1e6, 1e6).filter(lambda v: abs(v) > 1e-6))


def tiny(**changes):
    fields = {
        "name": "tiny",
        "X": np.array([[1.0, 2.0], [3.0, 4.0]]),
        "y": np.array([0, 1]),
        "labels": ("b", "a"),
        "attributes": ("u", "v"),
    }
    return Stream(**{**fields, **changes})


def test_counts():
    stream = tiny(X=np.ones((3, 2)), y=np.array([0, 1, 1]))
    assert (stream.n_examples, stream.n_attributes, stream.n_classes) == (3, 2, 2)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"X": np.ones(2)}, "matrix"),
        ({"X": np.ones((2, 2), dtype=np.float32)}, "float64"),
        ({"X": np.asfortranarray(np.ones((2, 2)))}, "C-contiguous"),
        ({"y": np.array([0])}, "one int64"),
        ({"y": np.array([0.0, 1.0])}, "int64"),
        ({"y": np.array([0, 2])}, "outside 0..1"),
        ({"y": np.array([-1, 0])}, "outside 0..1"),
        ({"attributes": ("u",)}, "1 names for 2"),
        ({"X": np.ones((0, 2)), "y": np.array([], dtype=np.int64)}, "empty"),
        ({"X": np.array([[1.0, 2.0], [3.0, np.nan]])}, "row 2, column 2: nan"),
    ],
)
def test_what_a_learner_could_not_take_is_refused(changes, says):
    with pytest.raises(ValueError, match=says):
        tiny(**changes)


def test_labels_are_numbered_by_first_appearance():
    codes, labels = label_codes(["z", "a", "z", "m"])
    assert codes.tolist() == [0, 1, 0, 2]
    assert codes.dtype == np.int64
    assert labels == ("z", "a", "m")


def test_unknown_scaling_is_refused():
    with pytest.raises(
        ValueError, match=r"'zscore'.*none, minmax, unit, standard, online, online-minmax"
    ):
        scaled(np.eye(2), "zscore")


@pytest.mark.parametrize("how", SCALES[1:])
def test_a_stream_is_scaled_into_a_new_stream(how):
    stream = tiny(note="from here")
    result = scaled(stream, how)
    assert result.X is not stream.X
    assert np.array_equal(result.X, scaled(stream.X, how))
    assert result.note == f"from here; scaled: {how}"
    assert result.labels == stream.labels
    assert stream.X[0, 0] == 1.0


def test_none_is_the_stream_itself():
    stream = tiny()
    assert scaled(stream, "none") is stream


@pytest.mark.parametrize("how", SCALES[1:])
def test_shapes(how):
    assert scaled(np.empty((0, 3)), how).shape == (0, 3)
    with pytest.raises(ValueError, match=r"not an array of shape \(3,\)"):
        scaled(np.ones(3), how)


@pytest.mark.parametrize("how", SCALES[1:])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_non_finite_input_is_refused(how, bad):
    with pytest.raises(ValueError, match="row 1, column 2"):
        scaled(np.array([[0.0, bad]]), how)


@given(MATRICES)
def test_unit_gives_norm_one_whatever_the_magnitude(X):
    before = X.copy()
    result = scaled(X, "unit")
    assert np.array_equal(X, before)
    assert np.isfinite(result).all()
    for x, u in zip(X, result, strict=True):
        if not x.any():
            assert not u.any()
            continue
        # Exactly, in rationals. Six squares, five sums, a root and a quotient, each within half an
        # ulp (2**-53), and squares or coordinates lost to underflow below 2**-1000.
        square = sum(Fraction(v) ** 2 for v in u.tolist())
        assert abs(square - 1) < 40 * Fraction(1, 2**53)
        largest = np.abs(x).argmax()
        for v, w in zip(x.tolist(), u.tolist(), strict=True):
            expected = Fraction(v) / Fraction(x[largest]) * Fraction(u[largest])
            assert abs(Fraction(w) - expected) <= 4 * abs(expected) / 2**53 + Fraction(1, 2**1000)


@given(ORDINARY)
def test_unit_of_ordinary_data_has_the_bits_of_the_plain_formula(X):
    norms = []
    for x in X.tolist():
        total = 0.0
        for v in x:
            total += v * v
        norms.append(np.sqrt(total))
    assert np.array_equal(scaled(X, "unit"), X / np.array(norms)[:, np.newaxis])


@given(MATRICES)
def test_minmax_reaches_zero_and_one_and_nothing_beyond(X):
    result = scaled(X, "minmax")
    assert result is not X
    for x, u in zip(X.T, result.T, strict=True):
        if x.min() == x.max():
            assert not u.any()
            continue
        assert u.min() == u[x.argmin()] == 0.0
        assert u.max() == u[x.argmax()] == 1.0
        assert all(np.diff(u[np.argsort(x, kind="stable")]) >= 0)


@given(MATRICES)
def test_standard_has_mean_zero_and_deviation_one(X):
    result = scaled(X, "standard")
    assert np.isfinite(result).all()
    for x, u in zip(X.T.tolist(), result.T, strict=True):
        if min(x) == max(x):
            assert not u.any()
            continue
        mean = sum(map(Fraction, x)) / len(x)
        variance = float(
            sum((Fraction(v) - mean) ** 2 for v in x) / Fraction(max(map(abs, x))) ** 2 / len(x)
        )
        # Relative to the largest value the mean is off by a rounding per row at most; where the
        # deviation is not far above that, rounding is all there is to see.
        if variance > 1e-20:
            off = len(x) * 2.0**-52 / np.sqrt(variance)
            assert abs(u.mean()) <= 2 * off
            assert abs(np.sqrt((u * u).mean()) - 1) <= 2 * off + 1e-15
        assert all(np.diff(u[np.argsort(x, kind="stable")]) >= 0)


def test_minmax_of_the_widest_range():
    most = np.finfo(np.float64).max
    assert scaled(np.array([[-most], [0.0], [most]]), "minmax").tolist() == [[0.0], [0.5], [1.0]]
