"""The streams that break the stated theorem, smaller than in the ledger, checked more closely."""

import math

import numpy as np
import pytest

from abacoc_theory.proofs.rigor import decimal, exact, positive_on
from abacoc_theory.proofs.witnesses import (
    growth,
    leaf_distance,
    low_dimension,
    non_integer_dimension,
)


def test_low_dimension_breaks_the_stated_bound_and_keeps_the_corrected_one():
    witness = low_dimension(10**5)
    assert witness.n_balls == witness.phases == 1
    assert witness.regret > 2 * witness.bound()
    assert witness.regret < witness.bound(d=1)


def test_fractional_dimension_reaches_phase_two_and_breaks_the_stated_bound():
    witness = non_integer_dimension(300_000)
    assert witness.phases == 2
    assert witness.n_balls == 1, "both points stay in the ball of phase 2"
    assert witness.regret > witness.bound()
    assert witness.regret < witness.bound(d=2)
    with pytest.raises(ValueError, match="trap"):
        non_integer_dimension(10**5, d=1.001)


def test_growth_is_linear_for_every_length():
    for T in (8, 64, 200):
        witness = growth(T)
        assert witness.n_balls == T
        assert witness.regret >= T / (2 * math.sqrt(3)) - 1


def test_tree_covering_numbers_give_dimension_three():
    """8^k leaves need 8^k balls below radius 2^-(k-1): C_S(3) = 8."""
    words = [np.array(w).tobytes() for w in np.ndindex(8, 8)]
    for eps in (1.0, 0.999, 0.6, 0.5, 0.4999, 0.3):
        balls: list[bytes] = []  # in an ultrametric space the greedy cover is the smallest
        for word in words:
            if all(leaf_distance(word, ball) > eps for ball in balls):
                balls.append(word)
        assert len(balls) * eps**3 <= 8
    assert len(balls) == 64


def test_intervals_are_certain():
    assert exact("1.26") > exact(decimal(1.2599))
    assert positive_on(lambda x: 2 - x, 0.0, 1.0)
    assert not positive_on(lambda x: 1 - x, 0.0, 1.0), "zero is not positive"
