"""``abacoc predict`` and ``abacoc explain``: a saved model on new data; nothing is learned."""

from __future__ import annotations

import argparse
import json
import math
import numbers
import os
import sys
from dataclasses import replace
from typing import Any

from abacoc.commands import add_command
from abacoc.commands.reading import (
    FILES,
    add_reader,
    open_pieces,
    open_whole,
    plain_warnings,
)

PREDICT = """examples:
  abacoc run mine.csv --save mine.model
  abacoc predict mine.model new.csv > predictions.csv
  cat new.csv | abacoc predict mine.model - --out predictions.csv

The columns are those of the stream that the model was made with: found by their names where the
file has a header line, else by their places. The label may be missing; where it is there, the
accuracy is told. A category that the model does not know is in none of its 0/1 columns.

"""
EXPLAIN = """examples:
  abacoc explain mine.model new.csv --row 7
  abacoc explain mine.model new.csv --row 7 --k 5 --json"""


def add_predict(commands: Any) -> None:
    """The options of ``abacoc predict``."""
    parser = _add(commands, "predict", _predict, "what a saved model says of new data", PREDICT)
    option = parser.add_argument
    option("--out", metavar="FILE", help="write t,pred (and y, if it is there) to it (else stdout)")
    option(
        "--pieces", type=int, metavar="N", help="read N rows at a time: for files beyond the memory"
    )
    add_reader(parser)


def add_explain(commands: Any) -> None:
    """The options of ``abacoc explain``."""
    help = "why a saved model says what it says of a row"
    parser = _add(commands, "explain", _explain, help, EXPLAIN)
    option = parser.add_argument
    option("--row", type=int, default=1, metavar="N", help="which row, from 1 (default)")
    option("--k", type=int, default=3, metavar="N", help="so many balls, the closest first (3)")
    add_reader(parser)


def _add(commands: Any, name: str, function: Any, help: str, epilog: str) -> Any:
    parser = add_command(commands, name, function, help, epilog=epilog + FILES)
    parser.add_argument("model", metavar="MODEL", help="what abacoc run --save has written")
    parser.add_argument("stream", metavar="NEW", help="a file, or - for the standard input")
    return parser


def _load(options: argparse.Namespace) -> tuple[Any, Any, dict[str, Any] | None]:
    """The learner, what is done to its points, and the record of its columns."""
    from abacoc.limits import Limits
    from abacoc.methods import load
    from abacoc.scaling import Fixed

    learner = load(options.model, limits=Limits.parse(options.limit))
    columns = learner.columns
    fixed = Fixed.restored(columns["scale"]) if columns and "scale" in columns else None
    return learner, (lambda X: X) if fixed is None else fixed.apply, columns


def _predict(options: argparse.Namespace) -> int:
    with plain_warnings():
        return _predicted(options)


def _predicted(options: argparse.Namespace) -> int:
    import numpy as np

    from abacoc.commands.outputs import Predictions
    from abacoc.files import check_folder

    if options.out is not None:
        check_folder(options.out)
        if os.path.realpath(options.out) in map(os.path.realpath, (options.model, options.stream)):
            raise ValueError("--out must be another file than the model and the new data")
    learner, given, columns = _load(options)
    stream = (open_whole if options.pieces is None else open_pieces)(options, columns)
    names = dict(enumerate((columns or {}).get("labels", ())))  # of BASE, which knows 0 and 1
    n = hits = n_labels = 0
    with Predictions(options.out, as_json=options.json) as out:
        for X, y in [(stream.X, stream.y)] if options.pieces is None else stream:
            _check(learner, X, n)
            answer = learner.run_rows(given(X), [None] * len(X), np.zeros(len(X), np.bool_))
            said = [names.get(label, label) for label in learner.named(answer)]
            texts = stream.labels
            true = [texts[k] if k >= 0 else None for k in y.tolist()]
            out.write(true, said)
            n += len(X)
            n_labels += sum(label is not None for label in true)
            texts_of = {label: _cell(label) for label in set(said)}
            pairs = zip(said, true, strict=True)
            hits += sum(texts_of[a] == b for a, b in pairs if b is not None)
        accuracy = hits / n_labels if n_labels else None
        out.finish({"n_examples": n, "accuracy": accuracy, "model_size": learner.n_balls})
    if not options.json:
        told = "" if accuracy is None else f", accuracy {accuracy:.6f}"
        print(f"abacoc: {n:,} predictions by {learner!r}{told}", file=sys.stderr)
    return 0


def _cell(label: Any) -> str | None:
    """A label as a file has it: a model of the library may know the number 1 where this has '1'."""
    if label is None or isinstance(label, str):
        return label
    if not isinstance(label, numbers.Real) or isinstance(label, bool):
        return str(label)
    from abacoc.streams.columns import number_text

    return number_text(float(label))


def _check(learner: Any, X: Any, before: int) -> None:
    """ValueError that names the first row that the learner cannot take."""
    if learner.check_matrix(X, [0] * len(X)) is None:
        for row, x in enumerate(X, before + 1):
            try:
                learner.check_point(x)
            except ValueError as error:
                raise ValueError(f"row {row}: {error}") from None


def _with_names(why: Any, names: dict[Any, str]) -> Any:
    """The explanation with the labels of the input: BASE with a coin knows 0 and 1."""
    balls = [
        replace(ball, counts={names.get(label, label): n for label, n in ball.counts.items()})
        for ball in why.balls
    ]
    return replace(why, label=names.get(why.label, why.label), balls=tuple(balls))


def _explain(options: argparse.Namespace) -> int:
    learner, given, columns = _load(options)
    with plain_warnings():
        stream = open_whole(options, columns)
    if not 1 <= options.row <= stream.n_examples:
        raise ValueError(f"--row {options.row}: the rows go from 1 to {stream.n_examples}")
    x = stream.X[options.row - 1 : options.row]
    why = learner.explain(given(x)[0], options.k)
    names: dict[Any, str] = dict(enumerate((columns or {}).get("labels", ())))
    why = _with_names(why, names)
    code = int(stream.y[options.row - 1])
    true = stream.labels[code] if code >= 0 else None
    values = dict(zip(stream.attributes, x[0].tolist(), strict=True))
    if options.json:
        balls = [dict(vars(ball)) for ball in why.balls]
        for ball in balls:
            ball["counts"] = {str(k): n for k, n in ball["counts"].items()}
            ball["radius"] = ball["radius"] if math.isfinite(ball["radius"]) else None
        result = {"row": options.row, "values": values, "label": true, "prediction": why.label}
        print(json.dumps(result | {"balls": balls}, indent=2))
        return 0
    shown = {name: value for name, value in values.items() if value or "=" not in name}
    print(f"row {options.row}: " + ", ".join(f"{name} {v:g}" for name, v in shown.items()))
    if true is not None:
        print(f"its label: {true}")
    print(why)
    return 0
