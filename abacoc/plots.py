"""Pictures. Needs matplotlib (the extra ``plots``)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abacoc.ballset import BallSet

SUFFIXES = (".png", ".svg", ".pdf")
BLOCKS = 1024  # at most twice as many points in a curve: more than a picture is wide
WINDOW = 0.05  # of the stream: what the windowed accuracy looks at
IN_LEGEND = 10  # classes, the most frequent ones


class Trace:
    """Correct predictions and model sizes of a run, in blocks: a long stream takes no more room.

    >>> trace = Trace()
    >>> trace.add([True, False, True], [1, 2, 2])
    >>> trace.add([True], [3])
    >>> trace.n, trace.ends.tolist(), trace.running.round(3).tolist(), trace.sizes
    (4, [1, 2, 3, 4], [1.0, 0.5, 0.667, 0.75], [1, 2, 2, 3])
    """

    def __init__(self) -> None:
        self.block = 1  # examples per block; the last block may be shorter
        self.n = 0
        self.hits: list[int] = []
        self.sizes: list[int] = []  # at the ends of the blocks

    def add(self, hits: Any, sizes: Any) -> None:
        """Go on with these examples."""
        hits, sizes = np.asarray(hits, dtype=np.int64), np.asarray(sizes)
        at = 0
        while at < len(hits):
            if len(self.hits) == 2 * BLOCKS and self.n == self.block * len(self.hits):
                self.hits = np.add(self.hits[::2], self.hits[1::2]).tolist()
                self.sizes, self.block = self.sizes[1::2], 2 * self.block
            begun = self.n % self.block
            part = hits[at : at + self.block - begun]
            if not begun:
                self.hits.append(0)
                self.sizes.append(0)
            at += len(part)
            self.n += len(part)
            self.hits[-1] += int(part.sum())
            self.sizes[-1] = int(sizes[at - 1])

    @property
    def ends(self) -> NDArray[np.int64]:
        """The number of examples up to the end of each block."""
        return np.minimum(self.block * np.arange(1, len(self.hits) + 1), self.n)

    @property
    def running(self) -> NDArray[np.float64]:
        """Accuracy on all examples so far, at the ends of the blocks."""
        return np.asarray(np.cumsum(self.hits) / self.ends, dtype=np.float64)

    def windowed(self, n_blocks: int) -> NDArray[np.float64]:
        """Accuracy on the last ``n_blocks`` blocks, from the first end that has as many."""
        hits, ends = np.cumsum([0, *self.hits]), np.array([0, *self.ends])
        gained = hits[n_blocks:] - hits[:-n_blocks]
        return np.asarray(gained / (ends[n_blocks:] - ends[:-n_blocks]), dtype=np.float64)


def draw_run(panels: Sequence[Axes], trace: Trace, *, unit: str = "balls") -> None:
    """Accuracy, running and in a window, into the first panel; the model size into the second.

    >>> trace = Trace()
    >>> trace.add([True, False, True, True], [1, 2, 2, 2])
    >>> figure, panels = new_figure()
    >>> draw_run(panels, trace)
    >>> panels[0].get_legend().get_texts()[-1].get_text()
    'of all so far: 0.7500 at the end'
    """
    from matplotlib.ticker import MaxNLocator

    accuracy, size = panels
    ends = trace.ends
    n_blocks = max(1, round(WINDOW * len(ends)))
    if trace.n >= 100:  # else a window is a few examples, and its curve a row of spikes
        inside = trace.windowed(n_blocks)
        label = f"of the last {n_blocks * trace.block:,} examples"
        accuracy.plot(ends[n_blocks - 1 :], inside, color="#92c5de", linewidth=1, label=label)
    label = f"of all so far: {trace.running[-1]:.4f} at the end"
    accuracy.plot(ends, trace.running, color="#053061", linewidth=1.6, label=label)
    accuracy.set_ylabel("accuracy")
    accuracy.legend(loc="best", fontsize="small")
    size.plot(ends, trace.sizes, color="#b2182b", linewidth=1.6, drawstyle="steps-post")
    size.set_ylabel(f"model size, {unit}")
    size.set_xlabel("examples")
    size.set_ylim(bottom=0)
    for axes in panels:
        axes.set_xlim(0, trace.n)
        axes.grid(alpha=0.3)
    for axis in (accuracy.xaxis, size.xaxis, size.yaxis):  # they count
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
        axis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def draw_cover(
    axes: Axes,
    learner: BallSet,
    X: Any,
    y: Any,
    *,
    names: Mapping[Any, str] | None = None,
    legend: bool = False,
) -> None:
    """The balls of a two-dimensional cover over its points.

    With two classes a ball's colour says how likely the second is inside it: blue for never, red
    for always, pale where the two are mixed. With more it is the colour of the most frequent
    class, paler the less of the ball it has. ``names`` are for the legend, where they differ from
    the labels.

    >>> from abacoc import Auto
    >>> learner = Auto()
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [5.0, 1.0]], ["a", "b", "c"]
    >>> for point, label in zip(X, y):
    ...     learner.update(point, label)
    >>> _, panels = new_figure(cover=True)
    >>> draw_cover(panels[2], learner, X, y)
    >>> len(panels[2].collections[1].get_offsets())
    3
    """
    from matplotlib.collections import EllipseCollection

    balls = learner.balls
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError("a cover can be drawn in two dimensions only")
    number = {label: k for k, label in enumerate(learner.classes)}
    n_learned = len(number)
    codes = np.array([number.setdefault(label, len(number)) for label in _labels(y)])
    palette = _palette(len(number))
    area = np.clip(3000 / len(X), 1.5, 15)  # of a dot: fewer points, larger ones
    axes.scatter(X[:, 0], X[:, 1], s=area, c=palette[codes], linewidths=0, zorder=1)
    extent = np.ptp(X, axis=0).max() or 1.0  # 0 where there is one point only
    # a radius that is infinite covers the picture; one that is not there yet is not drawn
    widths = 2 * np.nan_to_num(balls.radii, nan=0.0, posinf=2 * extent)
    order = np.argsort(-widths)  # large balls first, so that the small ones stay visible
    axes.add_collection(
        EllipseCollection(
            widths[order],
            widths[order],
            np.zeros(len(order)),
            offsets=balls.centres[order],
            offset_transform=axes.transData,
            units="xy",
            facecolors=_ball_colours(balls.counts[order], palette[:n_learned]),
            alpha=0.35,
            edgecolors="black",
            linewidths=0.4,
            zorder=2,
        )
    )
    axes.scatter(
        balls.centres[:, 0],
        balls.centres[:, 1],
        s=5,
        c="black",
        marker="+",
        linewidths=0.5,
        zorder=3,
    )
    axes.set_aspect("equal")
    margin = 0.08 * extent
    axes.set_xlim(X[:, 0].min() - margin, X[:, 0].max() + margin)
    axes.set_ylim(X[:, 1].min() - margin, X[:, 1].max() + margin)
    axes.set_xticks([])
    axes.set_yticks([])
    if legend:
        _legend(axes, list(number), palette, np.bincount(codes, minlength=len(number)), names or {})


def check_picture(path: str | Path) -> None:
    """ValueError if no picture could be written there, for its name or for want of matplotlib."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path}: a picture is {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise ValueError('a picture needs matplotlib: pip install "abacoc[plots]"') from None


