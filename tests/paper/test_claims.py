"""Claims on made-up runs: every verdict of every claim comes out where it should."""

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from abacoc import Auto
from abacoc.methods import EPOCHS
from paper import claims_intro, runs
from paper.claims import write_claims
from paper.reproduce import ITEMS, chosen
from paper.runs import COMPETITORS, FIX, LEVELS, OWN
from paper.verdicts import CLAIMS, COLUMNS, FAILS, HOLDS, OPEN, UNTESTED, counts
from paper.worlds import OurRuns, Printed, effect

ROOT = Path(__file__).resolve().parents[2]
STREAMS = ("electricity", "sea", "poker")  # two with drift, one without
EIGHT = (*STREAMS, "powersupply", "covtype", "kddcup99", "connect-4", "sensor")
N = 10_000  # examples of each
# In the made-up world the paper is right: AUTO-ADJ is the best and FIX is better still, trees are
# tiny. At a rate a method has that share of its balls, and nine tenths of its accuracy or more.
ACCURACY = {"auto-adj": 0.8, "auto": 0.78, "base-adj": 0.76, "base": 0.74, "nn3": 0.75, "cnn": 0.7}
ACCURACY |= {"k-perc": 0.65, "rules": 0.6, "vfdt": 0.6, FIX: 0.9}
SHARE = {"auto-adj": 0.1, "auto": 0.12, "base-adj": 0.14, "base": 0.16, "nn3": 1.0, "cnn": 0.5}
SHARE |= {"k-perc": 0.4, "rules": 0.001, "vfdt": 0.001, FIX: 1.0, "iblstreams": 0.5}
TWO_CLASSES, COIN = ("electricity", "sea"), '{"vote":"randomized"}'
Change = Callable[[pd.DataFrame], pd.DataFrame]


def world(streams=STREAMS) -> pd.DataFrame:
    """Rows as the grid exports them, and the level at which each is."""
    rows = []
    for stream in streams:
        for method in ACCURACY:
            for level in (*LEVELS, 1.0)[: 4 if method == FIX else 5]:
                for seed in range(1 if level == 1 else 3):
                    gain = 0.05 if (method, stream) == (FIX, "electricity") else 0.0
                    less = 1.0 if level == 1 else 0.9 + level / 2
                    accuracy = ACCURACY[method] * less + gain
                    settings = f'{{"budget": {level}}}' if method == FIX else "{}"
                    rows.append((stream, method, level, seed, settings, accuracy))
        for seed in range(3 if stream in TWO_CLASSES else 0):
            rows.append((stream, "base", 1.0, seed, COIN, 0.73 + seed / 1000))
        for settings in ("{}", '{"reading": "moa"}'):
            rows.append((stream, "iblstreams", 1.0, 0, settings, 0.55))
        for d_hat in (0.0, 5.0, 10.0):
            settings = f'{{"d_hat": {d_hat}}}'
            rows.append((stream, "auto-adj", 1.0, 0, settings, 0.8 - d_hat / 1000))
    made = pd.DataFrame(rows, columns=["stream", "method", "level", "seed", "settings", "accuracy"])
    made["rate"] = made.level.where(made.method != FIX, 1.0)
    made["scale"] = made.method.isin(OWN[:2]).map({True: "unit", False: "none"})
    made["order"] = "file"
    made["epoch"], made["status"] = made.method.map(EPOCHS), "done"
    made["model_share"] = made.method.map(SHARE) * made.level
    made["model_size"] = (made.model_share * N).astype(int)
    made["n_examples"], made["n_updates"], made["seconds"] = N, (made.rate * N).astype(int), 1.0
    return made


