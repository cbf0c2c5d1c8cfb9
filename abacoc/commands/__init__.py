"""A module per command: its options. What does the work is imported when a command is run."""

from __future__ import annotations

import argparse
from typing import Any

# of abacoc.scaling, without importing it
SCALES = ("none", "minmax", "unit", "standard")
AHEAD = ("minmax", "standard")
ONLINE = ("online", "online-minmax")


def add_limit(parser: Any) -> None:
    """The option for what a file may ask for: see `abacoc.limits`."""
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=N",
        help="another limit of the reader than the usual one, as line=64M: line, cell, unpacked, "
        "dictionary, columns, categories or matrix; again for several",
    )


def add_command(commands: Any, name: str, function: Any, help: str, **more: Any) -> Any:
    """A parser for a command, with what all of them have; its options are the caller's."""
    parser = commands.add_parser(
        name,
        help=help,
        description=help[0].upper() + help[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **more,
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(command=function)
    return parser
