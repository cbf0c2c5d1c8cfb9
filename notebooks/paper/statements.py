"""Whether the paper's numbers agree with each other: a check per line of ``statements.csv``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeVar

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from paper import published
from paper.published import ABOVE, BELOW, METHODS, RATES, TABLES, Floats

# Whether the statement agrees with the numbers (None: they cannot tell), and with which.
Told = tuple[bool | None, Mapping[str, float | str]]
Check = TypeVar("Check", bound=Callable[..., Told])
CHECKS: dict[str, Callable[..., Told]] = {}  # by the id of the statement
VERDICTS = {True: "consistent", False: "inconsistent", None: "cannot tell"}
ANY = np.full(11, np.inf)  # upper limits of one weight per set: none
NN3, AUTO_ADJ, FIX = METHODS
BASES = ("BASE", "BASE-ADJ")


class Paper:
    """The tables and figures as frames."""

    def __init__(self) -> None:
        self.names = published.names()
        self.cells = published.tables()
        # a column per table and method, a row per set
        wide = self.cells.pivot(index="data", columns=["table", "method"]).loc[self.names]
        self.sizes, self.accuracies = wide["size"], wide["accuracy"]
        self.bars = published.figure2()
        # size and accuracy, by method and rate
        self.figure3, self.figure4 = (
            pd.DataFrame(points.values()).set_index(["method", "rate"])
            for points in (published.figure3(), published.figure4())
        )
        self.examples = np.array([row.examples for row in published.table1().values()])
        # how much more accurate AUTO-ADJ FIX is than the better of the others, set by set
        own = {table: self.accuracies[table] for table in TABLES}
        self.gain = {table: of[FIX] - of[[NN3, AUTO_ADJ]].max(axis=1) for table, of in own.items()}


def findings() -> pd.DataFrame:
    """Every statement of ``statements.csv``, judged.

    >>> findings()[["id", "verdict"]].head(2).to_numpy().tolist()
    [['table-sizes', 'consistent'], ['rounded', 'inconsistent']]
    """
    found, paper = pd.DataFrame(published.rows("statements")), Paper()
    told = [CHECKS[name](paper) for name in found.id]
    return found.assign(verdict=[VERDICTS[h] for h, _ in told], numbers=[n for _, n in told])


def check(function: Check) -> Check:
    """The function tests the statement of its name."""
    CHECKS[function.__name__.replace("_", "-")] = function
    return function


# Sizes ------------------------------------------------------------------------------------------


@check
def table_sizes(paper: Paper) -> Told:
    numbers, holds = dict[str, float](), True
    for (table, rate), method in itertools.product(TABLES.items(), METHODS):
        mean, plotted = paper.sizes[table, method].mean(), paper.figure4["size"][method, rate]
        numbers |= {f"{method} {rate:.0%}": mean, f"{method} {rate:.0%}, plotted": plotted}
        holds &= -BELOW <= plotted - mean <= ABOVE
    return holds, numbers


@check
def rounded(paper: Paper) -> Told:
    # rounded sizes are below the printed ones plus half a digit, and below the budget plus a ball
    largest = (paper.sizes["III", FIX] + 0.0005).clip(upper=0.01 + 1 / paper.examples.min()).mean()
    plotted = paper.figure4["size"][FIX, 0.01]
    return plotted <= largest, {"largest if rounded": largest, "plotted": plotted}


@check
def fix_sizes(paper: Paper) -> Told:
    numbers, holds = dict[str, float](), True
    for rate, plotted in paper.figure4["size"][FIX].items():
        low, high = ((paper.sizes["II", FIX] + d).clip(upper=rate).mean() for d in (0, ABOVE))
        numbers |= {f"{rate:.0%}, from the table": low, f"{rate:.0%}, plotted": plotted}
        # a budget is a whole number of balls: up to a ball less than the share
        holds &= low - 1e-5 <= plotted <= high
    return holds, numbers


@check
def within_budget(paper: Paper) -> Told:
    plotted = pd.concat([paper.figure3, paper.figure4])["size"]
    plotted /= plotted.index.get_level_values("rate")
    largest = max(plotted.max(), (paper.cells["size"] / paper.cells.table.map(TABLES)).max())
    return largest <= 1 + 1e-12, {"largest size over budget": largest}


@check
def nn3_size(paper: Paper) -> Told:
    # the number of examples drawn from N has the variance N r (1 - r)
    spread = (0.1 * 0.9 / paper.examples).sum() ** 0.5 / 11
    nominal = sum(size == rate for rate, size in paper.figure3["size"][NN3].items())
    return not nominal, {"exactly the rate": nominal, "standard deviation at 10%": spread}


@check
def figure2a_digits(paper: Paper) -> Told:
    numbers, rows = {}, published.rows
    bars = {row["method"]: row["value"] for row in rows("figure2") if row["panel"] == "a"}
    sizes = {row["method"]: row["size"] for row in rows("figure3") if row["rate"] == "10%"}
    for (method, bar), other in itertools.product(bars.items(), bars):
        less = 10 * Decimal(sizes[other]) - Decimal(bar)
        # AUTO's bar ends as ten times its size does, and is 0.01 less
        if less % Decimal("0.01") == 0:
            told = f"{bar} = 10 x {sizes[other]} ({other})"
            numbers[method] = told + (f" - {less:.2f}" if less else "")
    return not numbers, numbers


@check
def figure2a_base_adj(paper: Paper) -> Told:
    # the bar is AUTO's; BASE-ADJ's own size says the opposite
    base, adj = (10 * paper.figure3["size"][method, 0.1] for method in BASES)
    bar = paper.bars["a"]["BASE-ADJ"]
    return adj < base, {"BASE": base, "BASE-ADJ": bar, "10 x BASE-ADJ of Figure 3": adj}


@check
def figure2a_growth(paper: Paper) -> Told:
    fix, tenth = paper.sizes["II", FIX], 10 * paper.sizes["II", AUTO_ADJ]
    full, bar = fix >= 0.099, paper.bars["a"][AUTO_ADJ]  # at the budget: more without one
    return None, {
        "sets at the budget": full.sum(),
        "their mean size at rate 1, if the bar is right": (11 * bar - fix[~full].sum())
        / full.sum(),
        "over the examples drawn at 10%": tenth[full].mean(),
        "mean size of the others at rate 1": fix[~full].mean(),
        "theirs over the examples drawn": tenth[~full].mean(),
    }


@check
def smallest(paper: Paper) -> Told:
    own = paper.sizes.stack("table", future_stack=True)
    others = own[[NN3, FIX]].min(axis=1)
    ties = (own[AUTO_ADJ] == others).sum()
    return (own[AUTO_ADJ] <= others).all(), {"rows": len(own), "of them ties": ties}


@check
def one_leaf(paper: Paper) -> Told:
    leaf = (1 / paper.examples).mean()
    least, most = (paper.figure3["size"]["VFDT", rate] for rate in (0.01, 0.1))
    numbers = {"one leaf per set": leaf, "VFDT 1%": least, "VFDT 10% over VFDT 1%": most / least}
    return least >= leaf, numbers


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


def _both_tables(paper: Paper, figure: pd.DataFrame, methods: int) -> tuple[Floats, Floats]:
    """The cells of the first methods, and the points to which they should average."""
    keys = list(itertools.product(TABLES, METHODS[:methods]))
    plotted = [figure.accuracy[method, TABLES[table]] for table, method in keys]
    return paper.accuracies[keys].to_numpy().T, np.array(plotted)


@check
def figure4_without_fix(paper: Paper, fix: float = np.inf) -> Told:
    cells, plotted = _both_tables(paper, paper.figure4, 3)
    cap = np.array([1, 1, fix] * 2)
    # would one wrong row explain what is lacking?
    wrong = [np.where(np.arange(11) == i, np.nan, cells) for i in range(11)]
    least, *others = (least_deviation(c, plotted, cap, ANY) for c in (cells, *wrong))
    told = ", ".join(name for name, left in zip(paper.names, others, strict=True) if not left)
    numbers: dict[str, float | str] = {"least deviation": least}
    numbers["rows of which one, if wrong, would explain it"] = told or "none"
    if fix == 1:
        largest = np.minimum((cells[2] + ABOVE) / (cells.max(axis=0) - BELOW), 1).mean()
        numbers |= {"AUTO-ADJ FIX 10%, at most": float(largest), "plotted": float(plotted[2])}
    return least == 0, numbers


@check
def figure4_accuracy(paper: Paper) -> Told:
    return figure4_without_fix(paper, fix=1)


@check
def figure3_accuracy(paper: Paper, most: Floats = ANY) -> Told:
    deviation = least_deviation(*_both_tables(paper, paper.figure3, 2), np.ones(4), most)
    return deviation == 0, {"least deviation": deviation}


@check
def figure3_unrestricted(paper: Paper) -> Told:
    # Below its budget AUTO-ADJ FIX has discarded nothing: it is AUTO-ADJ at rate 1.
    # (A size of .099 may be a budget whose digits are cut.)
    known = 1 / (paper.accuracies["II", FIX] - BELOW)
    return figure3_accuracy(paper, known.where(paper.sizes["II", FIX] < 0.099, np.inf).to_numpy())


@check
def same_normaliser(paper: Paper) -> Told:
    both = paper.figure4.drop(FIX, level="method").join(paper.figure3, rsuffix="3")
    rise, same = both.accuracy - both.accuracy3, both["size"] == both.size3
    numbers = {"least rise": rise.min(), "largest": rise.max(), "equal sizes, of 8": same.sum()}
    return rise.min() == rise.max() == 0, numbers


@check
def at_most_one(paper: Paper) -> Told:
    numbers = {"Figure 2(b)": max(paper.bars["b"].values())}
    numbers |= {"Figure 3": paper.figure3.accuracy.max(), "Figure 4": paper.figure4.accuracy.max()}
    return max(numbers.values()) <= 1, numbers


@check
def best_is_one(paper: Paper) -> Told:
    return None, at_most_one(paper)[1]  # means do not show who is the best on one set


# Who is better ----------------------------------------------------------------------------------


@check
def auto_adj_best(paper: Paper) -> Told:
    sizes, means = (pd.DataFrame({"bar": paper.bars[panel]}) for panel in ("a", "b"))
    points = paper.figure3.loc[sizes.index]
    sizes, means = sizes.join(points["size"].unstack()), means.join(points.accuracy.unstack())
    small, best = (sizes.idxmin() == AUTO_ADJ).sum(), (means.idxmax() == AUTO_ADJ).sum()
    return small == best == 5, {"smallest, of 5": small, "most accurate": best}


@check
def base_adj_better(paper: Paper) -> Told:
    base, adj = (paper.figure3.loc[method] for method in BASES)
    gains = (adj - base)[["accuracy", "size"]]
    numbers = {f"{rate:.0%}, {what}": gain for (rate, what), gain in gains.stack().items()}
    return (gains.accuracy > 0).all(), numbers


@check
def dominates(paper: Paper) -> Told:
    curve = paper.figure3.loc[AUTO_ADJ].sort_values("size")
    others, largest = paper.figure3.drop(AUTO_ADJ, level="method"), curve.iloc[-1]
    inside = others[others["size"].between(curve["size"].min(), largest["size"])]
    lead = np.interp(inside["size"], curve["size"], curve.accuracy) - inside.accuracy
    better = others[(others["size"] > largest["size"]) & (others.accuracy > largest.accuracy)]
    above = ", ".join(f"{method} {rate:.0%}" for method, rate in better.index)
    numbers = {"points in the range": len(inside), "least lead": lead.min()}
    return lead.min() > 0, {**numbers, "larger and more accurate": above}


@check
def ninety_percent(paper: Paper) -> Told:
    in3, in4 = (figure.loc[AUTO_ADJ, 0.1] for figure in (paper.figure3, paper.figure4))
    numbers = {"Figure 3": in3.accuracy, "Figure 4": in4.accuracy, "size": in3["size"]}
    return round(in3.accuracy, 2) >= 0.90 and in3["size"] <= 0.015, numbers


@check
def fix_wins(paper: Paper) -> Told:
    wins = {f"Table {table}, best": (gain > 0).sum() for table, gain in paper.gain.items()}
    ties = {f"Table {table}, tied": (gain == 0).sum() for table, gain in paper.gain.items()}
    return min(wins.values()) > 11 / 2, dict(sorted({**wins, **ties}.items()))


@check
def fix_same_size(paper: Paper) -> Told:
    ratio = paper.figure4["size"][FIX] / paper.figure4["size"][AUTO_ADJ]
    numbers = {f"{rate:.0%}, FIX over AUTO-ADJ": ratio[rate] for rate in RATES}
    # nearer in size: FIX at 1 % against AUTO-ADJ at 10 %
    gain = paper.accuracies["III", FIX] - paper.accuracies["II", AUTO_ADJ]
    numbers["mean gain of FIX 1% over AUTO-ADJ 10%"] = gain.mean()
    numbers["sets where it is better, of 11"] = (gain > 0).sum()
    return ratio.max() < 1.5, numbers


@check
def drift(paper: Paper) -> Told:
    drifts = pd.Series({name: row.drift for name, row in published.table1().items()})
    others = drifts & (drifts.index != "electricity")
    parts = {"drift": drifts, "no drift": ~drifts, "but electricity": others}
    numbers = {
        f"Table {table}, {name}": gain[which].mean()
        for (table, gain), (name, which) in itertools.product(paper.gain.items(), parts.items())
    }
    return numbers["Table II, but electricity"] > numbers["Table II, no drift"], numbers


@check
def two_classes(paper: Paper) -> Told:
    two = [name for name, row in published.table1().items() if row.classes == 2]
    low = paper.cells[paper.cells.data.isin(two) & (paper.cells.accuracy + ABOVE < 0.5)]
    told = {f"{c.data} {c.table} {c.method}": c.accuracy for c in low.itertuples()}
    return low.empty, told


@check
def cnn_mistakes(paper: Paper) -> Told:
    # CNN's deficit to NN3 is larger in plain accuracies (which size tells) than in normalised ones.
    # Normalising by best <= 1 enlarges it on every set where CNN is worse; where it is better by x,
    # x / best - x is at most (1 - sqrt(NN3's accuracy))^2, since best >= NN3's accuracy + x.
    points, theirs = paper.figure3, paper.accuracies["II", NN3] - BELOW
    told = itertools.product(("CNN", "K-PERC"), RATES)
    numbers = {f"{m} {rate:.0%}": 1 - points["size"][m, rate] / rate for m, rate in told}
    plain = theirs.sum() - 11 * numbers["CNN 10%"]
    needed = plain - 11 * (points.accuracy[NN3, 0.1] - points.accuracy["CNN", 0.1])
    most = np.cumsum(np.sort((1 - np.sqrt(theirs)) ** 2)[::-1])
    sets = (most < needed).sum() + 1
    return None, {**numbers, "sets on which CNN must beat NN3 at 10%": sets}


@check
def closest_size(paper: Paper) -> Told:
    points, best = paper.figure3, []
    for target in np.arange(10, 251) / 1000:
        near = (points["size"] - target).abs().groupby("method").idxmin()  # a point per method
        best.append(points.accuracy[near].idxmax()[0])
    last = 0.010 + (best.count(AUTO_ADJ) - 1) / 1000
    return set(best) == {AUTO_ADJ}, {"best up to": last, "then": best[-1]}


@check
def significant(paper: Paper) -> Told:
    told = published.rows("commented_statistics")
    least = min(float(row["value"]) for row in told if row["value"])
    return least <= 0.1, {"lowest p-value is below": least}
