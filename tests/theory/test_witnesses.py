"""The streams that break the stated theorem: closed forms, plain runs, and what they claim."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc.base import ball_probability
from abacoc_theory.proofs.rigor import exact, positive_on, value
from abacoc_theory.proofs.theorem1 import known_witnesses
from abacoc_theory.proofs.witnesses import alternating, leaf_distance, star, trap, tree
from abacoc_theory.regret.bounds import stated_bound, whole_dimension
from abacoc_theory.regret.covering import packing_number_greedy
from abacoc_theory.regret.one_ball import rounding
from abacoc_theory.regret.spaces import from_matrix


@given(st.integers(0, 400))
def test_alternating_labels_in_a_ball_with_one_zero(m):
    ones, n, lost = 0, 1, 0.0
    for label in [1, 0] * (m // 2) + [1] * (m % 2):
        lost += abs(label - ball_probability(ones, n))
        ones, n = ones + label, n + 1
    assert float(alternating(m)) == pytest.approx(lost, abs=rounding(max(m, 1)))


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        *((trap, (T, Fraction(d))) for T in (1000, 4321) for d in ("0", "0.25", "0.5", "0.6")),
        *((trap, (T, Fraction("1.05"), 10)) for T in (2000, 20_001)),
        (trap, (6000, Fraction("2.05"), 8)),
        (tree, (1,)),
        (tree, (2,)),
        (tree, (3,)),
        (star, (2,)),
        (star, (6,)),
        (star, (8,)),
    ],
)
def test_closed_form_is_the_plain_run(make, arguments):
    short, run = make(*arguments), make(*arguments, plain=True)
    assert short.regret == pytest.approx(run.regret, abs=rounding(run.T), rel=0)
    assert (short.T, short.n_balls, short.phases) == (run.T, run.n_balls, run.phases)


def bound(witness, d=None, C=None):
    d, C = witness.d if d is None else d, witness.C_S if C is None else C
    return stated_bound(witness.T, float(d), float(C), float(witness.L))


def test_every_witness_breaks_the_stated_bound_and_keeps_the_corrected_one():
    for witness in known_witnesses():
        assert witness.regret > bound(witness)
        assert witness.regret < bound(witness, whole_dimension(float(witness.d)), witness.C_hat)


def test_known_numbers():
    """Seen by another programme."""
    assert [round(star(q).regret, 1) for q in (6, 8)] == [117.7, 271.3]
    big = tree(9)
    assert (big.T, big.C_hat, f"{big.regret:.3e}", f"{bound(big):.3e}") == (
        8**9, 131_072, "8.233e+07", "8.010e+07")  # fmt: skip
    long = trap(10**9, Fraction("2.05"), 8)
    assert f"{bound(long):.2e}" == "4.39e+08"
    assert long.regret > 5e8
    assert long.phases == 3


def test_star_loses_a_sixth_of_all_examples():
    for q in (2, 3, 10, 100):
        witness = star(q)
        assert witness.regret >= witness.T / 6


@pytest.mark.parametrize(("d", "q"), [("1.05", 10), ("2.05", 8)])
def test_trap_has_the_covering_constant_that_it_claims(d, q):
    witness = trap(10**6, Fraction(d), q)
    leaves = math.floor((2 * q) ** float(d)) - 2
    r = float(1 / (2 * witness.L))
    assert leaves * (1 / (2 * q)) ** float(d) <= 1
    assert (leaves + 2) * r ** float(d) <= 1
    assert 2 * r <= 1 / q
    with pytest.raises(ValueError, match="leaves"):
        trap(10**5, Fraction("1.001"), q)


def tree_with_hubs(depth):
    """Distances of the leaves, and of every node to the leaves."""
    words = [np.array(w) for w in np.ndindex(*[8] * depth)]
    leaves = [[leaf_distance(a.tobytes(), b.tobytes()) for b in words] for a in words]
    hubs = []
    for k in range(depth + 1):
        for hub in np.ndindex(*[8] * k):
            # a node at depth k is 2^-(k+1) from the leaves below it, and above that as they are
            height = 2.0 ** -(k + 1) if k < depth else 0.0
            common = [sum(np.cumprod(np.array(hub) == w[:k])) for w in words]
            hubs.append([height if c == k else 2.0**-c - height for c in common])
    return np.array(leaves), np.array(hubs)


def test_tree_has_covering_constant_one():
    leaves, hubs = tree_with_hubs(2)
    from_matrix(leaves)  # a metric space
    for eps in (1.0, 0.75, 0.5, 0.4999, 0.25, 0.2499):
        left, count = np.ones(64, dtype=bool), 0
        while left.any():
            left &= ~(hubs[int((hubs[:, left] <= eps).sum(axis=1).argmax())] <= eps)
            count += 1
        assert count * eps**3 <= 1
    assert packing_number_greedy(from_matrix(leaves), 0.4) == 64


def test_intervals_are_certain():
    assert exact("1.26") > exact(Fraction("1.2599"))
    assert positive_on(lambda x: 2 - x, 0.0, 1.0)
    assert not positive_on(lambda x: 1 - x, 0.0, 1.0), "zero is not positive"
    import sympy as sp

    assert value(sp.Max(1, sp.ceiling(sp.Rational(5, 2))), {}) == 3
