"""The mutator itself: mutants differ from the source, and take the place of real functions."""

import ast
from types import ModuleType

import golden_mutants
import phase_mutants
import pytest
from mutants import mutants
from run import ROOT, transplant

SOURCE = '''
LIMIT = 3


class Ball:
    """Docstring."""

    closed = True

    def inside(self, distance: float, radius: float = 1.0) -> bool:
        if distance < 0:
            raise ValueError(f"not {distance}")
        return distance <= radius and self.closed

    @property
    def size(self) -> int:
        return LIMIT + 1
'''


def module(tree):
    made = ModuleType("made")
    exec(compile(tree, "made", "exec"), made.__dict__)
    return made


def test_all_mutants_of_a_small_module():
    assert [mutant.name.partition(": ")[2] for mutant in mutants(SOURCE)] == [
        "LIMIT = 3 -> pass",
        "LIMIT = 3 -> LIMIT = 4",
        "closed = True -> pass",
        "closed = True -> closed = False",
        "def inside(self, distance: float, radius: float=1.0) -> "
        "def inside(self, distance: float, radius: float=2.0)",
        "if distance < 0: -> if not distance < 0:",
        "if distance < 0: -> if distance <= 0:",
        "if distance < 0: -> if distance < 1:",
        "raise ValueError(f'not {distance}') -> pass",
        "return distance <= radius and self.closed -> return None",
        "return distance <= radius and self.closed -> return distance <= radius or self.closed",
        "return distance <= radius and self.closed -> return distance < radius and self.closed",
        "return LIMIT + 1 -> return None",
        "return LIMIT + 1 -> return LIMIT - 1",
        "return LIMIT + 1 -> return LIMIT + 2",
    ]


@pytest.mark.parametrize("name", ["cover", "auto", "budget"])  # the short ones
def test_mutants_of_the_real_modules(name):
    source = (ROOT / "abacoc" / f"{name}.py").read_text("utf-8")
    found = mutants(source)
    assert len({mutant.name for mutant in found}) == len(found) > 20
    for mutant in found:
        compile(mutant.tree, name, "exec")


def behaviour(made):
    """Everything that the small module can be asked."""

    def asked(question, *arguments):
        try:
            return question(*arguments)
        except (AttributeError, NameError, ValueError) as error:
            return type(error)

    ball = made.Ball()
    inside = [asked(ball.inside, *what) for what in ((1.0,), (1.5,), (0, 0), (0.5, 0.5), (-1,))]
    return [getattr(made, "LIMIT", None), asked(lambda: ball.size), *inside]


def test_a_mutant_takes_the_place_of_what_is_already_in_use():
    """Every mutant behaves as if its source had been loaded, and unlike the real one."""
    for mutant in mutants(SOURCE):
        real, fresh = module(ast.parse(SOURCE)), module(mutant.tree)
        before = behaviour(real)
        transplant(real, module(mutant.tree))
        assert behaviour(real) == behaviour(fresh) != before, mutant.name


@pytest.mark.parametrize("mutant", golden_mutants.MUTANTS, ids=lambda mutant: mutant.name)
def test_the_golden_mutants_still_fit_the_sources(mutant):
    """Each text is there once, and what takes its place is Python."""
    texts = {}
    for name, old, new in mutant.changes:
        text = texts.get(name) or (ROOT / "abacoc" / name).read_text("utf-8")
        assert text.count(old) == 1, (name, old)
        texts[name] = text.replace(old, new)
    for name, text in texts.items():
        assert text != (ROOT / "abacoc" / name).read_text("utf-8")
        compile(text, name, "exec")


@pytest.mark.parametrize("mutant", phase_mutants.MUTANTS, ids=lambda mutant: mutant.name)
def test_the_mutants_of_the_phases_still_fit_the_sources(mutant):
    compile(phase_mutants.changed(mutant), mutant.module, "exec")
