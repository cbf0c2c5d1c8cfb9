"""The parameters of the four methods, for the classifiers of either library.

Both libraries find the parameters of a classifier in the signature of its constructor, and want
them as attributes of the same names.
"""

from __future__ import annotations

from typing import Any, Literal

from abacoc.cover import Cover
from abacoc.engine.learners import Auto, Base, BaseAdj
from abacoc.online import Scaled
from abacoc.readings import RadiusRule

Scale = Literal["online", "online-minmax"]


class _Scalable:
    """What the parameter ``scale`` makes of a learner."""

    scale: Scale | None

    def _new_learner(self) -> Any:
        learner = self._new_unscaled()
        return learner if self.scale is None else Scaled(learner, self.scale)

    def _new_unscaled(self) -> Cover:
        raise NotImplementedError


class AutoParameters(_Scalable):
    """Those of ``abacoc.Auto``."""

    _method: type[Auto] = Auto

    def __init__(
        self,
        d_hat: float = 2,
        *,
        budget: int | None = None,
        seed: int = 0,
        reading: str = "paper",
        radius_rule: RadiusRule | None = None,
        scale: Scale | None = None,
    ) -> None:
        self.d_hat = d_hat
        self.budget = budget
        self.seed = seed
        self.reading = reading
        self.radius_rule: RadiusRule | None = radius_rule
        self.scale: Scale | None = scale
        super().__init__()

    def _new_unscaled(self) -> Cover:
        return self._method(
            self.d_hat,
            budget=self.budget,
            seed=self.seed,
            reading=self.reading,
            radius_rule=self.radius_rule,
        )


class BaseParameters(_Scalable):
    """Those of ``abacoc.Base``."""

    def __init__(
        self,
        covering_constant: float = 1.0,
        *,
        vote: Literal["randomized", "majority"] = "randomized",
        reading: str = "paper",
        scale: Scale | None = None,
    ) -> None:
        self.covering_constant = covering_constant
        self.vote: Literal["randomized", "majority"] = vote
        self.reading = reading
        self.scale: Scale | None = scale
        super().__init__()

    def _new_unscaled(self) -> Cover:
        return Base(self.covering_constant, vote=self.vote, reading=self.reading)


class BaseAdjParameters(_Scalable):
    """Those of ``abacoc.BaseAdj``."""

    def __init__(
        self,
        covering_constant: float = 1.0,
        *,
        divisor: Literal["total", "correct"] = "total",
        reading: str = "paper",
        scale: Scale | None = None,
    ) -> None:
        self.covering_constant = covering_constant
        self.divisor: Literal["total", "correct"] = divisor
        self.reading = reading
        self.scale: Scale | None = scale
        super().__init__()

    def _new_unscaled(self) -> Cover:
        return BaseAdj(self.covering_constant, divisor=self.divisor, reading=self.reading)
