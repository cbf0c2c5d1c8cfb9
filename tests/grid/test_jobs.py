"""A job: one form, the answers of the command line, and an identity that misses nothing."""

import dataclasses
import json

import numpy as np
import pytest

from abacoc import cli
from abacoc.grid import keys
from abacoc.grid.costs import estimated_seconds
from abacoc.grid.inputs import open_job_stream
from abacoc.grid.jobs import WINDOWS, Job, make_job, run_job, settings_of
from abacoc.grid.keys import digest, identity
from abacoc.methods import EPOCHS, METHODS
from abacoc.streams import generate, load, scaled

STREAM = "generated:hyperplane,n=700"
OWN_CODE = [name for name, method in METHODS.items() if not method.programs]


def settings(method):
    return {"budget": 0.05} if method == "auto-adj-fix" else {}


@pytest.mark.parametrize("method", OWN_CODE)
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_answers_of_the_command_line(method, rate, capsys):
    job = make_job(STREAM, method, rate, seed=3, **settings(method))
    result = run_job(job)
    options = ["--method", method.removesuffix("-fix"), "--scale", job.scale]
    options += ["--budget", "5%"] if method == "auto-adj-fix" else []
    assert cli.main(["run", STREAM, "--rate", str(rate), "--seed", "3", "--json", *options]) == 0
    printed = json.loads(capsys.readouterr().out)
    for name in ("accuracy", "model_size", "n_examples", "n_updates", "n_classes", "method_used"):
        assert result[name] == printed[name], name
    assert result["model_share"] == result["model_size"] / 700
    for name, value in result["resolved"].items():
        assert value == printed[name]


@pytest.mark.parametrize("n", [1, 60, 100, 101, 999])
def test_curve_is_a_partition_of_the_run(n):
    result = run_job(make_job(f"generated:banana,n={n}", "auto-adj"))
    curve = result["curve"]
    ends, accuracy = np.array(curve["ends"]), np.array(curve["accuracy"])
    lengths = np.diff(ends, prepend=0)
    assert len(ends) == min(n, WINDOWS)
    assert ends[-1] == n
    assert lengths.max() - lengths.min() <= 1
    hits = (accuracy * lengths).round()
    np.testing.assert_array_equal(hits / lengths, accuracy)
    assert hits.sum() / n == result["accuracy"]
    assert curve["model_sizes"][-1] == result["model_size"]


def test_same_job_same_result_and_the_seed_matters():
    def result(job):
        return {name: value for name, value in run_job(job).items() if name != "seconds"}

    job = make_job(STREAM, "auto-adj-fix", 0.5, budget=0.02)
    assert result(job) == result(job)
    assert result(dataclasses.replace(job, seed=1)) != result(job)
    still = make_job(STREAM, "auto-adj")
    assert not still.is_random
    assert result(dataclasses.replace(still, seed=1)) == result(still)


def test_head_of_a_registered_set(data_folder):
    stream = open_job_stream("sea,head=300")
    np.testing.assert_array_equal(stream.X, load("sea").X[:300])
    assert run_job(make_job("sea,head=300", "nn3"))["n_examples"] == 300


def test_gamma_relative_to_the_stream():
    """In units of the typical distance after scaling."""
    from abacoc.baselines.kperc import typical_square

    unit = typical_square(scaled(generate("banana", n=200).X, "minmax"))
    job = make_job("generated:banana,n=200", "k-perc", scale="minmax", relative_gamma=4)
    assert run_job(job)["resolved"] == {"gamma": 4 / unit}
    named = make_job("generated:banana,n=200", "k-perc", scale="minmax", gamma=4 / unit)
    assert run_job(named)["accuracy"] == run_job(job)["accuracy"]


def test_coin_of_base():
    job = make_job("generated:banana,n=200", "base", vote="randomized")
    assert job.is_random
    assert 0 < run_job(job)["accuracy"] < 1


