"""How things are said: numbers of things, learners, and packages that are missing."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from abacoc.metrics import BY_NAME
from abacoc.readings import READINGS, Reading

SINGULAR = {"classes": "class", "leaves": "leaf"}


def number(n: int, what: str) -> str:
    """So many of them; ``what`` is a plural.

    >>> number(1, "balls"), number(2, "classes"), number(1, "leaves"), number(1, "stored examples")
    ('1 ball', '2 classes', '1 leaf', '1 stored example')
    """
    if n == 1:
        before, _, last = what.rpartition(" ")
        what = f"{before} {SINGULAR.get(last, last.removesuffix('s'))}".strip()
    return f"{n:,} {what}"


def learner(this: Any, unit: str) -> str:
    """The call that makes such a learner, without what is usual anyway, and its state.

    It is meant for ``__repr__``, which a debugger calls at any moment, so it never fails.

    >>> from abacoc import AutoAdj
    >>> model = AutoAdj(d_hat=3, budget=500)
    >>> model
    AutoAdj(d_hat=3, budget=500)  <0 balls>
    >>> model.update([0.1, 0.2], "a")
    >>> model
    AutoAdj(d_hat=3, budget=500)  <1 ball, 1 class, 2 attributes>
    """
    try:
        state = [number(this.n_balls, unit)]
        if classes := getattr(this, "classes", ()):
            state.append(number(len(classes), "classes"))
        if (attributes := getattr(this, "_dimension", None)) is not None:
            state.append(number(attributes, "attributes"))
        call = ", ".join(f"{name}={_called(value)}" for name, value in _unusual(this))
        return f"{type(this).__name__}({call})  <{', '.join(state)}>"
    except Exception:  # half made, or of a subclass that is made otherwise
        return object.__repr__(this)


def _unusual(this: Any) -> Iterator[tuple[str, Any]]:
    """The arguments that differ from the defaults, as far as the learner still has them."""
    parameters = inspect.signature(type(this)).parameters
    given = {name: getattr(this, name) for name in parameters if hasattr(this, name)}
    given.pop("classes", None)  # those that were learned
    if (budget := given.get("budget")) is not None:
        given |= {"budget": budget.limit, "seed": budget.seed}
    if isinstance(reading := given.get("reading"), Reading) and reading.name in READINGS:
        usual = READINGS[reading.name]
        rule = reading.radius_rule
        if "radius_rule" in parameters and rule != usual.radius_rule:
            given["radius_rule"] = rule
            reading = replace(reading, radius_rule=usual.radius_rule)
        given["reading"] = reading.name if reading == usual else given["reading"]
    given |= getattr(this, "_given", {})  # by those that keep no attribute of the name
    for name, parameter in parameters.items():
        value, default = given.get(name, parameter.default), parameter.default
        if value is not default and (callable(value) or value != default):
            yield name, value


def _called(value: Any) -> str:
    """A value as it stands in a call: a metric that has a name by that, a function by its own."""
    if not callable(value):
        return repr(value)
    name = str(getattr(value, "__name__", type(value).__name__))
    return repr(name) if BY_NAME.get(name) is value else name


def missing(what: str, package: str | ModuleNotFoundError, extra: str) -> str:
    """The line for something that needs a package of an extra.

    It names what to install, not an address of abacoc: that may come from a checkout, a wheel or a
    repository.

    >>> missing("this door", "distributed", "dask")
    'this door needs distributed, which is not installed: pip install "distributed>=2024.8" (the \
extra dask of abacoc)'
    """
    if isinstance(package, ModuleNotFoundError):
        package = (package.name or str(package)).partition(".")[0]
    if extra == "all":  # what wants all of them is in a checkout only
        return f"{what} needs {package}, which is not installed: make installs it (the extra all)"
    wanted = " ".join(f'"{line}"' for line in _requirements(extra)) or package
    return (
        f"{what} needs {package}, which is not installed: pip install {wanted} "
        f"(the extra {extra} of abacoc)"
    )


def _requirements(extra: str) -> list[str]:
    """What the extra asks for, by the installed package."""
    from importlib import metadata

    try:
        lines = metadata.requires("abacoc") or []
    except metadata.PackageNotFoundError:  # imported from its folder
        return []
    parts = (line.replace("'", '"').partition(";") for line in lines)
    return [name.strip() for name, _, of in parts if of.strip() == f'extra == "{extra}"']
