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
# # Theorem 1, checked to the last step
#
# Every step of the proofs of Section V as an object that is checked anew; the exact regret of BASE
# against the best Lipschitz comparator; streams that try to break the bound; and how far the two
# sides are apart. All numbers go to files below `output`.

# %% tags=["parameters"]
output = "../paper_results"
profile = "quick"

# %%
import csv
from pathlib import Path

from IPython.display import Image, Markdown, display

from theory import experiments, figures, report
from theory.ledger import verify
from theory.steps import STEPS

output = Path(output)


def show(path):
    """A CSV file as a table."""
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    display(Markdown("\n".join(lines)))


# %% [markdown]
# ## The proof ledger
#
# A verdict is *holds*, *holds amended* (the amendment is named) or *fails* (with a witness that was
# run just now).

# %%
results = list(verify(STEPS))
ledger = report.write_ledger(results, output / "reproduced")
print(report.summary(results))
for checked in results:
    step, outcome = checked.step, checked.outcome
    amended = f"<br>*amended:* ${step.amendment}$" if "\\" in step.amendment else ""
    amended = amended or (f"<br>*amended:* {step.amendment}" if step.amendment else "")
    display(
        Markdown(
            f"**{step.id}** ({step.where}): *{outcome.verdict}*, {step.kind}\n\n"
            f"${step.statement}${amended}\n\n{outcome.evidence}"
        )
    )

# %% [markdown]
# ## One ball
#
# The largest regret of one ball, exactly, against the potential's bound.

# %%
for path in figures.one_ball(output):
    if path.suffix == ".png":
        display(Image(path))

# %% [markdown]
# ## Regret against T
#
# Expected mistakes are a sum, no coin is tossed; the comparator is the best L-Lipschitz function,
# exactly, by duality. No adversary may break the corrected or the sharpened bound.

# %%
for path in experiments.run(output, profile):
    if path.suffix == ".png":
        display(Image(path))
    else:
        display(Markdown(f"### {path.stem}"))
        show(path)

# %% [markdown]
# ## In one table

# %%
table = report.write_theory_table(output)
display(Markdown(table.read_text()))
