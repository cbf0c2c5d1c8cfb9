"""The notebooks beyond the paper, from a few made-up runs: what they compare, and what not."""

import json

import pandas as pd
from example import FOUND, HEAD

from abacoc.methods import EPOCHS
from paper import published
from paper.notebooks import run_notebook


def run(stream="sea", method="auto-adj", accuracy=0.5, size=10, scale="none", **settings):
    job = [stream, method, 1.0, 0, scale, json.dumps(settings), "file"]
    found = dict(zip(FOUND, [accuracy, size, size / 1000, 1000, 1000], strict=True))
    return [*job, *found.values(), 1.0, EPOCHS[method], "done", ""]


def test_ablation_compares_one_change_with_the_default(tmp_path):
    rows = [
        run(accuracy=0.5),
        run(accuracy=0.6, scale="minmax"),
        run(accuracy=0.7, size=40, d_hat=8.0),
        run(accuracy=0.8, reading="authors", scale="minmax"),  # two changes
        run(method="base", accuracy=0.9),  # BASE's own scaling is another
        run(stream="poker", accuracy=0.9, d_hat=3.0),  # without a default
    ]
    pd.DataFrame(rows, columns=HEAD).to_csv(tmp_path / "results.csv", index=False)
    executed = tmp_path / "ablation.ipynb"
    run_notebook("ablation", executed, {"runs_folder": str(tmp_path), "output": str(tmp_path)})
    found = pd.read_csv(tmp_path / "reproduced" / "ablation.csv")
    columns = ["variation", "accuracy", "default_accuracy", "size", "default_size"]
    assert found[columns].to_numpy().tolist() == [
        ["scale minmax", 0.6, 0.5, 10, 10],
        ["d-hat 8", 0.7, 0.5, 40, 10],
    ]
    text = executed.read_text()
    assert "AUTO-ADJ: at most 2 points on 0 of 1 streams; 20.0 on sea" in text
    assert "a factor of 4.0 (median)" in text


def curve(accuracy, method, rate=1.0, scale="none", seed=0, **settings):
    job = ["electricity", method, rate, seed, scale, json.dumps(settings), "file"]
    return [[*job, 100 * (window + 1), accuracy, 7] for window in range(10)]


def test_drift_tells_scalings_apart_and_who_gains(tmp_path):
    rows = [*curve(0.75, "auto-adj-fix", budget=0.01), *curve(0.7, "auto-adj")]
    rows += curve(0.85, "auto-adj-fix", budget=0.01, seed=1)
    rows += [*curve(0.1, "auto-adj", scale="minmax"), *curve(0.2, "auto-adj", d_hat=3.0)]
    head = [*HEAD[:7], "end", "accuracy", "model_size"]
    pd.DataFrame(rows, columns=head).to_csv(tmp_path / "curves.csv", index=False)
    executed = tmp_path / "drift.ipynb"
    run_notebook("drift", executed, {"runs_folder": str(tmp_path), "output": str(tmp_path)})
    found = pd.read_csv(tmp_path / "reproduced" / "drift.csv")
    assert found.groupby("method").accuracy.mean().round(9).to_dict() == {
        "auto-adj": 0.7,
        "auto-adj-fix": 0.8,
    }
    assert found.groupby("method").window.max().to_dict() == {"auto-adj": 9, "auto-adj-fix": 9}
    outputs = [o for c in json.loads(executed.read_text())["cells"] for o in c.get("outputs", [])]
    answer = "".join(outputs[-1]["data"]["text/plain"])
    assert answer.split("\n")[-1].split() == ["electricity", "10.0", "helps"]


def test_hyperplane_tells_how_far_its_rows_are_and_searches(tmp_path):
    rows = []
    for cell in published.tables().query("data == 'hyperPlane'").to_dict("records"):
        level = published.TABLES[cell["table"]]
        method = {"NN3": "nn3", "AUTO-ADJ": "auto-adj", "AUTO-ADJ FIX": "auto-adj-fix"}
        fixed = {"budget": level} if cell["method"] == "AUTO-ADJ FIX" else {}
        for scale, off in (("none", 0.02), ("unit", -0.01)):
            size = round(1000 * cell["size"]) + (5 if scale == "none" else 0)
            own = run(
                "generated:hyperplane", method[cell["method"]], cell["accuracy"] + off, size, scale
            )
            own[2], own[5] = 1.0 if fixed else level, json.dumps(fixed)
            rows.append(own)
    pd.DataFrame(rows, columns=HEAD).to_csv(tmp_path / "results.csv", index=False)
    folders = {"runs_folder": str(tmp_path), "output": str(tmp_path)}
    small = {"n": 300, "seeds": [0, 1], "draws": 3, "best": 2, "each": 1, "fits": 1, "screen": 1.0}
    run_notebook("hyperplane", tmp_path / "run.ipynb", folders | small | {"search": True})
    found = pd.read_csv(tmp_path / "reproduced" / "hyperplane.csv").set_index("stream")
    assert found.distance.round(9).to_dict()["defaults, raw"] == 0.02
    assert found.distance.round(9).to_dict()["defaults, unit"] == 0.01
    assert found.size_distance.round(9).tolist()[1:3] == [0.005, 0.0]
    tried = pd.read_csv(tmp_path / "reproduced" / "hyperplane_search.csv")
    assert tried.stage[tried.stage != "by hand"].tolist() == ["drawn"] * 3 + ["near"] * 2
    cells = found.loc["printed"].filter(like="%").filter(regex="%$")
    off = (tried[cells.index] - cells.astype(float)).abs().mean(axis=1)
    assert (off - tried.distance).abs().max() < 1e-5  # the table has six digits
    # the fit is the nearest of them, and the other streams have its parameters
    fit = tried.sort_values("distance", kind="stable").iloc[0]
    for name in ("low", "width", "noise", "drifting", "magnitude", "reverse"):
        assert set(found[name].dropna()) == {fit[name]}
    assert found.seed.dropna().tolist() == [fit.seed, 5, 6, 7]
