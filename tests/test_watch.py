"""The page of a run: its moments are those of the learner, and a browser shows them."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abacoc import Auto, AutoAdj, Base, Scaled, prequential, watch
from abacoc.baselines.constant import Majority
from abacoc.chance import sampling_mask
from abacoc.cli import main
from abacoc.plane import UNITS, Plane, View, spread

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def stream(n=300, d=3, seed=0):
    """Three classes, of which the middle one is split."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d)) * 4
    y = [("a", "b", "c", "b")[int(value)] for value in X[:, 0]]
    return X, y


def film_of(text):
    (block,) = re.findall(r'<script type="application/json" id="film">(.*?)</script>', text, re.S)
    return json.loads(block)


def alive(shown, k):
    """The drawings of a moment, without what says when."""
    rows = zip(*shown["balls"], strict=True)
    return {row[:5] for row in rows if row[5] <= k and (row[6] < 0 or row[6] > k)}


LEARNERS = {
    "auto": Auto,
    "auto-adj": AutoAdj,
    "base": lambda: Base(vote="majority"),
    "fix": lambda: AutoAdj(budget=9),
    "authors": lambda: Auto(reading="authors"),
    "infinite": lambda: Auto(radius_rule="infinite"),
    "online": lambda: Scaled(AutoAdj()),
}


@pytest.mark.parametrize("rate", [1.0, 0.4])
@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
def test_a_moment_is_what_the_learner_is_then(make, rate):
    """Beside another learner that goes the same way alone, example by example."""
    X, y = stream()
    axes = (2, 0)
    shown, run = watch.film(make(), X, y, moments=13, axes=axes, rate=rate, seed=5)
    alone = prequential(make(), X, y, rate=rate, seed=5)
    assert (run.accuracy, run.n_balls) == (alone.accuracy, alone.n_balls)
    assert shown["classes"] == ["a", "b", "c"]
    view = shown["view"]
    learner, mask = make(), sampling_mask(len(X), rate, 5)
    times = {frame["t"] - 1: k for k, frame in enumerate(shown["frames"])}
    assert (len(times), min(times), max(times)) == (13, 0, len(X) - 1)

    def place(point):
        corner = np.array([view["left"], view["bottom"]])
        return tuple(np.rint((np.asarray(point)[[*axes]] - corner) / view["unit"]).tolist())

    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        if t in times:
            frame = shown["frames"][times[t]]
            why = learner.explain(x, watch.CLOSEST)
            said = None if frame["said"] is None else shown["classes"][frame["said"]]
            assert said == learner.predict(x) == alone.predictions[t]
            assert shown["classes"][frame["label"]] == label
            assert (frame["balls"], frame["learned"]) == (learner.n_balls, mask[t])
            assert tuple(frame["place"]) == place(
                learner.scale(x) if hasattr(learner, "scale") else x
            )
            assert len(frame["near"]) == len(why.balls)
            for told, ball in zip(frame["near"], why.balls, strict=True):
                assert told["index"] == ball.index
                assert told["distance"] == float(f"{ball.distance:.4g}")
                assert told["radius"] == watch.short(ball.radius)
                assert (told["inside"], told["mistakes"]) == (ball.inside, ball.mistakes)
                counts = {shown["classes"][k]: n for k, n in told["counts"]}
                assert counts == {name: n for name, n in ball.counts.items() if n}
                assert tuple(told["place"]) == place(ball.centre)
            balls = learner.balls
            expected = set()
            for centre, radius, counts in zip(
                balls.centres, balls.radii, balls.counts, strict=True
            ):
                r = 0 if np.isnan(radius) else round(min(radius / view["unit"], 1e7))
                kind = shown["classes"].index(learner.classes[counts.argmax()])
                tenths = int(np.ceil(10 * counts.max() / counts.sum()))
                expected.add((*place(centre), r, kind, tenths))
            drawn = alive(shown, times[t])
            assert drawn <= expected
            away = len(expected) - len(drawn)
            assert away <= frame["outside"], "what is not drawn is outside of the picture"
        if mask[t]:
            learner.update(x, label)


