"""The items from a made-up table of runs: what they say, draw and store, with runs and without."""

import csv
import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from example import SETS, write_example

from paper import published
from paper.items import (
    Given,
    ablation,
    clock,
    drift,
    figure1,
    figure2,
    ledger,
    rows,
    significance,
    statements,
    stored,
    table1,
    tables23,
    tradeoff,
)
from paper.items.chosen import coverage, paper_streams
from paper.items.item import read_rows
from paper.items.style import picture
from paper.labels import Label, place
from paper.normalised import OWN
from paper.results import Result, Results

ROOT = Path(__file__).resolve().parents[2]
STORED_LEDGER = ROOT / "paper_results" / "reproduced" / "ledger.csv"
MAKERS = {
    "table1": table1.make,
    "fig2": figure2.make,
    "fig3": lambda given: tradeoff.make(given, "3"),
    "fig4": lambda given: tradeoff.make(given, "4"),
    "table2": lambda given: tables23.make(given, "II"),
    "table3": lambda given: tables23.make(given, "III"),
    "published": statements.make,
    "identity": rows.make,
    "ranks": significance.make,
    "ablation": ablation.make,
    "drift": drift.make,
    "wallclock": clock.make,
    "ledger": ledger.make,
}


@pytest.fixture(scope="module")
def given(tmp_path_factory) -> Given:
    folder = tmp_path_factory.mktemp("items")
    results = write_example(folder / "reproduced")
    (folder / "reproduced" / "ledger.csv").write_bytes(STORED_LEDGER.read_bytes())
    return Given.read(results, folder, "tiny")


def run(stream="sea", method="auto-adj", rate=1.0, accuracy=0.5, size=10, **more) -> Result:
    told = {"seed": 0, "scale": "none", "settings": {}, "n_examples": 1000, "n_updates": 1000}
    told |= {"seconds": 1.0} | more
    return Result(stream, method, rate, accuracy=accuracy, model_size=size,
                  model_share=size / told["n_examples"], **told)  # fmt: skip


# All items --------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", MAKERS)
def test_item_is_made_and_stored(given, id):
    item = MAKERS[id](given)
    assert item.id == id
    assert not item.missing
    assert stored(given.output, id) == item
    for path in item.paths(given.output):
        assert path.stat().st_size > 0
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
    for table in item.tables:
        assert all(len(row) == len(table.head) for row in table.rows)
        assert (
            len({line.replace("\\|", "").count("|") for line in table.markdown().split("\n")}) == 1
        )
    assert all(picture.alt for picture in item.pictures)


@pytest.mark.parametrize("id", [id for id in MAKERS if id not in ("table1", "published")])
def test_item_without_runs_says_so(tmp_path, id):
    given = Given.read(tmp_path / "reproduced" / "results.csv", tmp_path)
    item = MAKERS[id](given)
    assert "There" in item.missing
    assert item.missing.endswith(".")
    assert all(path.exists() for path in item.paths(tmp_path))


def test_figure_1_is_drawn_without_runs(tmp_path):
    item = figure1.make(Given.read(tmp_path / "none.csv", tmp_path))
    assert not item.missing
    assert not item.from_runs
    assert [row[0] for row in item.tables[0].rows] == ["BASE", "BASE-ADJ", "AUTO", "AUTO-ADJ"]


def test_a_method_that_was_not_run_is_named(given):
    some = [row for row in given.results.rows if row.method != "rules"]
    item = tradeoff.make(replace(given, results=Results(some), output=given.output / "less"), "3")
    assert "No runs of RULES." in item.told
    assert len(item.streams) == len(SETS)


# Which streams ----------------------------------------------------------------------------------


def test_of_a_set_and_its_heads_the_longest_counts():
    lengths = {"sea": 60_000, "sea,head=100": 100, "poker,head=50": 50, "poker,head=70": 70}
    lengths["generated:sea,n=90"] = 90
    results = Results([run(stream=s, n_examples=n) for s, n in lengths.items()])
    assert paper_streams(results, ["auto-adj"], [1.0]) == ["sea", "poker,head=70"]
    assert paper_streams(results, ["auto-adj", "nn3"], [1.0]) == []


def test_a_generated_stand_in_counts_if_nothing_else_does():
    lengths = {"generated:hyperplane,n=90": 90, "generated:sea,n=90": 90, "sea,head=50": 50}
    results = Results([run(stream=s, n_examples=n) for s, n in lengths.items()])
    assert paper_streams(results, ["auto-adj"], [1.0]) == [
        "generated:hyperplane,n=90",
        "sea,head=50",
    ]
    assert paper_streams(results, ["auto-adj"], [1.0], stand_ins=False) == ["sea,head=50"]
    assert "hyperPlane (generated)" in coverage(["generated:hyperplane,n=90"])


