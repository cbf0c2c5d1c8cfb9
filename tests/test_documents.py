"""What the documents say is true: their examples run, their metadata are well-formed."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

import abacoc
from abacoc.cli import COMMANDS, _parser
from paper.verdicts import FAILS, HOLDS, TITLES, UNTESTED

ROOT = Path(__file__).parents[1]


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mine.csv").write_text("0.5,1,a\n0.25,2,b\n0.75,3,a\n")
    return tmp_path


def blocks(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)


def test_there_is_an_example_for_each_kind_of_addition():
    assert len(blocks("CONTRIBUTING.md")) == 3


@pytest.mark.parametrize("code", blocks("CONTRIBUTING.md"))
def test_example_of_the_guide(code, mine):
    """Each on its own, as a reader would try it; theory/ is found in a checkout."""
    done = subprocess.run([sys.executable, "-c", code], cwd=mine, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_recipe_for_a_data_set(tmp_path):
    """In a copy of the package: the entry as it is printed, its fingerprint, the commands."""
    shutil.copytree(Path(abacoc.__file__).parent, tmp_path / "abacoc")
    rows = (
        f"{i * 7919 % 1000},{i * i % 7},{i % 5},{i * 3 % 11},{'ab'[i % 2]}" for i in range(1000)
    )
    (tmp_path / "mine.csv").write_text("\n".join(rows) + "\n")
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    (entry,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    streams = tmp_path / "abacoc" / "streams"
    with (streams / "datasets.toml").open("a") as file:
        file.write("\n" + entry)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "ABACOC_DATA": str(tmp_path)}

    def python(*arguments):
        done = subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr

    status, told = python("-m", "abacoc", "data", "check", "mine")
    assert (status, "unverified" in told) == (0, True)
    (block,) = [code for code in blocks("CONTRIBUTING.md") if "contents" in code]
    status, told = python("-c", block + "import json; print(json.dumps(seen.as_json()))")
    size, seen = told.splitlines()
    assert (status, size) == (0, "1000 4 2")
    known = json.loads((streams / "fingerprints.json").read_text())
    (streams / "fingerprints.json").write_text(json.dumps(known | {"mine": json.loads(seen)}))
    status, told = python("-m", "abacoc", "data", "check", "mine")
    assert (status, "verified: content" in told) == (0, True)
    status, told = python("-m", "abacoc", "run", "mine", "--engine", "reference")
    assert (status, "mine: 1,000 examples, 4 attributes, 2 classes" in told) == (0, True)


@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "CONTRIBUTING.md", "DEVIATIONS.md", "CHANGELOG.md"),
        *("paper_results/README.md", "theory/README.md"),
    ],
)
def test_every_file_that_a_document_names_is_there(name):
    """Links, and paths in code font."""
    text = (ROOT / name).read_text("utf-8")
    here = (ROOT / name).parent
    linked = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
    assert [path for path in linked if not (here / path).exists()] == []
    known = "abacoc|theory|tests|notebooks|paper_results"
    told = re.findall(rf"`((?:{known})/[\w./-]+)`", text)
    ignored = ("paper_results/store", "paper_results/latest")
    assert [p for p in told if not (ROOT / p).exists() and not p.startswith(ignored)] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "DEVIATIONS.md", "CHANGELOG.md"])
def test_every_command_in_the_text_is_one(name):
    """Those in blocks are run by tests/test_cli.py; those in a sentence are understood."""
    text = (ROOT / name).read_text("utf-8")
    commands = re.findall(r"`(?:\.venv/bin/)?abacoc((?: [^`]+)?)`", text)
    assert commands
    for command in commands:
        words = command.replace("NAME", "sea").replace("ITEM", "fig1").replace(" N", " 7").split()
        if words and words[0] in COMMANDS:
            _parser().parse_args([*words, "sea"] if words in (["run"], ["grid"]) else words)
        else:  # the package or the program as such, or an option of it
            assert not words or words[0].startswith("--")


def test_the_workflow_says_what_make_does_and_what_was_tried():
    text = (ROOT / ".github/workflows/check.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    commands = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    run = [line.split()[1] for line in commands if line.startswith("make ")]
    assert run == ["test", "prove", "reproduce", "docs"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(f"\n{target}:" in makefile for target in run)
    for job in ("test", "reproduce", "docs"):
        systems = jobs[job]["strategy"]["matrix"]["os"]
        assert systems == ["ubuntu-latest", "macos-latest", "windows-latest"]
    comment = text.partition("name:")[0]
    assert "Tried by the authors" in comment
    assert "Not tried" in comment


def test_an_issue_template_has_a_name_and_its_examples_run():
    templates = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.md"))
    assert len(templates) == 3
    for path in templates:
        _, head, body = path.read_text("utf-8").split("---\n", 2)
        assert {"name", "about", "labels"} == set(yaml.safe_load(head))
        for code in re.findall(r"```python\n(.*?)```", body, re.DOTALL):
            subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT)
        for words in re.findall(r"```sh\nabacoc (.*)\n```", body):
            _parser().parse_args(words.split())


def test_readme_is_for_a_tired_reader():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(re.sub("```bibtex.*?```", "", text, flags=re.DOTALL).splitlines()) <= 150
    assert f"version = {{{abacoc.__version__}}}" in text


def test_verdicts_of_the_readme_are_those_of_the_claims():
    """Each of its lines, and how many hold, is what `abacoc reproduce` finds."""
    text = (ROOT / "README.md").read_text("utf-8")
    with (ROOT / "paper_results" / "claims.csv").open(newline="", encoding="utf-8") as file:
        claims = {row["sentence"]: row for row in csv.DictReader(file)}
    table = text.partition("| the paper says |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(table) == 7
    for line in table:
        sentence, *verdicts = (cell.strip("| ") for cell in line.strip("|").split(" | "))
        sentence = re.sub(r" \(\[\w+\]\(.*?\)\)", "", sentence)
        assert verdicts == [claims[sentence][column] for column in TITLES], sentence
    for column, sentence in zip(TITLES, re.findall(r"^- on .*?$", text, re.MULTILINE), strict=True):
        found = Counter(row[column].partition(" of ")[1] or row[column] for row in claims.values())
        told = [found[HOLDS], found[" of "], found[FAILS], found[UNTESTED]]
        assert [int(n) for n in re.findall(r"\d+", sentence)] == told, column
    assert f"Of {len(claims)} claims" in text
    with (ROOT / "paper_results/reproduced/protocols_gaps.csv").open(newline="") as file:
        (reversed_,) = [row for row in csv.DictReader(file) if row["names"] == "reversed"]
    gap = float(reversed_["paper, without powersupply"])
    assert f"come back\nto {gap:.3f} in the mean" in text


def test_theorem_of_the_readme_has_the_constants_of_the_ledger():
    text = (ROOT / "README.md").read_text("utf-8")
    table = (ROOT / "paper_results/reproduced/theory_table.md").read_text("utf-8")
    for d, paper, ours in ((1, "6.3", "1.50"), (4, "50.4", "4.23")):
        assert f"d = {d} (C = 1) | {paper} | {ours} |" in table
        assert paper in text
        assert ours in text
    assert "| factor of L | 1.89 | 1.586 |" in table
    assert "(1.058 sqrt(C) 2^(D/2) + 1.586 L)" in text
    with (ROOT / "paper_results/reproduced/ledger.csv").open(newline="", encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    assert f"checks {len(steps)} steps" in text
    foundations = {step["rests_on"].partition(":")[0] for step in steps}
    assert foundations == {"algebra", "intervals", "witness", "Coq"}  # as the README says


def test_every_target_of_make_is_there():
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text("utf-8")
        told = re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)
        assert set(told) <= known


def test_versions_agree():
    assert f"\nversion: {abacoc.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    archive = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
    assert archive["version"] == abacoc.__version__
    assert f"\n## {abacoc.__version__}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_paper_is_cited_by_its_authors():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert [author["name"] for author in cited["authors"]] == ["the abacoc artifact authors"]
    paper = cited["preferred-citation"]
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["De Rosa", "Orabona", "Cesa-Bianchi"]
    assert paper["title"].startswith("The ABACOC Algorithm")


@pytest.mark.slow
def test_citation_is_valid():
    """By cffconvert, in an environment of its own: it asks for an old jsonschema."""
    command = [sys.executable, "-m", "uv", "tool", "run", "--quiet", "--from", "cffconvert==2.0.0"]
    command += ["cffconvert", "--validate", "-i", str(ROOT / "CITATION.cff")]
    done = subprocess.run(command, capture_output=True, text=True)
    if "cffconvert" in done.stderr and "Citation" not in done.stdout:
        pytest.skip(f"cffconvert could not be installed: {done.stderr[:200]}")
    assert "Citation metadata are valid according to schema version 1.2.0." in done.stdout
