"""What the package offers by its own name, imported when it is first asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .regret.bounds import bound_without_hypotheses, bounds, leading_constant
    from .regret.combs import Comb, comb
    from .regret.comparator import best_lipschitz, best_lipschitz_points
    from .regret.lab import Result, check_bound
    from .regret.line_comparator import best_lipschitz_line
    from .regret.minimax import minimax_value, worst_case
    from .regret.rivals import Chain, Mixture, OneBall, TunedCells
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
    "Chain",
    "Comb",
    "FiniteSpace",
    "Mixture",
    "OneBall",
    "Result",
    "SiteBase",
    "TunedCells",
    "best_lipschitz",
    "best_lipschitz_line",
    "best_lipschitz_points",
    "bound_without_hypotheses",
    "bounds",
    "cantor",
    "check_bound",
    "circle",
    "comb",
    "cube",
    "discrete",
    "from_matrix",
    "from_metric",
    "from_points",
    "interval",
    "leading_constant",
    "minimax_value",
    "points_on_line",
    "square",
    "star",
    "strings",
    "tree",
    "worst_case",
]

_HOMES = {
    "bounds": ("bound_without_hypotheses", "bounds", "leading_constant"),
    "combs": ("Comb", "comb"),
    "comparator": ("best_lipschitz", "best_lipschitz_points"),
    "lab": ("Result", "check_bound"),
    "line_comparator": ("best_lipschitz_line",),
    "minimax": ("minimax_value", "worst_case"),
    "rivals": ("Chain", "Mixture", "OneBall", "TunedCells"),
    "sites": ("SiteBase",),
}


def __getattr__(name: str) -> Any:
    """All that is in no other home is a space."""
    if name not in __all__:
        raise AttributeError(f"module {__package__!r} has no attribute {name!r}")
    home = next((home for home, public in _HOMES.items() if name in public), "spaces")
    return getattr(importlib.import_module(f"{__package__}.regret.{home}"), name)
