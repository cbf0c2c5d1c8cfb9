"""The comparisons: the whole stream, and its beginning for those who are slow.

The entrants take turns: one round asks each of them once, so that a machine that slows down
slows all of them down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from paper.bench import entrants
from paper.bench.data import Data
from paper.bench.profiles import OURS, Profile
from paper.bench.rows import Row, measured
from paper.bench.timing import Model, Timing, time_test_then_learn

Say = Callable[[str], None]
FIRST_HEAD = 500  # examples, the shortest that is tried
MOST_STEPS = 1.5e11  # differences that the plain scan is asked to square: two or three minutes


@dataclass(frozen=True)
class Setup:
    """What all comparisons of one stream share."""

    data: Data
    peers: tuple[str, ...]
    profile: Profile
    repeats: int
    say: Say

    def tell(self, part: str, entrant: str, timing: Timing) -> None:
        """Progress: one line per measurement."""
        self.say(
            f"{self.data.name}: {part}: {entrant}: {timing.examples:,} examples in "
            f"{timing.seconds:.3g} s"
        )

    def missing(self, part: str, entrant: str, note: str) -> Row:
        """The row of an entrant that could not be measured."""
        self.say(f"{self.data.name}: {part}: {entrant}: {note}")
        return Row(self.data.name, part, entrant, note=note)


def compare_whole(setup: Setup) -> tuple[list[Row], list[Timing]]:
    """Ours and its variants over the whole stream, by their loops alone; ours round by round.

    The second is for the comparison with others, and counts all that a caller waits for.
    """
    names = [OURS, *(name for name in entrants.WHOLE if name in setup.peers)]
    timings: dict[str, list[Timing]] = {name: [] for name in names}
    calls: list[Timing] = []
    balls: dict[str, int] = {}
    for _ in range(setup.repeats):
        for name in names:
            if name != OURS and _is_slow(timings[name], setup.profile.patience):
                continue
            if name == "plain" and _plain_steps(setup.data, balls[OURS]) > MOST_STEPS:
                continue
            loop, call, balls[name] = entrants.WHOLE[name](setup.data)
            timings[name].append(loop)
            if name == OURS:
                calls.append(call)
            setup.tell("whole", name, loop)
    ours = timings[OURS]
    rows = [
        measured(
            setup.data.name,
            "whole",
            name,
            balls[OURS],
            times,
            ours if name != OURS else (),
            note="" if balls[name] == balls[OURS] else f"other answers: {balls[name]:,} balls",
        )
        for name, times in timings.items()
        if times
    ]
    rows += [
        setup.missing("whole", name, "would take too long; see a smaller stream")
        for name, times in timings.items()
        if not times
    ]
    return rows, calls


def _plain_steps(data: Data, balls: int) -> float:
    """Every example against every ball of that time, about half of those at the end."""
    return data.X.size * balls / 2


def _is_slow(timings: list[Timing], patience: float) -> bool:
    return bool(timings) and timings[-1].seconds > patience


def compare_heads(setup: Setup, whole: list[Timing]) -> list[Row]:
    """Those who are slow over as many examples as they manage in time, and ours over the same."""
    rows: list[Row] = []
    heads: dict[str, int] = {}
    for name in (name for name in entrants.HEAD if name in setup.peers):
        try:
            heads[name] = _head(setup, entrants.HEAD[name])
        except ImportError:
            rows.append(setup.missing("head", name, "not installed"))
    theirs: dict[str, list[Timing]] = {name: [] for name in heads}
    ours: dict[str, list[Timing]] = {name: [] for name in heads}
    balls: dict[str, int] = {}
    for _ in range(setup.repeats):
        for name, n in heads.items():
            head = setup.data.head(n)
            timing = _learn_all(entrants.HEAD[name](), head)
            theirs[name].append(timing)
            setup.tell("head", name, timing)
            _, call, balls[name] = entrants.run_ours(head)
            ours[name].append(call)
    return rows + [
        measured(setup.data.name, "head", name, balls[name], theirs[name], ours[name], whole)
        for name in heads
    ]


def _head(setup: Setup, make: Callable[[], Model]) -> int:
    """How many examples a model manages within the budget."""
    n = FIRST_HEAD
    while True:  # longer and longer: a whole stream of dictionaries might not fit into memory
        head = setup.data.head(n)
        done = _learn_all(make(), head, setup.profile.budget).examples
        if done < n:
            return done
        n *= 4


def _learn_all(model: Model, data: Data, budget: float = float("inf")) -> Timing:
    return time_test_then_learn(model, model.points(data.X), data.y.tolist(), budget)
