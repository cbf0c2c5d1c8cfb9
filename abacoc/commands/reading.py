"""The options that say how to read a stream, and the stream that they say."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from abacoc.commands import AHEAD, add_limit

STREAM = "a registered set (abacoc data lists them), a generator such as generated:sea,n=10000, "
STREAM += "a file, or - for the standard input"
FILES = """files: CSV (a header line is recognised), ARFF, Parquet, label last; LIBSVM, label first;
.gz, .bz2 and .xz are read as they are. Categorical attributes become 0/1 columns."""
OPTIONS = ("label", "header", "delimiter", "decimal", "missing", "format")
LISTS = ("drop", "numeric", "categorical")


def add_reader(parser: Any) -> None:
    """The options of `abacoc.streams.form`; columns are named, or numbered from 1."""
    option = parser.add_argument_group("reading a file").add_argument
    option("--label", metavar="COLUMN", help="name or number of the label (default: the last)")
    option("--drop", default="", metavar="A,B", help="columns (names or numbers) to leave out")
    option("--numeric", default="", metavar="A,B", help="columns to take as numbers")
    option("--categorical", default="", metavar="A,B", help="columns to take as categories")
    option("--header", choices=("yes", "no"), help="whether the first line names the columns")
    option(
        "--delimiter", metavar="C", help="between the cells: a character, tab, bar, blanks or so"
    )
    option("--decimal", choices=(".", ","), help="what stands in numbers (default: the point)")
    option(
        "--missing",
        choices=("error", "mean", "category"),
        help="what becomes of missing values: an error (default); the mean of the column so far "
        "(words: a category '?'); category: also a 0/1 column that marks them",
    )
    option("--format", choices=("csv", "arff", "libsvm", "parquet"), help="whatever its name says")
    add_limit(parser)


def form_of(options: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, as `as_stream` takes them."""
    found: dict[str, Any] = {
        name: given for name in OPTIONS if (given := getattr(options, name, None)) is not None
    }
    if "header" in found:
        found["header"] = found["header"] == "yes"
    found |= {name: listed for name in LISTS if (listed := _columns(getattr(options, name, "")))}
    if options.limit:
        from abacoc.limits import Limits

        found["limits"] = Limits.parse(options.limit)
    return found


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def open_whole(options: argparse.Namespace, model: dict[str, Any] | None = None) -> Any:
    """The stream in memory, in the order that was asked for."""
    from abacoc import streams

    if model is not None and (options.stream in streams.names() or is_made(options.stream)):
        model = None  # it has its own columns
    with reading_bar(options.stream):
        given = form_of(options) | ({} if model is None else {"model": model})
        stream = streams.open_stream(options.stream, **given)
    shuffle = getattr(options, "shuffle", None)
    return stream if shuffle is None else streams.shuffled(stream, shuffle)


def open_pieces(options: argparse.Namespace, model: dict[str, Any] | None = None) -> Any:
    """The stream, to be read `--pieces` rows at a time."""
    from abacoc import streams

    if options.pieces < 1:
        raise ValueError(f"--pieces must be at least 1 row, not {options.pieces}")
    if options.stream in streams.names() or is_made(options.stream):
        raise ValueError("--pieces is for files; a registered or generated stream is held whole")
    if getattr(options, "shuffle", None) is not None:
        raise ValueError("--shuffle needs the whole stream in memory, so no --pieces")
    if getattr(options, "scale", None) in AHEAD:
        raise ValueError(
            f"--scale {options.scale} needs the whole stream in memory, so no --pieces"
        )
    with reading_bar(options.stream):  # once: labels, attributes and rows
        return streams.read_pieces(
            options.stream, rows=options.pieces, model=model, **form_of(options)
        )


def is_made(stream: str) -> bool:
    """Whether it is a generator."""
    from abacoc.streams import is_generated

    return is_generated(stream)


@contextlib.contextmanager
def reading_bar(path: str) -> Iterator[None]:
    """On a terminal, how much of a file has been read, if that takes its time."""
    if not os.path.isfile(path):  # a set, a generator or a pipe
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


@contextlib.contextmanager
def plain_warnings() -> Iterator[None]:
    """What is to be said about a data set is a line like any other, without file and source."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"abacoc: note: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
