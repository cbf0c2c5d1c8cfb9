"""A run to be watched: what a cover was at moments of a stream, and the page that shows it.

A film is plain JSON values. Its pictures are in the units of the page, whole numbers, so that a
ball that has not moved by what an eye can see is told once for all the moments that it lasts.
"""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from abacoc.chance import sampling_mask
from abacoc.checks import refuse_non_finite
from abacoc.methods import sorted_labels
from abacoc.online import Scaled
from abacoc.plane import UNITS, Plane, View, spread
from abacoc.protocol import prequential_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from abacoc.protocol import Run
    from abacoc.scaling import Floats
    from abacoc.windows import Trace

MOMENTS = 200
BALLS = 2000  # at a moment, the largest ones: more hide each other, and the page has to be carried
DOTS = 4000  # examples of the stream, evenly spread
POINTS = 600  # of a curve: more than its panel is wide
OWN_SIGN = 8  # classes with a colour and a shape of their own, the most frequent ones
CLOSEST = 3  # balls that are told of


class Lives:
    """Drawings of balls, each with the moments from which and before which it is to be seen.

    >>> lives = Lives()
    >>> lives.add(0, [(1, 1), (2, 2)])
    >>> lives.add(1, [(1, 1)])
    >>> lives.rows
    [[1, 1, 0, -1], [2, 2, 0, 1]]
    """

    def __init__(self) -> None:
        self.rows: list[list[int]] = []  # the drawing, from, before; -1: to the end
        self._alive: dict[tuple[int, ...], list[int]] = {}

    def add(self, moment: int, drawings: Sequence[tuple[int, ...]]) -> None:
        """What is to be seen at the next moment."""
        now = dict.fromkeys(drawings)
        for gone in self._alive.keys() - now.keys():
            self._alive.pop(gone)[-1] = moment
        for drawing in now:
            if drawing not in self._alive:
                self._alive[drawing] = [*drawing, moment, -1]
                self.rows.append(self._alive[drawing])


class Camera:
    """Looks at a learner between two examples; it learns nothing by that."""

    def __init__(self, learner: Any, plane: Plane, view: View, codes: dict[Any, int]) -> None:
        self.learner, self.plane, self.view, self.codes = learner, plane, view, codes
        self.frames: list[dict[str, Any]] = []
        self.lives = Lives()

    def take(self, t: int, x: Floats, place: list[int], label: Any, learned: bool) -> None:
        """The cover as it is when example t, from 0, arrives, and what it says of that."""
        why = self.learner.explain(x, CLOSEST)
        n_balls = self.learner.n_balls
        drawings, outside = self._drawings()
        self.lives.add(len(self.frames), drawings[:BALLS])
        self.frames.append(
            {
                "t": t + 1,
                "place": place,
                "label": self.codes[label],
                "learned": learned,
                "balls": n_balls,
                "outside": outside,
                "beyond": max(0, len(drawings) - BALLS),
                "near": [self._near(ball) for ball in why.balls],
            }
        )

    def answered(self, run: Run) -> None:
        """What the protocol says of the example, and of all up to the next moment."""
        assert run.predictions is not None
        said = run.predictions[0]
        self.frames[-1] |= {"said": None if said is None else self.codes[said]}

    def _drawings(self) -> tuple[list[tuple[int, ...]], int]:
        """Place, radius, class and its share in tenths, the largest first; how many lie outside."""
        balls = self.learner.balls
        if not len(balls.radii):
            return [], 0
        places = self.view.place(self.plane.project(balls.centres))
        radii = np.nan_to_num(balls.radii / self.view.unit, nan=0.0, posinf=1e7)
        radii = radii.clip(0.0, 1e7).round().astype(np.int64)
        own = np.array([self.codes[label] for label in self.learner.classes])
        kinds = own[balls.counts.argmax(axis=1)]
        totals = balls.counts.sum(axis=1)
        shares = np.ceil(10 * balls.counts.max(axis=1) / np.maximum(totals, 1)).astype(np.int64)
        corner = (UNITS, self.view.height)
        away = np.maximum(np.maximum(-places, places - corner), 0)  # from the picture
        inside = (away <= radii[:, None]).all(axis=1)
        order = np.argsort(-radii, kind="stable")
        order = order[inside[order]]
        columns = (places[order, 0], places[order, 1], radii[order], kinds[order], shares[order])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return list(rows), int((~inside).sum())

    def _near(self, ball: Any) -> dict[str, Any]:
        """A ball of an explanation."""
        (place,) = self.view.place(self.plane.project(np.array([ball.centre]))).tolist()
        counts = [[self.codes[label], n] for label, n in ball.counts.items() if n]
        return {
            "index": ball.index,
            "place": place,
            "r": self.view.length(ball.radius),
            "radius": short(ball.radius),
            "distance": short(ball.distance),
            "inside": bool(ball.inside),
            "mistakes": ball.mistakes,
            "counts": sorted(counts, key=lambda pair: -pair[1]),
        }


def short(value: float) -> float | str | None:
    """A number for a reader, and what JSON has no number for.

    >>> short(0.123456), short(float("inf")), short(float("nan"))
    (0.1235, '∞', None)
    """
    if np.isnan(value):
        return None
    return float(f"{value:.4g}") if np.isfinite(value) else "∞"


