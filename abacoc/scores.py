"""What a run is worth beside its accuracy: kappa, kappa-temporal, macro-F1.

Kappa asks how much of the way from chance to perfection a run came, where chance has the run's own
frequencies of classes. Kappa-temporal asks the same from NoChange on, which repeats the last label:
on streams whose labels come in long stretches nothing less is worth having (Zliobaite, Bifet, Read,
Pfahringer and Holmes, 2015). Macro-F1 is the mean of the classes' F1, each as heavy as any other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Scores:
    """Counts of labels and predictions, from which the scores come; nothing else is kept.

    No prediction is a wrong one, of no class.

    >>> scores = Scores()
    >>> codes = scores.add(["a", "a", "b", "b"], [None, "a", "a", "b"])
    >>> scores.no_change, scores.kappa, round(scores.kappa_temporal, 12), round(scores.macro_f1, 4)
    (0.5, 0.2, 0.0, 0.5833)
    """

    def __init__(self) -> None:
        self.n = self.hits = 0
        self.stays = 0  # labels that are the one before
        self.pairs: Counter[tuple[int, int]] = Counter()  # label and prediction, by number
        self._number: dict[Any, int] = {None: -1}
        self._last = -1

    def add(
        self, labels: Sequence[Any], predictions: Sequence[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Count some examples, in the order of the stream; the numbers of labels and predictions.

        Classes are numbered as they come; no prediction is -1.
        """
        codes, named = self._numbered(labels), self._numbered(predictions)
        if len(codes):
            self.stays += int((codes[1:] == codes[:-1]).sum()) + int(codes[0] == self._last)
            self.hits += int((codes == named).sum())
            n = len(self._number)  # a pair as one number: columns would be sorted far more slowly
            pairs, counts = np.unique(codes * n + named + 1, return_counts=True)
            for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
                self.pairs[pair // n, pair % n - 1] += count
            self._last = int(codes[-1])
            self.n += len(codes)
        return codes, named

    def _numbered(self, labels: Sequence[Any]) -> NDArray[np.int64]:
        number = self._number
        for label in dict.fromkeys(labels):
            number.setdefault(label, len(number) - 1)
        return np.fromiter(map(number.__getitem__, labels), np.int64, len(labels))

    @property
    def no_change(self) -> float:
        """The accuracy of NoChange, which has no prediction for the first example."""
        return self.stays / self.n

    @property
    def kappa(self) -> float:
        """Cohen's kappa; nan where chance alone is always right."""
        labels: Counter[int] = Counter()
        predictions: Counter[int] = Counter()
        for (label, prediction), count in self.pairs.items():
            labels[label] += count
            predictions[prediction] += count
        agree = sum(count * predictions[k] for k, count in labels.items())
        # in whole numbers: n hits - agree over n^2 - agree
        return _ratio(self.n * self.hits - agree, self.n * self.n - agree)

    @property
    def kappa_temporal(self) -> float:
        """The same with NoChange in the place of chance; nan where that is always right."""
        return _ratio(self.hits - self.stays, self.n - self.stays)

    @property
    def macro_f1(self) -> float:
        """The mean over the classes of the stream of 2 TP / (2 TP + FP + FN)."""
        right: Counter[int] = Counter()
        named: Counter[int] = Counter()  # as label or as prediction: 2 TP + FP + FN
        for (label, prediction), count in self.pairs.items():
            named[label] += count
            named[prediction] += count
            right[label] += count * (label == prediction)
        return math.fsum(2 * right[k] / named[k] for k in right) / len(right)


def _ratio(above: int, below: int) -> float:
    return above / below if below else math.nan


def or_none(score: float) -> float | None:
    """A score for JSON, which has no NaN.

    >>> or_none(0.5), or_none(math.nan)
    (0.5, None)
    """
    return None if math.isnan(score) else score
