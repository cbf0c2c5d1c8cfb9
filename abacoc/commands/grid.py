"""``abacoc grid``: streams x methods x rates x seeds, as jobs that can be resumed."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from abacoc.commands import ONLINE, SCALES, add_command, add_limit

if TYPE_CHECKING:
    import argparse

EPILOG = """examples:
  abacoc grid mine.csv sea --methods auto-adj,nn3 --rates 1,10% --seeds 5
  abacoc grid mine.csv --methods auto-adj,cnn --budgets 1%,5% --plot mine.png
  abacoc grid mine.csv --scheduler tcp://host:8786      on the workers of a Dask cluster

Each result is written to the store as soon as it is there: interrupt it whenever you like, the next
call goes on where it stopped, and a grid that grows computes only what is new. With chance in it
(a rate below 1, a budget) a run is repeated for every seed. Exit status 1 if a run failed."""


def add(commands: Any) -> None:
    """The options of the command."""
    parser = add_command(
        commands,
        "grid",
        _grid,
        "many methods on many streams, resumable, with a table and a picture at the end",
        epilog=EPILOG,
    )
    option = parser.add_argument
    option("streams", nargs="+", metavar="STREAM", help="registered sets, generators or files")
    option("--methods", default="auto-adj,nn3", metavar="A,B", help="default: auto-adj,nn3")
    option("--rates", default="1", metavar="R,S", help="chances to learn, such as 1,10%% (1)")
    option(
        "--budgets", default="", metavar="B,C", help="AUTO-ADJ FIX with these shares, as 1%%,5%%"
    )
    option("--seeds", type=int, default=1, metavar="N", help="how many, from 0 on (1)")
    option("--scale", choices=(*SCALES, *ONLINE), default="none", help="as in abacoc run")
    option("--shuffle", type=int, metavar="SEED", help="a random order of every stream")
    option("--store", default="abacoc-grid", help="folder for the results (abacoc-grid)")
    option("--workers", type=int, metavar="N", help="processes (2, or 1 without joblib)")
    option("--scheduler", metavar="tcp://HOST:PORT", help="run on this Dask cluster instead")
    add_limit(parser)
    option("--table", metavar="FILE", help="write all runs as CSV")
    option("--plot", metavar="FILE", help="draw accuracy against model size (.png, .svg, .pdf)")


def _grid(options: argparse.Namespace) -> int:
    from abacoc.grid.inputs import reading_within
    from abacoc.limits import Limits

    with reading_within(Limits.parse(options.limit)):
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    from importlib.util import find_spec
    from pathlib import Path

    from abacoc.files import check_folder
    from abacoc.grid import summary
    from abacoc.grid.inputs import FILE, head_of, is_file
    from abacoc.grid.jobs import make_job
    from abacoc.grid.runner import run_grid
    from abacoc.grid.store import Store
    from abacoc.grid.tables import export

    for path in (options.table, options.plot):
        if path is not None:
            check_folder(path)
    if options.plot is not None:
        from abacoc.plots import check_picture

        check_picture(options.plot)
    if options.seeds < 1:
        raise ValueError(f"--seeds must be at least 1, not {options.seeds}")
    chosen: list[tuple[str, float, dict[str, Any]]] = [
        (method, rate, {}) for method in _words(options.methods) for rate in _numbers(options.rates)
    ]
    chosen += [("auto-adj-fix", 1.0, {"budget": share}) for share in _numbers(options.budgets)]
    for stream in options.streams:
        name = head_of(stream)[0]
        if is_file(name) and not Path(name).is_file():
            raise ValueError(f"no such file: {name}")
    jobs, order = [], FILE if options.shuffle is None else f"shuffle={options.shuffle}"
    for stream, (method, rate, settings) in itertools.product(options.streams, chosen):
        job = make_job(stream, method, rate, 0, options.scale, order, **settings)
        seeds = range(options.seeds if job.is_random else 1)
        jobs += [
            make_job(stream, method, rate, seed, options.scale, order, **settings) for seed in seeds
        ]
    store = Store(options.store)
    workers = options.workers or (2 if find_spec("joblib") else 1)
    done = run_grid(jobs, store, workers, options.scheduler, False if options.json else None)
    means = summary.points((job, store.find(job)) for job in jobs)
    if options.table is not None:
        export(store.find, jobs, Path(options.table))
    if options.plot is not None and means:
        summary.draw(options.plot, means)
    if options.json:
        print(json.dumps([vars(point) for point in means], indent=2))
    else:
        print(f"{done}\n{summary.table(means)}")
    return done.exit_status


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(text: str) -> list[float]:
    """Shares such as ``1,10%,0.03``."""
    found = []
    for word in _words(text):
        try:
            number = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
        except ValueError:
            raise ValueError(f"{word!r} is no share such as 0.1 or 10%") from None
        if not 0 < number <= 1:
            raise ValueError(f"a share is above 0 and at most 1 (100%), not {word}")
        found.append(number)
    return found
