"""Whether a file is the registered data set: by its bytes, else by what is in it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from abacoc.streams.encoding import with_codes
from abacoc.streams.entries import DataSet, deviations
from abacoc.streams.fingerprint import Fingerprint, differences, fingerprint, renamed
from abacoc.streams.readers import read_content
from abacoc.streams.stream import Stream


@dataclass(frozen=True)
class Inspection:
    """What a file of a data set turned out to hold."""

    stream: Stream
    known_bytes: bool  # the SHA-256 is a registered one
    fingerprint: Fingerprint | None  # None: it was not taken
    problems: tuple[str, ...]  # in what the content is not the registered one
    verified: bool  # it is; else, without problems, it only has the right size
    remark: str = ""  # what differs and does not matter


def has_checksums(dataset: DataSet) -> bool:
    """Whether the SHA-256 of any of its files is known."""
    return any(file.sha256 is not None for file in dataset.files)


def has_known_bytes(dataset: DataSet, content: bytes) -> bool:
    """Whether this is a registered file byte for byte: its content needs no check then.

    >>> from abacoc.streams.datasets import DATASETS
    >>> has_known_bytes(DATASETS["sea"], b"1,2,3,0")
    False
    """
    if not has_checksums(dataset):
        return False  # without a look at a large file
    return hashlib.sha256(content).hexdigest() in [file.sha256 for file in dataset.files]


def inspect(dataset: DataSet, content: bytes, source: str, thorough: bool = False) -> Inspection:
    """Read a file called `source` and compare it with the entry; ValueError if it is unreadable.

    The fingerprint is taken where the bytes are not known, and always if `thorough`.
    """
    stream = _read(dataset, content, source)
    known_bytes = has_known_bytes(dataset, content)
    expected = dataset.fingerprint
    found, remark = None, ""
    problems = deviations(
        (stream.n_examples, stream.n_attributes, stream.n_classes),
        (dataset.rows, dataset.attributes, dataset.classes),
    )
    if thorough or (expected is not None and not known_bytes and not problems):
        # an entry to be recorded anew is to have all parts
        found = fingerprint(stream, with_examples=expected is None)
        if expected is not None and not problems:
            problems = differences(stream, found, expected)
            remark = "" if problems else renamed(found, expected)
    if not problems and expected is None and not known_bytes and has_checksums(dataset):
        problems = ["other bytes, and no fingerprint to tell whether the content is right"]
    verified = not problems and (known_bytes or expected is not None)
    return Inspection(stream, known_bytes, found, tuple(problems), verified, remark)


def _read(dataset: DataSet, content: bytes, source: str) -> Stream:
    stream = read_content(
        content,
        source,
        numeric=dataset.numeric,
        categorical=dataset.categorical,
        trailing_comma=dataset.trailing_comma,
    )
    stream = replace(stream, name=dataset.name, note=f"{dataset.title}; {stream.note}")
    return with_codes(stream) if dataset.ordinal else stream
