"""Do the property tests of the phases notice a wrong BASE, without the help of any other test?

    python tests/mutation/phase_mutants.py            all of them through all tests, and the report
    python tests/mutation/phase_mutants.py --quick    the same, each until a test fails; no report
    python tests/mutation/phase_mutants.py radius     those with this in their name, and no report

Each mutant is a named change of the text of one module. As in `run.py` it takes the place of the
real one in a fork of this process, so that no file is touched. There, `tests/theory/test_phases.py`
runs without its count of the phases and without its comparison with another BASE, each of its tests
until it fails in one kind of space. What survives is a fault (exit status 1).
"""

import ast
import os
import sys
import tempfile
import time
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from run import ROOT, apply

import abacoc.engine

REPORT = ROOT / "paper_results" / "phase_mutants.md"
TESTS = ROOT / "tests" / "theory" / "test_phases.py"
# The quick profile without its search for a smaller example: a failure is enough.
settings.register_profile(
    "phases",
    max_examples=60,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate, Phase.target],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


class Mutant(NamedTuple):
    """A text that is in the module once, and what takes its place."""

    name: str
    module: str
    old: str
    new: str


RADIUS = "step ** (-1 / (2 + self.dimension))"
SHRINK = '"""Shrink the radius of all balls with time."""\n        '
LEAST, ROOM = "return next(e for e in", "(above * 2**e)"
TAKEN = "self.steps += self.reading.count_every_step"
MUTANTS = (
    Mutant("radius 1.5 times as large", "base", RADIUS, f"1.5 * {RADIUS}"),
    Mutant("radius 1 % smaller", "base", RADIUS, f"0.99 * {RADIUS}"),
    Mutant("radius with -1 / (1 + d)", "base", RADIUS, RADIUS.replace("2 +", "1 +")),
    Mutant("radius does not shrink", "base", f"{SHRINK}self.epsilon", f"{SHRINK}self.unused"),
    Mutant("a ball without its rim", "cover", "distance <= radius if", "distance < radius if"),
    Mutant("dimension one too large", "base", LEAST, LEAST.replace("next", "1 + next")),
    Mutant("dimension one too small", "base", LEAST, LEAST.replace("next", "-1 + next")),
    Mutant("steps go on in a new phase", "base", "            self.steps = 0\n", ""),
    Mutant("balls stay in a new phase", "base", "            self._discard_all()\n", ""),
    Mutant("phases are not counted", "base", "            self.phase += 1\n", ""),
    Mutant(
        "room for C (1.9 / eps)^d balls",
        "base",
        "(size * below) ** (2 + d) > (above * 2**e)",
        "(size * below * 10**e) ** (2 + d) > (above * 19**e)",
    ),
    Mutant("room for C (4 / eps)^d balls", "base", ROOM, "(above * 4**e)"),
    Mutant(
        "the new ball is not counted",
        "base",
        "size, constant = self.n_balls + 1",
        SIZE := "size, constant = self.n_balls",
    ),
    Mutant("one ball too many is counted", "base", f"{SIZE} + 1", f"{SIZE} + 2"),
    Mutant(
        "ties to the last of the nearest", "search", "if distance < best:", "if distance <= best:"
    ),
    Mutant("counts do not grow", "base", f"ball.count(k)\n        {TAKEN}", TAKEN),
    Mutant("only new balls are steps", "base", TAKEN, "self.steps += 0"),
    Mutant("first prediction 1", "base", "return 0.5\n", "return 1.0\n"),
    Mutant(
        "gamma half as large", "base", "1 / (2 * math.sqrt(n + 2))", "1 / (4 * math.sqrt(n + 2))"
    ),
    Mutant("gamma twice as large", "base", "1 / (2 * math.sqrt(n + 2))", "1 / math.sqrt(n + 2)"),
    Mutant("q with n + 3", "base", "q = (ones + 1) / (n + 2)", "q = (ones + 1) / (n + 3)"),
    Mutant("labels the other way round", "base", "q = (ones + 1)", "q = (n - ones + 1)"),
)


def changed(mutant):
    """The text of the module with the mutant in it."""
    text = (ROOT / "abacoc" / f"{mutant.module}.py").read_text("utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(f"{mutant.old!r} is {text.count(mutant.old)} times in {mutant.module}.py")
    return text.replace(mutant.old, mutant.new)


class Trial:
    """A plugin that runs the collected tests once for every mutant."""

    def __init__(self, chosen, quick):
        self.chosen, self.quick = chosen, quick
        self.found = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        """In the place of one run: many, each in a fork."""
        if self.failing(session, None):
            raise pytest.UsageError("the tests fail without any mutant")
        for mutant in self.chosen:
            started = time.perf_counter()
            self.found[mutant] = self.failing(session, mutant)
            seconds = time.perf_counter() - started
            print(f"{seconds:5.1f} s  {mutant.name}: {self.found[mutant]}", flush=True)
        return True

    def failing(self, session, mutant):
        """The names of the tests that fail."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as answer:
            child = os.fork()
            if child == 0:
                self._run_tests(session, mutant, answer)  # never comes back
            _, status = os.waitpid(child, 0)
            answer.seek(0)
            names = answer.read().splitlines()
        if status:
            raise RuntimeError(f"the process ended with {status}")
        return names

    def _run_tests(self, session, mutant, answer):
        code = 1
        try:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            if mutant is not None:
                apply(mutant.module, ast.parse(changed(mutant)))
            names = []
            for item, following in zip(session.items, [*session.items[1:], None], strict=True):
                if item.originalname not in names:
                    before = session.testsfailed
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                    names += [item.originalname] * (session.testsfailed > before)
                if names and self.quick:
                    break
            print(*names, sep="\n", end="", file=answer, flush=True)
            code = 0
        finally:
            os._exit(code)


HEAD = """# Mutants that the property tests of the phases must notice

Generated by `python tests/mutation/phase_mutants.py`. Each is a named change of BASE, and the tests
are those of `tests/theory/test_phases.py` alone, without the count of the phases and the comparison
with another BASE. Where all of them fail, it is because they share the watch over the balls: an
example goes into one ball, and no other ball changes.

| mutant | where | noticed by |
|---|---|---|
"""


def main(names):
    quick = "--quick" in names
    chosen = [m for m in MUTANTS if names in ([], ["--quick"]) or any(n in m.name for n in names)]
    os.chdir(ROOT)
    abacoc.engine._warm = True  # the tests run the reference: nothing has to be compiled
    trial = Trial(chosen, quick)
    options = ["-q", "-s", "-p", "no:cacheprovider", "--hypothesis-profile=phases"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning", "--assert=plain", "--tb=no"]
    code = pytest.main(
        [*options, "-k", "not reach_the_phases and not another_base", str(TESTS)], plugins=[trial]
    )
    if code != pytest.ExitCode.OK:
        return int(code)
    lines = [
        f"| {mutant.name} | `{mutant.module}.py` | "
        + (", ".join(f"`{name}`" for name in found) or "NONE: IT SURVIVES")
        for mutant, found in trial.found.items()
    ]
    left = [mutant.name for mutant, found in trial.found.items() if not found]
    if not names:
        end = f"\n{len(lines)} mutants, {len(lines) - len(left)} noticed.\n"
        REPORT.write_text(HEAD + " |\n".join(lines) + " |\n" + end, encoding="utf-8")
    print(*(f"not noticed: {name}" for name in left), sep="\n")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
