"""How a claim of the paper is written down and judged.

A claim is a list of comparisons, each a number that is positive where the claim holds, with an
interval; `RULES` says what becomes of them. The verdict is computed from the numbers each time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from paper.worlds import Effect, Missing, World, effect

HOLDS, FAILS, OPEN, UNTESTED = "holds", "fails", "open", "—"
COLUMNS = ("published", "paper", "raw")
RULES = """\
Each claim is judged three times: on the paper's own numbers (*printed*), and on our runs under the
protocols *paper* and *raw*. A claim is a number of comparisons. One of them holds if the whole 95 %
interval of its difference, paired by seeds, is on the claim's side, and fails if it is on the other
side; with all labels nothing is left to chance, and the difference itself decides. A claim `holds`
if all comparisons do and `fails` if all fail; else the verdict says how many hold, of how many, or
`open` if the only one is undecided. The effect is the mean over all comparisons, positive on the
claim's side. `—` means that these numbers cannot tell."""
TITLES = {"published": "printed", "paper": "paper", "raw": "raw"}


class Case(NamedTuple):
    """One comparison: positive where the claim holds."""

    name: str
    gaps: Iterable[float]  # by seed
    unit: str = "of accuracy"
    off: float = 0.0  # by which a printed number may be off

    @property
    def effect(self) -> Effect:
        """The mean difference."""
        return effect(self.gaps, self.off)


class Outcome(NamedTuple):
    """What came out of a claim in one world."""

    verdict: str
    effect: str


Check = Callable[[Any], Iterable[Case]]  # of a world; of a folder if no protocol changes it
AnyCheck = TypeVar("AnyCheck", bound=Check)


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in short, where it stands, and the test of it."""

    id: str
    item: str  # what `abacoc reproduce --only` makes for it; or verify, bench, claims
    where: str
    sentence: str
    test: str
    check: Check
    once: bool

    def judge(self, worlds: Sequence[World], folder: Path) -> dict[str, Outcome]:
        """What came out, by column."""
        if self.once:
            told = judge(self.check, folder)
            return {"published": Outcome(UNTESTED, ""), "paper": told, "raw": told}
        return {world.name: judge(self.check, world) for world in worlds}


CLAIMS: list[Claim] = []  # in the order of the paper, which is that of the functions


def claim(
    *, id: str, where: str, item: str, sentence: str, test: str, once: bool = False
) -> Callable[[AnyCheck], AnyCheck]:
    """The function below tests this sentence, in a world, or (``once``) on tables in a folder."""

    def register(check: AnyCheck) -> AnyCheck:
        CLAIMS.append(Claim(id, item, where, sentence, test, check, once))
        return check

    return register


def judge(check: Check, where: World | Path) -> Outcome:
    """The verdict on some comparisons, and their mean.

    >>> judge(lambda folder: [Case("a", [0.1]), Case("b", [-0.2])], Path())
    Outcome(verdict='1 of 2', effect='-0.050 of accuracy in 2 comparisons; not: b')
    """
    try:
        cases = list(check(where))
    except Missing:
        return Outcome(UNTESTED, "")
    if not cases:
        return Outcome(UNTESTED, "")
    effects = [(case, case.effect) for case in cases]
    holds = [case.name for case, found in effects if found.low > 0]
    fails = [case.name for case, found in effects if found.high < 0]
    if len(cases) in (len(holds), len(fails)):
        return Outcome(HOLDS if holds else FAILS, _told(cases, holds, fails))
    only = OPEN if len(cases) == 1 else f"{len(holds)} of {len(cases)}"
    return Outcome(only, _told(cases, holds, fails))


def _told(cases: list[Case], holds: list[str], fails: list[str]) -> str:
    """The mean effect of each unit, then the cases that do not hold, the undecided ones apart."""
    parts = []
    for unit in dict.fromkeys(case.unit for case in cases):
        own = [case for case in cases if case.unit == unit]
        frame = pd.DataFrame([pd.Series(list(case.gaps)) for case in own]).ffill(axis=1)
        mean = effect(frame.mean(), max(case.off for case in own) if len(own) == 1 else 0.0)
        parts.append(f"{mean} {unit}" + (f" in {len(own)} comparisons" if len(own) > 1 else ""))
    undecided = [case.name for case in cases if case.name not in {*holds, *fails}]
    for word, some in (("not", fails), ("undecided", undecided)):
        if some and len(cases) > 1 and len(some) < len(cases):
            shown = ", ".join(some[:4])
            more = f" and {len(some) - 4} more" if len(some) > 4 else ""
            parts.append(f"{word}: {shown}{more}")
    return "; ".join(parts)


def counts(rows: Iterable[Mapping[str, str]]) -> str:
    """How many claims hold, hold in part, or fail, in each column.

    >>> counts([{"published": "holds", "paper": "3 of 4", "raw": "—"}])
    'printed: 1 hold; paper: 1 in part; raw: 1 untested'
    """
    words = {HOLDS: "hold", FAILS: "fail", OPEN: "open", UNTESTED: "untested"}
    rows, parts = list(rows), []
    for column, title in TITLES.items():
        found = Counter(words.get(row[column], "in part") for row in rows)
        told = (f"{found[word]} {word}" for word in (*words.values(), "in part") if found[word])
        parts.append(f"{title}: {', '.join(told)}")
    return "; ".join(parts)


def read(folder: Path, name: str) -> pd.DataFrame:
    """A table below the folder, every cell as it stands there."""
    path = folder / "reproduced" / name
    if not path.is_file():
        raise Missing
    return pd.read_csv(path, keep_default_na=False)
