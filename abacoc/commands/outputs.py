"""What the commands write besides a model: predictions, and a picture."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from abacoc import plots
from abacoc.files import check_folder, write_atomically
from abacoc.online import Scaled
from abacoc.protocol import Run
from abacoc.wording import number

POINTS = 10_000  # of a stream with two attributes, the last ones are drawn: more hide each other


def check_output_files(options: argparse.Namespace) -> None:
    """Before the work: the files can be written, and none of them is the input or another."""
    outputs = [path for path in (options.dump, options.save, options.plot) if path is not None]
    for path in outputs:
        check_folder(path)
    if options.plot is not None:
        plots.check_picture(options.plot)
    paths = [os.path.realpath(path) for path in [options.stream, *outputs]]
    if len(set(paths)) < len(paths):
        raise ValueError("the stream, --dump, --save and --plot must be different files")
    loaded = getattr(options, "load", None)  # --save may renew it
    if loaded is not None and os.path.realpath(loaded) in map(
        os.path.realpath, filter(None, (options.dump, options.plot))
    ):
        raise ValueError("--dump and --plot must not be the model that --load names")


class Dump:
    """Writes one line per example, the labels as in the input."""

    def __init__(self, path: str, names: dict[Any, str]) -> None:
        self.path, self.names, self.t = path, names, 0

    def __enter__(self) -> Self:
        self.stack = contextlib.ExitStack()
        self.file = self.stack.enter_context(write_atomically(self.path))
        self.file.write("t,y,pred,balls\n")
        return self

    def __exit__(self, *error: Any) -> None:
        self.stack.__exit__(*error)

    def write(self, y: Sequence[Any], run: Run) -> None:
        """Add a piece of the stream."""
        assert run.predictions is not None
        assert run.model_sizes is not None
        cells: dict[Any, str] = {None: ""}  # no prediction yet
        for label in {*y, *run.predictions} - {None}:
            cells[label] = _cell(self.names.get(label, label))
        for true, said, balls in zip(y, run.predictions, run.model_sizes, strict=True):
            self.t += 1
            self.file.write(f"{self.t},{cells[true]},{cells[said]},{balls}\n")


def _cell(text: str) -> str:
    """A label as a CSV cell."""
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


class Predictions:
    """Writes what a model says of new data: to a file, else to the standard output."""

    def __init__(self, path: str | None, as_json: bool) -> None:
        self.path, self.as_json = path, as_json
        self.t, self.said = 0, list[Any]()

    def __enter__(self) -> Self:
        self.stack = contextlib.ExitStack()
        self.file: Any = sys.stdout
        if self.path is not None:
            self.file = self.stack.enter_context(write_atomically(self.path))
        return self

    def __exit__(self, *error: Any) -> None:
        self.stack.__exit__(*error)

    def write(self, true: Sequence[Any], said: Sequence[Any]) -> None:
        """Add a piece of the stream; where it has no labels, they are all None."""
        if self.as_json and self.path is None:
            self.said += said
            return
        labelled = true[0] is not None
        if not self.t:
            self.file.write("t,y,pred\n" if labelled else "t,pred\n")
        cells = {label: _cell(str(label)) for label in {*true, *said}} | {None: ""}
        for y, label in zip(true, said, strict=True):
            self.t += 1
            self.file.write(f"{self.t}{',' + cells[y] if labelled else ''},{cells[label]}\n")

    def finish(self, result: dict[str, Any]) -> None:
        """The totals, for a program."""
        if self.as_json:
            predictions = {"predictions": self.said} if self.path is None else {}
            print(json.dumps(result | predictions, indent=2))


class Picture:
    """Draws a run; of a plane it gathers the last points."""

    def __init__(self, names: dict[Any, str]) -> None:
        self.names = names
        self.points: deque[tuple[Any, Any]] = deque(maxlen=POINTS)

    def watch(self, pieces: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
        """The same pieces; the last points of a plane are kept."""
        for X, y in pieces:
            if X.shape[1] == 2:
                self.points.extend(zip(X[-POINTS:].tolist(), y[-POINTS:], strict=True))
            yield X, y

    def draw(self, path: str, run: Run, learner: Any, title: str, unit: str) -> None:
        """Write the picture: all of it, or nothing."""
        covered = bool(self.points) and hasattr(learner, "balls") and learner.n_balls > 0
        figure, panels = plots.new_figure(covered)
        plots.draw_run(panels[: plots.CURVES], run.trace, unit=unit)
        panels[0].set_title(title)
        if covered:
            self._draw_cover(panels[-1], run, learner)
        plots.save_picture(figure, path)

    def _draw_cover(self, panel: Any, run: Run, learner: Any) -> None:
        X, y = zip(*self.points, strict=True)
        if isinstance(learner, Scaled):  # the balls are in scaled units
            X = tuple(map(learner.scale, X))
        plots.draw_cover(panel, learner, np.array(X), y, names=self.names, legend=True)
        last = f"the last {number(len(X), 'points')}" if run.n_examples > len(X) else "all points"
        panel.set_title(f"the {number(learner.n_balls, 'balls')} at the end, over {last}")
        panel.set_xlabel("first attribute")
        panel.set_ylabel("second attribute")
