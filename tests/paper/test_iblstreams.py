"""IBLStreams against RULES: what is paired with what, and the interval."""

import json
import math

import pandas as pd
import pytest

from paper.iblstreams import COLUMNS, better, compare_with_rules


def run(method, accuracy, seed=0, stream="sea", rate=0.1, scale="none", order="file", **settings):
    values = {"stream": stream, "set": stream, "method": method, "rate": rate, "seed": seed}
    values |= {"scale": scale, "order": order, "settings": json.dumps(settings)}
    return values | {"accuracy": accuracy}


def test_pairs_seed_by_seed():
    runs = [run("rules", 0.5 + 0.1 * seed, seed, grace_period=50) for seed in range(4)]
    runs += [run("iblstreams", 0.4 + 0.1 * seed**2, seed, start=50) for seed in (0, 1, 2, 7)]
    runs += [run("nn3", 0.9)]
    (row,) = compare_with_rules(pd.DataFrame(runs)).itertuples(index=False)
    assert row[:5] == ("sea", "raw", "described", 50, 0.1)
    assert (row.iblstreams, row.rules) == pytest.approx((1.7 / 3, 0.6))
    assert row.seeds == 3  # 7 has no run of RULES, 3 none of IBLStreams
    # by hand: the gaps are -0.1, -0.1 and 0.1, their deviation is 0.2 / sqrt(3), and Student's
    # quantile for two degrees of freedom is 4.302653 (sqrt(2) 0.95 / sqrt(1 - 0.95^2))
    assert row.difference == pytest.approx(-0.1 / 3)
    reach = math.sqrt(2) * 0.95 / math.sqrt(1 - 0.95**2) * 0.2 / 3
    assert (row.low, row.high) == pytest.approx((-0.1 / 3 - reach, -0.1 / 3 + reach))


def test_protocols_readings_and_starts_are_told_apart():
    runs = []
    for stream, scale, order in (
        *(("sea", "none", "file"), ("sea", "unit", "file"), ("covtype", "none", "file")),
        ("covtype", "unit", "shuffle=0"),
    ):
        where = {"stream": stream, "scale": scale, "order": order, "rate": 1.0}
        runs.append(run("rules", 0.5, **where))
        runs.append(run("iblstreams", 0.6, **where))
        runs.append(run("iblstreams", 0.4, **where, reading="moa"))
    for scale, order in (("minmax", "file"), ("unit", "shuffle=0")):  # neither protocol
        runs += [run(m, 0.5, scale=scale, order=order, rate=1.0) for m in ("rules", "iblstreams")]
    found = compare_with_rules(pd.DataFrame(runs))
    assert list(zip(found.stream, found.protocol, found.reading, strict=True)) == [
        (stream, protocol, reading)
        for stream in ("covtype", "sea")
        for protocol in ("paper", "raw")
        for reading in ("described", "moa")
    ]
    assert set(found.start) == {1000}
    assert found.low.isna().all()
    assert better(found).tolist() == [True, False] * 4


def test_without_rules_there_is_nothing_to_compare():
    runs = pd.DataFrame([run("iblstreams", 0.6), run("rules", 0.5, rate=1.0)])
    found = compare_with_rules(runs)
    assert found.empty
    assert list(found.columns) == COLUMNS
    assert compare_with_rules(runs.iloc[:0]).empty
