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
# # Friedman's test with Holm's procedure
#
# A passage of the paper, commented out in its source, tests whether AUTO-ADJ is significantly
# better at equal model sizes. The same test on our runs, also at equal rates.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, show, significance

item = significance.make(Given.read(results, output, profile))
show(item, output)
