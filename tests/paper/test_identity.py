"""Whose rows: made-up worlds in which it is known, and arithmetic that is done by hand."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper import identity
from paper.identity import (
    CONFIRMED,
    FITS,
    OPEN,
    distances,
    full_cells,
    intervals,
    judge,
    leave_one_out,
    namings,
    printed_size,
    reproduced,
    rules,
    size_points,
    states,
    totals,
)
from paper.plots import NAMES
from paper.published import TABLES, names, tables

AT_HAND = ("kddcup99", "poker", "electricity", "sea", "covtype")
RAW, UNIT = ("none", "file"), ("unit", "file")
OWN_NAMES = {printed: own for own, printed in NAMES.items()}


def world(naming, protocols=(RAW,), sets=AT_HAND, noise=0.001, seeds=5):
    """Runs in a world where the numbers of a set are printed in the row that ``naming`` gives it.

    Each protocol may have a third entry, which is added to all accuracies.
    """
    rng = np.random.default_rng(0)
    cells = tables().rename(columns={"size": "model_share"})
    parts = []
    for name, (scale, order, *shift), seed in itertools.product(sets, protocols, range(seeds)):
        own = cells[cells.data == naming[name]]
        drawn = rng.normal(sum(shift), noise, len(own))
        told = {"stream": name, "set": name, "scale": scale, "seed": seed, "settings": "{}"}
        order = order if order == "file" else f"shuffle={seed}"
        parts.append(own.assign(**told, order=order, accuracy=own.accuracy + drawn))
    runs = pd.concat(parts, ignore_index=True)
    runs["level"] = runs.table.map(TABLES)
    return runs.assign(method=runs.method.map(OWN_NAMES)).drop(columns=["table", "data"])


def rule(name):
    return rules(names())[name]


# The arithmetic of full budgets


def test_the_cells_that_are_full():
    full = full_cells()
    assert full[full.table == "II"].set_index("data").thousandths.to_dict() == {
        "hyperPlane": 100, "powersupply": 99, "airlines": 100, "sea": 100,
    }  # fmt: skip
    assert set(full[full.table == "III"].data) == {*names()} - {"covtype"}
    assert set(full[full.table == "III"].thousandths) == {9, 10}


@pytest.mark.parametrize(
    ("examples", "budget", "counted", "cut", "five", "rounded"),
    [
        (45_312, 0.1, "rounded", 99, 99, 100),  # 4531: 0.0999956
        (581_012, 0.1, "rounded", 99, 100, 100),  # 58101: 0.09999966
        (29_928, 0.1, "rounded", 100, 100, 100),  # 2993: 0.1000067
        (29_928, 0.1, "cut", 99, 99, 100),  # 2992: 0.0999733
        (29_928, 0.01, "up", 10, 10, 10),  # 300: 0.0100241
        (25_010, 0.01, "rounded", 9, 9, 10),  # 250: 0.0099960
        (2_219_803, 0.01, "rounded", 9, 10, 10),  # 22198: 0.009999986
        (100_000, 0.1, "cut", 100, 100, 100),  # exact, though 0.1 is not
    ],
)
def test_sizes_by_hand(examples, budget, counted, cut, five, rounded):
    found = [printed_size(examples, budget, counted, shown) for shown in identity.SHOWN]
    assert found == [cut, five, rounded]


def test_points_of_both_rules():
    """As printed 8 of 14, reversed all; with a plain cut sensor's .010 is one that fails."""
    points = size_points("rounded", "five digits, then cut")
    assert (points.trace(), points[:, ::-1].trace()) == (8, 14)
    points = size_points("rounded", "cut")
    assert (points.trace(), points[:, ::-1].trace()) == (9, 13)
    i, j = names().index("electricity"), names().index("sensor")
    assert points[i, j] == 0
    assert size_points("rounded", "five digits, then cut")[i, j] == 1


@given(st.integers(1, 5), st.integers(0, 10**6))
def test_totals_are_those_of_all_namings(n, seed):
    points = np.random.default_rng(seed).integers(0, 4, size=(n, n))
    found = totals(points)
    brute = [
        sum(points[i, j] for i, j in enumerate(way)) for way in itertools.permutations(range(n))
    ]
    assert found.tolist() == [brute.count(total) for total in range(len(found))]
    assert found.sum() == math.factorial(n)


# Namings


