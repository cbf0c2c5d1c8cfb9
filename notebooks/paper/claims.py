"""Every claim that the paper makes in words, how it is tested here, and what came out.

A verdict is *reproduced*, *partly*, *not*, or *cannot be tested here*. It is computed from the
results at hand each time; a stream that is not covered is named. `RULES` says how.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from abacoc.files import write_atomically
from paper.items.chosen import label, only, paper_streams, with_runs
from paper.normalised import (
    COMPETITORS,
    LEVELS,
    OWN,
    Point,
    covered,
    point,
    runs,
)
from paper.results import Mean, Results, mean

REPRODUCED, PARTLY, NOT, UNTESTED = "reproduced", "partly", "not", "cannot be tested here"
DRIFTING = ("powersupply", "hyperPlane", "sea", "covtype", "airlines", "electricity")  # Table I
RULES = """\
*Reproduced* means in all cases, *partly* in some, *not* in none. Where a result has a spread over
seeds, *better* means by more than two standard errors; with all labels nothing is left to chance.
Averages over the sets, which is what the figures show, are compared as they are."""
HARDLY = 0.02  # of accuracy: what "hardly matters" may at most mean
Outcome = tuple[str, str]  # result in words and numbers, verdict


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in short, where it stands, and the test of it."""

    id: str
    item: str  # what `abacoc reproduce --only` makes for it; or verify, bench, claims
    where: str
    sentence: str
    test: str
    check: Callable[[Results, Path], Outcome]


def better(a: Mean, b: Mean) -> int:
    """1 if a is above b, -1 if below, 0 if they are even."""
    error = math.hypot(a.spread / math.sqrt(max(a.n, 1)), b.spread / math.sqrt(max(b.n, 1)))
    gap = a.value - b.value
    return 0 if abs(gap) <= 2 * error else (1 if gap > 0 else -1)


def by_share(part: int, whole: int) -> str:
    """The verdict where something holds in some of the cases."""
    return REPRODUCED if part == whole else NOT if part == 0 else PARTLY


def accuracy_of(results: Results, stream: str, method: str, level: float) -> Mean:
    """Accuracy of a method at a rate, or of FIX at a budget."""
    return mean(row.accuracy for row in runs(results, stream, method, level))


def share_of(results: Results, stream: str, method: str, level: float) -> Mean:
    """The same for the model size, as a fraction of the stream."""
    return mean(row.model_share for row in runs(results, stream, method, level))


def _points(results: Results, methods: Sequence[str]) -> tuple[dict[str, list[Point]], str]:
    """The curves of Figure 3 over the streams that have them all, and which streams do not."""
    streams = covered(results, methods, LEVELS)
    curves = {m: [point(results, m, level, streams) for level in LEVELS] for m in methods}
    without = [label(stream) for stream in results.streams if stream not in streams]
    where = f"; without {', '.join(without)}" if without else ""
    return (curves if streams else {}), where


NO_RESULTS: Outcome = ("the runs are not at hand", UNTESTED)


# The four methods among themselves (Figures 1 and 2) ----------------------------------------------


def moving_centres_help(results: Results, folder: Path) -> Outcome:
    """ADJ against the method without it, at rate 1."""
    streams = covered(results, OWN, (1.0,))
    if not streams:
        return NO_RESULTS
    told, wins = [], 0
    for plain, moving in (("base", "base-adj"), ("auto", "auto-adj")):
        smaller = sum(
            share_of(results, s, moving, 1.0).value < share_of(results, s, plain, 1.0).value
            for s in streams
        )
        more = sum(
            accuracy_of(results, s, moving, 1.0).value > accuracy_of(results, s, plain, 1.0).value
            for s in streams
        )
        averages = [point(results, m, 1.0, streams) for m in (plain, moving)]
        wins += (averages[1].share.value < averages[0].share.value) + (
            averages[1].accuracy.value > averages[0].accuracy.value
        )
        told.append(
            f"{moving.upper()}: fewer balls on {smaller} and more accurate on {more} of "
            f"{len(streams)} streams; on average {averages[1].share.value:.4f} against "
            f"{averages[0].share.value:.4f} of the stream, relative accuracy "
            f"{averages[1].accuracy.value:.3f} against {averages[0].accuracy.value:.3f}"
        )
    return "; ".join(told), by_share(wins, 4)


