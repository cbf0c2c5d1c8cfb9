"""Which jobs make up a figure, a table or an ablation, in three sizes.

Items share jobs, and a job is computed once: Tables II and III are a part of Figure 4, and all
figures have the same runs at rate 1. A run without chance has one seed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from typing import Any

from abacoc.grid.costs import estimated_seconds
from abacoc.grid.inputs import head_of, shape
from abacoc.grid.jobs import Job, make_job
from abacoc.grid.tables import Omission
from abacoc.methods import COMPETITORS, METHODS, OWN, YARDSTICKS, has_moa
from abacoc.scaling import SCALES
from abacoc.streams.datasets import DATASETS
from abacoc.streams.finding import locate
from abacoc.streams.generators import is_generated
from abacoc.streams.registry import how_to_get

AUTO = ("auto", "auto-adj")
NINE = (*OWN, *COMPETITORS)
FIX = "auto-adj-fix"
RATES = (0.01, 0.03, 0.05, 0.1)
READINGS = ("paper", "literal", "authors")
D_HATS = (0.0, 1.0, 2.0, 3.0, 5.0, 10.0)
TUNING_RATE = 0.1  # the paper does not say at which rate it tuned
TUNING_LENGTH = 100_000  # of a longer stream only the head is tuned on

# Synthetic sets whose file is not here are generated anew, and named as generated.
STAND_INS = {"hyperPlane": "generated:hyperplane", "sea": "generated:sea,variant=file"}
VARIANTS = ("kddcup99-41",)

TINY = ("generated:sea,n=500,block=125", "generated:hyperplane,n=400")
REGISTERED = tuple(DATASETS)  # those of Table I, and banana
# Sets that the paper seems to have had in random order: see the notebook `identity`.
SHUFFLED = ("covtype",)
# IBLStreams: the examples with which it begins if not with 1,000, which a small rate hardly gives;
# 50, for as many are looked at around an example. And the sets where one seed has to do.
EARLY = 50
LONG = ("covtype", "kddcup99")

# The competitors with other settings: VFDT with other leaves than MOA's own, NBAdaptive; widths of
# K-PERC's kernel that know nothing of the data; and trees and rules that split all the time (split
# confidence, tie threshold, grace period), on sets where that is cheap.
OTHERS = "competitors"
LEAVES = ("MC", "NB")
WIDTHS = tuple(2.0**e for e in range(-10, 11, 2))
EAGER = ((1e-7, 0.05, 10), (1e-7, 1, 50), (1e-7, 1, 10), (0.5, 1, 10), (1, 1, 1))
EAGER_ON = ("electricity", "poker", "sea", "powersupply")
Chosen = Mapping[tuple[str, str, str], Mapping[str, Any]]  # of a method on a stream, scaled so
Streams = Sequence[str]
Jobs = Iterator[Job]


@dataclass(frozen=True)
class Profile:
    """The size of a grid."""

    streams: tuple[str, ...]
    seeds: tuple[int, ...]
    cap: float  # seconds; a job that is estimated to take longer is left out
    tuned: tuple[str, ...]  # methods whose settings are tuned to each stream
    chosen: Chosen = field(default_factory=dict)  # what tuning found


PROFILES = {
    "tiny": Profile(TINY, (0, 1), 5.0, ("k-perc",)),
    # a part of `full`, without the long runs: each can be compared with its stored result
    "quick": Profile(REGISTERED, (0,), 2.5, ()),
    "full": Profile(REGISTERED, (0, 1, 2, 3, 4), 600.0, ("k-perc", "vfdt", "rules")),
}


@dataclass(frozen=True)
class Grid:
    """Jobs to be run, and what is left out."""

    jobs: tuple[Job, ...]
    omitted: tuple[Omission, ...]
    missing: tuple[tuple[str, str], ...]  # sets that are not here, and how to get them

    @property
    def seconds(self) -> float:
        """The estimated time on one free core."""
        return sum(map(estimated_seconds, self.jobs))


def grid(
    item: str, profile: str = "quick", chosen: Chosen | None = None, stored: Collection[str] = ()
) -> Grid:
    """The grid of an item; ``chosen`` are the settings that tuning found, see `batch.choose`.

    Nothing stands in for a set with ``stored`` runs: it would be counted twice.

    >>> len(grid("fig2", "tiny").jobs), len(grid("tables", "tiny").jobs)
    (8, 48)
    """
    for what, name, known in (("item", item, ITEMS), ("profile", profile, PROFILES)):
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}: it is one of {', '.join(known)}")
    size = replace(PROFILES[profile], chosen=chosen or {})
    here, missing = _at_hand(size.streams, stored)
    jobs = {}
    for job in dict.fromkeys(ITEMS[item](size, here)):  # in order, each once
        settings = size.chosen.get((head_of(job.stream)[0], job.method, job.scale), {})
        if settings and not job.settings and item != OTHERS:
            job = replace(job, settings=tuple(settings.items()))
        jobs[job] = _reason_to_omit(job, size.cap)
    omitted = tuple(Omission(job, reason) for job, reason in jobs.items() if reason)
    return Grid(tuple(job for job, reason in jobs.items() if not reason), omitted, missing)


def set_of(stream: str) -> str:
    """The registered set that a stream is, is the head of, or stands in for.

    >>> set_of("covtype,head=20000"), set_of("generated:hyperplane,n=400")
    ('covtype', 'hyperPlane')
    """
    name = head_of(stream)[0].partition(",")[0]
    stands_for = {text.partition(",")[0]: known for known, text in STAND_INS.items()}
    return stands_for.get(name, name.removeprefix("generated:"))


def _at_hand(
    streams: Sequence[str], stored: Collection[str]
) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    here, missing = [], []
    for stream in streams:
        name = head_of(stream)[0]
        if is_generated(stream) or locate(DATASETS[name]) is not None:
            here.append(stream)
            continue
        instead = None if stream in stored else STAND_INS.get(name)
        here += [instead] if instead else []
        note = f"; {instead} stands in for it" if instead else ""
        missing.append((name, how_to_get(name) + note))
    return here, tuple(missing)


def _reason_to_omit(job: Job, cap: float) -> str:
    if job.method == "rules" and not has_moa():
        return "RULES needs the extra moa"
    if job.method == "vfdt" and not has_moa() and not find_spec("river"):
        return "VFDT needs the extra moa or river"
    seconds = estimated_seconds(job)
    if seconds > cap:
        return f"would take about {seconds:,.0f} s, more than the {cap:g} s of this profile"
    return ""


# The items ------------------------------------------------------------------------------------


def _at(size: Profile, streams: Streams, methods: Streams, rates: Sequence[float]) -> Jobs:
    for stream, method, rate in itertools.product(streams, methods, rates):
        for seed in size.seeds if rate < 1 else (0,):
            yield make_job(stream, method, rate, seed)


def _with_fix(size: Profile, streams: Streams, rates: Sequence[float]) -> Jobs:
    """Two methods at these rates, and AUTO-ADJ FIX with budgets as large."""
    yield from _at(size, streams, ("nn3", "auto-adj"), rates)
    for stream, budget, seed in itertools.product(streams, rates, size.seeds):
        yield make_job(stream, FIX, seed=seed, budget=budget)


def _as_published(size: Profile, jobs: Iterable[Job]) -> Jobs:
    """The same as the paper seems to have run it: norm 1 for all, some sets in random order."""
    for job in jobs:
        job = replace(job, scale="unit")
        if set_of(job.stream) not in SHUFFLED:
            yield job
        elif job.is_random:
            yield replace(job, order=f"shuffle={job.seed}")
        else:  # every order is a run of its own
            for seed in size.seeds:
                yield replace(job, seed=seed, order=f"shuffle={seed}")


def _paper(size: Profile, streams: Streams) -> Jobs:
    """Tables II and III and Figures 2 to 4 under the protocol `paper`."""
    yield from _as_published(size, _at(size, streams, (*NINE, *YARDSTICKS), (*RATES, 1.0)))
    yield from _as_published(size, _with_fix(size, streams, RATES))


def _figure3(size: Profile, streams: Streams) -> Jobs:
    """With rate 1, whose best method is what the figure is relative to.

    And VFDT with leaves that predict their majority class, at both ends: the paper does not say
    which leaves it had, and MOA's default is naive Bayes where that has been better so far.
    """
    yield from _at(size, streams, (*NINE, *YARDSTICKS), (*RATES, 1.0))
    ends = (RATES[0], RATES[-1]) if "vfdt" in NINE else ()
    for stream, rate, seed in itertools.product(streams, ends, size.seeds):
        yield make_job(stream, "vfdt", rate, seed, leaf_prediction="MC")


def _figure4(size: Profile, streams: Streams) -> Jobs:
    yield from _with_fix(size, streams, RATES)
    yield from _at(size, streams, NINE, (1.0,))


_budgets = partial(_with_fix, rates=(0.1, 0.01))  # Tables II and III: 10 % and 1 %


def _tables(size: Profile, streams: Streams) -> Jobs:
    """Under both protocols."""
    yield from _budgets(size, streams)
    yield from _as_published(size, _budgets(size, streams))


def _drift(size: Profile, streams: Streams) -> Jobs:
    """What the curves over time are drawn of, on the sets that drift."""
    entries = {stream: DATASETS.get(set_of(stream)) for stream in streams}
    drifting = [s for s, entry in entries.items() if entry and entry.table1 and entry.table1.drift]
    yield from _budgets(size, drifting)
    yield from _at(size, drifting, ("auto-adj",), (1.0,))


def _identity(size: Profile, streams: Streams) -> Jobs:
    """The tables under every scaling, in the order of the file and in random ones; real sets only.

    Beside them kddcup99 with codes for its categories, as it is and with norm 1.
    """
    sets = [stream for stream in streams if stream in DATASETS and DATASETS[stream].table1]
    codes = VARIANTS if "kddcup99" in sets else ()
    for job, scale in itertools.product(_budgets(size, sets), SCALES):
        yield replace(job, scale=scale)
        yield replace(job, scale=scale, order=f"shuffle={job.seed}")
    for job, scale in itertools.product(_budgets(size, codes), ("none", "unit")):
        yield replace(job, scale=scale)


def _ablation(size: Profile, streams: Streams) -> Jobs:
    """One thing changed at a time with all labels; and d-hat again where labels are few."""
    for stream, method in itertools.product(streams, OWN):
        for scale in SCALES:
            yield make_job(stream, method, scale=scale)
        for reading in READINGS if method in AUTO else ("literal",):  # the authors have no BASE
            yield make_job(stream, method, reading=reading)
        for rule in ("plus", "infinite") if method in AUTO else ():
            yield make_job(stream, method, radius_rule=rule)
        for d_hat in D_HATS if method in AUTO else ():
            yield make_job(stream, method, d_hat=d_hat)
            for seed in size.seeds:
                yield make_job(stream, method, 0.1, seed, d_hat=d_hat)


def _claims(size: Profile, streams: Streams) -> Jobs:
    """What some claims vary: d-hat under the protocol `paper`, and the coin of Algorithm 2."""
    varied = (make_job(s, "auto-adj", d_hat=d) for s, d in itertools.product(streams, D_HATS))
    yield from _as_published(size, varied)
    for stream, seed in itertools.product(streams, size.seeds):
        entry = DATASETS.get(set_of(stream))
        if entry and entry.classes == 2:
            yield make_job(stream, "base", seed=seed, vote="randomized")


def _iblstreams(size: Profile, streams: Streams) -> Jobs:
    """IBLStreams in both readings, starting as usual and early, beside RULES: both protocols.

    A long stream has one start for each rate: the usual one with all labels, else the early one.
    """
    for stream in streams:
        is_long = set_of(stream) in LONG
        few = replace(size, seeds=size.seeds[:1]) if is_long else size
        jobs = list(_at(few, [stream], ("rules",), (*RATES, 1.0)))
        for job in _at(few, [stream], ("iblstreams",), (*RATES, 1.0)):
            for reading, start in itertools.product(("described", "moa"), (1000, EARLY)):
                if not is_long or (job.rate < 1) == (start == EARLY):
                    jobs.append(replace(job, settings=(("reading", reading), ("start", start))))
        yield from jobs
        yield from _as_published(few, jobs)


def _tuning(size: Profile, streams: Streams) -> Jobs:
    """Each point of the grid of each method that is tuned."""
    for whole, method in itertools.product(streams, size.tuned):
        stream = whole if shape(whole)[0] <= TUNING_LENGTH else f"{whole},head={TUNING_LENGTH}"
        names = ["relative_gamma" if name == "gamma" else name for name in METHODS[method].tuned]
        points = itertools.product(*METHODS[method].tuned.values())
        tried = [dict(zip(names, values, strict=True)) for values in points]
        if _in_table1(whole):
            leaves = LEAVES if method == "vfdt" else ()
            tried += [own | {"leaf_prediction": kind} for kind in leaves for own in tried]
            tried += [{"gamma": width} for width in WIDTHS] if method == "k-perc" else []
        for settings in tried:
            job = make_job(stream, method, TUNING_RATE, **settings)
            yield job
            yield from _as_published(size, [job])


def _in_table1(stream: str) -> bool:
    entry = DATASETS.get(set_of(stream))
    return entry is not None and entry.table1 is not None


def family(method: str, settings: Mapping[str, Any]) -> str:
    """A method, and of its settings what is not tuned: whoever tunes compares within a family.

    >>> family("vfdt", {"leaf_prediction": "MC", "grace_period": 50}), family("vfdt", {})
    ('vfdt MC', 'vfdt')
    """
    kind = "gamma" if "gamma" in settings else settings.get("leaf_prediction", "")
    return f"{method} {kind}".rstrip()


def _competitors(size: Profile, streams: Streams) -> Jobs:
    """The competitors that are tuned, with other settings than Figure 3's, under both protocols."""
    for stream in filter(_in_table1, streams):
        yield from _other_settings(size, stream, "none")
        yield from _as_published(size, _other_settings(size, stream, "unit"))
        if set_of(stream) in EAGER_ON and {"vfdt", "rules"} <= set(size.tuned):
            yield from _as_published(size, _eager(stream))


