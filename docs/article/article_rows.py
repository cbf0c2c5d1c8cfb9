"""The rows of Tables II and III: whose they are, how near they come, and what was tried."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd
from article_guards import Frames, Told, only_if, word

from paper import identity, published


def cells(frame: Frames) -> tuple[Told, list[list[str]]]:
    """Tables II and III, the names reversed, beside ours: what is said of them, and the table."""
    both = pd.concat([frame["table2"].assign(table="II"), frame["table3"].assign(table="III")])
    cells = both.dropna(subset="paper_accuracy").set_index(["set", "table", "method"])
    ours = cells[["paper_accuracy", "paper_accuracy_spread", "paper_seeds"]]
    ours = ours.set_axis(["mean", "std", "count"], axis=1)
    edges, theirs = identity.intervals(ours), cells.published_accuracy
    inside, off = theirs.between(edges.low, edges.high), (theirs - ours["mean"]).abs()
    own = identity.rules(published.names())["reversed"]
    states = frame["identity"].set_index("reversed")
    six = [name for name in cells.index.unique(0) if states.state[name] != identity.OPEN]
    stars, table = np.where(inside, "", "*"), []
    shown = theirs.map("{:.3f} / ".format) + ours["mean"].map("{:.3f}".format) + stars
    for name in sorted(cells.index.unique(0), key=lambda each: (each not in six, each)):
        order = [shown[name, t, m] for t in published.TABLES for m in published.METHODS]
        title = f"{name} (generated)" if name == "hyperPlane" else name
        table.append([title, own[name], *order, f"{off[name].mean():.3f}"])

    counted = inside.groupby("set").sum()
    only_if((states.accuracies[six] == counted[six]).all(), "so many accuracies are inside")
    gaps = states.distance[six]
    nn3, fix = ("kddcup99", "II", "NN3"), ("connect-4", "II", "AUTO-ADJ FIX")
    starred = off[~inside & off.index.isin(six, level="set")]
    worst = starred.groupby(["set", "method"]).max().nlargest(2).index
    only_if(set(worst) == {nn3[::2], fix[::2]}, "the two largest differences beyond chance")
    above = (theirs - ours["mean"])["powersupply"]
    only_if(above.min() > 0 and np.ptp(above) < 0.005, "powersupply is off by nearly a constant")
    first = published.table1()
    only_if(first["electricity"].drift and not first["sensor"].drift, "sensor has no drift")
    only_if(first["electricity"].classes == 2, "electricity has two classes")
    odd = published.tables().query("data == 'electricity' and table == 'III'").set_index("method")
    sets = frame["table1"].set_index("set")
    absent = sets.index[sets.streams_run.isna()]
    only_if(set(absent) == {"sensor", "airlines", "acoustic"}, "these three are not at hand")
    others = {*absent, "hyperPlane", "powersupply"}
    only_if(set(states.index[states.state == identity.OPEN]) == others, "these rows stay open")
    for what in ("classes", "examples", "dimension"):
        other = sets.index[sets[what] != sets[f"found_{what}"]]
        only_if(set(other) <= {"kddcup99"} and (what == "dimension" or other.empty), f"same {what}")
    told = {
        "sets": word(len(sets)),
        "run": word(len(sets) - len(absent)),
        "absent": word(len(absent)),
        "files": word((sets.streams_run == sets.index).sum()),
        "good": word(len(six)),
        "cells": word(len(cells.loc[six[0]])),
        "nearest_set": str(gaps.idxmin()),
        "nearest": f"{gaps.min():.4f}",
        "farthest_set": str(gaps.idxmax()),
        "farthest": f"{gaps.max():.3f}",
        "inside": f"{counted[six].sum()} of {len(inside.loc[six])}",
        "sizes_inside": f"{states.sizes[six].sum():.0f} of {4 * len(six)}",
        "confidence": f"{100 * identity.CONFIDENCE:.0f}",
        "seeds": word(cells.paper_seeds.min()),
        "odd_nn3": f"{odd.accuracy['NN3']:.3f}",
        "odd_auto_adj": f"{odd.accuracy['AUTO-ADJ']:.3f}",
        "kdd_columns": str(sets.found_dimension["kddcup99"]),
        "kdd_attributes": str(sets.dimension["kddcup99"]),
        "sensor_classes": str(sets.classes["sensor"]),
    }
    for key, cell in (("kdd", nn3), ("connect", fix)):
        told |= {key: f"{ours['mean'][cell]:.3f}", f"{key}_printed": f"{theirs[cell]:.3f}"}
    return told, table


def tries(frame: Frames) -> Told:
    """What was tried on the two sets of which some cells do not come back."""
    tried = frame["open_tries"].set_index(["set", "what"])
    both = pd.concat([frame["table2"].assign(at="10%"), frame["table3"].assign(at="1%")])
    printed = both.set_index(
        ["set", both.method.str.lower().str.replace(" ", "-") + " " + both["at"]]
    )
    off = tried.filter(regex="^(nn3|auto-adj-fix) ").sub(
        printed.published_accuracy.unstack(), level="set"
    )
    nn3, fix = ["nn3 10%", "nn3 1%"], ["auto-adj-fix 10%", "auto-adj-fix 1%"]
    kdd = off.loc["kddcup99"][nn3].dropna().drop(index="nothing").abs().max(axis=1)
    before, other, turned = (
        off.loc["connect-4"].abs().loc[what]
        for what in ("nothing", "open balls, five seeds", "order reversed")
    )
    only_if((other[fix] < before[fix]).all(), "open balls bring FIX nearer")
    only_if((turned[fix] < before[fix]).all(), "and so does the reverse order of the file")
    only_if((turned[nn3] > before[nn3]).all(), "from which NN3 goes away")
    said = tried.loc["connect-4"][[*nn3, *fix]].map("{:.3f}".format)
    return {
        "kdd_tries": str(len(kdd)),
        "kdd_best": f"{math.floor(1000 * kdd.min()) / 1000:.3f}",
        "connect_open": " and ".join(said.loc["open balls, five seeds", fix]),
        "connect_turned": " and ".join(said.loc["order reversed", fix]),
        "nn3_turned": " and ".join(said.loc["order reversed", nn3]),
        "nn3_printed": " and ".join(
            f"{printed.published_accuracy['connect-4', cell]:.3f}" for cell in nn3
        ),
        "fix_printed": " and ".join(
            f"{printed.published_accuracy['connect-4', cell]:.3f}" for cell in fix
        ),
    }


@cache
def digits() -> Told:
    """Whose rows they are, by what is printed: the arithmetic of full budgets, and guessing."""
    names, tell = published.names(), 0
    told: Told = {}
    keys = {("rounded", "five digits, then cut"): "digits", ("rounded", "cut"): "cut"}
    for rule in [(counted, shown) for counted in identity.COUNTED for shown in identity.SHOWN]:
        points = identity.size_points(*rule)
        counts = identity.totals(points)
        printed, backwards = int(points.trace()), int(points[:, ::-1].trace())
        if counts.astype(bool).sum() > 1:  # else every naming is as good as any other
            tell += 1
            only_if(backwards > printed, f"more full cells agree reversed: {rule}")
        if key := keys.get(rule):
            told |= {f"{key}_printed": str(printed), f"{key}_reversed": str(backwards)}
            told[f"{key}_share"] = f"{100 * counts[backwards:].sum() / counts.sum():.2g} %"
    full = str(len(identity.full_cells()))
    only_if(told["digits_reversed"] == full, "reversed, every full cell agrees")
    least = published.tables().groupby("data").accuracy.min()[names].to_numpy()
    chance = np.array([1 / published.table1()[name].classes for name in names])
    only_if((least[::-1] >= chance).all(), "reversed, no row is below chance")
    counts = identity.totals((least[:, None] >= chance).astype(int))
    none_below = counts[len(names) :].sum() / counts.sum()
    return told | {
        "full": full,
        "roundings": word(len(identity.COUNTED) * len(identity.SHOWN)),
        "tell": word(tell),
        "below": word((least < chance).sum()),
        "none_below": f"{100 * none_below:.0f} %",
    }


def namings(frame: Frames) -> Told:
    """Whose rows they are, by our runs: all namings judged, and what norm 1 does."""
    judged = frame["identity_protocols"].set_index(["what", "without", "protocol"])
    seven, six = judged.loc["accuracy", "nothing"], judged.loc["accuracy", "powersupply"]
    only_if(judged.loc["size", "nothing", "paper"].as_good_as_reversed == 1, "first by sizes")
    only_if(six.loc["paper"].as_good_as_reversed == 1, "first by accuracies but powersupply's")
    only_if(seven.reversed.max() < seven.printed.min(), "reversed is nearer, whatever protocol")
    gaps = frame["protocols_gaps"].set_index("names").filter(like="without powersupply")
    by_paper, raw = gaps.loc["reversed"]
    as_printed = gaps["paper, without powersupply"]["as printed"]
    only_if(by_paper < raw < as_printed, "the names do most, then norm 1")
    told: Told = {}
    for order in identity.ORDERS:
        cost = six.filter(like=f", {order}", axis=0).reversed.sort_values()
        only_if(cost.index[0] == f"unit, {order}", "norm 1 is the nearest of the scalings")
        told |= {
            order.split()[0]: f"{cost.iloc[0]:.3f}",
            f"{order.split()[0]}_next": f"{cost.iloc[1]:.3f}",
        }
    return told | {
        "protocols": word(len(seven)),
        "scalings": word(len({p.partition(",")[0] for p in seven.index} - {"paper"})),
        "worst_rank": str(seven.as_good_as_reversed.max()),
        "rank": str(seven.as_good_as_reversed["paper"]),
        "near": f"{seven.reversed.min():.3f} to {seven.reversed.max():.3f}",
        "far": f"{seven.printed.min():.3f} to {seven.printed.max():.3f}",
        "six_raw": f"{raw:.3f}",
        "six_printed": f"{as_printed:.3f}",
        **{state: word(n) for state, n in frame["identity"].state.value_counts().items()},
    }
