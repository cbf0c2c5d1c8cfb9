"""The proof ledger: every step of Section V as an object that is checked anew each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["holds", "holds amended", "fails"]
Kind = Literal[
    "symbolic", "intervals", "dynamic programming", "exhaustive", "witness", "chain", "search"
]

KINDS: dict[Kind, str] = {
    "symbolic": "computer algebra, for all values of the symbols",
    "intervals": "interval arithmetic with error bounds, for all values in the domain",
    "dynamic programming": "exact optimum over all label sequences, with a bound on the rounding",
    "exhaustive": "every stream of a bounded length, in rational arithmetic",
    "witness": "a stream that is run again, against the statement",
    "chain": "multiplication of steps that are in the ledger",
    "search": "a search for a counterexample: evidence, not a proof",
}


@dataclass(frozen=True)
class Outcome:
    """What a check found. ``proof`` is false where it is only evidence."""

    verdict: Verdict
    evidence: str
    proof: bool = True


@dataclass(frozen=True)
class Step:
    """A step of the proof: what it says, under which hypotheses, how it is checked.

    ``constants`` are the numbers in the statement. The check takes them as arguments, so that it
    can be asked about another number: ``mutations`` holds, for each of them, one that must not
    give the recorded verdict.
    """

    id: str
    where: str
    statement: str  # LaTeX
    hypotheses: str
    kind: Kind
    recorded: Verdict
    check: Callable[..., Outcome]
    constants: Mapping[str, Any]
    mutations: Mapping[str, Any]
    amendment: str = ""
    argument: str = ""  # the reasoning that the check completes
    uses: Sequence[str] = field(default=())

    def run(self, **changed: Any) -> Outcome:
        """Check the step, with some constants changed if any are given."""
        return self.check(**{**self.constants, **changed})


@dataclass(frozen=True)
class Checked:
    """A step and what came out."""

    step: Step
    outcome: Outcome

    @property
    def as_recorded(self) -> bool:
        """Whether the verdict is the one in the ledger."""
        return self.outcome.verdict == self.step.recorded

    def as_json(self) -> dict[str, Any]:
        """Plain values, for scripts."""
        step, outcome = self.step, self.outcome
        return {
            "id": step.id,
            "where": step.where,
            "statement": step.statement,
            "hypotheses": step.hypotheses,
            "kind": step.kind,
            "verdict": outcome.verdict,
            "recorded": step.recorded,
            "as_recorded": self.as_recorded,
            "proof": outcome.proof,
            "amendment": step.amendment,
            "argument": step.argument,
            "evidence": outcome.evidence,
            "uses": list(step.uses),
        }


def verify(steps: Sequence[Step]) -> Iterator[Checked]:
    """Check the steps one after the other."""
    for step in steps:
        yield Checked(step, step.run())
