"""From a file to its lines: existence, compression, encoding, blank lines; a block at a time."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import compress, takewhile
from typing import IO, Any, cast

from abacoc.limits import DEFAULT, LimitError, Limits
from abacoc.streams.cells import fault, one_line

COMPRESSIONS = (".gz", ".bz2", ".xz")
_OPENERS: dict[str, Callable[..., Any]] = {"": nullcontext, ".gz": gzip.open, ".bz2": bz2.open}
_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
_SHEET = "a spreadsheet, not text: save the sheet as CSV"
_UTF16 = "UTF-16 text: save it as UTF-8, as `iconv -f UTF-16 -t UTF-8` does"
_NO_TEXT = {
    b"PK\x03\x04": _SHEET + ", or unpack the archive if it is another zip file",
    b"\xd0\xcf\x11\xe0": _SHEET,
    b"\xff\xfe": _UTF16,
    b"\xfe\xff": _UTF16,
    b"\x93NUMPY": "an array of NumPy, not text: as_stream(X, y) takes what numpy.load gives",
    b"PAR1": "a Parquet file: --format parquet (or .parquet in its name) reads it",
    b"SQLite format 3": "a database, not text: save the table as CSV",
}
_BLOCK = 1 << 18  # its lines, if they are short, are objects of ten times the size
_PACKED = 1 << 13  # bytes of an .xz file at a time, as the lzma module has it
_FOLDS = 32  # times that unpacked
_FEW = 16  # lines, for which it pays to look beyond a block

STDIN = "-"  # the name of the standard input

Blocks = Callable[[], Iterator[bytes]]  # opens a file at its beginning
# Who is told, after each block has been used, how many bytes of the file on the disk are behind it.
WATCHER: ContextVar[Callable[[int], None] | None] = ContextVar("WATCHER", default=None)


@dataclass
class Stretch:
    """Some rows of an input."""

    source: str  # as named in messages
    before: int  # how many rows come before these
    numbers: list[int]  # of the lines in the file; none, if the rows are no lines

    def fault(
        self, row: int, reason: str, column: int | None = None, name: str | None = None
    ) -> ValueError:
        """The error for the row at that position (from 0) in this stretch."""
        line = self.numbers[row] if self.numbers else None
        at = self.before + row + 1
        return fault(self.source, reason, row=at, line=line, column=column, name=name)


@dataclass
class Lines(Stretch):
    """Some of the lines of a file that hold something."""

    texts: list[str]

    def __len__(self) -> int:
        return len(self.texts)


class Reader:
    """Gives the rows of an input, in pieces that stay as they come."""

    in_pieces = True
    rest: Iterable[Any] = ()  # of the input, to be looked through for faults

    def __init__(self, source: str, pieces: Iterator[Any]) -> None:
        self.source = source  # as named in messages
        self.row = 0  # how many have been taken
        self._pieces = pieces

    def take(self, count: int) -> Any:
        """The next rows, if possible so many; none only at the end."""
        piece = next(self._pieces, ())
        self.row += len(piece)
        return piece

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Make whatever goes wrong the `ValueError` that is to be told.

        Of several faults, one of the compression or the encoding comes before one of the content,
        wherever in the file they are: so the rest of the file is looked through for the former.
        """
        try:
            yield
        except MemoryError:
            raise fault(self.source, "not enough memory to read it") from None
        except LimitError:  # what is too large is not read to its end
            raise
        except ValueError:
            for _ in self.rest:
                pass
            raise


