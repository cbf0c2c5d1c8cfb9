"""VFDT: MOA's where the extra ``moa`` is installed, else River's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc import checks, wording
from abacoc.ballset import Label
from abacoc.methods import has_moa

LEAF_PREDICTIONS = {"MC": "mc", "NB": "nb", "NBAdaptive": "nba"}  # MOA's names and River's


def vfdt(classes: Iterable[Label] | None = None, **settings: Any) -> Any:
    """MOA's Hoeffding tree, or River's where MOA is not installed."""
    if has_moa():
        from abacoc.baselines.moa import Vfdt

        return Vfdt(classes, **settings)
    return RiverVfdt(classes or (), **settings)


class RiverVfdt:
    """River's HoeffdingTreeClassifier behind our interface, with the settings of ``Vfdt``.

    It is a port of MOA's tree and not the same program: its numbers are reported under its own
    name. The model size is the number of leaves.

    River sorts the classes where scores tie. It is given their numbers, in the order of
    ``classes`` and then of appearance, so that labels of any kind will do.

        run = prequential(RiverVfdt(), X, y)
    """

    runs_as = "River HoeffdingTreeClassifier"

    def __init__(
        self,
        classes: Iterable[Label] = (),
        *,
        split_confidence: float = 1e-7,
        tie_threshold: float = 0.05,
        grace_period: int = 200,
        leaf_prediction: str = "NBAdaptive",
    ) -> None:
        if leaf_prediction not in LEAF_PREDICTIONS:
            known = ", ".join(LEAF_PREDICTIONS)
            raise ValueError(f"the leaf prediction is one of {known}, not {leaf_prediction!r}")
        try:
            from river.tree import HoeffdingTreeClassifier
        except ModuleNotFoundError:
            raise ValueError(wording.missing("this tree", "river", "river")) from None
        self.classes = list(classes)
        self._given = {
            "classes": list(self.classes) or (),
            "split_confidence": split_confidence,
            "tie_threshold": tie_threshold,
            "grace_period": grace_period,
            "leaf_prediction": leaf_prediction,
        }
        self._model: Any = HoeffdingTreeClassifier(
            grace_period=grace_period,
            delta=split_confidence,
            tau=tie_threshold,
            leaf_prediction=LEAF_PREDICTIONS[leaf_prediction],
        )
        self._number = {y: k for k, y in enumerate(self.classes)}
        self._dimension: int | None = None

    def __repr__(self) -> str:
        return wording.learner(self, "leaves")

    @property
    def n_balls(self) -> int:
        """The model size: the number of leaves."""
        return int(self._model.n_leaves or 0)

    def predict(self, x: Any) -> Label | None:
        """River's prediction for ``x``; None while nothing was learned."""
        k = self._model.predict_one(_features(self.check_point(x)))
        return None if k is None else self.classes[k]

    def update(self, x: Any, y: Label) -> None:
        """Learn one example."""
        vector, y = self.check_point(x), self.check_label(y)
        self._dimension = vector.size
        k = self._number.setdefault(y, len(self.classes))
        if k == len(self.classes):
            self.classes.append(y)
        self._model.learn_one(_features(vector), k)

    def check_point(self, x: Any) -> NDArray[np.float64]:
        """A copy of ``x`` as a vector; ValueError if the tree must not see it."""
        vector = checks.as_vector(x, f"{type(self).__name__} learns from numeric attributes")
        # the estimators of mean and variance square what they are given
        checks.check_attributes(vector, self._dimension, checks.largest_to_square(vector.size))
        return vector

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""
        return checks.check_label(y)


def _features(vector: NDArray[np.float64]) -> dict[int, float]:
    return dict(enumerate(vector.tolist()))
