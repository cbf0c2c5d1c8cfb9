"""The table of the README says with how many balls a ratio was measured."""

import json

from paper.bench.summary import LEGEND, summary

SPEED = """\
stream,part,entrant,balls,per_second,ratio,whole_ratio
sea,whole,ours,2000,1e6,,
sea,whole,scan,2000,5e5,2.0,
sea,head,reference,150,1e4,80.0,
"""
GROWTH = """\
stream,search,balls,evaluations,per_tenfold,bytes_per_ball
"""


def test_ball_counts_of_the_ratios(tmp_path):
    (tmp_path / "bench_speed.csv").write_text(SPEED)
    (tmp_path / "bench_growth.csv").write_text(GROWTH)
    machine = {"headline": "fast", "profile": "full", "processor": "a processor"}
    (tmp_path / "bench_machine.json").write_text(json.dumps(machine))
    lines = summary(tmp_path).splitlines()
    head = [cell.strip() for cell in lines[0].strip("|").split("|")]
    row = dict(zip(head, (c.strip() for c in lines[2].strip("|").split("|")), strict=True))
    assert row["best compiled scan"] == "2 x"
    assert row["reference"] == "80 x at 150"
    assert row["plain compiled scan"] == ""
    assert LEGEND in lines
