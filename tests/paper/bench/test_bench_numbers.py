"""The arithmetic, the streams and the counts of the benchmark."""

import math

import numpy as np
import pandas as pd
import pytest

from paper.bench.growth import count, with_laws
from paper.bench.profiles import PEERS, PROFILES, STREAMS, chosen, head, open_data
from paper.bench.timing import Model, Timing, measured, timed

TINY = PROFILES["tiny"]


def counted(balls, evaluations, stream="s"):
    return pd.DataFrame({"stream": stream, "balls": balls, "evaluations": evaluations})


@pytest.mark.parametrize("exponent", [0.0, 0.17, 1.0, 2.5])
@pytest.mark.parametrize("factor", [0.3, 1.0, 40.0])
def test_exact_power_law(exponent, factor):
    balls = np.array([10, 31, 100, 4000, 10**6])
    parts = [counted(balls, factor * balls**exponent), counted(balls, balls, "other")]
    laws = with_laws(pd.concat(parts, ignore_index=True))
    assert laws.exponent[:5].tolist() == pytest.approx([exponent] * 5, abs=1e-12)
    assert laws.per_tenfold[:5].tolist() == pytest.approx([10**exponent] * 5, rel=1e-11)
    assert laws.per_tenfold[5:].tolist() == pytest.approx([10.0] * 5)


@pytest.mark.parametrize(("balls", "evaluations"), [([5, 5], [1, 2]), ([1, 2], [0, 1]), ([3], [3])])
def test_no_law_where_nothing_has_a_slope(balls, evaluations):
    with pytest.raises(ValueError, match="power law"):
        with_laws(counted(balls, evaluations))


def test_ratios_are_taken_round_by_round():
    """A machine that halves its speed in the second round changes no ratio."""
    ours = [Timing(1000, 1.0), Timing(1000, 2.0), Timing(1000, 1.0)]
    theirs = [Timing(50, 1.0), Timing(50, 2.0), Timing(50, 1.25)]
    row = measured("s", "whole", "plain", 7, theirs, ours)
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == (20.0, 20.0, 25.0)


def test_row_of_an_entrant_with_fewer_rounds():
    ours = [Timing(100, 1.0), Timing(100, 4.0)]
    row = measured("s", "whole", "plain", 7, [Timing(100, 10.0)], ours)
    assert (row["rounds"], row["per_second"], row["ours_per_second"]) == (1, 10.0, 100.0)
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == (10.0, 10.0, 10.0)
    assert math.isnan(row["whole_ratio"])
    assert list(row) == list(measured("s", "whole", "plain", note="not installed"))


def test_loop_stops_when_the_seconds_are_used_up():
    seen = []
    model = Model(predict=lambda x: None, learn=lambda x, y: seen.append((x, y)))
    assert timed(model, [1, 2, 3], [0, 1, 0], budget=0.0).examples == 1
    assert timed(model, [1, 2, 3], [0, 1, 0]).examples == 3
    assert timed(model, [1, 2, 3]).examples == 3  # predicts only
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
    flipped = (data.X.sum(axis=1) > d / 2) != (np.array(data.labels)[data.y] == "1")
    assert abs(flipped.mean() - {2: 0.3, 5: 0.2, 10: 0.1}[d]) < 0.05


def test_counts_of_a_scan(counting):
    """One pass that stops in between counts what separate passes count."""
    data = head(open_data("uniform-2", TINY), 400)
    counts = count(data, (100, 400), counting())
    assert [c["examples"] for c in counts] == [100, 400]
    for c in counts:
        (alone,) = count(head(data, c["examples"]), (c["examples"],), counting())
        assert (alone["balls"], alone["evaluations"]) == (c["balls"], c["evaluations"])
        assert alone["evaluations_overall"] == c["evaluations_overall"] < c["evaluations"]
        assert c["evaluations"] <= c["balls"]
    assert counts[0]["seconds"] < counts[1]["seconds"]
