"""The registry: its entries, where files are looked for, what is verified."""

import hashlib
import importlib.util
import sys
from dataclasses import replace

import pytest

from abacoc.streams import registry
from abacoc.streams.datasets import DATASETS, DataFile

ONE_LINE = r"\A[^\n]+\Z"


def refusal(function, *arguments, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        function(*arguments, **options)
    return str(caught.value)


pytestmark = pytest.mark.usefixtures("folders")


# The table ------------------------------------------------------------------------------------


def test_the_eight_data_sets():
    assert registry.names() == (
        *("kddcup99", "powersupply", "sea", "poker", "covtype", "electricity", "connect-4"),
        "banana",
    )


def test_entries_agree_with_table_one():
    for name in registry.names()[:-1]:
        entry = registry.get(name)
        assert entry.table1 is not None
        assert (entry.rows, entry.classes) == (entry.table1.examples, entry.table1.classes)
        # Table I counts the 41 columns of kddcup99 before they are binarised, all else after.
        assert entry.attributes == (118 if name == "kddcup99" else entry.table1.dimension)
    assert registry.get("banana").table1 is None


def test_every_set_can_be_had_and_every_address_is_fixed():
    for name in registry.names():
        entry = registry.get(name)
        assert entry.packaged or any(file.urls for file in entry.files)
        assert entry.title
        assert entry.terms
        for file in entry.files:
            assert len(file.sha256) == 64
            int(file.sha256, 16)
            for url in file.urls:
                assert url.startswith("https://")
                if "github" in url:  # a commit, not a branch that moves
                    assert any(len(part) == 40 for part in url.split("/"))
                    assert url.endswith("/" + file.name)


def test_unknown_names():
    message = refusal(registry.get, "covtyp")
    assert "unknown data set 'covtyp' (did you mean covtype?); there are: kddcup99, " in message
    assert "did you mean" not in refusal(registry.get, "zzz")
    for function in (registry.locate, registry.load, registry.check, registry.fetch):
        assert "unknown data set 'zzz'" in refusal(function, "zzz")


# Finding --------------------------------------------------------------------------------------


def test_the_folders_in_their_order(folders, tiny, monkeypatch):
    assert registry.locate("tiny") is None
    (folders / "shared" / "data" / "tiny.csv").touch()
    assert registry.locate("tiny") is None  # ABACOC_DATA is set: no other folder but the cache
    (folders / "cache" / "tiny.csv").touch()
    assert registry.locate("tiny") == folders / "cache" / "tiny.csv"
    monkeypatch.delenv("ABACOC_DATA")
    assert registry.locate("tiny") == folders / "shared" / "data" / "tiny.csv"
    (folders / "checkout" / "pyproject.toml").unlink()  # an installed package has no neighbours
    assert registry.locate("tiny") == folders / "cache" / "tiny.csv"
    monkeypatch.setenv("ABACOC_DATA", str(folders / "data"))
    (folders / "data" / "tiny.csv").touch()
    assert registry.locate("tiny") == folders / "data" / "tiny.csv"


def test_any_of_the_files_will_do(folders, tiny, content):
    file = DATASETS["tiny"].files[0]
    tiny(files=(replace(file, name="first.csv"), replace(file, name="second.csv")))
    (folders / "data" / "second.csv").write_bytes(content)
    assert registry.locate("tiny") == folders / "data" / "second.csv"
    assert registry.check("tiny").ok


def test_banana_is_found_inside_river_without_importing_it():
    if importlib.util.find_spec("river") is None:
        pytest.skip("river, which brings the banana set along, is not installed")
    before = "river" in sys.modules
    path = registry.locate("banana")
    assert path is not None
    assert path.parts[-3:] == ("river", "datasets", "banana.zip")
    assert registry.check("banana").ok
    assert registry.load("banana").n_examples == 5300
    assert ("river" in sys.modules) == before


# Loading and checking -------------------------------------------------------------------------


def test_loading(folders, tiny, content):
    (folders / "data" / "tiny.csv").write_bytes(content)
    stream = registry.load("tiny")
    assert stream.name == "tiny"
    assert stream.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert stream.note == "three rows; tiny.csv: CSV, header line"
    check = registry.check("tiny")
    assert check.ok
    assert check.path == folders / "data" / "tiny.csv"


def test_the_options_of_an_entry_are_used(folders, tiny, content):
    changed = content.replace(b"4,b", b"4,b,")
    file = DataFile("tiny.csv", hashlib.sha256(changed).hexdigest())
    tiny(files=(file,), categorical=(2,), trailing_comma=True, attributes=4)
    (folders / "data" / "tiny.csv").write_bytes(changed)
    assert registry.load("tiny").attributes == ("u", "v=2", "v=4", "v=6")


def test_a_set_that_is_not_there(tiny):
    message = refusal(registry.load, "tiny")
    assert "abacoc data fetch tiny" in message
    assert "ABACOC_DATA" in message
    assert "tiny.csv" in message
    check = registry.check("tiny")
    assert (check.ok, check.path, check.problems) == (False, None, (message,))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"u,v,c\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n", "4 rows instead of 3"),
        (b"u,v,c\n1,2,a\n3,4,a\n5,6,a\n", "1 classes instead of 2"),
        (b"u,v,w,c\n1,2,3,a\n4,5,6,b\n7,8,9,a", "3 attributes instead of 2"),
    ],
)
def test_a_set_of_another_size(folders, tiny, content, says):
    path = folders / "data" / "tiny.csv"
    path.write_bytes(content)
    assert refusal(registry.load, "tiny") == f"{path}: not the registered tiny: the SHA-256 differs"
    assert registry.check("tiny").problems == (
        f"{path}: the SHA-256 is not the registered one",
        f"{path}: {says}",
    )


