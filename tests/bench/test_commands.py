"""What the two commands of the README take: measured, tabled, and not written if one fails."""

import subprocess
import sys

import pytest

from abacoc.bench import commands


def test_measure(tmp_path):
    (tmp_path / "file").write_bytes(bytes(3 << 20))
    good, bad = commands.measure(tmp_path, ["true", "false"])
    assert (good.status, bad.status) == (0, 1)
    assert good.disk_mb == 3
    assert good.largest_process_mb > 0


def test_memory_is_that_of_the_command_alone(tmp_path):
    """A large one before it does not count.

    Measured from a small process: on Linux a child begins with the peak of the one that starts it.
    """
    program = """
import sys
from pathlib import Path
from abacoc.bench.commands import measure
large = f"{sys.executable} -c bytearray(300<<20)"
print(*(row.largest_process_mb for row in measure(Path(sys.argv[1]), [large, "true"])))
"""
    command = [sys.executable, "-c", program, str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    large, small = map(int, told.split())
    assert small < 300 <= large


def test_table():
    row = commands.Measured("make test", 7.5, 1234, 2000, 0, "a processor", "2", "yes")
    text = commands.table([row])
    assert "| `make test` | 7.5 | 1,234 MB | 2,000 MB |" in text
    assert "on 2 cores of a processor, with the data sets" in text


@pytest.mark.parametrize("command", ["false", "true"])
def test_a_failure_writes_nothing(command, tmp_path, monkeypatch, capsys):
    """In a stand-in for the checkout: it is cloned."""
    for path, text in (
        ("README.md", "<!-- commands table -->\nold\n<!-- end of the table -->\n"),
        ("paper_results/reproduced/x", ""),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    monkeypatch.setattr(commands.subprocess, "run", fake_clone(commands.subprocess.run))
    status = commands.main([command])
    readme = (tmp_path / "README.md").read_text()
    if command == "true":
        assert status == 0
        assert "| `true` |" in readme
        assert (tmp_path / "paper_results/reproduced/commands.csv").is_file()
    else:
        assert status == 1
        assert "old" in readme
        assert not (tmp_path / "paper_results/reproduced/commands.csv").exists()


def fake_clone(run):
    def instead(command, **options):
        if command[:2] == ["git", "clone"]:
            command = ["mkdir", command[-1]]
        return run(command, **options)

    return instead
