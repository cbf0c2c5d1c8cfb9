"""``abacoc run``: one method on one stream."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from abacoc.commands import AHEAD, ONLINE, SCALES, add_command, add_limit
from abacoc.methods import METHODS, OWN

if TYPE_CHECKING:
    from abacoc.protocol import Run

RUN_EPILOG = """examples:
  abacoc run electricity                          AUTO-ADJ on a registered set
  abacoc run mine.csv --rate 0.1 --seed 3         learn one example in ten of your own file
  abacoc run sea --budget 1%                      AUTO-ADJ FIX: never more than 1 % of the stream
  abacoc run poker --method base --scale unit     BASE as in the paper's experiments
  abacoc run mine.csv --scale compare             would scaling help? no, unit, online, ...
  abacoc run covtype --method nn3                 a competitor: nn3, cnn, k-perc, vfdt or rules
  abacoc run sea --method iblstreams --start 50   a method that the paper only mentions
  abacoc run mine.csv --dump out.csv --json       every prediction into a file, the totals as JSON
  abacoc run banana --plot out.png                accuracy and size over the stream, as a picture

files: CSV (label last, a header line is recognised), ARFF (label last), LIBSVM (label first);
.gz, .bz2 and .xz are read as they are. Categorical attributes become 0/1 columns."""

STREAM = "a registered set (abacoc data lists them), a generator such as generated:sea,n=10000, "
STREAM += "or a file"

SCORES = ("kappa", "kappa_temporal", "macro_f1", "no_change")


def add(commands: Any) -> None:
    """The options of the command."""
    parser = add_command(
        commands,
        "run",
        run,
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
        "--seed",
        type=read_seed,
        default=0,
        help="of the sub-sampling and all other chance (default 0)",
    )
    option(
        "--reading",
        choices=("paper", "literal", "authors", "described", "moa"),
        help="of the pseudo-code: paper (default), literal or authors; of IBLStreams: described "
        "(default) or moa; see DEVIATIONS.md",
    )
    option(
        "--scale",
        choices=(*SCALES, *ONLINE, "compare"),
        default="none",
        help="unit: instances to norm 1, as the paper does for BASE and BASE-ADJ; online: "
        "attributes to mean 0 and deviation 1, by the examples learned so far; online-minmax: to "
        "[0, 1]; standard, minmax: the same two by the whole stream, so these two look ahead; "
        "compare: all of them side by side in one pass (default: none)",
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
    option(
        "--k",
        type=int,
        help="NN3's number of neighbours (default 3, as in the paper), IBLStreams' first (16)",
    )
    option("--size", type=int, help="the most examples that IBLStreams stores (default 5000)")
    option("--start", type=int, help="IBLStreams learns so many before it predicts (default 1000)")
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
    option("--shuffle", type=read_seed, metavar="SEED", help="a random order of the stream")
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
    add_limit(parser)
    option(
        "--dump",
        metavar="FILE",
        help="write t,y,pred,balls for every example; no pred where there is no prediction yet",
    )
    option("--save", metavar="FILE", help="save the learner at the end")
    option(
        "--window",
        type=int,
        metavar="N",
        help="examples in each window of --json, and in the one of --plot (default: a twentieth of "
        "the stream)",
    )
    option(
        "--plot",
        metavar="FILE",
        help="draw accuracy and kappa in a sliding window, beside NoChange (the last label again), "
        "the model size, and the cover of a stream with two attributes; .png, .svg or .pdf (needs "
        "matplotlib, the extra plots)",
    )


def read_seed(text: str) -> int:
    """A seed, as an option has it."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the command; all that can be wrong with the options is told before the work begins."""
    from abacoc.protocol import prequential_pieces

    if options.head is not None and options.head < 1:
        raise ValueError(f"--head must be at least 1, not {options.head}")
    if options.window is not None and options.window < 1:
        raise ValueError(f"--window must be at least 1, not {options.window}")
    method = METHODS[options.method]
    if not method.is_ours:
        _check_baseline(options)
    if any(path is not None for path in (options.dump, options.save, options.plot)):
        from abacoc.commands import outputs

        outputs.check_output_files(options)
    with _plain_warnings():
        stream = _open(options)
    n_examples = min(stream.n_examples, options.head or stream.n_examples)
    if len(stream.labels) > max(100, n_examples // 2):
        print("abacoc: note: nearly every example has a class of its own", file=sys.stderr)
    settings = _settings(options, n_examples)
    # Algorithm 2 knows the labels 0 and 1 only; everybody else gets the labels of the input.
    coded = settings.get("vote") == "randomized"
    labels = list(range(len(stream.labels))) if coded else list(stream.labels)
    seen: set[int] = set()
    names = dict(enumerate(stream.labels)) if coded else {}
    raw = _pieces(stream, options, labels, seen)
    if options.scale == "compare":
        from abacoc.commands.compare import compare

        def make(scale: str) -> tuple[Any, Callable[[Any], Any]]:
            learner = _make_learner(options, stream, dict(settings), scale)
            return learner, partial(_as_given, scale=scale)

        return compare(options, stream.name, raw, n_examples, make)
    learner = _make_learner(options, stream, settings, options.scale)
    with contextlib.ExitStack() as stack:
        after_piece = None
        pieces: Iterator[Any] = ((_as_given(X, options.scale), y) for X, y in raw)
        if options.dump is not None:
            after_piece = stack.enter_context(outputs.Dump(options.dump, names)).write
        if options.plot is not None:
            picture = outputs.Picture(names)
            pieces = picture.watch(pieces)
        done = prequential_pieces(
            learner,
            pieces,
            rate=options.rate,
            seed=options.seed,
            progress=None,
            n_examples=n_examples,
            after_piece=after_piece,
            window=options.window,
        )
    if options.save is not None:
        learner.save(options.save)
    if options.plot is not None:
        title = f"{stream.name}: {_title(options, settings, learner)}"
        picture.draw(options.plot, done, learner, title, method.unit)
    _show(options, stream, settings, learner, done, len(seen))
    return 0


def _show(
    options: argparse.Namespace,
    stream: Any,
    settings: dict[str, Any],
    learner: Any,
    run: Run,
    n_classes: int,
) -> None:
    """Print the result."""
    from abacoc.scores import or_none
    from abacoc.wording import number

    method = METHODS[options.method]
    compiled = getattr(learner, "is_compiled", False)
    if options.json:
        result = {
            "stream": stream.name,
            "read_as": stream.note,
            "method": options.method,
            "method_used": method.used(learner),
            "reading": settings.get("reading"),
            "engine": options.engine if method.is_ours or compiled else None,
            "rate": options.rate,
            "seed": options.seed,
            "scale": options.scale,
            "shuffle": options.shuffle,
            **settings,
            "n_examples": run.n_examples,
            "n_attributes": stream.n_attributes,
            "n_classes": n_classes,
            "n_updates": run.n_updates,
            "accuracy": run.accuracy,
            **{name: or_none(getattr(run, name)) for name in SCORES},
            "model_size": run.n_balls,
            "seconds": run.seconds,
            "examples_per_second": run.n_examples / run.seconds,
            "window": run.trace.length,
            "windows": _windows(run),
        }
        print(json.dumps(result, indent=2))
        return
    share = run.n_balls / run.n_examples
    shown = {"rate": f"{options.rate:g}", "seed": options.seed, "scale": options.scale}
    shown |= {} if options.shuffle is None else {"shuffle": options.shuffle}
    rest = {name: value for name, value in settings.items() if value and name != "reading"}
    shown |= {name.replace("_", " "): value for name, value in rest.items()}
    print(
        f"{stream.name}: {number(run.n_examples, 'examples')}, "
        f"{number(stream.n_attributes, 'attributes')}, {number(n_classes, 'classes')} "
        f"({stream.note})"
    )
    print(f"{_title(options, settings, learner)}, ", end="")
    print(", ".join(f"{name} {value}" for name, value in shown.items()))
    print(f"accuracy     {run.accuracy:.6f}")
    scores = f"{run.kappa:.4f}, kappa-temporal {run.kappa_temporal:.4f}"
    print(f"kappa        {scores}, macro-F1 {run.macro_f1:.4f}")
    if run.no_change > run.accuracy:
        print(f"no change    {run.no_change:.6f}: repeating the last label is right more often")
    print(f"model size   {number(run.n_balls, method.unit)}, {share:.2%} of the stream")
    print(f"speed        {run.n_examples / run.seconds:,.0f} examples/s ({run.seconds:.2f} s)")


def _windows(run: Run) -> list[dict[str, Any]]:
    from abacoc.scores import or_none

    columns = (column.tolist() for column in run.windows)
    return [
        {
            "end": end,
            "accuracy": accuracy,
            "kappa": or_none(kappa),
            "no_change": no_change,
            "model_size": size,
        }
        for end, accuracy, kappa, no_change, size in zip(*columns, strict=True)
    ]


def _title(options: argparse.Namespace, settings: dict[str, Any], learner: Any) -> str:
    method = METHODS[options.method]
    name = options.method if method.is_ours else method.used(learner)
    return f"{name}, reading {settings['reading']}" if "reading" in settings else name


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """What is to be said about a data set is a line like any other, without file and source."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"abacoc: note: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def open_whole(options: argparse.Namespace) -> Any:
    """The stream in memory, in the order that was asked for."""
    from abacoc import streams

    with _plain_warnings(), _reading_bar(options.stream):
        stream = streams.open_stream(options.stream, **_of_reader(options))
    return stream if options.shuffle is None else streams.shuffled(stream, options.shuffle)


@contextlib.contextmanager
def _reading_bar(path: str) -> Iterator[None]:
    """On a terminal, how much of a file has been read, if that takes its time."""
    if not os.path.isfile(path):  # a set or a generator
        yield
        return
    from abacoc.protocol import progress_bar
    from abacoc.streams.source import WATCHER

    with progress_bar(os.path.getsize(path), None, "B", f"reading {os.path.basename(path)}") as bar:
        # what is looked at twice is counted once
        before = WATCHER.set(lambda read: bar.update(max(0, read - bar.n)))
        try:
            yield
        finally:
            WATCHER.reset(before)


def _open(options: argparse.Namespace) -> Any:
    """The stream: whole, or to be read in pieces."""
    from abacoc import streams

    if options.pieces is None:
        return open_whole(options)
    if options.pieces < 1:
        raise ValueError(f"--pieces must be at least 1 row, not {options.pieces}")
    if options.stream in streams.names() or streams.is_generated(options.stream):
        raise ValueError("--pieces is for files; a registered or generated stream is held whole")
    if options.shuffle is not None:
        raise ValueError("--shuffle needs the whole stream in memory, so no --pieces")
    if options.scale in AHEAD:
        raise ValueError(
            f"--scale {options.scale} needs the whole stream in memory, so no --pieces"
        )
    with _reading_bar(options.stream):  # the whole file, once: its labels, attributes and rows
        return streams.read_pieces(options.stream, rows=options.pieces, **_of_reader(options))


def _make_learner(
    options: argparse.Namespace, stream: Any, settings: dict[str, Any], scale: str
) -> Any:
    """The learner that takes the pieces of `_pieces`; a gamma that is not given is found."""
    if settings.get("gamma", 0) is None:
        settings["gamma"] = _typical_gamma(stream, options, scale)
    learner = METHODS[options.method].make(settings, stream.labels, options.engine == "reference")
    if getattr(learner, "is_compiled", False) and scale in ("none", options.scale):  # only once
        _announce_compilation(learner)
    if scale in ONLINE:
        from abacoc.online import Scaled

        learner = Scaled(learner, scale)
    return learner


def _as_given(X: Any, scale: str) -> Any:
    """What a learner is given of a piece of the stream."""
    if scale == "none" or scale in ONLINE:  # a scaled learner scales by itself
        return X
    from abacoc.scaling import scaled

    return scaled(X, scale)


def _pieces(
    stream: Any, options: argparse.Namespace, labels: list[Any], seen: set[int]
) -> Iterator[tuple[Any, list[Any]]]:
    """Points and labels, piece by piece; the codes of the labels go to ``seen``."""
    left = options.head or stream.n_examples
    for X, y in [(stream.X, stream.y)] if options.pieces is None else stream:
        if left > 0:
            codes = y[:left].tolist()
            seen.update(codes)
            yield X[:left], [labels[k] for k in codes]
            left -= len(codes)


def _typical_gamma(stream: Any, options: argparse.Namespace, scale: str) -> float:
    """K-PERC's gamma where none is given."""
    from abacoc.baselines.kperc import typical_square
    from abacoc.scaling import scaled

    if options.pieces is not None:
        raise ValueError("k-perc finds its gamma in the whole stream: with --pieces, give --gamma")
    X = scaled(stream.X[: options.head], scale)
    return 1.0 / typical_square(X)


def _check_baseline(options: argparse.Namespace) -> None:
    """The options that make sense for our own methods only."""
    given = {
        "--engine reference": options.engine != "compiled",
        "--save": options.save is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise ValueError(f"{option} is for {', '.join(OWN)}, not for {options.method}")


def _announce_compilation(learner: Any) -> None:
    from abacoc.engine import must_compile

    if getattr(learner, "must_compile", must_compile)():
        print(
            "abacoc: compiling for this machine; this takes about half a minute, once",
            file=sys.stderr,
            flush=True,
        )


def _of_reader(options: argparse.Namespace) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if options.limit:
        from abacoc.limits import Limits

        found["limits"] = Limits.parse(options.limit)
    columns = {"numeric": _columns(options.numeric), "categorical": _columns(options.categorical)}
    return columns | found


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _settings_of(name: str) -> dict[str, Any]:
    """Which options belong to a method, and what they are if they are not given."""
    method = METHODS[name]
    own = {"reading": "paper"} if method.is_ours else {}
    return {**own, **method.settings, **({"budget": None} if method.budget else {})}


def _settings(options: argparse.Namespace, n_examples: int) -> dict[str, Any]:
    """The method's own settings; an option that means nothing to it is refused."""
    own = _settings_of(options.method)
    known = {name: _settings_of(name) for name, method in METHODS.items() if not method.variant_of}
    for name in dict.fromkeys(name for names in known.values() for name in names):
        if name not in own and getattr(options, name, None) is not None:
            users = [method for method, names in known.items() if name in names]
            option = "--" + name.replace("_", "-")
            told = " and ".join(filter(None, [", ".join(users[:-1]), users[-1]]))
            raise ValueError(f"{option} is for {told}, not for {options.method}")
    given = {name: getattr(options, name, None) for name in own}
    settings: dict[str, Any] = {n: own[n] if given[n] is None else given[n] for n in own}
    if settings.get("budget") is not None:
        settings["budget"] = _budget(settings["budget"], n_examples)
        settings["seed"] = options.seed
    return settings


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
