"""ABACOC as classifiers of River. Needs River (the extra ``river``).

River's examples are dictionaries, and their features may come and go; a cover needs points of one
space. A feature that is missing from an example is 0, as for River's own distances. A new feature
adds a dimension in which all balls so far are at 0: the model is then, bit for bit, the one that
would have come out had the feature been 0 from the beginning. Asked about a feature that has never
been learned, a model leaves it out: all balls are as far from it. The order of the features in a
dictionary means nothing. Features are numbers; encode others first, with River's
``OneHotEncoder`` for example. New classes are taken up on the fly.

With ``scale="online"`` or ``"online-minmax"`` features are scaled by the examples learned so far,
see `abacoc.Scaled`; of a new feature these are 0. River's ``StandardScaler`` in a pipeline differs
in one point: it scales what is to be predicted without a look at it.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc import wording

try:
    from river import base
except ModuleNotFoundError as error:
    line = wording.missing("abacoc.adapters.river", "river", "river")
    raise ModuleNotFoundError(line, name=error.name) from None

from abacoc.adapters.common import AutoParameters, BaseAdjParameters, BaseParameters, Scale
from abacoc.cover import Cover
from abacoc.engine.learners import AutoAdj
from abacoc.modelfile import from_state, state
from abacoc.online import Scaled
from abacoc.scaling import Statistics

NUMBERS = (Real, np.bool_)
# The squares of ten million such features can be added, in whatever order the features come.
LARGEST = 1e150


class _Classifier(base.Classifier):
    """A learner, and the place of each feature in its points."""

    scale: Scale | None

    def __init__(self) -> None:
        self.learner: Cover | Scaled = self._new_learner()
        self._places: dict[Any, int] = {}
        self._width = 0  # coordinates of a point; those without a feature yet are 0

    @abstractmethod
    def _new_learner(self) -> Any:
        """The learner with the parameters of this object."""

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn one example; bad input leaves the model as it was.

        So does an interruption, or all of it has been learned; new features may have their place.
        """
        x = _checked(x)
        self.learner.check_label(y)
        new = [name for name in x if name not in self._places]
        if new or not self._width:
            self._make_room(new)
        self.learner.update(self._point(x), y)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """The label of the closest ball; None while there is no ball."""
        x = _checked(x)
        return self.learner.predict(self._point(x)) if self._width else None

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The share of every label seen so far in the closest ball; nothing before the first."""
        x = _checked(x)
        if not self.learner.classes:
            return {}
        # the first example of the authors' reading opens no ball: its label is all there is
        counts = self.learner.closest_counts(self._point(x)) or [1]
        return {
            label: n / sum(counts) for label, n in zip(self.learner.classes, counts, strict=True)
        }

    def _point(self, x: Mapping[Any, Any]) -> NDArray[np.float64]:
        point, places = [0.0] * self._width, self._places
        for name, value in x.items():
            if name in places:
                point[places[name]] = value
        return np.array(point, dtype=np.float64)

    def _make_room(self, new: list[Any]) -> None:
        """Give new features a place, after those of all features before."""
        places = self._places | dict(zip(_in_order(new), itertools.count(len(self._places))))
        width, learner = self._width, self.learner
        if not width:
            width = max(1, len(places))
        elif len(places) > width:
            # room for as many again: the cost of the copies stays in proportion to the features
            width = 2 * len(places)
            record = state(learner)
            if record["attributes"] is not None:
                more = [0.0] * (width - record["attributes"])
                record["attributes"] = width
                record["centres"] = [centre + more for centre in record["centres"]]
                for column in Statistics._fields[1:] if self.scale else ():
                    record["scaler"][column] += more
                inner = learner.learner if isinstance(learner, Scaled) else learner
                learner = from_state(record, {record["learner"]: type(inner), "Scaled": Scaled})
        # by one assignment: a learner and points of other widths would never meet again
        self.__dict__ = self.__dict__ | {"_places": places, "_width": width, "learner": learner}


class AutoClassifier(AutoParameters, _Classifier):
    """AUTO (Algorithm 4) for River; the parameters are those of ``abacoc.Auto``.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), AutoClassifier(), metrics.Accuracy())
    Accuracy: 84.07%
    """


class AutoAdjClassifier(AutoClassifier):
    """AUTO-ADJ for River: no parameter has to be set, any number of classes.

    >>> from river import datasets, evaluate, metrics
    >>> model = AutoAdjClassifier(budget=50)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 86.23%
    >>> model.learner.n_balls
    50
    """

    _method = AutoAdj


class BaseClassifier(BaseParameters, _Classifier):
    """BASE (Algorithm 2) for River; the parameters are those of ``abacoc.Base``.

    Two classes, 0 and 1 or False and True. ``predict_proba_one`` is p_t, with which the algorithm
    tosses its coin. ``predict_one`` tosses none, so that a run can be repeated: it gives the
    likelier answer, which is the majority of the closest ball. With ``vote="majority"`` there may
    be any classes, and the probabilities are the shares of the labels in the ball.

    >>> model = BaseClassifier()
    >>> for x, y in ({"a": 0.1}, True), ({"a": 0.9}, False):
    ...     model.learn_one(x, y)
    >>> model.predict_one({"a": 0.2}), model.predict_proba_one({"a": 0.2})
    (True, {False: 0.21132486540518725, True: 0.7886751345948128})
    """

    @property
    def _multiclass(self) -> bool:
        return self.vote == "majority"

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """p_t for True and its complement; the shares of the labels with the majority vote."""
        if self.vote == "majority":
            return super().predict_proba_one(x)
        x = _checked(x)
        assert hasattr(self.learner, "probability")
        p = self.learner.probability(self._point(x)) if self._width else 0.5
        return {False: 1 - p, True: p}


class BaseAdjClassifier(BaseAdjParameters, _Classifier):
    """BASE-ADJ (Algorithm 3) for River; the parameters are those of ``abacoc.BaseAdj``.

    >>> model = BaseAdjClassifier()
    >>> for value in 0.0, 0.3:
    ...     model.learn_one({"a": value}, "blue")
    >>> model.learner.balls.centres.tolist(), model.predict_proba_one({"b": 1.0})
    ([[0.15]], {'blue': 1.0})
    """


def _checked(x: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The example, unless one of its features is no number, or too large to be squared."""
    for name, value in x.items():
        if type(value) is float and -LARGEST <= value <= LARGEST:
            continue  # nearly always: what follows takes its time
        if not isinstance(value, NUMBERS):
            raise ValueError(f"the feature {name!r} is {value!r}, not a number")
        size: Any = abs(value)
        if not size <= LARGEST:  # not true of NaN either
            raise ValueError(f"the feature {name!r} is {value}, not between -1e150 and 1e150")
    return x


def _in_order(names: list[Any]) -> list[Any]:
    """Names in an order of their own, so that that of a dictionary does not matter."""
    try:
        return sorted(names)
    except TypeError:  # names of different types
        return sorted(names, key=lambda name: (type(name).__name__, repr(name)))
