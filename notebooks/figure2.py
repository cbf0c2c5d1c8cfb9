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
# # Figure 2: the four methods with all labels
#
# Model size and relative accuracy at rate 1, the paper's bars and ours in one picture. A dot is a
# set: how different the sets are does not show in the paper's figure.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, figure2, show

item = figure2.make(Given.read(results, output, profile))
show(item, output)
