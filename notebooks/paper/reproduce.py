"""``abacoc reproduce``: run the notebooks, judge the claims, compare with what is committed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from abacoc.files import write_atomically
from abacoc.grid.runner import Summary
from abacoc.grid.store import Store
from abacoc.grid.tables import Row, Table, read_rows
from paper import check
from paper.batch import ALL, run_batch
from paper.claims import write_claims
from paper.notebooks import FOLDER, ROOT, run_notebook, tidy
from paper.report import write_report
from paper.verdicts import TITLES, counts

COMMITTED = ROOT / "paper_results"
LATEST, STORE = "latest", "store"  # ignored folders below it

# The notebooks, in this order, and the grids of runs that each needs. Ledger, regret and theorem1
# write what the theory's table is made of.
NOTEBOOKS: dict[str, tuple[str, ...]] = {
    "figure1": (),
    "table1": (),
    "figure2": ("fig2", "paper"),
    "figure3": ("fig3", "paper"),
    "tables23": ("tables", "fig2"),
    "figure4": ("fig4", "paper"),
    "protocols": ("paper", "fig3", "fig4"),
    "competitors": ("competitors", "paper", "fig3"),
    "published": (),
    "identity": ("identity",),
    "open_questions": ("paper", "tables"),
    "ranks": ("fig3",),
    "frontier": (),
    "iblstreams": ("iblstreams",),
    "ablation": ("ablation",),
    "drift": ("drift",),
    "hyperplane": ("tables", "paper"),
    "wallclock": ("fig3", "fig4"),
    "ledger": (),
    "regret": (),
    "theorem1": (),
    "attained": (),
    "break_the_theorem": (),
    "regret_data": (),
    "two_curves": (),
}
CLAIMS, REPORT = "claims", "report"
GRIDS = NOTEBOOKS | {CLAIMS: ("claims",)}
ITEMS = (*NOTEBOOKS, CLAIMS, REPORT)


@dataclass
class Reproduction:
    """What a reproduction did, and whether it came out as committed."""

    folder: Path
    runs: Summary | None
    made: list[str]  # the items
    differences: list[check.Difference] | None  # None: there is nothing to compare with
    claims: list[Row]
    updated: bool = False

    @property
    def exit_status(self) -> int:
        """0 if every run has a result and every table is as committed, else 1."""
        differs = bool(self.differences) and not self.updated
        return 1 if differs or (self.runs and self.runs.failures) else 0

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        runs = self.runs or Summary()
        return {
            "folder": str(self.folder),
            "items": self.made,
            "runs_computed": runs.computed,
            "runs_taken": runs.taken + runs.found,
            "failures": [str(job) for job, _ in runs.failures],
            "differences": [vars(found) for found in self.differences or []],
            "compared": self.differences is not None,
            "updated": self.updated,
            "claims": {row["id"]: {c: row[c] for c in TITLES} for row in self.claims},
        }

    def __str__(self) -> str:
        """One screen."""
        lines = [f"items      {len(self.made)} made: {', '.join(self.made)}"]
        if self.runs:
            first, *failed = str(self.runs).splitlines()
            lines += [f"runs       {first}", *(f"           {line}" for line in failed)]
        if self.differences is not None:
            told = "all equal to the committed ones to the digit"
            if self.differences:
                told = "taken over" if self.updated else "DIFFERENT from the committed ones"
                told = f"{len(self.differences)} {told}:"
            lines.append(f"tables     {len(check.tables(self.folder))} compared, {told}")
            lines += [f"           {found}" for found in self.differences]
        lines.append(f"claims     {len(self.claims)}")
        lines += [f"           {part}" for part in counts(self.claims).split("; ")]
        if REPORT in self.made:
            lines.append(f"report     {os.path.relpath(self.folder / 'report.html')}")
        if self.exit_status and self.differences:
            lines.append("           if the new numbers are right: abacoc reproduce --update")
        return "\n".join(lines)


def reproduce(
    output: str | Path | None = None,
    only: str | None = None,
    profile: str = "quick",
    say: Callable[[str], None] = print,
    *,
    workers: int = 2,
    scheduler: str | None = None,
    again: bool | None = None,
    compute: bool = True,
    update: bool = False,
    committed: Path | None = COMMITTED,
) -> Reproduction:
    """Run what the notebooks need, run them, judge the claims, write the report; then compare.

    All of it goes to ``output``, by default to an ignored folder; the committed files are only
    read, unless ``update`` says to take over what came out. ``again`` computes runs that the
    committed table has, in order to compare them; by default `quick` does so for its short runs.
    Without ``compute`` no run is made. With ``only``, one item and its runs. `tiny` is compared
    with nothing.
    """
    wanted = chosen(only)
    if profile == "tiny" or (committed is not None and not committed.is_dir()):
        committed = None
    folder = Path(output) if output else COMMITTED / LATEST
    if output is None and only is None:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    if committed:
        check.begin(committed, folder)
    table = Table(committed / "reproduced" if committed else None)
    store = Store(COMMITTED / STORE if output is None else folder / STORE, table)
    runs, needed = None, {grid for item in wanted for grid in GRIDS.get(item, ())}
    if grids := ALL if only is None else tuple(sorted(needed)):
        runs = run_batch(
            profile,
            store,
            folder / "reproduced",
            grids=grids,
            workers=workers,
            scheduler=scheduler,
            again=profile == "quick" if again is None else again,
            compute=compute,
            say=say,
        )
    make(folder, wanted, say)
    differences = check.compare(committed, folder, FOLDER, wanted) if committed else None
    if committed and update:
        check.update(committed, folder, FOLDER, wanted)
    claims = read_rows(folder / "claims.csv")
    return Reproduction(folder, runs, wanted, differences, claims, updated=update)


def make(folder: Path, wanted: list[str], say: Callable[[str], None], **parameters: Any) -> None:
    """Make items from the runs below the folder; ``parameters`` are more for the notebooks."""
    for name in wanted:
        say(f"{name} ...")
        if name == CLAIMS:
            write_claims(folder)
        elif name == REPORT:
            write_report(folder)
        else:
            run_in(folder, name, parameters)


def run_in(folder: Path, name: str, parameters: dict[str, Any]) -> Path:
    """Run a notebook; its tables, its figures and its copy with outputs go to the folder."""
    executed = folder / "executed" / f"{name}.ipynb"
    places: dict[str, Any] = {"output": str(folder.resolve())}
    places["runs_folder"] = str((folder / "reproduced").resolve())
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    known = {key: value for key, value in (places | parameters).items() if f"{key} =" in text}
    run_notebook(name, executed, known)
    notebook: Any = nbformat.read(executed, as_version=4)  # type: ignore[no-untyped-call]
    with write_atomically(executed) as file:
        nbformat.write(tidy(notebook), file)  # type: ignore[no-untyped-call]
    return executed


def chosen(only: str | None) -> list[str]:
    """The items of that name; fig3 stands for figure3, table2 for the notebook of both tables.

    >>> chosen("fig3"), chosen("table2"), chosen(None) == list(ITEMS)
    (['figure3'], ['tables23'], True)
    """
    if only is None:
        return list(ITEMS)
    name = only.replace("fig", "figure") if only.removeprefix("fig").isdecimal() else only
    name = "tables23" if name in ("table2", "table3") else name
    if name not in ITEMS:
        raise ValueError(f"unknown item {only!r}; the items are {', '.join(ITEMS)}")
    return [name]


def command(options: argparse.Namespace) -> int:
    """`abacoc reproduce`."""
    if options.profile == "tiny" and options.output is None:
        raise ValueError("tiny is for tests: say with --output which folder it may fill")
    done = reproduce(
        options.output,
        options.only,
        options.profile,
        (lambda line: None) if options.json else print,
        workers=options.workers,
        scheduler=options.scheduler,
        again=options.again,
        compute=not options.stored,
        update=options.update,
    )
    print(json.dumps(done.as_json(), indent=2) if options.json else f"\n{done}")
    return done.exit_status