def ways_to_name(free, sets):
    """All namings, one set after the other: the plain way."""
    if not sets:
        yield ()
        return
    for row in free:
        for rest in ways_to_name([r for r in free if r != row], sets - 1):
            yield (row, *rest)


@given(st.integers(1, 5), st.integers(0, 10**6), st.data())
def test_counts_are_exact(n, seed, data):
    m = data.draw(st.integers(1, n))
    rng = np.random.default_rng(seed)
    rows = [f"set {i}" for i in range(n)]
    # whole numbers, so that there are ties
    made = pd.DataFrame(rng.integers(0, 4, size=(n, m)), rows, rng.permutation(rows)[:m])
    found = judge(made.astype(float))
    every = [sum(made.iloc[i, j] for j, i in enumerate(way)) for way in ways_to_name(range(n), m)]
    own = [rows.index(name) for name in made.columns]
    as_printed = sum(made.iloc[i, j] for j, i in enumerate(own))
    backwards = sum(made.iloc[n - 1 - i, j] for j, i in enumerate(own))
    paid = (found.printed, found.reversed, found.best)
    assert paid == pytest.approx(np.array([as_printed, backwards, min(every)]) / m)
    assert found.namings == len(every) == math.perm(n, m)
    assert found.as_good_as_printed == sum(total <= as_printed for total in every)
    assert found.as_good_as_reversed == sum(total <= backwards for total in every)


def test_all_ways_to_name_seven_of_eleven():
    ways = namings(11, 7)
    assert len(ways) == 1_663_200
    assert len(np.unique(ways @ 11 ** np.arange(7))) == len(ways)
    assert (np.sort(ways[::1000], axis=1)[:, 1:] > np.sort(ways[::1000], axis=1)[:, :-1]).all()


# Worlds


def test_reversed_names_are_found():
    ours = reproduced(world(rule("reversed")))["none, file order"]
    found = judge(distances(ours))
    assert found.as_good_as_reversed == 1
    assert found.reversed == found.best < 0.002
    assert found.as_good_as_printed > 100
    assert judge(distances(ours, "size")).reversed == pytest.approx(0)
    out = leave_one_out({"none, file order": distances(ours)})
    assert list(out.left_out) == list(AT_HAND)
    assert set(out.names) == {"reversed"}
    assert set(out["rank"]) == {1}
    assert (out.distance < out.by_the_other_rule).all()
    told = states(ours).set_index("reversed").state
    assert set(told[[*AT_HAND]]) == {CONFIRMED}
    assert set(told.drop([*AT_HAND])) == {OPEN}


def test_right_names_are_not_taken_for_reversed_ones():
    ours = reproduced(world(rule("as printed")))["none, file order"]
    found = judge(distances(ours))
    assert found.as_good_as_printed == 1
    assert found.as_good_as_reversed > 100
    out = leave_one_out({"none, file order": distances(ours)})
    assert set(out.names) == {"as printed"}
    assert set(out["rank"]) == {1}
    assert set(states(ours).state) == {OPEN}


def test_names_in_another_disorder_are_neither():
    rows = names()
    moved = dict(zip(rows, rows[2:] + rows[:2], strict=True))  # none at hand is where reversed
    ours = reproduced(world(moved))["none, file order"]
    found = judge(distances(ours))
    assert min(found.as_good_as_printed, found.as_good_as_reversed) > 100
    assert found.best < 0.002 < min(found.printed, found.reversed) / 10
    assert (leave_one_out({"none, file order": distances(ours)})["rank"] > 1).sum() >= 3
    assert CONFIRMED not in set(states(ours).state)


def test_the_protocol_is_chosen_by_the_other_sets():
    """Under one protocol the numbers are off, by no more than rows differ: the rule stays."""
    runs = world(rule("reversed"), [(*RAW, 0.03), (*UNIT, 0.0)])
    by_protocol = {name: distances(ours) for name, ours in reproduced(runs).items()}
    assert list(by_protocol) == ["none, file order", "unit, file order"]
    out = leave_one_out(by_protocol)
    assert set(out.protocol) == {"unit, file order"}
    assert set(out.names) == {"reversed"}
    spoilt = runs[(runs["scale"] == "none") | (runs.stream != "sea")]
    better = world(rule("reversed"), [(*UNIT, 0.2)], ["sea"])
    by_protocol = reproduced(pd.concat([spoilt, better], ignore_index=True))
    out = leave_one_out({name: distances(ours) for name, ours in by_protocol.items()})
    sea = out.set_index("left_out").loc["sea"]
    assert sea.protocol == "unit, file order"  # whatever it says of sea
    assert sea.distance == pytest.approx(0.2, abs=0.002)


