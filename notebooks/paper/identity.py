"""Whose rows are these? The names in Tables II and III against their digits, and against our runs.

A *naming* says which printed row belongs to which set of Table I. Two of them are rules: the names
as printed, and the same names from bottom to top. The others tell how often chance fits as well.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

from abacoc.scaling import SCALES
from paper.plots import NAMES
from paper.published import ABOVE, BELOW, METHODS, TABLES, Floats, names, table1, tables
from paper.runs import FIX, under

OWN = ("nn3", "auto-adj", FIX)  # our names of the tables' methods
KEY = ["table", "method", "what"]
# NN3's size is its rate, whatever the set
COLUMNS = pd.MultiIndex.from_product([TABLES, METHODS, ("accuracy", "size")], names=KEY)
COLUMNS = COLUMNS[[(method, what) != ("NN3", "size") for _, method, what in COLUMNS]]
ORDERS = ("file order", "permuted")
PAPER = "paper"  # norm 1, and a random order for some sets only: `paper.runs.under`
PROTOCOLS = (*(f"{scale}, {order}" for scale in SCALES for order in ORDERS), PAPER)
# Of six cells that are right, all are within their intervals in about 94 of 100 cases.
CONFIDENCE = 0.99
SAME = 1e-9  # two sums of the same numbers in another order differ by less
CONFIRMED, FITS, OPEN = "confirmed", "fits", "open"
Counts = NDArray[np.int64]


def rules(rows: Sequence[str]) -> dict[str, dict[str, str]]:
    """The two rules: of each set the row that is its own.

    >>> rules(["a", "b", "c"])["reversed"]
    {'a': 'c', 'b': 'b', 'c': 'a'}
    """
    ways = {"as printed": rows, "reversed": rows[::-1]}
    return {rule: dict(zip(rows, own, strict=True)) for rule, own in ways.items()}


# Without any run: the arithmetic of full budgets -------------------------------------------

# How many balls a budget allows; how many digits of their share there are before the cut to three.
COUNTED: dict[str, Callable[[float], int]] = {"rounded": round, "cut": math.floor, "up": math.ceil}
SHOWN = {"cut": (15, ROUND_FLOOR), "five digits, then cut": (5, ROUND_FLOOR)}
SHOWN |= {"rounded": (15, ROUND_HALF_UP)}


def full_cells() -> pd.DataFrame:
    """The cells in which AUTO-ADJ FIX has filled its budget, by their digits and nothing else.

    The printed size is the budget, or less by one in the last digit. ``thousandths`` is the size.
    """
    cells = tables()[lambda cells: cells.method == "AUTO-ADJ FIX"]
    cells["budget"] = cells.table.map(TABLES)
    cells["thousandths"] = (1000 * cells["size"]).round().astype(int)
    full = (1000 * cells.budget).round().sub(cells.thousandths).isin([0, 1])
    return cells.loc[full, ["table", "data", "budget", "thousandths"]]


def printed_size(examples: int, budget: float, counted: str, shown: str) -> int:
    """The size of a full model in thousandths of a stream, as a rule would print it.

    >>> printed_size(45312, 0.1, "rounded", "cut")  # 4531 balls, 0.099996 of the stream
    99
    """
    share = COUNTED[counted](round(budget * examples, 6)) / examples
    digits, how = SHOWN[shown]
    return int((1000 * Decimal(f"{share:.{digits}g}")).to_integral_value(how))


def size_points(counted: str, shown: str) -> Counts:
    """How many full cells of each row (a line) are what each set (a column) would have there."""
    rows, examples = names(), {name: row.examples for name, row in table1().items()}
    points = np.zeros((len(rows), len(rows)), dtype=np.int64)
    for _, data, budget, thousandths in full_cells().itertuples(index=False):
        sizes = [printed_size(examples[name], budget, counted, shown) for name in rows]
        points[rows.index(data)] += np.equal(sizes, thousandths)
    return points


def totals(points: Counts) -> Counts:
    """How many namings have 0, 1, 2, ... points, over all of them, exactly.

    Row by row, over the sets of names that were used before; ``points`` is a square table.

    >>> totals(np.array([[1, 0], [0, 2]])).tolist()  # as printed 3, the other way 0
    [1, 0, 0, 1]
    """
    n = len(points)
    most = int(points.max(axis=1).sum())
    counts: Counts = np.zeros((2**n, most + 1), dtype=np.int64)
    counts[0, 0] = 1
    for used in range(2**n - 1):
        row = points[used.bit_count()]
        for j in (j for j in range(n) if not used >> j & 1):
            counts[used | 1 << j, row[j] :] += counts[used, : most + 1 - row[j]]
    return np.array(counts[-1])


# With runs -----------------------------------------------------------------------------------


def reproduced(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Our runs (`paper.runs.read`) in the columns of the tables, under each of the `PROTOCOLS`.

    A line per set and cell: mean over the runs, standard deviation, number. Sets without all cells
    are left out, protocols without all those sets as well; nothing stands in for a set.
    """
    plain = runs.settings.map(lambda text: set(json.loads(text)) <= {"budget"})
    used = runs[plain & runs.method.isin(OWN) & runs.stream.isin(names())]
    used = used[used.level.isin(TABLES.values())]
    order = np.where(used.order == "file", *ORDERS)
    alike = used.assign(protocol=used["scale"] + ", " + order)
    used = pd.concat([alike, under(used, "paper").assign(protocol=PAPER)])
    used["table"] = used.level.map({level: table for table, level in TABLES.items()})
    used["method"], used["size"] = used.method.map(NAMES), used.model_share
    used["data"] = pd.Categorical(used.stream, names())
    index = ["protocol", "data", *KEY]
    long = used.melt(index[:-1], ["accuracy", "size"], var_name="what")
    cells = long.groupby(index, observed=True).value.agg(["mean", "std", "count"]).fillna(0.0)
    cells = cells[cells.index.droplevel(index[:2]).isin(COLUMNS)]
    there = cells.groupby(index[:2], observed=True)["count"].transform("size") == len(COLUMNS)
    found = {name: part.droplevel(0) for name, part in cells[there].groupby("protocol")}
    most = max(map(len, found.values()), default=0)
    return {name: found[name] for name in PROTOCOLS if len(found.get(name, ())) == most > 0}


