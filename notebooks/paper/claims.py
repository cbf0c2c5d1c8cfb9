"""Every claim that the paper makes in words, how it is tested here, and what came out.

A function per claim: those of Sections VI and VII are below, those before them in `claims_intro`.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abacoc.files import write_atomically
from paper import published, ranks
from paper import runs as table
from paper.claims_intro import dominating, parameterless
from paper.iblstreams import DEFAULTS, compare_with_rules
from paper.runs import COMPETITORS, FIX, LEVELS, OWN
from paper.verdicts import CLAIMS, COLUMNS, Case, claim, read
from paper.worlds import Missing, OurRuns, Printed, World

FIGURE3: dict[str, Any] = {"item": "fig3", "where": "VI.C, Figure 3"}
LARGEST = 0.02  # of accuracy: what 'does not significantly affect' may at most mean


def write_claims(folder: Path) -> Path:
    """Check all claims on the paper's numbers, and on the runs of the folder by both protocols."""
    runs = table.read_if_there(folder / "reproduced")
    worlds: list[World] = [Printed(), *(OurRuns(name, runs) for name in COLUMNS[1:])]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "claims.csv"
    with write_atomically(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        told = [name for column in COLUMNS for name in (column, f"{column}_effect")]
        writer.writerow(["id", "item", "where", "sentence", "test", *told])
        for one in CLAIMS:
            found = one.judge(worlds, folder)
            cells = [cell for column in COLUMNS for cell in found[column]]
            writer.writerow([one.id, one.item, one.where, one.sentence, one.test, *cells])
    return path


def above(world: World, a: str, b: str, levels: Sequence[float] = LEVELS) -> Iterator[Case]:
    """Whether a is more accurate than b in the mean over the sets, at each of these levels."""
    accuracy = world.points((a, b), levels).accuracy
    for level in levels:
        yield Case(f"{level:.0%}", accuracy.loc[a, level] - accuracy.loc[b, level])


# Section VI: the four methods among themselves ----------------------------------------------------


@claim(
    id="banana",
    where="VI.B, Figure 1",
    item="fig1",
    sentence="the variants that move centres have fewer balls",
    test="banana, 2,000 points: share of the balls that moving the centres saves",
    once=True,
)
def banana(folder: Path) -> Iterator[Case]:
    balls = read(folder, "figure1.csv").set_index("method").n_balls
    for method in ("BASE", "AUTO"):
        if {method, f"{method}-ADJ"} <= set(balls.index):
            saved = 1 - balls[f"{method}-ADJ"] / balls[method]
            yield Case(f"{method}-ADJ", [saved], "of the balls saved")


@claim(
    id="adjustment",
    where="VI.B, Figure 2",
    item="fig2",
    sentence="moving the centres gives smaller models and better performance",
    test="the four methods at rate 1: relative accuracy and model size, each pair",
)
def adjustment(world: World) -> Iterator[Case]:
    points = world.points(OWN, (1.0,))
    for plain, moving in (("base", "base-adj"), ("auto", "auto-adj")):
        accuracy, share = ((frame.loc[moving] - frame.loc[plain]).loc[1.0] for frame in points)
        yield Case(f"accuracy of {moving.upper()}", accuracy)
        yield Case(f"size of {moving.upper()}", -share, "of the stream saved")


@claim(
    id="smallest-and-best",
    where="VI.B, Figure 2",
    item="fig2",
    sentence="AUTO-ADJ has at once the smallest model and the best performance of the four",
    test="means over the sets at rate 1, against each of the three others",
)
def smallest_and_best(world: World) -> Iterator[Case]:
    accuracy, share = (frame.xs(1.0, level="level") for frame in world.points(OWN, (1.0,)))
    for method in OWN[:3]:
        name = method.upper()
        yield Case(f"accuracy against {name}", accuracy.loc["auto-adj"] - accuracy.loc[method])
        smaller = share.loc[method] - share.loc["auto-adj"]
        yield Case(f"size against {name}", smaller, "of the stream saved")


@claim(
    id="d-hat",
    where="VI.A",
    item="ablation",
    sentence="d-hat does not affect the performance significantly",
    test="AUTO-ADJ with d-hat from 0 to 10 at rate 1: 0.02 less the span of the accuracies, by set",
)
def d_hat(world: World) -> Iterator[Case]:
    return parameterless(world)


@claim(
    id="coin",
    where="V.B",
    item="claims",
    sentence="the coin and Laplace's correction do not affect the results significantly",
    test="BASE on sets of two classes, rate 1: 0.02 less the distance of majority vote and coin",
)
def coin(world: World) -> Iterator[Case]:
    if isinstance(world, Printed):
        raise Missing
    runs = world.runs[(world.runs.method == "base") & (world.runs.rate == 1)]
    thrown = world.varied[world.varied.settings == '{"vote":"randomized"}']
    for stream, own in thrown.groupby("stream"):
        vote = runs[runs.stream == stream].accuracy.mean()
        yield Case(table.label(str(stream)), LARGEST - (vote - own.accuracy).abs(), "to spare")


# Section VI: against the competitors --------------------------------------------------------------


@claim(
    id="rate-is-a-bound",
    where="VI.C, footnote",
    item="fig3",
    sentence="the rate is an upper bound on the model size",
    test="the nine methods at four rates: examples drawn (on paper: the rate) less model size",
)
def rate_is_a_bound(world: World) -> Iterator[Case]:
    if isinstance(world, Printed):
        share = world.points((*OWN, *COMPETITORS)).share.iloc[:, 0]
        spare = (share.index.get_level_values("level") - share).groupby("method").min()
    else:
        rows = world.runs[(world.runs.rate < 1) & world.runs.method.isin((*OWN, *COMPETITORS))]
        # how many examples a run is given is chance, and may be more than the rate says
        spare = ((rows.n_updates - rows.model_size) / rows.n_examples).groupby(rows.method).min()
    for method, least in spare.items():
        # a model of all examples is at the bound, and so within it
        yield Case(str(method).upper(), [least or 1e-9], "of the stream at least to spare")


@claim(
    id="nn3",
    **FIGURE3,
    sentence="NN3 is slightly better with large models and suffers with small ones",
    test="NN3 above AUTO-ADJ at rate 10 %; below at rate 1 %, and below at 1 % of the stream kept",
)
def nn3(world: World) -> Iterator[Case]:
    (large,) = above(world, "nn3", "auto-adj", (0.1,))
    (small,) = above(world, "auto-adj", "nn3", (0.01,))
    yield large._replace(name="rate 10 %")
    yield small._replace(name="rate 1 %")
    points = world.points(("nn3", "auto-adj"))
    (lead,) = dominating(points, "auto-adj", [("nn3", 0.01)])
    yield lead._replace(name="size 1 %")


@claim(
    id="cnn-kperc",
    **FIGURE3,
    sentence="CNN works better than K-PERC",
    test="relative accuracy at four rates",
)
def cnn_kperc(world: World) -> Iterator[Case]:
    return above(world, "cnn", "k-perc")


@claim(
    id="cnn-vfdt",
    **FIGURE3,
    sentence="CNN works better than decision trees",
    test="relative accuracy at four rates",
)
def cnn_vfdt(world: World) -> Iterator[Case]:
    return above(world, "cnn", "vfdt")


@claim(
    id="trees-small",
    **FIGURE3,
    sentence="VFDT and RULES use very little memory",
    test="their sizes at four rates against the smallest of the others",
)
def trees_small(world: World) -> Iterator[Case]:
    share = world.points((*OWN, *COMPETITORS)).share
    others = share.drop(index=["vfdt", "rules"], level="method").groupby("level").min()
    for method, level in itertools.product(("vfdt", "rules"), LEVELS):
        gap = others.loc[level] - share.loc[method, level]
        yield Case(f"{method.upper()} at {level:.0%}", gap, "of the stream saved")


@claim(
    id="trees",
    **FIGURE3,
    sentence="VFDT and RULES perform worse than the other methods",
    test="relative accuracy at four rates against the worst of the others",
)
def trees(world: World) -> Iterator[Case]:
    accuracy = world.points((*OWN, *COMPETITORS)).accuracy
    others = accuracy.drop(index=["vfdt", "rules"], level="method").groupby("level").min()
    for method, level in itertools.product(("vfdt", "rules"), LEVELS):
        gap = others.loc[level] - accuracy.loc[method, level]
        yield Case(f"{method.upper()} at {level:.0%}", gap)


@claim(
    id="base-adj",
    **FIGURE3,
    sentence="BASE-ADJ improves on BASE",
    test="relative accuracy at four rates",
)
def base_adj(world: World) -> Iterator[Case]:
    return above(world, "base-adj", "base")


@claim(
    id="auto-base",
    **FIGURE3,
    sentence="AUTO performs better than BASE",
    test="relative accuracy at four rates",
)
def auto_base(world: World) -> Iterator[Case]:
    return above(world, "auto", "base")


@claim(
    id="dominates",
    **FIGURE3,
    sentence="AUTO-ADJ's curve dominates the other ones",
    test="its lead at the size of each point of another curve; beyond its sizes, of its last point",
)
def dominates(world: World) -> Iterator[Case]:
    methods = world.ran((*OWN, *COMPETITORS))
    others = [pair for pair in itertools.product(methods, LEVELS) if pair[0] != "auto-adj"]
    return dominating(world.points(methods), "auto-adj", others)


@claim(
    id="ninety-percent",
    where="VI.C",
    item="fig3",
    sentence="90 % of the best full-sampling method with 1.5 % of the data",
    test="AUTO-ADJ at rate 10 %: accuracy over 90 % of the best, and 1.5 % of the stream over size",
)
def ninety_percent(world: World) -> Iterator[Case]:
    accuracy, share = (frame.loc["auto-adj", 0.1] for frame in world.points(("auto-adj",)))
    yield Case("accuracy", accuracy - 0.9)
    yield Case("size", 0.015 - share, "of the stream saved")


@claim(
    id="iblstreams",
    where="VI.A",
    item="iblstreams",
    sentence="IBLStreams never performs better than RULES on these sets",
    test="RULES less IBLStreams on each set at rate 1, in both readings of IBLStreams",
)
def iblstreams(world: World) -> Iterator[Case]:
    if isinstance(world, Printed):
        raise Missing
    compared = compare_with_rules(world.varied)
    usual = compared[(compared.rate == 1) & (compared.start == DEFAULTS["start"])]
    for row in usual.itertuples():
        yield Case(f"{table.label(row.stream)}, reading {row.reading}", [-row.difference])


@claim(
    id="significance",
    where="VI.C, commented out",
    item="ranks",
    sentence="at sizes from 1 % to 7 % AUTO-ADJ is significantly better than all others",
    test="Friedman and Holm at the level 0.05, each method at the rate whose size is closest",
)
def significance(world: World) -> Iterator[Case]:
    if isinstance(world, Printed):
        told = [row for row in published.rows("commented_statistics") if row["value"]]
        for row in told[:1]:  # of the sizes from 1 % to 7 %
            yield Case("its p-value", [ranks.LEVEL - float(row["value"])], "of p below the level")
        return
    methods = world.ran((*OWN, *COMPETITORS))
    streams = world.streams(methods, LEVELS)
    compared = ranks.compare(world.runs, streams, methods)
    at_size = compared[(compared.compared_at == "model size") & compared.value.between(0.01, 0.07)]
    for value, part in at_size.groupby("value"):
        own = part[part.method == ranks.CONTROL].average_rank.iloc[0]
        others = part[part.method != ranks.CONTROL]
        # a rank that is worse can have a small p-value as well
        p = others.holm_p.where(others.average_rank > own, 1.0).max()
        yield Case(f"size {value:.0%}", [ranks.LEVEL - p], "of p below the level")


@claim(
    id="best-rank",
    where="VI.C, commented out",
    item="ranks",
    sentence="at sizes from 1 % to 25 % AUTO-ADJ is the best algorithm",
    test="its lead over the best of the others, each method at the rate whose mean size is closest",
)
def best_rank(world: World) -> Iterator[Case]:
    points = world.points(world.ran((*OWN, *COMPETITORS)))
    size = points.share.mean(axis=1)
    for target in (0.01, 0.02, 0.05, 0.1, 0.25):
        closest = (size - target).abs().groupby("method").idxmin()
        accuracy = points.accuracy.loc[closest].droplevel("level")
        lead = accuracy.loc["auto-adj"] - accuracy.drop(index="auto-adj").max()
        yield Case(f"size {target:.0%}", lead)


@claim(
    id="good-choices",
    where="VI.C, commented out",
    item="fig3",
    sentence="AUTO is good at medium to high budgets, AUTO-ADJ the best at small ones",
    test="of our four methods: AUTO first at 5 and 10 %, AUTO-ADJ first at 1 and 3 %",
)
def good_choices(world: World) -> Iterator[Case]:
    accuracy = world.points(OWN).accuracy.swaplevel()
    for level, method in zip(LEVELS, ("auto-adj", "auto-adj", "auto", "auto"), strict=True):
        own = accuracy.loc[level]
        lead = own.loc[method] - own.drop(index=method).max()
        yield Case(f"{method.upper()} at {level:.0%}", lead)


# Section VII: bounded models ----------------------------------------------------------------------


def _fix_at(world: World, level: float) -> Iterator[Case]:
    """FIX with a budget against NN3 and AUTO-ADJ with a rate of as much, set by set."""
    cells = world.table((FIX, "nn3", "auto-adj"), (level,))
    for name, own in cells.groupby("set", sort=False):
        accuracy = own.pivot(index="seed", columns="method", values="accuracy")
        for method in ("nn3", "auto-adj"):
            gap = accuracy[FIX] - accuracy[method]
            yield Case(f"{method.upper()} on {name}", gap, off=world.off)


@claim(
    id="fix-10",
    where="VII, Table II",
    item="table2",
    sentence="FIX generally outperforms the others at the same model size (10 %)",
    test="as the table has it, per set: a budget of 10 % against NN3 and AUTO-ADJ at rate 10 %",
)
def fix_10(world: World) -> Iterator[Case]:
    return _fix_at(world, 0.1)


@claim(
    id="fix-1",
    where="VII, Table III",
    item="table3",
    sentence="the same where the budget is very small (1 %)",
    test="as the table has it, per set: a budget of 1 % against NN3 and AUTO-ADJ at rate 1 %",
)
def fix_1(world: World) -> Iterator[Case]:
    return _fix_at(world, 0.01)


@claim(
    id="fix-drift",
    where="VII",
    item="table3",
    sentence="this is very evident on the sets with drift",
    test="mean gain of FIX over AUTO-ADJ, sets with drift less the rest; printed, by both namings",
)
def fix_drift(world: World) -> Iterator[Case]:
    worlds = {"": world}
    if isinstance(world, Printed):
        worlds = {", names as printed": world, ", names reversed": Printed(reverse=True)}
    drift = {name: row.drift for name, row in published.table1().items()}
    for (naming, one), level in itertools.product(worlds.items(), (0.1, 0.01)):
        cells = one.table((FIX, "auto-adj"), (level,))
        wide = cells.pivot(index=["set", "seed"], columns="method", values="accuracy")
        gain = (wide[FIX] - wide["auto-adj"]).unstack("seed").ffill(axis=1)
        has = gain.index.map(drift).astype(bool)
        if has.all() or not has.any():
            raise Missing
        yield Case(f"{level:.0%}{naming}", gain[has].mean() - gain[~has].mean())


@claim(
    id="fix-clearly",
    where="VII, Figure 4",
    item="fig4",
    sentence="FIX clearly outperforms all the other methods",
    test="Figure 4: FIX at each budget against NN3 and AUTO-ADJ at the rate of that name",
)
def fix_clearly(world: World) -> Iterator[Case]:
    points = world.points((FIX, "nn3", "auto-adj")).accuracy
    for level, method in itertools.product(LEVELS, ("nn3", "auto-adj")):
        gap = points.loc[FIX, level] - points.loc[method, level]
        yield Case(f"{method.upper()} at {level:.0%}", gap)
