"""The command line. Heavy imports wait until a command needs them, so that --help is quick."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from abacoc.commands import add_command
from abacoc.commands.run_options import add_run


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all went well, 2 and one line on stderr for bad input."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
        if sys.stdout is not None:  # None where it was closed from the start
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader, `head` for example, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(f"abacoc: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"abacoc: not enough memory: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("abacoc: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    from abacoc._version import __version__

    parser = argparse.ArgumentParser(
        prog="abacoc",
        description="ABACOC: nonparametric classification of data streams with a cover of balls.",
        epilog="abacoc COMMAND --help explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"abacoc {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    add_run(commands)
    _add_data(commands)
    _add_verify(commands)
    _add_reproduce(commands)
    _add_bench(commands)
    return parser


# abacoc data ----------------------------------------------------------------------------------


def _add_data(commands: Any) -> None:
    parser = add_command(
        commands,
        "data",
        _data,
        "list, fetch or verify the registered data sets",
        epilog="Files are looked for in ABACOC_DATA (else in shared/data beside a checkout), "
        "then in the cache folder of the platform.\n"
        "A copy from another host will do if its content is right: by its registered name, with\n"
        "any compression, or called NAME.csv, NAME.arff and so on. What has the registered\n"
        "SHA-256 is taken at its word; check looks at the content of all.",
    )
    parser.add_argument("action", nargs="?", choices=("list", "fetch", "check"), default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="sets (check: all that are here)")


def _data(options: argparse.Namespace) -> int:
    from abacoc.streams import commands as data

    action = {"list": data.show, "fetch": data.fetch, "check": data.check}[options.action]
    status: int = action(options.names, as_json=options.json)
    return status


# abacoc verify --------------------------------------------------------------------------------


def _add_verify(commands: Any) -> None:
    parser = add_command(
        commands,
        "verify",
        _verify,
        "check every step of the proofs of Section V, ours and the paper's",
        epilog="Exit status 1 if a check does not come out as recorded. Nothing is written.",
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help="only these (all if none)")
    parser.add_argument("--details", action="store_true", help="also statements and evidence")


def _verify(options: argparse.Namespace) -> int:
    # A checkout has the folder theory/; a wheel installs it under a name that is ours alone.
    in_checkout = (Path(__file__).parents[1] / "theory" / "ledger.py").is_file()
    try:
        report = importlib.import_module("theory.report" if in_checkout else "abacoc_theory.report")
    except ModuleNotFoundError as error:
        raise ValueError(
            f"abacoc verify needs the extra theory: pip install 'abacoc[theory]' ({error})"
        ) from None
    status: int = report.verify_command(
        options.steps, as_json=options.json, details=options.details
    )
    return status


# abacoc reproduce -----------------------------------------------------------------------------


def _add_reproduce(commands: Any) -> None:
    parser = add_command(
        commands,
        "reproduce",
        _reproduce,
        "make every table, figure and claim again, and compare with what is committed",
        epilog="Everything goes to paper_results/latest/; tracked files change by --update only.\n"
        "Exit status 1 if a table differs or a run fails. Interrupt it whenever you like: it goes\n"
        "on where it stopped. A run that the committed table has, of the right epoch and data, is\n"
        "not computed again by full; quick computes its short runs again, to compare them.",
    )
    add = parser.add_argument
    add("--only", metavar="ITEM", help="one item, such as fig1, theorem1 or report, and its runs")
    add(
        "--profile",
        choices=("tiny", "quick", "full"),
        default="quick",
        help="tiny: a minute, for tests; quick: what is quick, in minutes (default); full: all "
        "sets at hand, all methods, all rates, five seeds, in hours if nothing is there yet",
    )
    add("--again", action="store_true", default=None, help="full: compute also what the table has")
    add("--update", action="store_true", help="take what came out over into the committed files")
    add("--output", help="another folder (paper_results/latest)")
    add("--workers", type=int, default=2, metavar="N", help="processes to run in (2)")
    add("--scheduler", metavar="tcp://HOST:PORT", help="run on this Dask cluster instead")


def _reproduce(options: argparse.Namespace) -> int:
    if options.profile == "tiny" and options.output is None:
        raise ValueError("tiny is for tests: say with --output which folder it may fill")
    try:
        from abacoc.experiments import reproduce
    except ModuleNotFoundError as error:
        raise ValueError(
            f"abacoc reproduce needs the extra all of this package ({error})"
        ) from None

    def say(line: str) -> None:
        if not options.json:
            print(line, flush=True)

    done = reproduce(
        options.output,
        options.only,
        options.profile,
        say,
        workers=options.workers,
        scheduler=options.scheduler,
        again=options.again,
        update=options.update,
    )
    print(json.dumps(done.as_json(), indent=2) if options.json else f"\n{done}")
    return done.exit_status


# abacoc bench ---------------------------------------------------------------------------------


def _add_bench(commands: Any) -> None:
    from abacoc.bench import PEERS, PROFILES, STREAMS

    parser = add_command(
        commands,
        "bench",
        _bench,
        "the same streams through this project and its peers, as ratios of speeds",
        epilog=f"streams: {', '.join(STREAMS)}\npeers: {', '.join(PEERS)}\n"
        "A stream or peer that is not here is skipped with a line that says so.",
    )
    add = parser.add_argument
    add(
        "--profile",
        choices=tuple(PROFILES),
        default="quick",
        help="tiny: seconds, for tests; quick: minutes (default); full: up to a million examples",
    )
    add("--streams", metavar="A,B", help="only these")
    add("--peers", metavar="A,B", help="compare ours with these only")
    add("--repeats", type=int, default=3, help="rounds in which all take turns (default 3)")
    add("--output", default="paper_results", help="folder (paper_results)")
    add(
        "--soak",
        nargs="?",
        type=int,
        const=10**7,
        metavar="N",
        help="instead: AUTO-ADJ with a budget on N examples of a drifting stream (default 10^7)",
    )


def _bench(options: argparse.Namespace) -> int:
    def show(line: str) -> None:
        if not options.json:
            print(line, flush=True)

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    try:
        if options.soak is not None:
            from abacoc.bench.soak import soak

            result = soak(options.soak, options.output, show, say)
        else:
            from abacoc.bench.command import bench

            result = bench(
                options.profile,
                options.streams,
                options.peers,
                options.repeats,
                options.output,
                show,
                say,
            )
    except ModuleNotFoundError as error:
        raise ValueError(f"abacoc bench needs the extra all of this package ({error})") from None
    if options.json:
        print(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