def put(*methods, accuracy=None, share=None, level=None, stream=None, d_hat=None) -> Change:
    """These methods become so accurate and so large; at all levels and streams, or at some."""

    def change(made: pd.DataFrame) -> pd.DataFrame:
        where = made.method.isin(methods)
        where &= (made.level == level) if level is not None else True
        where &= (made.stream == stream) if stream is not None else True
        asked = made.settings.str.contains("d_hat|vote")
        where &= made.settings.str.contains(f'"d_hat": {d_hat}') if d_hat is not None else ~asked
        if accuracy is not None:
            made.loc[where, "accuracy"] = accuracy
        if share is not None:
            made.loc[where, "model_share"] = share * made.level
        return made

    return change


def only(*methods) -> Change:
    return lambda made: made[made.method.isin(methods)]


def without(*methods) -> Change:
    return lambda made: made[~made.method.isin(methods)]


def where(condition: str) -> Change:
    return lambda made: made.query(condition, local_dict={"COIN": COIN})


def grown(*methods) -> Change:
    """One ball more than these methods were given examples."""

    def change(made: pd.DataFrame) -> pd.DataFrame:
        which = made.method.isin(methods)
        return made.assign(model_size=made.model_size.where(~which, made.n_updates + 1))

    return change


def in_turns(made: pd.DataFrame) -> pd.DataFrame:
    """NN3 and CNN come second on every other stream: both are third as often."""
    for i, stream in enumerate(EIGHT):
        made = put("nn3", accuracy=0.5 + 0.1 * (i % 2), stream=stream)(made)
        made = put("cnn", accuracy=0.6 - 0.1 * (i % 2), stream=stream)(made)
    return made


class Blind:
    """A learner that has never heard of a third class."""

    n_balls, guess = 0, 0

    def check_point(self, x: object) -> object:
        return x

    def check_label(self, y: object) -> None:
        pass

    def predict(self, x: object) -> int:
        return self.guess

    def update(self, x: object, y: object) -> None:
        pass


class Knows(Blind):
    """A learner that knows the class before it comes: then nothing was taken up."""

    guess = 2


class Case(NamedTuple):
    """A claim, its verdict, and the world in which it is given."""

    id: str
    verdict: str
    changes: tuple[Change, ...] = ()
    file: tuple[str, str] | None = None  # a table below reproduced/
    learners: tuple[type, ...] = ()
    streams: tuple[str, ...] = STREAMS


def ledger(*steps: tuple[str, str, str]) -> tuple[str, str]:
    return "ledger.csv", "id,where,verdict\n" + "".join(f"{','.join(s)}\n" for s in steps)


def theorem(stated: str, corrected: str, sharper: str = "holds") -> tuple[str, str]:
    return ledger(
        ("coin", "Section V", "holds"),
        ("theorem1", "Theorem 1", stated),
        ("theorem1-corrected", "the corrected Theorem 1", corrected),
        ("theorem-sharpened", "the sharper theorem", sharper),
    )


def growth(*factors: float) -> tuple[str, str]:
    lines = [f"uniform-{i},{factor}\n" for i, factor in enumerate(factors)]
    return "bench_growth.csv", "".join(["stream,per_tenfold\n", *lines])


def balls(*counts: int) -> tuple[str, str]:
    names = ("BASE", "BASE-ADJ", "AUTO", "AUTO-ADJ")
    lines = [f"{name},{n}\n" for name, n in zip(names, counts, strict=False)]
    return "figure1.csv", "".join(["method,n_balls\n", *lines])


def above(id: str, a: str, b: str) -> list[Case]:
    """Method a against method b at the four rates."""
    return [
        Case(id, HOLDS),
        Case(id, "3 of 4", (put(a, accuracy=0.1, level=0.01),)),
        Case(id, "3 of 4", (put(a, b, accuracy=0.5, level=0.1),)),  # even is not better
        Case(id, FAILS, (put(a, accuracy=0.1),)),
        Case(id, UNTESTED, (without(b),)),
    ]


