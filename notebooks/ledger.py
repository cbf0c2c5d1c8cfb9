# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Theorem 1: the proof ledger
#
# Every step of the proofs of Section V, how it was checked and what came out. The stored ledger
# is shown; where there is none, every step is checked now, which takes under a minute.
# `theorem1.ipynb` has the experiments behind it.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from pathlib import Path

from paper.items import Given, ledger, show

if not (Path(output) / "reproduced" / "ledger.csv").exists():
    from theory.ledger import verify
    from theory.report import write_ledger
    from theory.steps import STEPS

    write_ledger(list(verify(STEPS)), Path(output) / "reproduced")
item = ledger.make(Given.read(results, output, profile))
show(item, output)
