"""`--scale online`, `online-minmax` and `compare`, from the shell and in a grid."""

import json
from pathlib import Path

import numpy as np
import pytest

from abacoc import AutoAdj, Scaled, commands, load, prequential
from abacoc.baselines.kperc import typical_square
from abacoc.cli import main
from abacoc.grid.jobs import make_job, run_job
from abacoc.grid.keys import programs
from abacoc.methods import METHODS
from abacoc.scaling import AHEAD, ONLINE, SCALES, scaled
from abacoc.streams import read_file


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A file of 90 rows whose second attribute has another unit, and says nothing."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(90, 2)) * [1.0, 1e4]
    y = np.where(X[:, 0] > 0, "yes", "no")
    lines = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y, strict=True)]
    (tmp_path / "mine.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    return read_file("mine.csv")


def call(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def result(capsys, *arguments):
    status, out, err = call(capsys, *arguments, "--json")
    assert status == 0, err
    return json.loads(out)


def test_the_shell_offers_every_scaling(capsys):
    assert (commands.SCALES, commands.AHEAD, commands.ONLINE) == (SCALES, AHEAD, ONLINE)
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert "standard, minmax: the same two by the whole stream, so these two look ahead" in told


@pytest.mark.parametrize("how", ONLINE)
def test_a_run_in_pieces_or_whole(mine, how, capsys):
    run = prequential(Scaled(AutoAdj(), how), mine.X, [mine.labels[k] for k in mine.y])
    for more in ([], ["--pieces", "7"], ["--engine", "reference"]):
        found = result(capsys, "run", "mine.csv", "--scale", how, *more)
        assert found["scale"] == how
        assert (found["accuracy"], found["model_size"]) == (run.accuracy, run.n_balls)
    assert run.accuracy > 0.7
    assert prequential(AutoAdj(), mine.X, mine.y.tolist()).accuracy < 0.65


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"rules", "auto-adj-fix"}))
def test_every_method_takes_it(mine, name, capsys):
    if "not installed" in programs(name):
        pytest.skip(programs(name))
    found = result(capsys, "run", "mine.csv", "--scale", "online", "--method", name)
    assert found["n_examples"] == 90


def test_gamma_is_found_in_the_stream_as_it_is_scaled(mine, capsys):
    found = result(capsys, "run", "mine.csv", "--scale", "online", "--method", "k-perc")
    assert found["gamma"] == 1 / typical_square(scaled(mine.X, "online"))
    job = run_job(make_job("mine.csv", "k-perc", 1, 0, "online"))
    assert (job["resolved"]["gamma"], job["accuracy"]) == (found["gamma"], found["accuracy"])


def test_what_is_saved_and_drawn(mine, capsys):
    arguments = ["--scale", "online", "--save", "model", "--plot", "run.svg", "--dump", "out.csv"]
    assert call(capsys, "run", "mine.csv", *arguments)[0] == 0
    learner = load("model")
    assert isinstance(learner, Scaled)
    assert learner.statistics.n == 90
    assert len(Path("out.csv").read_text(encoding="utf-8").splitlines()) == 91


def test_a_grid_has_them(mine, capsys):
    found = result(
        capsys, "grid", "mine.csv", "--methods", "auto-adj", "--scale", "online", "--workers", "1"
    )
    alone = result(capsys, "run", "mine.csv", "--scale", "online")
    assert [point["accuracy"] for point in found] == [alone["accuracy"]]
    with pytest.raises(ValueError, match="unknown scaling 'compare': it is one of none"):
        make_job("mine.csv", "auto-adj", 1, 0, "compare")


@pytest.mark.parametrize("more", [[], ["--method", "nn3"], ["--rate", "0.5", "--seed", "2"]])
def test_compare_is_each_of_them_alone(mine, more, capsys):
    rows = result(capsys, "run", "mine.csv", "--scale", "compare", *more)
    assert [row["scale"] for row in rows if not row["looks_ahead"]] == ["none", "unit", *ONLINE]
    assert [row["scale"] for row in rows if row["looks_ahead"]] == list(AHEAD)
    for row in rows:
        alone = result(capsys, "run", "mine.csv", "--scale", row["scale"], *more)
        for key in ("accuracy", "kappa", "model_size", "n_examples"):
            assert row[key] == alone[key]


def test_compare_in_pieces_has_no_look_ahead(mine, capsys):
    whole = result(capsys, "run", "mine.csv", "--scale", "compare")
    pieces = result(capsys, "run", "mine.csv", "--scale", "compare", "--pieces", "11")
    told = [[row["scale"], row["accuracy"], row["model_size"]] for row in whole]
    assert [[row["scale"], row["accuracy"], row["model_size"]] for row in pieces] == told[:4]


def test_the_table_names_the_best_that_does_not_look_ahead(mine, capsys):
    rows = result(capsys, "run", "mine.csv", "--scale", "compare")
    status, out, _ = call(capsys, "run", "mine.csv", "--scale", "compare")
    lines = out.splitlines()
    assert status == 0
    assert len(lines) == 2 + len(rows) + 1
    assert [line.endswith("looks ahead") for line in lines[2:-1]] == [
        row["looks_ahead"] for row in rows
    ]
    best = max((row for row in rows if not row["looks_ahead"]), key=lambda row: row["accuracy"])
    told = f"--scale {best['scale']}, accuracy {best['accuracy']:.6f}"
    assert lines[-1] == f"best without looking ahead: {told}"
    assert max(row["accuracy"] for row in rows) >= best["accuracy"]


@pytest.mark.parametrize("option", ["--dump", "--save", "--plot"])
def test_compare_writes_no_files(mine, option, tmp_path, capsys):
    status, _, err = call(capsys, "run", "mine.csv", "--scale", "compare", option, "out.png")
    assert (status, err) == (2, f"abacoc: {option} is for one learner, not for --scale compare\n")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_a_stream_of_one_class(capsys, tmp_path):
    (tmp_path / "one.csv").write_text("1,a\n2,a\n3,a\n")
    rows = result(capsys, "run", tmp_path / "one.csv", "--scale", "compare")
    assert {row["accuracy"] for row in rows} == {2 / 3}
    assert call(capsys, "run", tmp_path / "one.csv", "--scale", "compare")[0] == 0
