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
# # How AUTO-ADJ FIX follows drift
#
# Accuracy and model size window by window on the sets with drift, with AUTO-ADJ without a bound
# for comparison, which the paper does not show.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, drift, show

item = drift.make(Given.read(results, output, profile))
show(item, output)
