"""Rows of results.csv, drawn at random, against `abacoc run` with their parameters."""

import json
import random
from functools import lru_cache
from pathlib import Path

import pytest

from abacoc.cli import main
from abacoc.grid.inputs import head_of, shuffle_of
from abacoc.grid.tables import RESULTS, TUNING, read_rows
from abacoc.methods import METHODS, has_moa
from abacoc.streams import registry

FOLDER = Path(__file__).resolve().parents[2] / "paper_results" / "reproduced"
SAME = ("accuracy", "model_size", "n_examples", "n_updates", "n_attributes", "method_used")
LATER = ("kappa", "kappa_temporal", "macro_f1")  # runs from before they were kept lack them


def as_command(row):
    """What to type for a row."""
    stream, head = head_of(row["stream"])
    method = METHODS[row["method"]]
    order = shuffle_of(row["order"])
    settings = json.loads(row["settings"]) | json.loads(row["resolved"])
    settings.pop("relative_gamma", None)  # gamma is what was made of it
    words = ["run", stream, "--json", "--method", method.variant_of or method.name]
    words += ["--rate", row["rate"], "--seed", row["seed"], "--scale", row["scale"]]
    words += ["--shuffle", str(order)] if order is not None else []
    words += ["--head", str(head)] if head is not None else []
    for name, value in settings.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    return words


def rows(longest, generated):
    """The finished runs that took no longer than that."""
    found = [*read_rows(FOLDER / RESULTS), *read_rows(FOLDER / TUNING)]
    found = [r for r in found if r["status"] == "done" and float(r["seconds"]) <= longest]
    found = [r for r in found if r["stream"].startswith("generated:") == generated]
    return found if has_moa() else [r for r in found if METHODS[r["method"]].compiled]


def check(row, capsys):
    words = as_command(row)
    assert main(words) == 0, words
    found = json.loads(capsys.readouterr().out)
    for name in (*SAME, *LATER):
        if (
            row[name] or name in SAME
        ):  # digit for digit: Python writes a float so that it reads back
            assert str(found[name]) == row[name], (name, " ".join(words))


def test_rows_of_a_generated_stream(capsys):
    for row in random.Random(15).sample(rows(0.7, generated=True), 6):
        check(row, capsys)


def test_rows_of_the_data_sets(capsys, data_folder, monkeypatch):
    # to read these two takes ten seconds each; the slow test draws from all
    small = [
        row
        for row in rows(0.3, generated=False)
        if head_of(row["stream"])[0] not in ("covtype", "kddcup99")
    ]
    drawn = random.Random(15).sample(small, 24)
    assert len({row["method"] for row in drawn}) > 5
    # a set is read once for all its rows, which takes longer than they do
    monkeypatch.setattr(registry, "load", lru_cache(maxsize=1)(registry.load))
    for row in sorted(drawn, key=lambda row: head_of(row["stream"])[0]):
        check(row, capsys)


@pytest.mark.slow
def test_other_rows_each_time(capsys, data_folder):
    for row in random.sample(rows(20, generated=False), 100):
        check(row, capsys)
