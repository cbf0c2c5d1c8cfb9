"""The arithmetic, the streams and the counts of the benchmark."""

import pytest

from paper.bench import PEERS, PROFILES, STREAMS
from paper.bench.data import open_data, uniform
from paper.bench.growth import count, fit
from paper.bench.profiles import chosen
from paper.bench.rows import Row, measured
from paper.bench.timing import Model, Spread, Timing, ratios, time_test_then_learn

TINY = PROFILES["tiny"]


@pytest.mark.parametrize("exponent", [0.0, 0.17, 1.0, 2.5])
@pytest.mark.parametrize("factor", [0.3, 1.0, 40.0])
def test_fit_of_an_exact_power_law(exponent, factor):
    balls = [10, 31, 100, 4000, 10**6]
    law = fit(balls, [factor * b**exponent for b in balls])
    assert law.exponent == pytest.approx(exponent, abs=1e-12)
    assert law.factor == pytest.approx(factor, rel=1e-11)
    assert law.per_tenfold == pytest.approx(10**exponent, rel=1e-11)


@pytest.mark.parametrize(("balls", "evaluations"), [([5, 5], [1, 2]), ([1, 2], [0, 1]), ([3], [3])])
def test_fit_refuses_what_has_no_slope(balls, evaluations):
    with pytest.raises(ValueError, match="power law"):
        fit(balls, evaluations)


def test_ratios_are_taken_round_by_round():
    """A machine that halves its speed in the second round changes no ratio."""
    ours = [Timing(1000, 1.0), Timing(1000, 2.0), Timing(1000, 1.0)]
    theirs = [Timing(50, 1.0), Timing(50, 2.0), Timing(50, 1.25)]
    assert ratios(ours, theirs) == Spread(median=20.0, low=20.0, high=25.0)
    assert ratios(ours, theirs[:1]) == Spread(20.0, 20.0, 20.0)  # it was not asked again


def test_row_of_an_entrant_with_fewer_rounds():
    ours = [Timing(100, 1.0), Timing(100, 4.0)]
    row = measured("s", "whole", "plain", 7, [Timing(100, 10.0)], ours)
    assert (row.rounds, row.per_second, row.ours_per_second) == (1, 10.0, 100.0)
    cells = row.cells()
    assert (cells["ratio"], cells["ratio_low"], cells["ratio_high"]) == (10.0, 10.0, 10.0)
    assert cells["whole_ratio"] is None
    assert list(cells) == list(Row("s", "whole", "plain").cells())


def test_loop_stops_when_the_seconds_are_used_up():
    seen = []
    model = Model(predict=lambda x: None, learn=lambda x, y: seen.append((x, y)))
    assert time_test_then_learn(model, [1, 2, 3], [0, 1, 0], budget=0.0).examples == 1
    assert time_test_then_learn(model, [1, 2, 3], [0, 1, 0]).examples == 3
    assert seen == [(1, 0), (1, 0), (2, 1), (3, 0)]


def test_chosen_names():
    assert chosen(None, STREAMS, "stream") == STREAMS
    assert chosen("", PEERS, "peer") == ()
    assert chosen("plain,plain", PEERS, "peer") == ("plain",)
    with pytest.raises(ValueError, match="unknown peer 'weka'"):
        chosen("weka", PEERS, "peer")


@pytest.mark.parametrize("d", [2, 5, 10])
def test_uniform_stream(d):
    data = open_data(f"uniform-{d}", TINY)
    assert data.X.shape == (TINY.sizes[-1], d)
    assert 0.4 < data.y.mean() < 0.6
    assert (uniform(d, 100).X == data.head(100).X).all()


def test_counts_of_a_scan(counting):
    """One pass that stops in between counts what separate passes count."""
    data = uniform(2, 400)
    counts = count(data, (100, 400), counting())
    assert [c.examples for c in counts] == [100, 400]
    for c in counts:
        (alone,) = count(data.head(c.examples), (c.examples,), counting())
        assert (alone.balls, alone.evaluations) == (c.balls, c.evaluations)
        assert alone.evaluations_overall == c.evaluations_overall < c.evaluations <= c.balls
    assert counts[0].seconds < counts[1].seconds