def curve_above_all(id: str, n: int) -> list[Case]:
    """AUTO-ADJ's curve against ``n`` points of others that can be compared with it."""
    return [
        Case(id, HOLDS),
        # smaller than all of ours and above: four more to compare with
        Case(id, f"{n} of {n + 4}", (put("vfdt", accuracy=0.95),)),
        Case(id, f"{n - 4} of {n}", (put("nn3", accuracy=0.95),)),  # larger than ours, and above
        Case(id, f"{n - 4} of {n}", (put("cnn", accuracy=0.95),)),
        Case(id, FAILS, (put("auto-adj", accuracy=0.1),)),
        Case(id, "0 of 4", (only("nn3", "auto-adj"), put("nn3", "auto-adj", accuracy=0.5))),  # even
        # smaller than all of ours, and less accurate: which is better cannot be said
        Case(id, UNTESTED, (only("auto-adj", "vfdt"),)),
        Case(id, UNTESTED, (only("auto-adj", "vfdt"), put("auto-adj", "vfdt", accuracy=0.5))),
        Case(id, UNTESTED, (only("auto-adj"),)),
        Case(id, UNTESTED, (without("auto-adj"),)),
    ]


def coin() -> list[Case]:
    def thrown(accuracy: float, *streams: str) -> Change:
        return lambda made: made.assign(
            accuracy=made.accuracy.where(
                (made.settings != COIN) | ~made.stream.isin(streams), accuracy
            )
        )

    return [
        Case("coin", HOLDS),
        Case("coin", "1 of 2", (thrown(0.7, "sea"),)),
        Case("coin", FAILS, (thrown(0.7, *TWO_CLASSES),)),
        Case("coin", FAILS, (thrown(0.78, *TWO_CLASSES),)),  # better is as much of an effect
        Case("coin", UNTESTED, (where("settings != @COIN"),)),
    ]


def parameter(id: str) -> list[Case]:
    far = put("auto-adj", accuracy=0.7, d_hat=10.0)
    return [
        Case(id, HOLDS),
        Case(id, HOLDS, (where("not settings.str.contains(' 5.0')"),)),  # three values left
        Case(id, "2 of 3", (put("auto-adj", accuracy=0.7, d_hat=10.0, stream="sea"),)),
        Case(id, FAILS, (far,)),
        Case(id, UNTESTED, (where("not settings.str.contains('[05].0', regex=True)"), far)),
    ]


def table_of_fix(id: str, level: float) -> list[Case]:
    return [
        Case(id, HOLDS),
        Case(id, "3 of 6", (put(FIX, accuracy=0.715, level=level),)),  # between the two
        Case(id, FAILS, (put(FIX, accuracy=0.1, level=level),)),
        Case(id, "0 of 6", (put(FIX, "nn3", "auto-adj", accuracy=0.5, level=level),)),
        Case(id, UNTESTED, (without("nn3"),)),
    ]


