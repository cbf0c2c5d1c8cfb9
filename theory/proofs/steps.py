"""The steps of Section V, in the order of the paper, the sharper theorem, the misprints."""

from __future__ import annotations

from . import lemma1, lemma2, misprints, probability, sharpened, theorem1
from .ledger import Step

STEPS: tuple[Step, ...] = (
    *probability.STEPS,
    *lemma1.STEPS,
    *lemma2.STEPS,
    *theorem1.STEPS,
    *sharpened.STEPS,
    *misprints.STEPS,
)