def off_screen() -> Any:
    """The module ``pyplot``: no window opens, and the first search for fonts is not announced."""
    import matplotlib

    quiet()
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def quiet() -> None:
    """Keep matplotlib from announcing that it looks for fonts, which happens once per machine."""
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


def new_figure(cover: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure with two panels for ``draw_run``, and one for ``draw_cover`` beside them."""
    from matplotlib.figure import Figure

    quiet()
    figure = Figure(figsize=(13 if cover else 8, 5.5), layout="constrained")
    parts: Any = figure.subfigures(1, 2, width_ratios=(7, 6)) if cover else [figure]
    panels = list(parts[0].subplots(2, 1, sharex=True))
    parts[0].align_ylabels(panels)
    if cover:
        panels.append(parts[1].subplots())
    return figure, panels


def save_picture(figure: Figure, path: str | Path) -> None:
    """Write the figure in the format of the suffix, atomically; the same figure, the same bytes."""
    import matplotlib

    from abacoc.files import write_atomically

    check_picture(path)
    kind = Path(path).suffix.lower().removeprefix(".")
    undated: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with (
        matplotlib.rc_context({"svg.hashsalt": "abacoc"}),
        write_atomically(path, "wb") as file,
    ):
        figure.savefig(file, format=kind, dpi=150, metadata=undated)


def _labels(y: Any) -> list[Any]:
    return list(y.tolist() if isinstance(y, np.ndarray) else y)


def _palette(n: int) -> NDArray[np.float64]:
    """A colour for each class; with one or two, blue and red."""
    from matplotlib import colormaps, colors

    if n <= 2:
        return np.array([colors.to_rgb("#2166ac"), colors.to_rgb("#b2182b")])[:n]
    if n <= 10:
        return np.array([colors.to_rgb(f"C{k}") for k in range(n)])
    return np.asarray(colormaps["gist_rainbow"](np.linspace(0, 1, n)))[:, :3]


def _ball_colours(counts: NDArray[np.int64], palette: NDArray[np.float64]) -> Any:
    from matplotlib import colormaps

    shares = counts / counts.sum(axis=1, keepdims=True)
    if len(palette) <= 2:
        return colormaps["RdBu_r"](shares[:, 1:].sum(axis=1))
    # from white, where all classes are equally frequent, to the colour of the only one
    purity = (shares.max(axis=1, keepdims=True) * len(palette) - 1) / (len(palette) - 1)
    return 1 - purity * (1 - palette[shares.argmax(axis=1)])


def _legend(
    axes: Axes, labels: list[Any], palette: Any, frequency: Any, names: Mapping[Any, str]
) -> None:
    shown = np.argsort(-frequency, kind="stable")[:IN_LEGEND]
    for k in sorted(shown.tolist()):
        name = str(names.get(labels[k], labels[k]))
        axes.plot([], [], "o", color=palette[k], markersize=5, label=name)
    more = len(labels) - len(shown)
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),  # beside the balls, which may be anywhere inside
        fontsize="small",
        title=f"class (and {more} more)" if more else "class",
        title_fontsize="small",
    )