CASES = [
    *curve_above_all("tradeoff", 12),
    Case("fix-same-size", HOLDS),
    # NN3 has a tenth of the stream at rate 10 %: what it has there counts, not the rate
    Case("fix-same-size", "12 of 24", (put("nn3", accuracy=0.99),)),
    # AUTO-ADJ never gets as large: what it has at its largest is compared
    Case("fix-same-size", "19 of 24", (put("auto-adj", accuracy=0.99, level=1.0),)),
    Case("fix-same-size", FAILS, (put(FIX, accuracy=0.1),)),
    Case("fix-same-size", "0 of 24", (put(FIX, "nn3", "auto-adj", accuracy=0.5),)),
    Case("fix-same-size", UNTESTED, (without(FIX),)),
    Case("fix-same-size", UNTESTED, (where("method != 'nn3' or level < 1"),)),
    Case("guarantee", HOLDS, file=theorem("holds", "holds")),
    Case("guarantee", "2 of 3", file=theorem("holds amended", "holds")),
    Case("guarantee", "1 of 3", file=theorem("fails", "holds", "fails")),
    Case("guarantee", FAILS, file=theorem("fails", "fails", "fails")),
    Case("guarantee", "1 of 3", file=theorem("not established", "holds amended")),
    Case("guarantee", UNTESTED, file=ledger()),
    Case("guarantee", UNTESTED),
    *parameter("parameterless"),
    Case("small-models", HOLDS, (without("rules", "vfdt"),)),
    Case("small-models", "3 of 5"),
    Case("small-models", FAILS, (put("auto-adj", share=2.0),)),
    Case("small-models", "0 of 5", (put("auto-adj", *COMPETITORS, share=0.5),)),
    Case("small-models", UNTESTED, (without(*COMPETITORS),)),
    Case("small-models", UNTESTED, (without("auto-adj"),)),
    Case("new-classes", HOLDS),
    Case("new-classes", "1 of 2", learners=(Auto, Blind)),
    Case("new-classes", FAILS, learners=(Blind, Blind)),
    Case("new-classes", FAILS, learners=(Knows, Knows)),
    Case("logarithmic", HOLDS, file=growth(1.02, 1.4)),
    Case("logarithmic", "1 of 2", file=growth(1.02, 1.93)),
    Case("logarithmic", FAILS, file=growth(1.6, 1.93)),
    Case("logarithmic", UNTESTED, file=growth()),
    Case("logarithmic", UNTESTED),
    Case("bounding-helps", HOLDS),
    Case("bounding-helps", HOLDS, (put(FIX, accuracy=0.1, stream="sea"),)),
    Case("bounding-helps", HOLDS, (put(FIX, accuracy=0.1, level=0.01),)),
    Case("bounding-helps", FAILS, (put(FIX, accuracy=0.1),)),
    Case("bounding-helps", OPEN, (put(FIX, "auto-adj", accuracy=0.5),)),
    Case("bounding-helps", UNTESTED, (where("stream == 'poker'"),)),
    Case("banana", HOLDS, file=balls(13, 12, 40, 35)),
    Case("banana", HOLDS, file=balls(13, 12)),  # AUTO was not run
    Case("banana", "1 of 2", file=balls(13, 12, 40, 40)),
    Case("banana", FAILS, file=balls(13, 14, 40, 41)),
    Case("banana", UNTESTED, file=balls()),
    Case("banana", UNTESTED),
    Case("adjustment", HOLDS),
    Case("adjustment", "3 of 4", (put("base-adj", accuracy=0.1),)),
    Case("adjustment", "3 of 4", (put("auto", "auto-adj", share=0.5),)),
    Case("adjustment", FAILS, (put("base-adj", "auto-adj", accuracy=0.1, share=0.9),)),
    Case("adjustment", "0 of 4", (put(*OWN, accuracy=0.5, share=0.5),)),
    Case("adjustment", UNTESTED, (without("base"),)),
    Case("smallest-and-best", HOLDS),
    Case("smallest-and-best", "3 of 6", (put("auto-adj", accuracy=0.1),)),
    Case("smallest-and-best", "3 of 6", (put("auto-adj", share=0.9),)),
    Case("smallest-and-best", FAILS, (put("auto-adj", accuracy=0.1, share=0.9),)),
    Case("smallest-and-best", UNTESTED, (without("auto"),)),
    *parameter("d-hat"),
    Case("rate-is-a-bound", HOLDS),
    Case("rate-is-a-bound", "8 of 9", (grown("cnn"),)),
    Case("rate-is-a-bound", FAILS, (grown(*ACCURACY),)),
    Case("rate-is-a-bound", UNTESTED, (where("rate == 1"),)),
    Case("nn3", HOLDS, (put("nn3", accuracy=0.79, level=0.1),)),
    Case("nn3", "2 of 3"),
    Case("nn3", "1 of 3", (put("nn3", accuracy=0.79),)),
    Case("nn3", FAILS, (put("nn3", accuracy=0.79, level=0.01),)),
    Case("nn3", "0 of 3", (put("nn3", "auto-adj", accuracy=0.5),)),
    Case("nn3", UNTESTED, (without("nn3"),)),
    *above("cnn-kperc", "cnn", "k-perc"),
    *above("cnn-vfdt", "cnn", "vfdt"),
    Case("trees-small", HOLDS),
    Case("trees-small", "4 of 8", (put("vfdt", share=0.5),)),
    Case("trees-small", FAILS, (put("vfdt", "rules", share=0.5),)),
    Case("trees-small", UNTESTED, (without("rules"),)),
    Case("trees", HOLDS),
    Case("trees", "4 of 8", (put("vfdt", accuracy=0.95),)),
    Case("trees", "7 of 8", (put("rules", accuracy=0.66, level=0.01),)),  # above K-PERC alone
    Case("trees", FAILS, (put("vfdt", "rules", accuracy=0.95),)),
    Case("trees", UNTESTED, (without("rules"),)),
    *above("base-adj", "base-adj", "base"),
    *above("auto-base", "auto", "base"),
    *curve_above_all("dominates", 24),
    Case("ninety-percent", HOLDS),
    Case("ninety-percent", "1 of 2", (put("auto-adj", share=0.5, level=0.1),)),
    Case("ninety-percent", "1 of 2", (put("auto-adj", accuracy=0.5, level=0.1),)),
    Case("ninety-percent", FAILS, (put("auto-adj", accuracy=0.5, share=0.5, level=0.1),)),
    Case("ninety-percent", UNTESTED, (without("auto-adj"),)),
    Case("iblstreams", HOLDS),  # in both readings on three streams
    Case("iblstreams", "4 of 6", (put("iblstreams", accuracy=0.7, stream="sea"),)),
    Case("iblstreams", FAILS, (put("iblstreams", accuracy=0.7),)),
    Case("iblstreams", UNTESTED, (without("rules"),)),
    Case("iblstreams", UNTESTED, (without("iblstreams"),)),
    Case("significance", HOLDS, (only("auto-adj", "nn3", "cnn"), in_turns), streams=EIGHT),
    Case("significance", FAILS),  # the best rank, but three sets are too few
    Case("significance", FAILS, (put("auto-adj", accuracy=0.1),)),
    Case("significance", UNTESTED, (put(*ACCURACY, accuracy=0.5),)),  # all tied
    Case("significance", UNTESTED, (only("auto-adj", "nn3"),)),
    Case("significance", UNTESTED, (where("stream == 'sea'"),)),
    Case("significance", UNTESTED, (without("auto-adj"),)),
    Case("best-rank", HOLDS),
    Case("best-rank", FAILS, (put("auto-adj", accuracy=0.1),)),
    # at 10 and 25 % of the stream NN3 is taken at its largest rate
    Case("best-rank", "3 of 5", (put("nn3", accuracy=0.9, level=0.1),)),
    Case("best-rank", UNTESTED, (without("auto-adj"),)),
    Case("good-choices", "2 of 4"),
    Case("good-choices", HOLDS, tuple(put("auto", accuracy=0.9, level=x) for x in (0.05, 0.1))),
    Case("good-choices", FAILS, (put("base", accuracy=0.9),)),
    Case("good-choices", UNTESTED, (without("base"),)),
    *table_of_fix("fix-10", 0.1),
    *table_of_fix("fix-1", 0.01),
    Case("fix-drift", HOLDS, (put(FIX, accuracy=0.9, stream="sea"),)),
    Case("fix-drift", HOLDS),  # in the mean, though sea gains no more than poker does
    Case("fix-drift", FAILS, (put(FIX, accuracy=0.99, stream="poker"),)),
    Case("fix-drift", "0 of 2", (put(FIX, accuracy=0.85),)),  # the same gain everywhere
    Case("fix-drift", UNTESTED, (where("stream != 'poker'"),)),
    Case("fix-drift", UNTESTED, (where("stream == 'poker'"),)),
    Case("fix-clearly", HOLDS),
    Case("fix-clearly", "4 of 8", (put("nn3", accuracy=0.99),)),
    Case("fix-clearly", FAILS, (put(FIX, accuracy=0.1),)),
    Case("fix-clearly", UNTESTED, (without(FIX),)),
    *coin(),
]


