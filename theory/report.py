"""The ledger for people: a table in the terminal, JSON for scripts, CSV for the results."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from abacoc.files import write_atomically

from .ledger import Checked, Step, verify
from .steps import STEPS


def choose(names: Sequence[str]) -> list[Step]:
    """The steps of that name, or all.

    >>> [step.id for step in choose(["coin", "rate"])]
    ['coin', 'rate']
    """
    known = {step.id: step for step in STEPS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no step {unknown[0]!r}; the steps are {', '.join(known)}")
    return [known[name] for name in names] if names else list(STEPS)


def verify_command(names: Sequence[str], as_json: bool, details: bool) -> int:
    """`abacoc verify`: 0 if every check comes out as recorded, else 1."""
    from tqdm import tqdm

    steps = choose(names)
    results = []
    with tqdm(total=len(steps), unit="step", leave=False, disable=None) as bar:
        bar.set_description(steps[0].id)
        for checked in verify(steps, STEPS):
            results.append(checked)
            if not as_json:
                tqdm.write(_line(checked, details), file=sys.stdout)
            bar.update()
            bar.set_description(steps[min(len(results), len(steps) - 1)].id)
    wrong = [checked.step.id for checked in results if not checked.as_recorded]
    if as_json:
        rows = [checked.as_json() for checked in results]
        print(json.dumps({"steps": rows, "all_as_recorded": not wrong}, indent=2))
    else:
        print(f"\n{summary(results)}")
        if wrong:
            print(f"NOT AS RECORDED: {', '.join(wrong)}")
    return 1 if wrong else 0


def summary(results: Sequence[Checked]) -> str:
    """How many steps hold, hold amended, fail."""
    verdicts = [checked.outcome.verdict for checked in results]
    told = ", ".join(
        f"{verdicts.count(verdict)} {verdict}"
        for verdict in ("holds", "holds amended", "fails", "not established")
        if verdict in verdicts
    )
    right = sum(checked.as_recorded for checked in results)
    return f"{len(results)} steps: {told}; {right} as recorded"


def _line(checked: Checked, details: bool) -> str:
    step, outcome = checked.step, checked.outcome
    mark = "  " if checked.as_recorded else "! "
    by = f"{step.kind}{' + argument' if step.argument else ''}"
    line = f"{mark}{step.id:24} {outcome.verdict:15} {by:30} {step.where}"
    if not details and checked.as_recorded:
        return line
    more = [f"{step.statement}   [{step.hypotheses}]"]
    more += [f"amended: {step.amendment}"] if step.amendment else []
    more += [f"argument: {step.argument}"] if step.argument else []
    more += [f"evidence: {outcome.evidence}"]
    return "\n".join([line, *(textwrap.indent(textwrap.fill(m, 96), "      ") for m in more)])


def write_ledger(results: Sequence[Checked], folder: Path) -> Path:
    """The ledger as CSV below ``folder``."""
    text = io.StringIO()
    fields = ["id", "where", "kind", "basis", "verdict", "as_recorded"]
    fields += ["amendment", "statement", "evidence"]
    writer = csv.DictWriter(text, fields, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for checked in results:
        writer.writerow(checked.as_json())
    folder.mkdir(parents=True, exist_ok=True)
    with write_atomically(folder / "ledger.csv") as file:
        file.write(text.getvalue())
    return folder / "ledger.csv"


def write_theory_table(output: Path) -> Path:
    """The theory in one table, from the files that the experiments wrote below ``output``."""
    folder = output / "reproduced"
    ledger, balls, ratios, tight = (
        _read(folder / name)
        for name in (
            "ledger.csv",
            "one_ball.csv",
            "theorem1_ratios.csv",
            "theorem1_tightness.csv",
        )
    )
    verdicts = [row["verdict"] for row in ledger]
    evidence = {row["id"]: row["evidence"] for row in ledger}
    counted = ", ".join(f"{verdicts.count(v)} {v}" for v in ("holds", "holds amended", "fails"))
    lines = ["| | paper | here |", "|---|---|---|"]
    lines.append(f"| steps of the proofs, each checked anew | | {len(ledger)}: {counted} |")
    for d in (1, 2, 3, 4):
        paper, sharp = 1.26 * 2.5 * 2**d, 1.058 * 2 ** (d / 2)
        lines.append(
            f"| first constant of the bound at d = {d} (C = 1) | {paper:.1f} | {sharp:.2f} |"
        )
    lines.append("| factor of L | 1.89 | 1.586 |")
    last = balls[-1]
    lines.append(
        f"| largest regret of one ball over sqrt(n+1), n = {int(last['n']):,} | at most "
        f"{1 + 1 / math.sqrt(int(last['n']) + 1):.4f} | {float(last['over_sqrt_n_plus_1']):.4f} |"
    )
    for bound in ("corrected", "sharpened"):
        worst = max((row for row in ratios if row["bound"] == bound), key=_ratio)
        lines.append(
            f"| largest regret over the {bound} bound, all adversaries | | {_ratio(worst):.3f} "
            f"({worst['adversary']}, L = {float(worst['L']):g}) |"
        )
    for d in (1, 2, 3):
        rows = [row for row in tight if row["layout"] == "hub tree" and row["d"] == str(d)]
        top = max(rows, key=lambda row: int(row["T"]))
        lines.append(
            f"| bound over regret, d = {d}, L = 0, T = {int(top['T']):,} | "
            f"{float(top['corrected_factor']):.2f} | {float(top['sharpened_factor']):.2f}; "
            f"{float(top['refined_factor']):.2f} with the balls that BASE really has |"
        )
    for id in ("theorem1-low-dimension", "theorem1-fraction"):
        lines.append(f"| the stated bound fails | | {evidence[id]} |")
    path = folder / "theory_table.md"
    with write_atomically(path) as file:
        file.write("\n".join(lines) + "\n")
    return path


def _ratio(row: dict[str, str]) -> float:
    return float(row["ratio"])


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
