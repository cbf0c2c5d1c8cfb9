"""How learners, numbers and missing packages are told."""

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

import abacoc
from abacoc import AutoAdj, Reading, auto, base, wording
from abacoc.baselines.constant import Majority, NoChange
from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Cnn, Nn3
from abacoc.cli import main
from abacoc.methods import METHODS, has_moa
from abacoc.metrics import edit_distance
from abacoc.modelfile import state

ROOT = Path(__file__).parents[1]
OWN = (auto.Auto, auto.AutoAdj, base.Base, base.BaseAdj)
SETTINGS = {
    "d_hat": st.sampled_from([0, 1.5, 2, 2.0, 7]),
    "budget": st.none() | st.integers(2, 99),
    "seed": st.integers(0, 5),
    "radius_rule": st.sampled_from([None, "max", "plus", "infinite"]),
    "covering_constant": st.sampled_from([1, 1.0, 3.5]),
    "vote": st.sampled_from(["randomized", "majority"]),
    "divisor": st.sampled_from(["total", "correct"]),
    "metric": st.sampled_from(["euclidean", "manhattan", "chebyshev", edit_distance]),
    "reading": st.sampled_from(
        ["paper", "literal", "authors", Reading(), Reading(closed_balls=False)]
    ),
}


@pytest.mark.parametrize("reference", OWN)
@given(st.fixed_dictionaries({}, optional=SETTINGS))
def test_what_is_shown_makes_the_same_learner(reference, settings):
    compiled = getattr(abacoc, reference.__name__)
    known = inspect.signature(reference).parameters
    settings = {name: value for name, value in settings.items() if name in known}
    for cls in (reference, compiled):
        try:
            learner = cls(**settings)
        except ValueError:  # BASE has no reading of the authors
            return
        call, _, told = repr(learner).partition("  ")
        assert told == "<0 balls>"
        again = eval(call, {cls.__name__: cls, "Reading": Reading})
        assert state(again) == state(learner)
        for name, value in settings.items():
            if value == known[name].default and name != "radius_rule":
                assert f"{name}=" not in call, "what is usual is left out"


@pytest.mark.parametrize(
    ("make", "fresh", "later"),
    [
        (Nn3, "Nn3()  <0 stored examples>", "Nn3()  <1 stored example, 1 class, 2 attributes>"),
        (lambda: Nn3(k=5), "Nn3(k=5)  <0 stored examples>", "Nn3(k=5)  <1 stored example, "),
        (Cnn, "Cnn()  <0 stored examples>", "Cnn()  <1 stored example, 1 class, 2 attributes>"),
        (lambda: KPerc(0.5), "KPerc(gamma=0.5)  <0 ", "KPerc(gamma=0.5)  <1 stored example, "),
        (lambda: IblStreams(start=2), "IblStreams(start=2)  <0 ", "IblStreams(start=2)  <1 "),
        (NoChange, "NoChange()  <0 labels>", "NoChange()  <1 label, 2 attributes>"),
        (Majority, "Majority()  <0 classes>", "Majority()  <1 class, 2 attributes>"),
    ],
)
def test_baselines_are_told(make, fresh, later):
    learner = make()
    assert repr(learner).startswith(fresh)
    learner.update([0.0, 1.0], "a")
    assert repr(learner).startswith(later)


def test_vfdt_of_either_program_is_told():
    pytest.importorskip("river")
    from abacoc.baselines.hoeffding import RiverVfdt

    made = [RiverVfdt(["a", "b"], grace_period=99)]
    if has_moa():
        made.append(METHODS["vfdt"].make({"grace_period": 99}, ["a", "b"]))
    for learner in made:
        learner.update([0.0], "b")
        call, _, told = repr(learner).partition("  ")
        assert call == f"{type(learner).__name__}(classes=['a', 'b'], grace_period=99)"
        assert told.startswith("<1 leaf, 2 classes")