class LineReader(Reader):
    """The lines of a file in order; what `keep` leaves blank is left out.

    No more of the file is held than a block of it, or what is looked ahead, or its longest line.

    >>> reader = LineReader(lambda: iter([b"\\xef\\xbb\\xbfa\\r", b"\\n\\nb"]), "x")
    >>> reader.peek(2)
    Lines(source='x', before=0, numbers=[1, 3], texts=['a', 'b'])
    >>> reader.take(1).texts, reader.take(9).texts, reader.take(9).texts
    (['a'], ['b'], [])
    """

    in_pieces = False

    def __init__(
        self,
        blocks: Blocks,
        source: str,
        keep: Callable[[str], str] = lambda line: line,
        limits: Limits = DEFAULT,
    ) -> None:
        super().__init__(source, iter(()))
        self._blocks, self._keep, self.limits = blocks, keep, limits
        self.rest = _decoded(blocks(), source, limits)
        self._header = 0  # how many lines it has
        self._texts: list[str] = []  # those that wait, and their numbers
        self._numbers: list[int] = []
        self._more = self._stretches()

    def peek(self, count: int) -> Lines:
        """The next lines, `count` unless the file ends, without taking them."""
        while len(self._texts) < count and (more := next(self._more, None)):
            self._numbers += more[0]
            self._texts += more[1]
        return Lines(self.source, self.row, self._numbers[:count], self._texts[:count])

    def take(self, count: int) -> Lines:
        """See `Reader.take`; at most `count` of the next lines."""
        if sum(map(len, self.peek(1).texts)) < _BLOCK:  # long lines come one by one
            self.peek(min(count, _FEW))
        taken = self.peek(min(count, len(self._texts)))
        del self._texts[: len(taken)], self._numbers[: len(taken)]
        self.row += len(taken)
        return taken

    def _stretches(self) -> Iterator[tuple[list[int], list[str]]]:
        """The lines that hold something with their numbers before them, a block at a time."""
        read, is_empty = 0, True
        for text in self.rest:
            if "\r" in text:
                text = text.replace("\r\n", "\n").replace("\r", "\n")
            if text.isspace():  # a file can unfold to nothing but line ends
                read += text.count("\n", 0, -1) + 1
                continue
            lines = list(map(self._keep, text.removesuffix("\n").split("\n")))
            held = [bool(line) and not line.isspace() for line in lines]
            if any(held):
                is_empty = False
                numbers = range(read + 1, read + 1 + len(lines))
                yield list(compress(numbers, held)), list(compress(lines, held))
            read += len(lines)
        if is_empty:
            raise fault(self.source, "an empty file")

    def begin_rows(self) -> None:
        """What has been taken was a header: the rows are counted from here."""
        self._header, self.row = self.row, 0

    def again(self) -> LineReader:
        """A reader of the same file, at the first row."""
        reader = LineReader(self._blocks, self.source, self._keep, self.limits)
        while reader.row < self._header and reader.take(self._header - reader.row):
            pass
        reader.begin_rows()
        return reader


def read_bytes(path: str | os.PathLike[str], limits: Limits = DEFAULT) -> bytes:
    """The content of a file as it lies on the disk; whatever is wrong is a `ValueError`.

    A pipe is read to its end, within the limit of an unpacked file.
    """
    if not (is_pipe := comes_once(path)):
        refuse_irregular(path)
    with _readable(path) as file:
        content = file.read(limits.unpacked if is_pipe else -1)
        if is_pipe and file.read(1):
            reason = f"more than {limits.said('unpacked')}; --pieces reads it as it comes"
            raise fault(os.fspath(path), reason)
        return content


def read_blocks(path: str | os.PathLike[str], limits: Limits = DEFAULT) -> Iterator[bytes]:
    """The content of a file without its compression; whatever is wrong is a `ValueError`."""
    with _readable(path) as file:
        yield from unpacked(file, os.fspath(path), limits)


def comes_once(path: str | os.PathLike[str]) -> bool:
    """Whether this is the standard input or a pipe, which nobody can read again."""
    try:
        return os.fspath(path) == STDIN or stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


