"""Streams for the program that Coq extracts from Exact.v, and what it does with them: runs.json.

`prove.py --runs` makes the table anew and compares it with the committed one (`--update` writes
it). tests/theory/test_coq_runs.py compares it with abacoc.Base and with ExactBase, without Coq. The
streams wait at a centre until the radius is below a gap, then go to fresh sites until the dimension
check fires; distances and C-hat are chosen so that ties occur: equally close balls, distances that
equal the radius, covers that are exactly full.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import prove

LENGTH = 260
CONSTANTS = [Fraction(1), Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(1.3)]
Rows = list[list[int]]


def star(n: int, gap: int) -> Rows:
    """Equidistant sites.

    >>> star(2, 5)
    [[0, 5], [5, 0]]
    """
    return [[0 if i == j else gap for j in range(n)] for i in range(n)]


def grid(side: int, dimension: int, step: int) -> Rows:
    """The points of a grid, with the largest difference of coordinates: many equal distances."""
    sites = [[i // side**k % side for k in range(dimension)] for i in range(side**dimension)]
    return [
        [step * max(abs(a - b) for a, b in zip(x, y, strict=True)) for y in sites] for x in sites
    ]


def comb(n: int, unit: int) -> Rows:
    """Leaf i is about unit 2/(i+2) from all later leaves."""
    gap = [2 * unit // (i + 2) for i in range(n)]
    return [[0 if i == j else gap[min(i, j)] for j in range(n)] for i in range(n)]


def random_rows(n: int, unit: int, random: Random) -> Rows:
    """Any symmetric numbers up to the unit: no triangle inequality."""
    rows = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            rows[i][j] = rows[j][i] = random.randrange(unit // 4, unit + 1)
    return rows


def spaces(random: Random) -> list[tuple[str, int, Rows]]:
    """Name, denominator and numerators of the distances."""
    found = [
        (f"star of {n}, {gap}/16", 16, star(n, gap)) for n in (30, 60) for gap in (15, 14, 12, 8)
    ]
    found += [("star of 40, 9/10", 10, star(40, 9)), ("star of 6, 9/10", 10, star(6, 9))]
    found += [(f"grid {s}^{d}", s - 1, grid(s, d, 1)) for s, d in ((17, 1), (9, 2), (5, 3), (3, 4))]
    found += [("comb of 60", 1024, comb(60, 1024)), ("comb of 30", 64, comb(30, 64))]
    found += [(f"random {n}", 64, random_rows(n, 64, random)) for n in (12, 40, 60, 60)]
    return found


def exact_base() -> Any:
    """ExactBase from its file: this script runs without the package's dependencies."""
    path = prove.HERE.parent / "regret" / "exact.py"
    spec = importlib.util.spec_from_file_location("exact", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ExactBase


def visits(rows: Rows, unit: int, constant: Fraction, full: bool, random: Random) -> list[int]:
    """A stream that climbs through the phases, with waits and returns in between.

    A full one opens a ball as soon as the dimension check has room for it, so that whole-number
    ties occur, and fires the check by a burst of fresh sites now and then.
    """
    cover = exact_base()([[Fraction(a, unit) for a in row] for row in rows], constant)
    sites, patience, burst = [], random.choice([0.02, 0.1, 0.5]), 0
    for _ in range(LENGTH):
        d, k, size = cover.dimension, cover.steps + 1, len(cover.centres) + 1
        gaps = [
            min((rows[c][site] for c in cover.centres), default=unit) for site in range(len(rows))
        ]
        far = [site for site, gap in enumerate(gaps) if gap ** (2 + d) * k > unit ** (2 + d)]
        room = (constant * 2**d) ** (2 + d) * k**d - size ** (2 + d)
        burst = 0 if k == 2 else burst or int(random.random() < 0.02)
        if not cover.centres or (random.random() < 0.15 and not full):
            site = random.randrange(len(rows))
        elif far and ((room >= 0 or burst) if full else random.random() > patience):
            site = random.choice(far)
        else:
            site = random.choice(cover.centres)
        cover.update(site)
        sites.append(site)
    return sites


def streams() -> list[dict[str, Any]]:
    """The runs, without what BASE makes of them."""
    random, found = Random(2017), []
    for number, (name, unit, rows) in enumerate(spaces(random)):
        constant = CONSTANTS[number % len(CONSTANTS)]
        full = number % 2 == 0 and name.startswith("star")
        sites = visits(rows, unit, constant, full, random)
        likely = random.choice([0.5, 0.9])
        labels = "".join(str(int(random.random() < likely)) for _ in sites)
        lower = [rows[i][:i] for i in range(len(rows))]
        found.append(
            {"space": name, "C": str(constant), "unit": unit, "distances": lower}
            | {"sites": sites, "labels": labels}
        )
    return found


def matrix(lower: Rows) -> Rows:
    """All distances from those to earlier sites.

    >>> matrix([[], [5]])
    [[0, 5], [5, 0]]
    """
    n = len(lower)
    return [[0 if i == j else lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def question(runs: list[dict[str, Any]]) -> str:
    """What runs.ml reads."""
    words: list[Any] = [len(runs)]
    for run in runs:
        rows, constant = matrix(run["distances"]), Fraction(run["C"])
        words += [
            len(rows),
            len(run["sites"]),
            constant.numerator,
            constant.denominator,
            run["unit"],
        ]
        words += [a for row in rows for a in row]
        words += [w for pair in zip(run["sites"], run["labels"], strict=True) for w in pair]
    return " ".join(map(str, words)) + "\n"


def table(build: Path) -> str:
    """Extract, compile and run: the table as text."""
    shutil.copy(prove.HERE / "Extract.v", build)
    shutil.copy(prove.HERE / "runs.ml", build)
    prove.coq("coqc", "-q", "-Q", ".", "Abacoc", "Extract.v", folder=build)
    files = ["exact_base.mli", "exact_base.ml", "runs.ml"]
    prove.coq("ocamlfind", "ocamlopt", "-w", "-a", *files, "-o", "runs", folder=build)
    runs = streams()
    (build / "runs.txt").write_text(question(runs), "utf-8")
    with (build / "runs.txt").open() as source:
        answers = iter(prove.coq("./runs", folder=build, stdin=source).splitlines())
    for run in runs:
        seen = [[int(word) for word in next(answers).split()] for _ in run["sites"]]
        for place, column in enumerate(("ones", "zeros", "balls", "steps", "dimensions")):
            run[column] = [numbers[place] for numbers in seen]
    return "[\n" + ",\n".join(json.dumps(run, separators=(",", ":")) for run in runs) + "\n]\n"


def make(update: bool) -> None:
    """Make the table; write it, or compare it with the committed one."""
    committed, made = prove.HERE / "runs.json", table(prove.BUILD)
    if update:
        committed.write_text(made, "utf-8")
    elif committed.read_text("utf-8") != made:
        raise RuntimeError("runs.json is not what the extracted BASE does")
    print(f"The extracted BASE runs {made.count(chr(10)) - 2} streams as runs.json says")
