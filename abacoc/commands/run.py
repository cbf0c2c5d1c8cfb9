"""``abacoc run``: one method on one stream."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from abacoc.commands import AHEAD, ONLINE, SCALES, add_command
from abacoc.commands.reading import (
    FILES,
    STREAM,
    add_reader,
    open_pieces,
    open_whole,
    plain_warnings,
)
from abacoc.methods import METHODS, OWN

if TYPE_CHECKING:
    from abacoc.protocol import Run
    from abacoc.scaling import Fixed

RUN_EPILOG = (
    """examples:
  abacoc run electricity                          AUTO-ADJ on a registered set
  abacoc run mine.csv --rate 0.1 --seed 3         learn one example in ten of your own file
  abacoc run sea --budget 1%                      AUTO-ADJ FIX: never more than 1 % of the stream
  abacoc run poker --method base --scale unit     BASE as in the paper's experiments
  abacoc run mine.csv --scale compare             would scaling help? no, unit, online, ...
  abacoc run covtype --method nn3                 a competitor: nn3, cnn, k-perc, vfdt or rules
  abacoc run sea --method iblstreams --start 50   a method that the paper only mentions
  abacoc run sea --method arf                     one that came later: sam-knn, knn-paw, arf, amf
  abacoc run mine.csv --dump out.csv --json       every prediction into a file, the totals as JSON
  abacoc run banana --plot out.png                accuracy and size over the stream, as a picture

