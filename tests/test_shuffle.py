"""A shuffled stream: the same from the shell, from Python and in the grid."""

import json

import numpy as np
import pytest

from abacoc import AutoAdj, prequential
from abacoc.cli import main
from abacoc.grid.jobs import Job, make_job, run_job
from abacoc.grid.keys import digest, identity
from abacoc.protocol import permutation
from abacoc.streams import open_stream, shuffled

STREAM = "generated:hyperplane,n=600"


def test_the_same_three_ways(capsys):
    stream = open_stream(STREAM)
    names = [stream.labels[k] for k in stream.y]
    run = prequential(AutoAdj(), stream.X, names, rate=0.6, seed=1, shuffle=5)
    order = permutation(600, 5)
    plain = prequential(AutoAdj(), stream.X[order], [names[i] for i in order], rate=0.6, seed=1)
    assert run.predictions == plain.predictions
    job = run_job(make_job(STREAM, "auto-adj", 0.6, 1, order="shuffle=5"))
    options = ["--rate", "0.6", "--seed", "1", "--shuffle", "5", "--json"]
    assert main(["run", STREAM, *options]) == 0
    shell = json.loads(capsys.readouterr().out)
    assert shell["shuffle"] == 5
    for found in (job, shell):
        for name in ("accuracy", "kappa", "kappa_temporal", "macro_f1"):
            assert found[name] == getattr(run, name), name
        assert found["model_size"] == run.n_balls
    assert run.accuracy != prequential(AutoAdj(), stream.X, names, rate=0.6, seed=1).accuracy


def test_lists_and_arrays_are_shuffled_alike():
    X = [[float(i)] for i in range(20)]
    y = list("abcde" * 4)
    lists = prequential(AutoAdj(), X, y, shuffle=0)
    assert lists.predictions == prequential(AutoAdj(), np.array(X), y, shuffle=0).predictions
    assert X[0] == [0.0]  # the caller's list stays as it was


def test_labels_are_numbered_as_they_come():
    stream = shuffled(open_stream(STREAM), 3)
    assert stream.y[0] == 0
    first = [int(np.flatnonzero(stream.y == k)[0]) for k in range(stream.n_classes)]
    assert first == sorted(first)
    before = open_stream(STREAM)
    pairs = {(tuple(x), before.labels[k]) for x, k in zip(before.X.tolist(), before.y, strict=True)}
    after = {(tuple(x), stream.labels[k]) for x, k in zip(stream.X.tolist(), stream.y, strict=True)}
    assert pairs == after


def test_the_head_of_a_shuffled_stream_is_taken_after_the_shuffle(data_folder):
    from abacoc.grid.inputs import open_job_stream

    head = open_job_stream("powersupply,head=50", "shuffle=2").X
    assert (head == open_job_stream("powersupply", "shuffle=2").X[:50]).all()


def test_the_order_is_part_of_the_identity():
    keys = {digest(identity(make_job(STREAM, "auto", order=o))) for o in ("file", "shuffle=0")}
    assert len(keys) == 2
    assert "shuffle=4" in str(make_job(STREAM, "auto", order="shuffle=4"))


@pytest.mark.parametrize("order", ["shuffle", "shuffle=", "shuffle=-1", "shuffle=x", "random", ""])
def test_other_orders_are_refused(order):
    with pytest.raises(ValueError, match="the order is file or shuffle=SEED"):
        Job(STREAM, "auto", 1.0, 0, "none", (), order)


def test_bad_seeds(capsys, tmp_path):
    with pytest.raises(ValueError, match="the seed of a shuffle"):
        prequential(AutoAdj(), [[0.0]], ["a"], shuffle=-1)
    (tmp_path / "a.csv").write_text("1,a\n2,b\n")
    asked = ["run", str(tmp_path / "a.csv"), "--pieces", "1", "--shuffle", "1"]
    assert main(asked) == 2
    assert "--shuffle needs the whole stream in memory" in capsys.readouterr().err
