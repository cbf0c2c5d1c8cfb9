"""From a file to its lines: existence, compression, encoding, blank lines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from abacoc.streams.cells import fault, one_line

_OPENERS: dict[str, Callable[..., IO[bytes]]] = {
    ".gz": gzip.open,  # type: ignore[dict-item]
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
COMPRESSIONS = tuple(_OPENERS)
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
_BLOCK = 1 << 24
_MAX_BYTES = 1 << 32  # a small compressed file can unfold to anything; this much is no data set


@dataclass
class Lines:
    """The lines of a file that hold something, with their numbers in the file."""

    source: str  # the file as named in messages
    texts: list[str]
    numbers: list[int]

    def fault(
        self, row: int, reason: str, column: int | None = None, name: str | None = None
    ) -> ValueError:
        """The error for the row at that position (from 0) in this list."""
        return fault(
            self.source, reason, row=row + 1, line=self.numbers[row], column=column, name=name
        )

    def drop(self, count: int) -> None:
        """Leave out the first `count` lines: a header, say."""
        del self.texts[:count], self.numbers[:count]


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file as it lies on the disk; whatever is wrong is a `ValueError`."""
    shown = one_line(os.fspath(path))
    if os.path.isdir(path):
        raise ValueError(f"{shown}: is a folder, not a file")
    if not os.path.exists(path):
        raise ValueError(f"no such file: {shown}")
    if not os.path.isfile(path):  # a pipe or a device may never end
        raise ValueError(f"{shown}: not a regular file")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{shown}: cannot be read: {error.strerror or error}") from None


def text_lines(
    content: bytes, source: str, keep: Callable[[str], str] = lambda line: line
) -> Lines:
    """Unpack and decode a file and number its lines; what `keep` leaves blank is left out.

    >>> text_lines(b"\\xef\\xbb\\xbfa\\r\\n\\nb", "x")
    Lines(source='x', texts=['a', 'b'], numbers=[1, 3])
    """
    data = _unpacked(content, source)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise fault(source, f"byte {error.start + 1} is not UTF-8 text", line=line) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise fault(source, "a zero byte: not a text file", line=line)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = Lines(source, [], [])
    for number, raw in enumerate(text.split("\n"), 1):
        kept = keep(raw)
        if kept and not kept.isspace():
            lines.texts.append(kept)
            lines.numbers.append(number)
    if not lines.texts:
        raise fault(source, "an empty file")
    return lines


def _unpacked(content: bytes, source: str) -> bytes:
    """The content without its compression, which its name or its first bytes tell."""
    suffix = os.path.splitext(source)[1].lower()
    if suffix not in COMPRESSIONS:
        suffix = next((s for magic, s in _MAGIC.items() if content.startswith(magic)), "")
    if not suffix:
        return content
    blocks: list[bytes] = []
    size = 0
    try:
        for block in _blocks(content, suffix):
            blocks.append(block)
            size += len(block)
            if size > _MAX_BYTES:
                raise fault(source, f"unfolds to more than {_MAX_BYTES >> 30} GiB")
    except (EOFError, OSError, zlib.error, lzma.LZMAError):
        raise fault(source, f"broken or truncated {suffix} file") from None
    return b"".join(blocks)


def _blocks(content: bytes, suffix: str) -> Iterator[bytes]:
    with _OPENERS[suffix](io.BytesIO(content), "rb") as opened:
        while block := opened.read(_BLOCK):
            yield block
