"""False or stronger statements, which Coq must refuse: `make prove-mutants` writes mutants.md.

A mutant is a replacement of text in a statement or a definition (mutants*.toml). What depends on
the changed file is compiled again, up to the first file that coqc refuses. Refused means that the
proofs do not go through any more, not that the mutant is false; a mutant that comes through shows a
hypothesis that is not needed or a constant that is not reached, and is an error here.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import prove

HEAD = """# Mutants of the statements

Each row is a change of a statement or a definition that Coq refused, with the place where the
proofs break. Refused means that the proofs do not go through any more, not that the mutant is
false. A row with a star has the text replaced in all files, so that the proof of the changed
statement is tried, not only its name. Written by `make prove-mutants` from `mutants*.toml`.

| statement or definition | file | original | mutant | refused at |
|---|---|---|---|---|
"""
BROKEN = ("Syntax error", "Unknown interpretation", "was not found in the current environment")
NAMED = re.compile(
    r"^\s*(?:Local )?(?:Theorem|Lemma|Corollary|Definition|Fixpoint|Record|Let)\s+(\w+)"
)


@dataclass(frozen=True)
class Mutant:
    """One replacement: in ``file``, or in all files if ``everywhere``."""

    file: str
    statement: str
    old: str
    new: str
    everywhere: bool = False

    def apply(self, sources: dict[str, str]) -> dict[str, str]:
        """The sources that change."""
        count = sources[self.file].count(self.old)
        if count == 0 or (count > 1 and not self.everywhere):
            raise RuntimeError(f"{self.file} has {self.old!r} {count} times, not once")
        chosen = sources if self.everywhere else {self.file: sources[self.file]}
        return {
            name: text.replace(self.old, self.new)
            for name, text in chosen.items()
            if self.old in text
        }


def listed() -> list[Mutant]:
    """All mutants, those of the upper half first."""
    found: list[Mutant] = []
    for path in sorted(prove.HERE.glob("mutants*.toml"), key=lambda path: path.stem):
        found += [Mutant(**table) for table in tomllib.loads(path.read_text("utf-8"))["mutant"]]
    return found


def dependents(changed: set[str], sources: dict[str, str]) -> list[str]:
    """The changed files and all that require them, in their order.

    >>> files = {"A.v": "", "B.v": "From Abacoc Require Import A.", "C.v": ""}
    >>> dependents({"A.v"}, files)
    ['A.v', 'B.v']
    """
    touched: list[str] = []
    for name, text in sources.items():
        if name in changed or any(other in touched for other in prove.needs(text)):
            touched.append(name)
    return touched


def place(complaint: str, sources: dict[str, str]) -> str:
    """Where coqc stopped: the file and the lemma.

    >>> place('File "./A.v", line 2, characters 0-3: Error', {"A.v": "Lemma b : True.\\nlra."})
    'A.v, `b`'
    """
    match = re.search(r'File "\./(\w+\.v)", line (\d+)', complaint)
    if not match:
        raise RuntimeError(complaint)
    lines = sources[match[1]].splitlines()[: int(match[2])]
    names = [found[1] for line in lines if (found := NAMED.match(line))]
    return f"{match[1]}, `{names[-1] if names else 'head'}`"


def refusal(mutant: Mutant, sources: dict[str, str]) -> str:
    """Where the mutant is refused; empty if it is not."""
    changed = mutant.apply(sources)
    mutated = sources | changed
    touched = dependents(set(changed), sources)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in sources:
            if file not in touched:
                (folder / f"{file}o").symlink_to(prove.BUILD / f"{file}o")
        for file in touched:
            (folder / file).write_text(mutated[file], "utf-8")
            try:
                prove.coq("coqc", "-q", "-Q", ".", "Abacoc", file, folder=folder)
            except RuntimeError as error:
                if any(sign in str(error) for sign in BROKEN):
                    raise RuntimeError(f"{mutant} is not well formed:\n{error}") from None
                return place(str(error), mutated)
    return ""


def cell(text: str) -> str:
    """A piece of Coq in a cell of a table."""
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`" if text else "(nothing)"


def try_all(jobs: int, only: str = "") -> None:
    """Try every mutant, or those whose statement has ``only`` in it, and write the table."""
    sources = {name: (prove.HERE / name).read_text("utf-8") for name in prove.project()}
    chosen = [mutant for mutant in listed() if only in mutant.statement]

    def row(mutant: Mutant) -> str:
        try:
            where = refusal(mutant, sources) or "NOT REFUSED"
        except RuntimeError as error:
            where = f"NOT REFUSED: {error}"
        file = mutant.file + " \\*" * mutant.everywhere
        cells = [mutant.statement, file, cell(mutant.old), cell(mutant.new), where]
        line = f"| {' | '.join(cells)} |\n"
        print(line, end="", flush=True)
        return line

    with ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(row, chosen))
    survivors = [line for line in rows if "NOT REFUSED" in line]
    if survivors:
        raise RuntimeError("Mutants that are not refused:\n" + "".join(survivors))
    if not only:
        (prove.HERE / "mutants.md").write_text(HEAD + "".join(rows), "utf-8")
    print(f"{len(rows)} mutants, all refused")


if __name__ == "__main__":
    import sys

    if not shutil.which("coqc"):
        sys.exit("no coqc")
    try_all(2, *sys.argv[1:2])
