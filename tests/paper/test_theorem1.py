"""The notebooks of Theorem 1, with small numbers: whole tables, and no bound broken in them."""

from pathlib import Path

import nbformat
import pandas as pd
import pytest

from paper.notebooks import ROOT, run_notebook
from paper.reproduce import run_in

SMALL = {
    "ledger": {"only": ["coin", "theorem1-low-dimension", "theorem1-fraction"]},
    "regret": {
        "horizons": [100, 1000], "long_horizons": [1000], "short_horizons": [200],
        "restarts": 1, "steps": 2,
    },
    "theorem1": {"n_max": 300},
}  # fmt: skip
COMMITTED = ROOT / "paper_results" / "reproduced"


@pytest.fixture(scope="module")
def output(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("theorem1")
    for name, small in SMALL.items():
        executed = run_in(folder, name, small)
        cells = nbformat.read(executed, as_version=4).cells
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        assert outputs
        assert not [output for output in outputs if output.get("name") == "stderr"]  # no warnings
    return folder


def table(output: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(output / "reproduced" / name)


def test_ledger_has_the_steps(output):
    ledger = table(output, "ledger.csv")
    assert ledger.id.tolist() == SMALL["ledger"]["only"]
    assert ledger.as_recorded.all()


def test_no_bound_is_broken(output):
    ratios, runs = table(output, "theorem1_ratios.csv"), table(output, "theorem1_regret.csv")
    bounds = ["stated", "corrected", "sharpened", "refined"]
    assert ratios.bound.unique().tolist() == bounds
    assert {"search", "refine", "wedge", "traps", "edges"} < set(ratios.adversary)
    assert ratios.ratio.between(0, 1, inclusive="right").all()
    for bound in bounds[1:]:
        assert (runs.regret <= runs[bound]).all()


def test_tightness_lies_between(output):
    tight = table(output, "theorem1_tightness.csv")
    assert tight.refined_factor.ge(1).all()
    assert (tight.refined_factor < tight.sharpened_factor).all()
    assert (tight.constant <= tight.limit).all()


def test_exponents(output):
    fits = table(output, "theorem1_exponents.csv")
    worst = fits[(fits.adversary == "worst of all") & (fits.L == 0)]
    assert worst.d.tolist() == [1, 2, 3]
    # from 100 to 1000 only: the rate itself is seen later
    assert (worst.fitted - worst.theorem).abs().lt(0.25).all()


def test_committed_exponents_are_those_of_the_theorem():
    """L = 0, the worst adversary up to T = 10^6: within 0.02.

    2/3, 3/4 and 4/5 are 0.05 apart at least, so this tells one from another.
    """
    fits = pd.read_csv(COMMITTED / "theorem1_exponents.csv")
    worst = fits[(fits.adversary == "worst of all") & (fits.L == 0)]
    assert worst.d.tolist() == [1, 2, 3]
    assert (worst.fitted - worst.theorem).abs().lt(0.02).all()


def test_one_ball_keeps_below_its_bounds(output):
    ball = table(output, "one_ball.csv")
    assert ball.n.iloc[-1] == SMALL["theorem1"]["n_max"]
    assert (ball.worst_regret <= ball.sharpened_bound).all()
    assert (ball.sharpened_bound < ball.paper_bound).all()


def test_theory_table_is_made_of_the_tables_at_hand(output):
    text = (output / "reproduced" / "theory_table.md").read_text()
    assert (
        "| steps of the proofs, each checked anew | | 3: 1 holds, 0 holds amended, 2 fails |"
        in text
    )
    assert text.count("| the stated bound fails |") == 2
    assert "L = 0, T = 1,000 |" in text


def test_theory_table_falls_back_on_committed_tables(tmp_path):
    parameters = {"output": str(tmp_path), "tables": str(COMMITTED)}
    run_notebook("theorem1", tmp_path / "theorem1.ipynb", parameters)
    written = (tmp_path / "reproduced" / "theory_table.md").read_bytes()
    assert written == (COMMITTED / "theory_table.md").read_bytes()


@pytest.mark.parametrize("name", ["one_ball.png", "theorem1_regret.png"])
def test_figure_is_a_png(output, name):
    assert (output / "figures" / name).read_bytes().startswith(b"\x89PNG")
