"""The command line. Heavy imports wait until a command needs them, so that --help is quick."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from abacoc.baselines import SETTINGS as BASELINES
from abacoc.baselines import make, method_used, size_unit

if TYPE_CHECKING:
    from abacoc.protocol import Run

# Which options belong to which methods, and what they are if they are not given.
SETTINGS: dict[str, dict[str, Any]] = {
    "base": {"covering_constant": 1.0, "vote": "majority"},
    "base-adj": {"covering_constant": 1.0},
    "auto": {"d_hat": 2.0, "radius_rule": None, "budget": None},
    "auto-adj": {"d_hat": 2.0, "radius_rule": None, "budget": None},
    **BASELINES,
}

RUN_EPILOG = """examples:
  abacoc run electricity                          AUTO-ADJ on a registered set
  abacoc run mine.csv --rate 0.1 --seed 3         learn one example in ten of your own file
  abacoc run sea --budget 1%                      AUTO-ADJ FIX: never more than 1 % of the stream
  abacoc run poker --method base --scale unit     BASE as in the paper's experiments
  abacoc run covtype --method nn3                 a competitor: nn3, cnn, k-perc, vfdt or rules
  abacoc run mine.csv --dump out.csv --json       every prediction into a file, the totals as JSON

files: CSV (label last, a header line is recognised), ARFF (label last), LIBSVM (label first);
.gz, .bz2 and .xz are read as they are. Categorical attributes become 0/1 columns."""


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
    _add_run(commands)
    _add_data(commands)
    _add_verify(commands)
    _add_reproduce(commands)
    _add_bench(commands)
    return parser


def _command(commands: Any, name: str, function: Any, help: str, **more: Any) -> Any:
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


# abacoc run -----------------------------------------------------------------------------------


def _add_run(commands: Any) -> None:
    parser = _command(
        commands,
        "run",
        _run,
        "predict and learn a stream, one example at a time (Algorithm 5)",
        epilog=RUN_EPILOG,
    )
    add = parser.add_argument
    add("stream", metavar="STREAM", help="a registered set (see abacoc data) or a file")
    add("--method", choices=tuple(SETTINGS), default="auto-adj", help="default: auto-adj")
    add("--rate", type=float, default=1.0, help="chance to learn an example, 0 to 1 (default 1)")
    add("--budget", help="largest number of balls, or a share of the stream such as 1%%")
    add(
        "--seed", type=_seed, default=0, help="of the sub-sampling and all other chance (default 0)"
    )
    add(
        "--reading",
        choices=("paper", "literal", "authors"),
        default="paper",
        help="of the pseudo-code, see DEVIATIONS.md (default: paper)",
    )
    add(
        "--scale",
        choices=("none", "minmax", "unit"),
        default="none",
        help="minmax: attributes to [0, 1]; unit: instances to norm 1, as the paper does for "
        "BASE and BASE-ADJ (default: none)",
    )
    add("--d-hat", type=float, help="AUTO's guess of the dimension (default 2)")
    add(
        "--radius-rule",
        choices=("max", "plus", "infinite"),
        help="AUTO's radius at m mistakes: R max(m,1)^-a, R (m+1)^-a, or infinite at m = 0",
    )
    add(
        "--covering-constant",
        type=float,
        metavar="C",
        help="BASE's C-hat, at least 1 (default 1, as in the paper)",
    )
    add(
        "--vote",
        choices=("majority", "randomized"),
        help="BASE's: the multiclass majority of the experiments (default), or the coin of "
        "Algorithm 2 for two classes",
    )
    add("--k", type=int, help="NN3's number of neighbours (default 3, as in the paper)")
    add(
        "--gamma",
        type=float,
        help="K-PERC's kernel is exp(-gamma d^2) (default: one over the median of d^2)",
    )
    add("--split-confidence", type=float, help="VFDT's and RULES' (default: MOA's 1e-7 and 1e-6)")
    add("--tie-threshold", type=float, help="VFDT's and RULES' (default: MOA's 0.05)")
    add("--grace-period", type=int, help="VFDT's and RULES', in examples (default: MOA's 200)")
    add(
        "--leaf-prediction",
        choices=("MC", "NB", "NBAdaptive"),
        help="VFDT's: majority class, naive Bayes, or the better (default: MOA's NBAdaptive)",
    )
    add("--head", type=int, metavar="N", help="only the first N examples")
    add(
        "--pieces",
        type=int,
        metavar="N",
        help="read the file N rows at a time: for streams that do not fit in memory",
    )
    add(
        "--engine",
        choices=("compiled", "reference"),
        default="compiled",
        help="reference: the plain code of the algorithms, with the same answers (slow)",
    )
    add(
        "--numeric", default="", metavar="A,B", help="columns (names or numbers) to take as numbers"
    )
    add("--categorical", default="", metavar="A,B", help="columns to take as categories")
    add(
        "--dump",
        metavar="FILE",
        help="write t,y,pred,balls for every example; pred is -1 where there is no prediction yet",
    )
    add("--save", metavar="FILE", help="save the learner at the end")


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def _run(options: argparse.Namespace) -> int:
    from abacoc.protocol import prequential_pieces

    if options.head is not None and options.head < 1:
        raise ValueError(f"--head must be at least 1, not {options.head}")
    baseline = options.method in BASELINES
    if baseline:
        _check_baseline(options)
    _check_output_files(options)
    stream = _open(options)
    n_examples = min(stream.n_examples, options.head or stream.n_examples)
    if len(stream.labels) > max(100, n_examples // 2):
        print("abacoc: note: nearly every example has a class of its own", file=sys.stderr)
    settings = _settings(options, n_examples)
    if settings.get("gamma", 0) is None:
        settings["gamma"] = _typical_gamma(stream, options)
    learner = _learner(options.method, options.reading, settings, options.engine, stream.labels)
    # Algorithm 2 knows the labels 0 and 1 only; everybody else gets the labels of the input.
    coded = settings.get("vote") == "randomized"
    labels = list(range(len(stream.labels))) if coded else list(stream.labels)
    seen: set[int] = set()
    dump = _Dump(options.dump, dict(enumerate(stream.labels)) if coded else {})
    compiled = getattr(learner, "is_compiled", False)
    if compiled:
        _announce_compilation(learner)
    with dump:
        run = prequential_pieces(
            learner,
            _pieces(stream, options, labels, seen),
            rate=options.rate,
            seed=options.seed,
            progress=None,
            n_examples=n_examples,
            after_piece=dump.write if options.dump is not None else None,
        )
    if options.save is not None:
        learner.save(options.save)
    result = {
        "stream": stream.name,
        "read_as": stream.note,
        "method": options.method,
        "method_used": method_used(learner),
        "reading": None if baseline else options.reading,
        "engine": None if baseline and not compiled else options.engine,
        "rate": options.rate,
        "seed": options.seed,
        "scale": options.scale,
        **settings,
        "n_examples": run.n_examples,
        "n_attributes": stream.n_attributes,
        "n_classes": len(seen),
        "n_updates": run.n_updates,
        "accuracy": run.accuracy,
        "model_size": run.n_balls,
        "seconds": run.seconds,
        "examples_per_second": run.n_examples / run.seconds,
    }
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        share = run.n_balls / run.n_examples
        shown = {"rate": f"{options.rate:g}", "seed": options.seed, "scale": options.scale}
        shown |= {name.replace("_", " "): value for name, value in settings.items() if value}
        print(
            f"{stream.name}: {run.n_examples:,} examples, {stream.n_attributes} attributes, ",
            end="",
        )
        print(f"{len(seen)} classes ({stream.note})")
        own = f"{options.method}, reading {options.reading}"
        print(f"{method_used(learner) if baseline else own}, ", end="")
        print(", ".join(f"{name} {value}" for name, value in shown.items()))
        print(f"accuracy     {run.accuracy:.6f}")
        print(f"model size   {run.n_balls:,} {size_unit(learner)}, {share:.2%} of the stream")
        print(f"speed        {run.n_examples / run.seconds:,.0f} examples/s ({run.seconds:.2f} s)")
    return 0


def _open(options: argparse.Namespace) -> Any:
    """The stream: whole, or to be read in pieces."""
    from abacoc.streams import names, open_stream, read_pieces

    columns: dict[str, Any] = {
        "numeric": _columns(options.numeric),
        "categorical": _columns(options.categorical),
    }
    if options.pieces is None:
        return open_stream(options.stream, **columns)
    if options.pieces < 1:
        raise ValueError(f"--pieces must be at least 1 row, not {options.pieces}")
    if options.stream in names():
        raise ValueError("--pieces is for files of your own; a registered set is read whole")
    if options.scale == "minmax":
        raise ValueError("--scale minmax needs the whole stream in memory, so no --pieces")
    return read_pieces(options.stream, rows=options.pieces, **columns)


def _pieces(
    stream: Any, options: argparse.Namespace, labels: list[Any], seen: set[int]
) -> Iterator[tuple[Any, list[Any]]]:
    """Points and labels, piece by piece; the codes of the labels go to ``seen``."""
    from abacoc.streams import scaled

    left = options.head or stream.n_examples
    for X, y in [(stream.X, stream.y)] if options.pieces is None else stream:
        if left > 0:
            codes = y[:left].tolist()
            seen.update(codes)
            yield scaled(X[:left], options.scale), [labels[k] for k in codes]
            left -= len(codes)


def _typical_gamma(stream: Any, options: argparse.Namespace) -> float:
    """K-PERC's gamma where none is given."""
    from abacoc.baselines.tuning import settings_for
    from abacoc.streams import scaled

    if options.pieces is not None:
        raise ValueError("k-perc finds its gamma in the whole stream: with --pieces, give --gamma")
    X = scaled(stream.X[: options.head], options.scale)
    gamma: float = settings_for("k-perc", X)["gamma"]
    return gamma


