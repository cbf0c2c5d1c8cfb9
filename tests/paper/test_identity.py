"""Matching rows: known permutations come back, missing sets and strangers are left alone."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paper import identity
from paper.identity import (
    COLUMNS,
    NOTHING,
    Row,
    answers,
    assign,
    distances,
    gather,
    match,
    published_rows,
    typical,
)
from paper.plots import NAMES
from paper.published import TABLES, tables

SIZES = np.array([what == "size" for _, _, what in COLUMNS])


def synthetic(n, seed=0):
    """Rows as unlike each other as those of unrelated sets."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.9, size=(n, 1)) + rng.normal(0, 0.1, size=(n, len(COLUMNS)))
    sizes = rng.uniform(0.001, 0.1, size=(n, 1)) * rng.uniform(0.5, 1, size=(n, len(COLUMNS)))
    values = np.where(SIZES, sizes, base.clip(0, 1))
    return [Row(f"set {i}", row, np.zeros(len(COLUMNS))) for i, row in enumerate(values)]


def reproduced(rows, order, noise=0.0, seed=1):
    """The set named like row i has the values of row ``order[i]``, give or take."""
    rng = np.random.default_rng(seed)
    made = []
    for i, j in enumerate(order):
        factor = 1 + noise * rng.normal(size=len(COLUMNS))
        mean = rows[j].mean * factor
        made.append(Row(rows[i].data, mean, np.full(len(COLUMNS), noise / 10)))
    return made


def test_labels_that_are_right():
    rows = synthetic(8)
    found = match(rows, reproduced(rows, range(8), noise=0.02))
    assert [row.verdict for row in found.rows] == ["as labelled"] * 8
    assert found.cost == pytest.approx(found.label_cost)
    assert found.label_p_value < 0.001
    assert all(row.support > 0.9 and row.margin > 0 for row in found.rows)
    assert all(row.distance == row.label_distance for row in found.rows)


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
def test_a_known_permutation_comes_back(noise):
    rows = synthetic(11)
    order = [3, 1, 0, 2, 7, 5, 6, 4, 10, 8, 9]
    found = match(rows, reproduced(rows, order, noise))
    for j, row in enumerate(found.rows):
        true = f"set {order.index(j)}"
        assert row.answer == true
        assert row.verdict == ("as labelled" if order[j] == j else f"looks like {true}")
        assert row.support > 0.7
    assert found.cost < 0.2 * found.label_cost
    # three labels of eleven are right, and that is better than most relabelings, but not than all
    assert 1e-5 < found.label_p_value < 0.2


def test_two_exchanged_rows_of_the_paper():
    rows = published_rows()
    order = list(range(11))
    a, b = (next(i for i, r in enumerate(rows) if r.data == n) for n in ("covtype", "kddcup99"))
    order[a], order[b] = b, a
    found = {row.named: row.verdict for row in match(rows, reproduced(rows, order, 0.01)).rows}
    assert found.pop("covtype") == "looks like kddcup99"
    assert found.pop("kddcup99") == "looks like covtype"
    assert set(found.values()) == {"as labelled"}


def test_sets_that_are_not_at_hand_leave_rows_alone():
    rows = synthetic(11)
    at_hand = reproduced(rows, range(11), noise=0.02)[2:7]
    found = match(rows, at_hand)
    verdicts = [row.verdict for row in found.rows]
    assert verdicts[2:7] == ["as labelled"] * 5
    assert verdicts[:2] + verdicts[7:] == ["matches nothing at hand"] * 6
    assert all(math.isnan(row.label_distance) for row in found.rows[7:])
    assert found.rows[0].answer == NOTHING
    # six rows pay for being left alone in both costs
    assert found.label_cost >= found.cost >= 6 * typical(rows)


def test_a_stranger_is_not_forced_on_a_row():
    rows = synthetic(6)
    strange = reproduced(rows, range(6), noise=0.01)
    strange[4] = strange[4]._replace(mean=np.where(SIZES, 0.5, 0.01))
    found = match(rows, strange).rows[4]
    assert found.verdict == "matches nothing at hand"
    assert found.label_distance > typical(rows)
    assert found.runner_up != NOTHING
    assert found.margin > 0


