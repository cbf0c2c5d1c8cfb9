"""The methods the paper compares with, each imported when it is first asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abacoc.baselines.moa import MoaClassifier, MoaKnn, Rules, Vfdt

__all__ = ["MoaClassifier", "MoaKnn", "Rules", "Vfdt"]

_HOMES = {"MoaClassifier": "moa", "MoaKnn": "moa", "Rules": "moa", "Vfdt": "moa"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
