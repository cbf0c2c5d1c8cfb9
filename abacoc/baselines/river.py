"""Any classifier of River behind our interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc import checks, wording
from abacoc.ballset import Label


class RiverClassifier:
    """A classifier of River; any labels will do, new ones too.

    River sorts the classes where scores tie, or takes them as a set has them. It is given their
    numbers, in the order of ``classes`` and then of appearance: the same run every time.

    ``size`` names the attribute that is the model size; of an ensemble it is added up.

        learner = RiverClassifier(river.tree.HoeffdingTreeClassifier(), size="n_leaves")
    """

    unit = "units of size"

    def __init__(self, model: Any, *, size: str, classes: Any = ()) -> None:
        self.classes: list[Label] = list(classes)
        self._given: dict[str, Any] = {"model": model, "size": size}
        self._given["classes"] = list(self.classes) or ()
        self._model, self._size = model, size
        self._number = {y: k for k, y in enumerate(self.classes)}
        self._dimension: int | None = None

    def __repr__(self) -> str:
        return wording.learner(self, self.unit)

    @property
    def n_balls(self) -> int:
        """The model size."""
        parts = [self._model] if hasattr(self._model, self._size) else self._model
        return sum(int(getattr(part, self._size) or 0) for part in parts)

    @property
    def n_bytes(self) -> int:
        """The memory of the model as River counts it, which takes its time."""
        return int(self._model._raw_memory_usage)

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
        """A copy of ``x`` as a vector; ValueError if River must not see it."""
        vector = checks.as_vector(x, f"{type(self).__name__} learns from numeric attributes")
        # the estimators of mean and variance square what they are given
        checks.check_attributes(vector, self._dimension, checks.largest_to_square(vector.size))
        return vector

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""
        return checks.check_label(y)


def _features(vector: NDArray[np.float64]) -> dict[int, float]:
    return dict(enumerate(vector.tolist()))
