"""Readings of the pseudo-code: a named switch for each place where its letter is in doubt.

DEVIATIONS.md explains each switch and names the test that shows what goes wrong with the letter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RadiusRule = Literal["max", "plus", "infinite"]


@dataclass(frozen=True)
class Reading:
    """How to read Algorithms 2 and 4; the defaults are the reading ``paper``.

    >>> READINGS["literal"].radius_rule
    'infinite'
    """

    name: str = "paper"
    # Algorithm 2 (BASE, BASE-ADJ)
    count_every_step: bool = True  # t_i counts the steps of the phase, not only its new balls
    start_at_diameter: bool = True  # the k-th step of a phase has radius k^(-1/(2+d)): 1 at first
    size_before_reset: bool = True  # d_{i+1} comes from the balls of the phase that ends
    # Algorithm 4 (AUTO, AUTO-ADJ)
    radius_rule: RadiusRule = (
        "max"  # R_s max(m_s, 1)^(-1/(2+d)), or m_s + 1, or infinite at m_s = 0
    )
    closed_balls: bool = True  # a point at distance exactly the radius is inside
    judge_before_count: bool = True  # a mistake is judged on the counts before y_t is added
    wait_for_two_labels: bool = True  # the second ball is the first example of a second class


READINGS = {
    "paper": Reading(),
    "literal": Reading(
        name="literal",
        count_every_step=False,
        start_at_diameter=False,
        size_before_reset=False,
        radius_rule="infinite",
    ),
    "authors": Reading(
        name="authors", closed_balls=False, judge_before_count=False, wait_for_two_labels=False
    ),
}


def as_reading(reading: str | Reading) -> Reading:
    """The reading of that name, or the reading itself.

    >>> as_reading("paper") == Reading()
    True
    """
    if isinstance(reading, Reading):
        return reading
    try:
        return READINGS[reading]
    except KeyError:
        known = ", ".join(READINGS)
        raise ValueError(f"unknown reading {reading!r}; the readings are {known}") from None
