"""The notebooks: committed with their outputs, in one form, and each runs in a smoke profile."""

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from example import write_example

from paper.notebooks import FOLDER, tidy
from paper.reproduce import NOTEBOOKS, run_in

ROOT = Path(__file__).resolve().parent.parent
PATHS = sorted(FOLDER.glob("*.ipynb"))
# What each needs to be done in seconds; the others are quick on the made-up runs.
SMALL = {
    "attained": {
        "constants": [[0, 1], [0], [1]],
        "horizons": [[500, 1000], [1000], [1000]],
        "interval_horizons": [1000],
        "best_until": 500,
    },
    "competitors": {"measured": [], "categorical": "", "made_up": 2000},
    "hyperplane": {"n": 4000, "seeds": [0, 1], "redraws": [5]},
    "open_questions": {"head": 1500},
    "ledger": {
        "only": ["coin", "theorem1-low-dimension", "theorem1-fraction"],
        "doubted": ["radius-sum"],
    },
    "regret": {
        "horizons": [100, 1000],
        "long_horizons": [1000],
        "short_horizons": [200],
        "restarts": 1,
        "steps": 2,
    },
    "theorem1": {"n_max": 300},
    "regret_data": {"part": 64},
    "two_curves": {
        "horizons": [30, 100, 300],
        "coin_horizons": [[100, 400]] * 3,
        "long_horizons": [100, 300, 1000],
        "repeats": 3,
        "n_max": 100,
    },
}


def test_every_notebook_is_run_by_reproduce():
    assert set(NOTEBOOKS) == {path.stem for path in PATHS}
    assert not list(FOLDER.glob("*.py")), "a notebook has no twin that is kept by hand"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_is_committed_in_the_form_that_a_run_gives(path):
    """With outputs, without anything that changes by itself: the same numbers, the same bytes."""
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert nbformat.writes(tidy(notebook)) + "\n" == text
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert any("parameters" in cell.metadata.get("tags", []) for cell in cells)
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs, "a reader who opens it sees nothing"
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert str(ROOT) not in text
    assert cells[0].source.count("\n") < 40
    # computed in the open: not a call into a module
    assert sum(cell.source.count("\n") + 1 for cell in cells) >= 25


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_begins_with_a_title_and_says_something_between_the_cells(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert "".join(cells[0]["source"]).startswith("# ")
    assert sum(cell["cell_type"] == "markdown" for cell in cells) >= 3


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A folder with a made-up table of runs, and the theory's tables that one notebook reads."""
    folder = tmp_path_factory.mktemp("made_up")
    write_example(folder / "reproduced")
    shutil.copy(ROOT / "paper_results" / "reproduced" / "ledger.csv", folder / "reproduced")
    return folder


# Each starts a kernel. These run in tests/paper/test_figures.py on the same made-up runs, or in
# tests/paper/test_theorem1.py with the same parameters, where the tables they write are looked at.
ELSEWHERE = (
    *("figure1", "figure2", "figure3", "figure4", "table1", "tables23", "protocols", "wallclock"),
    *("ledger", "regret", "theorem1"),
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in ELSEWHERE else n for n in NOTEBOOKS],
)
def test_smoke(made_up, name):
    executed = run_in(made_up, name, SMALL.get(name, {}))
    cells = nbformat.read(executed, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert outputs
    assert not [output for output in outputs if output.get("name") == "stderr"]  # no warnings


def test_stored_ledger_is_what_verify_finds():
    """The stored verdicts are the recorded ones of today's ledger."""
    import csv

    from abacoc_theory.proofs.steps import STEPS

    with (ROOT / "paper_results" / "reproduced" / "ledger.csv").open(newline="") as file:
        stored = {row["id"]: row["verdict"] for row in csv.DictReader(file)}
    assert stored == {step.id: step.recorded for step in STEPS}
