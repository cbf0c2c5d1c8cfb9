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
# # Ablation: readings, scalings and d-hat
#
# What changes if one thing is done otherwise: the reading of the pseudo-code, the radius before
# the first mistake, the scaling of the data, and d-hat, of which the paper says that it does not
# affect the performance significantly.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, ablation, show

item = ablation.make(Given.read(results, output, profile))
show(item, output)