def auto_adj_smallest_and_best(results: Results, folder: Path) -> Outcome:
    """AUTO-ADJ against the other three at rate 1."""
    streams = covered(results, OWN, (1.0,))
    if not streams:
        return NO_RESULTS
    averages = {m: point(results, m, 1.0, streams) for m in OWN}
    smallest = min(OWN, key=lambda m: averages[m].share.value) == "auto-adj"
    best = max(OWN, key=lambda m: averages[m].accuracy.value) == "auto-adj"
    told = ", ".join(
        f"{m.upper()} {p.share.value:.4f} / {p.accuracy.value:.3f}" for m, p in averages.items()
    )
    return f"share / relative accuracy: {told}", by_share(smallest + best, 2)


def fewer_balls_on_banana(results: Results, folder: Path) -> Outcome:
    """Figure 1's covers."""
    path = folder / "reproduced" / "figure1.csv"
    if not path.exists():
        return NO_RESULTS
    with path.open(newline="") as file:
        balls = {row["method"].lower(): int(row["n_balls"]) for row in csv.DictReader(file)}
    fewer = (balls["base-adj"] < balls["base"]) + (balls["auto-adj"] < balls["auto"])
    return ", ".join(f"{m.upper()} {n}" for m, n in balls.items()), by_share(fewer, 2)


# Against the competitors (Figure 3) ---------------------------------------------------------------


def _compare(a: str, b: str) -> Callable[[Results, Path], Outcome]:
    def check(results: Results, folder: Path) -> Outcome:
        curves, where = _points(results, (a, b))
        if not curves:
            return NO_RESULTS
        signs = [better(p.accuracy, q.accuracy) for p, q in zip(curves[a], curves[b], strict=True)]
        told = ", ".join(
            f"{level:.0%}: {p.accuracy} against {q.accuracy}"
            for level, p, q in zip(LEVELS, curves[a], curves[b], strict=True)
        )
        return f"{told}{where}", by_share(signs.count(1), len(signs))

    return check


def nn3_at_both_ends(results: Results, folder: Path) -> Outcome:
    """NN3 stores everything; it leads at 10 % and trails at 1 %."""
    curves, where = _points(results, ("nn3", "auto-adj"))
    if not curves:
        return NO_RESULTS
    nn3, ours = curves["nn3"], curves["auto-adj"]
    at_large = better(nn3[-1].accuracy, ours[-1].accuracy) == 1
    at_small = better(nn3[0].accuracy, ours[0].accuracy) == -1
    told = f"10 %: {nn3[-1].accuracy} against AUTO-ADJ's {ours[-1].accuracy}"
    told += f"; 1 %: {nn3[0].accuracy} against {ours[0].accuracy}{where}"
    return told, by_share(at_large + at_small, 2)


def trees_are_small_and_worse(results: Results, folder: Path) -> Outcome:
    """VFDT and RULES against AUTO-ADJ: smaller models, lower accuracy."""
    curves, where = _points(results, ("vfdt", "rules", "auto-adj"))
    if not curves:
        return NO_RESULTS
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


def at_the_same_size(curve: Sequence[Point], share: float) -> float | None:
    """Accuracy of a curve at a model size, along the line between its points; None outside."""
    points = sorted((p.share.value, p.accuracy.value) for p in curve)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 <= share <= x1:
            return y0 if x0 == x1 else y0 + (y1 - y0) * (share - x0) / (x1 - x0)
    return None


