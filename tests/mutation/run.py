"""Mutation testing: is there a test that fails for every slip of the pen in the five modules?

    python tests/mutation/run.py            all of them, half an hour on one core
    python tests/mutation/run.py budget     one module, and no report

The tests are collected once. Each mutant is tried in a process of its own, a fork of this one, in
which the changed functions take the place of the real ones; no file is touched. The tests are
those of ``TESTS`` without the ones that need data sets or minutes. A mutant that no test notices
survives; `reasons.py` says why each of those that are left does no harm, and a survivor without a
reason is a fault (exit status 1).
"""

import ast
import importlib
import inspect
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
from hypothesis import HealthCheck, Phase, settings
from mutants import mutants
from report import write_report

ROOT = Path(__file__).resolve().parent.parent.parent
MODULES = ("cover", "base", "auto", "budget", "protocol")
TESTS = ("readings", "against_oracle", "auto", "budget", "protocol", "base", "input")
TESTS += ("model_versions", "explain")
# Real data, the compiled twin where the reference is tested as well, and altered model files.
LEFT_OUT = "not real_streams and not electricity and not compiled and not checksum"
SECONDS = 40  # of the processor, for one mutant; all tests take twelve
MEMORY = 8 << 30  # a loop that never ends must not take the machine with it
# Half the examples of a quick run, and no search for a smaller one: a failure is enough.
settings.register_profile(
    "mutation",
    max_examples=30,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def transplant(real, changed):
    """Give what a module or class has the code and the values of its mutant."""
    for name in set(vars(real)) - set(vars(changed)):
        if not name.startswith("__"):  # an assignment that the mutant lacks
            delattr(real, name)
    for name, new in vars(changed).items():
        old = vars(real).get(name)
        if isinstance(old, property):
            old, new = old.fget, new.fget
        if isinstance(old, FunctionType) and old.__module__ == new.__module__:
            old.__code__ = new.__code__
            old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__
        elif inspect.isclass(old) and old.__module__ == new.__module__:
            transplant(old, new)
        elif isinstance(new, bool | int | float | str | tuple) and not name.startswith("__"):
            setattr(real, name, new)


def apply(module, tree):
    """Put the mutant in the place of the module."""
    real = importlib.import_module(f"abacoc.{module}")
    changed = ModuleType(real.__name__)
    exec(compile(tree, real.__file__, "exec"), changed.__dict__)
    transplant(real, changed)


class Trial:
    """A plugin that runs the collected tests once for every mutant."""

    def __init__(self, names):
        self.names = names
        self.results = []
        self.order = {}  # of the tests: those that noticed the last mutants first, then the quick

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        """In the place of one run: many, each in a fork."""
        assert session.items
        for module in self.names:
            source = (ROOT / "abacoc" / f"{module}.py").read_text("utf-8")
            # the module in its own place must pass: then what fails later is the mutant's doing
            if self.verdict(session, module, ast.parse(source), is_mutant=False) != "survived":
                raise pytest.UsageError(f"the tests fail without any mutant of {module}")
            for mutant in mutants(source):
                started = time.perf_counter()
                result = self.verdict(session, module, mutant.tree)
                self.results.append((module, mutant.name, result))
                seconds = time.perf_counter() - started
                print(f"{result:8} {seconds:5.1f} s  {module}.{mutant.name}", flush=True)
        return True

    def verdict(self, session, module, tree, is_mutant=True):
        """'survived', 'killed' by a test, or 'stopped' because it took too long."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as answer:
            child = os.fork()
            if child == 0:
                self._run_tests(session, module, tree, answer)  # never comes back
            _, status = os.waitpid(child, 0)
            answer.seek(0)
            times = [line.rstrip("\n").split("\t", 1) for line in answer]
        if not is_mutant:
            self.order = {test: float(seconds) for seconds, test in times}
        elif times and os.WIFEXITED(status) and os.WEXITSTATUS(status):
            self.order[times[-1][1]] = min(self.order.values()) - 1.0
        if os.WIFSIGNALED(status):
            return "stopped" if os.WTERMSIG(status) == signal.SIGXCPU else "killed"
        return "killed" if os.WEXITSTATUS(status) else "survived"

    def _run_tests(self, session, module, tree, answer):
        code = 1
        try:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, 1)
            os.dup2(nothing, 2)
            import resource  # POSIX, as is `fork`

            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            apply(module, tree)
            items = sorted(session.items, key=lambda item: self.order.get(item.nodeid, 0.0))
            for item, following in zip(items, [*items[1:], None], strict=True):
                started = time.perf_counter()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                answer.write(f"{time.perf_counter() - started}\t{item.nodeid}\n")
                if session.testsfailed:
                    break
            else:
                code = 0
        finally:
            answer.flush()
            os._exit(code)


def main(names):
    os.chdir(ROOT)
    trial = Trial(names or MODULES)
    files = [str(ROOT / "tests" / f"test_{name}.py") for name in TESTS]
    options = ["-x", "-q", "-s", "-p", "no:cacheprovider", "-m", "not slow", "-k", LEFT_OUT]
    options += ["--hypothesis-profile=mutation", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    options += ["--assert=plain", "--tb=native"]  # nobody reads why a test fails
    code = pytest.main([*options, *files], plugins=[trial])
    if code != pytest.ExitCode.OK:
        return int(code)
    report = None if names else ROOT / "paper_results" / "mutation.md"
    return write_report(trial.results, report)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
