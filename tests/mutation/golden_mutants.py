"""Do the golden digests notice a change of an answer, also one made in both engines alike?

    python tests/mutation/golden_mutants.py            all of them, some minutes on one core
    python tests/mutation/golden_mutants.py exponent   those with this in their name, and no report

Each mutant is a named change of the text of a few files, made in a copy of the package in a
temporary folder; the checkout is never touched. A process of its own then computes the digests of
the methods that are named, by the reference if its files have changed and by the engine if its
files have, with an empty cache of compiled code, and counts those that are not in golden.json.
All of them must be noticed (exit status 1). The mutants of `run.py` are for the tests as a whole;
these are for golden.json alone, and include what the comparison of the two engines cannot see.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REPORT = ROOT / "paper_results" / "golden_mutants.md"
SECONDS = 300  # a mutant that takes longer is stopped, and counts as noticed
AUTO = ("auto", "auto-adj", "auto-adj-fix")
BASE = ("base", "base-adj")
BALLS = (*BASE, *AUTO)
MOA = ("vfdt", "rules")
REFERENCE, ENGINE = "reference", "engine"
BOTH = (REFERENCE, ENGINE)

# Run in the copy. A mutant may crash in some cases: that is noticed as well.
DRIVER = """
import json, sys
import abacoc, golden
from abacoc.baselines.neighbours import Nn3
from abacoc.engine import warm_up
if "engine" in sys.argv[3]:  # until it is compiled the reference would serve in its place
    warm_up()
    Nn3().compile_now()
assert abacoc.__file__.startswith(sys.argv[1]), abacoc.__file__
stored, all_cases = golden.read()["methods"], golden.cases()
ways, changed, differ, errors = sys.argv[3].split(","), {}, 0, {}
for method in sys.argv[2].split(","):
    for name, case in all_cases[method].items():
        seen = set()
        for way in ways:
            try:
                digest = golden.digest(case, reference=way == "reference")
            except Exception as error:
                digest = type(error).__name__
                errors[f"{digest}: {error}"] = errors.get(f"{digest}: {error}", 0) + 1
            seen.add(digest)
            if digest != stored[method]["digests"][name]:
                changed.setdefault(way, []).append(f"{method}: {name}")
        differ += len(seen) > 1
