"""The streams of the jobs: registered sets, generated ones, files, and the heads of them."""

from __future__ import annotations

import contextlib
import os
import threading
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from abacoc.limits import DEFAULT, Limits
from abacoc.streams import (
    Stream,
    get,
    is_generated,
    names,
    open_stream,
    shuffled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the reader takes here and now. Jobs do not have it: it changes no result, only whether there
# is one.
_limits: ContextVar[Limits] = ContextVar("_limits", default=DEFAULT)


@contextlib.contextmanager
def reading_within(limits: Limits) -> Iterator[None]:
    """Open the streams of jobs with these limits.

    >>> with reading_within(Limits(line=9)):
    ...     chosen_limits().line
    9
    """
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


def chosen_limits() -> Limits:
    """The limits within which streams are opened now."""
    return _limits.get()


def head_of(text: str) -> tuple[str, int | None]:
    """Name and length of the head of a registered set or a file; None for all of it.

    >>> head_of("covtype,head=20000"), head_of("generated:sea,n=50"), head_of("./mine.csv")
    (('covtype', 20000), ('generated:sea,n=50', None), ('./mine.csv', None))
    """
    if is_generated(text):
        return text, None
    name, comma, head = (text, "", "") if is_file(text) else text.partition(",")
    if not is_file(name):
        get(name)  # says what there is if it is not registered
    if not comma:
        return name, None
    number = head.removeprefix("head=")
    if number == head or not number.isdecimal() or int(number) < 1:
        raise ValueError(f"{text}: the head of a stream is written NAME,head=1000")
    return name, int(number)


def is_file(text: str) -> bool:
    """Whether a stream is a file: it has a folder or a suffix, or it is there and not registered.

    >>> is_file("sea"), is_file("./sea"), is_file("mine.csv"), is_file("mine.csv,head=9")
    (False, True, True, False)
    """
    if is_generated(text) or text in names():
        return False
    suffix = os.path.splitext(text)[1]
    return bool(os.path.dirname(text) or (suffix and "," not in suffix) or os.path.exists(text))


FILE = "file"  # the order of the file, of the generator


def shuffle_of(order: str) -> int | None:
    """The seed of an order such as ``shuffle=3``; None for that of the file.

    >>> shuffle_of("shuffle=3"), shuffle_of("file")
    (3, None)
    """
    seed = order.removeprefix("shuffle=")
    if order != FILE and (seed == order or not seed.isdecimal()):
        raise ValueError(f"the order is {FILE} or shuffle=SEED, not {order}")
    return None if order == FILE else int(seed)


Stamp = tuple[int, ...]


def stamp(name: str) -> Stamp:
    """Another one when a file has changed: the worker of a cluster lives longer than a file."""
    if not is_file(name) or not os.path.exists(name):
        return ()
    found = os.stat(name)
    return found.st_mtime_ns, found.st_size, found.st_ino


class _Last(threading.local):
    """The stream of the last job in this thread: the next job mostly has the same."""

    text: tuple[str, str, Stamp] = ("", "", ())
    stream: Stream | None = None


_last = _Last()


def open_job_stream(text: str, order: str = FILE) -> Stream:
    """The stream of a job, unscaled; of a shuffled one the head is taken after the shuffle.

    >>> open_job_stream("generated:banana,n=10").X.shape
    (10, 2)
    """
    name, head = head_of(text)
    wanted = (text, order, stamp(name))
    if _last.text == wanted and _last.stream is not None:
        return _last.stream
    _last.stream = None  # frees the memory before more is taken
    stream, shuffle = _open(name), shuffle_of(order)
    if shuffle is not None:
        stream = shuffled(stream, shuffle)
    if head is not None:  # copied, so that the rest is not kept
        note = f"{stream.note}; the first {head:,} examples"
        stream = replace(stream, X=stream.X[:head].copy(), y=stream.y[:head].copy(), note=note)
    _last.text, _last.stream = wanted, stream
    return stream


def _open(name: str) -> Stream:
    # a generated stream has no reader
    return open_stream(name) if is_generated(name) else open_stream(name, limits=chosen_limits())


@cache
def shape(name: str) -> tuple[int, int]:
    """Examples and attributes; a registered set is not read for it, a file is.

    >>> shape("covtype")
    (581012, 54)
    """
    if is_generated(name) or is_file(name):
        stream = open_job_stream(name)
        return stream.n_examples, stream.n_attributes
    return get(name).rows, get(name).attributes
