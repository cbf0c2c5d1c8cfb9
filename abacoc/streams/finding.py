"""Where the files of a data set are on this machine, and under which names."""

from __future__ import annotations

import importlib.util
import os
import zipfile
import zlib
from pathlib import Path

import platformdirs

from abacoc.streams.datasets import DataSet
from abacoc.streams.source import COMPRESSIONS, compression_of, read_bytes

FOLDER_VARIABLE = "ABACOC_DATA"
CHECKOUT = Path(__file__).resolve().parents[2]  # or, of an installed package, something else
_EXTENSIONS = (".csv", ".tsv", ".data", ".txt", ".arff", ".libsvm", ".svm")


def cache_folder() -> Path:
    """Where `fetch` puts files: $ABACOC_DATA, else the platform's cache folder."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen).expanduser() if chosen else _platform_cache()


def _platform_cache() -> Path:
    return platformdirs.user_cache_path("abacoc")


def _folders() -> list[Path]:
    """The folders that may hold data files, in the order of search."""
    if not os.environ.get(FOLDER_VARIABLE) and (CHECKOUT / "pyproject.toml").is_file():
        return [CHECKOUT.parent / "shared" / "data", _platform_cache()]
    return [cache_folder(), _platform_cache()]


def file_names(dataset: DataSet) -> list[str]:
    """The names a file of the set may have, the registered ones first.

    A copy from elsewhere may be compressed in another way, or be called after the set.

    >>> from abacoc.streams.datasets import DATASETS
    >>> file_names(DATASETS["acoustic"])[:6]
    ['acoustic.bz2', 'acoustic', 'acoustic.gz', 'acoustic.xz', 'acoustic.csv', 'acoustic.csv.gz']
    """
    registered = [file.name for file in dataset.files]
    bare = [_bare(name) for name in registered]
    bare += [(dataset.variant_of or dataset.name) + extension for extension in _EXTENSIONS]
    packed = [name + suffix for name in bare for suffix in ("", *COMPRESSIONS)]
    return list(dict.fromkeys([*registered, *packed]))


def _bare(name: str) -> str:
    stem, suffix = os.path.splitext(name)
    return stem if suffix.lower() in COMPRESSIONS else name


def fitting_name(name: str, content: bytes) -> str:
    """The name with the extension of the compression that the content really has.

    >>> fitting_name("sea.data.gz", b"1,2,3,0"), fitting_name("sea.data", b"BZh9")
    ('sea.data', 'sea.data.bz2')
    """
    return _bare(name) + compression_of(content)


def locate(dataset: DataSet) -> Path | None:
    """The file of a data set on this machine, or None; for a packaged one, maybe an archive."""
    found = (present(dataset, folder) for folder in _folders())
    return next(filter(None, found), None) or packaged_archive(dataset)


def present(dataset: DataSet, folder: Path) -> Path | None:
    """The file of a data set in a folder."""
    return next((p for name in file_names(dataset) if (p := folder / name).is_file()), None)


def packaged_archive(dataset: DataSet) -> Path | None:
    """The archive with the data set in an installed package, found without importing that."""
    if dataset.packaged is None:
        return None
    spec = importlib.util.find_spec(dataset.packaged.package)
    folders = (spec and spec.submodule_search_locations) or []
    archives = (Path(folder) / dataset.packaged.archive for folder in folders)
    return next(filter(Path.is_file, archives), None)


def content_of(dataset: DataSet, path: Path) -> tuple[Path, bytes]:
    """The bytes of the file that `locate` found, and where to say they are from."""
    if path.name in file_names(dataset):
        content = read_bytes(path)
        return path.with_name(fitting_name(path.name, content)), content
    assert dataset.packaged is not None  # locate() gives no other path
    member = dataset.packaged.member
    try:
        with zipfile.ZipFile(path) as archive:
            return path / member, archive.read(member)
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error):
        raise ValueError(f"{path}: a broken archive, or no {member} in it") from None