def judge(id: str, made: pd.DataFrame, folder: Path, protocol: str = "raw") -> tuple[str, str]:
    (folder / "reproduced").mkdir(exist_ok=True)
    made.drop(columns="level").to_csv(folder / "reproduced" / "results.csv", index=False)
    (claim,) = [claim for claim in CLAIMS if claim.id == id]
    read = runs.read(folder / "reproduced")
    return claim.judge([OurRuns(protocol, read)], folder)[protocol]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.id}, {case.verdict}")
def test_every_verdict_of_every_claim(case, tmp_path, monkeypatch):
    made = world(case.streams)
    for change in case.changes:
        made = change(made)
    if case.file:
        (tmp_path / "reproduced").mkdir()
        (tmp_path / "reproduced" / case.file[0]).write_text(case.file[1])
    if case.learners:
        monkeypatch.setattr(claims_intro, "LEARNERS", case.learners)
    verdict, told = judge(case.id, made, tmp_path)
    assert verdict == case.verdict, told
    assert bool(told) == (verdict != UNTESTED)


def test_no_claim_is_without_a_world_where_it_holds_fails_and_cannot_be_told():
    """Or there is a reason why it cannot be so."""
    never = {("new-classes", UNTESTED): "it needs no runs but its own"}
    found = {(case.id, case.verdict) for case in CASES}
    every = {(one.id, v) for one in CLAIMS for v in (HOLDS, FAILS, UNTESTED)}
    assert every - found == set(never)
    partly = {case.id for case in CASES if " of " in case.verdict}
    alone = {"bounding-helps", "significance"}  # one comparison; a p-value that rises with the size
    assert {one.id for one in CLAIMS} - partly == alone