def test_what_is_not_drawn_is_told(monkeypatch):
    """The smallest balls are left out, and those that do not reach into the picture."""
    monkeypatch.setattr(watch, "BALLS", 3)
    X, y = stream()
    shown, _ = watch.film(AutoAdj(), X, y, moments=50)
    for k, frame in enumerate(shown["frames"]):
        assert frame["balls"] - frame["beyond"] - frame["outside"] == len(alive(shown, k)) <= 3
    learner = AutoAdj()
    prequential(learner, X[:-1], y[:-1])
    drawn = sorted(row[2] for row in alive(shown, 49))
    assert drawn == sorted(round(r / shown["view"]["unit"]) for r in learner.balls.radii)[-3:]
    assert shown["frames"][-1]["beyond"] == learner.n_balls - 3 - shown["frames"][-1]["outside"] > 0


@pytest.mark.parametrize("far", [1e3, -1e3])
def test_one_example_that_is_far_off_does_not_make_the_others_a_dot(far):
    X, y = stream()
    shown, _ = watch.film(AutoAdj(), np.vstack([X, [[far] * 3]]), [*y, "far"], moments=4)
    *near, last = (frame["place"] for frame in shown["frames"])
    assert all(0 <= value <= UNITS for place in near for value in place)
    assert not all(0 <= value <= UNITS for value in last)
    assert shown["view"]["unit"] * UNITS < 10, "the others are within 4 in each attribute"


@given(st.integers(1, 6), st.integers(1, 12), st.integers(0, 99), st.sampled_from([0.0, 1.0, 1e9]))
def test_a_plane_has_directions_of_length_one_at_right_angles(d, n, seed, spread_of_columns):
    rng = np.random.default_rng(seed)
    X = 7.0 + spread_of_columns * rng.standard_normal((n, d)) * rng.integers(0, 3, d)
    plane = Plane.of(X, None)
    product = plane.basis @ plane.basis.T
    # rounding alone: a unit vector of six coordinates
    assert np.allclose(product, np.diag([1, min(1, d - 1)]), rtol=0, atol=1e-12)
    flat = plane.project(X)
    shadows = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert (shadows <= distances + 1e-12 * np.abs(X).max()).all()
    assert plane.share is None if d <= 2 else 0 <= plane.share <= 1 + 1e-12


def test_principal_components_find_the_plane_that_the_points_lie_in():
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.standard_normal((5, 2)))
    inside = rng.standard_normal((400, 2)) * (3, 1)
    X = inside @ basis.T + 100.0
    plane = Plane.of(X, None)
    assert plane.share == pytest.approx(1.0)
    flat = plane.project(X)
    apart = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    assert np.allclose(apart, np.linalg.norm(inside[:, None] - inside[None], axis=2))
    assert np.var(flat[:, 0]) > np.var(flat[:, 1])


@pytest.mark.parametrize("points", [[[5.0, 5.0]], [[0.0, 0.0], [0.0, 9.0]], [[1e150, 0.0]] * 3])
def test_a_view_is_a_picture_whatever_the_points(points):
    view = View.around(np.array(points))
    assert UNITS / 2 <= view.height <= UNITS
    places = view.place(np.array(points))
    assert ((places >= 0) & (places <= (UNITS, view.height))).all()


def test_moments_of_short_and_long_streams():
    assert spread(3, 200).tolist() == [0, 1, 2]
    assert spread(60_000, 200)[[0, -1]].tolist() == [0, 59_999]
    shown, _ = watch.film(AutoAdj(), [[1.0]], ["a"])
    assert [frame["said"] for frame in shown["frames"]] == [None]
    X, y = stream(n=1)
    assert watch.film(AutoAdj(), X, y)[0]["share"] == 1.0


EVIL = ["</script><script>window.broken = 1</script>", "<!--", "&lt;", "\u2028'\"\\", "<img src=x>"]


def test_no_name_in_the_data_ends_the_block_of_data():
    X, _ = stream(n=60)
    shown, _ = watch.film(AutoAdj(), X, [EVIL[i % len(EVIL)] for i in range(60)])
    shown["title"] = EVIL[0]
    page = watch.page(shown)
    assert film_of(page) == json.loads(json.dumps(shown))
    assert not any(label in page for label in EVIL if label != "&lt;")
    assert len(re.findall("</script", page)) == len(re.findall("</script", watch.page({})))


@pytest.mark.parametrize(
    ("learner", "X", "y", "message"),
    [
        (AutoAdj(), [[1.0], [np.nan]], ["a", "b"], "row 2, column 1"),
        (AutoAdj(), [[1.0], [2.0]], ["a"], "2 examples but 1 labels"),
        (AutoAdj(), [], [], "at least one row"),
        (Majority(), [[1.0]], ["a"], "no balls"),
    ],
)
def test_what_cannot_be_watched_is_refused(learner, X, y, message):
    with pytest.raises(ValueError, match=message):
        watch.film(learner, X, y)


