"""The registered data sets: finding, fetching, checking and loading them."""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
import warnings
from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from abacoc.files import check_folder, sweep, write_atomically
from abacoc.limits import Limits
from abacoc.streams import finding
from abacoc.streams.contents import (
    Inspection,
    has_checksums,
    has_known_bytes,
    inspect,
    whose_digest,
)
from abacoc.streams.datasets import DATASETS, SOURCES, VARIANTS, DataFile, DataSet
from abacoc.streams.download import LARGEST, DownloadError, download
from abacoc.streams.finding import FOLDER_VARIABLE, cache_folder, content_of, fitting_name
from abacoc.streams.source import COMPRESSIONS, read_bytes
from abacoc.streams.stream import Stream

_PREFIX = "abacoc-download-"
_KNOWN = ChainMap(VARIANTS, DATASETS)
State = Literal["verified", "unverified", "not here"]
UNVERIFIED = "the content could not be verified: no fingerprint of it is known"


@dataclass(frozen=True)
class Check:
    """What a check of a data set found: no problem, if all is well."""

    name: str
    path: Path | None
    problems: tuple[str, ...]
    inspection: Inspection | None = None  # None: not here, or not readable

    @property
    def ok(self) -> bool:
        """Whether the file is there and nothing speaks against it."""
        return not self.problems

    @property
    def verified(self) -> bool:
        """Whether it is known to be the registered one, rather than just of the right size."""
        return self.ok and self.inspection is not None and self.inspection.verified


def names() -> tuple[str, ...]:
    """The registered data sets, in the order of Table I, then those of the figures.

    >>> names()[:3]
    ('sensor', 'kddcup99', 'powersupply')
    """
    return tuple(DATASETS)


def get(name: str) -> DataSet:
    """The entry of a data set; `ValueError` with the names there are if it is not registered.

    >>> get("sea").rows, get("kddcup99-41").attributes
    (60000, 41)
    """
    if name in _KNOWN:
        return _KNOWN[name]
    raise ValueError(f"unknown data set {name!r}{_meant(name)}; there are: {', '.join(_KNOWN)}")


def _meant(name: str) -> str:
    known = {registered.lower(): registered for registered in _KNOWN}
    close = difflib.get_close_matches(name.lower(), known, n=2, cutoff=0.6)
    return f" (did you mean {' or '.join(known[one] for one in close)}?)" if close else ""


def locate(name: str) -> Path | None:
    """The file of a data set on this machine, or None; for a packaged one, maybe an archive."""
    return finding.locate(get(name))


def state(name: str) -> State:
    """What can be said of a data set without reading its content.

    A file whose bytes are not known may still hold the right content: `check` finds out.
    """
    dataset = get(name)
    path = finding.locate(dataset)
    if path is None:
        return "not here"
    if has_checksums(dataset):  # else there is no need to read a large file
        with contextlib.suppress(ValueError):
            _, content = content_of(dataset, path)
            return "verified" if has_known_bytes(dataset, content) else "unverified"
    return "unverified"


def how_to_get(name: str) -> str:
    """What to do to have a data set here."""
    dataset = get(name)
    files = " or ".join(dict.fromkeys(file.name for file in dataset.files))
    folder = f"{FOLDER_VARIABLE} names"
    if dataset.fetchable:
        gets = "tries candidates that nobody here has seen" if dataset.unseen else "gets it"
        return f"`abacoc data fetch {name}` {gets}, or {folder} a folder that holds {files}"
    source = f" of the {SOURCES[dataset.table1.source]}" if dataset.table1 else ""
    other = f"; {dataset.elsewhere}" if dataset.elsewhere else ""
    return f"no address is registered; put {files}{source} into a folder that {folder}{other}"


def load(name: str, limits: Limits | None = None) -> Stream:
    """Read a registered data set.

    A file with other bytes than a registered one is taken if its content is the registered one,
    and refused otherwise. Where the content is not known, the sizes are compared with Table I,
    and a warning says that this is all.
    """
    path = locate(name)
    found = _inspected(name, path, limits=limits)
    if found.problems:
        raise ValueError(f"{path}: not the registered {name}: {'; '.join(found.problems)}")
    if found.verified:
        return found.stream
    warnings.warn(f"{path}: {UNVERIFIED}", stacklevel=2)
    return replace(found.stream, note=f"{found.stream.note}; content not verified")


def _inspected(name: str, path: Path | None, **how: Any) -> Inspection:
    dataset = get(name)
    if path is None:
        raise ValueError(f"{name} is not on this machine: {how_to_get(name)}")
    source, content = content_of(dataset, path)
    return inspect(dataset, content, str(source), **how)