# Runs in the columns of the tables


def test_means_spreads_and_numbers_of_runs():
    runs = world(rule("as printed"), sets=["sea"], seeds=2, noise=0)
    at = (runs.method == "nn3") & (runs.level == 0.1)
    runs.loc[at, "accuracy"] = [0.8, 0.9]
    cell = reproduced(runs)["none, file order"].loc["sea", "II", "NN3", "accuracy"]
    assert cell["mean"] == pytest.approx(0.85)
    assert cell["std"] == pytest.approx(0.1 / math.sqrt(2))
    assert cell["count"] == 2


def test_only_whole_sets_under_whole_protocols():
    whole = world(rule("as printed"))
    lacking = whole[(whole.stream != "sea") | (whole.method != "nn3")]
    ablated = whole.assign(settings=json.dumps({"d_hat": 3.0}), accuracy=0)
    generated = whole.assign(stream="generated:hyperplane", set="hyperPlane")
    few = whole[whole.stream == "poker"].assign(scale="minmax")
    both = pd.concat([lacking, ablated, generated, few], ignore_index=True)
    (name,) = found = reproduced(both)
    assert name == "none, file order"
    left = list(found[name].index.get_level_values("data").unique())
    assert left == [name for name in AT_HAND if name != "sea"]
    assert (found[name]["count"] == 5).all()
    assert reproduced(both.iloc[:0]) == {}


def test_the_mixed_protocol_permutes_covtype_alone():
    runs = world(rule("as printed"), [UNIT, ("unit", "permuted", 0.1)], noise=0)
    found = reproduced(runs)
    assert list(found) == ["unit, file order", "unit, permuted", "paper"]
    near = {
        name: np.diag(distances(found["paper"]).loc[[*AT_HAND]])[i]
        for i, name in enumerate(AT_HAND)
    }
    assert near == pytest.approx(dict.fromkeys(AT_HAND, 0) | {"covtype": 0.1})


# States


def test_intervals_by_hand():
    ours = pd.DataFrame({"mean": [0.5, 0.5], "std": [0.01, 0.0], "count": [5, 5]})
    found = intervals(ours)
    # Student's 99.5 % point with 4 degrees of freedom is 4.604; digits are rounded or cut
    half = 4.604 * 0.01 * math.sqrt(1.2)
    assert found.low.tolist() == pytest.approx([0.5 - half - 0.001, 0.499], abs=1e-5)
    assert found.high.tolist() == pytest.approx([0.5 + half + 0.0005, 0.5005], abs=1e-5)


def test_one_cell_that_is_off_fits_only():
    runs = world(rule("reversed"))
    off = (runs.stream == "sea") & (runs.method == "nn3") & (runs.level == 0.1)
    runs.loc[off, "accuracy"] += 0.02
    told = states(reproduced(runs)["none, file order"]).set_index("reversed")
    assert told.state["sea"] == FITS
    assert (told.accuracies["sea"], told.sizes["sea"]) == (5, 4)
    assert told.state["poker"] == CONFIRMED


def test_a_row_that_is_nearer_to_another_set_is_open():
    runs = world(rule("reversed"))
    runs.loc[runs.stream == "sea", "accuracy"] += 0.3
    told = states(reproduced(runs)["none, file order"]).set_index("reversed").loc["sea"]
    assert told.state == OPEN
    assert told.row == "poker"
    assert told.nearest == "electricity"


def test_spreads_that_allow_two_sets_confirm_none():
    """With a spread of 0.3 every row is within every interval: that is no confirmation."""
    ours = reproduced(world(rule("reversed"), noise=0))["none, file order"].assign(std=0.3)
    told = states(ours)
    assert set(told[told.reversed.isin(AT_HAND)].state) == {FITS}


def test_printed_rows_are_those_of_the_tables():
    assert identity.printed().loc["electricity"].tolist() == [
        0.295, 0.266, 0.011, 0.530, 0.093, 0.130, 0.120, 0.001, 0.621, 0.010,
    ]  # fmt: skip
