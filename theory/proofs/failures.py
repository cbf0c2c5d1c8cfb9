"""Where the stated theorem fails: each stream is made again, and held against the statement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import sympy as sp

from ..regret.one_ball import rounding
from . import formal, witnesses
from .ledger import Outcome, Scope, Steps
from .statement import Range, Statement, say
from .symbols import C_S, FROM_0, FROM_1, WHOLE, C, D, L, R, T, d
from .theorem1 import broken_by, known_witnesses, stated, too_small
from .witnesses import Witness

STEPS = Steps()
OWN = "N(eps) <= C_S eps^-d for 0 < eps <= 1, and BASE runs with C-hat = C_S"
ANY = "N(eps) <= C_S eps^-d for 0 < eps <= 1, and BASE runs with any C-hat >= C_S"
fails = partial(STEPS.add, kind="witness", recorded="fails")


def claimed(dimensions: Range, given: str = OWN) -> Statement:
    """The bound of Theorem 1 for these d."""
    return say(R, "<=", stated(d, C_S), given=given,
               ranges={d: dimensions, C_S: FROM_1, L: FROM_0, T: WHOLE})  # fmt: skip


def not_refuted(s: Statement) -> Sequence[Statement]:
    """Statements that are true, or that no stream here can tell about: they must not be refuted."""
    corrected = s.to(stated(D, C))
    corrected = Statement(corrected.parts, s.signs, s.ranges, where={D: sp.Max(1, sp.ceiling(d))})
    return (corrected, s.over({d: Range(4, whole=True)}), s.to(T), s.but({"1.26": "1260"}))


def refuted(
    claim: Statement, make: Callable[..., Witness], long: Sequence[tuple[object, ...]],
    plain: Sequence[tuple[object, ...]],
) -> Outcome:  # fmt: skip
    """Every long stream breaks the statement, and the short ones lose in a run what they should."""
    for short in plain:
        known, run = make(*short), make(*short, plain=True)
        if abs(known.regret - run.regret) > rounding(run.T):
            told = f"a plain run of {run.T:,} loses {run.regret}, the closed form {known.regret}"
            return Outcome("not established", told)
    broken = [broken_by(claim, [make(*arguments)]) for arguments in long]
    if not all(broken):
        return Outcome("not established", "a stream keeps the bound, or is outside of the ranges")
    lengths = ", ".join(f"{make(*short).T:,}" for short in plain)
    told = "; ".join(found for (found,) in broken)
    return Outcome("fails", f"{told}; plain runs of {lengths} lose what the closed form says")


@fails(
    id="theorem1-low-dimension",
    where="Theorem 1, d < 1",
    statement=claimed(Range(0, 1, without=")")),
    covers=Scope(("<=",), left=R),
    mutants=not_refuted,
    argument="Three points in one ball to the end, the outer two with opposite labels.",
)
def low_dimension(claim: Statement) -> Outcome:
    """The stated theorem at d = 0, 0.25, 0.5 and 0.6."""
    dimensions = [Fraction(x) for x in ("0", "0.25", "0.5", "0.6")]
    return refuted(
        claim, witnesses.trap, [(10**6, x) for x in dimensions], [(10**4, dimensions[1])]
    )


@fails(
    id="theorem1-fraction",
    where="Theorem 1, 1 < d < 2",
    statement=claimed(Range(1, 2, without="()")),
    covers=Scope(("<=",), left=R),
    mutants=not_refuted,
    argument="Equidistant points around a hub make BASE take d_2 = 2 although d = 1.05.",
)
def fraction(claim: Statement) -> Outcome:
    """The stated theorem at d = 1.05."""
    at = Fraction("1.05"), 10
    return refuted(claim, witnesses.trap, [(10**6, *at)], [(10**5, *at)])


@fails(
    id="theorem1-fraction-3",
    where="Theorem 1, 2 < d < 3",
    statement=claimed(Range(2, 3, without="()")),
    covers=Scope(("<=",), left=R),
    mutants=not_refuted,
    argument="The same with three phases: dimensions 1, 2, 3 after 4,887 examples.",
)
def fraction_3(claim: Statement) -> Outcome:
    """The stated theorem at d = 2.05, T = 10^9."""
    at = Fraction("2.05"), 8
    return refuted(claim, witnesses.trap, [(10**9, *at)], [(10**5, *at)])


@fails(
    id="theorem1-constant",
    where="Theorem 1, C_S against C-hat",
    statement=claimed(Range(3, 3, whole=True), ANY),
    covers=Scope(("<=",), left=R),
    mutants=lambda s: (
        s.but({C_S: C}),
        s.over({d: Range(4, whole=True)}),
        s.to(T),
        s.but({"1.26": "1260"}),
    ),
    argument="With C-hat >= T^(2/3)/2 the check never fires, and every leaf of a tree opens a ball.",
)
def covering_constant(claim: Statement) -> Outcome:
    """d = 3, C_S = 1: a tree with 8^9 leaves; runs of 8^2 and 8^3."""
    return refuted(claim, witnesses.tree, [(9,)], [(2,), (3,)])


@fails(
    id="theorem1-star",
    where="Theorem 1, C_S against C-hat, every d >= 3",
    formal="theorem_1_fails_with_C_S",
    statement=say(
        *(R, "<", T / 6),
        ranges={d: Range(3), C_S: FROM_1, L: FROM_0, T: WHOLE},
        given=ANY,
    ),
    covers=Scope(("<",), left=R),
    mutants=lambda s: (s.to(T / 5), s.to(C ** sp.Rational(1, 2) * T ** sp.Rational(4, 5)), s.to(T)),
    argument="One leaf with balanced labels, then fresh leaves: regret above T/6, which the stated "
    "bound is below for large T, at every d >= 3.",
)
def star(claim: Statement) -> Outcome:
    """Regret of at least T/6 at C_S = 1, L = 0: runs of 648 and 1536, and T = 8.1 10^10."""
    if wrong := formal.disagrees("theorem_1_fails_with_C_S"):
        return Outcome("not established", wrong)
    found = refuted(claim, witnesses.star, [(6,), (8,), (3000,)], [(6,), (8,)])
    (above,) = broken_by(claimed(Range(3), ANY), [witnesses.star(3000)]) or [""]
    if found.verdict != "fails" or not above:
        return Outcome("not established", found.evidence)
    return Outcome("fails", f"{found.evidence}; the stated bound there is {above.split()[-1]}")


HOLDS = sp.Symbol("{H(d)}")


@STEPS.add(
    id="theorem1-iff",
    where="Theorem 1, for which d",
    statement=say(
        *(HOLDS, "=", sp.Piecewise((1, sp.Eq(d, sp.floor(d)) & (d >= 1)), (0, True))),
        ranges={d: FROM_0},
        given="H(d) = 1 if the bound of Theorem 1 with C-hat = C_S holds for all streams, else 0",
    ),
    kind="formal",
    formal="theorem_1_iff_whole",
    recorded="holds",
    covers=Scope(("=",), {d: FROM_0}, HOLDS),
    mutants=lambda s: (
        s.to(sp.Piecewise((1, sp.Eq(d, sp.floor(d))), (0, True))),
        s.to(sp.Piecewise((1, d >= 1), (0, True))),
        s.to(sp.Piecewise((1, sp.Eq(d, sp.floor(d)) & (d >= 2)), (0, True))),
        s.to(sp.Integer(0)),
    ),
    uses=(
        "theorem1",
        "theorem1-low-dimension",
        "theorem1-fraction",
        "theorem1-fraction-3",
        "theorem1-gap",
    ),
)
def iff_whole(claim: Statement) -> Outcome:
    """The bound holds exactly for d = 1, 2, ...: against the streams, and as Coq has it."""
    own = [w for w in known_witnesses() if w.C_hat == w.C_S]
    for w in own:
        if claim.right.subs(d, sp.Rational(w.d)) == 1 and broken_by(claimed(FROM_0), [w]):
            return Outcome("fails", f"not at d = {float(w.d):g}: {w}")
    for x in (1, 2, 3):
        if claim.right.subs(d, x) != 1 and not too_small(claimed(Range(x, x, whole=True))):
            return Outcome("fails", f"d = {x}: see `theorem1`")
    template = sp.Piecewise((1, sp.Eq(d, sp.floor(d)) & (d >= 1)), (0, True))
    wrong = formal.same("stated", claimed(FROM_0).right.xreplace({C_S: C}))
    if claim.right != template or (wrong := wrong or formal.disagrees("theorem_1_iff_whole")):
        return Outcome("not established", wrong or "Coq says: exactly for d = 1, 2, ...")
    tried = ", ".join(f"{float(w.d):g}" for w in own)
    return Outcome("holds", f"streams break it at d = {tried}; Coq has every d >= 0")