@contextmanager
def _readable(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    is_stdin = os.fspath(path) == STDIN
    if is_stdin and (sys.stdin is None or sys.stdin.isatty()):
        raise ValueError("the standard input is a terminal: nothing to read (abacoc run - < FILE)")
    try:
        with nullcontext(sys.stdin.buffer) if is_stdin else open(path, "rb") as file:
            yield file
    except OSError as error:
        why = error.strerror or one_line(str(error))
        raise ValueError(f"{one_line(os.fspath(path))}: cannot be read: {why}") from None


def refuse_irregular(path: str | os.PathLike[str]) -> None:
    """Raise `ValueError` if there is no such file or it is none that can be read to its end."""
    shown = one_line(os.fspath(path))
    if os.path.isdir(path):
        raise ValueError(f"{shown}: is a folder, not a file")
    if not os.path.exists(path):
        raise ValueError(f"no such file: {shown}")
    if not os.path.isfile(path):  # a device may never end
        raise ValueError(f"{shown}: neither a file nor a pipe")


def compression_of(start: bytes) -> str:
    """The usual extension of a file that begins so; nothing if it is not compressed.

    >>> compression_of(gzip.compress(b"text")), compression_of(b"text")
    ('.gz', '')
    """
    return next((suffix for magic, suffix in _MAGIC.items() if start.startswith(magic)), "")


def unpacked(file: IO[bytes], source: str, limits: Limits = DEFAULT) -> Iterator[bytes]:
    """The blocks of a file without its compression, which its name or its first bytes tell."""
    told, size = WATCHER.get(), 0
    suffix, packed = os.path.splitext(source)[1].lower(), file
    if suffix not in COMPRESSIONS:
        start = file.read(max(map(len, _MAGIC)))
        suffix, packed = compression_of(start), cast("IO[bytes]", _Rewound(start, file))
    try:
        for block in _unxz(packed, source, limits) if suffix == ".xz" else _unzip(packed, suffix):
            size += len(block)
            if suffix and size > limits.unpacked:
                raise fault(source, f"unfolds to more than {limits.said('unpacked')}")
            yield block
            if told is not None:
                told(file.tell())
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if isinstance(error, OSError) and (error.errno is not None or not suffix):
            raise  # the disk's fault, not the archive's
        raise fault(source, f"broken or truncated {suffix} file") from None


class _Rewound:
    """A file of which the beginning has been read, at its beginning: a pipe cannot go back."""

    def __init__(self, start: bytes, rest: IO[bytes]) -> None:
        self.start, self.rest = start, rest

    def read(self, size: int) -> bytes:
        """At most so many bytes; none only at the end."""
        start, self.start = self.start[:size], self.start[size:]
        return start or self.rest.read(size)


def _unzip(file: IO[bytes], suffix: str) -> Iterator[bytes]:
    with _OPENERS[suffix](file) as opened:
        while block := opened.read(_BLOCK):
            yield block


def _unxz(file: IO[bytes], source: str, limits: Limits) -> Iterator[bytes]:
    """As `lzma.open`, which has no limit on the memory: the file says how much it wants."""
    data, is_later = file.read(_PACKED), False
    while data or not is_later:
        decoder, begun = lzma.LZMADecompressor(memlimit=limits.dictionary), False
        while not decoder.eof:
            if begun:
                data = file.read(_PACKED) if decoder.needs_input else b""
                if decoder.needs_input and not data:
                    raise EOFError
            try:
                block = decoder.decompress(data, _FOLDS * _PACKED)
            except lzma.LZMAError as error:
                if "memory" in str(error).lower():
                    reason = f"takes memory to unpack of more than {limits.said('dictionary')}"
                    raise fault(source, reason) from None
                if is_later and not begun:
                    return  # other bytes after the last archive are left alone, as everywhere
                raise
            begun = True
            if block:
                yield block
        data, is_later = decoder.unused_data or file.read(_PACKED), True


def _whole_lines(blocks: Iterator[bytes], longest: int) -> Iterator[bytes]:
    """The same bytes, cut after line ends only: never inside a character or a CR LF.

    It ends after a part of a line that is too long already.
    """
    kept: list[bytes] = []
    held = 0
    for block in blocks:
        cut = 1 + max(block.rfind(b"\n"), block.rfind(b"\r", 0, len(block) - 1))
        if cut:
            yield b"".join([*kept, block[:cut]])
            kept, held = [], 0
        kept.append(block[cut:])
        held += len(kept[-1])
        if held > longest + 1:  # the last may be a CR
            break
    yield b"".join(kept)


def _decoded(blocks: Iterator[bytes], source: str, limits: Limits) -> Iterator[str]:
    """The text in stretches of whole lines.

    Faults are told in the order of their weight, not of their place: a broken archive, then bytes
    that are no text, then a zero byte.
    """
    offset = line = zero_line = 0  # of the file: bytes and line ends so far
    is_too_long = False
    for data in _whole_lines(blocks, limits.line):
        if not offset:
            for magic, what in _NO_TEXT.items():
                if data.startswith(magic):
                    raise fault(source, what)
        if len(data) > limits.line:
            lines = data.splitlines(keepends=True)
            short = [*takewhile(lambda line: len(line.rstrip(b"\r\n")) <= limits.line, lines)]
            is_too_long, data = len(short) < len(lines), b"".join(short)
        mark = len(codecs.BOM_UTF8) if not offset and data.startswith(codecs.BOM_UTF8) else 0
        try:
            text = data[mark:].decode()
        except UnicodeDecodeError as error:
            for _ in blocks:  # the rest may be broken
                pass
            start = mark + error.start
            line += _line_ends(data[:start]) + 1
            reason = f"byte {offset + start + 1} is not UTF-8 text"
            raise fault(source, reason, line=line) from None
        if not offset and "\0" in text[:4] and text[:4].count("\0") == 2:  # no letter is as rare
            raise fault(source, _UTF16)
        if not zero_line and "\0" in text:
            zero_line = line + _line_ends(data[: data.index(b"\0")]) + 1
        if text and not zero_line:
            yield text
        offset += len(data)
        line += _line_ends(data)
        if is_too_long:
            break
    if zero_line:
        raise fault(source, "a zero byte: not a text file", line=zero_line)
    if is_too_long:
        raise fault(source, f"a line of more than {limits.said('line')}", line=line + 1)


def _line_ends(data: bytes) -> int:
    returns = data.count(b"\r")
    return data.count(b"\n") + (returns - data.count(b"\r\n") if returns else 0)
