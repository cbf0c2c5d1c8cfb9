"""A stand-in for the compiled learner, so that these tests compile nothing."""

import pytest

from abacoc.auto import AutoAdj
from paper.bench import command, entrants


class Counting(AutoAdj):
    """The reference with the interface of the compiled learner: every search is a scan."""

    search = "auto"
    distance_evaluations = 0
    n_bytes = 1000

    def update(self, x, y):
        self.distance_evaluations += len(self._balls)
        super().update(x, y)


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