# The command ---------------------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = stream(n=400)
    lines = [
        "age,income,size,label",
        *(f"{a},{b},{c},{k}" for (a, b, c), k in zip(X, y, strict=True)),
    ]
    Path("mine.csv").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_command_writes_one_page_that_needs_nothing_else(mine, capsys):
    arguments = ["watch", "mine.csv", "--out", "page.html", "--moments", "20", "--json"]
    assert main([*arguments, "--axes", "size,1", "--rate", "0.5", "--budget", "10%"]) == 0
    told = json.loads(capsys.readouterr().out)
    page = Path("page.html").read_text("utf-8")
    assert told["bytes"] == Path("page.html").stat().st_size
    assert (told["moments"], told["n_examples"], told["page"]) == (20, 400, "page.html")
    shown = film_of(page)
    assert shown["axes"] == ["size", "age"]
    assert shown["settings"] == {"rate": "0.5", "scale": "none", "budget": 40, "seed": 0}
    assert shown["title"] == "AUTO-ADJ on mine"
    assert main(["run", "mine.csv", "--rate", "0.5", "--budget", "10%", "--json"]) == 0
    ran = json.loads(capsys.readouterr().out)
    assert (told["accuracy"], told["model_size"]) == (ran["accuracy"], ran["model_size"])
    assert shown["result"] == {"accuracy": ran["accuracy"], "no_change": ran["no_change"]}
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,"]
    assert re.findall(r"https?://[^\"']*", page) == ["http://www.w3.org/2000/svg"]  # a name
    assert "default-src 'none'" in page
    assert main(arguments[:-1]) == 0
    assert "page.html: 20 moments of 400 examples" in capsys.readouterr().out
    assert film_of(Path("page.html").read_text("utf-8"))["axes"] == []


@pytest.mark.parametrize("scale", ["none", "unit", "minmax", "standard", "online", "online-minmax"])
def test_every_scaling_is_the_one_of_run(mine, capsys, scale):
    assert main(["watch", "mine.csv", "--out", "page.html", "--scale", scale, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert main(["run", "mine.csv", "--scale", scale, "--json"]) == 0
    assert told["accuracy"] == json.loads(capsys.readouterr().out)["accuracy"]


def test_a_stream_with_one_attribute(mine, capsys):
    arguments = ["watch", "mine.csv", "--out", "page.html", "--drop", "income,size"]
    assert main([*arguments, "--head", "100", "--shuffle", "1"]) == 0
    shown = film_of(Path("page.html").read_text("utf-8"))
    assert (shown["attributes"], shown["axes"], shown["n"]) == (1, ["age"], 100)
    assert {frame["place"][1] for frame in shown["frames"]} == {UNITS // 4}, "along the middle"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--axes", "age,incom"],
            "--axes: there is no attribute named 'incom' .did you mean income",
        ),
        (["--axes", "1,4"], "--axes: there is no attribute 4: they go from 1 to 3"),
        (["--axes", "age,1"], "two different attributes"),
        (["--axes", "age"], "two different attributes"),
        (["--axes", "age,income,size"], "two different attributes"),
        (["--moments", "0"], "--moments must be at least 1"),
        (["--window", "0"], "--window must be at least 1"),
        (["--head", "0"], "--head must be at least 1"),
        (["--out", "mine.csv"], "another file than the stream"),
        (["--out", "nowhere/page.html"], "no folder nowhere"),
        (["--rate", "2"], "rate must be above 0"),
        (["--method", "base", "--budget", "9"], "--budget is for auto and auto-adj"),
    ],
)
def test_bad_input_is_one_line_and_no_page(mine, capsys, arguments, message):
    assert main(["watch", "mine.csv", "--out", "page.html", *arguments]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert re.search(message, told.err), told.err
    assert [path.name for path in mine.iterdir()] == ["mine.csv"]


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit):
        main(["watch", "--help"])
    text = capsys.readouterr().out
    examples = re.findall(r"^  abacoc (watch .*?)(?:   .*)?$", text, re.MULTILINE)
    assert len(examples) == 3
    assert "--axes" in text


# In a browser --------------------------------------------------------------------------------

WATCHED = """<script>
window.faults = [];
addEventListener("error", (event) => faults.push(String(event.message)));
document.addEventListener("securitypolicyviolation", (event) => faults.push(event.blockedURI));
</script>"""

