"""``abacoc data``: what is here, what it is, where it comes from."""

from __future__ import annotations

import argparse
from typing import Any

from abacoc.commands import add_command


def add(commands: Any) -> None:
    """The options of the command."""
    parser = add_command(
        commands,
        "data",
        _data,
        "list, fetch or verify the registered data sets",
        epilog="Files are looked for in ABACOC_DATA (else in shared/data beside a checkout), "
        "then in the cache folder of the platform.\n"
        "A copy from another host will do if its content is right: by its registered name, with\n"
        "any compression, or called NAME.csv, NAME.arff and so on. What has the registered\n"
        "SHA-256 is taken at its word; check looks at the content of all.\n"
        "Of a set that nobody here has seen, fetch tries the candidates in turn, keeps the first\n"
        "with the right rows, attributes and classes, and says who has seen its digest.",
    )
    parser.add_argument("action", nargs="?", choices=("list", "fetch", "check"), default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="sets (check: all that are here)")


def _data(options: argparse.Namespace) -> int:
    from abacoc.commands import datasets

    action = {"list": datasets.show, "fetch": datasets.fetch, "check": datasets.check}
    return action[options.action](options.names, as_json=options.json)
