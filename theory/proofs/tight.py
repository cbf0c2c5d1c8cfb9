"""How good the bounds are, and a bound that needs no hypotheses."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product as combinations
from typing import NamedTuple

import numpy as np
import sympy as sp
from flint import arb

from ..regret.exact import all_streams, star_space
from ..regret.one_ball import rounding
from ..regret.sites import Phase, SiteBase, expected_mistakes
from ..regret.spaces import from_matrix
from . import formal
from .ledger import Outcome, Scope, Steps, claims
from .lemma2 import N_MAX, counts, regrets, s
from .lemma2 import STEPS as LEMMA2
from .rigor import value
from .sharpened import STEPS as SHARPENED
from .sharpened import dims
from .statement import Range, Statement, number, say, told
from .symbols import FROM_0, FROM_1, ONE_BALL, ONE_BALL_LESS, WHOLE, C, D, L, R, T, W, d, k, n, rate
from .theorem1 import MANY, i, steps

STEPS = Steps()


@STEPS.add(
    id="one-ball-tight",
    where="tightness, one ball",
    statement=say(
        *(ONE_BALL * sp.sqrt(n) - number("0.6"), "<=", W(n)),
        *("<=", ONE_BALL * sp.sqrt(n + 1) - ONE_BALL_LESS),
        ranges={n: WHOLE},
    ),
    kind="dynamic programming",
    formal="one_ball_tight",
    recorded="holds",
    covers=Scope(("<=", "<="), {n: WHOLE}),
    mutants=lambda st: (
        st.but({"0.6": "0.2"}),
        st.but({"0.75": "0.76"}),
        st.but({"0.75": "0.74"}),
        st.but({"0.6": "0.59"}),
        st.but({sp.sqrt(n): n ** sp.Rational(51, 100)}),
    ),
    uses=("potential-sum",),
)
def one_ball_tight(claim: Statement) -> Outcome:
    """W(n) from both sides: the exact optimum up to 20,000, Coq for all n."""
    every = np.arange(1.0, N_MAX + 1)
    low, high = (sp.lambdify(n, side, "numpy")(every) for side in (claim.left, claim.right))
    for outside in (low - regrets(), regrets() - high):
        if (outside > rounding(N_MAX)).any():
            at = int(np.argmax(outside > rounding(N_MAX)))
            return Outcome(
                "fails",
                f"W({at + 1}) = {regrets()[at]:.6f}, not in [{low[at]:.6f}, {high[at]:.6f}]",
            )
    wrong = formal.same("one_ball_tight", claim.left) or formal.same(
        "one_ball_tight", claim.right, 1
    )
    if wrong:
        return Outcome("not established", wrong)
    return Outcome("holds", f"for n <= {N_MAX:,} by the exact optimum; Coq has all n")


KAPPA, A, B = sp.Symbol(r"\kappa", positive=True), sp.Symbol("a"), sp.Symbol("b")
LEADING = ONE_BALL * sp.sqrt(C) * 2 ** (D / 2) + rate(D) ** -1 * L


@cache
def leading_part() -> sp.Expr:
    """The factor of the largest power of T in `theorem-leading`."""
    terms = sp.Add.make_args(sp.expand(part("theorem-leading").right))
    top = [
        term / T ** rate(D)
        for term in terms
        if sp.simplify(T * sp.diff(term, T) / term - rate(D)) == 0
    ]
    return sp.Add(*(sp.simplify(term) for term in top))


@STEPS.add(
    id="leading-constant",
    where="tightness, the leading constant at every L",
    statement=say(
        *(KAPPA, "=", LEADING),
        ranges={D: WHOLE, C: FROM_1, L: FROM_0},
        given="kappa: the least c such that c T^((1+D)/(2+D)) bounds the regret of all long streams, d = D",
    ),
    kind="formal",
    formal="joint_constant_exact",
    recorded="holds",
    covers=Scope(("=",), {D: WHOLE, C: FROM_1, L: FROM_0}, KAPPA),
    mutants=lambda st: (
        st.but({"0.75": "0.76"}),
        st.but({"0.75": "0.74"}),
        st.but({2 ** (D / 2): 2**D}),
        st.to(sp.Max(ONE_BALL * sp.sqrt(C) * 2 ** (D / 2), rate(D) ** -1 * L)),
        st.to(ONE_BALL * sp.sqrt(C) * 2 ** (D / 2) + L),
    ),
    uses=("theorem-leading",),
)
def leading_constant(claim: Statement) -> Outcome:
    """From above it is the first factor of `theorem-leading`; from below Coq has streams."""
    upper, exact = leading_part(), formal.bound("joint_constant_exact")
    for point in say(
        KAPPA, "=", claim.right, ranges={D: Range(1, 3, whole=True), C: FROM_1, L: FROM_0}
    ).points():
        mine = value(claim.right, point)
        if mine > value(upper, point):
            return Outcome("fails", f"`theorem-leading` has less at {told(point)}")
        if mine < value(exact, point):
            return Outcome("fails", f"streams of joint_constant_exact lose more at {told(point)}")
    if wrong := formal.same("joint_constant_exact", claim.right):
        return Outcome("not established", wrong)
    if sp.simplify(upper - claim.right) != 0:
        return Outcome("not established", "`theorem-leading` has another factor")
    return Outcome(
        "holds", "the factor of `theorem-leading` from above; Coq has streams for every c below"
    )


def best(claim: Statement, which: int) -> Outcome:
    """A constant of `theorem-leading` that cannot be smaller: 0 is that of the balls, 1 that of L."""
    upper = (leading_part().subs({C: 1, L: 0}) / 2 ** (D / 2), leading_part().coeff(L))[which]
    for dim in (1, 2, 3):
        if value(claim.right, {D: dim}) > value(sp.simplify(upper.subs(D, dim)), {}):
            return Outcome(
                "fails", f"D = {dim}: `theorem-leading` is valid with {upper.subs(D, dim)}"
            )
    if wrong := formal.same("best_constants", claim.right, which):
        return Outcome("not established", wrong)
    return Outcome("holds", "`theorem-leading` has it from above, Coq from below")


VALID = (
    "(a sqrt(C) 2^(D/2) + b L) T^((1+D)/(2+D)) bounds the regret of all long streams, for every L"
)


@STEPS.add(
    id="best-ball-constant",
    where="tightness, the constants of the leading term",
    statement=say(A, ">=", ONE_BALL, ranges={D: WHOLE, C: FROM_1}, given=VALID),
    kind="formal",
    formal="best_constants",
    recorded="holds",
    covers=Scope((">=",), {D: WHOLE, C: FROM_1}, A),
    mutants=lambda st: (
        st.but({"0.75": "0.76"}),
        st.to(ONE_BALL * sp.sqrt(D)),
        st.to(ONE_BALL - sp.Rational(1, 9)),
    ),
    uses=("theorem-leading",),
)
def best_ball(claim: Statement) -> Outcome:
    """No constant below 3/4 before sqrt(C) 2^(D/2)."""
    return best(claim, 0)


@STEPS.add(
    id="best-slope-constant",
    where="tightness, the constants of the leading term",
    statement=say(B, ">=", rate(D) ** -1, ranges={D: WHOLE, C: FROM_1}, given=VALID),
    kind="formal",
    formal="best_constants",
    recorded="holds",
    covers=Scope((">=",), {D: WHOLE, C: FROM_1}, B),
    mutants=lambda st: (st.to((3 + D) / (1 + D)), st.to(sp.Rational(3, 2)), st.to(sp.Integer(1))),
    uses=("theorem-leading",),
)
def best_slope(claim: Statement) -> Outcome:
    """No constant below (2+D)/(1+D) before L."""
    return best(claim, 1)


class Game(NamedTuple):
    """A short stream with all its labels, and what BASE did."""

    L: Fraction
    regret: float  # against the best L-Lipschitz function
    sizes: tuple[int, ...]
    travelled: Fraction
    phases: tuple[Phase, ...]

    def __str__(self) -> str:
        return f"L = {self.L}, balls with {self.sizes} examples: regret {self.regret:.4f}"


@cache
def games(sites: int = 3, length: int = 6, distance: Fraction = Fraction(7, 10)) -> list[Game]:
    """All streams over equidistant points with all labels, for f constant and for f free."""
    space = from_matrix([[float(x) for x in row] for row in star_space(sites, distance)])
    played = []
    for stream, labels in combinations(
        all_streams(sites, length), combinations((0, 1), repeat=length)
    ):
        learner = SiteBase(space)
        lost = expected_mistakes(learner.run(stream, labels), labels)
        sizes = tuple(learner.past_counts + learner.counts)
        moved = Fraction(round(learner.travelled / float(distance))) * distance
        by_site = [
            [y for x, y in zip(stream, labels, strict=True) if x == site] for site in range(sites)
        ]
        for slope, groups in ((Fraction(0), [list(labels)]), (1 / distance, by_site)):
            best = sum(min(sum(group), len(group) - sum(group)) for group in groups)
            played.append(Game(slope, lost - best, sizes, moved, tuple(learner.history)))
    return played


BALLS = sp.Sum(
    sp.Min(sp.sqrt(counts[s]), ONE_BALL * sp.sqrt(counts[s] + 1) - ONE_BALL_LESS), (s, 1, k)
)
MOVED = sp.Symbol(r"{\sum_t \rho_t}", nonnegative=True)


@STEPS.add(
    id="without-hypotheses",
    where="a bound without hypotheses",
    statement=say(
        *(R, "<=", BALLS + L * MOVED),
        ranges={L: FROM_0},
        given="any function as distance, any C-hat; n_s the examples of all k balls that ever were, "
        "rho_t the distance of x_t from the centre of its ball",
    ),
    kind="exhaustive",
    formal="refined_theorem",
    recorded="holds",
    covers=Scope(("<=",), {L: FROM_0}, R),
    mutants=lambda st: (
        st.but({"0.75": "0.7"}),
        st.but({"0.06": "0.1"}),
        st.but({L * MOVED: L * MOVED / 4}),
        st.but({sp.sqrt(counts[s]): counts[s] ** sp.Rational(1, 4)}),
    ),
    uses=("potential-sum", "decomposition", "lipschitz"),
)
def without_hypotheses(claim: Statement) -> Outcome:
    """All labelled streams of six over three points; Coq has all streams."""
    (terms,) = claim.right.find(sp.Sum)
    rest = claim.right.xreplace({terms: sp.Integer(0)})
    cached = {size: value(terms.function, {counts[s]: size}) for size in range(1, 7)}
    for game in games():
        bound = sum((cached[size] for size in game.sizes), start=arb(0))
        bound += value(rest, {L: game.L, MOVED: game.travelled})
        if bound < game.regret - rounding(6):
            return Outcome("fails", f"{game}, the bound is {float(bound):.4f}")
    mine = terms.function.xreplace({counts[s]: n})
    wrong = formal.same("refined_theorem", mine)
    if wrong or rest != L * MOVED:
        return Outcome(
            "not established", wrong or "refined_theorem of Coq has L times the distances"
        )
    return Outcome("holds", f"on {len(games()):,} games of six steps; Coq has all streams")


balls = sp.IndexedBase("k")
PHASE_BOUND = ONE_BALL * sp.sqrt(balls[i] * (steps[i] + balls[i])) + L * rate(
    dims[i]
) ** -1 * steps[i] ** rate(dims[i])


@STEPS.add(
    id="without-hypotheses-phases",
    where="a bound without hypotheses, by phases",
    statement=say(
        *(R, "<=", sp.Sum(PHASE_BOUND, (i, 1, MANY))),
        ranges={L: FROM_0},
        given="phase i has n_i steps, k_i balls and dimension d_i; any function as distance, any C-hat",
    ),
    kind="chain",
    formal="refined_phases",
    recorded="holds",
    covers=Scope(("<=",), {L: FROM_0}, R),
    mutants=lambda st: (
        st.but({"0.75": "0.7"}),
        st.but({steps[i] ** rate(dims[i]): steps[i] ** (dims[i] / (2 + dims[i]))}),
        st.but({L: L / 4}),
    ),
    uses=("balls-of-a-phase", "radius-sum", "decomposition"),
)
def by_phases(claim: Statement) -> Outcome:
    """The balls of a phase and the sum of its radii, which are at least the distances."""
    if not isinstance(claim.right, sp.Sum):
        return Outcome("not established", "the check is about a sum over the phases")
    one = claim.right.function.xreplace({balls[i]: k, steps[i]: n, dims[i]: d})
    cached = dict[tuple[Fraction, Phase], arb]()
    for game in games():
        for phase in game.phases:
            at = {k: phase.n_balls, n: phase.n_steps, d: phase.dimension, L: game.L}
            if (game.L, phase) not in cached:
                cached[game.L, phase] = value(one, at)
        bound = sum((cached[game.L, phase] for phase in game.phases), start=arb(0))
        if bound < game.regret - rounding(6):
            return Outcome("fails", f"{game}, the bound is {float(bound):.4f}")
    product = part("balls-of-a-phase").right + L * part("radius-sum").parts[1]
    if sp.simplify(one - product) != 0:
        return Outcome("not established", f"the product of the steps is {product}")
    if wrong := formal.same("refined_phases", one):
        return Outcome("not established", wrong)
    return Outcome(
        "holds", f"the product of the steps; {len(games()):,} games of six steps; Coq has the same"
    )


part = claims(LEMMA2, SHARPENED)
