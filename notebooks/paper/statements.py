"""Whether the paper's numbers agree with each other: a check per line of ``statements.csv``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import linprog

from paper.published import (
    ABOVE,
    BELOW,
    METHODS,
    RATES,
    TABLES,
    Floats,
    Points,
    column,
    figure2,
    figure3,
    figure4,
    names,
    rows,
    table1,
    tables,
)

Numbers = Mapping[str, float | str]
Told = tuple[Literal["consistent", "inconsistent", "cannot tell"], Numbers]
ANY = np.full(11, np.inf)  # upper limits of one weight per set: none
NN3, AUTO_ADJ, FIX = METHODS


class Finding(NamedTuple):
    """A statement, whether it agrees with the published numbers, and with which."""

    id: str
    where: str
    statement: str
    verdict: str
    numbers: Numbers


def findings() -> list[Finding]:
    """Every statement of ``statements.csv``, judged.

    >>> [(told.id, told.verdict) for told in findings()][:2]
    [('table-sizes', 'consistent'), ('rounded', 'inconsistent')]
    """
    return [
        Finding(row["id"], row["where"], row["statement"], *CHECKS[row["id"]]())
        for row in rows("statements")
    ]


def judge(holds: bool | np.bool, numbers: Numbers) -> Told:
    """What is told of a statement that the numbers decide."""
    return ("consistent" if holds else "inconsistent"), numbers


def accuracies(table: str) -> list[Floats]:
    """The accuracies of the three methods in Table II or III."""
    return [column(table, method, "accuracy") for method in METHODS]


# Sizes ------------------------------------------------------------------------------------------


def _table_sizes() -> Told:
    numbers: dict[str, float] = {}
    excess = []
    for (table, rate), method in itertools.product(TABLES.items(), METHODS):
        mean, plotted = float(column(table, method, "size").mean()), figure4()[method, rate].size
        numbers |= {f"{method} {rate:.0%}": mean, f"{method} {rate:.0%}, plotted": plotted}
        excess.append(plotted - mean)
    return judge(min(excess) >= -BELOW and max(excess) <= ABOVE, numbers)


def _rounded() -> Told:
    # rounded sizes are below the printed ones plus half a digit, and below the budget plus a ball
    ball = 1 / min(row.examples for row in table1().values())
    sizes = np.minimum(column("III", FIX, "size") + 0.0005, 0.01 + ball)
    plotted, largest = figure4()[FIX, 0.01].size, float(sizes.mean())
    return judge(plotted <= largest, {"largest if rounded": largest, "plotted": plotted})


def _fix_sizes() -> Told:
    sizes, holds = column("II", FIX, "size"), True
    numbers: dict[str, float] = {}
    for rate in RATES:
        low, high = (float(np.minimum(sizes + d, rate).mean()) for d in (0, ABOVE))
        plotted = figure4()[FIX, rate].size
        numbers |= {f"{rate:.0%}, from the table": low, f"{rate:.0%}, plotted": plotted}
        # a budget is a whole number of balls: up to a ball less than the share
        holds &= low - 1e-5 <= plotted <= high
    return judge(holds, numbers)


def _within_budget() -> Told:
    cells = tables()
    shares = [*(cells["size"] / cells.table.map(TABLES))]
    shares += [p.size / p.rate for p in (*figure3().values(), *figure4().values())]
    return judge(max(shares) <= 1 + 1e-12, {"largest size over budget": max(shares)})


def _nn3_size() -> Told:
    # the number of examples drawn from N has the variance N r (1 - r)
    spread = sum(0.1 * 0.9 / row.examples for row in table1().values()) ** 0.5 / 11
    nominal = sum(figure3()[NN3, rate].size == rate for rate in RATES)
    return judge(not nominal, {"exactly the rate": nominal, "standard deviation at 10%": spread})


def _figure2a_digits() -> Told:
    numbers: dict[str, str] = {}
    for row, point in itertools.product(rows("figure2"), rows("figure3")):
        if (row["panel"], point["rate"]) == ("a", "10%") and point["method"] in figure2()["a"]:
            less = 10 * Decimal(point["size"]) - Decimal(row["value"])
            # AUTO's bar ends as ten times its size does, and is 0.01 less
            if less % Decimal("0.01") == 0:
                told = f"{row['value']} = 10 x {point['size']} ({point['method']})"
                numbers[row["method"]] = told + (f" - {less:.2f}" if less else "")
    return judge(not numbers, numbers)


def _figure2a_base_adj() -> Told:
    # the bar is AUTO's; BASE-ADJ's own size says the opposite
    base, adj = (10 * figure3()[method, 0.1].size for method in ("BASE", "BASE-ADJ"))
    bar = figure2()["a"]["BASE-ADJ"]
    return judge(adj < base, {"BASE": base, "BASE-ADJ": bar, "10 x BASE-ADJ of Figure 3": adj})


def _figure2a_growth() -> Told:
    fix, tenth = column("II", FIX, "size"), 10 * column("II", AUTO_ADJ, "size")
    full, bar = fix >= 0.099, figure2()["a"][AUTO_ADJ]  # at the budget: more without one
    rest = (11 * bar - fix[~full].sum()) / full.sum()
    return "cannot tell", {
        "sets at the budget": int(full.sum()),
        "their mean size at rate 1, if the bar is right": rest,
        "over the examples drawn at 10%": float(tenth[full].mean()),
        "mean size of the others at rate 1": float(fix[~full].mean()),
        "theirs over the examples drawn": float(tenth[~full].mean()),
    }


def _smallest() -> Told:
    sizes = np.array([[column(t, m, "size") for m in METHODS] for t in TABLES])
    ties = int((sizes[:, 1] == sizes[:, [0, 2]].min(axis=1)).sum())
    return judge((sizes[:, 1] == sizes.min(axis=1)).all(), {"rows": 22, "of them ties": ties})


def _one_leaf() -> Told:
    leaf = sum(1 / row.examples for row in table1().values()) / 11
    least, most = (figure3()["VFDT", rate].size for rate in (0.01, 0.1))
    numbers = {"one leaf per set": leaf, "VFDT 1%": least, "VFDT 10% over VFDT 1%": most / least}
    return judge(least >= leaf, numbers)


# Normalised accuracies --------------------------------------------------------------------------


def least_deviation(cells: Floats, plotted: Floats, cap: Floats, most: Floats) -> float:
    """How far ``plotted`` means are, in sum, from these accuracies normalised by any best ones.

    A row per point, a column per set; nan is a cell that may be anything. Unknown are a weight
    1 / best per set, from 1 to ``most``, and the normalised cells, at most ``cap`` of their row:
    a linear programme, since a cell known to a digit is an interval times the weight.

    >>> cells, some = np.array([[0.5, 0.5], [0.8, 0.4]]), np.full(2, np.inf)
    >>> round(least_deviation(cells, np.array([0.9, 0.9]), np.ones(2), some), 3)
    0.087
    """
    (m, n), one = cells.shape, np.eye(cells.size)
    low, high = np.nan_to_num(cells - BELOW, nan=0.0), np.nan_to_num(cells + ABOVE, nan=1.0)
    below, above = (np.vstack([np.diag(row) for row in side]) for side in (low, high))
    slack = np.zeros((m * n, 2 * m))
    means = np.kron(np.eye(m), np.full(n, 1 / n))
    solved = linprog(
        np.r_[np.zeros(n + m * n), np.ones(2 * m)],
        A_ub=np.vstack([np.hstack([below, -one, slack]), np.hstack([-above, one, slack])]),
        b_ub=np.zeros(2 * m * n),
        A_eq=np.hstack([np.zeros((m, n)), means, np.eye(m), -np.eye(m)]),
        b_eq=plotted,
        bounds=[(1, w) for w in most] + [(0, c) for c in np.repeat(cap, n)] + [(0, None)] * 2 * m,
    )
    return 0.0 if solved.fun < 1e-9 else float(solved.fun)  # up to the solver's tolerance


def _both_tables(n_methods: int, figure: Points) -> tuple[Floats, Floats]:
    """The cells of the first methods, and the points to which they should average."""
    keys = [(table, method) for table in TABLES for method in METHODS[:n_methods]]
    plotted = [figure[method, TABLES[table]].accuracy for table, method in keys]
    return np.array([column(t, m, "accuracy") for t, m in keys]), np.array(plotted)


def _figure4_accuracy(cap: Floats) -> Told:
    cells, plotted = _both_tables(3, figure4())
    numbers: dict[str, float | str] = {"least deviation": least_deviation(cells, plotted, cap, ANY)}
    explained = []  # would one wrong row explain the difference?
    for i, name in enumerate(names()):
        others = np.where(np.arange(11) == i, np.nan, cells)
        if least_deviation(others, plotted, cap, ANY) < 1e-9:
            explained.append(name)
    numbers["rows of which one, if wrong, would explain it"] = ", ".join(explained) or "none"
    if cap.max() == 1:
        largest = np.minimum((cells[2] + ABOVE) / (cells.max(axis=0) - BELOW), 1).mean()
        numbers |= {"AUTO-ADJ FIX 10%, at most": float(largest), "plotted": float(plotted[2])}
    return judge(numbers["least deviation"] == 0, numbers)


def _figure3_accuracy(unrestricted: bool) -> Told:
    # Below its budget AUTO-ADJ FIX has discarded nothing: it is AUTO-ADJ at rate 1.
    # (A size of .099 may be a budget whose digits are cut.)
    fix, sizes = column("II", FIX, "accuracy"), column("II", FIX, "size")
    most = np.where(sizes < 0.099, 1 / (fix - BELOW), np.inf) if unrestricted else ANY
    deviation = least_deviation(*_both_tables(2, figure3()), np.ones(4), most)
    return judge(deviation == 0, {"least deviation": deviation})


def _same_normaliser() -> Told:
    shared = list(itertools.product((NN3, AUTO_ADJ), RATES))
    rises = [figure4()[key].accuracy - figure3()[key].accuracy for key in shared]
    same = sum(figure4()[key].size == figure3()[key].size for key in shared)
    numbers = {"least rise": min(rises), "largest": max(rises), "equal sizes, of 8": same}
    return judge(min(rises) == max(rises) == 0, numbers)


def _largest_normalised() -> dict[str, float]:
    points = {"Figure 3": figure3(), "Figure 4": figure4()}
    means = {name: max(p.accuracy for p in figure.values()) for name, figure in points.items()}
    return {"Figure 2(b)": max(figure2()["b"].values()), **means}


# Who is better ----------------------------------------------------------------------------------


def _auto_adj_best() -> Told:
    four, bars, points = ("BASE", "BASE-ADJ", "AUTO", AUTO_ADJ), figure2(), figure3()
    sizes = [bars["a"], *({m: points[m, r].size for m in four} for r in RATES)]
    means = [bars["b"], *({m: points[m, r].accuracy for m in four} for r in RATES)]
    smallest = sum(min(x, key=x.__getitem__) == AUTO_ADJ for x in sizes)
    best = sum(max(x, key=x.__getitem__) == AUTO_ADJ for x in means)
    return judge(smallest == best == 5, {"smallest, of 5": smallest, "most accurate": best})


def _base_adj_better() -> Told:
    gains: dict[str, float] = {}
    for rate in RATES:
        base, adj = (figure3()[method, rate] for method in ("BASE", "BASE-ADJ"))
        gains[f"{rate:.0%}, accuracy"] = adj.accuracy - base.accuracy
        gains[f"{rate:.0%}, size"] = adj.size - base.size
    return judge(all(gains[f"{rate:.0%}, accuracy"] > 0 for rate in RATES), gains)


def _dominates() -> Told:
    points = figure3().values()
    curve = sorted((p.size, p.accuracy) for p in points if p.method == AUTO_ADJ)
    sizes, means = zip(*curve, strict=True)
    others = [p for p in points if p.method != AUTO_ADJ]
    inside = [p for p in others if sizes[0] <= p.size <= sizes[-1]]
    lead = [float(np.interp(p.size, sizes, means)) - p.accuracy for p in inside]
    better = [p for p in others if p.size > sizes[-1] and p.accuracy > means[-1]]
    above = ", ".join(f"{p.method} {p.rate:.0%}" for p in better)
    numbers = {"points in the range": len(inside), "least lead": min(lead)}
    return judge(min(lead) > 0, {**numbers, "larger and more accurate": above})


def _ninety_percent() -> Told:
    in3, in4 = (figure[AUTO_ADJ, 0.1] for figure in (figure3(), figure4()))
    numbers = {"Figure 3": in3.accuracy, "Figure 4": in4.accuracy, "size": in3.size}
    return judge(round(in3.accuracy, 2) >= 0.90 and in3.size <= 0.015, numbers)


def _fix_wins() -> Told:
    wins: dict[str, float] = {}
    for table in TABLES:
        nn3, auto, fix = accuracies(table)
        wins[f"Table {table}, best"] = int((fix > np.maximum(nn3, auto)).sum())
        wins[f"Table {table}, tied"] = int((fix == np.maximum(nn3, auto)).sum())
    return judge(all(wins[f"Table {table}, best"] > 11 / 2 for table in TABLES), wins)


def _fix_same_size() -> Told:
    ratios = {rate: figure4()[FIX, rate].size / figure4()[AUTO_ADJ, rate].size for rate in RATES}
    numbers = {f"{rate:.0%}, FIX over AUTO-ADJ": ratio for rate, ratio in ratios.items()}
    # nearer in size: FIX at 1 % against AUTO-ADJ at 10 %
    gain = column("III", FIX, "accuracy") - column("II", AUTO_ADJ, "accuracy")
    numbers["mean gain of FIX 1% over AUTO-ADJ 10%"] = float(gain.mean())
    numbers["sets where it is better, of 11"] = int((gain > 0).sum())
    return judge(max(ratios.values()) < 1.5, numbers)


def _drift() -> Told:
    numbers: dict[str, float] = {}
    drift = np.array([table1()[name].drift for name in names()])
    others = drift & (np.array(names()) != "electricity")
    for table in TABLES:
        nn3, auto, fix = accuracies(table)
        gain = fix - np.maximum(nn3, auto)
        for name, which in (("drift", drift), ("no drift", ~drift), ("but electricity", others)):
            numbers[f"Table {table}, {name}"] = float(gain[which].mean())
    return judge(numbers["Table II, but electricity"] > numbers["Table II, no drift"], numbers)


def _two_classes() -> Told:
    two = [name for name, row in table1().items() if row.classes == 2]
    low = tables()[lambda cells: cells.data.isin(two) & (cells.accuracy + ABOVE < 0.5)]
    return judge(
        low.empty, {f"{c.data} {c.table} {c.method}": c.accuracy for c in low.itertuples()}
    )


def _cnn_mistakes() -> Told:
    # CNN's deficit to NN3 is larger in plain accuracies (which size tells) than in normalised ones.
    # Normalising by best <= 1 enlarges it on every set where CNN is worse; where it is better by x,
    # x / best - x is at most (1 - sqrt(NN3's accuracy))^2, since best >= NN3's accuracy + x.
    cnn, nn3 = figure3()["CNN", 0.1], figure3()[NN3, 0.1]
    theirs = column("II", NN3, "accuracy") - BELOW
    plain = theirs.sum() - 11 * (1 - cnn.size / cnn.rate)
    needed = plain - 11 * (nn3.accuracy - cnn.accuracy)
    most = np.cumsum(np.sort((1 - np.sqrt(theirs)) ** 2)[::-1])
    told = itertools.product(("CNN", "K-PERC"), RATES)
    numbers = {f"{m} {r:.0%}": 1 - figure3()[m, r].size / r for m, r in told}
    sets = int((most < needed).sum()) + 1
    return "cannot tell", {**numbers, "sets on which CNN must beat NN3 at 10%": sets}


def _closest_size() -> Told:
    points, best = figure3().values(), []
    for target in np.arange(10, 251) / 1000:
        # of a method the last one stays, whose size is the closest
        near = sorted(points, key=lambda point: abs(point.size - target), reverse=True)
        taken = {point.method: point for point in near}
        best.append(max(taken.values(), key=lambda point: point.accuracy).method)
    last = 0.010 + (best.count(AUTO_ADJ) - 1) / 1000
    return judge(set(best) == {AUTO_ADJ}, {"best up to": last, "then": best[-1]})


def _significant() -> Told:
    levels = [float(row["value"]) for row in rows("commented_statistics") if row["value"]]
    return judge(min(levels) <= 0.1, {"lowest p-value is below": min(levels)})


CHECKS: dict[str, Callable[[], Told]] = {
    "table-sizes": _table_sizes,
    "rounded": _rounded,
    "fix-sizes": _fix_sizes,
    "within-budget": _within_budget,
    "nn3-size": _nn3_size,
    "figure4-accuracy": lambda: _figure4_accuracy(np.ones(6)),
    "figure4-without-fix": lambda: _figure4_accuracy(np.array([1, 1, np.inf] * 2)),
    "figure3-accuracy": lambda: _figure3_accuracy(False),
    "figure3-unrestricted": lambda: _figure3_accuracy(True),
    "same-normaliser": _same_normaliser,
    "at-most-one": lambda: judge(max(_largest_normalised().values()) <= 1, _largest_normalised()),
    # means over the sets do not show who is the best on one of them
    "best-is-one": lambda: ("cannot tell", _largest_normalised()),
    "figure2a-digits": _figure2a_digits,
    "figure2a-base-adj": _figure2a_base_adj,
    "figure2a-growth": _figure2a_growth,
    "auto-adj-best": _auto_adj_best,
    "smallest": _smallest,
    "base-adj-better": _base_adj_better,
    "dominates": _dominates,
    "ninety-percent": _ninety_percent,
    "fix-wins": _fix_wins,
    "fix-same-size": _fix_same_size,
    "drift": _drift,
    "two-classes": _two_classes,
    "one-leaf": _one_leaf,
    "cnn-mistakes": _cnn_mistakes,
    "closest-size": _closest_size,
    "significant": _significant,
}
