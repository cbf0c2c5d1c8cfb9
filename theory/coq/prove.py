"""The machine-checked proofs, checked: `make prove`, or `python3 theory/coq/prove.py --help`.

1. No source has an axiom, an admitted proof or a switch that weakens Coq; none is above 300 lines.
2. coqc compiles every file, in the order of _CoqProject, in build/, which git does not know.
3. The axioms behind every theorem of Statements.v are those of assumptions.txt.
4. coqchk, Coq's independent checker, takes the compiled files and finds the same axioms.

Nothing but Coq (Debian's package `coq`) and Python's standard library is needed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO

HERE = Path(__file__).resolve().parent
BUILD = HERE / "build"
LINES = 300  # a file is read in one sitting
# The axioms of the standard library's real numbers, and no others.
AXIOMS = {
    "Classical_Prop.classic",
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|give_up|Abort|Axioms?|Parameters?|Conjectures?|Declare\s+Module|Primitive"
    r"|bypass_check|Unset\s+(Guard|Positivity|Universe)\s+Checking|Load|Add\s+(Rec\s+)?LoadPath)\b"
)
REQUIRE = re.compile(r"From\s+Abacoc\s+Require\s+(?:Import\s+|Export\s+)?([^.]*)\.")
STATEMENT = re.compile(r"^\s*(?:Theorem|Corollary|Lemma)\s+(\w+)", re.MULTILINE)


def without_comments(text: str) -> str:
    """A Coq source without its comments, which can be nested; the lines stay where they are.

    >>> without_comments("a (* b (* c *) d *) e")
    'a  e'
    """
    kept, depth = [], 0
    for piece in re.split(r"(\(\*|\*\)|\n)", text):
        if piece == "(*":
            depth += 1
        elif piece == "*)" and depth:
            depth -= 1
        elif not depth or piece == "\n":
            kept.append(piece)
    return "".join(kept)


def project(folder: Path = HERE) -> list[str]:
    """The files of _CoqProject, in the order of compilation."""
    lines = (folder / "_CoqProject").read_text("utf-8").splitlines()
    return [line.strip() for line in lines if re.fullmatch(r"\w+\.v", line.strip())]


def needs(source: str) -> list[str]:
    """The files of this development that a source requires.

    >>> needs("From Abacoc Require Import Algorithm Sums.")
    ['Algorithm.v', 'Sums.v']
    """
    words = " ".join(REQUIRE.findall(without_comments(source))).split()
    return [f"{word}.v" for word in words]


def offences(name: str, text: str) -> list[str]:
    """What a source must not have.

    >>> offences("X.v", "Lemma a : False. (* Axiom *) Admitted.")
    ['X.v, line 1: Admitted']
    """
    found = []
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        found += [f"{name}, line {number}: {match[0]}" for match in FORBIDDEN.finditer(line)]
    if text.count("\n") > LINES:
        found.append(f"{name} has {text.count(chr(10))} lines, more than {LINES}")
    return found


def scan() -> list[str]:
    """The offences of all sources, and the sources that _CoqProject forgets."""
    found = []
    for path in sorted(HERE.glob("*.v")):
        found += offences(path.name, path.read_text("utf-8"))
        if path.name not in [*project(), "Extract.v"]:
            found.append(f"{path.name} is not in _CoqProject")
    return found


def coq(*arguments: str, folder: Path, stdin: IO[str] | None = None) -> str:
    """Run a command in a folder; its output, or its complaint as an exception."""
    pipe = subprocess.PIPE
    done = subprocess.run(arguments, cwd=folder, stdin=stdin, stdout=pipe, stderr=pipe, text=True)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).strip())
    return done.stdout


def compile_all(jobs: int) -> dict[str, float]:
    """Compile what changed since the last time; the seconds of each file, 0 if none was due."""
    BUILD.mkdir(exist_ok=True)
    stamps_file = BUILD / "stamps.json"
    stamps = json.loads(stamps_file.read_text("utf-8")) if stamps_file.exists() else {}
    digests: dict[str, str] = {}
    running: dict[str, Future[float]] = {}

    def compile_one(name: str) -> float:
        for other in needs((BUILD / name).read_text("utf-8")):
            running[other].result()
        if stamps.get(name) == digests[name] and (BUILD / name).with_suffix(".vo").exists():
            return 0.0
        begin = time.perf_counter()
        coq("coqc", "-q", "-Q", ".", "Abacoc", name, folder=BUILD)
        stamps[name] = digests[name]
        return time.perf_counter() - begin

    version = coq("coqc", "--version", folder=BUILD)
    with ThreadPoolExecutor(jobs) as pool:
        for name in project():
            source = (HERE / name).read_text("utf-8")
            for other in needs(source):
                if other not in digests:
                    raise RuntimeError(f"{name} needs {other}, which does not come before it")
            parts = [version, source, *(digests[other] for other in needs(source))]
            digests[name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
            (BUILD / name).write_text(source, "utf-8")
            running[name] = pool.submit(compile_one, name)
        try:
            return {name: future.result() for name, future in running.items()}
        finally:
            pool.shutdown(cancel_futures=True)
            stamps_file.write_text(json.dumps(stamps), "utf-8")


def axioms_in(text: str) -> list[str]:
    """The names of the axioms in what Coq prints about assumptions.

    >>> axioms_in("Axioms:\\nA.b : nat\\nC.long_name\\n  : nat -> nat")
    ['A.b', 'C.long_name']
    """
    names = set(re.findall(r"^([A-Za-z_][\w.']*)\s*(?::\s|$)", text, re.MULTILINE))
    return sorted(names - {"Axioms"})


def assumptions(jobs: int) -> str:
    """A line for each theorem of Statements.v: its name and the axioms behind it."""
    names = STATEMENT.findall(without_comments((HERE / "Statements.v").read_text("utf-8")))

    def ask(part: int) -> None:
        lines = ["From Abacoc Require Statements."]
        for name in names[part::jobs]:
            lines.append(f'Redirect "{name}" Print Assumptions Statements.{name}.')
        (BUILD / f"Ask{part}.v").write_text("\n".join(lines) + "\n", "utf-8")
        coq("coqc", "-q", "-Q", ".", "Abacoc", f"Ask{part}.v", folder=BUILD)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(ask, range(jobs)))
    answers = []
    for name in names:
        found = axioms_in((BUILD / f"{name}.out").read_text("utf-8"))
        foreign = set(found) - AXIOMS
        if foreign:
            raise RuntimeError(f"{name} rests on {', '.join(sorted(foreign))}")
        answers.append(f"{name}: {' '.join(found) or 'none'}\n")
    return "".join(answers)


def check(whole: bool) -> None:
    """Let coqchk check the compiled files again: ours, or with all of the library that they use."""
    modules = [f"Abacoc.{Path(name).stem}" for name in project()]
    each = modules if whole else [word for module in modules for word in ("-norec", module)]
    text = coq("coqchk", "-silent", "-o", "-Q", ".", "Abacoc", *each, folder=BUILD)
    found = set(text.partition("* Axioms:")[2].partition("\n* ")[0].split()) - {"<none>"}
    # without the library's own files its sealed modules count as axioms too: none may be ours
    known = {name for name in found if ".".join(name.split(".")[-2:]) in AXIOMS}
    foreign = found - known if whole else {name for name in found if name.startswith("Abacoc.")}
    if foreign:
        raise RuntimeError(f"coqchk finds axioms that are not allowed: {sorted(foreign)}")


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="without coqchk")
    parser.add_argument("--whole", action="store_true", help="coqchk on Coq's own library too")
    parser.add_argument("--if-available", action="store_true", help="no error where Coq is missing")
    parser.add_argument("--update", action="store_true", help="write assumptions.txt")
    parser.add_argument("--mutants", action="store_true", help="try false statements: mutants.md")
    parser.add_argument("--runs", action="store_true", help="run the extracted BASE: runs.json")
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    arguments = parser.parse_args()
    if not shutil.which("coqc"):
        print("The proofs were NOT checked: there is no coqc. Debian and Ubuntu: apt install coq")
        return 0 if arguments.if_available else 1
    begin = time.perf_counter()
    try:
        found = scan()
        if found:
            raise RuntimeError("\n".join(found))
        seconds = compile_all(arguments.jobs)
        answers, recorded = assumptions(arguments.jobs), HERE / "assumptions.txt"
        if arguments.update:
            recorded.write_text(answers, "utf-8")
        elif recorded.read_text("utf-8") != answers:
            raise RuntimeError(f"assumptions.txt says something else:\n{answers}")
        if not arguments.quick:
            check(arguments.whole)
        if arguments.mutants or arguments.runs:
            sys.path.insert(0, str(HERE))
        if arguments.runs:
            import exact_runs

            exact_runs.make(arguments.update)
        if arguments.mutants:
            import refused

            refused.try_all(arguments.jobs)
    except RuntimeError as error:
        print(f"The proofs FAIL.\n{error}")
        return 1
    lines = {name: (HERE / name).read_text("utf-8").count("\n") for name in seconds}
    for name in seconds:
        print(f"{name:20} {lines[name]:5} lines {seconds[name]:6.1f} s")
    checked = "not checked again" if arguments.quick else "checked again by coqchk"
    print(
        f"{answers.count(chr(10))} theorems in {len(lines)} files of {sum(lines.values())} lines "
        f"hold, with the axioms of the real numbers alone; {checked}; "
        f"{time.perf_counter() - begin:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