def test_a_set_of_the_right_size_and_the_wrong_content(folders, tiny, content):
    (folders / "data" / "tiny.csv").write_bytes(content.replace(b"5", b"9"))
    assert "the SHA-256 differs" in refusal(registry.load, "tiny")
    (problem,) = registry.check("tiny").problems
    assert "SHA-256" in problem


def test_checking_a_broken_file_reports_instead_of_raising(folders, tiny):
    (folders / "data" / "tiny.csv").write_bytes(b"u,v,c\n1,?,a\n")
    problems = registry.check("tiny").problems
    assert len(problems) == 2
    assert "missing value" in problems[1]


# Opening by name or path ----------------------------------------------------------------------


def test_opening_by_name_or_by_path(folders, tiny, monkeypatch, content):
    monkeypatch.chdir(folders)
    (folders / "data" / "tiny.csv").write_bytes(content)
    (folders / "tiny").write_bytes(b"9,x\n8,y\n")
    assert registry.open_stream("tiny").n_examples == 3
    assert registry.open_stream("./tiny").X.tolist() == [[9], [8]]
    assert registry.open_stream(folders / "tiny", categorical=[1]).attributes == ("x1=8", "x1=9")
    (folders / "plain").write_bytes(b"9,x\n8,y\n")
    assert registry.open_stream("plain").X.tolist() == [[9], [8]]


def test_options_for_a_registered_set_are_refused(folders, tiny, content):
    (folders / "data" / "tiny.csv").write_bytes(content)
    assert registry.open_stream("tiny", numeric=(), format=None).n_examples == 3
    assert "no categorical" in refusal(registry.open_stream, "tiny", categorical=[1])


@pytest.mark.parametrize("name", ["covtyp", "Covtype"])
def test_names_that_are_neither(name, folders, monkeypatch):
    monkeypatch.chdir(folders)
    message = refusal(registry.open_stream, name)
    assert message.startswith(f"'{name}' is neither a data set (did you mean covtype?) nor a file")
    assert "kddcup99, powersupply" in message


def test_paths_that_are_not_there(folders, monkeypatch):
    monkeypatch.chdir(folders)
    assert refusal(registry.open_stream, "covtyp.csv") == "no such file: covtyp.csv"
    assert refusal(registry.open_stream, "no/sea") == "no such file: no/sea"