def _check_baseline(options: argparse.Namespace) -> None:
    """The options that make sense for our own methods only."""
    given = {
        "--reading": options.reading != "paper",
        "--engine reference": options.engine != "compiled",
        "--save": options.save is not None,
    }
    for option, is_given in given.items():
        if is_given:
            own = [method for method in SETTINGS if method not in BASELINES]
            raise ValueError(f"{option} is for {', '.join(own)}, not for {options.method}")


def _announce_compilation(learner: Any) -> None:
    from abacoc.compiled import must_compile

    if getattr(learner, "must_compile", must_compile)():
        print(
            "abacoc: compiling for this machine; this takes about half a minute, once",
            file=sys.stderr,
            flush=True,
        )


def _check_output_files(options: argparse.Namespace) -> None:
    """Before the work: the files can be written, and none of them is the input or the other."""
    from abacoc.files import check_folder

    outputs = [path for path in (options.dump, options.save) if path is not None]
    for path in outputs:
        check_folder(path)
    paths = [os.path.realpath(path) for path in [options.stream, *outputs]]
    if len(set(paths)) < len(paths):
        raise ValueError("the stream, --dump and --save must be different files")


class _Dump:
    """Writes one line per example, the labels as in the input; nothing without a path."""

    def __init__(self, path: str | None, names: dict[Any, str]) -> None:
        self.path, self.names, self.t = path, names, 0

    def __enter__(self) -> None:
        from abacoc.files import write_atomically

        self.stack = contextlib.ExitStack()
        if self.path is not None:
            self.file = self.stack.enter_context(write_atomically(self.path))
            self.file.write("t,y,pred,balls\n")

    def __exit__(self, *error: Any) -> None:
        self.stack.__exit__(*error)

    def write(self, y: Sequence[Any], run: Run) -> None:
        """Add a piece of the stream."""
        assert run.predictions is not None
        assert run.model_sizes is not None
        cells: dict[Any, str] = {None: "-1"}  # no prediction yet
        for label in {*y, *run.predictions} - {None}:
            cells[label] = _cell(self.names.get(label, label))
        for true, said, balls in zip(y, run.predictions, run.model_sizes, strict=True):
            self.t += 1
            self.file.write(f"{self.t},{cells[true]},{cells[said]},{balls}\n")