def dominates(results: Results, folder: Path) -> Outcome:
    """Where another curve has a point, AUTO-ADJ's curve lies above it."""
    methods = [m for m in (*OWN, *COMPETITORS) if _points(results, (m, "auto-adj"))[0]]
    curves, where = _points(results, methods)
    if len(curves) < 2:
        return NO_RESULTS
    above = below = outside = 0
    lost: dict[str, int] = {}
    for method, curve in curves.items():
        if method == "auto-adj":
            continue
        for p in curve:
            ours = at_the_same_size(curves["auto-adj"], p.share.value)
            if ours is None:
                # beyond our largest model its accuracy can be compared all the same, and a model
                # smaller than all of ours that is more accurate than our smallest is above us
                smallest, *_, largest = curves["auto-adj"]
                if p.share.value > largest.share.value:
                    ours = largest.accuracy.value
                elif p.accuracy.value > smallest.accuracy.value:
                    ours = smallest.accuracy.value
            if ours is None:
                outside += 1
            elif ours >= p.accuracy.value:
                above += 1
            else:
                below += 1
                lost[method] = lost.get(method, 0) + 1
    told = (
        f"above {above} of {above + below} comparable points, {outside} at sizes it does not have"
    )
    if lost:
        told += "; below " + ", ".join(f"{n} of {m.upper()}" for m, n in lost.items())
    return f"{told}{where}", by_share(above, above + below)


def ninety_percent_with_little(results: Results, folder: Path) -> Outcome:
    """The smallest share at which AUTO-ADJ has 90 % of the best."""
    curves, where = _points(results, ("auto-adj",))
    if not curves:
        return NO_RESULTS
    ten = curves["auto-adj"][-1]
    told = f"at rate 10 %: {ten.accuracy} of the best with {ten.share} of the stream{where}"
    return told, by_share((ten.accuracy.value >= 0.9) + (ten.share.value <= 0.015), 2)


def smaller_than_competitors(results: Results, folder: Path) -> Outcome:
    """Model sizes at the same rate."""
    methods = ["auto-adj", *(m for m in COMPETITORS if _points(results, (m,))[0])]
    curves, where = _points(results, methods)
    if len(curves) < 2:
        return NO_RESULTS
    ours = curves["auto-adj"][-1].share.value
    others = {m: curves[m][-1].share.value for m in methods[1:]}
    told = f"at rate 10 %: AUTO-ADJ {ours:.4f}; " + ", ".join(
        f"{m.upper()} {share:.4f}" for m, share in others.items()
    )
    return f"{told}{where}", by_share(sum(ours < v for v in others.values()), len(others))


def rate_bounds_the_size(results: Results, folder: Path) -> Outcome:
    """No model is larger than the examples it was given; how many those are is chance."""
    rows = [row for row in results.rows if row.rate < 1]
    if not rows:
        return NO_RESULTS
    within = sum(row.model_size <= row.n_updates for row in rows)
    above = [row for row in rows if row.model_share > row.rate]
    told = f"{within} of {len(rows)} runs have no more balls than examples to learn"
    if above:
        excess = max(row.model_share / row.rate for row in above) - 1
        told += f"; {len(above)} have a larger share than the rate, by {excess:.1%} at most, "
        told += "since more examples were drawn than expected"
    return told, by_share(within, len(rows))


# Parameters, guarantees, the rest -----------------------------------------------------------------


def d_hat_hardly_matters(results: Results, folder: Path) -> Outcome:
    """The range of AUTO-ADJ's accuracy and size over d-hat at rate 1."""
    told, small = [], 0
    spans = 0
    for stream in results.streams:
        rows = [
            r
            for r in results.select(stream=stream, method="auto-adj", rate=1.0, scale="none")
            if set(r.settings) <= {"d_hat"}
        ]
        if len({r.settings.get("d_hat", 2.0) for r in rows}) < 3:
            continue
        spans += 1
        accuracies = [r.accuracy for r in rows]
        sizes = [r.model_size for r in rows]
        span = max(accuracies) - min(accuracies)
        small += span <= HARDLY
        told.append(
            f"{label(stream)}: accuracy by {span:.3f}, size by {max(sizes) / min(sizes):.1f} times"
        )
    return ("; ".join(told), by_share(small, spans)) if spans else NO_RESULTS


def guarantee(results: Results, folder: Path) -> Outcome:
    """The ledger of the proofs."""
    path = folder / "reproduced" / "ledger.csv"
    if not path.exists():
        return NO_RESULTS
    with path.open(newline="") as file:
        verdicts = [row["verdict"] for row in csv.DictReader(file)]
    told = f"{len(verdicts)} steps: " + ", ".join(
        f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts)
    )
    return f"{told}; a corrected and sharper theorem holds for every d >= 0", PARTLY


