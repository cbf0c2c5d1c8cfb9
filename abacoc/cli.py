"""The command line: a module per command. Nothing heavy is imported before one is run."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from abacoc import __version__
from abacoc.interruption import Interrupted, heard

# Who adds the parser of each command, in `abacoc.commands`.
COMMANDS = {
    "run": "run:add",
    "predict": "model:add_predict",
    "explain": "model:add_explain",
    "watch": "watch:add",
    "grid": "grid:add",
    "data": "data:add",
    "verify": "verify:add",
    "regret": "regret:add",
    "reproduce": "paper:add_reproduce",
    "bench": "paper:add_bench",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if all went well, 2 and one line on stderr for bad input.

    Without arguments those of the process are taken, which is expected to end then.
    """
    try:
        with heard(for_good=arguments is None):
            arguments = sys.argv[1:] if arguments is None else arguments
            options = _parser(*arguments[:1]).parse_args(arguments)
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
    except KeyboardInterrupt as error:
        reason = error if isinstance(error, Interrupted) else Interrupted()
        print(f"abacoc: {reason}", file=sys.stderr)
        return reason.status


def _parser(chosen: str = "") -> argparse.ArgumentParser:
    """All commands, or only the chosen one: the options of the others need not be imported."""
    parser = argparse.ArgumentParser(
        prog="abacoc",
        description="ABACOC: nonparametric classification of data streams with a cover of balls.",
        epilog="abacoc COMMAND --help explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"abacoc {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in [chosen] if chosen in COMMANDS else COMMANDS:
        module, _, add = COMMANDS[name].partition(":")
        getattr(importlib.import_module(f"abacoc.commands.{module}"), add)(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
