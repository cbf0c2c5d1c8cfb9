"""What `abacoc data` prints and answers."""

import json

import pytest

from abacoc.cli import main
from abacoc.streams import registry

SMALL = ["powersupply", "sea", "poker", "electricity", "connect-4", "banana"]


def call(capsys, *arguments):
    status = main(["data", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def real(data_folder, monkeypatch):
    """The real sets, and nothing else."""
    monkeypatch.setenv("ABACOC_DATA", str(data_folder))
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: data_folder)


def test_the_list_of_twelve_with_their_states(real, capsys):
    status, out, _ = call(capsys)
    assert status == 0
    table, notes = out.split("\n\n")[:2]
    header, *lines = table.splitlines()
    assert header.split()[:7] == [
        *("set", "classes", "dimension", "examples", "drift", "source", "state")
    ]
    assert [line.split()[0] for line in lines] == list(registry.names())
    assert len(lines) == 12
    at = header.index("state")
    missing = {line.split()[0]: line[at:].split("  ")[0] for line in lines if "not here" in line}
    assert missing == {
        "sensor": "not here, candidates: 2",
        "hyperPlane": "not here",
        "airlines": "not here, candidates: 3",
        "acoustic": "not here, candidates: 1",
    }
    assert sum("  here, verified  " in line for line in lines) == 8
    assert lines[0].split()[1:6] == ["54", "5", "2,219,803", "no", "SDMR"]
    assert "kddcup99: 118 attributes instead of Table I's 41" in notes
    assert "\nhyperPlane: no address is registered; put " in notes
    assert "fetch NAME ...` tries the candidates of sensor, airlines, acoustic;" in notes
    assert "` gets " not in notes


def test_the_list_as_json(real, capsys):
    status, out, _ = call(capsys, "--json")
    assert status == 0
    entries = {entry["name"]: entry for entry in json.loads(out)}
    assert len(entries) == 12
    assert entries["sea"]["state"] == "verified"
    assert entries["sea"]["table1"]["examples"] == 60_000
    assert entries["sea"]["fingerprint"]["histogram"] == {"0": 22_384, "1": 37_616}
    assert entries["sensor"]["state"] == "not here"
    assert entries["sensor"]["fingerprint"] is None
    assert entries["sensor"]["files"][0]["sha256"] is None
    assert entries["sensor"]["files"][0]["candidate"]["bytes"] == 88_697_465
    assert "no address" in entries["hyperPlane"]["how_to_get"]
    assert entries["kddcup99"]["unlike_table1"] == ["118 attributes instead of Table I's 41"]


def test_one_set_in_full(real, capsys):
    status, out, _ = call(capsys, "list", "airlines", "kddcup99-41", "banana")
    assert status == 0
    assert "airlines.arff.gz, arff, SHA-256 unknown" in out
    assert "SHA-256 c7683a90b40c" in out
    assert "16c14 (unpacked, 19,168,157 bytes), seen elsewhere" in out
    assert "fingerprint: unknown" in out
    assert "paper's source: Massive Online Analysis collection" in out
    assert "the 608 of Table I" in out
    assert "inside the Python package river" in out
    assert "terms: UCI Machine Learning Repository, CC BY 4.0" in out
    assert "    https://" in out


def test_checking_the_small_sets(real, capsys):
    status, out, _ = call(capsys, "check", *SMALL)
    assert status == 0
    assert [line.split()[:5] for line in out.splitlines()] == [
        [name, "verified:", "SHA-256", "and", "content"] for name in SMALL
    ]


@pytest.mark.slow
def test_checking_all_that_are_here(real, capsys):
    status, out, _ = call(capsys, "check")
    assert status == 0
    assert out.count("verified: SHA-256 and content") == 8
    assert "118 attributes instead of Table I's 41" in out
    assert out.endswith("not here: sensor, hyperPlane, airlines, acoustic\n")


def test_checking_what_is_wrong_unverified_or_not_there(folders, tiny, content, capsys):
    path = folders / "data" / "tiny.csv"
    assert call(capsys, "check", "tiny")[0] == 1
    path.write_bytes(content.replace(b"\n", b"\r\n"))
    status, out, _ = call(capsys, "check", "tiny")
    assert (status, out) == (
        0,
        "tiny        verified: content, with other bytes (3 x 2, 2 classes)\n",
    )
    path.write_bytes(content.replace(b"b", b"no"))
    status, out, _ = call(capsys, "check", "tiny")
    assert status == 0
    assert out.endswith("(3 x 2, 2 classes, classes named 'a', 'no', not 'a', 'b')\n")
    path.write_bytes(content.replace(b"6", b"7"))
    status, out, _ = call(capsys, "check", "tiny")
    assert status == 1
    assert "WRONG" in out
    assert "other values in column 2 ('v')" in out
    status, out, _ = call(capsys, "check", "tiny", "--json")
    assert status == 1
    (result,) = json.loads(out)
    assert (result["ok"], result["verified"], result["known_bytes"]) == (False, False, False)
    assert result["path"] == str(path)
    assert result["fingerprint"]["rows"] == 3
    tiny(fingerprint=None, files=(type(registry.get("tiny").files[0])("tiny.csv"),))
    status, out, _ = call(capsys, "check", "tiny")
    assert status == 0
    assert "unverified: the content could not be verified" in out


def test_rows_that_are_not_those_of_table_one(folders, capsys):
    (folders / "data" / "sea.data").write_bytes(b"1.5,2,3,0\n4,5,6,1\n")
    status, out, _ = call(capsys, "check", "sea", "--json")
    assert status == 1
    (result,) = json.loads(out)
    assert result["unlike_table1"] == ["2 rows instead of Table I's 60,000"]


def test_fetching_says_where_it_put_the_file(folders, tiny, server, content, capsys):
    tiny.urls(f"{server.address}/tiny.csv")
    server.pages["/tiny.csv"] = content
    assert call(capsys, "fetch", "tiny") == (0, f"tiny: {folders / 'data' / 'tiny.csv'}\n", "")
    status, out, _ = call(capsys, "fetch", "tiny", "--json")
    assert json.loads(out) == {"tiny": str(folders / "data" / "tiny.csv")}
    assert call(capsys, "fetch")[0] == 2
    # one that fails does not stand in the way of the next
    (folders / "data" / "tiny.csv").unlink()
    status, out, err = call(capsys, "fetch", "hyperPlane", "tiny")
    assert (status, out) == (2, f"tiny: {folders / 'data' / 'tiny.csv'}\n")
    assert err.startswith("abacoc: could not fetch hyperPlane: no address is registered")
    assert err.count("\n") == 1


def test_where_nothing_is_here(folders, monkeypatch, capsys):
    monkeypatch.setattr("abacoc.streams.finding.packaged_archive", lambda dataset: None)
    status, out, _ = call(capsys, "check")
    assert (status, out) == (0, f"not here: {', '.join(registry.names())}\n")
    status, out, _ = call(capsys)
    assert out.count("not here") == 12
    assert "`abacoc data fetch NAME ...` gets kddcup99, powersupply, sea," in out
