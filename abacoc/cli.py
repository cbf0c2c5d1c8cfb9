"""The command line: a module per command. Nothing heavy is imported before one is run."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from abacoc.commands import data, grid, paper, run_options, verify

COMMANDS = (run_options.add, grid.add, data.add, verify.add, paper.add_reproduce, paper.add_bench)


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
    for add in COMMANDS:
        add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
