"""VFDT: MOA's where the extra ``moa`` is installed, else River's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abacoc import wording
from abacoc.ballset import Label
from abacoc.baselines.river import RiverClassifier
from abacoc.methods import has_moa

LEAF_PREDICTIONS = {"MC": "mc", "NB": "nb", "NBAdaptive": "nba"}  # MOA's names and River's


def vfdt(classes: Iterable[Label] | None = None, **settings: Any) -> Any:
    """MOA's Hoeffding tree, or River's where MOA is not installed."""
    if has_moa():
        from abacoc.baselines.moa import Vfdt

        return Vfdt(classes, **settings)
    return RiverVfdt(classes or (), **settings)


class RiverVfdt(RiverClassifier):
    """River's HoeffdingTreeClassifier behind our interface, with the settings of ``Vfdt``.

    It is a port of MOA's tree and not the same program: its numbers are reported under its own
    name. The model size is the number of leaves.

        run = prequential(RiverVfdt(), X, y)
    """

    runs_as = "River HoeffdingTreeClassifier"
    unit = "leaves"

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
        model = HoeffdingTreeClassifier(
            grace_period=grace_period,
            delta=split_confidence,
            tau=tie_threshold,
            leaf_prediction=LEAF_PREDICTIONS[leaf_prediction],
        )
        super().__init__(model, size="n_leaves", classes=classes)
        self._given |= {
            "split_confidence": split_confidence,
            "tie_threshold": tie_threshold,
            "grace_period": grace_period,
            "leaf_prediction": leaf_prediction,
        }
