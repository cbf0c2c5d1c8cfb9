"""Nearest neighbours in a window against our balls, with equally many of both.

Ours has learned the stream but for its last examples; the window of a peer then gets as many of
the examples just before those as ours has balls, so that it is full when the clock starts. Each
round takes the next piece of the last examples: everybody predicts it, and then predicts and
learns it, called once per example. A peer that is too slow for a piece stops in it when its
seconds are used up; the speeds are compared. Conversion of the examples (River takes
dictionaries) is not timed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from time import perf_counter

from abacoc.protocol import prequential
from paper.bench import entrants
from paper.bench.comparisons import Setup
from paper.bench.profiles import OURS
from paper.bench.timing import Model, Row, Timing, measured, timed

PIECE = 2000  # examples in a round, or a tenth of a short stream shared by all rounds
PARTS = ("predict", "learn")


def compare_windows(setup: Setup, whole: list[Timing]) -> list[Row]:
    """The rows for predicting alone, and for predicting and learning."""
    names = [name for name in entrants.WINDOW if name in setup.peers]
    if not names:
        return []
    X, y = setup.data.X, setup.data.y
    piece = max(1, min(PIECE, len(X) // (10 * setup.repeats)))
    start = len(X) - setup.repeats * piece
    learner = entrants.ours()
    prequential(learner, X[:start], y[:start], keep=False)
    window: int = learner.n_balls
    models = {OURS: entrants.as_model(learner)}
    rows, missing = [], []
    for name in names:
        found = _filled(setup, name, start, window)
        if isinstance(found, Model):
            models[name] = found
        else:
            missing += [setup.missing(part, name, found) for part in PARTS]
    timings = _rounds(setup, models, start, piece)
    for (part, name), own in timings.items():
        ours = timings[part, OURS] if name != OURS else ()
        all_of_it = whole if part == "learn" and name != OURS else ()
        rows.append(measured(setup.data.name, part, name, window, own, ours, all_of_it))
    return rows + missing


def _filled(setup: Setup, name: str, end: int, window: int) -> Model | str:
    """A peer whose window is full of the examples before ``end``; or why there is none."""
    try:
        model = entrants.WINDOW[name](window)
    except ImportError:
        return "not installed"
    X, y = setup.data.X[end - window : end], setup.data.y[end - window : end].tolist()
    points, limit = model.points(X), setup.profile.fill
    started = perf_counter()
    for n, (x, label) in enumerate(zip(points, y, strict=True)):
        if perf_counter() - started > limit:
            return f"took up only {n:,} of {window:,} points in {limit:g} s"
        model.learn(x, label)
    return model


def _rounds(
    setup: Setup, models: dict[str, Model], start: int, piece: int
) -> dict[tuple[str, str], list[Timing]]:
    """Everybody in turn on one piece of the stream after the other."""
    timings: dict[tuple[str, str], list[Timing]] = defaultdict(list)
    for first in range(start, len(setup.data.X), piece):
        here = slice(first, first + piece)
        X, y = setup.data.X[here], setup.data.y[here].tolist()
        for part in PARTS:
            for name, model in models.items():
                # ours is quick, and stops in no piece
                budget = setup.profile.budget if name != OURS else math.inf
                labels = y if part == "learn" else None
                timing = timed(model, model.points(X), labels, budget)
                timings[part, name].append(timing)
                setup.tell(part, name, timing)
    return timings