def logarithmic(results: Results, folder: Path) -> Outcome:
    """Distances evaluated per example as the balls grow tenfold."""
    path = folder / "reproduced" / "bench_growth.csv"
    if not path.exists():
        return NO_RESULTS
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["search"] == "tree"]
    growth = {row["stream"]: float(row["per_tenfold"]) for row in rows}
    told = ", ".join(f"{label(stream)}: {factor:.2f} times" for stream, factor in growth.items())
    # From ten thousand balls to a hundred thousand a logarithm grows 5/4 times, a fourth root 1.78
    # times; halfway between them the two cannot be told apart.
    low = sum(factor < 1.5 for factor in growth.values())
    return f"{told} for ten times the balls", by_share(low, len(growth))


def significantly_better(results: Results, folder: Path) -> Outcome:
    """Friedman's test and Holm's procedure on our runs of Figure 3."""
    from paper.ranks import at_small_sizes, compare, verdict

    methods = with_runs(results, (*OWN, *COMPETITORS), LEVELS)
    streams = paper_streams(results, methods, LEVELS) if methods else []
    if len(streams) < 2 or len(methods) < 3 or "auto-adj" not in methods:
        return NO_RESULTS
    few = only(results, streams)
    frame = pd.DataFrame(
        [
            (stream, method, level, True, row.accuracy, row.model_share)
            for stream, method, level in itertools.product(streams, methods, LEVELS)
            for row in runs(few, stream, method, level)
        ],
        columns=["stream", "method", "level", "standard", "accuracy", "model_share"],
    )
    compared = compare(frame, streams, methods)
    sizes, first, all_others = at_small_sizes(compared)
    told = f"{verdict(compared)} On {len(streams)} of the 11 sets"
    return told, REPRODUCED if all_others == sizes else PARTLY if first else NOT


LATE = 500  # examples before the new class comes


def new_classes_are_taken_up(results: Results, folder: Path) -> Outcome:
    """A third class begins in the middle of a stream, in a place of its own, and is learned."""
    from abacoc import Auto, AutoAdj, prequential

    rng = np.random.default_rng(0)
    y = np.concatenate([rng.integers(0, 2, LATE), rng.integers(0, 3, LATE)])
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    X = corners[y] + rng.normal(0, 0.5, (len(y), 2))
    told, learned = [], 0
    for method in (Auto, AutoAdj):
        guesses = prequential(method(), X, y.tolist()).predictions or []
        new = [guess == 2 for guess, label in zip(guesses, y, strict=True) if label == 2]
        # the corners are eight standard deviations apart: what is missed was missed while learning
        learned += not new[0] and sum(new[1:]) > 0.9 * len(new[1:])
        told.append(f"{method.__name__} {sum(new)} of {len(new)} examples of the new class")
    return f"right on {', '.join(told)}, the first of which nobody can know", by_share(learned, 2)


def _says(result: str, verdict: str) -> Callable[[Results, Path], Outcome]:
    return lambda results, folder: (result, verdict)


def check_claims(results: Results, folder: Path) -> list[dict[str, str]]:
    """A row per claim."""
    from paper.claim_list import CLAIMS

    rows = []
    for claim in CLAIMS:
        result, verdict = claim.check(results, folder)
        rows.append(
            {
                "id": claim.id,
                "item": claim.item,
                "where": claim.where,
                "sentence": claim.sentence,
                "test": claim.test,
                "result": result,
                "verdict": verdict,
            }
        )
    return rows


def write_claims(folder: Path) -> Path:
    """Check all claims on the runs of the folder, one stream for each set of Table I."""
    rows = check_claims(_of_the_paper(folder), folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "claims.csv"
    with write_atomically(path) as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def sets_used(folder: Path) -> list[str]:
    """The sets of Table I that the verdicts are about, for people."""
    return [label(stream) for stream in _of_the_paper(folder).streams]


def _of_the_paper(folder: Path) -> Results:
    from paper.items.item import Given

    results = Given.read(folder / "reproduced" / "results.csv", folder).results
    return only(results, paper_streams(results, (), ()))
