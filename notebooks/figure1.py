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
# # Figure 1: the covers of the four methods
#
# The balls of BASE, BASE-ADJ, AUTO and AUTO-ADJ after 2,000 points of the banana set, drawn anew;
# this needs no table of runs.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, figure1, show

item = figure1.make(Given.read(results, output, profile))
show(item, output)
