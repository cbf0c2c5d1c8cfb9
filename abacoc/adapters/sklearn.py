"""ABACOC as classifiers of scikit-learn. Needs scikit-learn (the extra ``sklearn``).

``fit`` makes one pass over the rows, in their order. It is a stream: another order gives another
model, and rows that are sorted by class should be shuffled first. ``partial_fit`` goes on where the
last call stopped; two halves give the model of the whole. scikit-learn wants to hear of all classes
in the first call of ``partial_fit``, and so do these: a label that was not announced is refused
(the River adapters take it up on the fly).

``predict_proba`` is the share of each label in the closest ball. Where two labels are equally
frequent there, ``predict`` gives the one that was learned first, and its share is larger by a last
bit: whoever takes the largest share finds the same label.

With ``scale="online"`` or ``"online-minmax"`` features are scaled by the rows learned so far, see
`abacoc.Scaled`. A pipeline with a ``StandardScaler`` would need all rows beforehand.

A frame with columns of words is taken as `abacoc.streams.as_stream` takes it: each word becomes a
0/1 column, by the frame of the first call, and later words that are new are in none of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abacoc import wording

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError as error:
    line = wording.missing("abacoc.adapters.sklearn", "scikit-learn", "sklearn")
    raise ModuleNotFoundError(line, name=error.name) from None

from abacoc.adapters.common import AutoParameters, BaseAdjParameters, BaseParameters
from abacoc.cover import Cover
from abacoc.engine.learners import AutoAdj
from abacoc.online import Scaled
from abacoc.protocol import prequential
from abacoc.streams import as_stream
from abacoc.streams.frames import has_words


class _Classifier(ClassifierMixin, BaseEstimator):
    """A learner whose labels are the positions in ``classes_``."""

    classes_: NDArray[Any]
    learner_: Cover | Scaled

    @abstractmethod
    def _new_learner(self) -> Any:
        """The learner with the parameters of this object."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn all rows in their order, from nothing; an exception leaves the model before."""
        draft = object.__new__(type(self))
        draft.__dict__.update(self.__dict__)
        X, y = draft._checked(X, y, reset=True)
        draft._start(np.unique(y), y)
        draft._learn(X, y)
        self.__dict__ = draft.__dict__
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn more rows; the first call needs all ``classes`` that will ever come.

        After an interruption those up to some row have been learned, and the others not.
        """
        first = not hasattr(self, "learner_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit")
        X, y = self._checked(X, y, reset=first)
        if classes is not None:
            known = np.unique(np.asarray(classes))
            if first:
                self._check_labels(known, y)
                self._start(known, known)
            elif not np.array_equal(known, self.classes_):
                raise ValueError(f"classes={known} are not those of the first call")
        self._check_labels(self.classes_, y)
        return self._learn(X, y)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The label of the closest ball, row by row."""
        learner, rows = self._fitted(X)
        # no ball: the first example of the authors' reading, which is of the first class
        return self.classes_[[_or_first(learner.predict(x), learner) for x in rows]]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The share of each class in the closest ball, in the order of ``classes_``."""
        learner, rows = self._fitted(X)
        shares = np.zeros((len(rows), len(self.classes_)))
        columns = np.array(learner.classes)  # in the order of their first examples
        for row, x in zip(shares, rows, strict=True):
            counts = np.array(learner.closest_counts(x) or [1])
            row[columns] = counts / counts.sum()
            _settle(row, columns[counts.argmax()])
        return shares

    def _start(self, classes: NDArray[Any], y: Any) -> None:
        if not self.__sklearn_tags__().classifier_tags.multi_class and len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(y)}; vote='majority' takes any number of classes"
            )
        # by one assignment: one is of no use without the other
        new = {"learner_": self._new_learner(), "classes_": classes}
        self.__dict__ = self.__dict__ | new

    def _learn(self, X: Any, y: Any) -> Self:
        prequential(self.learner_, X, np.searchsorted(self.classes_, y), keep=False)
        return self

    def _numbers(self, X: Any, reset: bool) -> Any:
        """A frame with words as the numbers that a stream has for them; all else as it is."""
        if reset:
            self.__dict__.pop("columns_", None)
            if not has_words(X):
                return X
            stream = as_stream(X, np.zeros(len(X), dtype=np.int64))
            self.columns_ = stream.columns
            return stream.X
        columns = getattr(self, "columns_", None)
        return X if columns is None else as_stream(X, model=columns).X

    def _checked(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        X = self._numbers(X, reset)
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64, order="C")
        check_classification_targets(y)
        return X, y

    def _check_labels(self, classes: NDArray[Any], y: Any) -> None:
        strange = np.setdiff1d(y, classes)
        if strange.size:
            raise ValueError(f"the labels {strange.tolist()} are not among the classes announced")

    def _fitted(self, X: Any) -> tuple[Any, Any]:
        check_is_fitted(self, "learner_")
        X = self._numbers(X, reset=False)
        return self.learner_, validate_data(self, X, reset=False, dtype=np.float64, order="C")


class AutoClassifier(AutoParameters, _Classifier):
    """AUTO (Algorithm 4) for scikit-learn; the parameters are those of ``abacoc.Auto``.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.utils import shuffle
    >>> X, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    >>> cross_val_score(AutoClassifier(), X, y).round(3).tolist()
    [0.8, 0.767, 0.9, 0.933, 0.933]
    """


class AutoAdjClassifier(AutoClassifier):
    """AUTO-ADJ for scikit-learn: no parameter has to be set.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.utils import shuffle
    >>> X, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    >>> pipeline = make_pipeline(StandardScaler(), AutoAdjClassifier()).fit(X, y)
    >>> pipeline.score(X, y), pipeline[-1].learner_.n_balls
    (0.8533333333333334, 6)
    """

    _method = AutoAdj


class BaseClassifier(BaseParameters, _Classifier):
    """BASE (Algorithm 2) for scikit-learn; the parameters are those of ``abacoc.Base``.

    Two classes, of which the second in ``classes_`` is the algorithm's 1. ``predict_proba`` is
    p_t, with which the algorithm tosses its coin. ``predict`` tosses none: it gives the likelier
    answer, which is the majority of the closest ball. With ``vote="majority"`` there may be any
    number of classes, and the probabilities are their shares in the ball.

    The theorem asks for a space of diameter 1; see ``sklearn.preprocessing`` for ways to get there.

    >>> model = BaseClassifier().fit([[0.1], [0.9]], ["yes", "no"])
    >>> model.predict([[0.2]]).tolist(), model.predict_proba([[0.2]]).round(3).tolist()
    (['yes'], [[0.211, 0.789]])
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.vote == "majority"
        return tags

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """p_t for the second class and its complement; shares with the majority vote."""
        if self.vote == "majority":
            return super().predict_proba(X)
        learner, rows = self._fitted(X)
        p = np.array([learner.probability(x) for x in rows])
        chances = np.column_stack([1 - p, p])
        for row, x in zip(chances, rows, strict=True):
            _settle(row, _or_first(learner.predict(x), learner))
        return chances


class BaseAdjClassifier(BaseAdjParameters, _Classifier):
    """BASE-ADJ (Algorithm 3) for scikit-learn; the parameters are those of ``abacoc.BaseAdj``.

    >>> model = BaseAdjClassifier().fit([[0.0], [0.3]], ["blue", "blue"])
    >>> model.learner_.balls.centres.tolist(), model.predict([[9.0]]).tolist()
    ([[0.15]], ['blue'])
    """


def _or_first(code: Any, learner: Any) -> Any:
    return learner.classes[0] if code is None else code


def _settle(shares: NDArray[np.float64], k: int) -> None:
    """Make the share of class k the largest where it ties for that."""
    if (shares == shares[k]).sum() > 1:
        shares[k] = np.nextafter(shares[k], 1.0)
