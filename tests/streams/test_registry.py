"""The registry: its entries, where files are looked for, what is verified."""

import bz2
import gzip
import hashlib
import importlib.util
import lzma
import sys
from dataclasses import replace

import pytest

from abacoc.streams import open_stream, registry
from abacoc.streams.datasets import DATASETS, VARIANTS, DataFile
from abacoc.streams.form import FORMATS

ONE_LINE = r"\A[^\n]+\Z"


def refusal(function, *arguments, **options):
    with pytest.raises(ValueError, match=ONE_LINE) as caught:
        function(*arguments, **options)
    return str(caught.value)


pytestmark = pytest.mark.usefixtures("folders")


# The table ------------------------------------------------------------------------------------

# Table I as the paper prints it.
TABLE_ONE = """
sensor       54    5  2,219,803  no   SDMR
kddcup99     23   41    494,021  no   SDMR
powersupply  24    2     29,928  yes  SDMR
hyperPlane    5   10    100,000  yes  SDMR
sea           2    3     60,000  yes  DF
poker        10   10     25,010  no   MOA
covtype       7   54    581,012  yes  MOA
airlines      2  608    539,383  yes  MOA
electricity   2    8     45,312  yes  MOA
connect-4     3  126     67,557  no   LIBSVM
acoustic      3   50     78,823  no   LIBSVM
"""
ROWS = {line.split()[0]: line.split()[1:] for line in TABLE_ONE.strip().splitlines()}
NEVER_SEEN = ("sensor", "hyperPlane", "airlines", "acoustic")
# Of each: the addresses, and the bytes of the files whose digests were seen elsewhere.
CANDIDATES = {
    "sensor": (2, [88_697_465]),
    "hyperPlane": (0, []),
    "airlines": (3, [19_168_157, 14_853_093]),
    "acoustic": (1, []),
}


def test_the_sets_of_table_one_and_banana():
    assert registry.names() == (*ROWS, "banana")
    assert list(VARIANTS) == ["kddcup99-41"]


@pytest.mark.parametrize("name", ROWS)
def test_table_one(name):
    row = registry.get(name).table1
    assert row is not None
    printed = [f"{row.classes}", f"{row.dimension}", f"{row.examples:,}"]
    assert [*printed, "yes" if row.drift else "no", row.source] == ROWS[name]


def test_entries_agree_with_table_one():
    for name in registry.names():
        # Table I counts the 41 columns of kddcup99 before they are binarised, all else after.
        unlike = ["118 attributes instead of Table I's 41"] if name == "kddcup99" else []
        assert registry.get(name).unlike_table1 == unlike
    assert registry.get("kddcup99-41").unlike_table1 == []
    assert registry.get("banana").table1 is None


def test_every_set_says_where_it_is_to_be_had_and_every_address_is_fixed():
    for name in registry.names():
        entry = registry.get(name)
        assert entry.title
        assert entry.terms
        assert entry.encoding
        assert ("abacoc data fetch" in registry.how_to_get(name)) == entry.fetchable
        for file in entry.files:
            assert file.format in FORMATS
            if file.sha256 is not None:
                assert len(file.sha256) == 64
                int(file.sha256, 16)
            for url in file.urls:
                # no download without a checksum, but for the candidates
                assert (file.sha256 is None) == (name in NEVER_SEEN)
                assert url.startswith("https://")
                if "github" in url:  # a commit, not a branch that moves
                    assert any(len(part) == 40 for part in url.split("/"))
                    assert url.endswith("/" + file.name)


def test_what_is_unknown_is_recorded_as_unknown():
    for name in (*registry.names(), *VARIANTS):
        entry = registry.get(name)
        unseen = name in NEVER_SEEN
        assert (entry.fingerprint is None) == unseen
        assert all((file.sha256 is None) == unseen for file in entry.files)
        assert entry.unseen == unseen
        expected = CANDIDATES.get(name, (0, []))
        claimed = [file.candidate for file in entry.files if file.candidate]
        assert (entry.candidates, [candidate.bytes for candidate in claimed]) == expected
        assert all(len(bytes.fromhex(candidate.sha256)) == 32 for candidate in claimed)
        assert entry.fetchable == (name != "hyperPlane")
        if entry.fingerprint is not None:
            found = entry.fingerprint
            assert (found.rows, found.attributes) == (entry.rows, entry.attributes)
            assert len(found.histogram) == entry.classes
            assert sum(found.histogram.values()) == entry.rows
            assert len(found.columns) == entry.attributes
            assert len(found.digest) == 64
            assert found.examples is not None


