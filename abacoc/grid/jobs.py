"""One job of the grid: a stream, a method, a rate and a seed; and how it is run."""

from __future__ import annotations

import operator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from abacoc.grid.inputs import FILE, head_of, open_job_stream, shuffle_of
from abacoc.methods import get
from abacoc.scaling import ONLINE, SCALES, scaled
from abacoc.scores import or_none

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

WINDOWS = 100  # points of the curve of a run

# A setting that is None by default has no value to take its type from.
_KINDS: dict[str, type] = {"radius_rule": str, "budget": float, "gamma": float}

_NAMES = {int: "a whole number", float: "a number", str: "a word"}

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, order=True)
class Job:
    """What is run. Two ways to write the same job are equal: defaults are left out.

    The stream is a registered set, perhaps the head of it (``covtype,head=20000``), or generated
    (``generated:sea,n=1000``).

    >>> print(Job("sea", "auto-adj", 1, 0, "none", (("reading", "paper"), ("d_hat", 3))))
    auto-adj on sea, rate 1, d_hat 3.0, seed 0
    """

    stream: str
    method: str
    rate: float
    seed: int
    scale: str
    settings: Settings = ()
    order: str = FILE  # or shuffle=SEED

    def __post_init__(self) -> None:
        """Refuse what could not be run, and bring the rest to one form."""
        get(self.method)
        if self.scale not in (*SCALES, *ONLINE):
            known = ", ".join((*SCALES, *ONLINE))
            raise ValueError(f"unknown scaling {self.scale!r}: it is one of {known}")
        if not 0 < self.rate <= 1:
            raise ValueError(f"the rate must be above 0 and at most 1, not {self.rate}")
        if operator.index(self.seed) < 0:
            raise ValueError(f"the seed is at least 0, not {self.seed}")
        head_of(self.stream)
        shuffle_of(self.order)
        for name, value in (
            ("rate", float(self.rate)),
            ("seed", operator.index(self.seed)),
            ("settings", _canonical(self.method, self.settings)),
        ):
            object.__setattr__(self, name, value)

    @property
    def is_random(self) -> bool:
        """Whether the seed can change what comes out."""
        chosen = dict(self.settings)
        own = get(self.method).chance or "budget" in chosen or chosen.get("vote") == "randomized"
        return self.rate < 1 or own

    def as_dict(self) -> dict[str, Any]:
        """Plain types, for JSON."""
        return asdict(self) | {"settings": dict(self.settings)}

    def __str__(self) -> str:
        """One line for people."""
        chosen = "".join(f", {name} {value}" for name, value in self.settings)
        where = "" if self.scale == "none" else f" scaled by {self.scale}"
        where += "" if self.order == FILE else f", {self.order}"
        return (
            f"{self.method} on {self.stream}{where}, rate {self.rate:g}{chosen}, seed {self.seed}"
        )


def make_job(
    stream: str,
    method: str,
    rate: float = 1.0,
    seed: int = 0,
    scale: str | None = None,
    order: str = FILE,
    **settings: Any,
) -> Job:
    """A job with the scaling of the paper unless one is given: BASE and BASE-ADJ get norm 1.

    >>> make_job("sea", "base").scale, make_job("sea", "auto").scale
    ('unit', 'none')
    """
    scale = scale or ("unit" if method in ("base", "base-adj") else "none")
    return Job(stream, method, rate, seed, scale, tuple(settings.items()), order)


def settings_of(method: str) -> dict[str, Any]:
    """What a method takes in a job, and what it is if it is not given.

    The budget of AUTO-ADJ FIX is a share of the stream. K-PERC's gamma is given as it is, or
    relative to one over the typical squared distance of the stream.

    >>> settings_of("auto-adj-fix")
    {'reading': 'paper', 'd_hat': 2.0, 'radius_rule': None, 'budget': None}
    """
    known = get(method)
    own: dict[str, Any] = {"reading": "paper"} if known.is_ours else {}
    own |= known.settings
    if known.variant_of and known.budget:
        own["budget"] = None
    return own | ({"relative_gamma": 1.0} if method == "k-perc" else {})


