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
# # Figure 4: AUTO-ADJ with a bounded model
#
# NN3 and AUTO-ADJ at four rates, AUTO-ADJ FIX with four budgets, the paper's points hollow and
# ours filled.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, show, tradeoff

item = tradeoff.make(Given.read(results, output, profile), "4")
show(item, output)
