"""Whether a file is the registered data set: by its bytes, else by what is in it.

A copy from another host may differ in its bytes: another compression, other line ends, a header
line, `0.50` for `0.5`. What counts is what a learner is given, so the fingerprint is taken of the
arrays: rows, attributes, the number of examples of each class, and a digest. The digest does not
depend on the machine: numbers are read to the nearest float64 and hashed byte for byte, the lowest
byte first, zero without a sign. Names are left out, of attributes since a header line is optional,
of classes since no learner sees them: `win` for `2` is the same content if it is so throughout.

The fingerprints of the registered sets are in `fingerprints.json`. `abacoc data check --json`
prints the one that it finds in the same form.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, replace

import numpy as np

from abacoc.limits import Limits
from abacoc.streams.datasets import DataSet, Fingerprint, deviations
from abacoc.streams.readers import read_content
from abacoc.streams.source import unpacked
from abacoc.streams.stream import Stream, with_codes

_BLOCK = 4096  # rows that are turned into columns at a time, in the processor's cache
_SHOWN = 3  # classes or columns that a message lists


@dataclass(frozen=True)
class Inspection:
    """What a file of a data set turned out to hold."""

    stream: Stream
    known_bytes: bool  # the SHA-256 is a registered one
    fingerprint: Fingerprint | None  # None: it was not taken
    problems: tuple[str, ...]  # in what the content is not the registered one
    verified: bool  # it is; else, without problems, it only has the right size
    remark: str = ""  # what differs and does not matter, or whose digest it is


def has_checksums(dataset: DataSet) -> bool:
    """Whether the SHA-256 of any of its files is known."""
    return any(file.sha256 is not None for file in dataset.files)


def has_known_bytes(dataset: DataSet, content: bytes) -> bool:
    """Whether this is a registered file byte for byte: its content needs no check then."""
    known = [file.sha256 for file in dataset.files]
    # without a look at a large file, if there is nothing to compare it with
    return any(known) and hashlib.sha256(content).hexdigest() in known


def whose_digest(dataset: DataSet, content: bytes) -> str:
    """Who has seen the bytes of a file, in words, if nobody here has seen the set; else nothing.

    >>> from abacoc.streams.datasets import DATASETS
    >>> whose_digest(DATASETS["sensor"], b"@relation")[:51]
    'a digest nobody has seen (SHA-256, unpacked: f88ab2'
    >>> whose_digest(DATASETS["sea"], b"1,2,3,0")
    ''
    """
    if not dataset.unseen:
        return ""
    hasher = hashlib.sha256()
    for block in unpacked(io.BytesIO(content), dataset.name):
        hasher.update(block)
    digest = hasher.hexdigest()
    for file in dataset.files:
        if file.candidate and file.candidate.sha256 == digest:
            which = f"{file.name}, {file.candidate.bytes:,} bytes, SHA-256 {digest[:8]}"
            return f"the digest is that of candidate {which}, seen elsewhere but never here"
    return f"a digest nobody has seen (SHA-256, unpacked: {digest})"


def inspect(
    dataset: DataSet,
    content: bytes,
    source: str,
    thorough: bool = False,
    limits: Limits | None = None,
) -> Inspection:
    """Read a file called `source` and compare it with the entry; ValueError if it is unreadable.

    The fingerprint is taken where the bytes are not known, and always if `thorough`.
    """
    how = {key: getattr(dataset, key) for key in ("numeric", "categorical", "trailing_comma")}
    stream = read_content(content, source, limits=limits, known=True, **how)
    stream = replace(stream, name=dataset.name, note=f"{dataset.title}; {stream.note}")
    stream = with_codes(stream) if dataset.ordinal else stream
    known_bytes = has_known_bytes(dataset, content)
    expected, found, remark = dataset.fingerprint, None, ""
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
    if thorough and not problems:
        remark = remark or whose_digest(dataset, content)
    verified = not problems and (known_bytes or expected is not None)
    return Inspection(stream, known_bytes, found, tuple(problems), verified, remark)


def fingerprint(stream: Stream, with_examples: bool = False) -> Fingerprint:
    """The fingerprint of a stream; `with_examples` adds what tells a mere change of order.

    >>> stream = Stream("s", np.array([[0.5], [-0.0]]), np.array([0, 1]), ("b", "a"), ("x",))
    >>> found = fingerprint(stream)
    >>> found.rows, found.attributes, found.histogram, found.digest[:8]
    (2, 1, {'b': 1, 'a': 1}, 'ed35a04d')
    """
    hashers = [hashlib.sha256() for _ in stream.attributes]
    for start in range(0, stream.n_examples, _BLOCK):
        # adding zero takes the sign off a negative one
        block = (stream.X[start : start + _BLOCK] + 0.0).T.astype("<f8", order="C")
        for hasher, column in zip(hashers, block, strict=True):
            hasher.update(column)
    columns = [hasher.digest() for hasher in hashers]
    labels = hashlib.sha256(stream.y.astype("<i8").tobytes()).digest()
    counts = np.bincount(stream.y, minlength=stream.n_classes).tolist()
    return Fingerprint(
        rows=stream.n_examples,
        attributes=stream.n_attributes,
        histogram=dict(zip(stream.labels, counts, strict=True)),
        digest=hashlib.sha256(b"".join([*columns, labels])).hexdigest(),
        labels=labels.hex()[:8],
        columns=tuple(column.hex()[:8] for column in columns),
        examples=_bag_of_examples(stream) if with_examples else None,
    )


def _bag_of_examples(stream: Stream) -> str:
    """A digest that does not depend on the order: the sum of those of the examples."""
    texts = [label.encode() for label in stream.labels]
    total = 0
    for start in range(0, stream.n_examples, _BLOCK):
        block = (stream.X[start : start + _BLOCK] + 0.0).astype("<f8")
        codes = stream.y[start : start + _BLOCK].tolist()
        for row, code in zip(block, codes, strict=True):
            one = hashlib.blake2b(row.tobytes() + texts[code], digest_size=16)
            total += int.from_bytes(one.digest(), "little")
    return f"{total % (1 << 128):032x}"


def differences(stream: Stream, found: Fingerprint, expected: Fingerprint) -> list[str]:
    """What is wrong with the content of a stream, in words; nothing if the digests agree.

    The sizes are taken to agree already.
    """
    if found.digest == expected.digest:
        return []
    if expected.examples is not None and _bag_of_examples(stream) == expected.examples:
        return ["the same examples in another order"]
    result: list[str] = []
    if set(found.histogram) != set(expected.histogram):
        missing = [label for label in expected.histogram if label not in found.histogram]
        others = [label for label in found.histogram if label not in expected.histogram]
        result.append(f"classes {_listed(others)} instead of {_listed(missing)}")
    else:
        counts = [
            f"{found.histogram[label]:,} of class {label!r} instead of {count:,}"
            for label, count in expected.histogram.items()
            if found.histogram[label] != count
        ]
        result += counts[:_SHOWN]
    if found.labels != expected.labels and not result:
        result.append("the labels of other rows")
    pairs = zip(found.columns, expected.columns, strict=True)
    columns = [
        f"column {i} ({stream.attributes[i - 1]!r})"
        for i, (have, wanted) in enumerate(pairs, 1)
        if have != wanted
    ]
    if columns:
        more = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
        result.append(f"other values in {', '.join(columns[:_SHOWN])}{more}")
    return result or ["the content differs"]


def renamed(found: Fingerprint, expected: Fingerprint) -> str:
    """What the classes are called where it is not what they were called, in words."""
    if list(found.histogram) == list(expected.histogram):
        return ""
    return f"classes named {_listed([*found.histogram])}, not {_listed([*expected.histogram])}"


def _listed(labels: list[str]) -> str:
    shown = ", ".join(repr(label) for label in labels[:_SHOWN])
    return shown + (" and more" if len(labels) > _SHOWN else "")