def _canonical(method: str, settings: Settings) -> Settings:
    """Sorted, each value of one type, without what is the default anyway."""
    own = settings_of(method)
    kept = {}
    for name, value in settings:
        if name not in own:
            raise ValueError(f"{method} has no setting {name!r}; it has {', '.join(own) or 'none'}")
        if value is not None:
            kind = _KINDS.get(name, type(own[name]))
            if kind(value) != value:
                raise ValueError(f"{method}: {name} is {_NAMES[kind]}, not {value!r}")
            if kind(value) != own[name]:
                kept[name] = kind(value)
    if method == "auto-adj-fix" and not 0 < kept.get("budget", 0) <= 1:
        raise ValueError("auto-adj-fix needs a budget: a share of the stream such as 0.01")
    if "gamma" in kept and "relative_gamma" in kept:
        raise ValueError("k-perc takes gamma or relative_gamma, not both")
    return tuple(sorted(kept.items()))


# Running --------------------------------------------------------------------------------------


def run_job(job: Job) -> dict[str, Any]:
    """Algorithm 5; the totals, and accuracy and model size in 100 windows of the stream.

    All but ``seconds`` is the same whenever and wherever it is run. ``resolved`` has the settings
    that depend on the stream: the budget in balls, gamma as it was used.

    >>> result = run_job(make_job("generated:banana,n=500", "auto-adj-fix", budget=0.01))
    >>> result["model_size"], result["model_share"], result["resolved"]
    (5, 0.01, {'budget': 5})
    """
    from abacoc.protocol import Run, prequential_pieces

    stream = open_job_stream(job.stream, job.order)
    X = scaled(stream.X, job.scale)
    learner, resolved = _learner(job, X, stream.labels)
    if job.scale in ONLINE:
        from abacoc.online import Scaled

        learner, X = Scaled(learner, job.scale), stream.X  # it scales by itself
    # The coin of Algorithm 2 knows 0 and 1 only; everybody else gets the labels of the input,
    # as from the shell.
    coded = dict(job.settings).get("vote") == "randomized"
    names: Sequence[Any] = range(len(stream.labels)) if coded else stream.labels
    curve: dict[str, list[Any]] = {"ends": [], "accuracy": [], "model_sizes": []}

    def add(y: Sequence[Any], run: Run) -> None:
        assert run.predictions is not None
        curve["ends"].append(run.n_examples)
        curve["accuracy"].append(sum(map(operator.eq, y, run.predictions)) / len(y))
        curve["model_sizes"].append(run.n_balls)

    if hasattr(learner, "compile_now"):
        learner.compile_now()  # the seconds of all runs are those of compiled ones
    run = prequential_pieces(
        learner, _windows(X, stream.y, names), rate=job.rate, seed=job.seed, after_piece=add
    )
    return {
        "accuracy": run.accuracy,
        "kappa": or_none(run.kappa),
        "kappa_temporal": or_none(run.kappa_temporal),
        "macro_f1": run.macro_f1,
        "model_size": run.n_balls,
        "model_share": run.n_balls / run.n_examples,
        "n_examples": run.n_examples,
        "n_updates": run.n_updates,
        "n_attributes": stream.n_attributes,
        "n_classes": len(np.unique(stream.y)),  # a head may lack some
        "method_used": get(job.method).used(learner),
        "resolved": resolved,
        "curve": curve,
        "seconds": run.seconds,
    }


def _windows(
    X: NDArray[np.float64], y: NDArray[np.int64], names: Sequence[Any]
) -> Iterator[tuple[NDArray[np.float64], list[Any]]]:
    """The stream in parts that differ in length by one at most."""
    count = min(WINDOWS, len(X))
    for i in range(count):
        part = slice(i * len(X) // count, (i + 1) * len(X) // count)
        yield X[part], [names[k] for k in y[part].tolist()]


def _learner(job: Job, X: NDArray[np.float64], labels: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """The learner, and the settings that were found from the stream."""
    # all are named: the default of the class BASE is the coin, that of the experiments is not
    settings, resolved = settings_of(job.method) | dict(job.settings), {}
    relative = settings.pop("relative_gamma", None)
    if relative is not None and settings["gamma"] is None:
        from abacoc.baselines.kperc import typical_square

        resolved = {"gamma": relative / typical_square(X)}
    if "budget" in settings:
        resolved = {"budget": max(2, round(settings["budget"] * len(X)))}
    if "budget" in settings or get(job.method).chance:
        settings["seed"] = job.seed
    return get(job.method).make(settings | resolved, labels), resolved
