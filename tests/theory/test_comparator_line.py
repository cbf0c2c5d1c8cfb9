"""The comparator on the line: against the matching, a plain linear program and itself."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_comparator import linear_program

from abacoc_theory.regret.comparator import best_lipschitz_points, best_lipschitz_sites, between
from abacoc_theory.regret.line_comparator import ONE, CertificateError, _gaps, best_lipschitz_line

CONSTANTS = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, 3.0, 64.0, 1e9, 1e300, math.inf]), st.floats(0, 20)
)
PLACES = st.one_of(st.integers(-8, 8).map(lambda k: k / 8), st.floats(-1, 1, allow_subnormal=False))


@st.composite
def lines(draw, max_size=40):
    x = draw(st.lists(PLACES, max_size=max_size))
    y = draw(st.lists(st.integers(0, 1), min_size=len(x), max_size=len(x)))
    each = st.lists(st.integers(0, 4), min_size=len(x), max_size=len(x))
    return np.array(x, dtype=float), np.array(y, dtype=int), draw(st.none() | each)


def assert_certified(found):
    assert found.verify() == found.gap == 0
    assert found.loss == found.primal_value == found.dual_value


@given(lines(), CONSTANTS)
def test_line_agrees_with_the_matching(line, L):
    x, y, weights = line
    found = best_lipschitz_line(x, y, L, weights)
    assert_certified(found)
    matched = best_lipschitz_points(x[:, None], y, L, lambda a, b: abs(a[0] - b[0]), weights)
    matched.verify()
    # L rho is off by less than 2^-53 here, for the two ends; there distance, product and
    # difference round by at most 2^-54 each where it matters, up to 1.
    mass = found.ones.sum() + found.zeros.sum()
    assert found.loss == pytest.approx(matched.loss, rel=0, abs=mass * 2.0**-51)


@given(lines(max_size=12), CONSTANTS)
def test_line_agrees_with_the_plain_program(line, L):
    x, y, weights = line
    found = best_lipschitz_line(x, y, L, weights)
    if len(x):
        expected = linear_program(np.abs(x[:, None] - x), found.ones, found.zeros, L)
        # HiGHS is content with 1e-7, for each unit of mass.
        content = 2e-7 * (1 + found.ones.sum() + found.zeros.sum())
        assert found.loss == pytest.approx(expected, rel=0, abs=content)


@given(lines(), CONSTANTS)
def test_f_is_lipschitz_over_all_pairs_and_has_the_loss_in_exact_numbers(line, L):
    x, y, weights = line
    found = best_lipschitz_line(x, y, L, weights)
    f, place = list(map(Fraction, found.f.tolist())), list(map(Fraction, x.tolist()))
    assert all(0 <= value <= 1 for value in f)
    for a, p in zip(f, place, strict=True):
        for b, q in zip(f, place, strict=True):
            reach = Fraction(L) * abs(p - q) if math.isfinite(L) else int(p != q)
            assert abs(a - b) < reach + Fraction(1, ONE)  # rounding the two ends down
    counts = np.ones(len(y), dtype=int) if weights is None else weights
    loss = sum(int(n) * abs(v - int(c)) for n, v, c in zip(counts, f, y, strict=True))
    assert float(loss) == found.loss


@given(st.lists(PLACES), CONSTANTS.filter(math.isfinite))
def test_gaps_are_differences_of_exact_positions_rounded_down(x, L):
    x = sorted(x)
    place = [math.floor(Fraction(L) * Fraction(p) * ONE) for p in x]
    assert _gaps(np.array(x), L) == [min(ONE, q - p) for p, q in pairwise(place)]


@given(lines(), st.lists(CONSTANTS, min_size=2, max_size=4))
def test_loss_falls_from_the_best_constant_to_the_best_function(line, constants):
    x, y, weights = line
    ladder = [0.0, *sorted(constants), math.inf]
    found = [best_lipschitz_line(x, y, L, weights) for L in ladder]
    losses = [each.loss for each in found]
    ones, zeros = found[0].ones, found[0].zeros
    # Positions are rounded anew for each L: a distance may fall by 2^-53, for each unit of mass.
    rounding = 2.0**-53 * (ones.sum() + zeros.sum())
    assert all(after <= before + rounding for before, after in pairwise(losses))
    assert losses[0] == min(ones.sum(), zeros.sum())
    assert losses[-1] == sum(min(ones[x == s].sum(), zeros[x == s].sum()) for s in set(x))


@given(lines(), CONSTANTS, st.randoms(use_true_random=False))
def test_the_order_does_not_matter_nor_which_label_is_called_one(line, L, random):
    x, y, weights = line
    order = list(range(len(x)))
    random.shuffle(order)
    found = best_lipschitz_line(x, y, L, weights)
    shuffled = None if weights is None else [weights[k] for k in order]
    assert best_lipschitz_line(x[order], y[order], L, shuffled).loss == found.loss
    assert best_lipschitz_line(x, 1 - y, L, weights).loss == found.loss


@given(lines(), CONSTANTS, st.data())
def test_a_certificate_that_was_tampered_with_is_refused(line, L, data):
    x, y, weights = line
    found = best_lipschitz_line(x, y, L, weights)
    for name in ("loss", "primal_value", "dual_value", "gap"):
        with pytest.raises(CertificateError):
            replace(found, **{name: getattr(found, name) + 1e-6 * (1 + found.loss)}).verify()
    k = data.draw(st.integers(0, len(x) - 1)) if len(x) else 0
    if len(x) and (weights is None or weights[k]):
        for change in (-0.25, -1e-9, 1e-9, 0.25):
            f = found.f.copy()
            f[k] += change
            with pytest.raises(CertificateError):
                replace(found, f=f).verify()
    if len(found.flow):
        k = data.draw(st.integers(0, len(found.flow) - 1))
        flow = found.flow.copy()
        flow[k] += 1000 * (1 - 2 * (flow[k] < 0))  # far more than all mass there is
        with pytest.raises(CertificateError):
            replace(found, flow=flow).verify()


@pytest.mark.parametrize("L", [0.3, 5, 400, 1e4])
def test_thousands_of_points(L):
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.random(700), np.round(rng.random(1300) * 40) / 40])
    y = rng.random(2000) < 0.5 + 0.4 * np.sin(20 * x)
    found = best_lipschitz_line(x, y, L)
    assert_certified(found)
    sites, index = np.unique(x, return_inverse=True)
    ones, zeros = np.bincount(index, weights=y), np.bincount(index, weights=~y)
    matched = best_lipschitz_sites(between(sites[:, None]), ones, zeros, L)
    # Cancelled at its site, no mass at all is moved: the rest as above.
    assert found.loss == pytest.approx(matched.loss, rel=0, abs=2000 * 2.0**-51)


@pytest.mark.parametrize(
    ("x", "y"), [([0.0], [0, 1]), ([math.nan], [0]), ([math.inf], [0]), ([[0.0]], [0])]
)
def test_points_that_make_no_sense_are_refused(x, y):
    with pytest.raises(ValueError, match="finite"):
        best_lipschitz_line(x, y, 1)
