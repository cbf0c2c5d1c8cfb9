"""Pictures of the theory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from abacoc.files import write_atomically
from abacoc.plots import off_screen

from .steps.lemma2 import N_MAX, regrets


def one_ball(output: Path) -> list[Path]:
    """W(n) / sqrt(n + 1) for n up to 20,000: the figure and its points."""
    plt = off_screen()
    W, n = regrets(), np.arange(1, N_MAX + 1)
    ratio = W / np.sqrt(n + 1.0)
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.semilogx(n, ratio, label="largest regret of one ball, exactly")
    axes.semilogx(n, 0.75 - 0.06 / np.sqrt(n + 1.0), "--", label="sharpened bound")
    axes.axhline(0.75, color="grey", linewidth=0.8)
    axes.annotate("3/4", (1.1, 0.752), color="grey")
    axes.set_xlabel("examples in the ball, n")
    axes.set_ylabel(r"regret / $\sqrt{n+1}$")
    axes.set_title(r"The paper allows 2.5 $\sqrt{n}$")
    axes.legend(loc="lower right")
    picture, table = output / "figures" / "one_ball.png", output / "reproduced" / "one_ball.csv"
    picture.parent.mkdir(parents=True, exist_ok=True)
    table.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(picture, "wb") as file:
        figure.savefig(file, format="png", dpi=120)
    plt.close(figure)
    shown = sorted({round(10 ** (k / 4)) for k in range(18)} | {N_MAX})
    with write_atomically(table) as file:
        file.write("n,worst_regret,over_sqrt_n_plus_1,paper_bound,sharpened_bound\n")
        for k in shown:
            if k <= N_MAX:
                bounds = f"{2.5 * k**0.5:.6f},{0.75 * (k + 1) ** 0.5 - 0.06:.6f}"
                file.write(f"{k},{W[k - 1]:.6f},{ratio[k - 1]:.6f},{bounds}\n")
    return [picture, table]
