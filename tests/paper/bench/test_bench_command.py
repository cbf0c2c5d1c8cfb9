"""The benchmark from the shell: a tiny run from end to end, and what can be missing."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from abacoc.cli import main
from paper.bench.profiles import PEERS, PROFILES

TINY = PROFILES["tiny"]


def test_tiny_profile(stand_in, tmp_path, capsys):
    arguments = ["bench", "--profile", "tiny", "--streams", "uniform-5", "--repeats", "2"]
    assert main([*arguments, "--output", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "uniform-5: whole: plain:" in err  # progress
    assert "uniform-5: 1,200 examples, 5 attributes" in out
    assert "1,200 examples, d = 5," in out.split("grows like")[-1]  # the headline
    folder = tmp_path / "reproduced"
    with (folder / "bench_speed.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["entrant"] for row in rows} == {"ours", *PEERS}
    assert all(
        float(row["per_second"]) > 0 if row["rounds"] != "0" else row["note"] for row in rows
    )
    with (folder / "bench_growth.csv").open(newline="") as file:
        counts = list(csv.DictReader(file))
    assert [int(row["examples"]) for row in counts] == list(TINY.sizes)
    fitted = [float(row["exponent"]) for row in counts]
    assert all(0.9 < exponent < 1.1 for exponent in fitted)  # the stand-in scans
    source = json.loads((folder / "bench_machine.json").read_text())
    assert source["profile"] == "tiny"
    assert source["headline"] in out
    for name in ("bench_speed.png", "bench_growth.png"):
        assert (tmp_path / "figures" / name).read_bytes().startswith(b"\x89PNG")


def test_json_without_peers(stand_in, tmp_path, capsys):
    arguments = ["bench", "--profile", "tiny", "--streams", "uniform-2", "--peers", ""]
    assert main([*arguments, "--repeats", "1", "--output", str(tmp_path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [row["entrant"] for row in result["speed"]] == ["ours"]
    assert result["speed"][0]["ratio"] is None  # JSON has no nan
    assert len(result["growth"]) == len(TINY.sizes)
    assert [Path(name).name for name in result["written"]] == [
        "bench_speed.csv",
        "bench_growth.csv",
        "bench_anatomy.csv",
        "bench_machine.json",
        "bench_anatomy.md",
        "bench_speed.png",
        "bench_growth.png",
        "bench_table.md",
    ]
    assert {Path(name) for name in result["written"]} == set(tmp_path.glob("*/*"))
    table = (tmp_path / "reproduced" / "bench_table.md").read_text()
    assert "| uniform-2 |" in table
    assert "times as many for ten times the balls" in table


def test_data_that_are_not_here(stand_in, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nowhere"))
    arguments = ["bench", "--profile", "tiny", "--streams", "sea", "--output", str(tmp_path)]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert "sea: skipped" in out
    assert "nothing was measured" in err
    assert not list(tmp_path.iterdir())  # results of before are kept


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--streams", "mars"], "unknown stream 'mars'"), (["--repeats", "0"], "at least 1")],
)
def test_bad_options(tmp_path, capsys, arguments, message):
    assert main(["bench", "--output", str(tmp_path), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom abacoc.cli import main\n"
        "try: main(['bench', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'river', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
