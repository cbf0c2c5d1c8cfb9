"""The comparisons: the whole stream, and its beginning for those who are slow.

The entrants take turns: one round asks each of them once, so that a machine that slows down
slows all of them down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from abacoc.streams import Stream
from abacoc.wording import number
from paper.bench import entrants
from paper.bench.profiles import OURS, Profile, head
from paper.bench.timing import Model, Row, Timing, measured, timed

Say = Callable[[str], None]
FIRST_HEAD = 500  # examples, the shortest that is tried
MOST_STEPS = 1.5e11  # differences that the plain scan is asked to square: two or three minutes


@dataclass(frozen=True)
class Setup:
    """What all comparisons of one stream share."""

    data: Stream
    peers: tuple[str, ...]
    profile: Profile
    repeats: int
    say: Say

    def tell(self, part: str, entrant: str, timing: Timing) -> None:
        """Progress: one line per measurement."""
        told = f"{timing.examples:,} examples in {timing.seconds:.3g} s"
        self.say(f"{self.data.name}: {part}: {entrant}: {told}")

    def missing(self, part: str, entrant: str, note: str) -> Row:
        """The row of an entrant that could not be measured."""
        self.say(f"{self.data.name}: {part}: {entrant}: {note}")
        return measured(self.data.name, part, entrant, note=note)


def compare_whole(setup: Setup) -> tuple[list[Row], list[Timing]]:
    """Ours and its variants over the whole stream, by their loops alone; ours round by round.

    The second is for the comparison with others, and counts all that a caller waits for.
    """
    names = [OURS, *(name for name in entrants.WHOLE if name in setup.peers)]
    timings: dict[str, list[Timing]] = {name: [] for name in names}
    calls: list[Timing] = []
    balls: dict[str, int] = {}
    for _ in range(setup.repeats):
        for name, own in timings.items():
            if name != OURS and own and own[-1].seconds > setup.profile.patience:
                continue
            # every example against every ball of that time, about half of those at the end
            if name in ("plain", "authors") and setup.data.X.size * balls[OURS] / 2 > MOST_STEPS:
                continue
            loop, call, balls[name] = entrants.WHOLE[name](setup.data)
            own.append(loop)
            if name == OURS:
                calls.append(call)
            setup.tell("whole", name, loop)
    rows = []
    for name, own in timings.items():
        if own:
            other = balls[name] != balls[OURS]
            note = f"other answers: {number(balls[name], 'balls')}" if other else ""
            ours = timings[OURS] if name != OURS else ()
            rows.append(measured(setup.data.name, "whole", name, balls[OURS], own, ours, note=note))
    too_long = "would take too long; see a smaller stream"
    rows += [setup.missing("whole", name, too_long) for name, own in timings.items() if not own]
    return rows, calls


def compare_heads(setup: Setup, whole: list[Timing]) -> list[Row]:
    """Those who are slow over as many examples as they manage in time, and ours over the same."""
    rows: list[Row] = []
    heads: dict[str, Stream] = {}
    for name in (name for name in entrants.HEAD if name in setup.peers):
        try:
            heads[name] = _head(setup, entrants.HEAD[name])
        except ImportError:
            rows.append(setup.missing("head", name, "not installed"))
    theirs, ours = defaultdict[str, list[Timing]](list), defaultdict[str, list[Timing]](list)
    balls: dict[str, int] = {}
    for _ in range(setup.repeats):
        for name, data in heads.items():
            timing = _learn_all(entrants.HEAD[name](), data)
            theirs[name].append(timing)
            setup.tell("head", name, timing)
            _, call, balls[name] = entrants.run_ours(data)
            ours[name].append(call)
    return rows + [
        measured(setup.data.name, "head", name, balls[name], theirs[name], ours[name], whole)
        for name in heads
    ]


def _head(setup: Setup, make: Callable[[], Model]) -> Stream:
    """As many examples as a model manages within the budget."""
    n = FIRST_HEAD
    while True:  # longer and longer: a whole stream of dictionaries might not fit into memory
        done = _learn_all(make(), head(setup.data, n), setup.profile.budget).examples
        if done < n:
            return head(setup.data, done)
        n *= 4


def _learn_all(model: Model, data: Stream, budget: float = float("inf")) -> Timing:
    return timed(model, model.points(data.X), data.y.tolist(), budget)