def test_the_cost_of_being_left_alone_decides():
    rows = synthetic(8)
    theirs = reproduced(rows, range(8), noise=0.05)
    counts = [
        sum(row.answer == NOTHING for row in match(rows, theirs, alone=alone).rows)
        for alone in (1e-9, 0.001, 0.01, 0.1, 1, 10, 1000)
    ]
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[-1]) == (8, 0)


def test_p_value_over_all_relabelings_is_exact():
    rows = synthetic(6, seed=4)
    theirs = reproduced(rows, [1, 0, 2, 3, 4, 5], noise=0.3)[:4]
    limit = typical(rows)
    cost, names = distances(rows, theirs)
    assert names == ["set 0", "set 1", "set 2", "set 3"]
    totals = [
        sum(min(cost[i, j], limit) for j, i in enumerate(way))
        for way in itertools.permutations(range(6), 4)
    ]
    labels = sum(min(cost[j, j], limit) for j in range(4))
    share = np.mean([total <= labels + 1e-9 for total in totals])
    found = match(rows, theirs)
    assert found.label_p_value == pytest.approx(share)
    assert found.label_cost == pytest.approx(labels + 2 * limit)


def test_drawn_relabelings_agree_with_all_of_them(monkeypatch):
    rows = synthetic(7, seed=2)
    theirs = reproduced(rows, [1, 2, 3, 4, 5, 6, 0], noise=0.2)
    exact = match(rows, theirs).label_p_value
    monkeypatch.setattr(identity, "EXACT", 5000)
    drawn = match(rows, theirs).label_p_value
    # the standard deviation of 5,000 draws is at most 0.0071
    assert drawn == pytest.approx(exact, abs=0.03)
    right = match(rows, reproduced(rows, range(7))).label_p_value
    assert 0 < right < 0.01


@given(st.integers(1, 5), st.integers(1, 5), st.floats(0.01, 2), st.integers(0, 10**6))
def test_assignment_is_the_cheapest(n, m, alone, seed):
    cost = np.random.default_rng(seed).exponential(size=(n, m))
    chosen, total = assign(cost, alone)
    taken = [j for j in chosen if j >= 0]
    assert len(taken) == len(set(taken))
    totals = []
    for way in itertools.product(range(-1, m), repeat=n):
        used = [j for j in way if j >= 0]
        if len(used) == len(set(used)):
            totals.append(sum(cost[i, j] if j >= 0 else alone for i, j in enumerate(way)))
    assert total == pytest.approx(min(totals))
    # the family of relabelings that the p-value compares with has the same best one
    assert all(cost[i, j] <= alone + 1e-12 for i, j in enumerate(chosen) if j >= 0)


def test_the_best_variant_of_a_set_counts():
    rows = synthetic(5)
    theirs = reproduced(rows, range(5))
    scaled = theirs[0]._replace(mean=theirs[0].mean / 2, variant="scaled")
    for variants in ([scaled, *theirs], [*theirs, scaled]):
        cost, names = distances(rows, variants)
        assert sorted(names) == [row.data for row in rows]
        assert cost[0, names.index("set 0")] == 0


def test_columns_that_were_not_run():
    rows = synthetic(7)
    theirs = [
        row._replace(mean=np.where([c[0] == "II" for c in COLUMNS], row.mean, np.nan))
        for row in reproduced(rows, [1, 0, 2, 3, 4, 5, 6], noise=0.02)
    ]
    assert [row.answer for row in match(rows, theirs).rows[:3]] == ["set 1", "set 0", "set 2"]


def test_a_column_without_differences_says_nothing():
    rows = [row._replace(mean=np.where(SIZES, 0.05, row.mean)) for row in synthetic(5)]
    theirs = [row._replace(mean=np.where(SIZES, 0.9, row.mean)) for row in rows]
    assert distances(rows, theirs)[0].diagonal() == pytest.approx(np.zeros(5))


