"""The paper's items, one notebook each: run them, and compare them with what is committed."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from abacoc.grid.runner import Summary
from abacoc.grid.store import Store
from abacoc.grid.tables import Table, read_rows
from paper import check
from paper.batch import ALL, NEEDS, run_batch
from paper.claims import write_claims
from paper.notebooks import ROOT, run_notebook
from paper.report import write_report
from paper.verdicts import VERDICTS

COMMITTED = ROOT / "paper_results"
LATEST, STORE = "latest", "store"  # ignored folders below it

# In this order: the ledger of the proofs is written with Theorem 1.
ITEMS: dict[str, str] = {
    "fig1": "figure1",
    "theorem1": "theorem1",
    "ledger": "ledger",
    "table1": "table1",
    "fig2": "figure2",
    "fig3": "figure3",
    "table2": "table2",
    "table3": "table3",
    "fig4": "figure4",
    "published": "published",
    "identity": "identity",
    "ranks": "ranks",
    "ablation": "ablation",
    "drift": "drift",
    "wallclock": "wallclock",
}
CLAIMS, REPORT = "claims", "report"


@dataclass
class Reproduction:
    """What a reproduction did, and whether it came out as committed."""

    folder: Path
    runs: Summary | None
    made: list[str]  # the items
    differences: list[check.Difference] | None  # None: there is nothing to compare with
    claims: Counter[str]
    updated: bool = False

    @property
    def exit_status(self) -> int:
        """0 if every run has a result and every table is as committed, else 1."""
        differs = bool(self.differences) and not self.updated
        return 1 if differs or (self.runs and self.runs.failures) else 0

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {
            "folder": str(self.folder),
            "items": self.made,
            "runs_computed": self.runs.computed if self.runs else 0,
            "runs_taken": self.runs.taken + self.runs.found if self.runs else 0,
            "failures": [str(job) for job, _ in self.runs.failures] if self.runs else [],
            "differences": [vars(found) for found in self.differences or []],
            "compared": self.differences is not None,
            "updated": self.updated,
            "claims": dict(self.claims),
        }

    def __str__(self) -> str:
        """One screen."""
        lines = [f"items      {len(self.made)} made: {', '.join(self.made)}"]
        if self.runs:
            first, *failed = str(self.runs).splitlines()
            lines += [f"runs       {first}", *(f"           {line}" for line in failed)]
        if self.differences is not None:
            n = len(check.tables(self.folder))
            if not self.differences:
                lines.append(
                    f"tables     {n} compared, all equal to the committed ones, digit for digit"
                )
            else:
                told = "taken over" if self.updated else "DIFFERENT from the committed ones"
                lines.append(f"tables     {n} compared, {len(self.differences)} {told}:")
                lines += [f"           {found}" for found in self.differences]
        told = ", ".join(f"{n} {verdict}" for verdict, n in self.claims.most_common())
        lines.append(f"claims     {self.claims.total()}: {told}")
        if REPORT in self.made:
            lines.append(f"report     {os.path.relpath(self.folder / 'report.html')}")
        if self.exit_status and self.differences:
            lines.append(
                "           if the new numbers are the right ones: abacoc reproduce --update"
            )
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
    update: bool = False,
    committed: Path | None = COMMITTED,
) -> Reproduction:
    """Run what the items need, make them, judge the claims, write the report; then compare.

    All of it goes to ``output``, by default to an ignored folder; the committed files are only
    read, unless ``update`` says to take over what came out. ``again`` computes runs that the
    committed table has, in order to compare them; by default `quick` does so for its short runs.
    With ``only``, one item and its runs. `tiny` is compared with nothing.
    """
    _check(only)
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
    runs = None
    if grids := ALL if only is None else NEEDS.get(only, ()):
        runs = run_batch(
            profile,
            store,
            folder / "reproduced",
            grids=grids,
            workers=workers,
            scheduler=scheduler,
            again=profile == "quick" if again is None else again,
            say=say,
        )
    made = make(folder, only, profile, say)
    differences = check.compare(committed, folder) if committed else None
    if committed and update:
        check.update(committed, folder, ROOT / "README.md")
    verdicts = (row["verdict"] for row in read_rows(folder / "claims.csv"))
    counted = Counter(VERDICTS.get(verdict, verdict) for verdict in verdicts)
    return Reproduction(folder, runs, made, differences, counted, updated=update)


def make(
    folder: str | Path, only: str | None, profile: str, say: Callable[[str], None]
) -> list[str]:
    """Make the items, the claims and the report from the runs at hand; their names."""
    _check(only)
    folder, made = Path(folder), []
    results = str((folder / "reproduced" / "results.csv").resolve())
    for name, notebook in ITEMS.items():
        if only in (None, name):
            say(f"{name} ...")
            own = {} if name == "theorem1" else {"results": results}  # it needs no runs
            run_notebook(notebook, folder, {"profile": profile, **own})
            made.append(name)
    if only in (None, CLAIMS):
        say(f"{CLAIMS} ...")
        write_claims(folder)
        made.append(CLAIMS)
    if only in (None, REPORT):
        say(f"{REPORT} ...")
        write_report(folder)
        made.append(REPORT)
    return made


def _check(only: str | None) -> None:
    if only is not None and only not in (*ITEMS, CLAIMS, REPORT):
        known = ", ".join((*ITEMS, CLAIMS, REPORT))
        raise ValueError(f"unknown item {only!r}; the items are {known}")


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
        update=options.update,
    )
    print(json.dumps(done.as_json(), indent=2) if options.json else f"\n{done}")
    return done.exit_status
