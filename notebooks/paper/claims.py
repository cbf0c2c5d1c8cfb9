"""Every claim that the paper makes in words, how it is tested here, and what came out.

A function per claim: those of Sections VI and VII are below, those before them in `claims_intro`.
"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean, median

import pandas as pd

from abacoc.files import write_atomically
from paper import ranks
from paper import runs as table
from paper.claims_intro import parameterless, tradeoff
from paper.points import Missing, better, covered, on_stream, over_streams
from paper.runs import COMPETITORS, FIX, LEVELS, OWN, label, set_of
from paper.verdicts import (
    CLAIMS,
    DRIFTING,
    NOT,
    PARTLY,
    REPRODUCED,
    UNTESTED,
    Outcome,
    by_share,
    claim,
    curves_of,
    ran,
    read,
)


def write_claims(folder: Path) -> Path:
    """Check all claims on the runs of the folder, one stream for each set of Table I."""
    runs = runs_of_the_paper(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "claims.csv"
    with write_atomically(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "item", "where", "sentence", "test", "result", "verdict"])
        for one in CLAIMS:
            told = one.judge(runs, folder)
            writer.writerow([one.id, one.item, one.where, one.sentence, one.test, *told])
    return path


def runs_of_the_paper(folder: Path) -> pd.DataFrame:
    """The runs on the streams that the verdicts are about; a table that is not there is empty."""
    runs = table.read_if_there(folder / "reproduced")
    return runs[runs.stream.isin(table.streams_of_the_paper(runs))]


# Section VI: the four methods among themselves ----------------------------------------------------


@claim(
    id="banana",
    where="VI.B, Figure 1",
    item="fig1",
    sentence="the variants that move centres have fewer balls",
    test="banana, 2,000 points",
)
def banana(runs: pd.DataFrame, folder: Path) -> Outcome:
    balls = read(folder, "figure1.csv").set_index("method").n_balls
    pairs = [(m, f"{m}-ADJ") for m in ("BASE", "AUTO") if {m, f"{m}-ADJ"} <= set(balls.index)]
    if not pairs:
        raise Missing
    told = ", ".join(f"{method} {n}" for method, n in balls.items())
    return told, by_share(sum(balls[adj] < balls[plain] for plain, adj in pairs), len(pairs))


@claim(
    id="adjustment",
    where="VI.B, Figure 2",
    item="fig2",
    sentence="moving the centres gives smaller models and better performance",
    test="the four methods at rate 1, size and accuracy",
)
def adjustment(runs: pd.DataFrame, folder: Path) -> Outcome:
    streams = covered(runs, OWN, (1.0,))
    told, wins = [], 0
    for plain, moving in (("base", "base-adj"), ("auto", "auto-adj")):
        pairs = [[on_stream(runs, s, m, 1.0) for m in (plain, moving)] for s in streams]
        smaller = sum(after.share.value < before.share.value for before, after in pairs)
        more = sum(after.accuracy.value > before.accuracy.value for before, after in pairs)
        before, after = (over_streams(runs, streams, m, 1.0) for m in (plain, moving))
        wins += after.share.value < before.share.value
        wins += after.accuracy.value > before.accuracy.value
        told.append(
            f"{moving.upper()}: fewer balls on {smaller} and more accurate on {more} of "
            f"{len(streams)} streams; on average {after.share.value:.4f} against "
            f"{before.share.value:.4f} of the stream, relative accuracy "
            f"{after.accuracy.value:.3f} against {before.accuracy.value:.3f}"
        )
    return "; ".join(told), by_share(wins, 4)


@claim(
    id="smallest-and-best",
    where="VI.B, Figure 2",
    item="fig2",
    sentence="AUTO-ADJ has at once the smallest model and the best performance of the four",
    test="averages over streams at rate 1",
)
def smallest_and_best(runs: pd.DataFrame, folder: Path) -> Outcome:
    streams = covered(runs, OWN, (1.0,))
    points = {m: over_streams(runs, streams, m, 1.0) for m in OWN}
    smallest = min(OWN, key=lambda m: points[m].share.value) == "auto-adj"
    best = max(OWN, key=lambda m: points[m].accuracy.value) == "auto-adj"
    told = ", ".join(
        f"{m.upper()} {p.share.value:.4f} / {p.accuracy.value:.3f}" for m, p in points.items()
    )
    return f"share / relative accuracy: {told}", by_share(smallest + best, 2)


@claim(
    id="d-hat",
    where="VI.A",
    item="ablation",
    sentence="d-hat does not affect the performance significantly",
    test="AUTO-ADJ with d-hat from 0 to 10; at most 0.02 of accuracy counts as insignificant",
)
def d_hat(runs: pd.DataFrame, folder: Path) -> Outcome:
    return parameterless(runs, folder)


# Section VI: against the competitors --------------------------------------------------------------


@claim(
    id="rate-is-a-bound",
    where="VI.C, footnote",
    item="fig3",
    sentence="the rate is an upper bound on the model size",
    test="the balls of all runs below rate 1 against the examples they were given",
)
def rate_is_a_bound(runs: pd.DataFrame, folder: Path) -> Outcome:
    rows = runs[runs.standard & (runs.rate < 1)]
    if rows.empty:
        raise Missing
    # how many examples a run is given is chance, and may be more than the rate says
    within = int((rows.model_size <= rows.n_updates).sum())
    told = f"{within} of {len(rows)} runs have no more balls than examples to learn"
    above = rows[rows.model_share > rows.rate]
    if len(above):
        excess = (above.model_share / above.rate).max() - 1
        told += f"; {len(above)} have a larger share than the rate, by {excess:.1%} at most, "
        told += "since more examples were drawn than expected"
    return told, by_share(within, len(rows))


@claim(
    id="nn3",
    where="VI.C, Figure 3",
    item="fig3",
    sentence="NN3 is slightly better with large models and suffers with small ones",
    test="relative accuracy at 10 % and 1 %",
)
def nn3(runs: pd.DataFrame, folder: Path) -> Outcome:
    curves, where = curves_of(runs, ("nn3", "auto-adj"))
    (small, *_, large), (our_small, *_, our_large) = (
        [point.accuracy for point in curves[m]] for m in ("nn3", "auto-adj")
    )
    told = f"10 %: {large} against AUTO-ADJ's {our_large}; 1 %: {small} against {our_small}{where}"
    good = (better(large, our_large) == 1) + (better(small, our_small) == -1)
    return told, by_share(good, 2)


def _above(runs: pd.DataFrame, a: str, b: str) -> Outcome:
    """Whether a is more accurate than b at each of the four rates."""
    curves, where = curves_of(runs, (a, b))
    pairs = [(p.accuracy, q.accuracy) for p, q in zip(curves[a], curves[b], strict=True)]
    told = ", ".join(
        f"{level:.0%}: {p} against {q}" for level, (p, q) in zip(LEVELS, pairs, strict=True)
    )
    return f"{told}{where}", by_share(sum(better(p, q) == 1 for p, q in pairs), len(pairs))


@claim(
    id="cnn-kperc",
    where="VI.C, Figure 3",
    item="fig3",
    sentence="CNN works better than K-PERC",
    test="relative accuracy at four rates",
)
def cnn_kperc(runs: pd.DataFrame, folder: Path) -> Outcome:
    return _above(runs, "cnn", "k-perc")


@claim(
    id="cnn-vfdt",
    where="VI.C, Figure 3",
    item="fig3",
    sentence="CNN works better than decision trees",
    test="relative accuracy at four rates",
)
def cnn_vfdt(runs: pd.DataFrame, folder: Path) -> Outcome:
    return _above(runs, "cnn", "vfdt")


@claim(
    id="trees",
    where="VI.C, Figure 3",
    item="fig3",
    sentence="VFDT and RULES use little memory and perform worse than the others",
    test="size and accuracy against AUTO-ADJ at four rates",
)
def trees(runs: pd.DataFrame, folder: Path) -> Outcome:
    curves, where = curves_of(runs, ("vfdt", "rules", "auto-adj"))
    good, told = 0, []
    for method in ("vfdt", "rules"):
        pairs = list(zip(curves[method], curves["auto-adj"], strict=True))
        small = all(p.share.value < q.share.value for p, q in pairs)
        worse = [better(p.accuracy, q.accuracy) == -1 for p, q in pairs]
        good += small + all(worse)
        told.append(
            f"{method.upper()}: smaller at every rate: {'yes' if small else 'no'}; less accurate "
            f"at {sum(worse)} of {len(worse)} rates (10 %: {pairs[-1][0].accuracy} against "
            f"{pairs[-1][1].accuracy})"
        )
    return f"{'; '.join(told)}{where}", by_share(good, 4)


@claim(
    id="base-adj",
    where="VI.C, Figure 3",
    item="fig3",
    sentence="BASE-ADJ improves on BASE",
    test="relative accuracy at four rates",
)
def base_adj(runs: pd.DataFrame, folder: Path) -> Outcome:
    return _above(runs, "base-adj", "base")


@claim(
    id="auto-base",
    where="VI.C, Figure 3",
    item="fig3",
    sentence="AUTO performs better than BASE",
    test="relative accuracy at four rates",
)
def auto_base(runs: pd.DataFrame, folder: Path) -> Outcome:
    return _above(runs, "auto", "base")


@claim(
    id="dominates",
    where="VI.C, Figure 3",
    item="fig3",
    sentence="AUTO-ADJ's curve dominates the other ones",
    test="at the size of each point of another curve",
)
def dominates(runs: pd.DataFrame, folder: Path) -> Outcome:
    return tradeoff(runs, folder)


@claim(
    id="ninety-percent",
    where="VI.C",
    item="fig3",
    sentence="90 % of the best full-sampling method with 1.5 % of the data",
    test="AUTO-ADJ at rate 10 %",
)
def ninety_percent(runs: pd.DataFrame, folder: Path) -> Outcome:
    curves, where = curves_of(runs, ("auto-adj",))
    ten = curves["auto-adj"][-1]
    told = f"at rate 10 %: {ten.accuracy} of the best with {ten.share} of the stream{where}"
    return told, by_share((ten.accuracy.value >= 0.9) + (ten.share.value <= 0.015), 2)


@claim(
    id="iblstreams",
    where="VI.A",
    item="claims",
    sentence="IBLStreams never performs better than RULES on these sets",
    test="none: IBLStreams is not run here",
)
def iblstreams(runs: pd.DataFrame, folder: Path) -> Outcome:
    return "not run", UNTESTED  # the only verdict there is without a single run of it


@claim(
    id="significance",
    where="VI.C, commented out",
    item="ranks",
    sentence="AUTO-ADJ is significantly better than all others at small sizes (Friedman, Holm)",
    test="the same tests on our runs, each method at the rate whose model size is closest",
)
def significance(runs: pd.DataFrame, folder: Path) -> Outcome:
    methods = [m for m in (*OWN, *COMPETITORS) if ran(runs, m)]
    streams = covered(runs, methods, LEVELS)
    if len(streams) < 2 or len(methods) < 3 or "auto-adj" not in methods:
        raise Missing
    compared = ranks.compare(runs, streams, methods)
    sizes, first, all_others = ranks.at_small_sizes(compared)
    told = f"{ranks.verdict(compared)} On {len(streams)} of the 11 sets"
    return told, PARTLY if first and all_others < sizes else by_share(all_others, sizes)


# Section VII: bounded models ----------------------------------------------------------------------


def _fix_at(runs: pd.DataFrame, level: float) -> Outcome:
    """FIX with a budget against NN3 and AUTO-ADJ with a rate of as much."""
    others = ("nn3", "auto-adj")
    streams = covered(runs, (FIX, *others), (level,))
    lost, sizes = [], []
    for stream in streams:
        ours = on_stream(runs, stream, FIX, level)
        theirs = {m: on_stream(runs, stream, m, level) for m in others}
        sizes.append(theirs["auto-adj"].share.value / ours.share.value)
        lost += [
            f"{m.upper()} on {label(stream)}"
            for m, point in theirs.items()
            if better(ours.accuracy, point.accuracy) != 1
        ]
    cases = len(streams) * len(others)
    told = f"better in {cases - len(lost)} of {cases} comparisons on {len(streams)} streams"
    told += f"; not better than {', '.join(lost)}" if lost else ""
    told += f" (FIX learns all labels; AUTO-ADJ has {median(sizes):.0%} of its balls, in median)"
    return told, by_share(cases - len(lost), cases)


@claim(
    id="fix-10",
    where="VII, Table II",
    item="table2",
    sentence="FIX generally outperforms the others at the same model size (10 %)",
    test="as the table has it: FIX with a budget of 10 % against NN3 and AUTO-ADJ at rate 10 %",
)
def fix_10(runs: pd.DataFrame, folder: Path) -> Outcome:
    return _fix_at(runs, 0.1)


@claim(
    id="fix-1",
    where="VII, Table III",
    item="table3",
    sentence="the same where the budget is very small (1 %)",
    test="as the table has it: FIX with a budget of 1 % against NN3 and AUTO-ADJ at rate 1 %",
)
def fix_1(runs: pd.DataFrame, folder: Path) -> Outcome:
    return _fix_at(runs, 0.01)


@claim(
    id="fix-drift",
    where="VII",
    item="table3",
    sentence="this is very evident on the sets with drift",
    test="the gain of FIX over AUTO-ADJ at 1 %, larger on each set with drift than on any without",
)
def fix_drift(runs: pd.DataFrame, folder: Path) -> Outcome:
    gains = {}
    for stream in covered(runs, (FIX, "auto-adj"), (0.01,)):
        ours, theirs = (on_stream(runs, stream, m, 0.01).accuracy for m in (FIX, "auto-adj"))
        gains[stream] = ours.value - theirs.value
    drifting = [gain for stream, gain in gains.items() if set_of(stream) in DRIFTING]
    others = [gain for stream, gain in gains.items() if set_of(stream) not in DRIFTING]
    if not drifting or not others:
        raise Missing
    told = f"mean gain {fmean(drifting):+.3f} with drift, {fmean(others):+.3f} without ("
    told += ", ".join(f"{label(stream)} {gain:+.3f}" for stream, gain in gains.items()) + ")"
    if min(drifting) > max(others):
        return told, REPRODUCED
    return told, PARTLY if fmean(drifting) > fmean(others) else NOT
