"""``abacoc reproduce`` and ``abacoc bench``: what stands behind them comes with a checkout only."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

from abacoc.commands import add_command

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def add_reproduce(commands: Any) -> None:
    """The options of `abacoc reproduce`."""
    parser = add_command(
        commands,
        "reproduce",
        lambda options: _hand_over("reproduce", options),
        "make every table, figure and claim again, and compare with what is committed",
        epilog="Everything goes to paper_results/latest/; tracked files change by --update only.\n"
        "Exit status 1 if a table differs or a run fails. Interrupt it whenever you like: it goes\n"
        "on where it stopped. A run that the committed table has, of the right epoch and data, is\n"
        "not computed again by full; quick computes its short runs again, to compare them.",
    )
    add = parser.add_argument
    add("--only", metavar="ITEM", help="one item, such as figure1; an unknown one lists them")
    add(
        "--profile",
        choices=("tiny", "quick", "full"),
        default="quick",
        help="tiny: a minute, for tests; quick: what is quick, in minutes (default); full: all "
        "sets at hand, all methods, all rates, five seeds, in hours if nothing is there yet",
    )
    add("--again", action="store_true", default=None, help="full: compute also what the table has")
    add("--stored", action="store_true", help="make no run: take those that are there")
    add("--update", action="store_true", help="take what came out over into the committed files")
    add("--output", help="another folder (paper_results/latest)")
    add("--workers", type=int, default=2, metavar="N", help="processes to run in (2)")
    add("--scheduler", metavar="tcp://HOST:PORT", help="run on this Dask cluster instead")


def add_bench(commands: Any) -> None:
    """The options of `abacoc bench`."""
    parser = add_command(
        commands,
        "bench",
        lambda options: _hand_over("bench.command", options),
        "the same streams through this project and its peers, as ratios of speeds",
        epilog="A stream or peer that is not here is skipped with a line that says so.",
    )
    add = parser.add_argument
    add(
        "--profile",
        choices=("tiny", "quick", "full"),
        default="quick",
        help="tiny: seconds, for tests; quick: minutes (default); full: up to a million examples",
    )
    add("--streams", metavar="A,B", help="only these; an unknown one lists them")
    add("--peers", metavar="A,B", help="compare ours with these only; an unknown one lists them")
    add("--repeats", type=int, default=3, help="rounds in which all take turns (default 3)")
    add("--output", help="folder (paper_results)")
    add(
        "--soak",
        nargs="?",
        type=int,
        const=10**7,
        metavar="N",
        help="instead: AUTO-ADJ with a budget on N examples of a drifting stream (default 10^7)",
    )


def _hand_over(name: str, options: argparse.Namespace) -> int:
    """Run the command of the folder `notebooks/paper`, if this is a checkout."""
    word = name.partition(".")[0]
    if not (NOTEBOOKS / "paper").is_dir():
        raise ValueError(f"abacoc {word} needs a checkout of the project: it is not in the wheel")
    if str(NOTEBOOKS) not in sys.path:
        sys.path.insert(0, str(NOTEBOOKS))
    try:
        module = importlib.import_module(f"paper.{name}")
    except ModuleNotFoundError as error:
        from abacoc import wording

        raise ValueError(wording.missing(f"abacoc {word}", error, "all")) from None
    status: int = module.command(options)
    return status
