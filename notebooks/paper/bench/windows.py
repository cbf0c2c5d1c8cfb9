"""Nearest neighbours in a window against our balls, with equally many of both.

Ours has learned the stream but for its last examples; the window of a peer then gets as many of
the examples just before those as ours has balls, so that it is full when the clock starts. Each
round takes the next piece of the last examples: everybody predicts it, and then predicts and
learns it, called once per example. A peer that is too slow for a piece stops in it when its
seconds are used up; the speeds are compared. Conversion of the examples (River takes
dictionaries) is not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from abacoc.protocol import prequential
from paper.bench import entrants
from paper.bench.comparisons import Setup
from paper.bench.profiles import OURS
from paper.bench.rows import Row, measured
from paper.bench.timing import Model, Timing, time_predictions, time_test_then_learn

PIECE = 2000  # examples in a round, or a tenth of a short stream shared by all rounds


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
    missing: list[Row] = []
    for name in names:
        model, note = _filled(setup, entrants.WINDOW[name], start, window)
        if model is None:
            missing += [setup.missing(part, name, note) for part in ("predict", "learn")]
        else:
            models[name] = model
    timings = _rounds(setup, models, start, piece)
    rows = [
        measured(
            setup.data.name,
            part,
            name,
            window,
            timings[part, name],
            timings[part, OURS] if name != OURS else (),
            whole if part == "learn" and name != OURS else (),
        )
        for part in ("predict", "learn")
        for name in models
    ]
    return rows + missing


def _filled(
    setup: Setup, make: Callable[[int], Model], end: int, window: int
) -> tuple[Model | None, str]:
    """A peer whose window is full of the examples before ``end``; or None, and why."""
    try:
        model = make(window)
    except ImportError:
        return None, "not installed"
    X, y = setup.data.X[end - window : end], setup.data.y[end - window : end].tolist()
    points, limit = model.points(X), setup.profile.fill
    started = perf_counter()
    for n, (x, label) in enumerate(zip(points, y, strict=True)):
        if perf_counter() - started > limit:
            return None, f"took up only {n:,} of {window:,} points in {limit:g} s"
        model.learn(x, label)
    return model, ""


def _rounds(
    setup: Setup, models: dict[str, Model], start: int, piece: int
) -> dict[tuple[str, str], list[Timing]]:
    """Everybody in turn on one piece of the stream after the other."""
    timings: dict[tuple[str, str], list[Timing]] = {
        (part, name): [] for part in ("predict", "learn") for name in models
    }
    for r in range(setup.repeats):
        here = slice(start + r * piece, start + (r + 1) * piece)
        X, labels = setup.data.X[here], setup.data.y[here].tolist()
        for part in ("predict", "learn"):
            for name, model in models.items():
                # ours is quick, and stops in no piece
                budget = setup.profile.budget if name != OURS else float("inf")
                timing = _time(part, model, model.points(X), labels, budget)
                timings[part, name].append(timing)
                setup.tell(part, name, timing)
    return timings


def _time(
    part: str, model: Model, points: Sequence[Any], labels: Sequence[int], budget: float
) -> Timing:
    if part == "predict":
        return time_predictions(model, points, budget)
    return time_test_then_learn(model, points, labels, budget)