def check(name: str) -> Check:
    """Verify a data set: the SHA-256 of the file found, and its content in any case."""
    path = locate(name)
    try:
        found = _inspected(name, path, thorough=True)
    except ValueError as error:
        return Check(name, path, (str(error),))
    problems = list(found.problems)
    if problems and has_checksums(get(name)) and not found.known_bytes:
        problems.insert(0, "the SHA-256 is not a registered one")
    return Check(name, path, tuple(f"{path}: {problem}" for problem in problems), found)


def fetch(name: str, folder: str | os.PathLike[str] | None = None, progress: bool = False) -> Path:
    """Get a data set into `folder` (see `cache_folder`), verified as by `load`; its path there.

    Of a set that nobody here has seen, the first candidate with the registered rows, attributes
    and classes is taken, and stays unverified: see `provenance`. A file that is already there and
    right is not fetched again. Nothing incomplete or wrong is ever left under the file's name, nor
    anything else beside it.
    """
    dataset = get(name)
    target = Path(folder).expanduser() if folder is not None else cache_folder()
    here = finding.present(dataset, target)
    if here is not None and not _refusal(dataset, here.name, read_bytes(here)):
        return here
    if not dataset.fetchable:
        raise ValueError(f"could not fetch {name}: {how_to_get(name)}")
    failures: list[str] = []
    for file in dataset.files:
        for url in file.urls:
            try:
                return _fetched(dataset, file, url, target, progress)
            except DownloadError as error:
                failures.append(str(error))
    if dataset.packaged is None:
        raise ValueError(f"could not fetch {name}: {'; '.join(failures)}")
    return _unpacked(dataset, target)


def provenance(name: str, path: Path) -> str:
    """Who has seen a file of a set that nobody here has seen, in words; nothing of other sets."""
    return whose_digest(get(name), read_bytes(path))


def _limit(dataset: DataSet, file: DataFile) -> int:
    """The bytes that a download may have: what the file has, or the largest of the others.

    Of a file that is known, twice as many, as another host may have other line ends; 64 times as
    many of a compressed one, as a server may unpack it on the way (`kddcup99` has 35 times).
    """
    if file.bytes is not None:
        return file.bytes * (64 if file.name.endswith(COMPRESSIONS) else 2)
    known = [other.candidate.bytes for other in dataset.files if other.candidate]
    return file.candidate.bytes if file.candidate else max(known, default=LARGEST)


def _refusal(dataset: DataSet, file_name: str, content: bytes) -> str | None:
    """Why the content of a file is not the registered one; None if it is, or may be."""
    if has_known_bytes(dataset, content):
        return None
    try:
        return "; ".join(inspect(dataset, content, fitting_name(file_name, content)).problems)
    except ValueError as error:
        return str(error)


def _fetched(dataset: DataSet, file: DataFile, url: str, target: Path, progress: bool) -> Path:
    with _writing_to(target):  # told before the download rather than after it
        check_folder(target / file.name)
    sweep(Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"))  # of downloads that were killed
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        path = Path(folder) / file.name
        download(url, path, progress, _limit(dataset, file))
        content = read_bytes(path)
    if refusal := _refusal(dataset, file.name, content):
        raise DownloadError(f"what {url} holds is not the registered {dataset.name}: {refusal}")
    return _kept(content, target / fitting_name(file.name, content))


@contextlib.contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ValueError(f"cannot write to {folder}: {error.strerror or error}") from None


def _kept(content: bytes, path: Path) -> Path:
    """Write a file whole or not at all, whoever else writes it at the same time."""
    with _writing_to(path.parent), write_atomically(path, "wb") as file:
        file.write(content)
    return path


def _unpacked(dataset: DataSet, target: Path) -> Path:
    """Copy a packaged data file into the folder."""
    assert dataset.packaged is not None
    archive, inside = finding.packaged_archive(dataset), f"package {dataset.packaged.package}"
    if archive is None:
        raise ValueError(f"{dataset.name} comes inside the Python {inside}: install that first")
    source, content = content_of(dataset, archive)
    if refusal := _refusal(dataset, source.name, content):
        raise ValueError(f"{source}: not the registered {dataset.name}: {refusal}")
    return _kept(content, target / source.name)


def open_set(name: str, limits: Limits | None = None, **reader_options: Any) -> Stream | None:
    """A registered data set, as `load` gives it; None if the word is a file and no set.

    No other options of `read_file` are taken.
    """
    if name in _KNOWN:
        if given := sorted(option for option, value in reader_options.items() if value):
            raise ValueError(f"{name} is registered with its own options: no {', '.join(given)}")
        return load(name, limits)
    if os.path.exists(name):
        return None
    what = f"neither a data set{_meant(name)} nor a file"
    raise ValueError(f"{name!r} is {what}; there are: {', '.join(_KNOWN)}")
