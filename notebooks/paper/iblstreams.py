"""IBLStreams against RULES: what the paper's one sentence about it says, run by run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pandas as pd
from scipy.stats import t as student

from paper.runs import as_published, as_text

METHOD, RIVAL = "iblstreams", "rules"
PROTOCOLS = ("raw", "paper")
DEFAULTS = {"reading": "described", "start": 1000}
PLACE = ["stream", "protocol", "rate"]
CASE = ["stream", "protocol", "reading", "start", "rate"]
COLUMNS = [*CASE, "iblstreams", "rules", "seeds", "difference", "low", "high"]
CONFIDENCE = 0.95


def compare_with_rules(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per stream, protocol, reading, start and rate: both accuracies and their difference.

    ``runs`` are those of `paper.runs.read`. Only seeds that both have count: ``iblstreams`` and
    ``rules`` are means over them, ``difference`` is the mean of IBLStreams minus RULES, run by run,
    and ``low`` and ``high`` are its 95 % interval by Student's t: not a number with one seed. What
    has no run of RULES beside it is left out.

    >>> few = pd.DataFrame({"method": ["rules", "iblstreams"] * 2, "seed": [0, 0, 1, 1]})
    >>> few["accuracy"] = [0.75, 0.5, 0.75, 0.25]
    >>> few = few.assign(stream="sea", rate=0.1, scale="none", order="file", settings="{}")
    >>> print(compare_with_rules(few.assign(set="sea")).round(3).iloc[0, 3:].to_string())
    start          1000
    rate            0.1
    iblstreams    0.375
    rules          0.75
    seeds             2
    difference   -0.375
    low          -1.963
    high          1.213
    """
    known = runs.assign(protocol=protocol_of(runs)).dropna(subset="protocol")
    rival = known.loc[known.method == RIVAL, [*PLACE, "seed", "accuracy"]]
    own = known[known.method == METHOD]
    settings = own.settings.map(json.loads)
    for name, usual in DEFAULTS.items():
        own = own.assign(**{name: [chosen.get(name, usual) for chosen in settings]})
    own = own.merge(rival.rename(columns={"accuracy": "rival"}), on=[*PLACE, "seed"])
    return pd.DataFrame(_rows(own), columns=COLUMNS)


def protocol_of(runs: pd.DataFrame) -> pd.Series[str]:
    """`raw`: as it is in the file; `paper`: norm 1, some sets in random order; else none."""
    found = pd.Series(pd.NA, runs.index, dtype=object)
    return found.mask(as_text(runs), "raw").mask(as_published(runs), "paper")


def _rows(own: pd.DataFrame) -> Iterator[tuple[object, ...]]:
    for case, pairs in own.groupby(CASE):
        gaps, n = pairs.accuracy - pairs.rival, len(pairs)
        reach = math.nan
        if n > 1:
            reach = float(student.ppf((1 + CONFIDENCE) / 2, n - 1)) * gaps.std() / math.sqrt(n)
        mean = gaps.mean()
        means = (pairs.accuracy.mean(), pairs.rival.mean(), n, mean)
        yield (*case, *means, mean - reach, mean + reach)


def better(compared: pd.DataFrame) -> pd.Series[bool]:
    """Where IBLStreams is better: its interval is above 0, or with one seed its difference is.

    >>> rows = [(0.02, 0.01, 0.03), (0.02, -0.01, 0.05), (0.02, math.nan, math.nan)]
    >>> better(pd.DataFrame(rows, columns=["difference", "low", "high"])).tolist()
    [True, False, True]
    """
    return compared.low.fillna(compared.difference) > 0
