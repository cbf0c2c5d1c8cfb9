"""The short tables of the report, made of the files that the benchmark wrote."""

import io
import json

import pandas as pd

from paper.bench import soak
from paper.bench.tables import AT, short_table
from paper.notebooks import ROOT

COMMITTED = ROOT / "paper_results" / "reproduced"
SPEED = """\
stream,part,entrant,balls,per_second,ratio,whole_ratio
sea,whole,ours,2000,1e6,,
sea,whole,scan,2000,5e5,2.0,
sea,head,reference,150,1e4,80.0,
"""
GROWTH = """\
stream,search,balls,evaluations,per_tenfold,bytes_per_ball
"""


def test_ball_counts_of_the_ratios():
    """A ratio says with how many balls it was measured, if not with all of them."""
    speed, growth = (pd.read_csv(io.StringIO(text)) for text in (SPEED, GROWTH))
    machine = {"headline": "fast", "profile": "full", "processor": "a processor"}
    lines = short_table(speed, growth, machine).splitlines()
    head = [cell.strip() for cell in lines[0].strip("|").split("|")]
    row = dict(zip(head, (c.strip() for c in lines[2].strip("|").split("|")), strict=True))
    assert row["best compiled scan"] == "2 x"
    assert row["reference"] == "80 x at 150"
    assert row["plain compiled scan"] == ""
    assert AT in lines


def test_committed_table_is_made_of_the_committed_files():
    speed, growth = (pd.read_csv(COMMITTED / f"bench_{name}.csv") for name in ("speed", "growth"))
    machine = json.loads((COMMITTED / "bench_machine.json").read_text())
    assert short_table(speed, growth, machine) == (COMMITTED / "bench_table.md").read_text()


def test_committed_soak_table_is_made_of_the_committed_file():
    machine = json.loads((COMMITTED / "bench_machine.json").read_text())  # the same machine
    told = soak.short_table(pd.read_csv(COMMITTED / "soak.csv"), machine["processor"])
    assert told == (COMMITTED / "soak_table.md").read_text()
