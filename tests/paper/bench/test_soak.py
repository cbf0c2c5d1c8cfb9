"""The long run, shortened: the files that it writes, and that a ball too many is noticed."""

import csv
import json

from abacoc.cli import main
from paper.bench import soak

N = 20_000


def test_soak_from_the_shell(tmp_path, capsys):
    """Compiled, as users run it; no test looks at the times themselves."""
    assert main(["bench", "--soak", str(N), "--output", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert f"soak: {N:,} examples" in err
    with (tmp_path / "reproduced" / "soak.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["examples"]) for row in rows] == list(range(200, N + 1, 200))
    assert max(int(row["balls"]) for row in rows) == soak.BUDGET
    evaluations = [float(row["evaluations_per_example"]) for row in rows]
    assert all(1 <= count <= soak.BUDGET for count in evaluations[1:])
    assert all(float(row["resident_mib"]) > 0 for row in rows)
    told = (tmp_path / "reproduced" / "soak_table.md").read_text()
    assert told in out
    assert f"`abacoc bench --soak {N}`" in told
    assert "1,000 |" in next(line for line in told.splitlines() if "balls at most" in line)
    assert (tmp_path / "figures" / "soak.png").read_bytes().startswith(b"\x89PNG")


def test_json(tmp_path, capsys):
    assert main(["bench", "--soak", "10000", "--output", str(tmp_path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["blocks"]) == soak.BLOCKS
    assert result["written"] == [
        str(tmp_path / name)
        for name in ("reproduced/soak.csv", "reproduced/soak_table.md", "figures/soak.png")
    ]


def test_a_ball_too_many_is_noticed(counting, tmp_path, capsys, monkeypatch):
    class Careless(counting):
        def _discard(self, i):
            pass  # the new ball takes nobody's place

    monkeypatch.setattr(soak, "AutoAdj", lambda budget: Careless(budget=20))
    assert main(["bench", "--soak", "10000", "--output", str(tmp_path)]) == 2
    assert "though the budget is 20" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_same_learner_without_the_fault(counting):
    """A scan evaluates as many distances as there are balls, so the counts are known."""
    blocks = soak.measure(counting(budget=20), 10_000)
    assert set(blocks.balls[1:]) == {20}
    assert set(blocks.evaluations_per_example[2:]) == {20.0}
    assert blocks.accuracy.mean() > 1 / 5, "better than chance"


def test_the_model_stops_growing():
    """Thousands of balls come and go; the arrays have their size by half of the stream."""
    blocks = soak.measure(soak.AutoAdj(budget=50), 40_000)
    assert blocks.model_bytes[50:].nunique() == 1
    assert blocks.balls.iloc[-1] == 50


def test_labels_mean_the_same_in_every_piece():
    """Five classes of about the same frequency, whichever of them comes first in a piece."""
    pieces = [y for _, y in soak.pieces(50_000)]
    assert {int(y[0]) for y in pieces} == {0, 1, 2, 3, 4}
    for y in pieces:
        assert set(y.tolist()) == {0, 1, 2, 3, 4}


def test_too_short(tmp_path, capsys):
    assert main(["bench", "--soak", "500", "--output", str(tmp_path)]) == 2
    assert "at least 10,000 examples, not 500" in capsys.readouterr().err
