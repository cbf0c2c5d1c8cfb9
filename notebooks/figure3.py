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
# # Figure 3: accuracy against model size
#
# Nine methods at four rates. The paper's points are hollow and ours are filled; the axis of the
# sizes is logarithmic, since the sizes span four orders of magnitude.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, show, tradeoff

item = tradeoff.make(Given.read(results, output, profile), "3")
show(item, output)
