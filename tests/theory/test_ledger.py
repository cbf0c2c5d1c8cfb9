"""The ledger: every step as recorded, and every constant matters."""

import json
from dataclasses import replace

import pytest

from abacoc.cli import main
from abacoc_theory.proofs import report
from abacoc_theory.proofs.ledger import KINDS, Checked, Outcome, verify
from abacoc_theory.proofs.steps import STEPS

BY_ID = {step.id: step for step in STEPS}


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
def test_step_comes_out_as_recorded(step):
    outcome = step.run()
    assert outcome.verdict == step.recorded, outcome.evidence
    assert outcome.evidence


MUTATIONS = [(step.id, name) for step in STEPS for name in step.constants]


@pytest.mark.parametrize(("id", "name"), MUTATIONS)
def test_mutating_a_constant_makes_the_check_fail(id, name):
    """A check that does not notice another number would check nothing."""
    step = BY_ID[id]
    mutated = step.mutations[name]
    assert mutated != step.constants[name]
    expected = {"not established"} if step.recorded == "fails" else {"fails", "not established"}
    assert step.run(**{name: mutated}).verdict in expected


def supports(id):
    """Every step that this one rests on, however far down."""
    below = set(BY_ID[id].uses)
    return below.union(*(supports(used) for used in below)) if below else below


@pytest.mark.parametrize("theorem", ["theorem1", "theorem-sharpened", "theorem-leading"])
def test_a_theorem_falls_with_any_step_below_it(theorem):
    """Sabotage: if one of the steps came out otherwise, the theorem would not be established."""
    cheap = {
        id: replace(step, check=lambda **_: Outcome("holds", "")) for id, step in BY_ID.items()
    }
    cheap = {id: replace(step, recorded="holds") for id, step in cheap.items()}
    for broken in supports(theorem):
        ledger = {**cheap, broken: replace(cheap[broken], recorded="fails")}
        (checked,) = verify([ledger[theorem]], list(ledger.values()))
        assert checked.outcome.verdict == "not established"
    (checked,) = verify([cheap[theorem]], list(cheap.values()))
    assert checked.as_recorded


def test_what_the_theorems_rest_on():
    for theorem in ("theorem1", "theorem-sharpened", "theorem-leading"):
        below = supports(theorem)
        assert {"coin", "prediction", "lemma1-dimension", "lemma1-size"} <= below
        assert {"lipschitz", "jensen-balls", "exponent", "radius-sum"} <= below
        assert {"potential-step", "potential-sum"} <= below


def test_ledger_is_complete_and_consistent():
    assert len(BY_ID) == len(STEPS)
    for step in STEPS:
        assert step.constants, f"{step.id} has no constant to mutate"
        assert set(step.mutations) == set(step.constants)
        assert step.kind in KINDS
        assert all(used in BY_ID for used in step.uses)
        assert (step.recorded == "holds") == (step.amendment == ""), step.id
    for needed in [
        "coin",
        "lemma1-dimension",
        "lemma1-size",
        "lipschitz",
        "one-ball",
        "square-roots",
        "jensen-balls",
        "jensen-phases",
        "radius-sum",
        "exponent",
        "lemma2-constants",
        "phases-factor",
        "theorem1-constant",
        "rate",
        "recursion",
        "removal",
    ]:
        assert needed in BY_ID


def test_theorems_rest_on_steps_that_hold():
    for theorem in ("theorem1", "theorem1-corrected", "theorem-sharpened", "theorem-leading"):
        assert all(BY_ID[used].recorded != "fails" for used in supports(theorem))


def test_verify_prints_a_table_and_json(capsys):
    names = ["coin", "exponent", "phases-factor", "removal"]
    assert main(["verify", *names]) == 0
    out = capsys.readouterr().out
    assert "4 steps: 3 holds, 1 holds amended; 4 as recorded" in out
    assert main(["verify", *names, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [step["id"] for step in steps] == names
    assert all(
        {"id", "statement", "kind", "verdict", "as_recorded"} <= step.keys() for step in steps
    )
    assert main(["verify", "coin", "--details"]) == 0
    assert "evidence: both cases expand to 0" in capsys.readouterr().out
    assert main(["verify", "nothing"]) == 2
    assert "no step 'nothing'" in capsys.readouterr().err


def test_verify_exits_1_when_a_check_does_not_come_out(monkeypatch, capsys):
    wrong = replace(BY_ID["coin"], recorded="fails")
    monkeypatch.setattr(report, "STEPS", (wrong,))
    assert main(["verify"]) == 1
    assert "NOT AS RECORDED: coin" in capsys.readouterr().out
    assert main(["verify", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["steps"][0]["as_recorded"] is False


def test_written_ledger(tmp_path):
    checked = [Checked(BY_ID["coin"], Outcome("holds", "seen"))]
    text = report.write_ledger(checked, tmp_path).read_text()
    assert text.splitlines()[1].startswith("coin,")
