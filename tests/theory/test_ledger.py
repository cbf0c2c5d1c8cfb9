"""The ledger: every step as recorded, and every false statement refused."""

import json
from dataclasses import replace

import pytest
import sympy as sp

from abacoc.cli import main
from abacoc_theory.proofs import formal, report, sharpened, theorem1
from abacoc_theory.proofs.ledger import KINDS, Checked, Outcome, Scope, claims, verify
from abacoc_theory.proofs.steps import STEPS

BY_ID = {step.id: step for step in STEPS}
FALSE = [(step.id, i) for step in STEPS for i in range(len(step.false_statements()))]
THEOREMS = ("theorem1", "theorem1-corrected", "theorem-sharpened", "theorem-leading")


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
def test_step_comes_out_as_recorded(step):
    outcome = step.run()
    assert outcome.verdict == step.recorded, outcome.evidence
    assert outcome.evidence


@pytest.mark.parametrize(("id", "which"), FALSE)
def test_another_statement_is_refused(id, which):
    """A check that does not notice another statement would check nothing."""
    step = BY_ID[id]
    found = step.run(step.false_statements()[which])
    expected = {"not established"} if step.recorded == "fails" else {"fails", "not established"}
    assert found.verdict in expected, found.evidence


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
def test_not_only_constants_are_changed(step):
    """Every step has two false statements; one has another form or range, not just a decimal."""

    def form(statement):
        decimals = {
            s: sp.Symbol("c") for p in statement.parts for s in p.free_symbols if s.name[0] < ":"
        }
        parts = [part.xreplace(decimals) for part in statement.parts]
        return parts, dict(statement.ranges), dict(statement.where)

    others = step.false_statements()
    assert len(others) >= 2
    assert any(form(other) != form(step.claim) for other in others)


HOLDING = [step for step in STEPS if step.recorded != "fails"]
OTHER = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "<"}
# what these say is true of more values than they claim
WIDER = {("recursion", "t"), ("recursion", "M_{t-1}"), ("recursion", "I_t")}


@pytest.mark.parametrize("step", HOLDING, ids=lambda step: step.id)
def test_another_sign_or_left_hand_side_is_refused(step):
    claim = step.claim
    for i, sign in enumerate(claim.signs):
        signs = (*claim.signs[:i], OTHER[sign], *claim.signs[i + 1 :])
        assert step.run(replace(claim, signs=signs)).verdict != step.recorded
    assert (
        step.run(replace(claim, parts=(claim.parts[0] + 1, *claim.parts[1:]))).verdict
        != step.recorded
    )


@pytest.mark.slow
@pytest.mark.parametrize("step", HOLDING, ids=lambda step: step.id)
def test_a_wider_range_is_refused(step):
    for symbol, span in step.claim.ranges.items():
        if (step.id, symbol.name) not in WIDER:
            wider = step.claim.over({symbol: replace(span, low=span.low - 1)})
            assert step.run(wider).verdict != step.recorded, symbol


def placed(step, false):
    """The step with a false statement in the ledger, in place of its own."""
    return replace(step, **{"amended" if step.amended else "statement": false})


TEN = [*((t, i) for t in THEOREMS for i in range(4)), ("lemma1-size", 0), ("one-ball-tight", 1)]


@pytest.mark.parametrize(("id", "which"), TEN)
def test_a_false_statement_in_the_ledger_is_not_as_recorded(id, which, monkeypatch, capsys):
    false = placed(BY_ID[id], BY_ID[id].false_statements()[which])
    monkeypatch.setattr(report, "STEPS", tuple(replace(false, uses=()) if s.id == id else s
                                               for s in STEPS))  # fmt: skip
    assert main(["verify", id]) == 1
    told = capsys.readouterr().out
    assert f"NOT AS RECORDED: {id}" in told
    assert false.claim.latex.split()[0] in told


def test_chain_multiplies_the_statements_of_its_parts(monkeypatch):
    """Weaker parts, all of them true, and the theorem does not follow any more."""
    for id, change in (
        ("phases-balls", {"1.058": "1.06"}),
        ("phases-radii", {"1.586": "1.6"}),
        ("one-ball-sharp", {sp.sqrt(sharpened.n): 2 * sp.sqrt(sharpened.n)}),
    ):
        weak = replace(BY_ID[id], statement=BY_ID[id].statement.but(change))
        part = claims([replace(step) if step.id != id else weak for step in STEPS])
        monkeypatch.setattr(sharpened, "part", part)
        assert "is not below" in BY_ID["theorem-sharpened"].run().evidence
    monkeypatch.setattr(sharpened, "part", claims(STEPS))
    assert BY_ID["theorem-sharpened"].run().verdict == "holds"


def test_false_theorems_fail_without_coq(monkeypatch):
    """The product of the steps and the streams refuse them by themselves."""
    monkeypatch.setattr(theorem1.formal, "same", lambda *_: None)
    accepted = [
        (id, i)
        for id in THEOREMS
        for i, other in enumerate(BY_ID[id].false_statements())
        if BY_ID[id].run(other).verdict.startswith("holds")
    ]
    assert accepted == []


WORDS = ("algebra", "intervals", "dynamic programme", "exhaustive", "witness", "Coq")