def _cell(text: str) -> str:
    """A label as a CSV cell."""
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _settings(options: argparse.Namespace, n_examples: int) -> dict[str, Any]:
    """The method's own settings; an option that means nothing to it is refused."""
    own = SETTINGS[options.method]
    for name in dict.fromkeys(name for names in SETTINGS.values() for name in names):
        if name not in own and getattr(options, name) is not None:
            users = [method for method, names in SETTINGS.items() if name in names]
            option = "--" + name.replace("_", "-")
            raise ValueError(f"{option} is for {' and '.join(users)}, not for {options.method}")
    given = {name: getattr(options, name) for name in own}
    settings = {name: own[name] if given[name] is None else given[name] for name in own}
    if settings.get("budget") is not None:
        settings["budget"] = _budget(settings["budget"], n_examples)
        settings["seed"] = options.seed
    return settings


def _learner(
    method: str, reading: str, settings: dict[str, Any], engine: str, labels: Sequence[str]
) -> Any:
    from abacoc.modelfile import LEARNERS, REFERENCES

    if method in BASELINES:
        return make(method, settings, labels)
    classes = LEARNERS if engine == "compiled" else REFERENCES
    name = {"base": "Base", "base-adj": "BaseAdj", "auto": "Auto", "auto-adj": "AutoAdj"}[method]
    return classes[name](reading=reading, **settings)


