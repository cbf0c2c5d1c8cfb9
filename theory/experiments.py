"""Regret against T, the bounds beside it, and how far the adversaries get: tables and a figure."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import linear_regression
from typing import Any, NamedTuple

import numpy as np

from abacoc.files import write_atomically
from abacoc.plots import off_screen

from . import tightness
from .adversaries_bounds import bounds
from .adversaries_runs import CONSTANTS, Run, battery, growth, searches
from .tightness import Tightness

__all__ = ["PROFILES", "Profile", "bounds", "exponents", "ratios", "run", "slope", "tight"]


class Profile(NamedTuple):
    """How much to compute."""

    growth: tuple[int, ...]  # horizons of the regret curves
    battery: tuple[int, ...]  # horizons in every space
    tightness: tuple[int, ...]
    restarts: int  # of the search
    steps: int  # from each of them


PROFILES = {
    "tiny": Profile((100, 1000), (200,), (1000,), 1, 2),  # for the tests
    "quick": Profile(
        (10**2, 10**3, 10**4, 10**5), (300, 3000), (10**3, 10**4, 10**5, 10**6), 3, 60
    ),
}
# What the figure shows of the adversaries, and what it calls them
SHOWN = {
    "refine": "hub tree (tightness)",
    "outside": "points just outside the balls",
    "opposite": "labels opposite to p",
    "wedge": "two ends of one ball (C = 2 if d > 1)",
}


def tight(horizons: Sequence[int]) -> Iterator[Tightness]:
    """How near the bounds streams come: first the first term (L = 0), then the second."""
    for T in horizons:
        for d in (1, 2, 3):
            layouts = tightness.hub_layouts(d, T)
            tried = [tightness.run_layout("hub tree", layout, T) for layout in layouts]
            yield max(tried, key=lambda found: found.regret)
        yield tightness.run_layout("interval", tightness.refined_interval(T), T)
        yield tightness.run_layout("star of 4 legs", tightness.refined_star(T, 4, 0.5), T)
    for d, k in ((2, 2), (2, 3), (2, 4), (3, 2), (3, 3)):
        layout, T = tightness.dyadic_grid(d, k)
        if max(horizons) >= T:
            yield tightness.run_layout("dyadic grid, max metric", layout, T)
    for T in horizons:
        for d, constants in ((1, (2.0, 16.0)), (2, (2.0, 4.0)), (3, (2.0, 4.0))):
            played = tightness.wedge(d, T)
            for L in constants:
                yield tightness.measured("wedge", played, L, (2 + d) / (1 + d) * L)


# Tables ---------------------------------------------------------------------------------------


def worst(runs: Iterable[Run], d: float, L: float, adversary: str = "") -> dict[int, float]:
    """The largest regret by T, over all adversaries or with one of them."""
    found: dict[int, float] = {}
    for run in runs:
        if (run.d, run.L) == (d, L) and adversary in ("", run.adversary) and run.regret > 0:
            found[run.T] = max(run.regret, found.get(run.T, 0.0))
    return dict(sorted(found.items()))


def slope(regrets: dict[int, float]) -> float:
    """Growth exponent: the least-squares slope of log regret in log T over the last two decades.

    >>> round(slope({10: 1.0, 1000: 100.0, 10000: 1000.0, 100000: 10000.0}), 9)
    1.0
    """
    start = max(regrets) / 100
    last = {T: regret for T, regret in regrets.items() if start <= T}
    x, y = [math.log(T) for T in last], [math.log(regret) for regret in last.values()]
    return linear_regression(x, y).slope


def exponents(runs: list[Run]) -> Iterator[dict[str, Any]]:
    """The fitted exponents, for each adversary and for the worst of them at each T."""
    names = ["", *dict.fromkeys(run.adversary for run in runs)]
    for d in (1, 2, 3):
        for L in CONSTANTS:
            for name in names:
                regrets = worst(runs, d, L, name)
                same = [r.T for r in runs if (r.d, r.L) == (d, L) and name in ("", r.adversary)]
                if regrets and list(regrets) == sorted({*same}):  # above 0 everywhere
                    top = max(regrets)
                    yield {
                        "d": d,
                        "L": L,
                        "adversary": name or "worst of all",
                        "T_max": top,
                        "fitted": slope(regrets),
                        "theorem": (1 + d) / (2 + d),
                        "constant": regrets[top] / top ** ((1 + d) / (2 + d)),
                        # below T = (2 L)^(2+d), f may change by 1 within a ball: L does not bind
                        "settled": int((2 * L) ** (2 + d) <= top / 100),
                    }


def ratios(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """For each adversary and each bound the run that came nearest to the bound, or beyond."""
    for name in dict.fromkeys(run.adversary for run in runs):
        mine = [run for run in runs if run.adversary == name]
        for bound in ("stated", "corrected", "sharpened", "refined"):
            top = max(mine, key=lambda run: run.ratio(bound))
            where = {key: asdict(top)[key] for key in ("space", "d", "C", "L", "T", "regret")}
            yield {"adversary": name, "bound": bound, "ratio": top.ratio(bound), **where}


def tightness_row(found: Tightness) -> dict[str, Any]:
    """A row of the table: the constant reached, and the factors that remain."""
    return asdict(found) | {
        "constant": found.constant,
        "limit": found.limit,
        "refined_factor": found.refined / found.regret,
        "sharpened_factor": found.sharpened / found.regret,
        "corrected_factor": found.corrected / found.regret,
    }


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    table = [{k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows]
    with write_atomically(path) as file:
        writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return path


# The figure -----------------------------------------------------------------------------------


def draw(path: Path, runs: Sequence[Run]) -> Path:
    """Log-log curves for d = 1, 2, 3 (columns) and two L (rows), with the bounds for C = 1."""
    plt = off_screen()
    figure, panels = plt.subplots(2, 3, figsize=(13, 8), layout="constrained", sharex=True)
    horizons = np.geomspace(min(run.T for run in runs), max(run.T for run in runs), 50)
    lines = (
        ("stated", "#b2182b", "-", "paper's bound (for whole d the corrected one)"),
        ("sharpened", "#2166ac", "-", "sharpened bound"),
    )
    for row, L in zip(panels, (0.0, 4.0), strict=True):
        for d, axes in zip((1, 2, 3), row, strict=True):
            power = (1 + d) / (2 + d)
            for name, colour, style, label in lines:
                values = [bounds(T, d, 1.0, L)[name] for T in horizons]
                axes.plot(horizons, values, style, color=colour, label=label)
            limit = 0.75 * 2 ** (d / 2) + (2 + d) / (1 + d) * L
            axes.plot(
                horizons, limit * horizons**power, "--", color="#2166ac", lw=1,
                label="leading term of one phase with d",
            )  # fmt: skip
            for k, name in enumerate(SHOWN):
                regrets = worst([run for run in runs if run.C < 1.5 or name == "wedge"], d, L, name)
                if regrets:
                    axes.plot(
                        list(regrets), list(regrets.values()), marker="osvD^"[k], ms=4, lw=0.8,
                        color=f"C{k + 4}" if k else "black", label=SHOWN[name],
                    )  # fmt: skip
            axes.set(
                xscale="log", yscale="log", title=f"d = {d}, L = {L:g}: $T^{{{1 + d}/{2 + d}}}$"
            )
            axes.grid(visible=True, alpha=0.3)
    for axes in panels[1]:
        axes.set_xlabel("T, examples")
    for axes in panels[:, 0]:
        axes.set_ylabel("regret, expected mistakes")
    legend: dict[str, Any] = {}
    for axes in panels[::-1].flat:
        handles, names = axes.get_legend_handles_labels()
        legend |= dict(zip(names, handles, strict=True))
    figure.legend(
        legend.values(), legend.keys(), loc="outside lower center", ncols=3, frameon=False
    )
    with write_atomically(path, "wb") as file:
        figure.savefig(file, format="png", dpi=130, metadata={"Software": None})
    plt.close(figure)
    return path


def run(
    output: Path, profile: str = "quick", say: Callable[[str], None] = lambda text: None
) -> list[Path]:
    """Compute everything and write four tables and a figure below the folder; their paths."""
    if profile not in PROFILES:
        raise ValueError(f"the profile is one of {', '.join(PROFILES)}, not {profile!r}")
    size = PROFILES[profile]
    tables, figures = Path(output, "reproduced"), Path(output, "figures")
    for folder in tables, figures:
        folder.mkdir(parents=True, exist_ok=True)
    say("regret against T")
    grown = list(growth(size.growth, sorted({*size.growth, *size.tightness})))
    say("every adversary in every space")
    runs = [*grown, *battery(size.battery)]
    say("search over short streams")
    runs += searches(size.restarts, size.steps)
    say("tightness")
    tight_rows = [tightness_row(found) for found in tight(size.tightness)]
    return [
        _write(tables / "theorem1_regret.csv", map(asdict, runs)),
        _write(tables / "theorem1_ratios.csv", ratios(runs)),
        _write(tables / "theorem1_tightness.csv", tight_rows),
        _write(tables / "theorem1_exponents.csv", exponents(grown)),
        draw(figures / "theorem1_regret.png", grown),
    ]
