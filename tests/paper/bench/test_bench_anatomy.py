"""What models are made of, and the oracle, against plain counts."""

import math

import numpy as np
import pandas as pd
import pytest

from abacoc import AutoAdj
from abacoc.streams import generate
from paper.bench import entrants
from paper.bench.anatomy import (
    ASKED,
    PARTS,
    anatomy,
    anatomy_table,
    intrinsic_dimension,
    nearest,
)


@pytest.mark.parametrize("d", [2, 10])
def test_row_of_a_stream(d):
    data = generate("uniform", n=4000, seed=1, d=d, noise=0.2)
    row = anatomy(data, entrants.ours())
    learner = AutoAdj()
    for x, y in zip(data.X[:-ASKED], data.y[:-ASKED], strict=True):
        learner.update(x, y)
    assert row["balls"] == learner.n_balls
    assert row["bytes"] == learner.n_bytes / learner.n_balls
    # the rest: the header, and room for one query
    rest = row["bytes"] - sum(row[f"bytes_{part}"] for part in PARTS)
    assert 0 < rest * row["balls"] < 16_000
    assert 1 <= row["oracle"] <= row["evaluations"] <= row["balls"]
    assert abs(row["dimension"] - d) < 0.35 * d


def test_nearest_are_those_of_all():
    rng = np.random.default_rng(0)
    centres, points = rng.random((300, 4)), rng.random((50, 4))
    squares = ((centres - points[:, np.newaxis]) ** 2).sum(axis=2)
    assert np.array_equal(nearest(centres, points, 3), np.sort(squares, axis=1)[:, :3])


def test_dimension_of_what_lies_in_a_plane():
    rng = np.random.default_rng(0)
    plane = rng.random((5000, 2)) @ rng.normal(size=(2, 30))
    assert 1.8 < intrinsic_dimension(plane) < 2.2
    assert math.isnan(intrinsic_dimension(np.ones((100, 2))))


def test_table_has_a_cell_for_everything():
    row = {"stream": "s", "attributes": 3, "balls": 10, "dimension": 2.04, "evaluations": 30.0}
    row |= {"oracle": 20.0, "bytes": 100.0} | {f"bytes_{part}": 20.0 for part in PARTS}
    lines = anatomy_table(pd.DataFrame([row])).splitlines()
    assert lines[2] == "| s | 3 | 10 | 2.0 | 30 | 20 | 100 | 20 | 20 | 20 | 20 | 20 |"
    assert lines[0].count("|") == lines[1].count("|") == lines[2].count("|")