def test_what_the_remark_on_airlines_says_of_the_sizes():
    entry = registry.get("airlines")
    assert "the two known sizes differ by exactly 8 bytes a row" in entry.remark
    one, other = CANDIDATES["airlines"][1]
    assert one - other == 8 * entry.rows
    assert 18 + 293 + 293 + len(entry.numeric) == entry.attributes


def test_a_set_that_cannot_be_fetched():
    message = refusal(registry.fetch, "hyperPlane")
    assert message.startswith("could not fetch hyperPlane: no address is registered; put ")
    assert "hyperplane.arff of the Stream Data Mining Repository into a folder" in message
    for name in NEVER_SEEN:
        assert registry.state(name) == "not here"
    assert refusal(registry.load, "airlines") == (
        "airlines is not on this machine: `abacoc data fetch airlines` tries candidates that "
        "nobody here has seen, or ABACOC_DATA names a folder that holds airlines.arff or "
        "airlines.arff.gz"
    )


def test_unknown_names():
    message = refusal(registry.get, "covtyp")
    assert "unknown data set 'covtyp' (did you mean covtype?); there are: sensor, " in message
    assert "did you mean" not in refusal(registry.get, "zzz")
    assert "did you mean hyperPlane?" in refusal(registry.get, "hyperplane")
    assert "did you mean kddcup99-41" in refusal(registry.get, "kddcup-41")
    functions = (registry.locate, registry.state, registry.load, registry.check, registry.fetch)
    for function in functions:
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


@pytest.mark.parametrize("name", ["tiny.csv.gz", "tiny.csv.xz", "tiny.data", "tiny.txt.bz2"])
def test_copies_by_another_name(folders, tiny, content, name):
    pack = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
    path = folders / "data" / name
    path.write_bytes(pack.get(path.suffix, bytes)(content))
    assert registry.locate("tiny") == path
    assert registry.state("tiny") == ("verified" if name == "tiny.data" else "unverified")
    assert registry.load("tiny").X.tolist() == [[1, 2], [3, 4], [5, 6]]
    (folders / "data" / "tiny.csv").write_bytes(content)
    assert registry.locate("tiny") == folders / "data" / "tiny.csv"  # the registered name is first


def test_a_compression_that_the_name_does_not_tell(folders, tiny, content):
    file = replace(DATASETS["tiny"].files[0], name="tiny.csv.gz")
    tiny(files=(file,))
    for held in (content, gzip.compress(content), bz2.compress(content)):
        (folders / "data" / "tiny.csv.gz").write_bytes(held)
        assert registry.load("tiny").n_examples == 3
        assert registry.check("tiny").verified


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


def test_loading_known_bytes_takes_no_fingerprint(folders, tiny, content, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the SHA-256 says it all")

    (folders / "data" / "tiny.csv").write_bytes(content)
    monkeypatch.setattr("abacoc.streams.contents.fingerprint", never)
    assert registry.load("tiny").n_examples == 3
    assert registry.state("tiny") == "verified"
    (folders / "data" / "tiny.csv").write_bytes(content + b"\n")
    assert registry.state("tiny") == "unverified"
    with pytest.raises(AssertionError, match="says it all"):
        registry.load("tiny")


def test_the_options_of_an_entry_are_used(folders, tiny, content):
    changed = content.replace(b"4,b", b"4,b,")
    file = DataFile("tiny.csv", hashlib.sha256(changed).hexdigest())
    tiny(files=(file,), categorical=(2,), trailing_comma=True, attributes=4)
    (folders / "data" / "tiny.csv").write_bytes(changed)
    assert registry.load("tiny").attributes == ("u", "v=2", "v=4", "v=6")
    tiny(files=(file,), categorical=(2,), trailing_comma=True, ordinal=True)
    stream = registry.load("tiny")
    assert stream.attributes == ("u", "v")
    assert stream.X.tolist() == [[1, 0], [3, 1], [5, 2]]
    assert stream.note.endswith("categories as codes")


def test_a_set_that_is_not_there(tiny):
    tiny.urls("https://example.org/tiny.csv")
    message = refusal(registry.load, "tiny")
    assert "abacoc data fetch tiny" in message
    assert "ABACOC_DATA" in message
    assert "tiny.csv" in message
    check = registry.check("tiny")
    assert (check.ok, check.path, check.problems) == (False, None, (message,))
    assert registry.state("tiny") == "not here"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"u,v,c\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n", "4 rows instead of 3"),
        (b"u,v,c\n1,2,a\n3,4,a\n5,6,a\n", "1 class instead of 2"),
        (b"u,v,w,c\n1,2,3,a\n4,5,6,b\n7,8,9,a", "3 attributes instead of 2"),
        (b"u,v,c\n1,2,a\n3,4,b\n9,6,a\n", "other values in column 1 ('u')"),
        (b"u,v,c\n1,2,a\n5,6,a\n3,4,b\n", "the same examples in another order"),
    ],
)
def test_a_set_of_another_content(folders, tiny, content, says):
    path = folders / "data" / "tiny.csv"
    path.write_bytes(content)
    assert registry.state("tiny") == "unverified"
    assert refusal(registry.load, "tiny") == f"{path}: not the registered tiny: {says}"
    check = registry.check("tiny")
    assert not check.verified
    assert check.problems == (
        f"{path}: the SHA-256 is not a registered one",
        f"{path}: {says}",
    )


