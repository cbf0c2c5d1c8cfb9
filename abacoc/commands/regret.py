"""``abacoc regret``: BASE against the best Lipschitz functions on a stream of one's own."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from abacoc.commands import SCALES, add_command
from abacoc.commands.reading import STREAM, add_reader, open_whole, plain_warnings
from abacoc.commands.run import read_seed

EPILOG = """examples:
  abacoc regret electricity --scale minmax --lipschitz 16,32,64
  abacoc regret generated:sea,n=5000 --lipschitz 0,1,8 --plot regret.png

Mistakes are expected ones, over the coin of Algorithm 2. 'best f' is the loss of the best
L-Lipschitz function, 'dual' the value of a matching that no such function can be below; both are
found in whole numbers and checked anew. Bounds: without hypotheses, by the balls and distances that
occurred; of the sharper and of the corrected theorem, with the least whole dimension D for which
covers by C-hat eps^-D balls were found.

Distances are taken after --scale and after a division by the diagonal of the box around all
points, if that is above 1; L belongs to these distances. A bound above the number of examples says
nothing: that is so for large L.

How far it goes: only pairs of points with different labels less than 1/L apart bind. More than 20
million of them are refused before BASE runs; --pairs sets another limit, at up to 170 bytes a pair.
In d dimensions their number grows as T^2 L^-d, so that the largest T grows as L^(d/2), from about
9,000 at L <= 1, where all pairs bind. Measured on one core: sea (T = 60,000, d = 3) with L = 8 (16
million pairs) in 45 s and 2.6 GB, with 16, 32 and 64 in 14 s; electricity (T = 45,312) with
L = 8 (18 million pairs) in 36 s and 1.9 GB, with 16, 32 and 64 in 12 s; --plot takes longer."""


def add(commands: Any) -> None:
    """The options of the command."""
    parser = add_command(
        commands,
        "regret",
        _regret,
        "exact regret of BASE on a stream of two classes, and the bounds of Theorem 1",
        epilog=EPILOG,
    )
    option = parser.add_argument
    option("stream", metavar="STREAM", help=STREAM)
    option("--lipschitz", required=True, metavar="L,M", help="one number or several, from 0 on")
    option("--covering-constant", type=float, default=1.0, metavar="C", help="C-hat (default 1)")
    option(
        "--scale",
        choices=SCALES,
        default="none",
        help="as in abacoc run; minmax and standard look ahead",
    )
    option("--shuffle", type=read_seed, metavar="SEED", help="a random order of the stream")
    option("--head", type=int, metavar="N", help="only the first N examples")
    add_reader(parser)
    option("--pairs", type=int, metavar="N", help="near pairs at most (default 20 million)")
    option("--plot", metavar="FILE", help="draw regret and bound over time (.png, .svg, .pdf)")


def _regret(options: argparse.Namespace) -> int:
    from abacoc.files import check_folder
    from abacoc.plots import check_picture
    from abacoc.streams import scaled

    constants = _constants(options.lipschitz)
    if options.head is not None and options.head < 1:
        raise ValueError(f"--head must be at least 1, not {options.head}")
    if options.pairs is not None and options.pairs < 1:
        raise ValueError(f"--pairs must be at least 1, not {options.pairs}")
    if options.plot is not None:
        check_folder(options.plot)
        check_picture(options.plot)
    try:
        data = importlib.import_module("abacoc_theory.regret.data")
    except ModuleNotFoundError as error:
        from abacoc import wording

        raise ValueError(wording.missing("abacoc regret", error, "theory")) from None
    with plain_warnings():
        stream = open_whole(options)
    y = stream.y[: options.head]
    if (n_classes := len(set(y.tolist()))) > 2 or y.max() > 1:
        raise ValueError(f"{stream.name}: the theorem is about two classes, not {n_classes}")
    status: int = data.regret_command(
        stream,
        scaled(stream.X[: options.head], options.scale),
        y,
        constants,
        covering=options.covering_constant,
        pairs=options.pairs,
        plot=options.plot,
        as_json=options.json,
    )
    return status


def _constants(text: str) -> list[float]:
    """Numbers such as ``0,1,8.5``, each once."""
    refusal = f"--lipschitz takes numbers of at least 0, such as 1,8: not {text!r}"
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        raise ValueError(refusal) from None
    if not all(0 <= number < float("inf") for number in found):
        raise ValueError(refusal)
    return list(dict.fromkeys(found))