def test_a_learner_is_told_at_any_moment():
    class Own(AutoAdj):
        def __init__(self, colour):
            super().__init__(metric=lambda a, b: abs(a[0] - b[0]))

    class Grumpy:
        def __repr__(self):
            raise RuntimeError

        def __call__(self, a, b):
            return 0.0

    assert repr(Own("red")).startswith("Own(")
    assert repr(auto.Auto(metric=Grumpy())) == "Auto(metric=Grumpy)  <0 balls>"
    assert repr(auto.Auto(metric=edit_distance)) == "Auto(metric='edit_distance')  <0 balls>"
    for cls in (*OWN, AutoAdj, Nn3, KPerc, NoChange):
        assert cls.__name__ in repr(object.__new__(cls)), "of one that is not made yet"


def test_a_look_at_a_fresh_learner_costs_no_engine():
    code = (
        "import sys, abacoc; print(abacoc.AutoAdj()); "
        "print([name for name in sys.modules if name == 'abacoc.engine.engine'])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "AutoAdj()  <0 balls>\n[]\n"


@pytest.mark.parametrize("unit", sorted({method.unit for method in METHODS.values()}))
def test_one_of_each_unit(unit):
    one, two = wording.number(1, unit), wording.number(2000, unit)
    assert two == f"2,000 {unit}"
    singular = one.removeprefix("1 ")
    assert unit in (singular + "s", singular + "es", singular.removesuffix("f") + "ves")
    assert wording.number(0, unit) == f"0 {unit}"


def test_one_of_everything_from_the_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text("x,label\n1,a\n", encoding="utf-8")
    assert main(["run", "one.csv", "--method", "nn3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("one: 1 example, 1 attribute, 1 class (")
    assert "model size   1 stored example, " in out
    assert main(["run", "one.csv"]) == 0
    assert "model size   1 ball, " in capsys.readouterr().out


EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", sorted(set(EXTRAS) - {"all", "dev"}))
def test_a_missing_package_is_told_with_all_of_its_extra(extra):
    line = wording.missing("it", "that", extra)
    assert line.endswith(f" (the extra {extra} of abacoc)")
    named = line.partition("pip install ")[2].rpartition(" (")[0].strip('"').split('" "')
    assert {str(Requirement(n)) for n in named} == {str(Requirement(n)) for n in EXTRAS[extra]}
    assert "\n" not in line
    assert "abacoc[" not in line, "which no index is known to have"


def test_a_missing_package_is_told_without_metadata(monkeypatch):
    from importlib import metadata

    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", unknown)
    assert wording.missing("it", "river", "river").endswith(
        "not installed: pip install river (the extra river of abacoc)"
    )


@pytest.mark.parametrize(
    ("module", "package"),
    [("abacoc.adapters.river", "river"), ("abacoc.adapters.sklearn", "scikit-learn")],
)
def test_an_adapter_without_its_library(module, package):
    library = module.rpartition(".")[2]
    code = f"import sys; sys.modules[{library!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ModuleNotFoundError: {module} needs {package}, which is not installed")
    assert f'pip install "{package}>=' in last
    assert f"the extra {library} " in last


@pytest.mark.parametrize(
    ("arguments", "lacking", "extra"),
    [
        (["verify"], "sympy", "theory"),
        (["regret", "generated:sea,n=9", "--lipschitz", "1"], "scipy", "theory"),
        (["reproduce"], "pandas", "all"),
        (["bench"], "pandas", "all"),
    ],
)
def test_a_command_without_its_extra(arguments, lacking, extra):
    code = (
        f"import sys; sys.modules[{lacking!r}] = None\n"
        f"from abacoc.cli import main; sys.exit(main({arguments}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    told = f"abacoc: abacoc {arguments[0]} needs {lacking}, which is not installed: "
    assert done.stderr.startswith(told)
    assert f"the extra {extra}" in done.stderr


@pytest.mark.parametrize(
    ("option", "listed"),
    [
        (["reproduce", "--only"], "figure1, "),
        (["bench", "--streams"], "sea"),
        (["bench", "--peers"], "river"),
    ],
)
def test_a_wrong_name_lists_the_right_ones(option, listed, capsys):
    assert main([*option, "nothing"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "'nothing'" in err
    assert listed in err
    with pytest.raises(SystemExit):
        main([option[0], "--help"])
    help_text = " ".join(capsys.readouterr().out.split(option[1])[-1].split())
    assert "an unknown one lists them" in help_text[:120]
