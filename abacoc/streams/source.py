"""From a file to its lines: existence, compression, encoding, blank lines; a block at a time."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
_BLOCK = 1 << 18  # its lines, if they are short, are objects of ten times the size
_FEW = 16  # lines, for which it pays to look beyond a block
_MAX_BYTES = 1 << 32  # a small compressed file can unfold to anything; this much is no data set

Blocks = Callable[[], Iterator[bytes]]  # opens a file at its beginning


@dataclass
class Lines:
    """A stretch of the lines of a file that hold something, with their numbers in the file."""

    source: str  # the file as named in messages
    texts: list[str]
    numbers: list[int]
    before: int = 0  # how many rows come before these

    def __len__(self) -> int:
        return len(self.texts)

    def fault(
        self, row: int, reason: str, column: int | None = None, name: str | None = None
    ) -> ValueError:
        """The error for the row at that position (from 0) in this stretch."""
        number = self.before + row + 1
        return fault(
            self.source, reason, row=number, line=self.numbers[row], column=column, name=name
        )


class LineReader:
    """The lines of a file in order; what `keep` leaves blank is left out.

    No more of the file is held than a block of it, or what is looked ahead, or its longest line.

    >>> reader = LineReader(lambda: iter([b"\\xef\\xbb\\xbfa\\r", b"\\n\\nb"]), "x")
    >>> reader.peek(2)
    Lines(source='x', texts=['a', 'b'], numbers=[1, 3], before=0)
    >>> reader.take(1).texts, reader.take(9).texts, reader.take(9).texts
    (['a'], ['b'], [])
    """

    def __init__(
        self, blocks: Blocks, source: str, keep: Callable[[str], str] = lambda line: line
    ) -> None:
        self.source = source
        self.row = 0  # how many have been taken
        self._blocks, self._keep = blocks, keep
        self._header = 0
        self._stretches = _stretches(blocks(), source, keep)
        self._waiting = Lines(source, [], [])
        self._at = 0  # those of them that have been taken

    def peek(self, count: int) -> Lines:
        """The next lines, `count` unless the file ends, without taking them."""
        while len(self._waiting) - self._at < count and self._more():
            pass
        return self._next(count)

    def take(self, count: int) -> Lines:
        """At most `count` of the next lines; none only at the end of the file."""
        self.peek(min(count, _FEW))
        taken = self._next(count)
        self._at += len(taken)
        self.row += len(taken)
        return taken

    def _next(self, count: int) -> Lines:
        part = slice(self._at, self._at + count)
        return Lines(self.source, self._waiting.texts[part], self._waiting.numbers[part], self.row)

    def _more(self) -> bool:
        waiting = self._waiting
        del waiting.texts[: self._at], waiting.numbers[: self._at]
        self._at = 0
        texts, numbers = next(self._stretches, ([], []))
        waiting.texts += texts
        waiting.numbers += numbers
        return bool(texts)

    def begin_rows(self) -> None:
        """What has been taken was a header: the rows are counted from here."""
        self._header, self.row = self.row, 0

    def again(self) -> LineReader:
        """A reader of the same file, at the first row."""
        reader = LineReader(self._blocks, self.source, self._keep)
        while reader.row < self._header and reader.take(self._header - reader.row):
            pass
        reader.begin_rows()
        return reader

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Make whatever goes wrong with a file the `ValueError` that is to be told.

        Of several faults, one of the compression or the encoding comes before one of the content,
        wherever in the file they are: so the rest of the file is looked through for the former.
        """
        try:
            yield
        except MemoryError:
            raise fault(self.source, "not enough memory to read it") from None
        except ValueError:
            while self.take(1 << 20):
                pass
            raise


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file as it lies on the disk; whatever is wrong is a `ValueError`."""
    refuse_irregular(path)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def read_blocks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The content of a file without its compression; whatever is wrong is a `ValueError`."""
    try:
        with open(path, "rb") as file:
            yield from unpacked(file, os.fspath(path))
    except OSError as error:
        raise _unreadable(path, error) from None


