"""The table of runs as a data frame: which runs the figures are made of, on which streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from abacoc.grid.tables import RESULTS
from abacoc.methods import COMPETITORS, EPOCHS, MENTIONED, OWN, SUCCESSORS, YARDSTICKS
from abacoc.streams.generators import is_generated
from paper.grids import FIX, SHUFFLED, set_of
from paper.published import table1

__all__ = ["COMPETITORS", "FIX", "LEVELS", "OWN", "YARDSTICKS", "read", "set_of"]
LEVELS = (0.01, 0.03, 0.05, 0.1)  # rates of Figure 3, and budgets of FIX in Figure 4
PROTOCOLS = ("paper", "raw")
# Settings that an ablation changes: with one of them a run is none of the paper's.
ABLATED = {"reading", "d_hat", "radius_rule", "covering_constant", "leaf_prediction", "vote"}


def read(
    folder: str | Path,
    sets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    seeds: Sequence[int] | None = None,
    name: str = RESULTS,
) -> pd.DataFrame:
    """All finished runs of ``results.csv``, or those of some sets, methods and seeds.

    Beside its columns: ``set`` is the set of Table I that the stream is, is the head of, or stands
    in for; ``name`` is the stream for people; ``budget`` is FIX's, a share of the stream; ``level``
    the budget or else the rate; ``standard`` says whether it is run as the paper's text has it (the
    protocol `raw`, see `under`), without any ablation of readings, dimension or scaling. A method
    without chance has the seed 0 only.
    Another table of runs has a ``name`` of its own; none of its runs is standard.
    """
    runs = pd.read_csv(Path(folder, name), keep_default_na=False, na_values={"seconds": [""]})
    runs = runs[runs.status == "done"].astype(
        {"accuracy": float, "model_share": float, "model_size": int, "n_examples": int}
        | {"n_updates": int, "epoch": int}
    )
    old = runs[runs.epoch != runs.method.map(EPOCHS)]
    if len(old):
        raise ValueError(
            f"runs of {', '.join(old.method.unique())} are of another epoch than today's: "
            "abacoc reproduce --profile full --update computes them anew"
        )
    settings = runs.settings.map(json.loads)
    runs["budget"] = settings.map(lambda own: own.get("budget", float("nan")))
    runs["level"] = runs.budget.fillna(runs.rate)
    runs["standard"] = _plain(runs) & as_text(runs) & (name == RESULTS)
    runs["set"], runs["name"] = runs.stream.map(set_of), runs.stream.map(label)
    for column, wanted in {"set": sets, "method": methods, "seed": seeds}.items():
        if wanted is not None:
            runs = runs[runs[column].isin(wanted)]
    return runs.reset_index(drop=True)


def read_if_there(folder: str | Path) -> pd.DataFrame:
    """All finished runs, or a table without rows where there is no ``results.csv``.

    >>> streams_of_the_paper(read_if_there("/nowhere"))
    []
    """
    if Path(folder, "results.csv").is_file():
        return read(folder)
    words = ("stream", "set", "name", "method", "scale", "settings", "order")
    asked, found = ("rate", "budget", "level", "seed"), ("accuracy", "model_share", "model_size")
    numbers = (*asked, *found, "n_examples", "n_updates")
    types = dict.fromkeys(words, object) | dict.fromkeys(numbers, float) | {"standard": bool}
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in types.items()})


def _plain(runs: pd.DataFrame) -> pd.Series[bool]:
    """Run with nothing ablated, by a method of the figures or a yardstick."""
    plain = runs.settings.map(lambda text: not ABLATED & set(json.loads(text))).astype(bool)
    return plain & ~runs.method.isin((*MENTIONED, *SUCCESSORS))


def as_text(runs: pd.DataFrame) -> pd.Series[bool]:
    """Whether a run's scaling and order are those of the protocol `raw`."""
    scale = runs.method.isin(OWN[:2]).map({True: "unit", False: "none"})
    return (runs["scale"] == scale) & (runs.order == "file")


def as_published(runs: pd.DataFrame) -> pd.Series[bool]:
    """Whether a run's scaling and order are those of the protocol `paper`."""
    shuffled = runs.set.isin(SHUFFLED)
    return (runs["scale"] == "unit") & (shuffled == (runs.order != "file"))


