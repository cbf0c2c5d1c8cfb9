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
# # Table III: three methods with 1 % of the stream
#
# The paper's row and ours for every set, and the row of the paper that our runs resemble most
# (see `identity.ipynb`).

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, show, tables23

item = tables23.make(Given.read(results, output, profile), "III")
show(item, output)
