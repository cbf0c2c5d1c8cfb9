"""The proof ledger: every step of Section V as an object that is checked anew each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

Verdict = Literal["holds", "holds amended", "fails", "not established"]
Kind = Literal["symbolic", "intervals", "dynamic programming", "exhaustive", "witness", "chain"]

KINDS: dict[Kind, str] = {
    "symbolic": "computer algebra, for all values of the symbols",
    "intervals": "interval arithmetic with error bounds, for all values in the domain",
    "dynamic programming": "exact optimum over all label sequences, with a bound on the rounding",
    "exhaustive": "every stream of a bounded length, in rational arithmetic",
    "witness": "a stream that is run again, against the statement",
    "chain": "multiplication of steps that are in the ledger",
}


@dataclass(frozen=True)
class Outcome:
    """What a check found: 'fails' comes with a witness, 'not established' with none."""

    verdict: Verdict
    evidence: str


Check = TypeVar("Check", bound=Callable[..., Outcome])


@dataclass(frozen=True)
class Step:
    """A step of the proof: what it says, under which hypotheses, how it is checked.

    ``constants`` are the numbers of the statement, or of the run that refutes it. The check takes
    them as arguments, so that it can be asked about another number: ``mutations`` holds, for each
    of them, one that must not give the recorded verdict. ``uses`` are the steps that this one
    rests on.
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

    @property
    def basis(self) -> str:
        """What the verdict rests on: the check alone, or a written argument that it completes."""
        return "argument and check" if self.argument else "check"

    def run(self, **changed: Any) -> Outcome:
        """Check the step, with some constants changed if any are given."""
        return self.check(**{**self.constants, **changed})


class Steps(list[Step]):
    """Steps in the order of the proof."""

    def add(self, **record: Any) -> Callable[[Check], Check]:
        """Decorate the check of a step with all that is recorded of it."""

        def added(check: Check) -> Check:
            self.append(Step(check=check, **record))
            return check

        return added


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
            "basis": step.basis,
            "amendment": step.amendment,
            "argument": step.argument,
            "evidence": outcome.evidence,
            "uses": list(step.uses),
        }


def verify(steps: Sequence[Step], ledger: Sequence[Step] | None = None) -> Iterator[Checked]:
    """Check the steps in turn, each after the steps of the ledger that it rests on.

    A step whose foundation does not come out as recorded is not established, whatever its own
    check says.
    """
    known = {step.id: step for step in (steps if ledger is None else ledger)}
    found: dict[str, Checked] = {}

    def check(step: Step) -> Checked:
        if step.id not in found:
            broken = [used for used in step.uses if not check(known[used]).as_recorded]
            outcome = step.run()
            if broken:
                told = f"rests on {', '.join(broken)}, which does not come out as recorded"
                outcome = Outcome("not established", told)
            found[step.id] = Checked(step, outcome)
        return found[step.id]

    for step in steps:
        yield check(step)
