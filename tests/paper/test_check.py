"""Reproduction is a check: every digit is compared, and nothing tracked changes."""

import csv
import shutil
from pathlib import Path

import pytest

from abacoc.cli import main
from paper import check, reproduce

ROOT = Path(__file__).resolve().parents[2]
TABLES = check.tables(ROOT / "paper_results")


@pytest.fixture
def committed(tmp_path):
    """A copy of what is committed."""
    folder = tmp_path / "committed"
    for name in TABLES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "paper_results" / name, folder / name)
    return folder


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_committed_table_is_compared_or_measured():
    """Theory, claims and the report with them; nobody gets the same seconds twice."""
    names = {path.name for path in TABLES}
    assert {
        "results.csv",
        "ledger.csv",
        "theorem1_tightness.csv",
        "claims.csv",
        "README.md",
    } <= names
    rest = {path.name for path in (ROOT / "paper_results" / "reproduced").iterdir()} - names
    assert rest == {
        *("bench_growth.csv", "bench_machine.json", "bench_speed.csv", "bench_table.md"),
        *("bench_anatomy.csv", "bench_anatomy.md", "soak.csv", "soak_table.md"),
        # tests/baselines/test_successors.py runs some of it again
        *("successors.csv", "successors_runs.csv"),
    }


def test_nothing_differs_from_itself(committed):
    assert check.compare(committed, committed) == []


@pytest.mark.parametrize("name", TABLES, ids=lambda path: path.name)
def test_one_altered_digit_of_any_table_is_noticed(committed, tmp_path, name):
    now = tmp_path / "now"
    shutil.copytree(committed, now)
    text = (now / name).read_text(encoding="utf-8")
    place = max(text.rfind(digit) for digit in "0123456789")
    if name.name in (
        "results.csv",
        "tuning.csv",
        "other_settings.csv",
    ):  # the last number is a time
        place = text.rindex(",", 0, text.rindex(",done,") - 1) - 1
    other = "7" if text[place] != "7" else "8"
    (now / name).write_text(text[:place] + other + text[place + 1 :], encoding="utf-8")
    (found,) = check.compare(committed, now)
    assert found.table == str(name)
    assert len(found.where) == 1
    assert "committed is" in found.where[0]


def test_times_are_not_compared(committed, tmp_path):
    now = tmp_path / "now"
    shutil.copytree(committed, now)
    path = now / "reproduced" / "results.csv"
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[-1] == "seconds"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *([*row[:-1], "7"] for row in rows)])
    assert check.compare(committed, now) == []


def test_rows_and_tables_that_are_missing_are_noticed(committed, tmp_path):
    now = tmp_path / "now"
    shutil.copytree(committed, now)
    (now / "claims.csv").unlink()
    (now / "reproduced" / "new.csv").write_text("a\n1\n")
    path = now / "reproduced" / "ledger.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    rows = len(lines) - 1  # without the header
    told = {found.table: found.where[0] for found in check.compare(committed, now)}
    assert told == {
        "claims.csv": "was not made",
        "reproduced/ledger.csv": f"{rows - 1} rows, {rows} committed",
        "reproduced/new.csv": "is not committed",
    }


def test_what_a_notebook_says_is_compared(committed, tmp_path):
    """Its sources and its words; a picture is made of the tables."""
    now = tmp_path / "now"
    (now / "executed").mkdir(parents=True)
    for name in TABLES:
        (now / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(committed / name, now / name)
    ours = reproduce.FOLDER / "figure2.ipynb"
    copy = now / "executed" / ours.name
    copy.write_bytes(ours.read_bytes())
    assert check.compare(committed, now, reproduce.FOLDER, ["figure2"]) == []
    copy.write_text(ours.read_text().replace("0.887", "0.888"))
    (found,) = check.compare(committed, now, reproduce.FOLDER, ["figure2"])
    assert found.table == "notebooks/figure2.ipynb"
    assert "0.888" in found.where[0]


def test_a_notebook_of_a_run_before_is_neither_compared_nor_taken_over(committed, tmp_path):
    """It may be older than its source, which would be lost."""
    now, notebooks, kept = (tmp_path / name for name in ("now", "notebooks", "kept"))
    for folder in (now / "executed", notebooks, kept):
        folder.mkdir(parents=True)
    for name in ("figure2", "figure3"):
        (notebooks / f"{name}.ipynb").write_text('{"cells": []}')
        (now / "executed" / f"{name}.ipynb").write_text('{"cells": [{"source": "old"}]}')
    differ = check.compare(kept, now, notebooks, ["figure3"])
    assert [found.table for found in differ] == ["notebooks/figure3.ipynb"]
    check.update(kept, now, notebooks, ["figure3"])
    assert "old" not in (notebooks / "figure2.ipynb").read_text()
    assert "old" in (notebooks / "figure3.ipynb").read_text()


def test_a_wrong_digit_exits_with_1_and_changes_nothing(committed, tmp_path, monkeypatch, capsys):
    """From the command line, with an item that takes a second; --update mends it."""
    monkeypatch.setattr(reproduce, "COMMITTED", committed)
    notebooks = tmp_path / "notebooks"
    shutil.copytree(reproduce.FOLDER, notebooks, ignore=shutil.ignore_patterns("paper"))
    monkeypatch.setattr(reproduce, "FOLDER", notebooks)  # an update must not reach ours
    monkeypatch.setitem(reproduce.reproduce.__kwdefaults__, "committed", committed)
    table = committed / "reproduced" / "figure1.csv"
    right = table.read_bytes()
    assert main(["reproduce", "--only", "fig1"]) == 0
    assert "all equal to the committed ones" in capsys.readouterr().out
    table.write_bytes(right.replace(b"0.613500", b"0.613600"))
    before = {path: data for path, data in content(committed).items() if "latest" not in path.parts}
    assert main(["reproduce", "--only", "fig1"]) == 1
    out = capsys.readouterr().out
    assert "1 DIFFERENT from the committed ones" in out
    assert "figure1.csv: row 1, accuracy: 0.613500; committed is 0.613600" in out
    assert "abacoc reproduce --update" in out
    assert before.items() <= content(committed).items()
    assert main(["reproduce", "--only", "fig1", "--update"]) == 0
    assert table.read_bytes() == right
    assert "1 taken over" in capsys.readouterr().out


def test_one_item_into_a_new_folder(tmp_path, capsys):
    """Its runs come from the committed table, those that its numbers are relative to as well."""
    asked = ["--only", "table2", "--profile", "full", "--output", str(tmp_path / "new")]
    assert main(["reproduce", *asked]) == 0
    assert "all equal to the committed ones" in capsys.readouterr().out
    written = (tmp_path / "new" / "reproduced" / "table2.csv").read_text()
    assert "sea,NN3,0.677,0.1,0.502,0.67" in written  # its row is printed under poker
