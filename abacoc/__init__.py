"""ABACOC: nonparametric classification of data streams with an adaptive cover of balls.

>>> from abacoc import AutoAdj, prequential
>>> run = prequential(AutoAdj(), [[0.0], [1.0], [0.2], [0.8]], ["no", "yes", "no", "yes"])
>>> run.predictions
[None, 'no', 'no', 'yes']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abacoc.engine.learners import Auto, AutoAdj, Base, BaseAdj
    from abacoc.limits import Limits
    from abacoc.methods import load
    from abacoc.online import Scaled
    from abacoc.protocol import Run, prequential, prequential_pieces
    from abacoc.readings import READINGS, Reading

__version__ = "0.2.0"

__all__ = [
    "READINGS",
    "Auto",
    "AutoAdj",
    "Base",
    "BaseAdj",
    "Limits",
    "Reading",
    "Run",
    "Scaled",
    "__version__",
    "load",
    "prequential",
    "prequential_pieces",
]

# Each name is imported when it is first asked for: the command line starts without NumPy.
_HOMES = {
    "READINGS": "readings",
    "Auto": "engine.learners",
    "AutoAdj": "engine.learners",
    "Base": "engine.learners",
    "BaseAdj": "engine.learners",
    "Limits": "limits",
    "Reading": "readings",
    "Run": "protocol",
    "Scaled": "online",
    "load": "methods",
    "prequential": "protocol",
    "prequential_pieces": "protocol",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"abacoc.{_HOMES[name]}"), name)
