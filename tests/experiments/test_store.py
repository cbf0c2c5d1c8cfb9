"""The store: whole, unaltered results or none; tables that read back the same."""

import csv
import json
import os

import pytest
from abacoc.experiments.provenance import identity
from hypothesis import given
from hypothesis import strategies as st

from abacoc.experiments.jobs import make_job, run_job
from abacoc.experiments.store import STALE, Damaged, Record, Store
from abacoc.experiments.tables import Omission, beside, export, export_curves

RECORD = Record(
    {"job": {"stream": "sea"}, "data": "d", "code": "c", "programs": {}},
    {"accuracy": 0.1 + 0.2, "curve": {"ends": [1, 2]}},
    "",
    {"seconds": 1e-300, "surroundings": {"processor": "Ünïcode"}},
)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def test_round_trip(store):
    assert store.read(RECORD.key) is None
    store.write(RECORD)
    assert store.read(RECORD.key) == RECORD
    assert [path.name for path in store.folder.rglob("*.*")] == [f"{RECORD.key}.json"]
    again = RECORD._replace(provenance={"seconds": 2.0})
    store.write(again)
    assert store.read(RECORD.key) == again


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("store"))
    store.write(RECORD)
    return store, store.path(RECORD.key), store.path(RECORD.key).read_bytes()


@given(st.data())
def test_any_altered_byte_is_noticed(written, data):
    store, path, content = written
    place = data.draw(st.integers(0, len(content) - 2))  # the last one ends the line
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != content[place]))
    path.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
    with pytest.raises(Damaged, match="truncated or altered"):
        store.read(RECORD.key)


@given(st.data())
def test_any_truncation_is_noticed(written, data):
    store, path, content = written
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 2))])
    with pytest.raises(Damaged):
        store.read(RECORD.key)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 500,
        b"[]",
        b"1",
        b"{}",
        b'{"content":{}}',
        b"[" * 100_000,
        b'{"checksum":NaN}',
    ],
)
def test_anything_else_is_noticed(written, content):
    store, path, _ = written
    path.write_bytes(content)
    with pytest.raises(Damaged):
        store.read(RECORD.key)


def test_result_under_another_key_is_noticed(store):
    store.write(RECORD)
    other = "f" * 64
    store.path(other).parent.mkdir(exist_ok=True)
    store.path(RECORD.key).rename(store.path(other))
    with pytest.raises(Damaged):
        store.read(other)


def test_sweep_takes_old_remains_only(store):
    store.write(RECORD)
    old, new = (store.path(RECORD.key).parent / f".{RECORD.key}.json.{x}" for x in ("old", "new"))
    for path in (old, new):
        path.write_text("{")
    os.utime(old, (0, old.stat().st_mtime - STALE - 1))
    assert store.sweep() == 1
    assert not old.exists()
    assert new.exists()
    assert store.read(RECORD.key) == RECORD


def fill(store, jobs):
    for job in jobs:
        result = run_job(job)
        seconds = {"seconds": result.pop("seconds"), "surroundings": {"python": "3"}}
        store.write(Record(identity(job), result, "", seconds))


def test_export(store, tmp_path):
    stream = "generated:banana,n=150"
    jobs = [make_job(stream, method, 0.37, seed) for method in ("nn3", "auto") for seed in (1, 0)]
    failed, not_run = make_job(stream, "base", 0.37), make_job(stream, "cnn", 0.37)
    fill(store, jobs)
    store.write(Record(identity(failed), None, "E: bad, bad", {"surroundings": {"python": "3"}}))
    slow = Omission(make_job(stream, "k-perc"), "too slow")
    table = tmp_path / "table.csv"
    export(store, [*jobs, failed, not_run], table, [slow])
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["method"], row["seed"], row["status"]) for row in rows] == [
        ("auto", "0", "done"),
        ("auto", "1", "done"),
        ("base", "0", "failed"),
        ("cnn", "0", "not run"),
        ("k-perc", "0", "omitted"),
        ("nn3", "0", "done"),
        ("nn3", "1", "done"),
    ]
    assert [row["reason"] for row in rows if row["reason"]] == ["E: bad, bad", "too slow"]
    for row in rows:
        if row["status"] == "done":
            job = make_job(row["stream"], row["method"], float(row["rate"]), int(row["seed"]))
            result = run_job(job)
            assert json.loads(row["settings"]) == dict(job.settings)
            for name in ("accuracy", "model_share", "model_size", "n_updates"):
                assert float(row[name]) == result[name]
        else:
            assert not row["accuracy"]
    with beside(table).open(newline="") as file:
        origins = {row["key"]: row for row in csv.DictReader(file)}
    assert {row["key"] for row in rows if row["key"]} == set(origins)
    assert all(len(row["code"]) == len(row["data"]) == 64 for row in origins.values())


