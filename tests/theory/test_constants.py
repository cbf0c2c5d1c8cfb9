"""The constants: ledger, bounds, README and the sources of Coq have the same numbers."""

import ast
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

from abacoc_theory import constants
from abacoc_theory.proofs import formal
from abacoc_theory.proofs.statement import exact, number
from abacoc_theory.proofs.steps import STEPS
from abacoc_theory.regret.bounds import bounds, refined_bound, stated_bound
from abacoc_theory.regret.sites import Phase

ROOT = Path(__file__).resolve().parents[2]
BY_ID = {step.id: step for step in STEPS}
# the constant, and the steps whose statements have it
CHECKED = {
    "PHASES": ("phases-factor", "theorem1", "theorem1-corrected"),
    "BALL": ("square-roots", "theorem1", "theorem1-corrected"),
    "RADII": ("radius-sum", "theorem1", "theorem1-corrected", "theorem-leading"),
    "ONE_BALL": ("potential-sum", "balls-of-a-phase", "theorem-leading", "without-hypotheses"),
    "ONE_BALL_LESS": ("potential-sum", "one-ball-tight", "without-hypotheses"),
    "SHARP_BALLS": ("phases-balls", "theorem-sharpened"),
    "SHARP_RADII": ("phases-radii", "theorem-sharpened"),
}
# where the sources of Coq say it
FORMAL = {
    "PHASES": "corrected_theorem_1",
    "BALL": "corrected_theorem_1",
    "RADII": "corrected_theorem_1",
    "ONE_BALL": "one_ball",
    "ONE_BALL_LESS": "one_ball",
    "SHARP_BALLS": "sharper_theorem",
    "SHARP_RADII": "sharper_theorem",
}


@pytest.mark.parametrize(("name", "id"), [(c, id) for c, ids in CHECKED.items() for id in ids])
def test_a_step_checks_the_constant_and_states_it(name, id):
    value, step = getattr(constants, name), BY_ID[id]
    assert any(number(value) in part.free_symbols for part in step.claim.parts)
    assert f"{value:g}" in step.claim.latex
    assert exact(number(value)) == Fraction(str(value))


def test_every_constant_is_checked():
    named = {name for name in vars(constants) if name.isupper()}
    assert named == set(CHECKED) == set(FORMAL)


@pytest.mark.parametrize("name", FORMAL)
def test_coq_has_the_constant(name):
    value, theorem = Fraction(str(getattr(constants, name))), FORMAL[name]
    assert value in formal.numbers(" ".join(formal.THEOREMS[theorem].bounds))
    if (formal.SOURCES / "Statements.v").is_file():
        assert value in formal.numbers(formal.source(theorem) or "")


def test_readme_has_the_constants():
    text = re.sub(r"\n> ?", " ", (ROOT / "README.md").read_text("utf-8"))
    c = constants
    assert f"({c.SHARP_BALLS:g} sqrt(C) 2^(D/2) + {c.SHARP_RADII:g} L)" in text
    leading = f"{Fraction(str(c.ONE_BALL))} sqrt(C) 2^(D/2) + (2+D)/(1+D) L"
    assert f"tends to {leading}, for every C >= 1" in text
    told = re.findall(r"d = (\d) (?:the first constant falls )?from (?:the paper's )?"
                                     r"([\d.]+) to ([\d.]+\d)", text)  # fmt: skip
    assert len(told) == 2
    for d, paper, ours in told:
        assert paper == f"{c.PHASES * c.BALL * 2 ** int(d):.1f}"
        assert ours == f"{c.SHARP_BALLS * 2 ** (int(d) / 2):.2f}"


def test_the_bounds_are_made_of_them():
    c = constants
    assert stated_bound(1, 1, 1, 1) == c.PHASES * (2 * c.BALL + c.RADII)
    sharp = c.SHARP_BALLS * math.sqrt(2) + c.SHARP_RADII
    assert bounds(1, 1, 1, 1)["sharpened"] == pytest.approx(sharp)
    assert refined_bound([Phase(1, 1, 1, 3, 1)], 0.0) == 2 * c.ONE_BALL


def test_none_is_typed_again():
    """Of 0.75 and 1.5 one cannot tell: they also mean other things."""
    c, folder = constants, Path(constants.__file__).parent
    unmistakable = {c.PHASES, c.BALL, c.ONE_BALL_LESS, c.SHARP_BALLS, c.SHARP_RADII}
    for path in folder.rglob("*.py"):
        if path.name != "constants.py":
            numbers = [n.value for n in ast.walk(ast.parse(path.read_text()))
                       if isinstance(n, ast.Constant) and isinstance(n.value, float)]  # fmt: skip
            assert not unmistakable & set(numbers), path
