"""What the article says in numbers, each from a committed table, and what it draws."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import article_rows
import pandas as pd
from article_guards import Frames, Told, only_if, word
from article_theory import theory

import abacoc
from paper import published
from paper.notebooks import ROOT
from paper.summary import numbers as first_page
from paper.verdicts import FAILS, HOLDS, RULES, TITLES, UNTESTED

RESULTS, COQ = ROOT / "paper_results", ROOT / "theory" / "coq"
# what the page to read first says as well
SHARED = re.findall(
    r"\w+",
    """runs six figure4_best figure4_paper figure3_best tried bars above ways by_accuracy vfdt
    vfdt_mc vfdt_printed ibl_paper ibl_raw hyper hyper_fit no_change auto_adj""",
)

LESS = [("auto_adj", "no_change"), ("hyper_fit", "hyper"), ("figure4_best", "figure4_paper")]


class Article(NamedTuple):
    """What the text takes: numbers by name, and the data of its tables and figures."""

    numbers: Told
    data: dict[str, Any]


def article(results: Path = RESULTS, coq: Path = COQ) -> Article:
    """All of it, from the tables of one folder and the statements in Coq of another."""
    frame = {
        path.stem: pd.read_csv(path) for path in sorted((results / "reproduced").glob("*.csv"))
    }
    claims = pd.read_csv(results / "claims.csv", index_col="id")
    page = first_page(results)
    rows, table = article_rows.cells(frame)
    told = {key: page[key] for key in SHARED} | {"version": abacoc.__version__}
    for less, more in LESS:
        only_if(float(page[less]) < float(page[more]), f"{less} is less than {more}")
    told |= rows | article_rows.tries(frame) | article_rows.digits() | article_rows.namings(frame)
    told |= _figures(frame) | _claims(claims) | theory(frame["ledger"].set_index("id"), coq)
    told |= _today(frame["frontier"].query("scale == 'online'").set_index("entrant"))
    return Article(told, {"rows": table, "claims": _verdicts(claims)} | _drawn(frame))


def numbers(results: Path = RESULTS, coq: Path = COQ) -> Told:
    """The numbers in the text."""
    return article(results, coq).numbers


def _figures(frame: Frames) -> Told:
    """Figures 1 to 4, the competitors, the yardsticks."""
    point = frame["figure3"].set_index(["method", "rate"]).loc[("AUTO-ADJ", 0.1)]
    vfdt = frame["competitors"].query("method == 'VFDT' and rate == 0.1")
    tuned = vfdt.query("protocol == 'paper'").set_index("setting")
    majority, bayes = tuned.loc["MC, MOA's"], tuned.loc["NBAdaptive, tuned"]
    only_if(majority.accuracy < majority.published_accuracy < bayes.accuracy, "VFDT is too good")
    runs = frame["results"].query("rate == 1 and order == 'file' and scale == 'none'")
    runs = runs.query("stream == 'covtype' and settings == '{}'").set_index("method").accuracy
    only_if(runs["no-change"] > runs["auto-adj"], "on covtype repeating the label is better")
    balls = frame["figure1"].set_index("method").n_balls
    sets = frame["figure2_sets"].query("protocol == 'paper'").set_index(["panel", "method"])
    of_four = sets.drop(columns="protocol").drop(index=["NoChange", "Majority"], level=1)
    best, least = of_four.loc["b"].idxmax(), of_four.loc["a"].idxmin()
    three, four = published.figure3(), published.figure4()
    factors = [three[key].accuracy / four[key].accuracy for key in four if key in three]
    only_if(max(factors) < 1, "Figure 4 is higher where both show the same")
    sizes = {name: three[name, 0.1].size for name in ("BASE", "AUTO", "AUTO-ADJ")}
    bars = published.figure2()["a"]
    ten = {"BASE": "BASE", "AUTO-ADJ": "AUTO-ADJ", "BASE-ADJ": "AUTO"}
    only_if(all(math.isclose(bars[bar], 10 * sizes[own]) for bar, own in ten.items()), "times ten")
    only_if(math.isclose(bars["AUTO"], 10 * sizes["AUTO"] - 0.01), "and a hundredth less")
    return {
        "banana": "{BASE} to {BASE-ADJ} and {AUTO} to {AUTO-ADJ}".format(**balls),
        "best_sets": word((best == "AUTO-ADJ").sum()),
        "smallest_sets": word((least == "AUTO-ADJ").sum()),
        "connect_base": f"{of_four.loc[('a', 'BASE'), 'connect-4']:.2f}",
        "connect_auto_adj": f"{of_four.loc[('a', 'AUTO-ADJ'), 'connect-4']:.2f}",
        "bar_sizes": f"{frame['protocols_figure2'].set_index('what').paper['size']:.3f}",
        "methods": word(len({method for method, _ in three})),
        "rates": ", ".join(f"{100 * rate:.0f}" for rate in sorted(published.RATES)),
        "top": f"{100 * max(published.RATES):.0f} %",
        "low": f"{100 * min(published.RATES):.0f} %",
        "vfdt_spread": f"{bayes.accuracy_spread:.3f}",
        "vfdt_absent": f"{bayes.asked_of_absent:.2f}",
        "vfdt_size": f"{100 * vfdt.factor.max():.0f} %",
        "ninety_paper": f"{point.paper_accuracy:.3f}",
        "ninety_size": f"{100 * point.paper_size:.1f} %",
        "ninety_figure3": f"{three['AUTO-ADJ', 0.1].accuracy:.3f}",
        "ninety_figure4": f"{four['AUTO-ADJ', 0.1].accuracy:.3f}",
        "covtype_no_change": f"{runs['no-change']:.3f}",
        "covtype_auto_adj": f"{runs['auto-adj']:.3f}",
        "shared": word(len(factors)),
        "factors": f"{min(factors):.3f} to {max(factors):.3f}",
        "base_adj_bar": str(bars["BASE-ADJ"]),
        "auto_size": str(sizes["AUTO"]),
    }


def _today(frontier: pd.DataFrame) -> Told:
    """FIX beside methods that came after the paper."""
    fix = frontier.loc["AUTO-ADJ FIX 1000"]
    later = frontier.loc[["SAM-kNN", "kNN PAW", "ARF", "AMF"]]
    best = later.loc[later.gap.idxmax()]
    only_if(best.low > 0, "the best is more accurate than FIX")
    larger = later.bytes / fix.bytes
    only_if(larger.idxmin() == "kNN PAW" and larger.min() < 1, "kNN's model is smaller than FIX's")
    only_if((larger.drop("kNN PAW") > 1).all(), "the other models are larger than FIX's")
    slower = fix.examples_per_second / later.examples_per_second
    only_if((slower > 1).all(), "FIX is faster")
    return {
        "today_streams": str(fix.streams),
        "today_balls": fix.name.rpartition(" ")[2],
        "today_best": best.name,
        "today_gap": f"{best.gap:.1f} [{best.low:.1f}, {best.high:.1f}]".replace("-", "−"),
        "today_larger": " to ".join(f"{end:,g}" for end in _ends(larger.drop("kNN PAW"))),
        "today_least": f"{larger.min():.2g}",
        "today_slower": " to ".join(f"{end:,g}" for end in _ends(slower)),
    }


def _ends(of: pd.Series) -> tuple[float, float]:
    """The least and the largest, to two digits."""
    return float(f"{of.min():.2g}"), float(f"{of.max():.2g}")


EFFECT = re.compile(r"[+-]\d\.\d{3}(?: \[[+-]\d\.\d{3}, [+-]\d\.\d{3}\])?")
# what the text says became of a claim on the paper's numbers, under `paper` and under `raw`
SAID = {
    "smallest-and-best": (HOLDS, HOLDS, HOLDS),
    "fix-clearly": (HOLDS, HOLDS, HOLDS),
    "banana": (UNTESTED, HOLDS, HOLDS),
    "cnn-kperc": (HOLDS, FAILS, FAILS),
    "cnn-vfdt": (HOLDS, FAILS, FAILS),
}
LISTED = re.findall(
    r"[\w-]+",
    """smallest-and-best adjustment auto-base fix-clearly fix-same-size fix-drift tradeoff
    dominates nn3 trees cnn-vfdt cnn-kperc ninety-percent d-hat iblstreams""",
)


def _effect(claims: pd.DataFrame, claim: str, column: str) -> str:
    """The first effect of a claim, with its interval if it has one."""
    found = EFFECT.findall(claims.loc[claim, f"{column}_effect"])
    return found[0].replace("-", "−").replace("+", "") if found else ""


def _claims(claims: pd.DataFrame) -> Told:
    """The claims: how many hold, and what became of those in the text."""
    told = {"claims": str(len(claims)), "level": re.findall(r"(\d+) %", RULES)[0]}
    for column in TITLES:
        for verdict, name in ((HOLDS, "hold"), (FAILS, "fail"), (UNTESTED, "untested")):
            if found := (claims[column] == verdict).sum():
                told[f"{column}_{name}"] = str(found)
        told[f"{column}_part"] = str(claims[column].str.contains(" of ").sum())
    for claim, verdicts in SAID.items():
        only_if(tuple(claims.loc[claim, list(TITLES)]) == verdicts, claims.sentence[claim])
    drift = claims.loc["fix-drift"]
    only_if(drift.paper == drift.raw == HOLDS != drift.published, "drift: on our runs only")
    told["drift_printed"] = drift.published
    for key in ("smallest-and-best", "fix-clearly", "fix-drift"):
        for column in ("paper", "raw"):
            told[f"{key.replace('-', '_')}_{column}"] = _effect(claims, key, column)
    told["ninety_gap"] = _effect(claims, "ninety-percent", "paper")
    said = claims.sentence["ninety-percent"], claims.test["d-hat"]
    told["ninety"], told["data"] = re.findall(r"[\d.]+ %", said[0])
    told["d_hat_from"], told["d_hat_to"] = re.findall(r"from (\d+) to (\d+)", said[1])[0]
    told["span"] = re.findall(r"(\d\.\d+) less the span", said[1])[0]
    told["d_hat"] = claims.paper["d-hat"]
    told["same_size"] = claims.paper["fix-same-size"]
    return told | {f"dominates_{p}": claims.loc["dominates", p] for p in ("published", "paper")}


def _verdicts(claims: pd.DataFrame) -> list[list[str]]:
    """The table of claims; effects are shown where they are differences of accuracies."""
    table = []
    for claim in LISTED:
        own = claims.loc[claim]
        effect = _effect(claims, claim, "paper") if "of accuracy" in own.paper_effect else ""
        sentence = own.sentence.replace("this is very", "the gain of FIX is very")
        table.append([sentence, own["where"], *own[list(TITLES)], effect])
    return table


def _drawn(frame: Frames) -> dict[str, Any]:
    """What the figures are drawn from."""
    distance = frame["identity_distances"].query("protocol == 'paper'")
    wide = distance.pivot(index="row", columns="set", values="accuracy")
    names = published.names()
    columns = [name for name in names[::-1] if name in wide]
    points = frame["figure3"].dropna(subset="published_size").set_index("method")
    shown = ["published_size", "published_accuracy", "paper_size", "paper_accuracy"]
    shown.append("paper_accuracy_spread")
    series = frame["attained"].groupby(["d", "L"])
    return {
        "distances": {
            "columns": columns,
            "rows": [[name, *wide.loc[name, columns].tolist()] for name in names],
            "reversed": [names[::-1].index(name) for name in columns],
            "printed": [names.index(name) for name in columns],
        },
        "figure3": {
            method: points.loc[[method], shown].to_numpy().tolist()
            for method in points.index.unique()
        },
        "attained": [
            [
                int(d),
                float(L),
                float(part.limit.iloc[0]),
                part[["T", "constant"]].to_numpy().tolist(),
            ]
            for (d, L), part in series
        ],
    }