def under(runs: pd.DataFrame, protocol: str) -> pd.DataFrame:
    """The runs of a protocol, as standard ones.

    `raw` takes the text at its word: attributes as they are, norm 1 for BASE and BASE-ADJ, the
    order of the file. `paper` is what the published numbers look like: norm 1 for every method,
    some sets in random order.
    """
    if protocol == "raw":
        return runs[runs.standard]
    return runs[_plain(runs) & as_published(runs)].assign(standard=True)


def streams_of_the_paper(
    runs: pd.DataFrame,
    methods: Iterable[str] = (),
    levels: Iterable[float] = (),
    stand_ins: bool = True,
) -> list[str]:
    """One stream for each set of Table I on which all these methods ran at all these levels.

    Of a set and its heads the longest that qualifies is taken, and a generated stand-in only if
    nothing else does. In the order of Table I. All have a run with all labels and no bound: the
    figures are relative to the best of those.
    """
    standard = runs[runs.standard]
    wanted = {(method, level) for method in methods for level in levels}
    found: dict[str, tuple[bool, int, str]] = {}
    for stream, part in standard.groupby("stream"):
        whole = part[(part.rate == 1) & part.budget.isna()]
        if whole.empty or not wanted <= set(zip(part.method, part.level, strict=True)):
            continue
        real = not is_generated(str(stream))
        if real or stand_ins:
            rank = (real, int(part.n_examples.iloc[0]), str(stream))
            found[part.set.iloc[0]] = max(found.get(part.set.iloc[0], rank), rank)
    return [found[name][-1] for name in table1() if name in found]


def with_runs(runs: pd.DataFrame, methods: Iterable[str], levels: Sequence[float]) -> list[str]:
    """The methods that ran at all these levels on at least one set of Table I."""
    return [method for method in methods if streams_of_the_paper(runs, [method], levels)]


def best_of_each_stream(runs: pd.DataFrame) -> pd.Series[float]:
    """The highest accuracy of any of the nine with all labels (rate 1) and no bound on the model.

    Of a stream in several orders, the highest mean over the orders.
    """
    free = runs[runs.standard & (runs.rate == 1) & runs.method.isin((*OWN, *COMPETITORS))]
    return free.groupby(["stream", "method"]).accuracy.mean().groupby("stream").max()


def every_seed(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs, those without chance repeated for every seed that others of their kind have.

    A mean over streams is made seed by seed; a run without chance, or one that was repeated less
    often, stands for every seed.

    >>> few = pd.DataFrame({"stream": ["a", "b", "b"], "method": "m", "level": 1.0})
    >>> few["seed"], few["accuracy"] = [0, 0, 1], [0.5, 0.6, 0.7]
    >>> every_seed(few)[["stream", "seed", "accuracy"]].to_numpy().tolist()
    [['a', 0, 0.5], ['a', 1, 0.5], ['b', 0, 0.6], ['b', 1, 0.7]]
    """
    parts = []
    for _, point in runs.groupby(["method", "level"], sort=False):
        for _, own in point.groupby("stream", sort=False):
            first = own.iloc[[0]]
            missing = sorted(set(point.seed) - set(own.seed))
            parts += [own, *(first.assign(seed=seed) for seed in missing)]
    whole = pd.concat(parts) if parts else runs
    return whole.sort_values(["method", "level", "stream", "seed"], kind="stable")


def label(stream: str) -> str:
    """A stream for people.

    >>> label("covtype,head=20000"), label("generated:hyperplane,n=1000,seed=1")
    ('covtype (first 20,000)', 'hyperPlane (generated)')
    """
    if is_generated(stream):
        return f"{set_of(stream)} (generated)"
    name, _, head = stream.partition(",head=")
    return f"{name} (first {int(head):,})" if head else name


def coverage(streams: Sequence[str]) -> str:
    """Which sets a mean is over, and which are not in it.

    >>> coverage(["sea"])[:54]
    'Ours is over 1 of the 11 sets: sea. Not in it: sensor,'
    """
    lacking = [name for name in table1() if name not in map(set_of, streams)]
    told = f"Ours is over {len(streams)} of the {len(table1())} sets: "
    told += ", ".join(map(label, streams)) + "."
    return told + (f" Not in it: {', '.join(lacking)}." if lacking else "")
