"""Whose rows are these? The rows of Tables II and III matched with reproduced ones.

Some rows do not look like the set that they name. `match` looks for the assignment between
published and reproduced rows with the least cost, and leaves alone what resembles nothing at hand.

The distance of two rows is the mean over the columns of their squared difference, each column in
units of its standard deviation over the published rows: 0 for equal rows, 2 on average for the rows
of two unrelated sets. A row left alone costs as much as the typical (median) distance from a
published row to the nearest other one, times ``alone``: a match must be closer than that.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

from abacoc.streams import get
from abacoc.streams.datasets import VARIANTS
from paper.plots import NAMES
from paper.published import ABOVE, BELOW, METHODS, TABLES, Floats, tables
from paper.runs import FIX, set_of, streams_of_the_paper

OWN = ("nn3", "auto-adj", FIX)  # our names of the tables' methods
# NN3's size is its rate, whatever the set
COLUMNS = [
    (table, method, what)
    for table in TABLES
    for method in METHODS
    for what in ("accuracy", "size")
    if (method, what) != ("NN3", "size")
]
NOTHING = "nothing"
SURE = 0.75  # of the variations must have the same answer
UNDECIDED = "undecided:"
EXACT = 50_000  # relabelings: up to here all of them, beyond that as many drawn


class Row(NamedTuple):
    """A data set in the columns of both tables; nan where there is no run."""

    data: str
    mean: Floats
    spread: Floats  # standard deviation over seeds
    variant: str = ""


class RowMatch(NamedTuple):
    """What a published row looks like."""

    named: str
    # 'as labelled', 'looks like X', or 'matches nothing at hand': nothing that is close enough
    # and does not fit another row better (that one would then be the runner-up);
    # 'undecided: X or Y' if too many variations have another answer
    verdict: str
    answer: str  # the set, or `NOTHING`
    distance: float  # to the set of the answer; to the nearest one if it is nothing
    label_distance: float  # to the set of its name; nan if that is not at hand
    runner_up: str  # the answer if the first were ruled out
    margin: float  # how much that would cost over all rows
    support: float  # share of the variations of `answers` with the same answer


class Matching(NamedTuple):
    """The best assignment."""

    rows: list[RowMatch]
    cost: float
    label_cost: float  # of taking the labels at their word, or leaving a row alone if that is less
    label_p_value: float  # share of relabelings that are as good as the labels


def gather(cells: pd.DataFrame) -> list[Row]:
    """Means and spreads over seeds, a row per set (``data``) and variant.

    >>> cells = pd.DataFrame({"data": "sea", "variant": "", "table": "II", "method": "NN3"}, [0, 1])
    >>> row = gather(cells.assign(accuracy=[0.8, 0.9], size=0.1))[0]
    >>> row.data, float(row.mean[0].round(3)), float(row.spread[0].round(3))
    ('sea', 0.85, 0.071)
    """
    rows = []
    for (data, variant), own in cells.groupby(["data", "variant"], sort=False):
        long = own.melt(["table", "method"], ["accuracy", "size"])
        found = long.groupby(["table", "method", "variable"]).value.agg(["mean", "std"])
        mean, spread = found.reindex(pd.MultiIndex.from_tuples(COLUMNS)).to_numpy().T
        rows.append(Row(data, mean, np.nan_to_num(spread), variant))
    return rows


def published_rows() -> list[Row]:
    """The rows of the paper."""
    return gather(tables().assign(variant=""))


def reproduced(runs: pd.DataFrame) -> list[Row]:
    """Our runs (`paper.runs.read`) in the columns of the tables; nothing generated stands in.

    Another scaling of a set, or another reading of its file, is a variant of its row.
    """
    plain = runs.settings.map(lambda text: set(json.loads(text)) <= {"budget"})
    plain &= runs.order == "file"
    used = runs[plain & runs.method.isin(OWN) & runs.level.isin(TABLES.values())].assign(
        table=runs.level.map({level: table for table, level in TABLES.items()}),
        size=runs.model_share,
        method=runs.method.map(NAMES),
    )
    parts = []
    for stream in streams_of_the_paper(runs, OWN, TABLES.values(), stand_ins=False):
        readings = [stream, *(v for v in VARIANTS if get(v).variant_of == set_of(stream))]
        own = used[used.stream.isin(readings)]
        variant = own.stream.replace(stream, "") + " " + own["scale"].replace("none", "")
        parts.append(own.assign(data=set_of(stream), variant=variant.str.strip()))
    return gather(pd.concat(parts)) if parts else []


def distances(
    published: Sequence[Row],
    reproduced: Sequence[Row],
    columns: Sequence[int] = range(len(COLUMNS)),
    log_sizes: bool = False,
) -> tuple[Floats, list[str]]:
    """A line per published row, a column per set at hand (its best variant), and their names."""

    def values(rows: Sequence[Row]) -> Floats:
        table = np.array([row.mean for row in rows])[:, columns]
        sizes = np.array([COLUMNS[c][2] == "size" for c in columns]) & log_sizes
        # the tables print .001 for less
        return np.where(sizes, np.log10(np.maximum(table, 0.001)), table)

    ours, theirs = values(published), values(reproduced)
    scale = ours.std(axis=0)
    used = scale > 0
    squares = ((ours[:, None] - theirs[None])[..., used] / scale[used]) ** 2
    there = ~np.isnan(squares)
    total = np.where(there, squares, 0).sum(axis=2)
    each = np.where(there.any(axis=2), total / np.maximum(there.sum(axis=2), 1), np.inf)
    best = pd.DataFrame(each.T).groupby([row.data for row in reproduced], sort=False).min()
    return best.to_numpy().T, list(best.index)


def typical(published: Sequence[Row], *options: Any) -> float:
    """The median distance from a published row to the nearest other one."""
    between, _ = distances(published, published, *options)
    np.fill_diagonal(between, np.inf)
    return float(np.median(between.min(axis=1)))


def assign(cost: Floats, alone: float | Floats) -> tuple[list[int], float]:
    """The cheapest assignment of lines to columns, -1 for a line left alone, and its cost.

    >>> assign(np.array([[0.1, 5.0], [0.2, 7.0]]), 1.0)
    ([0, -1], 1.1)
    """
    n, m = cost.shape
    extended = np.hstack([cost, np.broadcast_to(np.asarray(alone, dtype=float), (n, n)).T])
    lines, chosen = linear_sum_assignment(extended)
    return [int(c) if c < m else -1 for c in chosen], float(extended[lines, chosen].sum())


def answers(
    published: Sequence[Row], reproduced: Sequence[Row], draws: int = 50, seed: int = 0
) -> list[Counter[str]]:
    """What each published row is assigned to when the choices that were made are varied.

    Varied are the columns (accuracies or sizes, one table, two methods), the scale of the sizes,
    the cost of being left alone, and the noise: seeds of ours and lost digits of theirs.
    """
    rng = np.random.default_rng(seed)
    told: list[Counter[str]] = [Counter() for _ in published]

    def ask(ours: Sequence[Row], theirs: Sequence[Row], *options: Any, alone: float = 1.0) -> None:
        cost, names = distances(ours, theirs, *options)
        chosen, _ = assign(cost, alone * typical(ours, *options))
        for counter, j in zip(told, chosen, strict=True):
            counter[names[j] if j >= 0 else NOTHING] += 1

    every = range(len(COLUMNS))
    kept = [[i for i in every if part in COLUMNS[i]] for part in ("accuracy", "size", *TABLES)]
    less = [[i for i in every if method not in COLUMNS[i]] for method in METHODS]
    varied = (every, *kept, *less), (False, True), (0.5, 1.0, 2.0)
    for part, log, alone in itertools.product(*varied):
        ask(published, reproduced, part, log, alone=alone)
    for _ in range(draws):
        lost = [r.mean + rng.uniform(-BELOW, ABOVE, len(COLUMNS)) for r in published]
        ours = [row._replace(mean=mean) for row, mean in zip(published, lost, strict=True)]
        theirs = [row._replace(mean=rng.normal(row.mean, row.spread)) for row in reproduced]
        ask(ours, theirs)
    return told


def _label_p_value(cost: Floats, own: list[int], rng: np.random.Generator) -> float:
    """Share of the ways to name rows after these sets that cost no more than the labels.

    ``cost`` has a column per set, whose own row is ``own``.
    """
    n, m = cost.shape
    if math.perm(n, m) <= EXACT:
        ways = np.array(list(itertools.permutations(range(n), m)), dtype=int)
    else:
        # the labels themselves are one of the ways: no p-value is zero
        ways = np.vstack([own, np.argsort(rng.random((EXACT, n)), axis=1)[:, :m]])
    totals = cost[ways, np.arange(m)].sum(axis=1)
    return float((totals <= cost[own, np.arange(m)].sum() + 1e-9).mean())


def match(
    published: Sequence[Row], reproduced: Sequence[Row], alone: float = 1.0, seed: int = 0
) -> Matching:
    """Assign reproduced sets to published rows, and say how sure that is.

    >>> rows = published_rows()
    >>> [row.verdict for row in match(rows, rows[:2]).rows[:3]]
    ['as labelled', 'as labelled', 'matches nothing at hand']
    """
    if not reproduced or any(np.isnan(row.mean).all() for row in reproduced):
        raise ValueError("every reproduced row, and there must be one, needs a value in a column")
    limit = alone * typical(published)
    cost, names = distances(published, reproduced)
    chosen, total = assign(cost, limit)
    named = [row.data for row in published]
    rows = []
    for i, counter in enumerate(answers(published, reproduced, seed=seed)):
        j, forbidden, limits = chosen[i], cost.copy(), np.full(len(named), limit)
        if j >= 0:
            forbidden[i, j] = np.inf
        else:
            limits[i] = np.inf
        others, dearer = assign(forbidden, limits)
        answer, runner_up = (names[k] if k >= 0 else NOTHING for k in (j, others[i]))
        support = counter[answer] / counter.total()
        verdict = "as labelled" if answer == named[i] else f"looks like {answer}"
        if j < 0:
            verdict = "matches nothing at hand"
        elif support < SURE:
            verdict = f"{UNDECIDED} {answer} or {runner_up}"
        distance = float(cost[i, j] if j >= 0 else cost[i].min())
        own = float(cost[i, names.index(named[i])]) if named[i] in names else math.nan
        told = (named[i], verdict, answer, distance, own, runner_up, dearer - total, support)
        rows.append(RowMatch(*told))
    known = [j for j, name in enumerate(names) if name in named]
    labels = [named.index(names[j]) for j in known]
    capped = np.minimum(cost, limit)[:, known]
    paid = float(capped[labels, range(len(known))].sum()) + limit * (len(named) - len(known))
    p_value = _label_p_value(capped, labels, np.random.default_rng(seed))
    return Matching(rows, total, paid, p_value)
