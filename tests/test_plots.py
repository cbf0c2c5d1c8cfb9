"""Pictures of a run: what is in them, and that they come whole, early refused or not at all."""

import builtins
import json
import re
import sys
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from abacoc import Auto, AutoAdj, Base, prequential
from abacoc.cli import main
from abacoc.commands import outputs
from abacoc.plots import CURVES, draw_cover, draw_run, new_figure, save_picture
from abacoc.protocol import online_accuracy

STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture
def plane(tmp_path, monkeypatch):
    """A file with three classes in the plane."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, 500)
    X = rng.random((500, 2)) + codes[:, None]
    lines = [f"{a:.3f},{b:.3f},c{k}" for (a, b), k in zip(X, codes, strict=True)]
    Path("plane.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("kind", STARTS)
@pytest.mark.parametrize("more", [[], ["--pieces", "70"], ["--method", "nn3"]])
def test_command_draws_what_it_says(plane, capsys, monkeypatch, kind, more):
    drawn = []
    monkeypatch.setattr(
        "abacoc.plots.save_picture",
        lambda figure, path: drawn.append(figure) or save_picture(figure, path),
    )
    picture = Path(f"out.{kind}")
    assert main(["run", "plane.csv", "--plot", str(picture), "--json", *more]) == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert captured.err == ""
    assert picture.read_bytes().startswith(STARTS[kind])
    assert sorted(p.name for p in plane.iterdir()) == [picture.name, "plane.csv"]
    panels = [axes for part in drawn[0].subfigs or [drawn[0]] for axes in part.axes]
    running, size = panels[0].lines[-1].get_ydata(), panels[2].lines[0].get_ydata()
    assert running[-1] == result["accuracy"]
    assert size[-1] == result["model_size"]
    assert len(running) == 500
    if more[-1:] == ["nn3"]:  # which has no balls
        assert len(panels) == CURVES
        assert panels[2].get_ylabel() == "model size, stored examples"
    else:
        points, balls, _ = panels[-1].collections
        assert len(points.get_offsets()) == 500
        assert len(balls.get_offsets()) == result["model_size"]
        texts = [text.get_text() for text in panels[-1].get_legend().get_texts()]
        assert sorted(texts) == ["c0", "c1", "c2"]


def test_same_run_same_bytes(plane, capsys):
    for kind in STARTS:
        for name in ("one", "two"):
            assert main(["run", "plane.csv", "--plot", f"{name}.{kind}"]) == 0
        one, two = (Path(f"{name}.{kind}").read_bytes() for name in ("one", "two"))
        if kind == "svg":  # matplotlib names clip paths after their addresses in memory
            one, two = (re.sub(rb"\b[a-z][0-9a-f]{10}\b", b"", content) for content in (one, two))
        assert one == two


def curves(n, **options):
    rng = np.random.default_rng(0)
    X, y = rng.random((n, 2)), rng.integers(0, 2, n).tolist()
    run = prequential(AutoAdj(), X, y, **options)
    _, panels = new_figure()
    draw_run(panels, run.trace)
    return run, y, panels


def test_curves_are_those_of_the_run():
    run, y, (accuracy, kappa, size) = curves(400, window=40)
    hits = [said == true for said, true in zip(run.predictions, y, strict=True)]
    window, no_change, running = accuracy.lines
    labels = [line.get_label() for line in accuracy.lines]
    assert labels[:2] == ["last 40 examples", "NoChange in the same"]
    table = run.trace.windows(sliding=True)
    for line, column in ((window, 1), (kappa.lines[0], 2), (no_change, 3)):
        assert line.get_xdata()[0] == 40
        assert line.get_ydata().tolist() == table[column].tolist()
    assert window.get_ydata()[-1] == np.mean(hits[-40:])
    assert no_change.get_ydata()[-1] == np.mean([a == b for a, b in pairwise(y[-41:])])
    # the recursion of Algorithm 5 rounds three times in each of 400 steps
    online = np.array(online_accuracy(hits))[running.get_xdata() - 1]
    assert np.abs(running.get_ydata() - online).max() < 1200 * 2.0**-53
    assert size.lines[0].get_ydata().tolist() == run.model_sizes[4::5].tolist()
    assert [axes.get_ylabel() for axes in (accuracy, kappa, size)] == [
        "accuracy",
        "kappa",
        "model size, balls",
    ]
    assert size.get_xlabel() == "examples"


def test_a_short_stream_has_no_row_of_spikes():
    _, _, (accuracy, kappa, _) = curves(99)
    assert (len(accuracy.lines), len(kappa.lines)) == (1, 0)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 12])
def test_cover_of_any_number_of_classes(n_classes):
    X = np.array([[3.0 * k, k % 2] for k in range(n_classes) for _ in range(2)])
    y = [k for k in range(n_classes) for _ in range(2)]
    learner = Auto()
    prequential(learner, X, y)
    _, panels = new_figure(cover=True)
    draw_cover(panels[-1], learner, X, y, names={0: "nought"}, legend=True)
    points, balls, _ = panels[-1].collections
    colours = {tuple(colour) for colour in points.get_facecolors().tolist()}
    assert len(colours) == n_classes, "a colour for each class"
    assert len(balls.get_facecolors()) == learner.n_balls
    legend = panels[-1].get_legend()
    assert len(legend.get_texts()) == min(n_classes, 10)
    assert legend.get_texts()[0].get_text() == "nought"
    assert legend.get_title().get_text() == ("class (and 2 more)" if n_classes > 10 else "class")


def test_ball_is_paler_the_more_it_is_mixed():
    learner = Base(vote="majority")
    for label in ("a", "b", "c", "a", "a"):
        learner.update([0.5, 0.5], label)
        _, panels = new_figure(cover=True)
        draw_cover(panels[-1], learner, [[0.4, 0.5], [0.5, 0.5]], ["a", "c"])
    mixed = panels[-1].collections[1].get_facecolors()[0]
    pure = panels[-1].collections[0].get_facecolors()[0]
    # 3 of 5 where a third would be white: (3/5 - 1/3) / (1 - 1/3) = 2/5 of the way to the colour
    assert np.allclose(1 - mixed[:3], 0.4 * (1 - pure[:3]), rtol=0, atol=2.0**-50)


def test_radii_that_are_infinite_or_not_there_yet():
    learner, X = AutoAdj(radius_rule="infinite"), [[0.0, 0.0], [1.0, 0.5], [0.1, 0.2]]
    for n, (point, label) in enumerate(zip(X, "aba", strict=True), start=1):
        learner.update(point, label)
        _, panels = new_figure(cover=True)
        draw_cover(panels[-1], learner, X[:n] * 2, list("aba"[:n]) * 2)
        assert np.isfinite(panels[-1].collections[1].get_widths()).all()


def test_cover_of_a_point_that_is_no_pair():
    _, panels = new_figure(cover=True)
    with pytest.raises(ValueError, match="two dimensions only"):
        draw_cover(panels[-1], Auto(), [[1.0, 2.0, 3.0]], ["a"])


def test_last_points_of_a_long_stream(plane, capsys, monkeypatch):
    monkeypatch.setattr(outputs, "POINTS", 100)
    drawn = []
    monkeypatch.setattr("abacoc.plots.save_picture", lambda figure, path: drawn.append(figure))
    assert main(["run", "plane.csv", "--plot", "out.png", "--pieces", "30"]) == 0
    panel = drawn[0].subfigs[1].axes[0]
    last = np.loadtxt("plane.csv", delimiter=",", usecols=(0, 1))[-100:]
    assert np.array_equal(panel.collections[0].get_offsets(), last)
    assert "over the last 100 points" in panel.get_title()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "out.bmp"], "out.bmp: a picture is .png, .svg or .pdf"),
        (["--plot", "out"], "out: a picture is .png, .svg or .pdf"),
        (["--plot", "nowhere/out.png"], "no folder nowhere"),
        (["--plot", "folder.png"], "not an ordinary file"),
        (["--plot", "same.png", "--dump", "same.png"], "must be different files"),
    ],
)
def test_refused_before_the_run(plane, capsys, monkeypatch, arguments, message):
    Path("folder.png").mkdir()
    monkeypatch.setattr("abacoc.streams.open_stream", lambda *_, **__: pytest.fail("it has begun"))
    assert main(["run", "plane.csv", *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert message in captured.err


def test_no_matplotlib(plane, capsys, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    import_module = builtins.__import__

    def without(name, *more):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}")
        return import_module(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["run", "plane.csv", "--plot", "out.png"]) == 2
    err = capsys.readouterr().err
    assert re.fullmatch(
        r'abacoc: a picture needs matplotlib, which is not installed: pip install "matplotlib>=.*"'
        r" \(the extra plots of abacoc\)\n",
        err,
    )
    assert main(["run", "plane.csv"]) == 0, "which needs no picture"


def test_failure_leaves_no_file(plane, capsys, monkeypatch):
    Path("old.png").write_text("old", encoding="utf-8")

    def full(figure, file, **_):
        file.write(b"half a picture")
        raise OSError("No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    assert main(["run", "plane.csv", "--plot", "old.png"]) == 2
    assert capsys.readouterr().err == "abacoc: No space left on device\n"
    assert Path("old.png").read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in plane.iterdir()) == ["old.png", "plane.csv"]


def test_warning_about_a_set_is_one_plain_line(plane, capsys, monkeypatch):
    from abacoc.streams import open_stream

    def unverified(name, **options):
        warnings.warn("plane: its content is not known", stacklevel=2)
        return open_stream(name, **options)

    monkeypatch.setattr("abacoc.streams.open_stream", unverified)
    for _ in range(2):  # and not only the first time
        assert main(["run", "plane.csv"]) == 0
        assert capsys.readouterr().err == "abacoc: note: plane: its content is not known\n"


def test_help_says_what_a_stream_is(capsys):
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "a registered set (abacoc data lists them), a generator such as generated:sea" in text
    assert "a file, or - for the standard input" in text
    assert "--plot FILE" in text