PRESSED = """<script>
const told = [];
const key = (name, target = document.body) => target.dispatchEvent(
  new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const note = (what) => told.push([what, slider.value, byId("where").textContent,
  byId("play").textContent, slider.getAttribute("aria-valuetext"), canvas.ariaLabel]);
note("start");
for (const name of ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "PageDown", "PageUp", "End"]) {
  key(name);
  note(name);
}
key("Home");
key("m");
note("m");
const wrong = document.querySelector("#verdict .mark").textContent;
key(" ", byId("miss"));
note("space on a button");
key("Home");
key(" ");
note("space");
setTimeout(() => {
  note("played");
  key(" ");
  note("paused");
  const at = slider.value;
  setTimeout(() => {
    parent.postMessage(JSON.stringify({ told, faults, wrong, still: at === slider.value,
        broken: "broken" in window, live: byId("live").textContent, title: document.title,
        legend: byId("legend").innerText, notes: byId("notes").innerText,
        wide: document.documentElement.scrollWidth, room: innerWidth, ratio: devicePixelRatio,
        ink: new Set(pen.getImageData(0, 0, canvas.width, canvas.height).data).size,
        unlabelled: [...document.querySelectorAll("button, input, select, [role=img]")]
          .filter((node) => !(node.ariaLabel || node.textContent.trim())).length }), "*");
  }, 2000);
}, 1000);
</script>"""

# a window has a least width, a frame has not
FRAME = """<!doctype html><meta charset="utf-8">
<iframe style="width: @WIDTH@px; height: 800px; border: 0" srcdoc="@PAGE@"></iframe>
<script>
addEventListener("message", (event) => document.body.append(
  Object.assign(document.createElement("pre"), { id: "told", textContent: event.data })));
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")
@pytest.mark.parametrize("width", [1280, 390])
def test_page_in_a_browser(tmp_path, width):
    """It is drawn without a fault, goes where keys tell it to, and fits a telephone."""
    X, _ = stream(n=300)
    labels = [EVIL[int(value * 5 / 4)] for value in X[:, 1]]
    shown, run = watch.film(AutoAdj(), X, labels, moments=50)
    shown |= {"title": EVIL[0], "source": EVIL[1], "settings": {"scale": "none"}, "axes": []}
    shown |= {"attributes": 3, "result": {"accuracy": run.accuracy, "no_change": run.no_change}}
    page = watch.page(shown).replace("<style>", WATCHED + "<style>", 1)
    path = tmp_path / "frame.html"
    inner = html.escape(page.replace("</body>", PRESSED + "</body>"))
    path.write_text(FRAME.replace("@WIDTH@", str(width)).replace("@PAGE@", inner), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    options += [f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1400,900"]
    options += ["--virtual-time-budget=6000", "--dump-dom"]
    command = [BROWSER, *options, path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert '<pre id="told">' in done.stdout, done.stderr[-2000:]
    block = done.stdout.partition('<pre id="told">')[2].partition("</pre>")[0]
    seen = json.loads(html.unescape(block))
    assert (seen["faults"], seen["broken"], seen["unlabelled"]) == ([], False, 0)
    assert seen["title"].startswith(EVIL[0])
    assert EVIL[4] in seen["legend"]
    assert "first two principal components of 3 attributes" in seen["notes"]
    assert seen["ink"] > 50, "the canvas is drawn on"
    assert seen["wide"] <= seen["room"] == width
    at = {what: int(value) for what, value, *_ in seen["told"]}
    assert [at[name] for name in ("start", "Home", "End", "PageUp")] == [49, 0, 49, 1]
    steps = [int(value) for _, value, *_ in seen["told"][1:6]]
    assert steps == [0, 1, 2, 1, 11]
    first = next(
        k for k, f in enumerate(shown["frames"]) if f["said"] not in (None, f["label"]) and k
    )
    assert (at["m"], seen["wrong"]) == (first, "✗ wrong")
    assert at["space on a button"] == at["m"], "the button has a use for it"
    plays = {what: play for what, _, _, play, _, _ in seen["told"]}
    assert (plays["space"], plays["played"], plays["paused"]) == ("Pause", "Pause", "Play")
    assert at["played"] > at["space"] == 0
    assert seen["still"], "it stands where it was paused"
    for _, value, where, _, spoken, label in seen["told"]:
        frame = shown["frames"][int(value)]
        assert where == spoken == f"example {frame['t']} of 300"
        assert f"Example {frame['t']} is of class" in label
    assert "The closest of" in seen["live"]
