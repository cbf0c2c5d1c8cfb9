"""What the article says in numbers, each read from a committed table; and the guards of its words.

Where a sentence depends on a sign or an order, a guard has that sentence: if a table changes so that
it is no longer true, there is no article. A number that a table does not have cannot be said.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "notebooks") not in sys.path:
    sys.path.insert(0, str(ROOT / "notebooks"))  # where the package `paper` is

import abacoc  # noqa: E402
from paper import identity, published  # noqa: E402
from paper.summary import numbers as first_page  # noqa: E402
from paper.verdicts import FAILS, HOLDS, RULES, TITLES, UNTESTED  # noqa: E402

RESULTS = ROOT / "paper_results"
COQ = ROOT / "theory" / "coq"
CELLS = [(table, method) for table in ("II", "III") for method in published.METHODS]
SHOWN = ("AUTO-ADJ", "NN3", "CNN", "K-PERC", "RULES", "VFDT")  # the methods in the figure
WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"]


class Article(NamedTuple):
    """What the text takes: numbers by name, and the data of its tables and figures."""

    numbers: dict[str, str]
    data: dict[str, Any]


def only_if(true: object, sentence: str) -> None:
    """Refuse to say a sentence that the tables do not bear out."""
    if not bool(true):
        raise ValueError(f"the tables do not bear out what the article says: {sentence}")


def word(number: float) -> str:
    """A small number in letters.

    >>> word(8)
    'eight'
    """
    return WORDS[int(number)]


def article(results: Path = RESULTS, coq: Path = COQ) -> Article:
    """All of it, from the tables of a folder and the statements in Coq of another."""
    frame = {
        path.stem: pd.read_csv(path) for path in sorted((results / "reproduced").glob("*.csv"))
    }
    claims = pd.read_csv(results / "claims.csv", index_col="id")
    told = first_page(results) | {"version": abacoc.__version__}
    rows, table = _rows(frame)
    told |= rows | _naming(frame) | _figures(frame) | _claims(claims)
    told |= _theory(frame["ledger"].set_index("id"), coq)
    return Article(told, {"rows": table} | _data(frame))


def numbers(results: Path = RESULTS, coq: Path = COQ) -> dict[str, str]:
    """The numbers in the text."""
    return article(results, coq).numbers


def _rows(frame: dict[str, pd.DataFrame]) -> tuple[dict[str, str], list[list[str]]]:
    """Tables II and III, the names reversed, beside ours: what is said of them, and the table."""
    both = pd.concat([frame["table2"].assign(table="II"), frame["table3"].assign(table="III")])
    cells = both.dropna(subset="paper_accuracy").set_index(["set", "table", "method"])
    ours = pd.DataFrame({"mean": cells.paper_accuracy, "std": cells.paper_accuracy_spread}).assign(
        count=cells.paper_seeds
    )
    edges, theirs = identity.intervals(ours), cells.published_accuracy
    inside = theirs.between(edges.low, edges.high)
    own = identity.rules(published.names())["reversed"]
    states = frame["identity"].set_index("reversed")
    six = [name for name in cells.index.unique(0) if states.state[name] != identity.OPEN]
    table = []
    for name in sorted(cells.index.unique(0), key=lambda n: (n not in six, n)):
        line = [f"{name}{' (generated)' * (name == 'hyperPlane')}", own[name]]
        line += [
            f"{theirs[name, *cell]:.3f} / {ours['mean'][name, *cell]:.3f}"
            + "*" * (not inside[name, *cell])
            for cell in CELLS
        ]
        table.append([*line, f"{(theirs[name] - ours['mean'][name]).abs().mean():.3f}"])
    counted = inside.groupby("set").sum()
    only_if((states.accuracies[six] == counted[six]).all(), "so many cells are inside")
    gaps = states.distance[six]
    nn3, fix = ("kddcup99", "II", "NN3"), ("connect-4", "II", "AUTO-ADJ FIX")
    for cell in (nn3, fix):
        only_if(theirs[cell] < edges.low[cell], f"{cell[0]}'s {cell[2]} is above what is printed")
    above = (theirs - ours["mean"])["powersupply"]
    only_if(above.min() > 0.29 and np.ptp(above) < 0.005, "powersupply: the same in all six cells")
    table_1 = published.table1()
    only_if(not table_1["sensor"].drift and table_1["electricity"].drift, "sensor has no drift")
    only_if(table_1["electricity"].classes == 2, "electricity has two classes")
    odd = published.tables().query("data == 'electricity' and table == 'III'").set_index("method")
    files = frame["table1"].set_index("set").streams_run
    absent = files[files.isna()].index
    only_if(set(absent) == {"sensor", "airlines", "acoustic"}, "these three sets are absent")
    told = {
        "sets": word(len(files)),
        "run": word(files.count()),
        "absent": word(len(absent)),
        "files": word(files.count() - files.str.startswith("generated").sum()),
        "good": word(len(six)),
        "nearest_set": f"{gaps.idxmin()}",
        "nearest": f"{gaps.min():.4f}",
        "farthest_set": f"{gaps.idxmax()}",
        "farthest": f"{gaps.max():.3f}",
        "inside": f"{counted[six].sum()} of {6 * len(six)}",
        "sizes_inside": f"{states.sizes[six].sum():.0f} of {4 * len(six)}",
        "confidence": f"{identity.CONFIDENCE:.0%}".rstrip("%"),
        "odd_nn3": f"{odd.accuracy['NN3']:.3f}",
        "odd_auto_adj": f"{odd.accuracy['AUTO-ADJ']:.3f}",
        "kdd_printed": f"{theirs[nn3]:.3f}",
        "kdd": f"{ours['mean'][nn3]:.3f}",
        "connect_printed": f"{theirs[fix]:.3f}",
        "connect": f"{ours['mean'][fix]:.3f}",
        "seeds": word(cells.paper_seeds.min()),
        "kdd_columns": f"{frame['table1'].set_index('set').found_dimension['kddcup99']}",
        "kdd_attributes": f"{table_1['kddcup99'].dimension}",
        "sensor_classes": f"{table_1['sensor'].classes}",
    }
    return told, table


def _naming(frame: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Whose rows they are: the arithmetic of full budgets, and all namings judged by our runs."""
    names, told = published.names(), {}
    for key, shown in (("digits", "five digits, then cut"), ("cut", "cut")):
        points = identity.size_points("rounded", shown)
        counts = identity.totals(points)
        printed, backwards = int(points.trace()), int(points[:, ::-1].trace())
        only_if(backwards > printed, "more full cells agree if the names are reversed")
        told |= {f"{key}_printed": str(printed), f"{key}_reversed": str(backwards)}
        told[f"{key}_share"] = f"{100 * counts[backwards:].sum() / counts.sum():.2g} %"
    full = len(identity.full_cells())
    only_if(told["digits_reversed"] == str(full), "reversed, all full cells agree")
    least = published.tables().groupby("data").accuracy.min()[names].to_numpy()
    chance = np.array([1 / published.table1()[name].classes for name in names])
    only_if((least[::-1] >= chance).all(), "reversed, no row is below chance")
    counts = identity.totals((least[:, None] >= chance).astype(int))
    told |= {"full": str(full), "below": word((least < chance).sum())}
    told["none_below"] = f"{100 * counts[len(names) :].sum() / counts.sum():.0f} %"

    judged = frame["identity_protocols"].set_index(["what", "without", "protocol"])
    seven, six = judged.loc["accuracy", "nothing"], judged.loc["accuracy", "powersupply"]
    only_if(judged.loc["size", "nothing", "paper"].as_good_as_reversed == 1, "first by size")
    only_if(six.loc["paper"].as_good_as_reversed == 1, "first by accuracy without powersupply")
    only_if(seven.reversed.max() < seven.printed.min(), "reversed is nearer under each protocol")
    gaps = frame["protocols_gaps"].set_index("names")
    only_if(
        gaps["paper, without powersupply"]["reversed"]
        < gaps["raw, without powersupply"]["reversed"]
        < gaps["paper, without powersupply"]["as printed"],
        "both the names and the protocol matter",
    )
    by = {order: six.filter(like=f", {order}", axis=0).reversed for order in identity.ORDERS}
    for order, cost in by.items():
        only_if(cost.idxmin() == f"unit, {order}", "norm 1 is the nearest of the scalings")
        told[order.split()[0]] = f"{cost.min():.3f}"
        told[f"{order.split()[0]}_others"] = f"{cost.drop(cost.idxmin()).min():.3f}"
    states = frame["identity"].state.value_counts()
    return told | {
        "protocols": word(len(seven)),
        "worst_rank": f"{seven.as_good_as_reversed.max()}",
        "rank_with_powersupply": f"{seven.as_good_as_reversed['paper']}",
        "near": f"{seven.reversed.min():.3f} to {seven.reversed.max():.3f}",
        "far": f"{seven.printed.min():.3f} to {seven.printed.max():.3f}",
        "six_printed": f"{gaps['paper, without powersupply']['as printed']:.3f}",
        "six_raw": f"{gaps['raw, without powersupply']['reversed']:.3f}",
        **{f"{state}_word": word(states[state]) for state in states.index},
    }


