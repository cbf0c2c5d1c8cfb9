"""Calls that are disturbed once, at every moment there is: for test_interruption.py, and a script.

In the manner of SQLite: a call is repeated on copies of one learner, and the n-th time something
happens in it (a line begins, a bytecode begins, NumPy or Python is asked for memory) it fails, for
n = 1, 2, ... until it comes through. Afterwards the learner must be as before the call or as after
it, its arrays must fit together, a repeated call must come out as ever, and what follows too.

    python tests/engine/disturbed.py lines fix,bits      # prints what was done, as JSON
"""

import contextlib
import copy
import importlib
import itertools
import json
import pickle
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

import abacoc
from abacoc import auto, base, modelfile, prequential
from abacoc.baselines.constant import Majority, NoChange
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Cnn, Nn3
from abacoc.engine import warm_up
from abacoc.engine.check import check

PACKAGE = str(Path(abacoc.__file__).parent)
N, AHEAD = 400, 6  # examples of a stream; and those that are learned after a disturbance


def searched(search):
    def make():
        learner = abacoc.AutoAdj(budget=70)
        learner.search = search
        return learner

    return make


METHODS = {
    "base": lambda: abacoc.Base(vote="majority"),
    "base-adj": abacoc.BaseAdj,
    "auto": lambda: abacoc.Auto(reading="authors"),
    "auto-adj": abacoc.AutoAdj,
    "fix": lambda: abacoc.AutoAdj(budget=20),
    "many": searched("auto"),
    "scan": searched("scan"),
    "plain": searched("plain"),
    "reference-base": lambda: base.Base(vote="majority"),
    "reference-base-adj": base.BaseAdj,
    "reference-auto": lambda: auto.Auto(reading="authors", metric="manhattan"),
    "reference-fix": lambda: auto.AutoAdj(budget=20),
    "nn3": Nn3,
    "cnn": Cnn,
    "k-perc": lambda: KPerc(gamma=4.0),
    "iblstreams": lambda: IblStreams(k=5, size=100, start=30),
    "no-change": NoChange,
    "majority": Majority,
    "online": lambda: abacoc.Scaled(abacoc.AutoAdj(budget=20)),
    "online-base": lambda: abacoc.Scaled(abacoc.Base(vote="majority"), "online-minmax"),
    "online-reference": lambda: abacoc.Scaled(auto.AutoAdj(budget=20)),
    "online-nn3": lambda: abacoc.Scaled(Nn3()),
    "online-k-perc": lambda: abacoc.Scaled(KPerc()),
}
STREAMS = ("dense", "bits", "mixed")


