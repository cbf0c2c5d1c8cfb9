"""One look for all pictures: a colour, a marker and a name per method, safe for the colour-blind.

Published numbers are hollow, ours are filled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from abacoc.files import write_atomically
from abacoc.plots import off_screen

# Colours of Okabe and Ito, two more of Tol's; the markers tell apart what the colours do not.
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
NAMES = {method: look[0] for method, look in LOOKS.items()}
DPI = 150


def colour(method: str) -> str:
    """The colour of a method.

    >>> colour("auto-adj")
    '#d55e00'
    """
    return LOOKS[method][1]


def marker(method: str) -> str:
    """The marker of a method."""
    return LOOKS[method][2]


def share(size: float) -> str:
    """A model size as a share of the stream, to two digits.

    >>> share(0.0134), share(2.05e-5), share(0.1)
    ('1.3 %', '0.0021 %', '10 %')
    """
    return f"{100 * size:.2g} %" if 100 * size < 99.5 else "100 %"


@contextmanager
def picture(path: Path, rows: int = 1, columns: int = 1, **options: Any) -> Iterator[Any]:
    """A new figure and its axes; it is written to ``path`` at the end.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with picture(Path(folder, "figures", "a.png")) as (figure, axes):
    ...         _ = axes.plot([0, 1])
    ...     Path(folder, "figures", "a.png").read_bytes()[1:4]
    b'PNG'
    """
    import matplotlib

    plt = off_screen()  # a notebook must not show the figure by itself
    look: Any = {"font.size": 9.5, "axes.spines.top": False, "axes.spines.right": False}
    look |= {"legend.frameon": False, "axes.titlesize": 10.5}
    with matplotlib.rc_context(look):
        figure, axes = plt.subplots(rows, columns, **{"layout": "constrained", **options})
        try:
            yield figure, axes
            path.parent.mkdir(parents=True, exist_ok=True)
            with write_atomically(path, "wb") as file:
                figure.savefig(file, format="png", dpi=DPI)
        finally:
            plt.close(figure)
