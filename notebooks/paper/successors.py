"""AUTO-ADJ and NN3 beside methods that came after the paper: one table, by one command.

    cd notebooks && nice python -m paper.successors

Needs the extras ``moa``, ``river`` and ``notebooks``, and `ABACOC_DATA`; it takes hours. Each run
is kept in ``successors_runs.csv``, which is committed: the next call goes on from there. Streams
can be named, such as ``covtype`` whole; of the three largest there are parts: heads, and of
kddcup99, whose first thousands are of one class, a sample. The table has the streams of which every
run is there; numbers are means over the seeds, ``spread`` is the
accuracy's deviation.

``bytes`` is the model at the end: of River's methods as River counts it, of ours what their arrays
take, of MOA's what Java's heap holds more than before the run, as MOA's own measure needs an agent
(SAM-kNN has a matrix of 5,001 x 5,001 distances). Others used the machine at the same time, fewer
when AUTO-ADJ and NN3 ran, which were run again after a change of the engine: the committed speeds
favour them, by a factor that nobody has measured. The part of kddcup99 was chosen after runs on its
first 10,000 had begun, which took too long; those runs are not in the table.
"""

from __future__ import annotations

import argparse
import gc
from collections import namedtuple
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from abacoc import Scaled, prequential
from abacoc.baselines.moa import start_java
from abacoc.grid.inputs import FILE, open_job_stream
from abacoc.methods import EPOCHS, METHODS, SUCCESSORS, YARDSTICKS
from abacoc.scores import or_none
from abacoc.streams import Stream, as_stream
from paper.output import Output

RESULTS = Path(__file__).resolve().parents[2] / "paper_results"
RIVERS = {"phishing": "Phishing", "segments": "ImageSegments"}  # in its wheel, as is `banana`
WHOLE = ("banana", "powersupply", "poker", "electricity", "sea")
PARTS = ("kddcup99,head=2500,shuffle=0", "covtype,head=10000", "connect-4,head=10000")
STREAMS = (*RIVERS, *WHOLE, *PARTS)
RUNS = "successors_runs.csv"
# balls of AUTO-ADJ FIX: the paper's share, and as many as KNN-PAW keeps of examples
BUDGETS = {"1%": 0.01, "1000": 1000.0}
LEARNERS = (
    ("auto-adj", "none"),
    *(("auto-adj-fix", budget) for budget in BUDGETS),
    *((method, "none") for method in ("nn3", *SUCCESSORS)),
)
ENTRANTS = (  # methods, budgets and scalings
    *((method, "none", "none") for method in YARDSTICKS),
    *((*learner, scale) for learner in LEARNERS for scale in ("none", "online")),
    ("amf", "none", "online-minmax"),  # it is made for attributes in [0, 1]
)
NUMBERS = ["accuracy", "kappa", "kappa_temporal", "model_size", "bytes", "examples_per_second"]
Case = namedtuple("Case", "stream method budget scale seed")


def cases(stream: str) -> Iterator[Case]:
    """The runs on a stream; where there is chance there are five."""
    for entrant in ENTRANTS:
        method = METHODS[entrant[0]]
        seeds = range(5 if method.chance or method.variant_of else 1)
        yield from (Case(stream, *entrant, seed) for seed in seeds)


def opened(name: str) -> Stream:
    """A stream by its name; River reads what is in its wheel, and it is written nowhere."""
    if name not in RIVERS:
        name, shuffled, seed = name.partition(",shuffle=")
        return open_job_stream(name, f"shuffle={seed}" if shuffled else FILE)
    return as_stream(iter(getattr(import_module("river.datasets"), RIVERS[name])()), name=name)


def run(case: Case, data: Stream) -> dict[str, Any]:
    """What comes out of a run."""
    method = METHODS[case.method]
    is_moas = method.programs == ("capymoa",)
    before = heap() if is_moas else 0
    settings: dict[str, Any] = {"seed": case.seed} if method.chance else {}
    if case.budget != "none":
        budget = BUDGETS[case.budget]
        balls = round(budget * data.n_examples if budget < 1 else budget)
        settings = {"seed": case.seed, "budget": balls}
    own = method.make(settings, data.labels)
    if hasattr(own, "compile_now"):
        own.compile_now()
    learner = own if case.scale == "none" else Scaled(own, case.scale)
    done = prequential(learner, data.X, [data.labels[k] for k in data.y.tolist()], keep=False)
    scores = {name: or_none(getattr(done, name)) for name in NUMBERS[:3]}
    return {**case._asdict(), "epoch": EPOCHS[case.method], **scores} | {
        "examples": done.n_examples,
        "model_size": done.n_balls,
        "unit": method.unit,
        "bytes": heap() - before if is_moas else getattr(own, "n_bytes", None),
        "examples_per_second": done.n_examples / done.seconds,
    }


def heap() -> int:
    """Bytes of Java's heap that are in use."""
    gc.collect()  # Java keeps what Python holds
    java = start_java().JClass("java.lang.Runtime").getRuntime()
    java.gc()
    return int(java.totalMemory() - java.freeMemory())


def table(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds, for streams of which every run is there."""
    runs = runs.groupby("stream").filter(lambda of: len(of) == len(list(cases(of.name))))
    by = runs.groupby(["stream", "method", "budget", "scale", "examples", "unit"], sort=False)
    found = by[NUMBERS].mean().assign(seeds=by.size(), spread=by.accuracy.std().fillna(0.0))
    columns = ["seeds", "accuracy", "spread", *NUMBERS[1:4], "unit", *NUMBERS[4:]]
    return found.reset_index()[["stream", "examples", "method", "budget", "scale", *columns]]


def stored() -> list[dict[str, Any]]:
    """The runs that were done before."""
    path = RESULTS / "reproduced" / RUNS
    if not path.is_file():
        return []
    runs = pd.read_csv(path, keep_default_na=False, na_values=[""])
    return [row._asdict() for row in runs.itertuples(index=False)]


def main() -> None:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("streams", nargs="*", default=STREAMS)
    asked = parser.parse_args()  # before anything is written
    output = Output(RESULTS)
    runs = [row for row in stored() if row["epoch"] == EPOCHS[row["method"]]]
    done = {Case(*(row[name] for name in Case._fields)) for row in runs}
    for stream in asked.streams:
        data = opened(stream)
        for case in (case for case in cases(stream) if case not in done):
            runs.append(run(case, data))
            output.table(pd.DataFrame(runs), RUNS)
            print(*case, f"accuracy {runs[-1]['accuracy']:.4f}", flush=True)
        output.table(table(pd.DataFrame(runs)), "successors.csv")


if __name__ == "__main__":
    main()
