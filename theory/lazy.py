"""What the package offers by its own name, imported when it is first asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .regret.bounds import bound_without_hypotheses, bounds
    from .regret.comparator import best_lipschitz, best_lipschitz_points
    from .regret.lab import Result, check_bound
    from .regret.line_comparator import best_lipschitz_line
    from .regret.sites import SiteBase
    from .regret.spaces import (
        FiniteSpace,
        cantor,
        circle,
        cube,
        discrete,
        from_matrix,
        from_metric,
        from_points,
        interval,
        points_on_line,
        square,
        star,
        strings,
        tree,
    )

__all__ = [
    "FiniteSpace",
    "Result",
    "SiteBase",
    "best_lipschitz",
    "best_lipschitz_line",
    "best_lipschitz_points",
    "bound_without_hypotheses",
    "bounds",
    "cantor",
    "check_bound",
    "circle",
    "cube",
    "discrete",
    "from_matrix",
    "from_metric",
    "from_points",
    "interval",
    "points_on_line",
    "square",
    "star",
    "strings",
    "tree",
]

_HOMES = {
    "bounds": ("bound_without_hypotheses", "bounds"),
    "comparator": ("best_lipschitz", "best_lipschitz_points"),
    "lab": ("Result", "check_bound"),
    "line_comparator": ("best_lipschitz_line",),
    "sites": ("SiteBase",),
}


def __getattr__(name: str) -> Any:
    """All that is in no other home is a space."""
    if name not in __all__:
        raise AttributeError(f"module {__package__!r} has no attribute {name!r}")
    home = next((home for home, public in _HOMES.items() if name in public), "spaces")
    return getattr(importlib.import_module(f"{__package__}.regret.{home}"), name)
