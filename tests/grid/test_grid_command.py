"""`abacoc grid`: anybody's streams and methods, resumed, with a table and a picture."""

import csv
import json

import pytest
from grid_runs import LONG_CELL

from abacoc.cli import main

CSV = "a,b,label\n" + "\n".join(
    f"{i * 37 % 101},{i * 61 % 97},{'in' if (i * 37 % 101) < 50 else 'out'}" for i in range(300)
)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text(CSV)


def call(capsys, *arguments):
    status = main(["grid", *arguments, "--workers", "1"])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_file_and_a_generator(mine, tmp_path, capsys):
    asked = ["mine.csv", "generated:sea,n=200", "--methods", "auto-adj,nn3", "--rates", "1,10%"]
    asked += ["--budgets", "5%", "--seeds", "2", "--table", "t.csv", "--plot", "p.png"]
    status, out, _ = call(capsys, *asked)
    assert status == 0
    # 2 streams x (2 methods x (1 run with all labels + 2 seeds) + 2 seeds of FIX)
    assert out.startswith("16 runs: 16 computed, in ")
    assert "AUTO-ADJ FIX, budget 0.05 of the stream" in out
    assert out.index("mine.csv") < out.index("generated:sea")
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 16
    assert {row["status"] for row in rows} == {"done"}
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    status, out, _ = call(capsys, *asked)
    assert out.startswith("16 runs: 0 computed, 16 computed here before, in ")


def test_a_run_of_the_grid_is_abacoc_run(mine, capsys):
    status, out, _ = call(capsys, "mine.csv", "--methods", "auto-adj", "--rates", "0.5", "--json")
    assert status == 0
    (point,) = json.loads(out)
    assert main(["run", "mine.csv", "--rate", "0.5", "--json"]) == 0
    run = json.loads(capsys.readouterr().out)
    assert (point["accuracy"], point["size"]) == (run["accuracy"], run["model_size"])


def test_another_content_is_another_run(mine, tmp_path, capsys):
    """The file has the same name; its content is part of the key."""
    _, first, _ = call(capsys, "mine.csv", "--methods", "auto-adj", "--json")
    (tmp_path / "mine.csv").write_text(CSV.replace("in", "x", 40))
    _, second, _ = call(capsys, "mine.csv", "--methods", "auto-adj", "--json")
    assert json.loads(first)[0]["accuracy"] != json.loads(second)[0]["accuracy"]


@pytest.mark.parametrize("n_workers", ["1", "2"])
def test_limit(mine, tmp_path, capsys, n_workers):
    """A file that asks for more than usual is read, by the worker processes, too."""
    path = tmp_path / "mine.csv"  # whole: joblib keeps processes that began in another folder
    path.write_text(CSV + LONG_CELL)
    asked = ["grid", str(path), "--methods", "auto,nn3", "--workers", n_workers]
    assert main(asked) == 1
    assert "(--limit cell=N allows more)" in capsys.readouterr().out
    assert main([*asked, "--limit", "cell=1M"]) == 0
    assert capsys.readouterr().out.startswith("2 runs: 2 computed, in ")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["nothere.csv"], "no such file: nothere.csv"),
        (["sae"], "sae"),
        (["mine.csv", "--methods", "nn4"], "unknown method 'nn4'"),
        (["mine.csv", "--rates", "200%"], "a share is above 0 and at most 1 (100%), not 200%"),
        (["mine.csv", "--rates", "ten"], "'ten' is no share such as 0.1 or 10%"),
        (["mine.csv", "--seeds", "0"], "--seeds must be at least 1, not 0"),
        (["mine.csv", "--plot", "p.gif"], ".png"),
        (["mine.csv", "--limit", "rows=2"], "--limit takes line, cell, "),
        (["mine.csv", "--table", "no/t.csv"], "no folder no to write t.csv into"),
    ],
)
def test_what_makes_no_sense_is_refused(mine, capsys, asked, message):
    status, out, err = call(capsys, *asked)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