n = sum(len(all_cases[method]) for method in sys.argv[2].split(","))
print(json.dumps({"changed": changed, "differ": differ, "cases": n, "errors": errors}))
"""


@dataclass(frozen=True)
class Mutant:
    """``changes``: a file of the package, a text that is in it once, and what takes its place."""

    name: str
    methods: tuple[str, ...]
    ways: tuple[str, ...]
    changes: tuple[tuple[str, str, str], ...]


LOOP, RULES, SEARCH = "engine/loop.py", "engine/rules.py", "engine/search.py"
STORED = "    weigh(s, ball, 1)\n    insert(s, ball)"  # in `store`
FIRST = "if root < distance or (root == distance and ball < best):"
LAST = FIRST.replace("ball < best", "ball > best")
FLOORS = "    s.floors[b, lane] = min(floor, HIGH) * BELOW\n\n\n@kernel\ndef coordinate"
MUTANTS = (
    # AUTO and AUTO-ADJ, in both engines alike
    Mutant(
        "AUTO: exponent -1 / (3 + d)",
        AUTO,
        BOTH,
        (
            ("auto.py", "m ** (-1.0 / (2 + self.d_hat))", "m ** (-1.0 / (3 + self.d_hat))"),
            ("engine/learners.py", "-1.0 / (2 + self.d_hat)", "-1.0 / (3 + self.d_hat)"),
        ),
    ),
    Mutant(
        "AUTO: m + 1 in the place of max(m, 1)",
        AUTO,
        BOTH,
        (
            ("auto.py", 'm + 1 if rule == "plus" else max(m, 1)', "m + 1"),
            (RULES, "m + 1 if rule == S.PLUS_RULE else max(m, 1)", "m + 1"),
        ),
    ),
    Mutant(
        "open balls: distance < radius",
        BALLS,
        BOTH,
        (
            ("cover.py", "distance <= radius if", "distance < radius if"),
            (RULES, "(h[S.CLOSED] and distance == radius)", "(False and distance == radius)"),
            (
                RULES,
                "(h[S.CLOSED] and distance == f[S.EPSILON])",
                "(False and distance == f[S.EPSILON])",
            ),
        ),
    ),
    Mutant(
        "ties of the nearest ball to the last one",
        BALLS,
        BOTH,
        (
            (
                "search.py",
                "i = int(total.argmin())",
                "i = self._n - 1 - int(total[::-1].argmin())",
            ),
            (
                SEARCH,
                f"        root = math.sqrt(total)\n        {FIRST}",
                f"        root = math.sqrt(total)\n        {LAST}",
            ),
            (
                SEARCH,
                f"                    root = math.sqrt(total)\n                    {FIRST}",
                f"                    root = math.sqrt(total)\n                    {LAST}",
            ),
        ),
    ),
    Mutant(
        "ties of the majority to the later class",
        BALLS,
        BOTH,
        (
            (
                "ballset.py",
                "return self.counts.index(max(self.counts))",
                "return len(self.counts) - 1 - self.counts[::-1].index(max(self.counts))",
            ),
            (RULES, "n == most and k < s.ball_n[ball", "n == most and k > s.ball_n[ball"),
        ),
    ),
    Mutant(
        "AUTO-ADJ: centre's step by u + 1",
        ("auto-adj", "auto-adj-fix"),
        BOTH,
        (
            ("auto.py", "self._move(ball, x, ball.moves)", "self._move(ball, x, ball.moves + 1)"),
            (
                RULES,
                "move(s, ball, s.ball_i[ball, S.MOVED])\n    if h[S.JUDGE",
                "move(s, ball, s.ball_i[ball, S.MOVED] + 1)\n    if h[S.JUDGE",
            ),
        ),
    ),
    Mutant(
        "AUTO: judged after the label is counted",
        AUTO,
        BOTH,
        (
            ("auto.py", "if not self.reading.judge_before_count:", "if True:"),
            ("auto.py", "if self.reading.judge_before_count:\n", "if False:\n"),
            (RULES, "if not h[S.JUDGE_FIRST]:", "if True:"),
            (RULES, "if h[S.JUDGE_FIRST]:\n", "if False:\n"),
        ),
    ),
    Mutant(
        "AUTO: does not wait for a second label",
        AUTO,
        BOTH,
        (
            ("auto.py", "or not self.reading.wait_for_two_labels:", "or True:"),
            (RULES, "S.MAJORITY] or not h[S.WAIT]:", "S.MAJORITY] or True:"),
        ),
    ),
    # the budget
    Mutant(
        "budget: weights m + 2",
        ("auto-adj-fix",),
        BOTH,
        (
            (
                "budget.py",
                "np.cumsum(np.asarray(mistakes, dtype=np.int64) + 1)",
                "np.cumsum(np.asarray(mistakes, dtype=np.int64) + 2)",
            ),
            (RULES, STORED, STORED.replace("1)", "2)")),
            (RULES, "-(s.ball_i[ball, S.MISTAKES] + 1)", "-(s.ball_i[ball, S.MISTAKES] + 2)"),
            (
                LOOP,
                "weigh(s, ball, s.ball_i[ball, S.MISTAKES] + 1)",
                "weigh(s, ball, s.ball_i[ball, S.MISTAKES] + 2)",
            ),
        ),
    ),
    Mutant(
        "budget: weights 2 m + 1",
        ("auto-adj-fix",),
        BOTH,
        (
            (
                "budget.py",
                "np.cumsum(np.asarray(mistakes, dtype=np.int64) + 1)",
                "np.cumsum(2 * np.asarray(mistakes, dtype=np.int64) + 1)",
            ),
            (
                RULES,
                "        weigh(s, ball, 1)\n        shrink",
                "        weigh(s, ball, 2)\n        shrink",
            ),
            (RULES, "-(s.ball_i[ball, S.MISTAKES] + 1)", "-(2 * s.ball_i[ball, S.MISTAKES] + 1)"),
            (
                LOOP,
                "weigh(s, ball, s.ball_i[ball, S.MISTAKES] + 1)",
                "weigh(s, ball, 2 * s.ball_i[ball, S.MISTAKES] + 1)",
            ),
        ),
    ),
    Mutant(
        "budget: weights m, without the + 1",
        ("auto-adj-fix",),
        BOTH,
        (
            (
                "budget.py",
                "np.cumsum(np.asarray(mistakes, dtype=np.int64) + 1)",
                "np.cumsum(np.asarray(mistakes, dtype=np.int64))",
            ),
            (RULES, STORED, STORED.replace("1)", "0)")),
            (RULES, "-(s.ball_i[ball, S.MISTAKES] + 1)", "-s.ball_i[ball, S.MISTAKES]"),
            (
                LOOP,
                "weigh(s, ball, s.ball_i[ball, S.MISTAKES] + 1)",
                "weigh(s, ball, s.ball_i[ball, S.MISTAKES])",
            ),
        ),
    ),
    # BASE and BASE-ADJ
    Mutant(
        "BASE: room for (4 / eps)^d balls",
        BASE,
        BOTH,
        (
            ("base.py", "(above * 2**e)", "(above * 4**e)"),
            (RULES, "(2.0**d * step", "(4.0**d * step"),
        ),
    ),
    Mutant(
        "BASE: dimension one too large",
        BASE,
        BOTH,
        # the engine asks the same function
        (("base.py", "return next(e for e in", "return 1 + next(e for e in"),),
    ),
    Mutant(
        "BASE: steps go on in a new phase",
        BASE,
        BOTH,
        (
            ("base.py", "            self.steps = 0\n", ""),
            (RULES, "            h[S.STEPS] = 0\n", ""),
        ),
    ),
    Mutant(
        "BASE: exponent -1 / (1 + d)",
        BASE,
        BOTH,
        (
            (
                "base.py",
                "step ** (-1 / (2 + self.dimension))",
                "step ** (-1 / (1 + self.dimension))",
            ),
            (RULES, "(-1.0 / (2.0 + h[S.DIMENSION]))", "(-1.0 / (1.0 + h[S.DIMENSION]))"),
        ),
    ),
    Mutant(
        "BASE: gamma half as large",  # one function for both engines
        ("base",),
        BOTH,
        (("base.py", "1 / (2 * math.sqrt(n + 2))", "1 / (4 * math.sqrt(n + 2))"),),
    ),
    Mutant(
        "BASE: p_t with n + 3",
        ("base",),
        BOTH,
        (("base.py", "q = (ones + 1) / (n + 2)", "q = (ones + 1) / (n + 3)"),),
    ),
    Mutant(
        "BASE-ADJ: centre's step without the + 1",
        ("base-adj",),
        BOTH,
        (
            ("base.py", "n = sum(ball.counts) + 1", "n = sum(ball.counts)"),
            (RULES, "n = s.ball_i[ball, S.TOTAL] + 1", "n = s.ball_i[ball, S.TOTAL]"),
        ),
    ),
    # the engine alone
    Mutant(
        "search: slack for rounding below 1",
        BALLS,
        (ENGINE,),
        (("engine/engine.py", "1.0 + (2 * d + 8) * 2.0**-52", "0.75"),),
    ),
    Mutant(
        "bits: the floors of moved centres too high",
        BALLS,
        (ENGINE,),
        (("engine/bits.py", FLOORS, FLOORS.replace("BELOW", "4.0")),),
    ),
    Mutant(
        "boxes: they do not take new centres in",
        (*AUTO, "nn3", "cnn"),
        (ENGINE,),
        (
            (
                "engine/blocks.py",
                "if value > boxes[shelf, high, leaf]:",
                "if value > boxes[shelf, high, leaf] and not entered:",
            ),
        ),
    ),
    Mutant(
        "budget: the first ticket is never drawn",
        ("auto-adj-fix",),
        (ENGINE,),
        (
            (
                "engine/engine.py",
                "self.h[S.TICKET] = generator.integers(weight)",
                "self.h[S.TICKET] = generator.integers(weight - 1) + 1",
            ),
        ),
    ),
    # the others
    Mutant(
        "NN3: one neighbour more",
        ("nn3",),
        (ENGINE,),
        (
            (
                "baselines/neighbours.py",
                "        self.k = int(k)\n",
                "        self.k = int(k) + 1\n",
            ),
        ),
    ),
    Mutant(
        "NN3: ties of the vote to the later class",
        ("nn3", "cnn"),
        (ENGINE,),
        (("engine/neighbours.py", "n == most and k < best", "n == most and k > best"),),
    ),
    Mutant(
        "CNN: stores what it gets right",
        ("cnn",),
        (ENGINE,),
        (
            (
                "engine/neighbours.py",
                "not (condensed and predictions[t] == codes[t])",
                "not (condensed and predictions[t] != codes[t])",
            ),
        ),
    ),
    Mutant(
        "K-PERC: the sign of the rival",
        ("k-perc",),
        (ENGINE,),
        (("engine/expansion.py", "[signs[i, MINUS]] -= value", "[signs[i, MINUS]] += value"),),
    ),
    Mutant(
        "K-PERC: a tie is no reason to store",
        ("k-perc",),
        (ENGINE,),
        (
            (
                "engine/expansion.py",
                "s.scores[rival] < s.scores[y]",
                "s.scores[rival] <= s.scores[y]",
            ),
        ),
    ),
    Mutant(
        "VFDT and RULES: classes declared in reverse",
        ("vfdt", "rules"),
        (ENGINE,),
        (("methods.py", "str(text)))\n", "str(text)), reverse=True)\n"),),
    ),
    Mutant(
        "VFDT: leaves always say their majority",
        ("vfdt",),
        (ENGINE,),
        (("baselines/moa.py", "l=leaf_prediction,", 'l="MC",'),),
    ),
    # scalings and the protocol: the same for both engines, so the reference will do
    Mutant(
        "minmax: divided by the largest value, not by the span",
        (*BALLS, "nn3", "cnn", "k-perc"),
        (REFERENCE,),
        (("scaling.py", "span = high * factor - low * factor", "span = high * factor"),),
    ),
    Mutant(
        "unit: divided by the square of the norm",
        (*BALLS, "nn3", "cnn", "k-perc"),
        (REFERENCE,),
        (("scaling.py", "norms = np.sqrt(squares)", "norms = squares.copy()"),),
    ),
    Mutant(
        "protocol: the mask is drawn from the coin's numbers",
        BALLS,
        (REFERENCE,),
        (
            (
                "protocol.py",
                "self.mask = np.random.default_rng([seed, 0])",
                "self.mask = np.random.default_rng([seed, 1])",
            ),
        ),
    ),
    Mutant(
        "protocol: the coin falls the other way",
        ("base",),
        (REFERENCE,),
        (("protocol.py", "int(self.coin.random() < p)", "int(self.coin.random() >= p)"),),
    ),
)


def changed_package(folder, mutant):
    """A copy of the package and of the golden files, with the mutant in it."""
    ignored = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    shutil.copytree(ROOT / "abacoc", folder / "abacoc", ignore=ignored)
    (folder / "tests" / "baselines").mkdir(parents=True)
    for name in ("golden.py", "golden_streams.py", "golden.json", "baselines/plain.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    for name, old, new in mutant.changes:
        path = folder / "abacoc" / name
        text = path.read_text("utf-8")
        if text.count(old) != 1:
            raise SystemExit(f"{mutant.name}: {old!r} is {text.count(old)} times in {name}")
        path.write_text(text.replace(old, new), encoding="utf-8")


def tried(mutant):
    """What the driver found; None if it had to be stopped."""
    with tempfile.TemporaryDirectory(prefix="golden-mutant-") as made:
        folder = Path(made)
        changed_package(folder, mutant)
        paths = os.pathsep.join([str(folder), str(folder / "tests")])
        settings = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "cache")}
        command = [
            sys.executable,
            "-c",
            DRIVER,
            made,
            *map(",".join, (mutant.methods, mutant.ways)),
        ]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=os.environ | settings,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
    if done.returncode:
        raise SystemExit(f"{mutant.name}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


HEAD = """# Mutants that the golden digests must notice

