"""The notebooks: source and script agree, no output is stored, the smoke profile runs."""

import csv
import json
import shutil
from pathlib import Path

import jupytext
import pytest
from example import write_example

from paper.items import stored
from paper.reproduce import ITEMS, make

README_START, README_END = "<!-- theory table -->\n", "<!-- end of the table -->"

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pair_agrees_and_holds_no_output(path):
    notebook = json.loads(path.read_text())
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert any("parameters" in cell["metadata"].get("tags", []) for cell in notebook["cells"])
    script = jupytext.read(path.with_suffix(".py"))
    assert [c["source"] for c in script.cells] == ["".join(c["source"]) for c in notebook["cells"]]


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A folder with a made-up table of runs, and the ledger: checking it anew takes a minute."""
    folder = tmp_path_factory.mktemp("made_up")
    write_example(folder / "reproduced")
    shutil.copy(ROOT / "paper_results" / "reproduced" / "ledger.csv", folder / "reproduced")
    return folder


@pytest.mark.parametrize("name", [name for name in ITEMS if name != "theorem1"])
def test_notebook_makes_its_item(made_up, name):
    told = []
    assert make(made_up, name, "tiny", told.append) == [name]
    assert told == [f"{name} ..."]
    item = stored(made_up, name)
    assert not item.missing
    assert all(path.stat().st_size > 0 for path in item.paths(made_up))
    executed = made_up / "executed" / f"{ITEMS[name]}.ipynb"
    cells = json.loads(executed.read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert {output["output_type"] for output in outputs} == {"display_data"}  # no warnings
    shown = [kind for output in outputs for kind in output["data"]]
    assert shown.count("image/png") == len(item.pictures)
    assert "text/markdown" in shown


def test_every_notebook_belongs_to_an_item():
    assert set(ITEMS.values()) == {path.stem for path in NOTEBOOKS}


def test_theory_table_of_the_readme_is_the_one_that_was_written():
    """Every number in it comes from a file that `make reproduce` writes."""
    readme = (ROOT / "README.md").read_text()
    written = (ROOT / "paper_results" / "reproduced" / "theory_table.md").read_text()
    assert readme.split(README_START)[1].split(README_END)[0] == written


def test_stored_ledger_is_what_verify_finds():
    """The stored verdicts are the recorded ones of today's ledger."""
    from theory.steps import STEPS

    with (ROOT / "paper_results" / "reproduced" / "ledger.csv").open(newline="") as file:
        stored = {row["id"]: row["verdict"] for row in csv.DictReader(file)}
    assert stored == {step.id: step.recorded for step in STEPS}