def test_table_does_not_tell_when_it_was_computed(store, tmp_path):
    jobs = [make_job("generated:banana,n=150", "auto-adj", 0.5, seed) for seed in (0, 1)]
    tables = []
    for run in ("first", "second"):
        fill(store, reversed(jobs))
        table = tmp_path / f"{run}.csv"
        export(store, jobs, table)
        tables.append(table.read_bytes())
    assert tables[0] == tables[1]


def test_curves(store, tmp_path):
    job = make_job("generated:banana,n=250", "auto-adj")
    fill(store, [job])
    export_curves(store, [job], tmp_path / "curves.csv")
    with (tmp_path / "curves.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    curve = run_job(job)["curve"]
    assert [float(row["accuracy"]) for row in rows] == curve["accuracy"]
    assert [int(row["end"]) for row in rows] == curve["ends"]
    assert [int(row["model_size"]) for row in rows] == curve["model_sizes"]


def test_nothing_to_export(store, tmp_path):
    table = tmp_path / "table.csv"
    export(store, [], table)
    assert len(table.read_text().splitlines()) == len(beside(table).read_text().splitlines()) == 1


def test_a_table_is_brought_up_to_date(store, tmp_path):
    """What is run again replaces the stored row and is compared with it; the rest stays."""
    job, other = make_job("generated:banana,n=150", "auto"), make_job("generated:sea,n=100", "auto")
    table = tmp_path / "table.csv"
    fill(store, [job, other])
    assert export(store, [job, other], table).again == 0
    whole = table.read_bytes(), beside(table).read_bytes()

    def update(store, keep):
        return export(store, [job], table, keep=keep)

    assert update(store, lambda stream: True).again == 0  # the very same record: not run again
    assert (table.read_bytes(), beside(table).read_bytes()) == whole
    new = Store(tmp_path / "new")
    fill(new, [job])
    record = new.find(job)
    agreement = update(new, lambda stream: True)
    assert (agreement.again, agreement.other) == (1, [])
    assert table.read_bytes() == whole[0]
    new.write(
        record._replace(
            result=record.result | {"accuracy": 0.25, "model_size": 7},
            provenance=record.provenance | {"finished": "later"},
        )
    )
    agreement = update(new, lambda stream: True)
    assert (agreement.again, len(agreement.other)) == (1, 1)
    assert agreement.other[0]["accuracy"] == "0.25"
    assert "1 of the 1 runs" in str(agreement)
    kept = table.read_text().splitlines()
    assert len(kept) == 3
    update(new, lambda stream: stream.startswith("generated:banana"))
    assert len(table.read_text().splitlines()) == 2  # the other stream was not to be kept


def test_an_omitted_job_does_not_hide_a_stored_result(store, tmp_path):
    job = make_job("generated:banana,n=150", "auto")
    table = tmp_path / "table.csv"
    fill(store, [job])
    export(store, [job], table)
    before = table.read_bytes()
    export(Store(tmp_path / "empty"), [], table, [Omission(job, "slow")], keep=lambda stream: True)
    assert table.read_bytes() == before
    assert len(beside(table).read_text().splitlines()) == 2


def test_an_omitted_job_leaves_the_reason_of_an_earlier_one(tmp_path):
    """The larger profile tried harder."""
    job, table = make_job("generated:banana,n=150", "auto"), tmp_path / "table.csv"
    empty = Store(tmp_path / "empty")
    for reason in ("more than 600 s", "more than 2 s"):
        export(empty, [], table, [Omission(job, reason)], keep=lambda stream: True)
    assert "more than 600 s" in table.read_text()