def test_other_readings_of_a_set_are_variants_of_its_row():
    plain = swapped().rows
    scaled = [replace(row, scale="minmax") for row in plain if row.stream == "sea"]
    ablated = [replace(row, settings=row.settings | {"d_hat": 3.0}) for row in plain]
    found = rows.reproduced(Results([*plain, *scaled, *ablated]))
    assert [(row.data, row.variant) for row in found] == [
        ("sea", ""),
        ("sea", "minmax"),
        ("poker", ""),
        ("covtype", ""),
    ]


def test_coverage_names_every_set_once():
    told = coverage(["covtype,head=20000", "sea"])
    assert "covtype (first 20,000), sea." in told
    for name in published.table1():
        assert told.count(name) == 1


# Numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["3", "4"])
def test_points_are_the_papers_and_the_means_of_ours(given, number):
    tradeoff.make(given, number)
    table = read_rows(given.output / "reproduced" / f"figure{number}.csv")
    plotted = (published.figure3 if number == "3" else published.figure4)()
    assert len(table) == len(plotted)
    for row in table:
        point = plotted[row["method"], float(row["rate"])]
        # six digits are written
        assert float(row["published_size"]) == pytest.approx(point.size, rel=1e-5)
        assert float(row["published_accuracy"]) == pytest.approx(point.accuracy, rel=1e-5)
    with (given.output / "reproduced" / "results.csv").open(newline="") as file:
        runs = [row for row in csv.DictReader(file) if row["accuracy"]]
    usual = dict.fromkeys(OWN[:2], "unit")
    standard = [
        r for r in runs if (r["settings"], r["scale"]) == ("{}", usual.get(r["method"], "none"))
    ]
    best = {s: max(float(r["accuracy"]) for r in standard if (r["stream"], r["rate"]) == (s, "1.0"))
            for s in SETS}  # fmt: skip
    nn3 = [r for r in standard if (r["method"], r["rate"]) == ("nn3", "0.05")]
    expected = sum(float(r["accuracy"]) / best[r["stream"]] for r in nn3) / len(nn3)
    ours = next(row for row in table if (row["method"], float(row["rate"])) == ("NN3", 0.05))
    assert float(ours["accuracy"]) == pytest.approx(expected, rel=1e-5)
    assert (ours["seeds"], ours["sets"]) == ("3", "4")


def test_figure_2_has_the_bars_and_a_value_per_set(given):
    figure2.make(given)
    table = read_rows(given.output / "reproduced" / "figure2.csv")
    assert len(table) == 8
    for row in table:
        bar = published.figure2()[row["panel"]][row["method"]]
        assert float(row["published"]) == pytest.approx(bar, rel=1e-5)
        values = [float(row[name]) for name in SETS]
        assert float(row["mean"]) == pytest.approx(sum(values) / len(values), rel=1e-5)


def swapped() -> Results:
    """Runs on sea that have the numbers of the paper's row poker, and on poker those of sea."""
    own = {"NN3": "nn3", "AUTO-ADJ": "auto-adj", "AUTO-ADJ FIX": "auto-adj-fix"}
    found = [run(stream=s, accuracy=0.99) for s in ("sea", "poker", "covtype")]
    for cell in published.tables():
        stream = {"sea": "poker", "poker": "sea", "covtype": "covtype"}.get(cell.data)
        if stream is None:
            continue
        level, method = published.TABLES[cell.table], own[cell.method]
        fix = method == "auto-adj-fix"
        settings = {"budget": level} if fix else {}
        size = round(cell.size * 10_000)
        found.append(run(stream, method, 1.0 if fix else level, cell.accuracy, size,
                         settings=settings, n_examples=10_000))  # fmt: skip
    return Results(found)


def test_swapped_rows_are_recognised(tmp_path):
    given = Given(swapped(), [], tmp_path)
    verdicts = {row[0]: row[1] for row in rows.make(given).tables[0].rows}
    assert verdicts["sea"] == "looks like poker"
    assert verdicts["poker"] == "looks like sea"
    assert verdicts["covtype"] == "as labelled"
    assert verdicts["airlines"] == "matches nothing at hand"
    item = tables23.make(given, "III")
    lines = {row[0]: row for row in item.tables[0].rows}
    assert lines["sea"][-2:] == ["poker", "poker: 0.674, 0.691, 0.710"]
    assert "→" in lines["sea"][1]
    assert not [cell for cell in lines["airlines"] if "→" in cell]  # nothing of ours
    assert any(
        "on poker, sea look more like" in told or "on sea, poker" in told for told in item.told
    )
    table = read_rows(tmp_path / "reproduced" / "table3.csv")
    sea = next(r for r in table if (r["set"], r["method"]) == ("sea", "NN3"))
    assert sea["row_like_ours"] == "poker"
    assert float(sea["accuracy"]) == float(sea["its_accuracy"]) == 0.674
    assert float(sea["published_accuracy"]) == 0.456


