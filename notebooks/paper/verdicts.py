"""How a claim of the paper is written down and judged.

A verdict is *reproduced*, *partly*, *not*, or *cannot be tested here*. It is computed from the
runs at hand each time; a stream that is not covered is named. `RULES` says how.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from paper import runs as table
from paper.points import Missing, Point, covered, over_streams
from paper.runs import LEVELS, label

REPRODUCED, PARTLY, NOT, UNTESTED = "reproduced", "partly", "not", "cannot be tested here"
VERDICTS = {NOT: "not reproduced", PARTLY: "partly reproduced"}  # where one word is too few
RULES = """\
*Reproduced* means in all cases, *partly* in some, *not* in none. Where a result has a spread over
seeds, *better* means by more than two standard errors; with all labels nothing is left to chance.
Averages over the sets, which is what the figures show, are compared as they are."""
DRIFTING = ("powersupply", "hyperPlane", "sea", "covtype", "airlines", "electricity")  # Table I

Outcome = tuple[str, str]  # result in words and numbers, verdict
Check = Callable[[pd.DataFrame, Path], Outcome]


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in short, where it stands, and the test of it."""

    id: str
    item: str  # what `abacoc reproduce --only` makes for it; or verify, bench, claims
    where: str
    sentence: str
    test: str
    check: Check

    def judge(self, runs: pd.DataFrame, folder: Path) -> Outcome:
        """What came out, of the runs and of the tables below the folder."""
        try:
            return self.check(runs, folder)
        except Missing:
            return "the runs are not at hand", UNTESTED


CLAIMS: list[Claim] = []  # in the order of the paper, which is that of the functions


def claim(*, id: str, where: str, item: str, sentence: str, test: str) -> Callable[[Check], Check]:
    """The function below tests this sentence."""

    def register(check: Check) -> Check:
        CLAIMS.append(Claim(id, item, where, sentence, test, check))
        return check

    return register


def by_share(part: int, whole: int) -> str:
    """The verdict where something holds in some of the cases.

    >>> by_share(2, 2), by_share(1, 2), by_share(0, 2), by_share(0, 0)
    ('reproduced', 'partly', 'not', 'cannot be tested here')
    """
    if whole == 0:
        return UNTESTED
    return REPRODUCED if part == whole else PARTLY if part else NOT


def ran(runs: pd.DataFrame, *methods: str) -> bool:
    """Whether there is a stream on which these methods ran at the four rates."""
    return bool(table.streams_of_the_paper(runs, methods, LEVELS))


def curves_of(runs: pd.DataFrame, methods: Sequence[str]) -> tuple[dict[str, list[Point]], str]:
    """The curves of Figure 3 over the streams that have them all, and which streams do not."""
    streams = covered(runs, methods, LEVELS)
    curves = {m: [over_streams(runs, streams, m, level) for level in LEVELS] for m in methods}
    without = sorted(set(runs.stream) - set(streams))
    return curves, f"; without {', '.join(map(label, without))}" if without else ""


def read(folder: Path, name: str) -> pd.DataFrame:
    """A table below the folder, every cell as it stands there."""
    path = folder / "reproduced" / name
    if not path.is_file():
        raise Missing
    return pd.read_csv(path, keep_default_na=False)
