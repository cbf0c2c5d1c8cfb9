"""The paper's items, one notebook each, and what runs them."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from abacoc.experiments.batch import ALL, NEEDS, run_batch
from abacoc.experiments.claims import write_claims
from abacoc.experiments.claims_table import write_table
from abacoc.experiments.effort import note
from abacoc.experiments.notebooks import ROOT, run_notebook
from abacoc.experiments.report import write_report
from abacoc.experiments.store import Store


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


def _from_notebook(id: str, notebook: str, folder: Path, profile: str) -> list[Path]:
    """An item that a notebook makes, from the table of runs below the folder if it needs runs."""
    from abacoc.experiments.items.item import stored

    results = str((folder / "reproduced" / "results.csv").resolve())
    executed = run_notebook(notebook, folder, {"profile": profile, "results": results})
    item = stored(folder, id)
    return [executed, *(item.paths(folder) if item else [])]


# In this order: the ledger of the proofs is written with Theorem 1.
ITEMS: dict[str, Callable[[Path, str], list[Path]]] = {
    "fig1": partial(_from_notebook, "fig1", "figure1"),
    "theorem1": _theorem1,
    "ledger": partial(_from_notebook, "ledger", "ledger"),
    "table1": partial(_from_notebook, "table1", "table1"),
    "fig2": partial(_from_notebook, "fig2", "figure2"),
    "fig3": partial(_from_notebook, "fig3", "figure3"),
    "table2": partial(_from_notebook, "table2", "table2"),
    "table3": partial(_from_notebook, "table3", "table3"),
    "fig4": partial(_from_notebook, "fig4", "figure4"),
    "published": partial(_from_notebook, "published", "published"),
    "identity": partial(_from_notebook, "identity", "identity"),
    "ranks": partial(_from_notebook, "ranks", "ranks"),
    "ablation": partial(_from_notebook, "ablation", "ablation"),
    "drift": partial(_from_notebook, "drift", "drift"),
    "wallclock": partial(_from_notebook, "wallclock", "wallclock"),
}
CLAIMS, REPORT = "claims", "report"


def reproduce(
    folder: str | Path,
    only: str | None = None,
    profile: str = "quick",
    say: Callable[[str], None] = print,
    *,
    workers: int = 2,
    scheduler: str | None = None,
) -> tuple[list[str], int]:
    """Run what the items need, then make them, judge the claims and write the report.

    The files that were written, and 1 instead of 0 if a run failed. With ``only``, one item and
    its runs. What was run before is not run again: see `abacoc.experiments.runner`.
    """
    _check(only)
    since, written, status = datetime.now(UTC), [], 0
    grids = ALL if only is None else NEEDS.get(only, ())
    if grids:
        summary, tables = run_batch(
            profile,
            Store(Path(folder) / "store"),
            Path(folder) / "reproduced",
            grids=grids,
            workers=workers,
            scheduler=scheduler,
            say=say,
        )
        say(str(summary))
        written, status = list(map(str, tables)), summary.exit_status
    return written + make(folder, only, profile, say, since), status


def make(
    folder: str | Path,
    only: str | None,
    profile: str,
    say: Callable[[str], None],
    since: datetime | None = None,
) -> list[str]:
    """Make the items, the claims and the report from the runs at hand; the files written.

    ``since`` is when the runs began, if they were made just before: a run that finished earlier
    counts as stored.
    """
    _check(only)
    folder, since = Path(folder), since or datetime.now(UTC)
    written: list[str] = []
    made: set[str] = set()

    def tell(name: str, paths: list[Path]) -> None:
        for path in paths:
            say(f"  {path}")
            written.append(str(path))
        made.add(name)

    for name, item in ITEMS.items():
        if only in (None, name):
            say(f"{name} ...")
            start = time.monotonic()
            tell(name, item(folder, profile))
            note(folder / "reproduced", {(name, "notebook"): time.monotonic() - start})
    if only in (None, CLAIMS):
        say(f"{CLAIMS} ...")
        start = time.monotonic()
        judged = write_claims(folder)
        note(folder / "reproduced", {(CLAIMS, "command"): time.monotonic() - start})
        tell(CLAIMS, [judged, write_table(folder)])
    if only in (None, REPORT):
        say(f"{REPORT} ...")
        tell(REPORT, write_report(folder, made, since))
    return written


def _check(only: str | None) -> None:
    if only is not None and only not in (*ITEMS, CLAIMS, REPORT):
        known = ", ".join((*ITEMS, CLAIMS, REPORT))
        raise ValueError(f"unknown item {only!r}; the items are {known}")
