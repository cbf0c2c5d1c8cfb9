"""One look for all pictures, safe for the colour-blind: the paper hollow, ours filled."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt

from abacoc.methods import METHODS

NAMES = {name: method.title for name, method in METHODS.items()}  # as the paper prints them


def use_style() -> None:
    """The look of every picture from here on."""
    style: Any = {"font.size": 9.5, "axes.spines.top": False, "axes.spines.right": False} | {
        "legend.frameon": False,
        "axes.titlesize": 10.5,
        "figure.constrained_layout.use": True,
    }
    plt.rcParams.update(style)


def look(method: str) -> dict[str, Any]:
    """Colour and marker of a method.

    >>> look("auto-adj")
    {'color': '#d55e00', 'marker': 'v'}
    """
    return {"color": METHODS[method].colour, "marker": METHODS[method].marker}


def share(size: float) -> str:
    """A model size as a share of the stream, to two digits.

    >>> share(0.0134), share(2.05e-5), share(0.1)
    ('1.3 %', '0.0021 %', '10 %')
    """
    return f"{100 * size:.2g} %" if 100 * size < 99.5 else "100 %"