def _other_settings(size: Profile, stream: str, scale: str) -> Jobs:
    """MOA's methods as they are, and each family tuned; one seed on a long stream."""
    settings = [(method, dict[str, Any]()) for method in ("vfdt", "rules")]
    settings += [("vfdt", {"leaf_prediction": kind}) for kind in LEAVES]
    for name in (*(f"vfdt {kind}" for kind in LEAVES), "k-perc gamma"):
        if found := size.chosen.get((head_of(stream)[0], name, scale)):
            settings.append((name.partition(" ")[0], dict(found)))
    seeds = size.seeds if shape(stream)[0] <= TUNING_LENGTH else size.seeds[:1]
    for (method, own), rate, seed in itertools.product(settings, (RATES[0], RATES[-1]), seeds):
        if method in size.tuned:
            yield make_job(stream, method, rate, seed, **own)


def _eager(stream: str) -> Jobs:
    for values, rate in itertools.product(EAGER, RATES):
        own: dict[str, Any] = dict(zip(METHODS["rules"].settings, values, strict=True))
        yield make_job(stream, "rules", rate, **own)
        yield make_job(stream, "vfdt", rate, **own, leaf_prediction="MC")


ITEMS: dict[str, Callable[[Profile, Streams], Jobs]] = {
    "fig2": lambda size, streams: _at(size, streams, OWN, (1.0,)),
    **{"fig3": _figure3, "fig4": _figure4, "tables": _tables, "drift": _drift},
    **{"identity": _identity, "ablation": _ablation, "paper": _paper, "claims": _claims},
    **{"iblstreams": _iblstreams, OTHERS: _competitors, "tuning": _tuning},
}
