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
# # The paper's numbers among themselves
#
# Tables II and III are said to be a part of Figure 4, Figure 2 to show what Figure 3 is relative
# to: many numbers of the paper can be checked against others. No run is needed for that.

# %% tags=["parameters"]
results = "../paper_results/reproduced/results.csv"
output = "../paper_results"
profile = "quick"

# %%
from paper.items import Given, show, statements

item = statements.make(Given.read(results, output, profile))
show(item, output)
