"""Windows of a run: those of its predictions, whatever the pieces, and no more memory with time."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from spaces import vector_streams

from abacoc import Auto, AutoAdj, auto, prequential, prequential_pieces, windows
from abacoc.scores import Scores
from abacoc.windows import BLOCKS, CLASSES, WINDOWS, Trace

SMALL = 8  # in the place of BLOCKS: blocks double after 16 examples


def brute_force(y, said, sizes, ends, starts):
    """What `Scores`, which has tests of its own, says of the examples of each window."""
    rows = []
    for start, end in zip(starts, ends, strict=True):
        scores = Scores()
        scores.add(y[start:end], said[start:end])
        hits = [a == b for a, b in zip(y[start:end], said[start:end], strict=True)]
        stays = [t > 0 and y[t] == y[t - 1] for t in range(start, end)]
        rows.append((end, np.mean(hits), scores.kappa, np.mean(stays), sizes[end - 1]))
    return rows


def same(table, rows):
    found = list(zip(*(column.tolist() for column in table), strict=True))
    assert len(found) == len(rows)
    for a, b in zip(found, rows, strict=True):
        assert all(x == y or (math.isnan(x) and math.isnan(y)) for x, y in zip(a, b, strict=True))


@st.composite
def coded_runs(draw):
    """Labels and predictions by number, -1 for none, in runs of equal ones or not."""
    n = draw(st.integers(1, 300))
    n_classes = draw(st.sampled_from([1, 2, 7, 54]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = np.repeat(rng.integers(0, n_classes, n), draw(st.sampled_from([1, 5])))[:n]
    said = np.where(rng.random(n) < 0.5, y, rng.integers(-1, n_classes, n))
    return y.tolist(), said.tolist(), np.cumsum(rng.integers(0, 2, n)).tolist()


@given(coded_runs(), st.lists(st.integers(0, 60), max_size=6), st.none() | st.integers(1, 400))
def test_windows_are_those_of_the_predictions(run, cuts, window):
    y, said, sizes = run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "BLOCKS", SMALL)
        pieces, whole, seen = Trace(window), Trace(window), 0
        whole.add(y, said, sizes)
        for cut in [*cuts, len(y)]:
            part = slice(seen, seen + cut)
            if y[part]:
                wanted = pieces.ends_of_blocks(len(y[part]))
                # what is not looked at may be anything
                pieces.add(y[part], said[part], np.where(wanted, sizes[part], -99))
            seen += cut
    assert (pieces.n, pieces.block) == (whole.n, whole.block) == (len(y), whole.block)
    assert len(whole) <= 2 * SMALL
    length = whole.length
    if window is None:
        assert len(y) <= length * WINDOWS
    else:
        assert length == window if len(y) <= 2 * SMALL * window else length > window
        assert length % window == 0
    event(f"blocks doubled: {whole.block > 1}; several windows: {length < len(y)}")
    said = [None if k < 0 else k for k in said]
    ends = [*range(length, len(y), length), len(y)]
    side_by_side = brute_force(y, said, sizes, ends, range(0, len(y), length))
    first = [min(length, len(y))]
    ends = [*first, *(end for end in whole.ends.tolist() if end > first[0])]
    starts = [max(0, -(-end // whole.block) * whole.block - length) for end in ends]
    slid = brute_force(y, said, sizes, ends, starts)
    for trace in (whole, pieces):
        same(trace.windows(), side_by_side)
        same(trace.windows(sliding=True), slid)
        assert trace.sizes.tolist() == [sizes[end - 1] for end in trace.ends]
        hits = np.cumsum([a == b for a, b in zip(y, said, strict=True)])
        assert trace.running.tolist() == (hits[trace.ends - 1] / trace.ends).tolist()


@pytest.mark.parametrize("make", [Auto, auto.Auto])
@given(
    vector_streams(),
    st.lists(st.integers(1, 40), min_size=1, max_size=4),
    st.sampled_from([1.0, 0.6]),
    st.none() | st.integers(1, 50),
)
def test_a_run_has_the_windows_of_its_predictions(make, stream, cuts, rate, window):
    X, y = stream
    whole = prequential(make(), X, y, rate=rate, window=window)
    length = whole.trace.length
    if window is not None:  # these streams are short
        assert length == window
    ends = [*range(length, len(y), length), len(y)]
    starts = range(0, len(y), length)
    y = y.tolist() if isinstance(y, np.ndarray) else list(y)
    expected = brute_force(y, whole.predictions, whole.model_sizes.tolist(), ends, starts)
    same(whole.windows, expected)
    edges = [*np.minimum(np.cumsum([0, *cuts]), len(y)), len(y)]
    pieces = [(X[a:b], y[a:b]) for a, b in pairwise(edges)]
    for keep in (True, False):
        run = prequential_pieces(make(), pieces, rate=rate, window=window, keep=keep)
        same(run.windows, expected)


def test_long_streams_take_no_more_room():
    trace, rng = Trace(), np.random.default_rng(0)
    n = 2 * BLOCKS + 1
    for _ in range(9):
        trace.add(rng.integers(0, 54, n), rng.integers(0, 54, n), np.arange(n))
        assert BLOCKS < len(trace) <= 2 * BLOCKS or trace.n <= 2 * BLOCKS
    arrays = (trace._tally, trace._sizes, trace._classes)
    # twice the blocks, and twice the classes: each is a doubling of what was too small
    assert sum(array.nbytes for array in arrays) <= 4 * BLOCKS * (3 + 2 * 2 * 54) * 8


@pytest.mark.parametrize("first", [0, 3 * BLOCKS])
def test_a_class_per_example_costs_the_kappa_of_windows_and_no_memory(first):
    trace = Trace()
    trace.add([0, 1] * (first // 2), [0, 0] * (first // 2), [1] * first)
    for k in range(0, CLASSES + 1, 10):
        labels = np.arange(k, min(k + 10, CLASSES))
        trace.add(labels, labels - 1, labels)
    assert np.isfinite(trace.windows().kappa[:-1]).all()
    trace.add([CLASSES], [0], [7])
    trace.add(np.arange(10**5), np.arange(10**5), np.ones(10**5))
    table = trace.windows()
    assert np.isnan(table.kappa).all()
    assert (table.accuracy[-1], table.no_change[-1], table.n_balls[-1]) == (1.0, 0.0, 1)
    assert trace._classes is None


def test_a_method_is_asked_for_its_size_where_that_is_looked_at():
    asked = []

    class Counted(auto.Auto):
        @property
        def n_balls(self):
            asked.append(1)
            return super().n_balls

    n = 5 * BLOCKS
    X, y = np.zeros((n, 1)), [0] * n
    prequential(Counted(), X, y, keep=False)
    # every example up to 2 BLOCKS, every other up to twice as many, and then one in four; the
    # result and the budget ask as well
    assert 3 * BLOCKS <= len(asked) <= 3.25 * BLOCKS + 3


@pytest.mark.parametrize("window", [0, -1])
def test_a_window_of_nothing_is_refused(window):
    with pytest.raises(ValueError, match=f"at least 1 example, not {window}"):
        prequential(AutoAdj(), [[0.0]], ["a"], window=window)


def test_nothing_has_no_windows():
    for table in (Trace().windows(), Trace(5).windows(sliding=True)):
        assert [len(column) for column in table] == [0] * 5
