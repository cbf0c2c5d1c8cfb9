"""How much of a file has been read: told by the reader, shown on a terminal only."""

import bz2
import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pytest

from abacoc.cli import main
from abacoc.streams import read_file, read_pieces
from abacoc.streams.source import WATCHER

PACKED = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.fixture(params=PACKED)
def path(request, tmp_path, monkeypatch):
    """A file of many blocks, packed or not."""
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).random((40_000, 2))
    content = "".join(f"{a!r},{b!r},{int(a > b)}\n" for a, b in rows.tolist()).encode()
    path = Path(f"mine.csv{request.param}")
    path.write_bytes(PACKED[request.param](content))
    return path


@pytest.mark.parametrize("read", [read_file, read_pieces])
def test_the_watcher_is_told_where_the_reader_is(path, read):
    told = []
    before = WATCHER.set(told.append)
    try:
        read(path)
    finally:
        WATCHER.reset(before)
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size
    assert len(set(told)) > 1, "not only in the end: bzip2 itself has blocks of 900 kB"
    read(path)
    assert told[-1] == path.stat().st_size, "who is not asked to tell does not"


class Screen(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize("more", [[], ["--pieces", "9000"]])
def test_bar_on_a_terminal_only(path, more, monkeypatch, capsys):
    monkeypatch.setattr("abacoc.protocol.BAR_DELAY", 0.0)
    monkeypatch.setattr("tqdm.std.tqdm.monitor_interval", 0)
    for terminal in (True, False):
        screen = Screen(terminal)
        monkeypatch.setattr("sys.stderr", screen)
        assert main(["run", str(path), "--head", "50", *more]) == 0
        assert (f"reading {path}: " in screen.getvalue()) == terminal
    capsys.readouterr()


def test_what_is_no_file_has_no_bar(monkeypatch, capsys):
    monkeypatch.setattr("abacoc.protocol.BAR_DELAY", 0.0)
    screen = Screen(True)
    monkeypatch.setattr("sys.stderr", screen)
    assert main(["run", "generated:sea,n=100"]) == 0
    assert "reading" not in screen.getvalue()
    assert main(["run", "nowhere.csv"]) == 2
    assert screen.getvalue().splitlines()[-1].endswith("no such file: nowhere.csv")
