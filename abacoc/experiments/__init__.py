"""The paper's items, one function each, and what runs them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from abacoc.experiments.figure1 import figure1
from abacoc.experiments.notebooks import ROOT, run_notebook


def _theorem1(folder: Path, profile: str) -> list[Path]:
    executed = run_notebook("theorem1", folder, {"profile": profile})
    written = [folder / "figures" / name for name in ("one_ball.png", "theorem1_regret.png")]
    written += [
        folder / "reproduced" / name
        for name in (
            "ledger.csv",
            "one_ball.csv",
            "theorem1_regret.csv",
            "theorem1_ratios.csv",
            "theorem1_tightness.csv",
            "theorem1_exponents.csv",
            "theory_table.md",
        )
    ]
    if folder.resolve() == ROOT / "paper_results":
        from theory.report import update_readme

        update_readme(ROOT / "README.md", folder / "reproduced" / "theory_table.md")
    return [executed, *written]


ITEMS: dict[str, Callable[[Path, str], list[Path]]] = {
    "fig1": lambda folder, profile: figure1(folder),
    "theorem1": _theorem1,
}


def reproduce(
    folder: str | Path, only: str | None, profile: str, say: Callable[[str], None]
) -> list[str]:
    """Regenerate the items into ``folder``; the files written, also told one by one."""
    if only is not None and only not in ITEMS:
        raise ValueError(f"unknown item {only!r}; the items are {', '.join(ITEMS)}")
    written: list[str] = []
    for name, item in ITEMS.items():
        if only in (None, name):
            say(f"{name} ...")
            for path in item(Path(folder), profile):
                say(f"  {path}")
                written.append(str(path))
    return written
