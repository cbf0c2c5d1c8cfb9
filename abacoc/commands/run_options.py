"""The options of ``abacoc run``."""

from __future__ import annotations

import argparse
from typing import Any

from abacoc.commands import add_command
from abacoc.methods import METHODS


def settings_of(name: str) -> dict[str, Any]:
    """Which options belong to a method, and what they are if they are not given."""
    method = METHODS[name]
    return {**method.settings, **({"budget": None} if method.budget else {})}


RUN_EPILOG = """examples:
  abacoc run electricity                          AUTO-ADJ on a registered set
  abacoc run mine.csv --rate 0.1 --seed 3         learn one example in ten of your own file
  abacoc run sea --budget 1%                      AUTO-ADJ FIX: never more than 1 % of the stream
  abacoc run poker --method base --scale unit     BASE as in the paper's experiments
  abacoc run covtype --method nn3                 a competitor: nn3, cnn, k-perc, vfdt or rules
  abacoc run mine.csv --dump out.csv --json       every prediction into a file, the totals as JSON
  abacoc run banana --plot out.png                accuracy and size over the stream, as a picture

files: CSV (label last, a header line is recognised), ARFF (label last), LIBSVM (label first);
.gz, .bz2 and .xz are read as they are. Categorical attributes become 0/1 columns."""

STREAM = "a registered set (abacoc data lists them), a generator such as generated:sea,n=10000, "
STREAM += "or a file"


def add(commands: Any) -> None:
    """The parser of ``abacoc run``."""
    parser = add_command(
        commands,
        "run",
        _run,
        "predict and learn a stream, one example at a time (Algorithm 5)",
        epilog=RUN_EPILOG,
    )
    option = parser.add_argument
    methods = tuple(name for name, method in METHODS.items() if not method.variant_of)
    option("stream", metavar="STREAM", help=STREAM)
    option("--method", choices=methods, default="auto-adj", help="default: auto-adj")
    option("--rate", type=float, default=1.0, help="chance to learn an example, above 0, at most 1")
    option(
        "--budget",
        help="largest number of balls, at least 2, or a share of the stream such as 1%%",
    )
    option(
        "--seed", type=_seed, default=0, help="of the sub-sampling and all other chance (default 0)"
    )
    option(
        "--reading",
        choices=("paper", "literal", "authors"),
        default="paper",
        help="of the pseudo-code, see DEVIATIONS.md (default: paper)",
    )
    option(
        "--scale",
        choices=("none", "minmax", "unit"),
        default="none",
        help="minmax: attributes to [0, 1]; unit: instances to norm 1, as the paper does for "
        "BASE and BASE-ADJ (default: none)",
    )
    option("--d-hat", type=float, help="AUTO's guess of the dimension (default 2)")
    option(
        "--radius-rule",
        choices=("max", "plus", "infinite"),
        help="AUTO's radius at m mistakes: R max(m,1)^-a, R (m+1)^-a, or infinite at m = 0",
    )
    option(
        "--covering-constant",
        type=float,
        metavar="C",
        help="BASE's C-hat, at least 1 (default 1, as in the paper)",
    )
    option(
        "--vote",
        choices=("majority", "randomized"),
        help="BASE's: the multiclass majority of the experiments (default), or the coin of "
        "Algorithm 2 for two classes",
    )
    option("--k", type=int, help="NN3's number of neighbours (default 3, as in the paper)")
    option(
        "--gamma",
        type=float,
        help="K-PERC's kernel is exp(-gamma d^2) (default: one over the median of d^2)",
    )
    option(
        "--split-confidence", type=float, help="VFDT's and RULES' (default: MOA's 1e-7 and 1e-6)"
    )
    option("--tie-threshold", type=float, help="VFDT's and RULES' (default: MOA's 0.05)")
    option("--grace-period", type=int, help="VFDT's and RULES', in examples (default: MOA's 200)")
    option(
        "--leaf-prediction",
        choices=("MC", "NB", "NBAdaptive"),
        help="VFDT's: majority class, naive Bayes, or the better (default: MOA's NBAdaptive)",
    )
    option("--head", type=int, metavar="N", help="only the first N examples")
    option(
        "--pieces",
        type=int,
        metavar="N",
        help="read the file N rows at a time: for streams that do not fit in memory",
    )
    option(
        "--engine",
        choices=("compiled", "reference"),
        default="compiled",
        help="reference: the plain code of the algorithms, with the same answers (slow)",
    )
    option(
        "--numeric", default="", metavar="A,B", help="columns (names or numbers) to take as numbers"
    )
    option("--categorical", default="", metavar="A,B", help="columns to take as categories")
    option(
        "--dump",
        metavar="FILE",
        help="write t,y,pred,balls for every example; pred is -1 where there is no prediction yet",
    )
    option("--save", metavar="FILE", help="save the learner at the end")
    option(
        "--plot",
        metavar="FILE",
        help="draw accuracy and model size over the stream, and the cover of a stream with two "
        "attributes; .png, .svg or .pdf (needs matplotlib, the extra plots)",
    )


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def _run(options: argparse.Namespace) -> int:
    from abacoc.commands.run import run

    return run(options)
