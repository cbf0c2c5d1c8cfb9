"""Theorem 1 and its proof: in a checkout, the folder theory/ by the name that a wheel gives it."""

from pathlib import Path

__path__ = [str(Path(__file__).with_name("theory"))]

from abacoc_theory.lazy import __all__ as __all__
from abacoc_theory.lazy import __getattr__ as __getattr__
