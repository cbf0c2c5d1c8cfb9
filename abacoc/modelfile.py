"""One file per learner: a line of magic, a checksum, and the state as JSON. No pickle.

JSON keeps every bit of a float64 (Python writes the shortest decimal that reads back the same),
so a loaded learner goes on exactly where the saved one stopped.

The first line has the number of the format, which changes when a file of one version of abacoc
would mean something else to another. A file of another format is refused, never guessed at.

A file has the name of a class, and whoever reads it says which classes there are: the compiled
learners and their references have the same names, and the same files.

Beside the entries of the learner a record may have those of `BESIDE`, each for something that a
learner may come with; format 1 knows none of them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abacoc import __version__
from abacoc.ballset import Ball, BallSet
from abacoc.files import write_atomically
from abacoc.metrics import BY_NAME, Metric
from abacoc.readings import Reading

if TYPE_CHECKING:
    from abacoc.limits import Limits

FORMAT = 2
READABLE = (1, FORMAT)  # format 1 has nothing beside the learner
MAGIC = b"abacoc model, format %d\n"
_FIRST_LINE = re.compile(rb"abacoc model, format ([1-9][0-9]{0,8})\n")
Learners = Mapping[str, type[Any]]
SCALED = "Scaled"  # the name under which a reader that takes scaled learners has their class
BALL_FIELDS = [field.name for field in dataclasses.fields(Ball) if field.name != "centre"]
# Another one is an entry here, what `state` writes into it and what `from_state` makes of it.
BESIDE = ("scaler", "columns")  # of `abacoc.Scaled`; what its columns are: `Stream.columns`
_MOST = 2**62  # of anything that is counted: the sum of two still fits into 64 bits
_DEEPEST = 64  # a dimension of BASE: d needs more than 2^(d - 1) balls
_ENTRIES = {"learner", "settings", "variables", "reading", "metric", "classes", "attributes"}
_ENTRIES |= {"centres", "balls", "budget", "generator"}
# What may happen on the way when the JSON is not what `state` writes.
_NO_STATE = (
    AttributeError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)


class MetricNeeded(ValueError):
    """The model was saved with a metric that a file cannot hold."""


def save(learner: Any, path: str | Path) -> None:
    """Write the learner to ``path``: all of it or, if something goes wrong, nothing."""
    payload = json.dumps(state(learner), separators=(",", ":")).encode()
    with write_atomically(path, "wb") as file:
        file.write(MAGIC % FORMAT + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)


def load(
    path: str | Path,
    learners: Learners,
    metric: Metric | None = None,
    limits: Limits | None = None,
) -> Any:
    """The learner saved in ``path``; ValueError for anything but a whole, unaltered file."""
    from abacoc.limits import LimitError, Limits  # a run that loads nothing does without

    limits = limits or Limits()
    path = Path(path)
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise ValueError(f"{path} is not a model file of abacoc")
    with open(path, "rb") as file:
        first = _FIRST_LINE.fullmatch(file.readline(100))  # and no more of a file that is none
        checksum = file.readline(100).removesuffix(b"\n")
        size = path.stat().st_size
        if first and size > limits.model:
            raise LimitError(f"{path} is a model of more than {limits.said('model')}")
        payload = file.read(size) if first else b""
    if first is None:
        raise ValueError(f"{path} is not a model file of abacoc")
    if int(first[1]) not in READABLE:
        raise ValueError(
            f"{path} is a model of format {int(first[1])}; this version of abacoc"
            f" ({__version__}) reads format {' and '.join(map(str, READABLE))}"
        )
    if hashlib.sha256(payload).hexdigest().encode() != checksum:
        raise ValueError(f"{path} is truncated or altered: its checksum does not match")
    try:
        record = json.loads(payload)
        is_known = "scaler" not in record or SCALED in learners
        if is_known and record["learner"] in learners:
            # A centre has a place in a block of many, however few there are.
            vectors = (centre for centre in record["centres"] if isinstance(centre, list))
            if max(map(len, vectors), default=0) > limits.columns:
                raise LimitError(f"{path} has more attributes than {limits.said('columns')}")
            # A ball may count one class in the file, and has room for all of them in memory.
            if len(record["balls"]) * len(record["classes"]) * 8 > limits.matrix:
                raise LimitError(f"{path} has counts of more than {limits.said('matrix')}")
            return from_state(record, learners, metric)
        what = _short(record["learner"]) if is_known else f"{SCALED} {_short(record['learner'])}"
        why = f"a {what}, not a {' or a '.join(learners)}"
    except (MetricNeeded, LimitError):
        raise
    except _NO_STATE as error:  # a checksum that is right, over what `save` has not written
        why = f"no state of a learner: {_short(error) or 'too large'}"
    raise ValueError(f"{path} holds {why}")


def state(learner: Any) -> dict[str, Any]:
    """Everything that decides what the learner will do, as plain JSON values."""
    if type(learner).__name__ == SCALED:
        beside = {"scaler": learner.scaler} | _beside(learner)
        return state(learner.learner) | beside
    balls = learner._all_balls()
    pack_centre = _pack_vector if learner._needs_vectors else _pack
    record: dict[str, Any] = {
        "learner": type(learner).__name__,
        "settings": {name: getattr(learner, name) for name in learner.settings},
        "variables": {name: getattr(learner, name) for name in learner.variables},
        "reading": dataclasses.asdict(learner.reading),
        "metric": _metric_name(learner.metric),
        "classes": [_pack(label) for label in learner.classes],
        "attributes": learner._dimension,
        "centres": [pack_centre(ball.centre) for ball in balls],
        "balls": [[getattr(ball, name) for name in BALL_FIELDS] for ball in balls],
    }
    budget = getattr(learner, "budget", None)
    if budget is not None:
        record["budget"] = {"budget": budget.limit, "seed": budget.seed}
        record["generator"] = budget.generator.bit_generator.state
    record |= _beside(learner)
    copied: dict[str, Any] = json.loads(json.dumps(record))  # nothing shared with the learner
    return copied


def _beside(learner: Any) -> dict[str, Any]:
    columns = learner.columns
    return {} if columns is None else {"columns": json.loads(json.dumps(columns))}


def from_state(record: dict[str, Any], learners: Learners, metric: Metric | None = None) -> Any:
    """The learner with that state; an exception of some kind if it is not one."""
    cls = learners[record["learner"]]
    _require(record.keys() <= _ENTRIES | {*BESIDE}, "an entry that is not known")
    _require(sorted(record["settings"]) == sorted(cls.settings), "other settings")
    _require(sorted(record["variables"]) == sorted(cls.variables), "other variables")
    for value in record["settings"].values():
        _require(isinstance(value, str) or math.isfinite(value), f"{value!r} as a setting")
    learner: BallSet = cls(
        **record["settings"],
        **record.get("budget", {}),
        metric=_metric_by_name(record["metric"], metric),
        reading=_reading(record["reading"]),
    )
    for name, value in record["variables"].items():
        _require(_VARIABLES[name](value), f"{name} is {value!r}")
        setattr(learner, name, value)
    budget = getattr(learner, "budget", None)
    if budget is not None:
        budget.generator.bit_generator.state = record["generator"]
        _require(len(record["balls"]) <= budget.limit < _MOST, "more balls than the budget allows")
    learner.classes = [learner.check_label(_unpack(label)) for label in record["classes"]]
    learner._class_number = {label: k for k, label in enumerate(learner.classes)}
    _require(len(learner._class_number) == len(learner.classes), "a class comes twice")
    balls = []
    for packed, values in zip(record["centres"], record["balls"], strict=True):
        centre = learner.check_point(packed if learner._needs_vectors else _unpack(packed))
        if learner._needs_vectors:
            learner._dimension = centre.size  # which all the others must have
        balls.append(Ball(centre, **dict(zip(BALL_FIELDS, values, strict=True))))
        _check_ball(balls[-1], len(learner.classes))
    _require(sum(sum(ball.counts) for ball in balls) < _MOST, "too many examples")
    _require(record["attributes"] == learner._dimension, "other attributes than the centres")
    learner._restore(balls)
    if "scaler" in record:
        learner = learners[SCALED].restored(learner, record["scaler"])
    if "columns" in record:
        _check_columns(record["columns"], record["attributes"])
        learner.columns = record["columns"]
    return learner


def _check_columns(columns: dict[str, Any], n_attributes: int | None) -> None:
    """What holds of every `Stream.columns`: the columns make as many attributes as there are."""
    width, kinds = 0, []
    for column in columns["columns"]:
        kind = column["kind"]
        _require(isinstance(column["name"], str), "a column without a name")
        _require(
            kind in ("number", "category", "label", "drop"), f"a column of kind {_short(kind)}"
        )
        kinds.append(kind)
        if kind == "number":
            known, total = column.get("known", 0), column.get("total", 0.0)
            _require(_is_count(known) and math.isfinite(total), "a mean that is none")
            _require(type(column.get("marked", False)) is bool, "a mark that is none")
            width += 1 + column.get("marked", False)
        elif kind == "category":
            names = column["categories"]
            _require(isinstance(names, list), "categories that are no list")
            _require(all(isinstance(name, str) for name in names), "a category that is no text")
            _require(len(set(names)) == len(names), "a category comes twice")
            width += len(names)
    _require(kinds.count("label") <= 1, "two labels")
    _require(n_attributes in (None, width), f"columns of {width} attributes")
    _require(columns["missing"] in ("error", "mean", "category"), "an unknown way with gaps")
    labels = columns.get("labels", [])
    _require(isinstance(labels, list), "labels that are no list")
    _require(all(isinstance(label, str) for label in labels), "a label that is no text")
    _require(len(set(labels)) == len(labels), "a label comes twice")
    if "scale" in columns:
        from abacoc.scaling import Fixed  # few models have one

        known = {len(values) for values in Fixed.restored(columns["scale"]).columns.values()}
        _require(known <= {width}, "a scaling of other columns")


def _check_ball(ball: Ball, n_classes: int) -> None:
    """What holds of every ball: it has seen its first example, and a mistake is an example."""
    _require(all(_is_count(count) for count in ball.counts), "counts that are none")
    _require(0 < len(ball.counts) <= n_classes, "counts of classes that are not there")
    total = sum(ball.counts)
    _require(_is_count(ball.mistakes) and ball.mistakes < total, "more mistakes than examples")
    _require(_is_count(ball.moves, 1) and ball.moves <= total, "more moves than examples")
    for radius in (ball.birth_radius, ball.radius):  # NaN: not yet known
        fits = isinstance(radius, float) or _is_count(radius)
        _require(fits and not radius < 0, f"a radius of {radius!r}")


def _reading(fields: dict[str, Any]) -> Reading:
    reading = Reading(**fields)
    for name, value in dataclasses.asdict(reading).items():
        usual = getattr(Reading(), name)
        _require(type(value) is type(usual), f"{name} is {value!r}")
    _require(reading.radius_rule in ("max", "plus", "infinite"), "an unknown radius rule")
    return reading


def _is_count(value: Any, least: int = 0) -> bool:
    return type(value) is int and least <= value < _MOST


# The variables of BASE.
_VARIABLES: dict[str, Callable[[Any], bool]] = {
    "phase": lambda i: _is_count(i, 1),
    "steps": _is_count,
    "dimension": lambda d: _is_count(d) and d <= _DEEPEST,
    "epsilon": lambda radius: isinstance(radius, float) and (0 < radius <= 1 or radius == math.inf),
}


def _short(what: object) -> str:
    return " ".join(str(what).split())[:200]


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _metric_name(metric: str | Metric) -> str:
    if isinstance(metric, str):
        return metric
    name = getattr(metric, "__name__", type(metric).__name__)
    return name if BY_NAME.get(name) is metric else f"your own {name}"


def _metric_by_name(name: str, given: Metric | None) -> str | Metric:
    if name == "euclidean" or (name in BY_NAME and given is None):
        return name
    if given is None:
        raise MetricNeeded(
            f"the model was saved with {name}: load(path, metric=...) needs it again"
        )
    return given


def _pack_vector(centre: Any) -> list[float]:
    vector: list[float] = centre.tolist()
    return vector


def _pack(value: Any) -> Any:
    """A label or a point as JSON: numbers and texts as they are, collections with their type."""
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in (str, bool, int, float):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": [value.dtype.str, value.tolist()]}
    if type(value) in (list, tuple):
        return {type(value).__name__: [_pack(v) for v in value]}
    if type(value) in (set, frozenset):
        # sorted, so that equal states give equal files
        return {type(value).__name__: sorted((_pack(v) for v in value), key=repr)}
    raise ValueError(f"a {type(value).__name__} cannot be saved: {value!r}")


def _unpack(value: Any) -> Any:
    if not isinstance(value, dict):
        _require(type(value) in (str, bool, int, float), f"{value!r} as a label or a point")
        return value
    ((kind, items),) = value.items()
    if kind == "array":
        dtype = np.dtype(items[0])
        _require(dtype.kind in "biuf", f"an array of {dtype}")  # and of no size that it names
        return np.array(items[1], dtype=dtype)
    make = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
    return make(_unpack(item) for item in items)
