"""The data sets: the fields of an entry, and the entries themselves, read from two data files.

`datasets.toml` says what each set is, where it comes from and what must be found in it;
`fingerprints.json` has what was found. What nobody here has seen is unknown: None.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from abacoc.wording import number

# What the paper's column Source stands for; the addresses are those that the paper prints.
SOURCES = {
    "SDMR": "Stream Data Mining Repository",
    "DF": "Data Sets with Concept Drift repository",
    "MOA": "Massive Online Analysis collection, moa.cms.waikato.ac.nz/datasets/",
    "LIBSVM": "LIBSVM classification repository, www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/",
}


@dataclass(frozen=True)
class TableRow:
    """A row of Table I of the paper, as printed there."""

    classes: int
    dimension: int
    examples: int
    drift: bool
    source: str  # a key of `SOURCES`


@dataclass(frozen=True)
class Candidate:
    """What others say that a file is, without its compression: seen elsewhere, never here."""

    sha256: str
    bytes: int


@dataclass(frozen=True)
class DataFile:
    """One form in which a data set is to be had, and the public addresses of these very bytes.

    Without a SHA-256, the addresses are candidates: nobody here has seen what they give.
    """

    name: str
    sha256: str | None = None  # None: not known
    urls: tuple[str, ...] = ()
    format: str = "csv"  # of the reader: csv, arff or libsvm, as its name and content tell
    candidate: Candidate | None = None  # what the addresses are said to give
    bytes: int | None = None  # the size of these very bytes; None: not known


@dataclass(frozen=True)
class Packaged:
    """A data file inside an archive that an installed Python package brings along."""

    package: str
    archive: str  # inside the package's folder
    member: str  # inside the archive; its name and SHA-256 are those of a `DataFile`


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


@dataclass(frozen=True)
class DataSet:
    """A data set of the experiments."""

    name: str
    title: str
    files: tuple[DataFile, ...]  # any of them will do; the first found is taken
    rows: int
    attributes: int  # after binarisation
    classes: int
    table1: TableRow | None = None  # None: not in Table I
    terms: str = "not stated"
    numeric: tuple[str | int, ...] = ()
    categorical: tuple[str | int, ...] = ()
    ordinal: bool = False  # categories become codes in one column, instead of 0/1 columns
    variant_of: str = ""  # the set whose files it reads in another way
    trailing_comma: bool = False
    packaged: Packaged | None = None
    fingerprint: Fingerprint | None = None  # None: nobody here has seen the content
    encoding: str = "all attributes are numbers"  # and what decided it, if there was a choice
    remark: str = ""  # what is to be known of the file, and of what is not known
    elsewhere: str = ""  # who else has it, where no address is registered

    @property
    def fetchable(self) -> bool:
        """Whether `fetch` has anywhere to get it from."""
        return self.packaged is not None or any(file.urls for file in self.files)

    @property
    def unseen(self) -> bool:
        """Whether nobody here has seen it: neither its bytes nor its content are known."""
        return self.fingerprint is None and all(file.sha256 is None for file in self.files)

    @property
    def candidates(self) -> int:
        """How many addresses are said to have a set that nobody here has seen.

        >>> DATASETS["airlines"].candidates, DATASETS["hyperPlane"].candidates
        (3, 0)
        """
        return sum(len(file.urls) for file in self.files) if self.unseen else 0

    @property
    def unlike_table1(self) -> list[str]:
        """Where what is registered differs from the paper's row."""
        if self.table1 is None:
            return []
        row = self.table1
        return deviations(
            (self.rows, self.attributes, self.classes),
            (row.examples, row.dimension, row.classes),
            "instead of Table I's",
        )


def deviations(
    found: tuple[int, int, int], expected: tuple[int, int, int], instead: str = "instead of"
) -> list[str]:
    """Which of rows, attributes and classes are not as expected, in words.

    >>> deviations((5, 4, 2), (5, 3, 2))
    ['4 attributes instead of 3']
    """
    counts = zip(("rows", "attributes", "classes"), found, expected, strict=True)
    return [
        f"{number(have, what)} {instead} {wanted:,}"
        for what, have, wanted in counts
        if have != wanted
    ]


def _text(name: str) -> str:
    return resources.files("abacoc.streams").joinpath(name).read_text("utf-8")


def _entry(name: str, said: dict[str, Any]) -> DataSet:
    """An entry of `datasets.toml`."""
    fields = said | {key: tuple(said[key]) for key in {"numeric", "categorical"} & said.keys()}
    fields["files"] = tuple(map(_file, said["files"]))
    if "table1" in said:
        fields["table1"] = TableRow(**said["table1"])
    if "packaged" in said:
        fields["packaged"] = Packaged(**said["packaged"])
    return DataSet(name, **fields, fingerprint=RECORDED.get(name))


def _file(said: dict[str, Any]) -> DataFile:
    fields = said | {"urls": tuple(said.get("urls", ()))}
    if "candidate" in said:
        fields["candidate"] = Candidate(**said["candidate"])
    return DataFile(**fields)


_SEEN = json.loads(_text("fingerprints.json"))
RECORDED = {name: Fingerprint.from_json(seen) for name, seen in _SEEN.items()}
_SAID = tomllib.loads(_text("datasets.toml"))
DATASETS = {name: _entry(name, said) for name, said in _SAID.items() if "variant_of" not in said}
# The same files, read in another way.
VARIANTS = {
    name: replace(DATASETS[said["variant_of"]], name=name, fingerprint=RECORDED.get(name), **said)
    for name, said in _SAID.items()
    if "variant_of" in said
}