@pytest.mark.parametrize("method", METHODS)
def test_defaults_are_left_out(method):
    plain = make_job(STREAM, method, **settings(method))
    spelled = settings_of(method) | settings(method)
    assert make_job(STREAM, method, **spelled) == plain
    assert make_job(STREAM, method, **dict(reversed(spelled.items()))) == plain
    assert Job(**plain.as_dict() | {"settings": plain.settings}) == plain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "svm"}, "unknown method 'svm'"),
        ({"stream": "see"}, "unknown data set 'see'"),
        ({"stream": "sea,head=0"}, "NAME,head=1000"),
        ({"stream": "sea,tail=5"}, "NAME,head=1000"),
        ({"rate": 0.0}, "the rate must be above 0"),
        ({"rate": 1.5}, "the rate must be above 0"),
        ({"seed": -1}, "the seed is at least 0"),
        ({"scale": "log"}, "unknown scaling 'log'"),
        ({"settings": (("gamma", 1.0),)}, "auto-adj has no setting 'gamma'"),
        ({"method": "auto-adj-fix"}, "needs a budget"),
        ({"method": "auto-adj-fix", "settings": (("budget", 30),)}, "needs a budget"),
    ],
)
def test_what_cannot_be_run_is_refused(change, message):
    job = make_job(STREAM, "auto-adj")
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(job, **change)


CHANGES = [
    {"stream": "generated:hyperplane,n=701"},
    {"stream": "sea"},
    {"stream": "sea,head=100"},
    {"method": "auto"},
    {"rate": 0.5},
    {"seed": 1},
    {"scale": "unit"},
    {"settings": (("d_hat", 3.0),)},
    {"settings": (("reading", "authors"),)},
]


def test_every_part_of_a_job_is_in_its_identity():
    job = make_job(STREAM, "auto-adj")
    keys = [digest(identity(dataclasses.replace(job, **change))) for change in [{}, *CHANGES]]
    assert len(set(keys)) == len(keys)


def test_epoch_data_and_programs_are_in_the_identity(monkeypatch):
    job = make_job(STREAM, "vfdt", 0.1)
    found = {digest(identity(job))}
    with monkeypatch.context() as patch:
        patch.setitem(EPOCHS, "vfdt", 1000)
        found.add(digest(identity(job)))
    with monkeypatch.context() as patch:
        patch.setattr(keys, "data_version", lambda stream: "other")
        found.add(digest(identity(job)))
    with monkeypatch.context() as patch:
        patch.setattr(keys, "programs", lambda method: "river 0")
        found.add(digest(identity(job)))
    assert len(found) == 4


def test_every_method_has_an_epoch():
    assert set(EPOCHS) == set(METHODS)
    assert all(epoch >= 1 for epoch in EPOCHS.values())


def test_identity_of_a_generated_stream_is_its_content(monkeypatch):
    """The same text with another generator behind it."""
    before = keys._data_version.__wrapped__("generated:banana,n=30", ())
    assert keys._data_version.__wrapped__("generated:banana,n=30", ()) == before
    monkeypatch.setattr(keys, "open_job_stream", lambda text: generate("banana", n=30, spread=0.31))
    assert keys._data_version.__wrapped__("generated:banana,n=30", ()) != before


def test_estimates_grow_with_the_work():
    for method in METHODS:
        short = make_job("covtype,head=1000", method, 0.1, **settings(method))
        long = make_job("covtype", method, 0.1, **settings(method))
        assert 0 < estimated_seconds(short) < estimated_seconds(long)


@pytest.mark.parametrize(
    ("method", "setting", "message"),
    [
        ("nn3", {"k": 3.9}, "nn3: k is a whole number, not 3.9"),
        ("auto-adj", {"reading": 3}, "auto-adj: reading is a word, not 3"),
        ("vfdt", {"grace_period": 50.5}, "vfdt: grace_period is a whole number, not 50.5"),
    ],
)
def test_a_setting_is_never_rounded_in_silence(method, setting, message):
    with pytest.raises(ValueError, match=message):
        make_job("sea", method, **setting)
    assert make_job("sea", "nn3", k=4.0).settings == (("k", 4),)
