"""``abacoc verify``: the proof ledger."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from abacoc.commands import add_command


def add(commands: Any) -> None:
    """The options of the command."""
    parser = add_command(
        commands,
        "verify",
        _verify,
        "check every step of the proofs of Section V, ours and the paper's",
        epilog="Each line says what the step rests on. A step that rests on a theorem of Coq is "
        "compared with what that theorem says; Coq itself is run by `make prove`, not here. Exit "
        "status 1 if a check does not come out as recorded. Nothing is written.",
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help="only these (all if none)")
    parser.add_argument("--details", action="store_true", help="also statements and evidence")


def _verify(options: argparse.Namespace) -> int:
    try:
        report = importlib.import_module("abacoc_theory.proofs.report")
    except ModuleNotFoundError as error:
        from abacoc import wording

        raise ValueError(wording.missing("abacoc verify", error, "theory")) from None
    status: int = report.verify_command(
        options.steps, as_json=options.json, details=options.details
    )
    return status