def _figures(frame: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Figures 2 to 4, the competitors, the yardsticks."""
    bars = frame["protocols_figure2"].set_index("what").paper
    points = frame["figure3"].set_index(["method", "rate"])
    best, vfdt = (
        points.loc["AUTO-ADJ", 0.1],
        frame["competitors"]
        .query("method == 'VFDT' and protocol == 'paper' and rate == 0.1")
        .set_index("setting"),
    )
    tuned, majority = vfdt.loc["NBAdaptive, tuned"], vfdt.loc["MC, MOA's"]
    only_if(majority.accuracy < tuned.published_accuracy < tuned.accuracy, "VFDT is too good")
    only_if((vfdt.factor < 1).all(), "every size of VFDT at this rate is too small")
    runs = first = frame["results"].query("rate == 1 and stream == 'covtype' and order == 'file'")
    runs = runs[(runs.scale == "none") & (runs.settings == "{}")].set_index("method").accuracy
    only_if(len(first) and runs["no-change"] > runs["auto-adj"], "repeating the label is better")
    shared = published.figure3(), published.figure4()
    factors = [
        shared[0][key].accuracy / point.accuracy
        for key, point in shared[1].items()
        if key in shared[0]
    ]
    only_if(max(factors) < 1, "Figure 4 is higher where the two show the same")
    digits = {row["method"]: row["value"] for row in published.rows("figure2")[:4]}
    auto = next(row for row in published.rows("figure3") if row["method"] == "AUTO")
    only_if(
        f"{10 * float(auto['size']):.10f}" == f"{float(digits['BASE-ADJ']):.10f}",
        "BASE-ADJ's bar has AUTO's digits",
    )
    hyper = frame["hyperplane"].set_index("stream").distance
    only_if(hyper.filter(like="fit").min() < hyper["defaults, unit"], "other parameters fit")
    return {
        "bar_sizes": f"{bars['size']:.3f}",
        "rates": " %, ".join(f"{100 * rate:.0f}" for rate in sorted(set(points.index.levels[1]))),
        "vfdt_spread": f"{tuned.accuracy_spread:.3f}",
        "vfdt_size_factor": f"{100 * vfdt.factor.max():.0f} %",
        "ninety": f"{best.paper_accuracy:.3f}",
        "ninety_printed": f"{best.published_accuracy:.3f}",
        "ninety_size": f"{100 * best.paper_size:.1f} %",
        "covtype_no_change": f"{runs['no-change']:.3f}",
        "covtype_auto_adj": f"{runs['auto-adj']:.3f}",
        "shared": word(len(factors)),
        "shared_factor": f"{min(factors):.3f} to {max(factors):.3f}",
        "base_adj_bar": digits["BASE-ADJ"],
        "auto_size": auto["size"],
    }


EFFECT = re.compile(r"[+-]\d\.\d{3}(?: \[[+-]\d\.\d{3}, [+-]\d\.\d{3}\])?")
# what the text says became of a claim on the paper's numbers, under `paper` and under `raw`
SAID = {
    "smallest-and-best": (HOLDS, HOLDS, HOLDS),
    "fix-clearly": (HOLDS, HOLDS, HOLDS),
    "cnn-kperc": (HOLDS, FAILS, FAILS),
    "cnn-vfdt": (HOLDS, FAILS, FAILS),
}


def _claims(claims: pd.DataFrame) -> dict[str, str]:
    """The claims: how many hold, and what became of those in the text."""
    told = {"claims": str(len(claims)), "level": re.findall(r"(\d+) %", RULES)[0]}
    for column in TITLES:
        part = claims[column].str.contains(" of ")
        told[f"{column}_part"] = str(part.sum())
        for verdict, name in ((HOLDS, "hold"), (FAILS, "fail"), (UNTESTED, "untested")):
            told[f"{column}_{name}"] = str((claims[column] == verdict).sum())
    for claim, verdicts in SAID.items():
        only_if(tuple(claims.loc[claim, list(TITLES)]) == verdicts, claims.sentence[claim])
    drift = claims.loc["fix-drift"]
    only_if(drift.paper == drift.raw == HOLDS != drift.published, "drift: on our runs only")
    for claim in (
        "smallest-and-best",
        "fix-clearly",
        "cnn-kperc",
        "cnn-vfdt",
        "fix-drift",
        "ninety-percent",
    ):
        for column in ("paper", "raw"):
            effects = EFFECT.findall(claims.loc[claim, f"{column}_effect"])
            for place, effect in zip(("", "_size"), effects, strict=False):
                key = f"{claim.replace('-', '_')}_{column}{place}"
                told[key] = effect.replace("-", "−").replace("+", "")
    for claim in ("dominates", "iblstreams", "d-hat"):
        for column in ("published", "paper", "raw"):
            verdict = claims.loc[claim, column]
            if verdict != UNTESTED:
                told[f"{claim.replace('-', '_')}_{column}"] = verdict
    return told


POWERS = r"Rpower T \(\(1 \+ INR D\) / \(2 \+ INR D\)\)"
BOUND = r"\((\d+)/(\d+) \* sqrt C \* Rpower 2 \(INR D / 2\) \+ (\d+)/(\d+) \* L\) \* " + POWERS
LEADING = r"let K := (\d+)/(\d+) \* sqrt C \* Rpower 2 \(INR D / 2\) \+ \(2 \+ INR D\) / \(1 \+ INR D\) \* L in"
PAPER = r"(\d+)/(\d+) \* \((\d+)/(\d+) \* sqrt C \* 2 \^ D \+ (\d+)/(\d+) \* L\) \* " + POWERS
BROKEN = re.compile(
    r"d = (?P<d>[\d.]+), T = (?P<T>[\d,]+), C-hat (?:= C_S )?= (?P<C>[\d,]+)(?:, C_S = 1)?, "
    r"L = (?P<L>[\d.]+): regret at least (?P<regret>[\d,.]+\d), bound (?P<bound>[\d,.]+\d)"
)


def _theory(ledger: pd.DataFrame, coq: Path) -> dict[str, str]:
    """The theorem: its constants from the statements in Coq, its counterexamples from the ledger."""
    statements = (coq / "Statements.v").read_text("utf-8")

    def constants(theorem: str, form: str) -> list[float]:
        body = statements.partition(f"Theorem {theorem} ")[2].partition("Proof.")[0]
        found = re.search(form, body)
        only_if(found, f"{theorem} has this form")
        above, below = (
            (list(map(float, found.groups()[i::2])) for i in (0, 1)) if found else ([], [])
        )
        return [a / b for a, b in zip(above, below, strict=True)]

    sharp, leading = constants("sharper_theorem", BOUND), constants("joint_constant_exact", LEADING)
    factor, first, slope = constants("corrected_theorem_1", PAPER)
    said = re.findall(r"\d+\.\d+", ledger.statement["theorem1"])
    only_if([factor, first, slope] == list(map(float, said)), "Theorem 1 has these constants")
    told = {"steps": str(len(ledger)), "ball_constant": f"{sharp[0]:g}"}
    told |= {"slope_constant": f"{sharp[1]:g}", "leading": f"{leading[0]:g}"}
    told |= {"factor": f"{factor:g}", "first": f"{first:g}", "slope": f"{slope:g}"}
    for verdict, count in ledger.verdict.value_counts().items():
        told["steps_" + str(verdict).replace(" ", "_")] = str(count)
    only_if(ledger.verdict["theorem1-iff"] == HOLDS, "Theorem 1 holds exactly for whole d")
    for step, name in (("theorem1-fraction-3", "fraction"), ("theorem1-constant", "constant")):
        only_if(ledger.verdict[step] == FAILS, f"a stream breaks Theorem 1: {step}")
        broken = BROKEN.search(ledger.evidence[step])
        only_if(broken, f"the ledger has the stream: {step}")
        witness = broken.groupdict() if broken else {}
        regret, bound = (float(witness[key].replace(",", "")) for key in ("regret", "bound"))
        only_if(regret > bound, f"its regret is above the bound: {step}")
        told |= {
            f"{name}_{key}": value.partition(".")[0] if len(value) > 6 else value
            for key, value in witness.items()
        }
    for d in (1, 4):
        before, after = (factor * first * 2**d, (1 if d == 1 else sharp[0]) * 2 ** (d / 2))
        only_if(after < before, "the sharper constant is smaller")
        told |= {f"before_{d}": f"{before:.1f}", f"after_{d}": f"{sharp[0] * 2 ** (d / 2):.2f}"}
    root = re.search(
        r"(\d\.\d+): (\d\.\d+) <= (\d\.\d+) is false", ledger.evidence["phases-factor"]
    )
    only_if(root and float(root[2]) > factor, "the factor is too small for this d")
    told |= {"root_d": root[1], "root": root[2]} if root else {}
    for step in ("steps", "start", "reset", "radius"):
        only_if(ledger.verdict[f"misprint-{step}"] == FAILS, f"the pseudo-code fails: {step}")
        told[f"misprint_{step}"] = ledger["where"][f"misprint-{step}"].replace(
            "Algorithm ", "Alg. "
        )
        told[f"amended_{step}"] = ledger.amendment[f"misprint-{step}"]
    axioms = {
        name
        for line in (coq / "assumptions.txt").read_text("utf-8").splitlines()
        for name in line.partition(": ")[2].split()
    }
    return told | {"axioms": word(len(axioms))}


def _data(frame: dict[str, pd.DataFrame]) -> dict[str, Any]:
    """What the figures are drawn from."""
    distance = frame["identity_distances"].query("protocol == 'paper'")
    wide = distance.pivot(index="row", columns="set", values="accuracy")
    names = published.names()
    columns = [name for name in names[::-1] if name in wide]
    points = frame["figure3"].set_index("method")
    attained = frame["attained"]
    return {
        "columns": columns,
        "distances": [[row, *map(float, wide.loc[row, columns])] for row in names],
        "reversed": [names[::-1].index(name) for name in columns],
        "printed": [names.index(name) for name in columns],
        "figure3": {
            method: points.loc[
                [method],
                [
                    "published_size",
                    "published_accuracy",
                    "paper_size",
                    "paper_accuracy",
                    "paper_accuracy_spread",
                ],
            ]
            .to_numpy()
            .tolist()
            for method in SHOWN
        },
        "attained": [
            [
                int(d),
                float(L),
                float(part.limit.iloc[0]),
                part[["T", "constant"]].to_numpy().tolist(),
            ]
            for (d, L), part in attained.groupby(["d", "L"])
        ],
    }