def test_ranks_at_equal_rates_are_those_of_the_accuracies(given):
    methods = ["auto-adj", "nn3", "vfdt"]
    compared = significance.compare(given.results, methods, list(SETS))
    tenth = next(c for c in compared if (c.at, c.value) == ("rate", 0.1))
    assert sum(tenth.told.average_ranks.values()) == pytest.approx(6)
    assert tenth.told.average_ranks["vfdt"] == 3
    assert set(tenth.holm) == {"nn3", "vfdt"}


# Beyond the paper -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spans", "answer"), [((0, 0), "Yes"), ((0, 0, 0.1), "Mostly"), ((0.1, 0.1), "No")]
)
def test_whether_d_hat_matters(tmp_path, spans, answer):
    found = []
    for stream, span in zip(("sea", "poker", "covtype"), spans, strict=False):
        found += [run(stream), run(stream, accuracy=0.5 + span, size=40, settings={"d_hat": 8.0})]
    item = ablation.make(Given(Results(found), [], tmp_path))
    assert any(f"AUTO-ADJ? {answer}." in told for told in item.told)
    assert any("factor of 4.0" in told for told in item.told)


def test_ablation_compares_one_change_with_the_default():
    found = [
        run(accuracy=0.5),
        run(accuracy=0.6, scale="minmax"),
        run(accuracy=0.7, settings={"reading": "authors"}),
        run(accuracy=0.8, settings={"reading": "authors"}, scale="minmax"),  # two changes
        run(method="base", accuracy=0.9),  # BASE's own scaling is another
        run(stream="poker", accuracy=0.9, settings={"d_hat": 3.0}),  # without a default
    ]
    changes = ablation.changes(Results(found))
    assert [(c.name, round(c.gain, 9)) for c in changes] == [
        ("scale minmax", 0.1),
        ("reading authors", 0.2),
    ]


def curve(accuracy, method, rate=1.0, scale="none", **settings):
    for window in range(10):
        yield {"stream": "electricity", "method": method, "rate": str(rate), "seed": "0",
               "scale": scale, "settings": json.dumps(settings), "end": str(100 * (window + 1)),
               "accuracy": str(accuracy), "model_size": "7"}  # fmt: skip


def test_drift_tells_scalings_apart_and_who_gains(tmp_path):
    found = [*curve(0.8, "auto-adj-fix", budget=0.01), *curve(0.7, "auto-adj")]
    found += [*curve(0.1, "auto-adj", scale="minmax"), *curve(0.2, "auto-adj", d_hat=3.0)]
    item = drift.make(Given(Results([]), found, tmp_path))
    assert "forgetting helps on electricity by 10.0 points" in item.told[1]
    assert item.tables[0].rows[2][2:] == ["0.800", "0.700", "", ""]


def test_time_is_the_geometric_mean_over_streams():
    results = Results([
        run("sea", seconds=1e-3), run("poker", seconds=4e-3), run("covtype", seconds=math.nan),
    ])  # fmt: skip
    assert clock.microseconds(results, "auto-adj", 1.0, ["sea", "poker"]) == pytest.approx(2)
    assert clock.microseconds(results, "auto-adj", 1.0, ["sea", "covtype"]) is None


# Looks ------------------------------------------------------------------------------------------


def test_names_do_not_cover_each_other(tmp_path):
    with picture(tmp_path / "a.png") as (_, axes):
        axes.set(xlim=(0, 1), ylim=(0, 1))
        labels = [Label(0.5 + 0.01 * i, 0.5, f"METHOD {i}", "black") for i in range(9)]
        place(axes, labels, [(label.x, label.y) for label in labels])
        axes.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in axes.texts]
        frame = axes.get_window_extent()
    assert len(boxes) == 9
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)


@pytest.mark.parametrize("row", read_rows(STORED_LEDGER), ids=lambda row: row["id"])
def test_formulas_of_the_ledger_are_marked(row):
    amendment = ledger.words_and_math(row["amendment"])
    assert amendment.count("$") % 2 == 0
    outside = "".join(amendment.split("$")[::2])
    assert "\\" not in outside