def printed() -> pd.DataFrame:
    """The rows of Tables II and III, in their order, in the same columns.

    >>> printed().loc["electricity", ("III", "NN3", "accuracy")].item()
    0.13
    """
    long = tables().melt(["data", "table", "method"], ["accuracy", "size"], var_name="what")
    return long.pivot(index="data", columns=KEY, values="value").loc[names(), COLUMNS]


def distances(ours: pd.DataFrame, what: str = "accuracy") -> pd.DataFrame:
    """Mean absolute difference of the accuracies, or sizes: a line per row, a column per set."""
    theirs = printed().loc[:, (slice(None), slice(None), what)]
    mean = ours["mean"].unstack(KEY)[theirs.columns]
    each = np.abs(theirs.to_numpy()[:, None] - mean.to_numpy()[None])
    return pd.DataFrame(each.mean(axis=2), theirs.index, list(mean.index))


@cache
def namings(rows: int, sets: int) -> NDArray[np.int8]:
    """All ways to give each set a row of its own, a line each.

    >>> namings(3, 2).tolist()
    [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    """
    every = itertools.chain.from_iterable(itertools.permutations(range(rows), sets))
    return np.fromiter(every, dtype=np.int8).reshape(-1, sets)


def cost(distance: pd.DataFrame, rule: Mapping[str, str]) -> float:
    """What a naming costs that gives each set a row: the mean of their distances."""
    return float(np.mean([distance.loc[rule[name], name] for name in distance.columns]))


def costs(distance: pd.DataFrame) -> Floats:
    """The same for all `namings`."""
    ways, values = namings(*distance.shape), distance.to_numpy()
    every = [own[ways[:, j]] for j, own in enumerate(values.T)]
    return np.asarray(np.mean(every, axis=0))


class Judged(NamedTuple):
    """The two rules among all namings."""

    printed: float
    reversed: float
    best: float
    namings: int
    as_good_as_printed: int  # that cost no more, the rule itself among them
    as_good_as_reversed: int


def judge(distance: pd.DataFrame) -> Judged:
    """What the two rules cost, and how many of all namings cost no more, exactly."""
    as_printed, backwards = (cost(distance, rule) for rule in rules(list(distance.index)).values())
    every = costs(distance)
    as_good = [int((every <= own + SAME).sum()) for own in (as_printed, backwards)]
    return Judged(as_printed, backwards, float(every.min()), len(every), *as_good)


def leave_one_out(by_protocol: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Protocol and rule that cost least on all sets but one, and what they say of that one.

    ``by_protocol`` has the distances. ``rank`` is 1 if no other row is nearer to the set that was
    left out than the one that the rule gives it.
    """
    found = []
    known = rules(names())
    for out in next(iter(by_protocol.values())).columns:
        tried = {
            (protocol, rule): cost(distance.drop(columns=out), known[rule])
            for protocol, distance in by_protocol.items()
            for rule in known
        }
        protocol, rule = min(tried, key=lambda choice: tried[choice])
        own, row = by_protocol[protocol][out], known[rule][out]
        (other,) = known.keys() - {rule}
        told = {"left_out": out, "protocol": protocol, "names": rule, "row": row}
        told |= {"distance": own[row], "by_the_other_rule": own[known[other][out]]}
        found.append(told | {"rank": 1 + int((own < own[row] - SAME).sum())})
    return pd.DataFrame(found)


def intervals(ours: pd.DataFrame) -> pd.DataFrame:
    """What may be printed for one more run of each cell, of which digits are lost."""
    n = ours["count"]
    quantile = student.ppf((1 + CONFIDENCE) / 2, np.maximum(n - 1, 1))
    half = quantile * ours["std"] * np.sqrt(1 + 1 / n)
    return pd.DataFrame({"low": ours["mean"] - half - ABOVE, "high": ours["mean"] + half + BELOW})


def states(ours: pd.DataFrame) -> pd.DataFrame:
    """What became of each row, its names reversed, by the rules that the notebook states.

    ``accuracies`` and ``sizes`` are the cells within their `intervals`.
    """
    distance, theirs, edges = distances(ours), printed(), intervals(ours)
    within = {}
    for name in distance.columns:
        own = edges.loc[name]
        inside = theirs[own.index].ge(own.low).mul(theirs[own.index].le(own.high))
        within[name] = inside.T.groupby("what").sum().T
    found = []
    for row, name in rules(names())["reversed"].items():
        near = distance.loc[row].sort_values()
        told = {"row": row, "reversed": name, "nearest": near.index[0], "distance": near.iloc[0]}
        told |= {"second": near.index[1], "second_distance": near.iloc[1]}
        exact = [other for other, cells in within.items() if cells.accuracy[row] == 6]
        state = OPEN if name != near.index[0] else CONFIRMED if exact == [name] else FITS
        cells = within[name].loc[row] if name in within else {"accuracy": None, "size": None}
        told |= {"accuracies": cells["accuracy"], "sizes": cells["size"]}
        found.append(told | {"state": state})
    return pd.DataFrame(found)
