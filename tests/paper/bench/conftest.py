"""A stand-in for the compiled learner, so that these tests compile nothing."""

import pytest

from abacoc.auto import AutoAdj
from paper.bench import command, entrants
from paper.bench.anatomy import PARTS


class Counting(AutoAdj):
    """The reference with the interface of the compiled learner: every search is a scan."""

    search = "auto"
    distance_evaluations = 0
    n_bytes = 1000

    def update(self, x, y):
        self.distance_evaluations += len(self._balls)
        super().update(x, y)


def looked_at(data, learner):
    """A row of the table of models."""
    numbers = dict.fromkeys(
        ["attributes", "balls", "dimension", "evaluations", "oracle", "bytes"], 1
    )
    return {"stream": data.name, **numbers, **{f"bytes_{part}": 2 for part in PARTS}}


@pytest.fixture
def counting():
    return Counting


@pytest.fixture
def stand_in(monkeypatch):
    """Nothing is compiled."""

    def ours(search="auto", reading="paper"):
        learner = Counting(reading=reading)
        learner.search = search
        return learner

    monkeypatch.setattr(entrants, "ours", ours)
    monkeypatch.setattr(command, "warm_up", lambda: None)
    monkeypatch.setattr(command, "anatomy", looked_at)
