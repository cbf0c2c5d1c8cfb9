"""One file per learner: a line of magic, a checksum, and the state as JSON. No pickle.

JSON keeps every bit of a float64 (Python writes the shortest decimal that reads back the same),
so a loaded learner goes on exactly where the saved one stopped.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from abacoc import auto, base
from abacoc.ballset import Ball, BallSet
from abacoc.compiled.learners import Auto, AutoAdj, Base, BaseAdj
from abacoc.files import write_atomically
from abacoc.metrics import BY_NAME, Metric
from abacoc.readings import Reading

MAGIC = b"abacoc model, format 1\n"
LEARNERS: dict[str, Any] = {cls.__name__: cls for cls in (Base, BaseAdj, Auto, AutoAdj)}
REFERENCES: dict[str, Any] = {
    cls.__name__: cls for cls in (base.Base, base.BaseAdj, auto.Auto, auto.AutoAdj)
}
BALL_FIELDS = [field.name for field in dataclasses.fields(Ball) if field.name != "centre"]


def save(learner: BallSet, path: str | Path) -> None:
    """Write the learner to ``path``: all of it or, if something goes wrong, nothing."""
    payload = json.dumps(state(learner), separators=(",", ":")).encode()
    with write_atomically(path, "wb") as file:
        file.write(MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)


def load(path: str | Path, metric: Metric | None = None, *, reference: bool = False) -> BallSet:
    """The learner saved in ``path``; ValueError for anything but a whole, unaltered file.

    With ``reference`` it is one of the reference's classes; the files are the same.
    """
    content = Path(path).read_bytes()
    if not content.startswith(MAGIC):
        raise ValueError(f"{path} is not a model file of this version of abacoc")
    checksum, _, payload = content[len(MAGIC) :].partition(b"\n")
    if hashlib.sha256(payload).hexdigest().encode() != checksum:
        raise ValueError(f"{path} is truncated or altered: its checksum does not match")
    return from_state(json.loads(payload), metric, REFERENCES if reference else LEARNERS)


def state(learner: BallSet) -> dict[str, Any]:
    """Everything that decides what the learner will do, as plain JSON values."""
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
    if isinstance(learner, auto.Auto) and learner.budget is not None:
        record["budget"] = {"budget": learner.budget.limit, "seed": learner.budget.seed}
        record["generator"] = learner.budget.generator.bit_generator.state
    copied: dict[str, Any] = json.loads(json.dumps(record))  # nothing shared with the learner
    return copied


def from_state(
    record: dict[str, Any],
    metric: Metric | None = None,
    learners: dict[str, Any] = LEARNERS,
) -> BallSet:
    """The learner with that state."""
    learner: BallSet = learners[record["learner"]](
        **record["settings"],
        **record.get("budget", {}),
        metric=_metric_by_name(record["metric"], metric),
        reading=Reading(**record["reading"]),
    )
    for name, value in record["variables"].items():
        setattr(learner, name, value)
    if isinstance(learner, auto.Auto) and learner.budget is not None:
        learner.budget.generator.bit_generator.state = record["generator"]
    learner.classes = [_unpack(label) for label in record["classes"]]
    learner._class_number = {label: k for k, label in enumerate(learner.classes)}
    learner._dimension = record["attributes"]
    balls = []
    for packed, values in zip(record["centres"], record["balls"], strict=True):
        centre = np.array(packed, dtype=np.float64) if learner._needs_vectors else _unpack(packed)
        balls.append(Ball(centre, **dict(zip(BALL_FIELDS, values, strict=True))))
    learner._restore(balls)
    return learner


def _metric_name(metric: str | Metric) -> str:
    if isinstance(metric, str):
        return metric
    name = getattr(metric, "__name__", type(metric).__name__)
    return name if BY_NAME.get(name) is metric else f"your own {name}"


def _metric_by_name(name: str, given: Metric | None) -> str | Metric:
    if name == "euclidean" or (name in BY_NAME and given is None):
        return name
    if given is None:
        raise ValueError(f"the model was saved with {name}: load(path, metric=...) needs it again")
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
        return value
    (kind, items) = next(iter(value.items()))
    if kind == "array":
        return np.array(items[1], dtype=items[0])
    make = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
    return make(_unpack(item) for item in items)
