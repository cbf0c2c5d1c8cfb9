"""``abacoc run``: one method on one stream."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from abacoc.commands.outputs import Dump, Picture, check_output_files
from abacoc.commands.run_options import settings_of
from abacoc.methods import METHODS, OWN, Method
from abacoc.protocol import Run


def run(options: argparse.Namespace) -> int:
    """Run the command; all that can be wrong with the options is told before the work begins."""
    from abacoc.protocol import prequential_pieces

    if options.head is not None and options.head < 1:
        raise ValueError(f"--head must be at least 1, not {options.head}")
    method = METHODS[options.method]
    if not method.is_ours:
        _check_baseline(options)
    check_output_files(options)
    with _plain_warnings():
        stream = _open(options)
    n_examples = min(stream.n_examples, options.head or stream.n_examples)
    if len(stream.labels) > max(100, n_examples // 2):
        print("abacoc: note: nearly every example has a class of its own", file=sys.stderr)
    settings = _settings(options, n_examples)
    if settings.get("gamma", 0) is None:
        settings["gamma"] = _typical_gamma(stream, options)
    own = {"reading": options.reading} if method.is_ours else {}
    learner = method.make(settings | own, stream.labels, options.engine == "reference")
    # Algorithm 2 knows the labels 0 and 1 only; everybody else gets the labels of the input.
    coded = settings.get("vote") == "randomized"
    labels = list(range(len(stream.labels))) if coded else list(stream.labels)
    seen: set[int] = set()
    names = dict(enumerate(stream.labels)) if coded else {}
    if getattr(learner, "is_compiled", False):
        _announce_compilation(learner)
    with contextlib.ExitStack() as stack:
        outputs: list[Any] = []
        if options.dump is not None:
            outputs.append(stack.enter_context(Dump(options.dump, names)))
        picture = Picture(names) if options.plot is not None else None
        pieces = _pieces(stream, options, labels, seen)
        if picture is not None:
            outputs.append(picture)
            pieces = picture.watch(pieces)

        def after_piece(y: Sequence[Any], piece: Run) -> None:
            for output in outputs:
                output.write(y, piece)

        done = prequential_pieces(
            learner,
            pieces,
            rate=options.rate,
            seed=options.seed,
            progress=None,
            n_examples=n_examples,
            after_piece=after_piece if outputs else None,
        )
    if options.save is not None:
        learner.save(options.save)
    if picture is not None:
        title = f"{stream.name}: {_title(options, method, learner)}"
        picture.draw(options.plot, learner, title, method.unit)
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
    method = METHODS[options.method]
    compiled = getattr(learner, "is_compiled", False)
    if options.json:
        result = {
            "stream": stream.name,
            "read_as": stream.note,
            "method": options.method,
            "method_used": method.used(learner),
            "reading": options.reading if method.is_ours else None,
            "engine": options.engine if method.is_ours or compiled else None,
            "rate": options.rate,
            "seed": options.seed,
            "scale": options.scale,
            **settings,
            "n_examples": run.n_examples,
            "n_attributes": stream.n_attributes,
            "n_classes": n_classes,
            "n_updates": run.n_updates,
            "accuracy": run.accuracy,
            "model_size": run.n_balls,
            "seconds": run.seconds,
            "examples_per_second": run.n_examples / run.seconds,
        }
        print(json.dumps(result, indent=2))
        return
    share = run.n_balls / run.n_examples
    shown = {"rate": f"{options.rate:g}", "seed": options.seed, "scale": options.scale}
    shown |= {name.replace("_", " "): value for name, value in settings.items() if value}
    print(
        f"{stream.name}: {run.n_examples:,} examples, {stream.n_attributes} attributes, "
        f"{n_classes} classes ({stream.note})"
    )
    print(f"{_title(options, method, learner)}, ", end="")
    print(", ".join(f"{name} {value}" for name, value in shown.items()))
    print(f"accuracy     {run.accuracy:.6f}")
    print(f"model size   {run.n_balls:,} {method.unit}, {share:.2%} of the stream")
    print(f"speed        {run.n_examples / run.seconds:,.0f} examples/s ({run.seconds:.2f} s)")


def _title(options: argparse.Namespace, method: Method, learner: Any) -> str:
    own = f"{options.method}, reading {options.reading}"
    return own if method.is_ours else method.used(learner)


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """What is to be said about a data set is a line like any other, without file and source."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"abacoc: note: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def _open(options: argparse.Namespace) -> Any:
    """The stream: whole, or to be read in pieces."""
    from abacoc.streams import names, open_stream, read_pieces
    from abacoc.streams.generators import is_generated

    columns: dict[str, Any] = {
        "numeric": _columns(options.numeric),
        "categorical": _columns(options.categorical),
    }
    if options.pieces is None:
        return open_stream(options.stream, **columns)
    if options.pieces < 1:
        raise ValueError(f"--pieces must be at least 1 row, not {options.pieces}")
    if options.stream in names() or is_generated(options.stream):
        raise ValueError("--pieces is for files; a registered or generated stream is held whole")
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
    from abacoc.baselines.kperc import typical_square
    from abacoc.streams import scaled

    if options.pieces is not None:
        raise ValueError("k-perc finds its gamma in the whole stream: with --pieces, give --gamma")
    X = scaled(stream.X[: options.head], options.scale)
    return 1.0 / typical_square(X)


def _check_baseline(options: argparse.Namespace) -> None:
    """The options that make sense for our own methods only."""
    given = {
        "--reading": options.reading != "paper",
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


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _settings(options: argparse.Namespace, n_examples: int) -> dict[str, Any]:
    """The method's own settings; an option that means nothing to it is refused."""
    own = settings_of(options.method)
    known = {name: settings_of(name) for name, method in METHODS.items() if not method.variant_of}
    for name in dict.fromkeys(name for names in known.values() for name in names):
        if name not in own and getattr(options, name, None) is not None:
            users = [method for method, names in known.items() if name in names]
            option = "--" + name.replace("_", "-")
            raise ValueError(f"{option} is for {' and '.join(users)}, not for {options.method}")
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
