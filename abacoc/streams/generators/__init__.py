"""Generated streams, by name and parameters: `generated:NAME,...` and `adversary:NAME,...`.

They stand in where a real file is missing, and their notes say that they are generated. A stream
of n examples is the beginning of every longer one with the same parameters (but not for the
adversaries, most of whom know n).

Others add their own with `register`. The adversaries are the theory's: the entry point
`adversary` of the group `abacoc.streams` names the module that registers them.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import operator
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from abacoc import wording
from abacoc.streams.generators.common import Made, require
from abacoc.streams.generators.drift import hyperplane, sea
from abacoc.streams.generators.shapes import banana, manifold, uniform
from abacoc.streams.stream import GENERATED, Stream, is_generated

__all__ = ["GENERATORS", "generate", "is_generated", "open_generated", "overview", "register"]

Maker = Callable[..., Made]

GENERATORS: dict[str, Maker] = {
    f"generated:{maker.__name__}": maker for maker in (sea, hyperplane, banana, manifold, uniform)
}


def register(name: str, maker: Maker) -> None:
    """Offer a stream as `name`, which has a colon; the maker's parameters have defaults.

    >>> register("mine:sea", sea)
    >>> open_generated("mine:sea,n=10").n_examples
    10
    >>> del GENERATORS["mine:sea"]
    """
    GENERATORS[name] = maker
    GENERATED.add(name.partition(":")[0])


def generate(name: str, /, **parameters: Any) -> Stream:
    """A generated stream; `ValueError` with what there is for an unknown name or parameter.

    >>> stream = generate("sea", n=1000, seed=3)
    >>> stream.name, stream.n_examples, stream.n_attributes, stream.labels
    ('generated:sea,n=1000,seed=3', 1000, 3, ('0', '1'))
    >>> stream.note.split(",")[0], stream.note.split(", ")[-1]
    ('generated: SEA concepts', 'seed 3')
    """
    full = name if is_generated(name) else f"generated:{name}"
    if full.startswith("adversary:") and full not in GENERATORS:
        _load_adversaries()
    if full not in GENERATORS:
        raise ValueError(f"unknown generator {full}; there are: {', '.join(GENERATORS)}")
    defaults = _defaults(GENERATORS[full])
    for key in parameters:
        if key not in defaults:
            listed = ", ".join(f"{known}={value}" for known, value in defaults.items())
            raise ValueError(f"{full} has no parameter {key!r}; it has {listed}")
    given = {key: _value(full, key, value, defaults[key]) for key, value in parameters.items()}
    chosen = defaults | given
    try:
        require(chosen["n"] >= 1, f"n is a number of examples, not {chosen['n']}")
        require(chosen["seed"] >= 0, f"seed is at least 0, not {chosen['seed']}")
        made = GENERATORS[full](**chosen)
    except (MemoryError, OverflowError):
        raise ValueError(f"{full}: too large for the memory of this machine") from None
    except ValueError as error:
        raise ValueError(f"{full}: {error}") from None
    changed = [f"{key}={value}" for key, value in chosen.items() if value != defaults[key]]
    return _stream(",".join([full, *changed]), made, chosen["seed"])


def open_generated(text: str, **reader_options: Any) -> Stream:
    """The stream of a text such as `generated:manifold,d=3,ambient=20,seed=1`.

    The options of a reader of files mean nothing here, and are refused.

    >>> open_generated("generated:manifold,d=3,ambient=20,n=50,seed=1").X.shape
    (50, 20)
    """
    if given := sorted(option for option, value in reader_options.items() if value):
        raise ValueError(f"{text} is generated, not read from a file: no {', '.join(given)}")
    name, *settings = text.split(",")
    parameters: dict[str, str] = {}
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        require(bool(key and equals), f"{text}: {setting!r} is not like n=1000")
        require(key not in parameters, f"{text}: {key} is given twice")
        parameters[key] = value
    return generate(name, **parameters)


def overview() -> list[tuple[str, str, str]]:
    """Name, what it is, and the parameters with their defaults; one row for a maker of several.

    >>> overview()[0][::2]
    ('generated:sea', 'n=60000,seed=0,noise=0.1,block=15000,variant=street-kim')
    """
    with contextlib.suppress(ValueError):  # without the extra there are none
        _load_adversaries()
    rows: dict[Maker, str] = {}
    for name, maker in GENERATORS.items():
        maker = getattr(maker, "func", maker)  # of a `functools.partial`
        rows[maker] = f"{rows[maker]}|{name.partition(':')[2]}" if maker in rows else name
    return [
        (
            name,
            (inspect.getdoc(maker) or "").partition("\n")[0],
            ",".join(f"{key}={value}" for key, value in _defaults(maker).items()),
        )
        for maker, name in rows.items()
    ]


def _load_adversaries() -> None:
    try:
        for point in entry_points(group="abacoc.streams", name="adversary"):
            point.load()
    except ModuleNotFoundError as error:
        raise ValueError(wording.missing("a stream of an adversary", error, "theory")) from None


def _defaults(maker: Maker) -> dict[str, Any]:
    """The parameters that may be given; all of them have a default."""
    parameters = inspect.signature(maker).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def _value(name: str, key: str, value: Any, default: Any) -> Any:
    """The value of a parameter, from a text or from Python, of the type that its default has."""
    kind = type(default)
    try:
        if kind is int:
            return int(value) if isinstance(value, str) else operator.index(value)
        result = kind(value)
    except (TypeError, ValueError):
        result = math.nan
    if kind is not str and not math.isfinite(result):
        expected = "a whole number" if kind is int else "a number"
        raise ValueError(f"{name}: {key} is {expected}, not {value!r}")
    return result


def _stream(name: str, made: Made, seed: int) -> Stream:
    """Number the classes by first appearance, as in every stream."""
    present, first = np.unique(made.classes, return_index=True)
    order = present[np.argsort(first)]
    code = np.zeros(len(made.labels), dtype=np.int64)
    code[order] = np.arange(len(order))
    return Stream(
        name,
        made.X,
        code[made.classes],
        tuple(made.labels[k] for k in order),
        tuple(f"x{i + 1}" for i in range(made.X.shape[1])),
        f"generated: {made.what}, seed {seed}",
    )