def film(
    learner: Any,
    X: Any,
    y: Sequence[Any],
    *,
    moments: int = MOMENTS,
    axes: tuple[int, int] | None = None,
    rate: float = 1.0,
    seed: int = 0,
    window: int | None = None,
    progress: bool | None = False,
) -> tuple[dict[str, Any], Run]:
    """Run Algorithm 5 and look at the cover at so many moments; the run is that of `prequential`.

    ``axes`` are the places of two attributes, from 0; without them the picture shows the two that
    there are, or the first two principal components of what the learner is given, which are found
    in the whole stream: the picture knows more than the learner.

    >>> from abacoc import AutoAdj
    >>> shown, run = film(AutoAdj(), [[0.0], [1.0], [0.1], [0.9]], ["a", "b", "a", "b"])
    >>> [(frame["t"], frame["label"], frame["said"], frame["balls"]) for frame in shown["frames"]]
    [(1, 0, None, 0), (2, 1, 0, 1), (3, 0, 0, 2), (4, 1, 1, 2)]
    >>> run.n_balls, shown["frames"][2]["near"][0]["distance"]
    (2, 0.1)
    """
    if moments < 1:
        raise ValueError(f"there must be at least 1 moment, not {moments}")
    if not (hasattr(learner, "balls") and hasattr(learner, "explain")):
        raise ValueError(f"a {type(learner).__name__} has no balls to be watched")
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or not X.size:
        raise ValueError("a stream to be watched is a matrix with at least one row and column")
    refuse_non_finite(X, "the stream")
    n, labels = len(X), list(y)
    if len(labels) != n:
        raise ValueError(f"{n:,} examples but {len(labels):,} labels")
    learned = sampling_mask(n, rate, seed)
    Z = X  # what the balls are among
    if isinstance(learner, Scaled):
        Z, _ = learner.statistics.take_rows(X, learned, learner.how)
    plane = Plane.of(Z, axes)
    dots, times = spread(n, DOTS), spread(n, moments)
    flat = plane.project(Z[dots])
    view = View.around(flat)
    classes = _in_order(labels, learner.classes)
    codes = {label: k for k, label in enumerate(classes)}
    camera = Camera(learner, plane, view, codes)
    places = view.place(plane.project(Z[times])).tolist()

    def pieces() -> Iterator[tuple[Any, Any]]:
        """The stream, cut at the moments: all before has been learned, and nothing after."""
        for (start, stop), place in zip(pairwise([*times.tolist(), n]), places, strict=True):
            camera.take(start, X[start], place, labels[start], bool(learned[start]))
            yield X[start:stop], labels[start:stop]

    run = prequential_pieces(
        learner,
        pieces(),
        rate=rate,
        seed=seed,
        window=window,
        n_examples=n,
        progress=progress,
        after_piece=lambda _, part: camera.answered(part),
    )
    shown = {
        "classes": [str(label) for label in classes],
        "signs": OWN_SIGN,
        "view": {**view._asdict(), "width": UNITS},
        "share": plane.share,
        "n": n,
        "rate": rate,
        "frames": camera.frames,
        "balls": _columns(camera.lives.rows),
        "dots": _columns(
            [
                [t + 1, *place, codes[labels[t]]]
                for t, place in zip(dots.tolist(), view.place(flat).tolist(), strict=True)
            ]
        ),
        "curves": curves(run.trace),
    }
    return shown, run


def _in_order(labels: list[Any], known: list[Any]) -> list[Any]:
    """The classes: those with a sign of their own, the most frequent, come first and sorted."""
    counts = Counter(labels)
    counts.update(dict.fromkeys(known, 0))
    frequent = [label for label, _ in counts.most_common()]
    return sorted_labels(frequent[:OWN_SIGN]) + frequent[OWN_SIGN:]


def _columns(rows: list[list[int]]) -> list[list[int]]:
    """Rows as columns: a name for each number would be longer than the number."""
    return [list(column) for column in zip(*rows, strict=True)]


def curves(trace: Trace) -> dict[str, Any]:
    """Accuracy, kappa, NoChange and model size over time, thinned for a panel.

    >>> from abacoc.windows import Trace
    >>> trace = Trace()
    >>> trace.add([0, 1, 0, 0], [-1, 1, 0, 0], [1, 2, 2, 2])
    >>> curves(trace)["accuracy"]
    [0.0, 1.0, 1.0, 1.0]
    """
    at = trace.windows(sliding=True)
    kept = spread(len(at.end), POINTS)
    told = {name: column[kept].tolist() for name, column in at._asdict().items()}
    for name in ("accuracy", "kappa", "no_change"):
        told[name] = [None if np.isnan(v) else round(v, 4) for v in told[name]]
    kept = spread(len(trace), POINTS)
    sizes = [trace.ends[kept].tolist(), trace.sizes[kept].tolist()]
    return {**told, "window": trace.length, "sizes": sizes}


def page(shown: dict[str, Any]) -> str:
    """One HTML file that needs nothing else; nothing in a film can end the block that it is in.

    >>> "</script><b>" in page({"title": "</script><b>"})
    False
    """
    template = (resources.files("abacoc") / "watch.html").read_text("utf-8")
    block = json.dumps(shown, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        block = block.replace(sign, f"\\u{ord(sign):04x}")
    return template.replace("@FILM@", block)
