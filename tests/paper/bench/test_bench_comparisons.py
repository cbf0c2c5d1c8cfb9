"""Who is measured on what. No test looks at the times themselves."""

import math

import numpy as np
import pandas as pd

from abacoc.streams import Stream
from paper.bench import entrants
from paper.bench.comparisons import Setup, compare_heads, compare_whole
from paper.bench.profiles import PEERS, PROFILES, Profile, head, open_data
from paper.bench.timing import Model, Timing
from paper.bench.windows import compare_windows


def not_installed(*arguments):
    raise ModuleNotFoundError("No module named 'a_peer'")


SHORT = head(open_data("uniform-2", PROFILES["tiny"]), 300)


def setup_for(data=SHORT, peers=tuple(PEERS), profile=PROFILES["tiny"], repeats=2):
    return Setup(data, peers, profile, repeats, say=lambda line: None)


def test_whole_stream(stand_in):
    rows, ours = compare_whole(setup_for())
    rows = pd.DataFrame(rows)
    assert list(rows.entrant) == ["ours", "plain", "scan", "authors", "one-at-a-time"]
    same = rows[rows.entrant != "authors"]  # theirs is another reading
    assert ((rows.examples == 300) & (rows.rounds == 2)).all()
    assert (same.note == "").all()
    assert list(rows.ratio.isna()) == [True, False, False, False, False]
    assert (rows.ratio_low <= rows.ratio)[1:].all()
    assert (rows.ratio <= rows.ratio_high)[1:].all()
    assert len(ours) == 2


def test_slow_entrants_are_not_asked_again(stand_in):
    hasty = Profile((), None, (), 1.0, 1.0, patience=0.0)
    rows, ours = compare_whole(setup_for(profile=hasty))
    assert [row["rounds"] for row in rows] == [2, 1, 1, 1, 1]
    assert len(ours) == 2


def test_other_answers_are_told(stand_in, monkeypatch):
    monkeypatch.setitem(entrants.WHOLE, "scan", lambda data: (Timing(1, 1.0), Timing(1, 1.0), 1))
    rows, _ = compare_whole(setup_for(peers=("scan",)))
    assert rows[1]["note"] == "other answers: 1 ball"


def test_heads(stand_in, monkeypatch):
    monkeypatch.setitem(entrants.HEAD, "river-tree", not_installed)
    whole = [Timing(300, 1.0), Timing(300, 1.0)]
    missing, row = compare_heads(setup_for(), whole)
    told = (missing["entrant"], missing["note"], missing["rounds"])
    assert told == ("river-tree", "not installed", 0)
    assert (row["entrant"], row["rounds"]) == ("reference", 2)
    assert row["whole_ratio"] > 0


def test_window_is_full_and_its_pieces_follow_each_other(stand_in, monkeypatch):
    """What a window peer is given: the examples before the last tenth, then its pieces."""
    learned, asked, windows = [], [], []

    def make(window):
        windows.append(window)
        return Model(asked.append, lambda x, y: learned.append(x), lambda X: X[:, 0].tolist())

    monkeypatch.setattr(entrants, "WINDOW", {"river-lazy": make, "moa-knn": not_installed})
    X, y = np.arange(300.0)[:, np.newaxis] * [1, 0], np.arange(300) % 2
    data = Stream("numbered", X, y, ("0", "1"), ("n", "nothing"))
    generous = Profile((), None, (), math.inf, math.inf, math.inf)
    rows = compare_windows(setup_for(data, profile=generous), [Timing(300, 1.0)] * 2)
    (window,) = windows
    last = list(range(270, 300))
    assert learned == [*range(270 - window, 270), *last]
    assert asked == [*last[:15], *last[:15], *last[15:], *last[15:]]  # alone, then with learning
    table = pd.DataFrame(rows).set_index(["part", "entrant"])
    assert table.note["predict", "moa-knn"] == "not installed"
    assert table.balls["learn", "river-lazy"] == window
    assert table.whole_ratio["learn", "river-lazy"] > 0
    assert np.isnan(table.whole_ratio["predict", "river-lazy"])
    assert set(table.examples[table.rounds > 0]) == {15}


def test_window_that_cannot_be_filled_in_time(stand_in, monkeypatch):
    monkeypatch.setattr(entrants, "WINDOW", {"river-swinn": lambda window: Model(print, max)})
    hasty = Profile((), None, (), 1.0, fill=-1.0, patience=1.0)
    rows = compare_windows(setup_for(profile=hasty), [Timing(300, 1.0)] * 2)
    assert [row["entrant"] for row in rows] == ["ours", "ours", "river-swinn", "river-swinn"]
    assert "took up only 0 of" in rows[-1]["note"]


def test_the_grown_tree_finds_the_nearest_example():
    """Against all distances, at every size between two buildings; ties apart."""
    rng = np.random.default_rng(5)
    X, seen = rng.random((70, 3)), []
    model = entrants.WINDOW["kd-tree"](4)
    assert model.predict(X[0]) is None
    for i, x in enumerate(X):
        model.learn(x, i)
        seen.append(x)
        query = rng.random(3)
        assert model.predict(query) == int(((np.array(seen) - query) ** 2).sum(axis=1).argmin())