def test_no_step_rests_on_prose():
    for step in STEPS:
        assert step.rests_on.startswith(WORDS), step.id
        if step.formal:
            assert step.rests_on == f"Coq: {step.formal} (make prove)"
    assert {step.formal for step in STEPS} - {""} == set(formal.THEOREMS)


def test_short_checks_are_no_proof_for_all():
    """What is checked up to some length only, and holds for all, points to a theorem of Coq."""
    for step in STEPS:
        if step.kind in ("exhaustive", "dynamic programming", "formal"):
            assert step.formal, step.id


@pytest.mark.skipif(not (formal.SOURCES / "Statements.v").is_file(), reason="no theory/coq here")
@pytest.mark.parametrize("name", [*formal.THEOREMS, *formal.DEFINITIONS])
def test_coq_has_the_theorem_with_these_numbers(name):
    if name in formal.THEOREMS:
        assert name in (formal.SOURCES / "Statements.v").read_text("utf-8")
    assert formal.disagrees(name) is None


STATED = """
Theorem sharper_theorem : forall X, setting X ->
  regret X <= (1058/1000 * sqrt C * Rpower 2 (INR D / 2) (* not 2 ^ D *) + 1586/1000 * L)
    * Rpower T ((1 + INR D) / (2 + INR D)).
Proof. exact one. Qed.
Definition stated (C d L T : R) : R :=
  126/100 * (5/2 * sqrt C * Rpower 2 d + 3/2 * L) * Rpower T ((1 + d) / (2 + d)).
"""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    monkeypatch.setattr(formal, "SOURCES", tmp_path)

    def write(text):
        (tmp_path / "Statements.v").write_text(text)
        formal.source.cache_clear()
        formal.disagrees.cache_clear()

    yield write
    write("")


def test_numbers_are_compared_with_the_sources_of_coq(sources):
    sources(STATED)
    assert formal.disagrees("sharper_theorem") is formal.disagrees("stated") is None
    assert formal.disagrees("one_ball") == "theory/coq/ has no one_ball"
    sources(STATED.replace("(1058/", "(1059/"))
    assert "sharper_theorem of Coq does not say (1058/1000" in formal.disagrees("sharper_theorem")
    assert BY_ID["theorem-sharpened"].run().verdict == "not established"


def supports(id):
    """Every step that this one rests on, however far down."""
    below = set(BY_ID[id].uses)
    return below.union(*(supports(used) for used in below)) if below else below


@pytest.mark.parametrize("theorem", THEOREMS)
def test_a_theorem_falls_with_any_step_below_it(theorem):
    """Sabotage: if one of the steps came out otherwise, the theorem would not be established."""
    cheap = {
        id: replace(step, check=lambda _: Outcome("holds", ""), amended=None, recorded="holds",
                    covers=Scope(step.statement.signs))
        for id, step in BY_ID.items()
    }  # fmt: skip
    for broken in supports(theorem):
        ledger = {**cheap, broken: replace(cheap[broken], recorded="fails")}
        (checked,) = verify([ledger[theorem]], list(ledger.values()))
        assert checked.outcome.verdict == "not established"
    (checked,) = verify([cheap[theorem]], list(cheap.values()))
    assert checked.as_recorded


def test_what_the_theorems_rest_on():
    for theorem in THEOREMS:
        below = supports(theorem)
        assert {"coin", "decomposition", "counts", "lemma1-dimension", "lemma1-size"} <= below
        assert {"lipschitz", "jensen-balls", "exponent", "radius-sum"} <= below
        assert all(BY_ID[used].recorded != "fails" for used in below)
    for theorem in ("theorem-sharpened", "theorem-leading"):
        assert {"prediction", "potential-step", "potential-sum"} <= supports(theorem)


def test_ledger_is_complete_and_consistent():
    assert len(BY_ID) == len(STEPS)
    for step in STEPS:
        assert step.kind in KINDS
        assert all(used in BY_ID for used in step.uses)
        assert (step.recorded == "holds amended") == (step.amended is not None), step.id
        assert (step.recorded == "holds") == (step.amendment == "") or step.recorded == "fails"
    for needed in [
        *("coin", "lemma1-dimension", "lemma1-size", "counts", "decomposition", "lipschitz"),
        *("added-half", "one-ball-known", "one-ball", "square-roots", "jensen-balls"),
        *("jensen-phases", "radius-sum", "exponent", "lemma2-constants", "phases-factor"),
        *("theorem1-constant", "theorem1-star", "theorem1-iff", "rate", "recursion", "removal"),
        *("one-ball-tight", "leading-constant", "without-hypotheses", "theorem-by-dimension"),
    ]:
        assert needed in BY_ID


def test_verify_prints_a_table_and_json(capsys):
    names = ["coin", "exponent", "phases-factor", "removal"]
    assert main(["verify", *names]) == 0
    out = capsys.readouterr().out
    assert "4 steps: 3 holds, 1 holds amended; 4 as recorded" in out
    assert "they rest: 2 on algebra, 1 on Coq, 1 on intervals" in out
    assert main(["verify", *names, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [step["id"] for step in steps] == names
    keys = {"id", "statement", "kind", "rests_on", "verdict", "as_recorded"}
    assert all(keys <= step.keys() for step in steps)
    assert steps[0]["rests_on"] == "Coq: expected_mistakes (make prove)"
    assert main(["verify", "exponent", "--details"]) == 0
    assert "evidence: simplifies to 0" in capsys.readouterr().out
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
