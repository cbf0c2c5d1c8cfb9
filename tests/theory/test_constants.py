"""The constants of the bounds: the ledger checks the very numbers that bounds and tables use."""

import ast
import math
from pathlib import Path

import pytest

from abacoc_theory import constants
from abacoc_theory.proofs.steps import STEPS
from abacoc_theory.regret.bounds import bounds, refined_bound, stated_bound
from abacoc_theory.regret.sites import Phase

BY_ID = {step.id: step for step in STEPS}
# the constant, a step whose check takes it, and the name of the argument
CHECKED = [
    ("PHASES", "phases-factor", "c"),
    ("PHASES", "theorem1", "c"),
    ("PHASES", "theorem1-corrected", "c"),
    ("BALL", "square-roots", "c"),
    ("BALL", "lemma2-constants", "proof"),
    ("BALL", "theorem1", "ball"),
    ("BALL", "theorem1-corrected", "ball"),
    ("RADII", "radius-sum", "c"),
    ("RADII", "theorem1", "lip"),
    ("RADII", "theorem1-corrected", "lip"),
    ("RADII", "theorem-leading", "lip"),
    ("ONE_BALL", "potential-sum", "c"),
    ("ONE_BALL", "balls-of-a-phase", "c"),
    ("ONE_BALL", "theorem-leading", "ball"),
    ("ONE_BALL_LESS", "potential-sum", "e"),
    ("SHARP_BALLS", "phases-balls", "c"),
    ("SHARP_BALLS", "theorem-sharpened", "balls"),
    ("SHARP_RADII", "phases-radii", "c"),
    ("SHARP_RADII", "theorem-sharpened", "radii"),
]


@pytest.mark.parametrize(("name", "id", "argument"), CHECKED)
def test_a_step_checks_the_constant_and_states_it(name, id, argument):
    value, step = getattr(constants, name), BY_ID[id]
    assert step.constants[argument] is value
    assert f"{value:g}" in step.statement


def test_every_constant_is_checked():
    named = {name for name in vars(constants) if name.isupper()}
    assert named == {name for name, _, _ in CHECKED}


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
