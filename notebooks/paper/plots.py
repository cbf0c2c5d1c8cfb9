"""One look for all pictures, safe for the colour-blind: the paper hollow, ours filled."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt

# Name, colour (of Okabe and Ito, two more of Tol's) and the marker that tells what colours do not.
LOOKS: dict[str, tuple[str, str, str]] = {
    "base": ("BASE", "#56b4e9", "<"),
    "base-adj": ("BASE-ADJ", "#0072b2", "s"),
    "auto": ("AUTO", "#e69f00", "o"),
    "auto-adj": ("AUTO-ADJ", "#d55e00", "v"),
    "auto-adj-fix": ("AUTO-ADJ FIX", "#882255", "D"),
    "nn3": ("NN3", "#000000", "P"),
    "cnn": ("CNN", "#7a7a7a", "^"),
    "k-perc": ("K-PERC", "#cc79a7", ">"),
    "rules": ("RULES", "#8a8a1f", "h"),
    "vfdt": ("VFDT", "#009e73", "X"),
}
NAMES = {method: look[0] for method, look in LOOKS.items()}  # as the paper prints them


def use_style() -> None:
    """The look of every picture from here on."""
    plt.rcParams.update(
        {"font.size": 9.5, "axes.spines.top": False, "axes.spines.right": False}
        | {"legend.frameon": False, "axes.titlesize": 10.5, "figure.constrained_layout.use": True}
    )


def look(method: str) -> dict[str, Any]:
    """Colour and marker of a method.

    >>> look("auto-adj")
    {'color': '#d55e00', 'marker': 'v'}
    """
    return {"color": LOOKS[method][1], "marker": LOOKS[method][2]}


def share(size: float) -> str:
    """A model size as a share of the stream, to two digits.

    >>> share(0.0134), share(2.05e-5), share(0.1)
    ('1.3 %', '0.0021 %', '10 %')
    """
    return f"{100 * size:.2g} %" if 100 * size < 99.5 else "100 %"
