"""ABACOC: nonparametric classification of data streams with an adaptive cover of balls.

>>> from abacoc import AutoAdj, prequential
>>> run = prequential(AutoAdj(), [[0.0], [1.0], [0.2], [0.8]], ["no", "yes", "no", "yes"])
>>> run.predictions
[None, 'no', 'no', 'yes']
"""

from abacoc._version import __version__
from abacoc.auto import Auto, AutoAdj
from abacoc.base import Base, BaseAdj
from abacoc.modelfile import load
from abacoc.protocol import Run, prequential
from abacoc.readings import READINGS, Reading

__all__ = [
    "READINGS",
    "Auto",
    "AutoAdj",
    "Base",
    "BaseAdj",
    "Reading",
    "Run",
    "__version__",
    "load",
    "prequential",
]