def test_a_claim_of_the_paper_is_judged_on_its_own_numbers(tmp_path):
    """Counted by hand in the tables and figures of the paper."""
    (tmp_path / "reproduced").mkdir()
    found = {one.id: one.judge([Printed()], tmp_path)["published"] for one in CLAIMS}
    verdicts = {id: outcome.verdict for id, outcome in found.items()}
    assert verdicts["nn3"] == "2 of 3"  # .811 against .799 at rate 1 %
    assert found["nn3"].effect.endswith("not: rate 1 %")
    assert verdicts["base-adj"] == "3 of 4"  # .78872 against .78882 at 3 %
    assert verdicts["ninety-percent"] == "1 of 2"  # .885
    # not better on airlines (twice) and sea (NN3); within lost digits AUTO-ADJ on acoustic and
    # covtype, NN3 on hyperPlane
    assert verdicts["fix-10"] == "16 of 22"
    assert verdicts["fix-1"] == HOLDS
    assert verdicts["dominates"] == "27 of 28"  # NN3 at 10 % is above
    assert verdicts["cnn-kperc"] == verdicts["cnn-vfdt"] == verdicts["trees"] == HOLDS
    assert verdicts["fix-drift"] == "1 of 4"
    assert verdicts["significance"] == FAILS  # p below 0.13
    once = {one.id for one in CLAIMS if one.once}
    assert {id for id, v in verdicts.items() if v == UNTESTED} == once | {
        *("parameterless", "d-hat", "coin", "iblstreams")
    }


