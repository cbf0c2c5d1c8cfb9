"""The regret of BASE on a stream of data: `abacoc regret`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from abacoc.plots import quiet as silence
from abacoc.plots import save_picture
from abacoc.wording import number

from .adversaries import FloatArray, IntArray
from .bounds import bound_without_hypotheses, bounds
from .comparator import Comparator
from .covering import _SAFE
from .line_comparator import LineComparator, best_lipschitz_line_sites
from .near_comparator import best_lipschitz_near
from .sites import SiteBase, expected_mistakes
from .spaces import FiniteSpace, from_points

HALVINGS = 8  # of the stream, in a picture: all of them together cost as much as the whole


@dataclass(frozen=True)
class Row:
    """The beginning of the stream up to T, and one L."""

    L: float
    T: int
    mistakes: float  # of BASE, expected
    primal: float  # the loss of the best L-Lipschitz function,
    dual: float  # and a bound below the loss of every such function
    gap: float
    regret: float
    without_hypotheses: float
    corrected: float
    sharpened: float


@dataclass(frozen=True)
class Found:
    """What there is to say about a stream."""

    n_examples: int
    n_points: int  # distinct ones
    n_attributes: int
    divided_by: float  # the diagonal of the box around all points, or 1 if that is at most 1
    covering_constant: float  # C-hat
    dimension: int  # the least whole D with covers as the theorem asks for
    phases: int
    n_balls: int
    rows: list[Row]
    over_time: list[Row]

    def __str__(self) -> str:
        """A table with a line for each L."""
        told = f"divided by {self.divided_by:.6g}" if self.divided_by != 1 else "as they are"
        C = f"{self.covering_constant:g}"
        lines = [
            f"{self.n_points:,} distinct points, {told}: then the box around them has a diagonal "
            "of at most 1",
            f"BASE: {number(self.n_balls, 'balls')} in phase {self.phases}, C-hat {C}",
            f"covering numbers: at most {C} eps^-D for D = {self.dimension}, which the bounds of "
            "the theorem have",
            "",
            f"{'L':>8} {'mistakes':>12} {'best f':>12} {'dual':>12} {'gap':>4} {'regret':>12} "
            f"{'no hypoth.':>12} {'sharpened':>14} {'corrected':>14}",
        ]
        lines += [
            f"{r.L:8g} {r.mistakes:12,.3f} {r.primal:12,.3f} {r.dual:12,.3f} {r.gap:4g} "
            f"{r.regret:12,.3f} {r.without_hypotheses:12,.1f} {r.sharpened:14,.1f} "
            f"{r.corrected:14,.1f}"
            for r in self.rows
        ]
        return "\n".join(lines)


def regret_of_data(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    constants: Sequence[float],
    *,
    covering: float = 1.0,
    over_time: bool = False,
    pairs: int | None = None,
    quiet: bool = True,
) -> Found:
    """BASE against the best L-Lipschitz functions, for every L, with all certificates verified.

    The diameter must be at most 1: where the box around all points has a larger diagonal, the
    points are divided by it, and L is meant for what comes out. ``pairs`` is the limit of
    ``best_lipschitz_near``.

    >>> found = regret_of_data([[0.0], [0.5], [0.0], [0.5]], [0, 1, 0, 1], [0, 2])
    >>> [(row.primal, row.dual, round(row.regret, 3)) for row in found.rows]
    [(2.0, 2.0, 0.512), (0.0, 0.0, 2.512)]
    """
    points, site, divided_by = distinct_points(np.asarray(X, dtype=np.float64))
    labels = np.asarray(y)
    if labels.shape != site.shape or not np.isin(labels, (0, 1)).all():
        raise ValueError("there must be a label 0 or 1 for every row of X")
    for L in constants:
        if not 0 <= L < math.inf:
            raise ValueError(f"L must be a number of at least 0, not {L:g}")
    space = from_points(points)
    base = SiteBase(space, covering)
    T = len(site)
    ends = sorted({-(-T // 2**k) for k in range(HALVINGS)} if over_time else {T})
    # First the comparators: what does not fit in memory is told before BASE runs.
    best = {
        (L, t): _best(points, site[:t], labels[:t], L, pairs, quiet)
        for t in reversed(ends)  # the longest first: if there is no room, it is told at once
        for L in constants
    }
    D = _least_dimension(space, base.covering_constant, quiet)
    rows, chances = [], np.empty(T)
    bar = tqdm(total=T, unit="ex", desc="BASE", disable=quiet or None, leave=False, delay=1)
    for start, end in zip([0, *ends], ends, strict=False):
        for at in range(start, end, 1000):
            part = slice(at, min(end, at + 1000))
            chances[part] = base.run(site[part], labels[part])
            bar.update(part.stop - at)
        mistakes = expected_mistakes(chances[:end], labels[:end])
        for L in constants:
            f, allowed = best[L, end], bounds(end, D, base.covering_constant, L)
            row = Row(
                L=L,
                T=end,
                mistakes=mistakes,
                primal=f.primal_value,
                dual=f.dual_value,
                gap=f.gap,
                regret=mistakes - f.loss,
                without_hypotheses=bound_without_hypotheses(base, L),
                corrected=allowed["corrected"],
                sharpened=allowed["sharpened"],
            )
            rows.append(row)
    bar.close()
    return Found(
        n_examples=T,
        n_points=len(points),
        n_attributes=points.shape[1],
        divided_by=divided_by,
        covering_constant=base.covering_constant,
        dimension=D,
        phases=base.phase,
        n_balls=base.n_balls,
        rows=[row for row in rows if row.T == T],
        over_time=rows if over_time else [],
    )


def distinct_points(X: FloatArray) -> tuple[FloatArray, IntArray, float]:
    """Points in a box of diagonal at most 1, which of them each row is, and what X was divided by.

    >>> X = np.array([[3.0, 0.0], [0.0, 4.0], [3.0, 0.0]])
    >>> points, site, divided_by = distinct_points(X)
    >>> points.round(2).tolist(), site.tolist(), round(divided_by, 9)
    ([[0.0, 0.8], [0.6, 0.0]], [1, 0, 1], 5.0)
    """
    if X.ndim != 2 or not X.size or not np.isfinite(X).all():
        raise ValueError("X must be a matrix of finite numbers with at least one row")
    box = math.hypot(*np.ptp(X, axis=0).tolist())
    if not box < math.inf:
        raise ValueError("the numbers are too large for their distances")
    # A little more: the coordinates are rounded once more, each by 2^-53 of itself.
    largest = float(np.abs(X).max())
    divided_by = box + 2.0**-45 * largest if box > 1 else 1.0
    points, site = np.unique(X / divided_by, axis=0, return_inverse=True)
    return points, site.reshape(-1), divided_by


def _best(
    points: FloatArray,
    site: IntArray,
    labels: IntArray,
    L: float,
    pairs: int | None,
    quiet: bool,
) -> Comparator | LineComparator:
    """The best function on the points that came, with its certificate verified."""
    ones, zeros = (np.bincount(site[labels == k], minlength=len(points)) for k in (1, 0))
    seen = ones + zeros > 0
    if points.shape[1] == 1 and L > 0:
        on_line = best_lipschitz_line_sites(points[seen, 0], ones[seen], zeros[seen], L)
        on_line.verify()
        return on_line
    title = f"best f, L = {L:g}"
    with tqdm(unit="pair", desc=title, disable=quiet or None, leave=False, delay=1) as bar:

        def progress(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        best = best_lipschitz_near(
            points[seen], ones[seen], zeros[seen], L, progress=progress, limit=pairs
        )
    if L > 0:  # a constant is Lipschitz, and one looks at no pair for it
        best.verify()
    return best


def _least_dimension(space: FiniteSpace, C: float, quiet: bool = True) -> int:
    """The least whole D >= 1 for which covers by at most C eps^-D balls are found.

    Centres come from a farthest-point traversal: k of them cover within r_k, so k r_{k-1}^D must
    be at most C for every k; and r_k <= 1/2, by the ball around the middle of the box. D can only
    rise on the way. It is at most the number of attributes, for which C = 1 is enough (see
    ``from_points``), and nothing is left to ask once all points would do.

    >>> _least_dimension(from_points([[a / 20, b / 20] for a in range(12) for b in range(12)]), 1.0)
    2
    >>> _least_dimension(from_points([[a / 40, a / 40] for a in range(12)]), 1.0)
    1
    """
    points = space.points
    assert points is not None
    most, D, k, radius = points.shape[1], 1, 1, 1.0
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    gap = space.row(int(((points - middle) ** 2).sum(axis=1).argmin()))
    bar = tqdm(unit="ball", desc="covering", disable=quiet or None, leave=False, delay=1)
    while most > D and space.n * radius**D * _SAFE > C:
        while most > D and k * radius**D * _SAFE > max(C, _SAFE):
            D += 1
        far = int(gap.argmax())
        radius = min(0.5, float(gap[far]))
        np.minimum(gap, space.row(far), out=gap)
        k += 1
        bar.update()
    bar.close()
    return D


def regret_command(
    stream: Any,
    X: FloatArray,
    y: IntArray,
    constants: Sequence[float],
    *,
    covering: float,
    pairs: int | None,
    plot: str | None,
    as_json: bool,
) -> int:
    """`abacoc regret`, once the stream is read."""
    found = regret_of_data(
        X,
        y,
        constants,
        covering=covering,
        over_time=plot is not None,
        pairs=pairs,
        quiet=as_json,
    )
    if plot is not None:
        _draw(found, plot, stream.name)
    if as_json:
        print(json.dumps({"stream": stream.name, **asdict(found)}, indent=2))
    else:
        told = f"{number(found.n_examples, 'examples')}, {number(found.n_attributes, 'attributes')}"
        print(f"{stream.name}: {told} ({stream.note})\n{found}")
    return 0


def _draw(found: Found, path: str | Path, title: str) -> None:
    from matplotlib.figure import Figure

    silence()
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    panel = figure.subplots()
    for k, L in enumerate(dict.fromkeys(row.L for row in found.rows)):
        rows, colour = [row for row in found.over_time if row.L == L], f"C{k % 10}"
        T = [row.T for row in rows]
        panel.plot(T, [row.regret for row in rows], f"{colour}.-", label=f"L = {L:g}: regret")
        allowed = [row.without_hypotheses for row in rows]
        panel.plot(T, allowed, f"{colour}:", label="bound without hypotheses")
    lowest = min((row.regret for row in found.over_time), default=0.0)
    scale = "log" if lowest > 0 else "symlog"  # which has room for a negative one
    panel.set(xscale="log", yscale=scale, xlabel="examples", ylabel="expected mistakes")
    panel.set_title(title)
    panel.legend(fontsize="small")
    save_picture(figure, path)