def test_checking_a_broken_file_reports_instead_of_raising(folders, tiny):
    path = folders / "data" / "tiny.csv"
    path.write_bytes(b"u,v,c\n1,?,a\n")
    (problem,) = registry.check("tiny").problems
    assert problem.startswith(f"{path}: row 1 (line 2), column 2 ('v'): missing value '?'")
    path.with_suffix(".csv.gz").write_bytes(gzip.compress(b"u,v,c\n")[:-4])
    path.unlink()
    (problem,) = registry.check("tiny").problems
    assert problem == f"{path}.gz: broken or truncated .gz file"


def test_a_set_whose_content_nobody_knows(folders, tiny, content):
    tiny(files=(DataFile("tiny.csv"),), fingerprint=None)
    path = folders / "data" / "tiny.csv"
    path.write_bytes(content)
    assert registry.state("tiny") == "unverified"
    with pytest.warns(UserWarning, match="the content could not be verified"):
        stream = registry.load("tiny")
    assert stream.note.endswith("; content not verified")
    check = registry.check("tiny")
    assert (check.ok, check.verified) == (True, False)
    assert check.inspection is not None
    assert check.inspection.fingerprint is not None  # to be recorded, if it is the right file
    assert check.inspection.fingerprint.examples is not None
    path.write_bytes(content + b"7,8,a\n")
    assert refusal(registry.load, "tiny") == f"{path}: not the registered tiny: 4 rows instead of 3"
    assert registry.check("tiny").problems == (f"{path}: 4 rows instead of 3",)


# Opening by name or path ----------------------------------------------------------------------


def test_opening_by_name_or_by_path(folders, tiny, monkeypatch, content):
    monkeypatch.chdir(folders)
    (folders / "data" / "tiny.csv").write_bytes(content)
    (folders / "tiny").write_bytes(b"9,x\n8,y\n")
    assert open_stream("tiny").n_examples == 3
    assert open_stream("./tiny").X.tolist() == [[9], [8]]
    assert open_stream(folders / "tiny", categorical=[1]).attributes == ("x1=8", "x1=9")
    (folders / "plain").write_bytes(b"9,x\n8,y\n")
    assert open_stream("plain").X.tolist() == [[9], [8]]


def test_options_for_a_registered_set_are_refused(folders, tiny, content):
    (folders / "data" / "tiny.csv").write_bytes(content)
    assert open_stream("tiny", numeric=(), format=None).n_examples == 3
    assert "no categorical" in refusal(open_stream, "tiny", categorical=[1])


@pytest.mark.parametrize("name", ["covtyp", "Covtype"])
def test_names_that_are_neither(name, folders, monkeypatch):
    monkeypatch.chdir(folders)
    message = refusal(open_stream, name)
    assert message.startswith(f"'{name}' is neither a data set (did you mean covtype?) nor a file")
    assert "kddcup99, powersupply" in message
    assert message.endswith("kddcup99-41")


def test_paths_that_are_not_there(folders, monkeypatch):
    monkeypatch.chdir(folders)
    assert refusal(open_stream, "covtyp.csv") == "no such file: covtyp.csv"
    assert refusal(open_stream, "no/sea") == "no such file: no/sea"
