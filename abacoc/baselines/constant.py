"""NoChange and Majority, which look at labels only: what any method has to beat."""

from __future__ import annotations

from collections import Counter
from typing import Any

from abacoc import checks, wording
from abacoc.ballset import Label


class LabelsOnly:
    """A method that learns nothing from the attributes, but refuses what the others refuse."""

    n_balls: Any
    unit: str

    def __init__(self) -> None:
        self._dimension: int | None = None

    def __repr__(self) -> str:
        return wording.learner(self, self.unit)

    def check_point(self, x: Any) -> Any:
        """The point as a vector; ValueError if it cannot be one."""
        dimension = self._dimension if self.n_balls else None  # set before anything is learned
        vector = checks.as_vector(x, f"{type(self).__name__} takes the streams of the others")
        limit = checks.largest_to_square(vector.size)
        checks.check_attributes(vector, dimension, limit)
        return vector

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it cannot be one."""
        return checks.check_label(y)

    def update(self, x: Any, y: Label) -> None:
        """Learn one example."""
        point, label = self.check_point(x), self.check_label(y)
        self._dimension = point.size
        self._learn(label)

    def _learn(self, label: Label) -> None:
        raise NotImplementedError


class NoChange(LabelsOnly):
    """Predicts the label that was learned last.

    >>> learner = NoChange()
    >>> for y in "a", "b":
    ...     learner.update([0.0], y)
    >>> learner.predict([0.0]), learner.n_balls
    ('b', 1)
    """

    unit = "labels"
    last: Label | None = None

    @property
    def n_balls(self) -> int:
        """One for the label it keeps."""
        return 0 if self.last is None else 1

    def predict(self, x: Any) -> Label | None:
        """The last label; None before there is one."""
        self.check_point(x)
        return self.last

    def _learn(self, label: Label) -> None:
        self.last = label


class Majority(LabelsOnly):
    """Predicts the class that was learned most often, the first seen of equals.

    >>> learner = Majority()
    >>> for y in "a", "b", "b":
    ...     learner.update([0.0], y)
    >>> learner.predict([0.0]), learner.n_balls
    ('b', 2)
    """

    unit = "classes"

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[Label] = Counter()  # in order of first appearance

    @property
    def n_balls(self) -> int:
        """The classes that it counts."""
        return len(self.counts)

    def predict(self, x: Any) -> Label | None:
        """The most frequent class; None before there is one."""
        self.check_point(x)
        return max(self.counts, key=self.counts.__getitem__, default=None)

    def _learn(self, label: Label) -> None:
        self.counts[label] += 1