def stream(kind):
    """Points and labels; eight new classes on the way, and noise, so that there are many balls."""
    rng = np.random.default_rng(len(kind))
    dense, bits = {"dense": (3, 0), "bits": (0, 20), "mixed": (2, 20)}[kind]
    X = np.hstack([rng.random((N, dense)), 1.0 * (rng.random((N, bits)) < 0.3)])
    y = [int(k) for k in rng.integers(0, 2 + 8 * np.arange(N) // N)]
    return X / np.sqrt(X.shape[1]) if kind == "dense" else X, y


def digest(learner):
    """All that decides what the learner will do; its classes first, before anything is settled."""
    if isinstance(learner, abacoc.Scaled):
        return repr([digest(learner.learner), learner.scaler])
    seen = [list(getattr(learner, "classes", [])), learner.n_balls]
    if isinstance(learner, abacoc.cover.Cover):
        return json.dumps([seen, learner.balls.counts.tolist(), modelfile.state(learner)])
    if isinstance(learner, NoChange | Majority):
        held = getattr(learner, "counts", None) or getattr(learner, "last", None)
        return pickle.dumps([seen, held, learner._dimension if learner.n_balls else None])
    arrays = []
    if isinstance(learner, Nn3) and learner._dimension is not None:
        engine = learner._engine
        arrays = [
            engine.centres(),
            engine.table("ball_n", abacoc.engine.state.MAJORITY),
            engine.size,
        ]
    elif isinstance(learner, KPerc) and learner._dimension is not None:
        n = learner.n_balls
        values = learner._state.values
        rows = values.transpose(0, 2, 1).reshape(-1, learner._dimension)[:n]
        arrays = [rows, learner._state.signs[:n]]
    elif isinstance(learner, IblStreams) and learner._dimension is not None:
        s, n = learner._state, learner.n_balls
        header = np.delete(s.h, [3, 4])  # N_FOUND and STALE: what was asked last
        arrays = [header, s.raw[:n], s.label[:n], s.born[:n], s.wrong, s.errors, s.fifths]
    return pickle.dumps([seen, learner._dimension, [np.array(array).tolist() for array in arrays]])


# What disturbs ------------------------------------------------------------------------------------


class Interrupt:
    """KeyboardInterrupt where the n-th line of the package, or bytecode, would begin."""

    def __init__(self, opcodes):
        self.opcodes, self.trace = opcodes, []

    def __call__(self, call, n):
        """Run ``call``; the n-th event raises. What it went through is in ``trace``."""
        self.trace, self.n = [], n
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(None)

    def _enter(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes = self.opcodes
        return self._step

    def _step(self, frame, event, argument):
        if event == ("opcode" if self.opcodes else "line"):
            self.trace.append((frame.f_code, frame.f_lasti if self.opcodes else frame.f_lineno))
            if len(self.trace) == self.n:
                raise KeyboardInterrupt
        return self._step


class NoArrays:
    """MemoryError where the package asks NumPy for the n-th array."""

    names = "zeros empty full ones arange array empty_like flatnonzero fromiter resize cumsum"
    modules = "engine.engine engine.learners engine.rows engine.handle engine.cases checks budget"
    modules += " ballset search baselines.examples baselines.neighbours baselines.kperc"
    modules += " baselines.iblstreams baselines.arrays engine.expansion scaling online"

    def __init__(self):
        self.trace = []
        for name in self.modules.split():
            importlib.import_module(f"abacoc.{name}").np = self

    def __getattr__(self, name):
        real = getattr(np, name)
        if name not in self.names.split():
            return real

        def allocate(*arguments, **named):
            if self.counting:
                self.trace.append(name)
                if len(self.trace) == self.n:
                    raise MemoryError(name)
            return real(*arguments, **named)

        return allocate

    counting = False

    def __call__(self, call, n):
        self.trace, self.n, self.counting = [], n, True
        try:
            call()
        finally:
            self.counting = False


class NoObjects:
    """MemoryError where Python itself is asked for memory the n-th time."""

    trace = ()
    most = 4000

    def __init__(self):
        self.allocator = importlib.import_module("_testcapi")  # of CPython; some lack it

    def __call__(self, call, n):
        if n > self.most:  # to count: it comes through
            call()
            return
        self.allocator.set_nomemory(n, n + 1)
        try:
            call()
        finally:
            self.allocator.remove_mem_hooks()


# What must hold -----------------------------------------------------------------------------------


def disturb(name, kind, disturbance, stride):
    """Disturb the calls of a run at every moment; counts of what came out.

    Of the calls, those that go through lines (or allocations) in another combination than all
    before; of the moments, with a ``stride`` above 1, every so many.
    """
    X, y = stream(kind)

    def calls():
        for t in range(N):
            yield t, False, lambda learner, t=t: learner.predict(X[t])
            yield t, True, lambda learner, t=t: learner.update(X[t], y[t])

    learner, counts, seen, chosen = METHODS[name](), Counter(), set(), set()
    for t, update, call in calls():
        disturbance(lambda call=call: call(learner), 10**9)
        combination = frozenset(disturbance.trace)
        if combination not in seen or (not combination and t % 80 == 70):
            seen.add(combination)
            chosen.add((t, update))
    learner = METHODS[name]()
    for t, update, call in calls():
        if (t, update) in chosen:
            counts["calls"] += 1
            moments = itertools.count(1 + counts["calls"] % stride, stride)
            counts += at_every_moment(learner, call, (X, y, t, update), disturbance, moments)
        call(learner)
    return counts


def at_every_moment(learner, call, place, disturbance, moments):
    """Disturb one call at these moments, until it comes through."""
    counts = Counter()
    before, after = digest(copy.deepcopy(learner)), copy.deepcopy(learner)
    answer = call(after)
    after, then = digest(copy.deepcopy(after)), rest(after, *place)
    for n in moments:
        victim = copy.deepcopy(learner)
        try:
            disturbance(lambda victim=victim: call(victim), n)
            if n > len(disturbance.trace) and not isinstance(disturbance, NoObjects):
                return counts
            if n > getattr(disturbance, "most", n):
                return counts
            counts["swallowed"] += 1  # a failure that somebody dealt with; or there was none
            disturbed = False
        except (KeyboardInterrupt, MemoryError):
            disturbed = True
        except Exception as error:  # of NumPy and Numba, when there is no memory for a message
            if not isinstance(disturbance, NoObjects):
                raise
            counts[f"as {type(error).__name__}"] += 1
            disturbed = True
        if not disturbed and isinstance(disturbance, NoObjects):
            untouched = counts["in a row"] = counts["in a row"] + 1
            if untouched > 60:  # no allocation was reached any more
                del counts["in a row"], counts["swallowed"]
                return counts
        else:
            counts["in a row"] = 0
        counts["points"] += disturbed
        found = digest(victim)
        counts["before"] += found == before
        counts["after"] += found == after != before
        wrong = found not in (before, after)
        if disturbed and not wrong and found == before:
            wrong = call(victim) != answer
        check_arrays(victim)
        if wrong or rest(victim, *place) != then:
            counts["third states"] += 1
    return counts


def check_arrays(victim):
    """The arrays of a learner, if it has any, fit together."""
    engine = getattr(getattr(victim, "learner", victim), "_engine", None)
    if engine is not None:
        check(engine)


def rest(learner, X, y, t, update):
    """What follows a call: some predictions and the state in the end."""
    said = []
    if not update:
        learner.update(X[t], y[t])
    for i in range(t + 1, min(t + 1 + AHEAD, N)):
        said.append(learner.predict(X[i]))
        learner.update(X[i], y[i])
    return said, digest(learner)


def signals(name, kind, n):
    """A timer at a random moment of a whole run, n times; the run goes on from where it was."""
    X, y = stream(kind)
    learner, counts = METHODS[name](), Counter()
    states = {digest(learner): 0}  # nothing is disturbed, so there is nothing to settle
    for t in range(N):
        learner.update(X[t], y[t])
        states[digest(learner)] = t + 1
    last, rng = digest(learner), random.Random(f"{name} {kind}")

    def one_by_one(learner, start):
        for i in range(start, N):
            learner.predict(X[i])
            learner.update(X[i], y[i])

    def at_once(learner, start):
        if start < N:
            prequential(learner, X[start:], np.array(y[start:]))

    def ring(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, ring)
    for way in (one_by_one, at_once):
        way(METHODS[name](), 0)
        started = time.perf_counter()
        way(METHODS[name](), 0)
        usual = time.perf_counter() - started
        for _ in range(n):
            victim, t = METHODS[name](), 0
            for _ in range(4):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 1e-6 + rng.random() * usual)
                    way(victim, t)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except KeyboardInterrupt:
                    counts["signals"] += 1
                with contextlib.suppress(KeyboardInterrupt):
                    signal.setitimer(signal.ITIMER_REAL, 0)
                check_arrays(victim)
                found = digest(copy.deepcopy(victim))
                if found not in states:
                    counts["third states"] += 1
                    break
                t = states[found]
            else:
                way(victim, t)
                counts["third states"] += digest(victim) != last
    return counts


def main(how, cases, stride="1", n=N):
    """Print the counts of some cases, each a method and a stream: ``fix,bits nn3,dense``.

    ``stride`` is as in ``disturb``; of signals, there are 40 runs by it. ``n`` is the length of a
    stream: 160 examples go through the same 612 lines as 400, in 153 combinations and not 163.
    """
    global N
    N = int(n)
    warm_up()
    for learner in Nn3(), KPerc(), IblStreams():
        learner.compile_now()
    disturbance = {
        "lines": lambda: Interrupt(opcodes=False),
        "opcodes": lambda: Interrupt(opcodes=True),
        "arrays": NoArrays,
        "objects": NoObjects,
        "signals": lambda: None,
    }[how]()
    total = Counter({"points": 0, "signals": 0, "third states": 0})
    for case in cases.split():
        name, kind = case.split(",")
        METHODS[name]().update([0.0], 0)  # whatever has to be compiled or imported
        if how == "signals":
            counts = signals(name, kind, 40 // int(stride))
        else:
            counts = disturb(name, kind, disturbance, int(stride))
        if counts["third states"]:
            print(case, dict(counts), file=sys.stderr)
        total.update(counts)
    total.pop("in a row", None)
    print(json.dumps(total))


if __name__ == "__main__":
    main(*sys.argv[1:])