def refuse_irregular(path: str | os.PathLike[str], why: str = "") -> None:
    """Raise `ValueError` if there is no such file or it is none that can be read to its end."""
    shown = one_line(os.fspath(path))
    if os.path.isdir(path):
        raise ValueError(f"{shown}: is a folder, not a file")
    if not os.path.exists(path):
        raise ValueError(f"no such file: {shown}")
    if not os.path.isfile(path):  # a pipe or a device may never end
        raise ValueError(f"{shown}: not a regular file{why}")


def _unreadable(path: str | os.PathLike[str], error: OSError) -> ValueError:
    return ValueError(
        f"{one_line(os.fspath(path))}: cannot be read: {error.strerror or one_line(str(error))}"
    )


def compression_of(start: bytes) -> str:
    """The usual extension of a file that begins so; nothing if it is not compressed.

    >>> compression_of(gzip.compress(b"text")), compression_of(b"text")
    ('.gz', '')
    """
    return next((suffix for magic, suffix in _MAGIC.items() if start.startswith(magic)), "")


def unpacked(file: IO[bytes], source: str) -> Iterator[bytes]:
    """The blocks of a file without its compression, which its name or its first bytes tell."""
    suffix = os.path.splitext(source)[1].lower()
    if suffix not in COMPRESSIONS:
        start = file.read(max(map(len, _MAGIC)))
        file.seek(0)
        suffix = compression_of(start)
    if not suffix:
        while block := file.read(_BLOCK):
            yield block
        return
    size = 0
    try:
        with _OPENERS[suffix](file, "rb") as opened:
            while block := opened.read(_BLOCK):
                size += len(block)
                if size > _MAX_BYTES:
                    raise fault(source, f"unfolds to more than {_MAX_BYTES >> 30} GiB")
                yield block
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's fault, not the archive's
        raise fault(source, f"broken or truncated {suffix} file") from None


def _whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, cut after line ends only: never inside a character or a CR LF."""
    kept: list[bytes] = []
    for block in blocks:
        cut = 1 + max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - 1))
        if cut:
            yield b"".join([*kept, block[:cut]])
            kept.clear()
        kept.append(block[cut:])
    yield b"".join(kept)


def _decoded(blocks: Iterator[bytes], source: str) -> Iterator[str]:
    """The text in stretches of whole lines.

    Faults are told in the order of their weight, not of their place: a broken archive, then bytes
    that are no text, then a zero byte.
    """
    offset = line = zero_line = 0  # of the file: bytes and line ends so far
    for data in _whole_lines(blocks):
        mark = len(codecs.BOM_UTF8) if not offset and data.startswith(codecs.BOM_UTF8) else 0
        try:
            text = data[mark:].decode()
        except UnicodeDecodeError as error:
            for _ in blocks:  # the rest may be broken
                pass
            start = mark + error.start
            line += data.count(b"\n", 0, start) + 1
            reason = f"byte {offset + start + 1} is not UTF-8 text"
            raise fault(source, reason, line=line) from None
        if not zero_line and "\0" in text:
            zero_line = line + text.count("\n", 0, text.index("\0")) + 1
        if not zero_line:
            yield text
        offset += len(data)
        line += data.count(b"\n")
    if zero_line:
        raise fault(source, "a zero byte: not a text file", line=zero_line)


def _stretches(
    blocks: Iterator[bytes], source: str, keep: Callable[[str], str]
) -> Iterator[tuple[list[str], list[int]]]:
    """The lines that hold something and their numbers, some at a time and never none."""
    last, empty = 0, True
    for text in _decoded(blocks, source):
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        raws = text.removesuffix("\n").split("\n")
        texts: list[str] = []
        numbers: list[int] = []
        for number, raw in enumerate(raws, last + 1):
            kept = keep(raw)
            if kept and not kept.isspace():
                texts.append(kept)
                numbers.append(number)
        last += len(raws)
        if texts:
            empty = False
            yield texts, numbers
    if empty:
        raise fault(source, "an empty file")
