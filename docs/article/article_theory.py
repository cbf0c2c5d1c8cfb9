"""Theorem 1: its constants from the statements in Coq, its counterexamples from the ledger."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pandas as pd
from article_guards import Told, only_if, word

from paper.verdicts import FAILS, HOLDS

POWERS = r"Rpower T \(\(1 \+ INR D\) / \(2 \+ INR D\)\)"
NUMBER, TREE = r"(\d+)/(\d+) \* ", r"sqrt C \* Rpower 2 \(INR D / 2\)"
FORMS = {  # the formulas in the text, as Coq has them; their numbers are fractions
    "sharper_theorem": rf"\({NUMBER}{TREE} \+ {NUMBER}L\) \* {POWERS}",
    "joint_constant_exact": rf"let K := {NUMBER}{TREE} \+ \(2 \+ INR D\) / \(1 \+ INR D\) \* L in",
    "corrected_theorem_1": rf"{NUMBER}\({NUMBER}sqrt C \* 2 \^ D \+ {NUMBER}L\) \* {POWERS}",
    "one_ball": rf"regret <= {NUMBER}sqrt \(INR n \+ 1\) - 6/100 /\\ regret <= sqrt \(INR n\)",
}
BROKEN = re.compile(  # a stream that breaks the stated theorem, as the ledger writes it
    r"d = (?P<d>[\d.]+), T = (?P<T>[\d,]+), C-hat (?:= C_S )?= (?P<C>[\d,]+)(?:, C_S = 1)?, "
    r"L = (?P<L>[\d.]+): regret at least (?P<regret>[\d,]+)\S*, bound (?P<bound>[\d,.]+\d)"
)


def _constants(statements: str, theorem: str) -> list[float]:
    """The numbers of a theorem, in its order, if it still has the form that the text has."""
    body = statements.partition(f"Theorem {theorem} ")[2].partition("Proof.")[0]
    found = re.search(FORMS[theorem], body)
    if found is None:
        raise ValueError(f"{theorem} in Coq has not the form that the article gives it")
    parts = list(map(int, found.groups()))
    return [above / below for above, below in zip(parts[::2], parts[1::2], strict=True)]


def theory(ledger: pd.DataFrame, coq: Path) -> Told:
    """The theorem: constants from the statements in Coq, counterexamples from the ledger."""
    statements = (coq / "Statements.v").read_text("utf-8")
    (ball, tilt), (leading,), (factor, first, slope), (one_ball,) = (
        _constants(statements, theorem) for theorem in FORMS
    )
    stated = re.findall(r"\d+\.\d+", ledger.statement["theorem1"])
    only_if([factor, first, slope] == list(map(float, stated)), "Theorem 1 has these constants")
    axioms = re.findall(r"\S+\.\w+", (coq / "assumptions.txt").read_text("utf-8"))
    told = {"axioms": word(len(set(axioms))), "steps": str(len(ledger))}
    told |= {
        f"steps_{v.replace(' ', '_')}": str(n) for v, n in ledger.verdict.value_counts().items()
    }
    only_if((ledger.kind[ledger.verdict == FAILS] == "witness").all(), "each failure has a witness")
    only_if(ledger.verdict["theorem1-iff"] == HOLDS, "Theorem 1 holds exactly for whole d")
    told |= {"ball": f"{ball:g}", "tilt": f"{tilt:g}", "leading": f"{leading:g}"}
    told |= {"factor": f"{factor:g}", "first": f"{first:g}", "slope": f"{slope:g}"}
    told["one_ball"] = f"{one_ball:g}"
    for key, d in (("low", 1), ("high", 4)):
        before, after = factor * first * 2**d, ball * 2 ** (d / 2)
        only_if(after < before, "the sharper constant is smaller")
        told |= {
            f"d_{key}": str(d),
            f"before_{key}": f"{before:.1f}",
            f"after_{key}": f"{after:.2f}",
        }
    for step, key in (("theorem1-fraction-3", "fraction"), ("theorem1-constant", "constant")):
        found = BROKEN.search(ledger.evidence[step])
        if found is None or ledger.verdict[step] != FAILS:
            raise ValueError(f"the ledger has no stream that breaks Theorem 1 in {step}")
        bound = math.ceil(float(found["bound"].replace(",", "")))
        only_if(int(found["regret"].replace(",", "")) > bound, f"the stream breaks it: {step}")
        told |= {f"{key}_{name}": found[name] for name in ("d", "T", "C", "L", "regret")}
        told[f"{key}_bound"] = f"{bound:,}"
    larger = re.findall(r"theorem_1_fails_with_C_S : forall d, (\d+) <= d", statements)
    only_if(larger and ledger.verdict["theorem1-star"] == FAILS, "it fails with a larger C-hat")
    told["fails_from"] = larger[0]
    room = ledger.statement["lemma1-size"], ledger.amendment["lemma1-size"]
    told["room_printed"], told["room"] = (
        re.findall(r"(\d)\^\{d_\{i\}\}", text)[0] for text in room
    )
    root = re.findall(
        r"(\d\.\d+): (\d\.\d+) <= (\d\.\d+) is false", ledger.evidence["phases-factor"]
    )
    told["root_d"], told["root"], limit = root[0]
    only_if(float(limit) == factor, "the last step of the proof has this factor")
    for step in ("steps", "start", "reset", "radius"):
        only_if(ledger.verdict[f"misprint-{step}"] == FAILS, f"the pseudo-code fails: {step}")
        place = ledger["where"][f"misprint-{step}"]
        told[f"misprint_{step}"] = place.replace("Algorithm ", "Alg. ")
    told |= {f"amended_{step}": ledger.amendment[f"misprint-{step}"] for step in ("steps", "reset")}
    return told