def _budget(text: str, n_examples: int) -> int:
    """A number of balls, from a number or from a share of the stream such as ``1%``."""
    try:
        if text.endswith("%"):
            share = float(text[:-1]) / 100
            if not 0 < share <= 1:
                raise ValueError
            return max(2, round(share * n_examples))
        return int(text)
    except ValueError:
        raise ValueError(f"--budget is a number of balls or a share like 1%, not {text}") from None


# abacoc data ----------------------------------------------------------------------------------


def _add_data(commands: Any) -> None:
    parser = _command(
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
    parser = _command(
        commands,
        "verify",
        _verify,
        "check every step of the proofs of Section V, ours and the paper's",
        epilog="Exit status 1 if a check does not come out as recorded. Nothing is written.",
    )
    parser.add_argument("steps", nargs="*", metavar="STEP", help="only these (all if none)")
    parser.add_argument("--details", action="store_true", help="also statements and evidence")


def _verify(options: argparse.Namespace) -> int:
    try:
        from theory.report import verify_command
    except ModuleNotFoundError as error:
        raise ValueError(
            f"abacoc verify needs a checkout of the project with the extra theory ({error})"
        ) from None
    return verify_command(options.steps, as_json=options.json, details=options.details)


# abacoc reproduce -----------------------------------------------------------------------------


def _add_reproduce(commands: Any) -> None:
    parser = _command(
        commands, "reproduce", _reproduce, "regenerate the paper's items into paper_results/"
    )
    parser.add_argument("--only", metavar="ITEM", help="one item, such as fig1 or theorem1")
    parser.add_argument(
        "--profile",
        choices=("tiny", "quick", "full"),
        default="quick",
        help="tiny: seconds, for tests; quick: minutes (default); full: longer streams",
    )
    parser.add_argument("--output", default="paper_results", help="folder (paper_results)")


def _reproduce(options: argparse.Namespace) -> int:
    try:
        from abacoc.experiments import reproduce
    except ModuleNotFoundError as error:
        raise ValueError(
            f"abacoc reproduce needs the extra all of this package ({error})"
        ) from None

    def say(line: str) -> None:
        if not options.json:
            print(line, flush=True)

    written = reproduce(options.output, options.only, options.profile, say)
    if options.json:
        print(json.dumps(written, indent=2))
    return 0


# abacoc bench ---------------------------------------------------------------------------------


def _add_bench(commands: Any) -> None:
    from abacoc.bench import PEERS, PROFILES, STREAMS

    parser = _command(
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
