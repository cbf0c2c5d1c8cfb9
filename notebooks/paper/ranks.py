"""Methods ranked over data sets: Friedman's test and Holm's step-down procedure (Demšar, 2006).

A passage of the paper, commented out in its source, compares AUTO-ADJ with the others in this way,
at equal model sizes: each method is taken at the rate whose model size is closest (`closest`).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from paper import published as paper


@dataclass(frozen=True)
class Friedman:
    """What Friedman's test says of a table of sets and methods."""

    n_sets: int
    average_ranks: dict[str, float]  # 1 is the best; ties share their ranks
    statistic: float  # corrected for ties
    p_value: float  # of the chi-squared approximation
    f_statistic: float  # Iman and Davenport's, which Demšar prefers
    f_p_value: float
    exact_p_value: float | None  # over all orders within the rows; None: too many


@dataclass(frozen=True)
class Comparison:
    """One method against the control."""

    method: str
    difference: float  # average rank minus the control's: positive if the control is better
    z: float
    p_value: float  # two-sided
    adjusted: float  # by Holm: compare it with the level

    def rejected(self, level: float = 0.05) -> bool:
        """Whether the two differ at this level, all comparisons taken together."""
        return self.adjusted <= level


def ranks(
    table: Mapping[str, Sequence[float]], larger_is_better: bool = True
) -> NDArray[np.float64]:
    """Ranks within each set (a row per set); ``table`` has a column per method.

    >>> ranks({"a": [0.9, 0.5], "b": [0.8, 0.5], "c": [0.7, 0.6]})
    array([[1. , 2. , 3. ],
           [2.5, 2.5, 1. ]])
    """
    values = np.array([table[method] for method in table], dtype=np.float64).T
    if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 2:
        raise ValueError("at least two sets and two methods are needed, of equal lengths")
    if not np.isfinite(values).all():
        raise ValueError("every method needs a finite value on every set")
    keys = -values if larger_is_better else values
    mine, others = keys[:, :, None], keys[:, None, :]
    return np.asarray((others < mine).sum(axis=2) + ((others == mine).sum(axis=2) + 1) / 2)


def friedman(table: Mapping[str, Sequence[float]], larger_is_better: bool = True) -> Friedman:
    """Whether the methods differ at all.

    >>> told = friedman({"a": [9, 8, 7, 9, 8], "b": [5, 6, 5, 6, 7], "c": [1, 2, 6, 3, 4]})
    >>> told.average_ranks["a"], round(told.statistic, 6), round(told.exact_p_value, 6)
    (1.0, 8.4, 0.008488)
    """
    from scipy.special import chdtrc, fdtrc

    ranked = ranks(table, larger_is_better)
    n, k = ranked.shape
    # the variance of the ranks within the rows: k (k + 1) / 12 without ties
    variance = float(ranked.var(axis=1, ddof=1).mean())
    if variance == 0:
        raise ValueError("all methods are tied on all sets")
    averages = ranked.mean(axis=0)
    statistic = n * float(((averages - (k + 1) / 2) ** 2).sum()) / variance
    rest = n * (k - 1) - statistic
    # all rows in the same order: nothing is left within the rows
    f = (n - 1) * statistic / rest if rest > 1e-9 * n * k else math.inf
    return Friedman(
        n,
        dict(zip(table, averages.tolist(), strict=True)),
        statistic,
        float(chdtrc(k - 1, statistic)),
        f,
        float(fdtrc(k - 1, (k - 1) * (n - 1), f)) if f < math.inf else 0.0,
        _exact(ranked),
    )


def _exact(ranked: NDArray[np.float64], work: float = 1e6) -> float | None:
    """Share of the orders within rows whose rank sums are as uneven as these.

    Only the number of ways to each vector of rank sums is kept, one row after the other.
    """
    n, k = ranked.shape
    if n * math.factorial(k) * (n * (k - 1) + 1.0) ** (k - 1) > work:
        return None
    doubled = np.rint(2 * ranked).astype(int)  # ties give halves
    ways = {(0,) * k: 1.0}
    for row in doubled.tolist():
        orders = Counter(itertools.permutations(row))
        after: dict[tuple[int, ...], float] = defaultdict(float)
        for sums, count in ways.items():
            for order, times in orders.items():
                after[tuple(map(sum, zip(sums, order, strict=True)))] += (
                    count * times / math.factorial(k)
                )
        ways = after
    seen = int((doubled.sum(axis=0) ** 2).sum())
    return math.fsum(p for sums, p in ways.items() if sum(s * s for s in sums) >= seen)


