"""The steps of Section V in the order of the paper, the sharper theorem, tightness, the misprints."""

from __future__ import annotations

from . import (
    failures,
    lemma1,
    lemma2,
    misprints,
    potential,
    probability,
    sharpened,
    theorem1,
    tight,
)
from .ledger import Step

STEPS: tuple[Step, ...] = (
    *probability.STEPS,
    *lemma1.STEPS,
    *lemma2.STEPS,
    *theorem1.STEPS,
    *failures.STEPS,
    *potential.STEPS,
    *sharpened.STEPS,
    *tight.STEPS,
    *misprints.STEPS,
)
