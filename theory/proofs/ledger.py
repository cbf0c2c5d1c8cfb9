"""The proof ledger: every step of Section V as an object that is checked anew each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import sympy as sp

from .statement import Range, Statement, plain

Verdict = Literal["holds", "holds amended", "fails", "not established"]
Kind = Literal[
    "symbolic", "intervals", "dynamic programming", "exhaustive", "witness", "chain", "formal"
]

KINDS: dict[Kind, str] = {
    "symbolic": "computer algebra, for all values of the symbols",
    "intervals": "interval arithmetic with error bounds, for all values in the domain",
    "dynamic programming": "exact optimum over all label sequences, with a bound on the rounding",
    "exhaustive": "every stream of a bounded length, in rational arithmetic",
    "witness": "a stream that is run again, against the statement",
    "chain": "multiplication of the statements of other steps, compared with this one",
    "formal": "comparison with the statement of a theorem that Coq proves",
}
# What the truth of a step rests on if it does not point to a theorem of Coq.
BASES: dict[Kind, str] = {
    "symbolic": "algebra",
    "intervals": "intervals",
    "dynamic programming": "dynamic programme",
    "exhaustive": "exhaustive",
    "witness": "witness",
    "chain": "algebra",
}


@dataclass(frozen=True)
class Outcome:
    """What a check found: 'fails' comes with a witness, 'not established' with none."""

    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Scope:
    """What a check can prove or refute: whatever else is claimed, it does not establish it.

    Some checks look at the left-hand side themselves; for the others it is named here.
    """

    signs: Sequence[str]
    ranges: Mapping[sp.Symbol, Range] | None = None  # None: the check looks at them itself
    left: sp.Expr | None = None

    def other_form(self, claim: Statement) -> str | None:
        """Why the check says nothing about such a statement."""
        if tuple(claim.signs) != tuple(self.signs):
            return f"the check is about {' and '.join(self.signs)}"
        if self.left is not None and claim.parts[0] != self.left:
            return f"the check is about {self.left}"
        return None

    def wider(self, claim: Statement) -> str | None:
        """For which values more than the check looks at it is claimed."""
        if self.ranges is None:
            return None
        if set(claim.ranges) != set(self.ranges):
            return "the check is about other symbols"
        wide = [s for s, span in claim.ranges.items() if not span.within(self.ranges[s])]
        return f"the check is about {self.ranges[wide[0]].told(plain(wide[0]))}" if wide else None


Check = TypeVar("Check", bound=Callable[[Statement], Outcome])
Mutants = Callable[[Statement], Sequence[Statement]]


@dataclass(frozen=True)
class Step:
    """A step of the proof: what it says, and a check that takes any statement of its form.

    Where the statement of the paper fails there can be an ``amended`` one, and both are checked.
    ``mutants`` makes other statements of the last, each of which the check must not accept: it
    would be the check of nothing. ``covers`` is what the check is written for, told apart from the
    statement. ``formal`` names the theorem of Coq that the step rests on if
    its own check is not a proof for all values; ``uses`` the steps whose statements it multiplies.
    """

    id: str
    where: str
    statement: Statement
    kind: Kind
    recorded: Verdict
    check: Callable[[Statement], Outcome]
    covers: Scope
    mutants: Mutants
    amended: Statement | None = None
    formal: str = ""
    note: str = ""  # to the amendment
    argument: str = ""  # explains, and proves nothing
    uses: Sequence[str] = field(default=())

    @property
    def claim(self) -> Statement:
        """What is proved, or refuted: the amended statement if there is one."""
        return self.amended or self.statement

    @property
    def rests_on(self) -> str:
        """What makes the verdict true."""
        return f"Coq: {self.formal} (make prove)" if self.formal else BASES[self.kind]

    @property
    def amendment(self) -> str:
        """What has to be read instead of the statement."""
        told = [self.amended.latex, self.amended.hypotheses] if self.amended else []
        return "; ".join(part for part in (*told, self.note) if part)

    def run(self, claim: Statement | None = None) -> Outcome:
        """Check the step, or another statement in the place of what it claims."""
        claim = claim or self.claim
        if other := self.covers.other_form(claim):
            return Outcome("not established", other)
        found = self.check(claim)
        if found.verdict == "holds" and (wider := self.covers.wider(claim)):
            return Outcome("not established", wider)
        if self.amended is None or found.verdict != "holds":
            return found
        stated = self.check(self.statement)
        if stated.verdict != "fails":
            return stated
        return Outcome("holds amended", f"as stated: {stated.evidence}; amended: {found.evidence}")

    def false_statements(self) -> list[Statement]:
        """The statements that the check must refuse."""
        return list(self.mutants(self.claim))


class Steps(list[Step]):
    """Steps in the order of the proof."""

    def add(self, **record: Any) -> Callable[[Check], Check]:
        """Decorate the check of a step with all that is recorded of it."""

        def added(check: Check) -> Check:
            self.append(Step(check=check, **record))
            return check

        return added


def claims(*collections: Sequence[Step]) -> Callable[[str], Statement]:
    """The statements of steps by their names, for a chain that multiplies them."""
    return {step.id: step.claim for steps in collections for step in steps}.__getitem__


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
            "statement": step.statement.latex,
            "hypotheses": step.statement.hypotheses,
            "kind": step.kind,
            "rests_on": step.rests_on,
            "verdict": outcome.verdict,
            "recorded": step.recorded,
            "as_recorded": self.as_recorded,
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