def test_answers_tell_what_depends_on_choices():
    rows = synthetic(6)
    # like set 0 by its accuracies, like set 1 by its sizes
    mixed = rows[0]._replace(mean=np.where(SIZES, rows[1].mean, rows[0].mean), data="set 0")
    told = answers(rows, [mixed, *rows[2:]], draws=5)
    assert len(told[0]) > 1
    assert told[3] == {"set 3": told[3].total()}
    assert told[0].total() == 8 * 2 * 3 + 5


def cells(data, table, method, accuracies, sizes, variant=""):
    told = {"data": data, "table": table, "method": method, "variant": variant}
    return pd.DataFrame({"accuracy": accuracies, "size": sizes}).assign(**told)


def test_gathering_runs():
    two = cells("sea", "II", "AUTO-ADJ", [0.8, 0.9], [0.01, 0.03])
    rows = gather(pd.concat([two, cells("sea", "III", "AUTO-ADJ FIX", [0.7], [0.01], "unit")]))
    assert [(row.data, row.variant) for row in rows] == [("sea", ""), ("sea", "unit")]
    i = COLUMNS.index(("II", "AUTO-ADJ", "size"))
    assert rows[0].mean[i] == pytest.approx(0.02)
    assert rows[0].spread[i] == pytest.approx(0.01 * math.sqrt(2))
    assert np.isnan(rows[0].mean).sum() == len(COLUMNS) - 2
    assert (rows[1].spread == 0).all()


def swapped():
    """Runs on sea that have the numbers of the paper's row poker, and on poker those of sea."""
    runs = tables()[lambda cells: cells.data.isin(["sea", "poker", "covtype"])]
    runs = runs.rename(columns={"size": "model_share"})
    runs["stream"] = runs.data.replace({"sea": "poker", "poker": "sea"})
    runs["method"] = runs.method.map({printed: own for own, printed in NAMES.items()})
    runs["level"] = runs.table.map(TABLES)
    runs = runs.assign(set=runs.stream, rate=runs.level, budget=math.nan, settings="{}")
    whole = runs.drop_duplicates("stream").assign(rate=1.0, level=1.0)
    both = pd.concat([runs, whole], ignore_index=True)
    return both.assign(scale="none", order="file", standard=True, n_examples=10_000)


def test_swapped_rows_are_recognised():
    found = match(published_rows(), identity.reproduced(swapped())).rows
    verdicts = {row.named: row.verdict for row in found}
    assert verdicts["sea"] == "looks like poker"
    assert verdicts["poker"] == "looks like sea"
    assert verdicts["covtype"] == "as labelled"
    assert verdicts["airlines"] == "matches nothing at hand"


def test_other_readings_of_a_set_are_variants_of_its_row():
    plain = swapped()
    scaled = plain[plain.stream == "sea"].assign(scale="minmax", standard=False)
    ablated = plain.assign(settings='{"d_hat": 3.0}', standard=False)
    found = identity.reproduced(pd.concat([plain, scaled, ablated], ignore_index=True))
    assert [(row.data, row.variant) for row in found] == [
        ("sea", ""),
        ("sea", "minmax"),
        ("poker", ""),
        ("covtype", ""),
    ]


def test_published_rows_are_those_of_the_tables():
    rows = {row.data: row for row in published_rows()}
    assert len(rows) == 11
    assert rows["electricity"].mean.tolist() == [
        0.295, 0.266, 0.011, 0.530, 0.093, 0.130, 0.120, 0.001, 0.621, 0.010,
    ]  # fmt: skip


def test_a_set_that_the_paper_does_not_name_can_be_the_answer():
    rows = synthetic(5)
    theirs = [reproduced(rows, range(5))[0]._replace(data="banana")]
    found = match(rows, theirs)
    assert found.rows[0].verdict == "looks like banana"
    assert found.label_p_value == 1


@pytest.mark.parametrize("theirs", [[], gather(cells("sea", "II", "NN3", [math.nan], [0.1]))])
def test_nothing_to_match_with(theirs):
    with pytest.raises(ValueError, match="needs a value"):
        match(synthetic(5), theirs)