def holm_adjust(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given.

    >>> holm_adjust([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for done, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - done) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def holm(told: Friedman, control: str) -> list[Comparison]:
    """Every other method against the control, by average ranks.

    >>> told = friedman({"a": [9, 8, 7, 9, 8], "b": [5, 6, 5, 6, 7], "c": [1, 2, 6, 3, 4]})
    >>> [(c.method, round(c.z, 3), round(c.adjusted, 4)) for c in holm(told, "a")]
    [('b', 1.897, 0.0578), ('c', 2.846, 0.0089)]
    """
    if control not in told.average_ranks:
        raise ValueError(f"no method {control!r}; there are {', '.join(told.average_ranks)}")
    k = len(told.average_ranks)
    error = math.sqrt(k * (k + 1) / (6 * told.n_sets))
    others = [method for method in told.average_ranks if method != control]
    differences = [told.average_ranks[m] - told.average_ranks[control] for m in others]
    p_values = [math.erfc(abs(d) / error / math.sqrt(2)) for d in differences]
    return [
        Comparison(method, d, d / error, p, adjusted)
        for method, d, p, adjusted in zip(
            others, differences, p_values, holm_adjust(p_values), strict=True
        )
    ]


def closest(sizes: Mapping[str, Mapping[str, float]], target: float) -> dict[str, str]:
    """For each method the setting whose model size is closest to the target.

    >>> closest({"NN3": {"1%": 0.01, "5%": 0.05}, "AUTO": {"1%": 0.001, "5%": 0.008}}, 0.02)
    {'NN3': '1%', 'AUTO': '5%'}
    """
    return {
        method: min(settings, key=lambda setting: abs(settings[setting] - target))
        for method, settings in sizes.items()
    }


def of_table(table: str, what: Literal["accuracy", "size"]) -> Friedman:
    """The test on Table II or III of the paper.

    >>> of_table("III", "accuracy").average_ranks["AUTO-ADJ FIX"]
    1.0
    """
    columns = {method: paper.column(table, method, what).tolist() for method in paper.METHODS}
    return friedman(columns, larger_is_better=what == "accuracy")


def _auto_adj_best() -> paper.Told:
    ours, bars, points = ("BASE", "BASE-ADJ", "AUTO", "AUTO-ADJ"), paper.figure2(), paper.figure3()
    sizes = [bars["a"], *({m: points[m, r].size for m in ours} for r in paper.RATES)]
    accuracies = [bars["b"], *({m: points[m, r].accuracy for m in ours} for r in paper.RATES)]
    wins = [
        sum(min(x, key=x.__getitem__) == "AUTO-ADJ" for x in sizes),
        sum(max(x, key=x.__getitem__) == "AUTO-ADJ" for x in accuracies),
    ]
    return paper.judge(wins == [5, 5], {"smallest, of 5": wins[0], "most accurate": wins[1]})


def _smallest() -> paper.Told:
    sizes = np.array([[paper.column(t, m, "size") for m in paper.METHODS] for t in paper.TABLES])
    ties = int((sizes[:, 1] == sizes[:, [0, 2]].min(axis=1)).sum())
    return paper.judge((sizes[:, 1] == sizes.min(axis=1)).all(), {"rows": 22, "of them ties": ties})


def _base_adj_better() -> paper.Told:
    points = paper.figure3()
    gains: dict[str, float] = {}
    for rate in paper.RATES:
        base, adj = points["BASE", rate], points["BASE-ADJ", rate]
        gains[f"{rate:.0%}, accuracy"] = adj.accuracy - base.accuracy
        gains[f"{rate:.0%}, size"] = adj.size - base.size
    return paper.judge(all(gains[f"{r:.0%}, accuracy"] > 0 for r in paper.RATES), gains)


def _dominates() -> paper.Told:
    points = paper.figure3().values()
    curve = sorted((p.size, p.accuracy) for p in points if p.method == "AUTO-ADJ")
    sizes, accuracies = zip(*curve, strict=True)
    others = [p for p in points if p.method != "AUTO-ADJ"]
    inside = [p for p in others if sizes[0] <= p.size <= sizes[-1]]
    lead = [float(np.interp(p.size, sizes, accuracies)) - p.accuracy for p in inside]
    better = [p for p in others if p.size > sizes[-1] and p.accuracy > accuracies[-1]]
    above = ", ".join(f"{p.method} {p.rate:.0%}" for p in better)
    numbers = {"points in the range": len(inside), "least lead": min(lead)}
    return paper.judge(min(lead) > 0, {**numbers, "larger and more accurate": above})


def _ninety_percent() -> paper.Told:
    shown = {"Figure 3": paper.figure3(), "Figure 4": paper.figure4()}
    numbers = {name: figure["AUTO-ADJ", 0.1].accuracy for name, figure in shown.items()}
    size = paper.figure3()["AUTO-ADJ", 0.1].size
    holds = round(numbers["Figure 3"], 2) >= 0.90 and size <= 0.015
    return paper.judge(holds, {**numbers, "size": size})


def _fix_wins() -> paper.Told:
    wins: dict[str, float] = {}
    for table in paper.TABLES:
        nn3, auto, fix = (paper.column(table, m, "accuracy") for m in paper.METHODS)
        wins[f"Table {table}, best"] = int((fix > np.maximum(nn3, auto)).sum())
        wins[f"Table {table}, tied"] = int((fix == np.maximum(nn3, auto)).sum())
    return paper.judge(all(wins[f"Table {t}, best"] > 11 / 2 for t in paper.TABLES), wins)


def _fix_same_size() -> paper.Told:
    points = paper.figure4()
    ratios = [points["AUTO-ADJ FIX", r].size / points["AUTO-ADJ", r].size for r in paper.RATES]
    numbers = {f"{r:.0%}, FIX over AUTO-ADJ": x for r, x in zip(paper.RATES, ratios, strict=True)}
    # nearer in size: FIX at 1 % against AUTO-ADJ at 10 %
    fix = paper.column("III", "AUTO-ADJ FIX", "accuracy")
    gain = fix - paper.column("II", "AUTO-ADJ", "accuracy")
    numbers["mean gain of FIX 1% over AUTO-ADJ 10%"] = float(gain.mean())
    numbers["sets where it is better, of 11"] = int((gain > 0).sum())
    return paper.judge(max(ratios) < 1.5, numbers)


def _closest_size() -> paper.Told:
    points = paper.figure3()
    sizes: dict[str, dict[str, float]] = {}
    for (method, rate), point in points.items():
        sizes.setdefault(method, {})[str(rate)] = point.size
    best = []
    for target in np.arange(10, 251) / 1000:
        rates = closest(sizes, float(target))
        accuracies = {m: points[m, float(r)].accuracy for m, r in rates.items()}
        best.append(max(accuracies, key=accuracies.__getitem__))
    last = 0.010 + (best.count("AUTO-ADJ") - 1) / 1000
    return paper.judge(set(best) == {"AUTO-ADJ"}, {"best up to": last, "then": best[-1]})


def _significant() -> paper.Told:
    levels = [float(r["value"]) for r in paper.rows("commented_statistics") if r["value"]]
    return paper.judge(min(levels) <= 0.1, {"lowest p-value is below": min(levels)})


CHECKS: dict[str, Callable[[], paper.Told]] = {
    "auto-adj-best": _auto_adj_best,
    "smallest": _smallest,
    "base-adj-better": _base_adj_better,
    "dominates": _dominates,
    "ninety-percent": _ninety_percent,
    "fix-wins": _fix_wins,
    "fix-same-size": _fix_same_size,
    "closest-size": _closest_size,
    "significant": _significant,
}