"""
    + FILES
)

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
    option("--method", choices=methods, help="default: auto-adj")
    add_chance(parser)
    option(
        "--reading",
        choices=("paper", "literal", "authors", "described", "moa"),
        help="of the pseudo-code: paper (default), literal or authors; of IBLStreams: described "
        "(default) or moa; see DEVIATIONS.md",
    )
    option(
        "--scale",
        choices=(*SCALES, *ONLINE, "compare"),
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
    option(
        "--pieces",
        type=int,
        metavar="N",
        help="read the file N rows at a time: for streams that do not fit in memory",
    )
    option(
        "--engine",
        choices=("auto", "compiled", "reference"),
        default="auto",
        help="reference: the plain code of the algorithms, with the same answers (slow); compiled: "
        "its twin, for which a new machine compiles first; auto (default): whichever is there, "
        "the first one until the other one has come",
    )
    option("--load", metavar="MODEL", help="go on learning with a saved model, its own settings")
    add_reader(parser)
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


def add_chance(parser: Any) -> None:
    """What is learned of a stream, in which order, and by how many balls."""
    option = parser.add_argument
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
    option("--shuffle", type=read_seed, metavar="SEED", help="a random order of the stream")
    option("--head", type=int, metavar="N", help="only the first N examples")


def read_seed(text: str) -> int:
    """A seed, as an option has it."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    with plain_warnings():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    """All that can be wrong with the options is told before the work begins."""
    from abacoc.protocol import prequential_pieces

    if options.head is not None and options.head < 1:
        raise ValueError(f"--head must be at least 1, not {options.head}")
    if options.window is not None and options.window < 1:
        raise ValueError(f"--window must be at least 1, not {options.window}")
    method = METHODS[options.method or "auto-adj"]
    if not method.is_ours:
        _check_baseline(options)
    if any(path is not None for path in (options.dump, options.save, options.plot)):
        from abacoc.commands import outputs

        outputs.check_output_files(options)
    model = _loaded(options)
    if options.load is None:
        options.method, options.scale = options.method or "auto-adj", options.scale or "none"
    else:
        options.method, options.scale = _method_of(model), getattr(model, "how", "none")
    known = getattr(model, "columns", None)
    stream = (open_whole if options.pieces is None else open_pieces)(options, known)
    n_examples = _length(stream, options)
    settings = own_settings(options, n_examples)
    # Algorithm 2 knows the labels 0 and 1 only; everybody else gets the labels of the input.
    coded = settings.get("vote", getattr(model, "vote", "")) == "randomized"
    number_of: dict[str, int] = {text: k for k, text in enumerate((known or {}).get("labels", ()))}
    names: dict[Any, str] = {}
    seen: set[int] = set()

    def label(text: str) -> Any:
        """What the learner is told for a label of the input."""
        if not coded:
            return text
        names[number_of.setdefault(text, len(number_of))] = text
        return number_of[text]

    raw = _pieces(stream, options, label, seen)
    if options.scale == "compare":
        from abacoc.commands.compare import compare

        def make(scale: str) -> tuple[Any, Callable[[Any], Any]]:
            learner = make_learner(options, stream, dict(settings), scale)
            return learner, scaling(options, stream, scale)[0]

        return compare(options, stream.name, raw, n_examples, make)
    learner = model or make_learner(options, stream, settings, options.scale)
    if options.engine == "compiled" and getattr(learner, "is_compiled", False):
        _compile(learner, options.engine)  # also a model that was loaded
    given, fixed = scaling(options, stream, options.scale, known)
    with contextlib.ExitStack() as stack:
        after_piece = None
        pieces: Iterator[Any] = ((given(X), y) for X, y in raw)
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
        if stream.columns is not None:
            learner.columns = stream.columns | ({"labels": list(number_of)} if coded else {})
            learner.columns |= {} if fixed is None else {"scale": fixed.record()}
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
    engine = _engine(learner, method.is_ours)
    if options.json:
        result = {
            "stream": stream.name,
            "read_as": stream.note,
            "method": options.method,
            "method_used": method.used(learner),
            "reading": settings.get("reading"),
            "engine": engine,
            "by_reference": run.by_reference,
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
    if engine == "compiled" and run.by_reference:
        engine = f"reference for {run.by_reference:,} examples, then compiled"
    if engine is not None:
        print(f"engine       {engine}")


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


def make_learner(
    options: argparse.Namespace, stream: Any, settings: dict[str, Any], scale: str
) -> Any:
    """The learner that takes the pieces of `_pieces`; a gamma that is not given is found."""
    if settings.get("gamma", 0) is None:
        settings["gamma"] = _typical_gamma(stream, options, scale)
    method = METHODS[options.method]
    if method.needs_labels and stream.n_examples is None:
        raise ValueError(f"{options.method} has to know all labels first: no --pieces of a pipe")
    learner = method.make(settings, stream.labels, options.engine == "reference")
    if getattr(learner, "is_compiled", False) and scale in ("none", options.scale):  # only once
        _compile(learner, options.engine)
    if scale in ONLINE:
        from abacoc.online import Scaled

        learner = Scaled(learner, scale)
    return learner


def _loaded(options: argparse.Namespace) -> Any:
    """The model to go on with, if there is one; it has settings of its own."""
    if options.load is None:
        return None
    from abacoc.limits import Limits
    from abacoc.methods import load

    for name in dict.fromkeys(("method", "scale", *_all_settings())):
        if getattr(options, name, None) is not None:
            option = "--" + name.replace("_", "-")
            raise ValueError(f"{option} is settled by the model that --load names")
    reference = options.engine == "reference"
    return load(options.load, reference=reference, limits=Limits.parse(options.limit))


def _method_of(model: Any) -> str:
    """The name of the method of a learner of ours."""
    name = type(getattr(model, "learner", model)).__name__
    return next(own for own in OWN if METHODS[own].home.endswith(f":{name}"))


def _length(stream: Any, options: argparse.Namespace) -> int | None:
    """How many examples there will be; None where nobody knows before the end."""
    known = [n for n in (stream.n_examples, options.head) if n is not None]
    return min(known) if known and (stream.n_examples or options.head) else None


def scaling(
    options: argparse.Namespace, stream: Any, scale: str, model: dict[str, Any] | None = None
) -> tuple[Callable[[Any], Any], Fixed | None]:
    """What is done to a piece before a learner sees it, and the scaling that this is."""
    from abacoc.scaling import Fixed, fit

    if model is not None and "scale" in model:
        fixed = Fixed.restored(model["scale"])
    elif scale == "none" or scale in ONLINE:  # a scaled learner scales by itself
        return lambda X: X, None
    else:
        fixed = fit(stream.X[: options.head], scale) if scale in AHEAD else Fixed(scale, {})
    return fixed.apply, fixed


def _pieces(
    stream: Any, options: argparse.Namespace, label: Callable[[str], Any], seen: set[int]
) -> Iterator[tuple[Any, list[Any]]]:
    """Points and labels, piece by piece; the codes of the labels go to ``seen``."""
    left = options.head or math.inf
    for X, y in [(stream.X, stream.y)] if options.pieces is None else stream:
        n = min(len(X), left)
        codes = y[:n].tolist()
        seen.update(codes)
        texts = stream.labels  # of a pipe: those so far
        told = {k: label(texts[k]) for k in dict.fromkeys(codes)}
        yield X[:n], [told[k] for k in codes]
        left -= n
        if left <= 0:
            break


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
        "--engine reference": options.engine == "reference",
        "--save": options.save is not None,
    }
    for option, is_given in given.items():
        if is_given:
            raise ValueError(f"{option} is for {', '.join(OWN)}, not for {options.method}")


def _compile(learner: Any, engine: str) -> None:
    """Compile before the run if it is to run compiled and cannot begin without; it is said."""
    if engine == "auto" and hasattr(learner, "engine"):
        return  # the reference begins
    if learner.must_compile():
        print(
            "abacoc: compiling for this machine; this takes a while, once",
            file=sys.stderr,
            flush=True,
        )
    learner.compile_now()


def _engine(learner: Any, is_ours: bool) -> str | None:
    """Who served in the end; None for a method that has one way only."""
    if not getattr(learner, "is_compiled", False):
        return "reference" if is_ours else None
    return str(getattr(learner, "engine", "compiled"))


def _settings_of(name: str) -> dict[str, Any]:
    """Which options belong to a method, and what they are if they are not given."""
    method = METHODS[name]
    own = {"reading": "paper"} if method.is_ours else {}
    return {**own, **method.settings, **({"budget": None} if method.budget else {})}


def _all_settings() -> list[str]:
    methods = (name for name, method in METHODS.items() if not method.variant_of)
    return list(dict.fromkeys(setting for name in methods for setting in _settings_of(name)))


def own_settings(options: argparse.Namespace, n_examples: int | None) -> dict[str, Any]:
    """The method's own settings; an option that means nothing to it is refused."""
    own = _settings_of(options.method)
    if options.load is not None:
        return {}
    known = {name: _settings_of(name) for name, method in METHODS.items() if not method.variant_of}
    for name in _all_settings():
        if name not in own and getattr(options, name, None) is not None:
            users = [method for method, names in known.items() if name in names]
            option = "--" + name.replace("_", "-")
            told = " and ".join(filter(None, [", ".join(users[:-1]), users[-1]]))
            raise ValueError(f"{option} is for {told}, not for {options.method}")
    given = {name: getattr(options, name, None) for name in own}
    settings: dict[str, Any] = {n: own[n] if given[n] is None else given[n] for n in own}
    if settings.get("budget") is not None:
        settings["budget"] = _budget(settings["budget"], n_examples)
    if settings.get("budget") is not None or METHODS[options.method].chance:
        settings["seed"] = options.seed
    return settings


class LengthNeeded(ValueError):
    """A share of a stream whose length nobody knows."""


def _budget(text: str, n_examples: int | None) -> int:
    """A number of balls, from a number or from a share of the stream such as ``1%``."""
    try:
        if text.endswith("%"):
            if n_examples is None:
                told = "a pipe in pieces has no length yet: give --budget as a number, or --head"
                raise LengthNeeded(told)
            share = float(text[:-1]) / 100
            if not 0 < share <= 1:
                raise ValueError
            return max(2, round(share * n_examples))
        return int(text)
    except LengthNeeded:
        raise
    except ValueError:
        raise ValueError(f"--budget is a number of balls or a share like 1%, not {text}") from None
