"""IBLStreams: instance-based learning that edits the examples it stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from abacoc.baselines.arrays import ArrayLearner
from abacoc.engine import cases
from abacoc.engine.cases import run_cases
from abacoc.engine.handle import as_handle
from abacoc.engine.kernels import Kernels
from abacoc.engine.loop import recursive_mean
from abacoc.engine.rows import Answer
from abacoc.engine.state import Flags, Floats

READINGS = ("described", "moa")


class IblStreams(ArrayLearner):
    """IBLStreams (Shaker and Hüllermeier, 2012) for classification, with its usual defaults.

    **Distance.** Euclidean; an attribute counts as the share of its range over the examples
    learned so far (the one that is being learned included), an attribute without a range not at
    all. A category is a set of 0/1 columns here, so two different categories are sqrt(2) apart and
    not 1 as the method has it: categories weigh more against numbers than in the method.

    **Prediction.** None before ``start`` examples were learned: a run that learns fewer predicts
    nothing at all. Then the ``k`` nearest vote, each with one vote; if the nearest is at distance
    0 it decides alone. Of equally near examples the one stored first is taken, of equally frequent
    classes the one learned first. ``k`` is only where it begins: on every example that is learned
    k - 1, k and k + 1 are judged before it is stored, and once there are 100 since the last move k
    moves to the neighbour that erred less over the last 100 (the better of two, the lower of
    equals), within 4 and 40.

    **Learning.** The first ``start`` examples are stored. After that the 50 nearest of x are
    looked at, x having class c. *Contradiction:* the young are the 5 youngest of the 50, and x; if
    c leads there by more than 1/(K+1) of them, K being the number of classes learned so far, then
    of the 25 oldest those go that are among the 5 nearest and have another class. *Redundancy:*
    if at least 98 % of the 50 and x are of class c, all young too, and the 5th nearest is closer
    than this distance was on average over the last 100 examples before x, then of the 25 oldest
    those go that are among the 5 nearest. Both are asked about the same 50, which are then filled
    up, until nothing goes. Where nothing has gone and the base has its ``size``, the oldest of the
    5 nearest goes. Then x is stored. Where there are fewer than 50, all are taken.

    **Change.** Last, p is the error of the present k over the last 100 and s = sqrt(p(1-p)/100);
    p_min and s_min are those of the smallest p + s. If p + s > p_min + 4 s_min, p >= 1/4,
    p - p_min > 1/4 and the error over the last 10 is above p_min by q > 1/4, then the oldest go: a
    share q of the base, or all if 1 - p is at most 1/K; but 50 stay in any case. All statistics of
    errors begin anew, those of k too.

    The ``reading`` `described` is this. In the public code for MOA the loop over k - 1, k and k + 1
    ends after the first, and what was not asked counts as class 0, the one learned first here. With
    `moa` k is judged so; predictions, and the p of the change, are those of the present k.

    The search is exact, by a scan. The k-d tree of our own methods would have to be built anew
    whenever a range grows, and asked for 50 neighbours it would look at a large part of the few
    thousand examples anyway. The model size is the number of stored examples.

    >>> learner = IblStreams(start=4)
    >>> for x, y in ([0.0], "a"), ([1.0], "b"), ([1.2], "b"), ([5.0], "a"):
    ...     print(learner.predict(x))
    ...     learner.update(x, y)
    None
    None
    None
    None
    >>> learner.predict([0.0]), learner.predict([1.0]), learner.predict([3.0]), learner.n_balls
    ('a', 'b', 'a', 4)
    """

    def __init__(
        self, k: int = 16, size: int = 5000, start: int = 1000, reading: str = "described"
    ) -> None:
        super().__init__()
        for name, value, least, most in (
            ("k", k, cases.LEAST_K, cases.MOST_K),
            ("size", size, 1, np.inf),
            ("start", start, 1, size),
        ):
            is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not (is_whole and least <= value <= most):
                limits = f"from {least} to {most}" if most < np.inf else f"of at least {least}"
                raise ValueError(f"{name} is a whole number {limits}, not {value!r}")
        if reading not in READINGS:
            raise ValueError(f"unknown reading {reading!r}; IBLStreams has {', '.join(READINGS)}")
        self.k, self.size, self.start, self.reading = int(k), int(size), int(start), reading

    @property
    def n_balls(self) -> int:
        """The model size: the number of stored examples."""
        return self._count(cases.N_STORED)

    @property
    def present_k(self) -> int:
        """How many neighbours vote now."""
        return self.k if self._state is None else self._count(cases.K)

    @property
    def events(self) -> dict[str, int]:
        """How many examples went as contradictory, redundant, or replaced; moves of k; changes."""
        return {
            "contradictions": self._count(cases.CONTRADICTIONS),
            "redundancies": self._count(cases.REDUNDANCIES),
            "replacements": self._count(cases.REPLACEMENTS),
            "moves": self._count(cases.MOVES),
            "changes": self._count(cases.CHANGES),
        }

    def _allocate(self, dimension: int) -> None:
        moa = self.reading == "moa"
        self._state = cases.empty(dimension, self.size, self.start, self.k, moa)

    def _n_seen(self) -> int:
        return self._count(cases.N_CLASSES)

    @property
    def n_learned(self) -> int:
        """Examples learned, stored or not."""
        return self._count(cases.N_LEARNED)

    def _entry(self) -> Any:
        return run_cases

    def _go(
        self, run: Any, state: Callable[[], Any], X: Floats, learned: Flags, out: Answer
    ) -> None:
        if len(self._state.votes) < len(self.classes):
            more = np.zeros(2 * len(self.classes), dtype=np.int64)
            self._state = self._state._replace(votes=more)
        run(state(), X, out.codes, learned, out.predicted, out.sizes)


def compile_all() -> None:
    """Compile every entry, or load it from disk."""
    numbers, flags = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_)
    run_cases(
        as_handle(cases.empty(1, 1, 1, 16, False)),
        np.zeros((1, 1)),
        numbers,
        flags,
        numbers,
        numbers,
    )
    recursive_mean(flags, 0.0, 0)


ENTRIES = (run_cases, recursive_mean)
IblStreams.kernels = Kernels(f"{__name__}:compile_all", f"{__name__}:ENTRIES")
