"""What a data set holds, in a few numbers: the same for every copy with the same content.

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
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from abacoc.streams.stream import Stream

_BLOCK = 4096  # rows that are turned into columns at a time, in the processor's cache
_SHOWN = 3  # classes or columns that a message lists


@dataclass(frozen=True)
class Fingerprint:
    """The content of a stream. Two streams with the same digest are the same to any learner."""

    rows: int
    attributes: int
    histogram: dict[str, int]  # the examples of each class, by first appearance
    digest: str  # SHA-256 of those of the columns and of the label codes
    labels: str  # the beginning of the SHA-256 of the label codes: to say what differs
    columns: tuple[str, ...]  # and of each column
    examples: str | None = None  # of the examples whatever their order; slow, so not always there

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Fingerprint:
        """The inverse of `as_json`."""
        return cls(**(entry | {"columns": tuple(entry["columns"].split())}))

    def as_json(self) -> dict[str, Any]:
        """A dictionary for `json`, the columns on one line."""
        return vars(self) | {"columns": " ".join(self.columns)}


@cache
def recorded() -> dict[str, Fingerprint]:
    """The fingerprints of the registered sets whose content was seen, by name.

    >>> recorded()["sea"].histogram
    {'0': 22384, '1': 37616}
    """
    text = resources.files("abacoc.streams").joinpath("fingerprints.json").read_text("utf-8")
    return {name: Fingerprint.from_json(entry) for name, entry in json.loads(text).items()}


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
    columns = [
        f"column {i} ({name!r})"
        for i, (name, have, wanted) in enumerate(
            zip(stream.attributes, found.columns, expected.columns, strict=True), 1
        )
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
