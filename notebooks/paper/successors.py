"""AUTO-ADJ and NN3 beside methods that came after the paper: one table, by one command.

    cd notebooks && nice python -m paper.successors phishing banana segments electricity sea

Needs the extras ``moa``, ``river`` and ``notebooks``. ``phishing``, ``banana`` and ``segments`` are
in River's wheel, the other streams in `ABACOC_DATA`. It runs in one process and takes an hour for
all five; each run is kept in ``paper_results/store`` at once, so that the next call goes on. The
table has the streams of which every run is there; its times and bytes are nobody else's.

Every method has the settings of its library. Where there is chance there are five seeds: numbers
are means over them, ``spread`` is the standard deviation of the accuracy. ``bytes`` is the
memory of the model at the end: of River's methods as River counts it, of MOA's what Java's heap
holds more than before the run, after a collection (SAM-kNN has a matrix of all its distances).
It is empty for the others: see ``bench_anatomy.csv`` for what a model of ours is made of.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from abacoc import Scaled, prequential
from abacoc.methods import METHODS
from abacoc.scores import or_none
from abacoc.streams import Stream, as_stream
from paper.output import Output

RESULTS = Path(__file__).resolve().parents[2] / "paper_results"
RIVERS = {"phishing": "Phishing", "segments": "ImageSegments"}  # and `banana`, which is registered
STREAMS = (*RIVERS, "banana", "electricity", "sea")
SEEDS = range(5)
BUDGET = 0.1  # of AUTO-ADJ FIX, a share of the stream
ENTRANTS = (  # methods and scalings
    *(("auto-adj", "none"), ("auto-adj", "online"), ("auto-adj-fix", "none")),
    *(("nn3", "none"), ("nn3", "online"), ("sam-knn", "none"), ("knn-paw", "none")),
    *(("arf", "none"), ("amf", "none"), ("amf", "online-minmax")),
)
NUMBERS = ["accuracy", "kappa", "kappa_temporal", "model_size", "bytes", "examples_per_second"]


class Case(NamedTuple):
    """One run."""

    stream: str
    method: str
    scale: str
    seed: int


def cases(stream: str) -> Iterator[Case]:
    """The runs on a stream.

    >>> sum(case.method == "arf" for case in cases("sea")), len(list(cases("sea")))
    (5, 34)
    """
    for method, scale in ENTRANTS:
        has_chance = METHODS[method].chance or method == "auto-adj-fix"
        for seed in SEEDS if has_chance else SEEDS[:1]:
            yield Case(stream, method, scale, seed)


def opened(name: str) -> Stream:
    """A stream by its name; one that is in River's wheel is read by River, and written nowhere."""
    if name not in RIVERS:
        return as_stream(name)
    from river import datasets

    return as_stream(iter(getattr(datasets, RIVERS[name])()), name=name)


def run(case: Case, data: Stream) -> dict[str, Any]:
    """What comes out of a run."""
    method = METHODS[case.method]
    is_moas = method.programs == ("capymoa",)
    before = heap() if is_moas else 0
    settings = {"seed": case.seed} if method.chance or case.method == "auto-adj-fix" else {}
    if case.method == "auto-adj-fix":
        settings["budget"] = max(2, round(BUDGET * data.n_examples))
    own = method.make(settings, data.labels)
    if hasattr(own, "compile_now"):
        own.compile_now()
    learner = own if case.scale == "none" else Scaled(own, case.scale)
    done = prequential(learner, data.X, [data.labels[k] for k in data.y.tolist()], keep=False)
    found = {name: or_none(getattr(done, name)) for name in NUMBERS[:3]} | {
        "examples": done.n_examples,
        "model_size": done.n_balls,
        "unit": method.unit,
        "bytes": heap() - before if is_moas else getattr(own, "n_bytes", None),
        "examples_per_second": done.n_examples / done.seconds,
    }
    return case._asdict() | found


def heap() -> int:
    """Bytes of Java's heap that are in use."""
    from abacoc.baselines.moa import start_java

    gc.collect()  # Java keeps what Python holds
    java = start_java().JClass("java.lang.Runtime").getRuntime()
    java.gc()
    return int(java.totalMemory() - java.freeMemory())


def table(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds, for streams of which every run is there."""
    complete = [s for s in STREAMS if len(runs[runs.stream == s]) == len(list(cases(s)))]
    runs = runs[runs.stream.isin(complete)]
    by = runs.groupby(["stream", "method", "scale", "examples", "unit"], sort=False)
    found = by[NUMBERS].mean().assign(seeds=by.size(), spread=by.accuracy.std().fillna(0.0))
    columns = ["seeds", "accuracy", "spread", *NUMBERS[1:4], "unit", *NUMBERS[4:]]
    return found.reset_index()[["stream", "examples", "method", "scale", *columns]]


def main() -> None:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("streams", nargs="*", choices=STREAMS, default=list(STREAMS))
    store = RESULTS / "store" / "successors.jsonl"
    store.parent.mkdir(parents=True, exist_ok=True)
    store.touch()
    runs = [json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()]
    done = {Case(*(row[name] for name in Case._fields)) for row in runs}
    for stream in parser.parse_args().streams:
        missing = [case for case in cases(stream) if case not in done]
        data = opened(stream) if missing else None
        for case in missing:
            runs.append(run(case, data))
            with store.open("a", encoding="utf-8") as file:
                file.write(json.dumps(runs[-1]) + "\n")
            print(*case, f"accuracy {runs[-1]['accuracy']:.4f}", flush=True)
        Output(RESULTS).table(table(pd.DataFrame(runs)), "successors.csv")


if __name__ == "__main__":
    main()
