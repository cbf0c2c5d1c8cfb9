"""What is measured, and how patiently: peers, streams and the three profiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from abacoc.streams import Stream, generate, load

OURS = "ours"
# Everybody that ours is compared with, and what the tables call it.
PEERS = {
    "plain": "compiled, plain scan",
    "scan": "compiled, best scan",
    "authors": "compiled, as the authors'",
    "one-at-a-time": "compiled, one call each",
    "reference": "the reference (NumPy)",
    "river-tree": "River Hoeffding tree",
    "river-lazy": "River KNN, LazySearch",
    "river-swinn": "River KNN, SWINN",
    "moa-knn": "MOA lazy.kNN, by JPype",
    "kd-tree": "scikit-learn KDTree",
}
TITLES = {OURS: "ours (compiled)"} | PEERS

REAL = ("electricity", "sea", "connect-4", "covtype")
SEED = 20140815
# Attributes, and the share of labels that are flipped. It decides how many balls AUTO-ADJ opens:
# at a million examples about 100,000 where d = 5.
UNIFORM = {"uniform-2": (2, 0.3), "uniform-5": (5, 0.2), "uniform-10": (10, 0.1)}
STREAMS = (*REAL, *UNIFORM)


@dataclass(frozen=True)
class Profile:
    """How much is measured."""

    streams: tuple[str, ...]
    limit: int | None  # so many examples of a real stream at most
    sizes: tuple[int, ...]  # of the uniform streams; the speed is measured at the last
    budget: float  # seconds for one measurement of a slow peer
    fill: float  # seconds to fill the window of a peer; not part of any measurement
    patience: float  # who took longer than so many seconds over a stream is not asked again


PROFILES = {
    "tiny": Profile(("uniform-2", "uniform-5"), 500, (300, 600, 1_200), 0.05, 2.0, 1.0),
    "quick": Profile(STREAMS, 100_000, (10_000, 30_000, 100_000), 1.0, 10.0, 10.0),
    "full": Profile(STREAMS, None, (10_000, 30_000, 100_000, 300_000, 1_000_000), 3.0, 30.0, 20.0),
}


def chosen(text: str | None, known: Iterable[str], what: str) -> tuple[str, ...]:
    """The names in a list such as ``a,b``, all that are known without one, or ValueError.

    >>> chosen("sea, covtype", STREAMS, "stream")
    ('sea', 'covtype')
    """
    known = tuple(known)
    if text is None:
        return known
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}; there are {', '.join(known)}")
    return names


def open_data(name: str, profile: Profile) -> Stream:
    """A stream by its name; ValueError that says how to get it if it is not here."""
    if name in UNIFORM:
        d, noise = UNIFORM[name]
        stream = generate("uniform", n=profile.sizes[-1], seed=SEED, d=d, noise=noise)
        return replace(stream, name=name, note=f"{noise:.0%} of the labels are flipped")
    stream = load(name)
    kept, n = head(stream, profile.limit), stream.n_examples
    note = "the whole set" if kept.n_examples == n else f"the first of {n:,} examples"
    return replace(kept, note=note)


def head(stream: Stream, n: int | None) -> Stream:
    """The first ``n`` examples."""
    return replace(stream, X=stream.X[:n], y=stream.y[:n])