Generated by `python tests/mutation/golden_mutants.py`. Each is a named change of the package, most
of them made in the reference and in the engine alike, so that the two still agree with each other
and no comparison of them can tell. What must tell is `tests/golden.json`: the counts are the
digests that are not those of the file, out of the cases of the methods that were run. "Differ in"
is the number of cases in which reference and engine no longer agree.

| mutant | where | golden digests changed | of | differ in | first case that caught it |
|---|---|---|---:|---:|---|
"""


def row(mutant, found):
    """A line of the table."""
    where = ", ".join(f"`{name}`" for name in dict.fromkeys(name for name, _, _ in mutant.changes))
    if found is None:
        return f"| {mutant.name} | {where} | stopped after {SECONDS} s | | | |"
    changed = found["changed"]
    counts = ", ".join(f"{len(changed.get(way, []))} ({way})" for way in mutant.ways)
    first = next((changed[way][0] for way in mutant.ways if way in changed), "NONE: IT SURVIVES")
    if found["errors"]:
        counts += f" ({sum(found['errors'].values())} by an error)"
    differ = found["differ"] if len(mutant.ways) > 1 else ""
    return f"| {mutant.name} | {where} | {counts} | {found['cases']} | {differ} | {first} |"


def survives(mutant, found):
    """True if one of the ways in which it was run has noticed nothing."""
    return found is not None and any(way not in found["changed"] for way in mutant.ways)


def main(names):
    chosen = [m for m in MUTANTS if not names or any(name in m.name for name in names)]
    lines, left = [], []
    # Without any mutant nothing may change: then what changes later is the mutant's doing. Where
    # MOA is missing, VFDT is River's and would change by itself.
    for methods, ways in (((*BALLS, "nn3", "cnn", "k-perc"), BOTH), (MOA, (ENGINE,))):
        needed = [m for m in chosen if set(m.methods) & set(methods)]
        if needed and tried(Mutant("nothing", methods, ways, ()))["changed"]:
            hint = "is MOA installed?" if methods is MOA else "is golden.json of these sources?"
            raise SystemExit(f"{', '.join(methods)}: digests change without any mutant; {hint}")
    for mutant in chosen:
        started = time.perf_counter()
        found = tried(mutant)
        lines.append(row(mutant, found))
        if survives(mutant, found):
            left.append(mutant.name)
        print(f"{time.perf_counter() - started:5.1f} s  {lines[-1]}", flush=True)
        for error, n in (found or {}).get("errors", {}).items():
            print(f"         {n} times {error}")
    if not names:
        end = f"\n{len(chosen)} mutants, {len(chosen) - len(left)} noticed.\n"
        REPORT.write_text(HEAD + "\n".join(lines) + "\n" + end, encoding="utf-8")
    print(*(f"not noticed: {name}" for name in left), sep="\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
