"""The Coq development seen without Coq: its sources, and the documents that speak of it."""

import re

import prove
import pytest
import refused

ROOT = prove.HERE.parents[1]
SOURCES = {name: (prove.HERE / name).read_text("utf-8") for name in prove.project()}
THEOREMS = prove.STATEMENT.findall(prove.without_comments(SOURCES["Statements.v"]))
MUTANTS = refused.listed()


def test_sources_have_no_axiom_and_are_short() -> None:
    assert prove.scan() == []


@pytest.mark.parametrize(
    "text",
    [
        "Axiom a : False.",
        "Lemma a : False. Proof. Admitted.",
        "Lemma a : False. Proof. admit. Qed.",
        "Parameter a : nat.",
        "Unset Guard Checking.",
        "(* a (* b *) *) Conjecture a : False.",
        "\n" * 301,
    ],
)
def test_what_is_forbidden_is_found(text: str) -> None:
    assert prove.offences("X.v", text)


def test_comments_may_say_anything() -> None:
    assert prove.offences("X.v", "(* Axiom (* admit *) Admitted *) Lemma parameter : True.") == []


def test_files_come_after_what_they_require() -> None:
    done: set[str] = set()
    for name, text in SOURCES.items():
        assert set(prove.needs(text)) <= done, name
        done.add(name)
        assert text.startswith("(** "), f"{name} has no header"


def recorded_axioms() -> dict[str, str]:
    lines = (prove.HERE / "assumptions.txt").read_text("utf-8").splitlines()
    return dict(line.split(": ") for line in lines)


def test_axioms_are_recorded_for_every_theorem() -> None:
    recorded = recorded_axioms()
    assert list(recorded) == THEOREMS
    assert set(" ".join(recorded.values()).split()) <= prove.AXIOMS


def test_every_mutant_was_refused() -> None:
    """mutants.md has a row for each, which says where; and the text that it changes is there."""
    rows = (prove.HERE / "mutants.md").read_text("utf-8").partition("|---|")[2].splitlines()[1:]
    assert len(rows) == len(MUTANTS)
    for row, mutant in zip(rows, MUTANTS, strict=True):
        assert row.startswith(f"| {mutant.statement} | {mutant.file}")
        assert refused.cell(mutant.new) in row
        assert re.search(r"\| \w+\.v, `\w+` \|$", row)
        assert mutant.apply(SOURCES)


def test_theory_readme_has_every_theorem_and_counts_its_mutants() -> None:
    text = (ROOT / "theory" / "README.md").read_text("utf-8")
    table = text.partition("|---|")[2].partition("\n\n")[0].splitlines()[1:]
    named, recorded = [], recorded_axioms()
    for line in table:
        *_, names, files, axioms, count = [cell.strip() for cell in line.strip("|").split(" | ")]
        names = re.findall(r"`(\w+)`", names)
        named += names
        # the definitions of the first two rows have other words in the tables of mutants
        known = {"update": ("Alg. 1", "Alg. 2"), "setting": ("setting",), "whole": ("D",)}
        words = tuple(word for name in names for word in known.get(name, (name,)))
        found = [m for m in MUTANTS if re.split(r"[:,]", m.statement)[0] in words]
        assert len(found) == int(count), names
        used = [len(recorded[name].split()) for name in names if name in recorded]
        assert axioms == (str(max(used)) if used else "-"), names
        for file in re.findall(r"[A-Z]\w+", files):
            assert (prove.HERE / f"{file}.v").exists()
    assert set(THEOREMS) <= set(named)
