"""The ledger for people: a table in the terminal, JSON for scripts, CSV for the results."""

from __future__ import annotations

import csv
import io
import json
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from abacoc.files import write_atomically
from abacoc.wording import number

from .ledger import KINDS, Checked, Step, Verdict, verify
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
        rest = ", ".join(f"{n} on {what}" for what, n in foundations(results).items())
        print(
            f"they rest: {rest}" + (". Nothing here runs Coq: make prove" if "Coq" in rest else "")
        )
        if wrong:
            print(f"NOT AS RECORDED: {', '.join(wrong)}")
    return 1 if wrong else 0


def summary(results: Sequence[Checked]) -> str:
    """How many steps hold, hold amended, fail."""
    verdicts = Counter(checked.outcome.verdict for checked in results)
    told = ", ".join(f"{verdicts[v]} {v}" for v in get_args(Verdict) if v in verdicts)
    right = sum(checked.as_recorded for checked in results)
    return f"{number(len(results), 'steps')}: {told}; {right} as recorded"


def foundations(results: Sequence[Checked]) -> dict[str, int]:
    """How many steps rest on what; a theorem of Coq counts as Coq."""
    return dict(Counter(checked.step.rests_on.split(":")[0] for checked in results).most_common())


def _line(checked: Checked, details: bool) -> str:
    step, outcome = checked.step, checked.outcome
    mark = "  " if checked.as_recorded else "! "
    line = f"{mark}{step.id:26} {outcome.verdict:14} {step.rests_on:44} {step.where}"
    if not details and checked.as_recorded:
        return line
    more = [f"{step.statement.latex}   [{step.statement.hypotheses}]"]
    more += [f"amended: {step.amendment}"] if step.amendment else []
    more += [f"argument: {step.argument}"] if step.argument else []
    more += [f"checked by: {KINDS[step.kind]}", f"evidence: {outcome.evidence}"]
    return "\n".join([line, *(textwrap.indent(textwrap.fill(m, 96), "      ") for m in more)])


def write_ledger(results: Sequence[Checked], folder: Path) -> Path:
    """The ledger as CSV below ``folder``."""
    text = io.StringIO()
    fields = ["id", "where", "kind", "rests_on", "verdict", "as_recorded"]
    fields += ["amendment", "statement", "evidence"]
    writer = csv.DictWriter(text, fields, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for checked in results:
        writer.writerow(checked.as_json())
    folder.mkdir(parents=True, exist_ok=True)
    with write_atomically(folder / "ledger.csv") as file:
        file.write(text.getvalue())
    return folder / "ledger.csv"
