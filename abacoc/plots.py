"""Pictures. Needs matplotlib (the extra ``plots``)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abacoc import wording
from abacoc.windows import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from abacoc.ballset import BallSet

SUFFIXES = (".png", ".svg", ".pdf")
CURVES = 3  # panels of `draw_run`
IN_LEGEND = 10  # classes, the most frequent ones
INSIDE: dict[str, Any] = {"color": "#053061", "linewidth": 1.4}
RUNNING: dict[str, Any] = {"color": "#4393c3", "linewidth": 1, "linestyle": "--"}
BESIDE: dict[str, Any] = {"color": "#888888", "linewidth": 0.9}


def draw_run(panels: Sequence[Axes], trace: Trace, *, unit: str = "balls") -> None:
    """Accuracy, kappa and model size over the stream, a panel each.

    Accuracy and kappa are those of a window that slides, so that drift shows, beside NoChange and
    beside the accuracy of all examples so far, which hides it.

    >>> trace = Trace()
    >>> trace.add([0, 1, 0, 0], [-1, 1, 0, 0], [1, 2, 2, 2])
    >>> figure, panels = new_figure()
    >>> draw_run(panels, trace)
    >>> panels[0].get_legend().get_texts()[-1].get_text()
    'all so far: 0.7500 at the end'
    """
    from matplotlib.ticker import MaxNLocator

    accuracy, kappa, size = panels
    ends, running, inside = trace.ends, trace.running, trace.windows(sliding=True)
    if trace.n >= 100:  # else a window is a few examples, and its curve a row of spikes
        label = f"last {trace.length:,} examples"
        accuracy.plot(inside.end, inside.accuracy, label=label, **INSIDE)
        accuracy.plot(inside.end, inside.no_change, label="NoChange in the same", **BESIDE)
        kappa.plot(inside.end, inside.kappa, **INSIDE)
    label = f"all so far: {running[-1]:.4f} at the end"
    accuracy.plot(ends, running, label=label, **RUNNING)
    size.plot(ends, trace.sizes, color="#b2182b", linewidth=1.6, drawstyle="steps-post")
    accuracy.set_ylabel("accuracy")
    kappa.set_ylabel("kappa")
    size.set_ylabel(f"model size, {unit}")
    size.set_xlabel("examples")
    size.set_ylim(bottom=0)
    accuracy.legend(loc="best", fontsize="small")
    for axes in panels:
        axes.set_xlim(0, trace.n)
        axes.grid(alpha=0.3)
    for axis in (accuracy.xaxis, kappa.xaxis, size.xaxis, size.yaxis):  # they count
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
    >>> draw_cover(panels[-1], learner, X, y)
    >>> len(panels[-1].collections[1].get_offsets())
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
        raise ValueError(wording.missing("a picture", "matplotlib", "plots")) from None


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
    """A figure with the panels for ``draw_run``, and one for ``draw_cover`` beside them."""
    from matplotlib.figure import Figure

    quiet()
    figure = Figure(figsize=(14 if cover else 8, 6.5), layout="constrained")
    parts: Any = figure.subfigures(1, 2, width_ratios=(7, 6)) if cover else [figure]
    panels = list(parts[0].subplots(CURVES, 1, sharex=True, height_ratios=(3, 2, 2)))
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