def test_protocols_have_runs_of_their_own(tmp_path):
    """The same world with norm 1 and covtype in other orders; in file order it does not count."""
    made = world((*STREAMS, "covtype"))
    as_paper = made.assign(scale="unit")
    shuffled = as_paper.stream == "covtype"
    as_paper["order"] = ("shuffle=" + as_paper.seed.astype(str)).where(shuffled, "file")
    both = pd.concat([put("cnn", accuracy=0.1)(made.copy()), as_paper]).drop_duplicates(
        [*["stream", "method", "rate", "seed", "settings", "scale", "order"]]
    )
    assert judge("cnn-kperc", both, tmp_path) == (
        FAILS,
        "-0.626 of accuracy in 4 comparisons",
    )
    assert judge("cnn-kperc", both, tmp_path, "paper")[0] == HOLDS
    lost = as_paper[(as_paper.stream == "covtype") | (as_paper.method != "cnn")]
    assert judge("cnn-kperc", lost, tmp_path, "paper")[0] == HOLDS  # on covtype alone
    in_file_order = lost.assign(order="file")
    assert judge("cnn-kperc", in_file_order, tmp_path, "paper")[0] == UNTESTED


def test_committed_claims_come_back_byte_for_byte(tmp_path):
    shutil.copytree(ROOT / "paper_results" / "reproduced", tmp_path / "reproduced")
    made = write_claims(tmp_path)
    assert made.read_bytes() == (ROOT / "paper_results" / "claims.csv").read_bytes()


def test_differences_are_paired_by_seed(tmp_path):
    """Two methods that vary together by far more than they differ."""
    made = world()
    noise = made.seed.map({0: 0.0, 1: 0.1, 2: -0.1}) * (made.level < 1)
    made["accuracy"] += noise.where(made.method.isin(["cnn", "k-perc"]), 0.0)
    assert judge("cnn-kperc", made, tmp_path)[0] == HOLDS
    alone = made.assign(accuracy=made.accuracy + noise.where(made.method == "cnn", 0.0))
    assert judge("cnn-kperc", alone, tmp_path)[0] == "0 of 4"


def test_whose_points_are_above_the_curve_is_told(tmp_path):
    """VFDT with a thousandth of the stream, and above AUTO-ADJ."""
    _, told = judge("dominates", put("vfdt", accuracy=0.95)(world()), tmp_path)
    assert told.endswith("not: VFDT at 1%, VFDT at 3%, VFDT at 5%, VFDT at 10%")


def test_without_runs_only_what_needs_none_is_judged(tmp_path):
    """And nothing but the table of claims is written."""
    path = write_claims(tmp_path / "new")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [claim.id for claim in CLAIMS]
    for column in COLUMNS[1:]:
        assert {row["id"] for row in rows if row[column] != UNTESTED} == {"new-classes"}
    assert list((tmp_path / "new").iterdir()) == [path]
    assert counts(rows).endswith(f"raw: 1 hold, {len(CLAIMS) - 1} untested")


def test_every_claim_has_a_name_of_its_own_and_something_to_run():
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS) == 31
    items = {claim.item for claim in CLAIMS} - {"verify", "bench"}
    assert all(chosen(item)[0] in ITEMS for item in items)


def test_intervals():
    """Student's t with two degrees of freedom: 4.303 standard errors."""
    found = effect([0.1, 0.2, 0.3])
    assert found.value == pytest.approx(0.2)
    assert found.high - found.value == pytest.approx(4.303 * 0.1 / 3**0.5, rel=1e-3)
    assert effect([0.1], off=0.0015) == pytest.approx((0.1, 0.0985, 0.1015))


def test_points_are_relative_to_the_best_of_each_stream(tmp_path):
    judge("cnn-vfdt", put("nn3", accuracy=0.4, stream="sea")(world()), tmp_path)
    made = OurRuns("raw", runs.read(tmp_path / "reproduced"))
    accuracy, share = made.points(("auto-adj", "nn3"), (0.1, 1.0))
    assert accuracy.loc["auto-adj", 1.0].tolist() == pytest.approx([1, 1, 1])
    ten = np.mean([0.5, *[0.75 * 0.95 / 0.8] * 2])
    assert accuracy.loc["nn3", 0.1].tolist() == pytest.approx([ten, ten, ten])
    assert share.loc["nn3", 0.1].tolist() == pytest.approx([0.1, 0.1, 0.1])
