"""The command line, as a newcomer uses it."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from abacoc import AutoAdj, prequential
from abacoc.cli import main
from abacoc.engine.kernels import Kernels

ROOT = Path(__file__).resolve().parent.parent
CSV = """age,town,income,label
30,Rome,1.5,yes
41,Milan,2.5,no
29,Rome,1.0,yes
55,Turin,9.0,maybe
31,Rome,1.4,yes
44,Milan,2.2,no
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def call(capsys, *arguments):
    status = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def read_table(path):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_run_with_json_and_dump(mine, capsys):
    status, out, err = call(capsys, "run", "mine.csv", "--json", "--dump", "out.csv")
    assert (status, err) == (0, "")
    result = json.loads(out)
    assert result["n_examples"] == 6
    assert result["n_attributes"] == 5  # two numbers, and three towns as 0/1 columns
    assert result["n_classes"] == 3
    assert {"accuracy", "model_size", "seconds", "examples_per_second"} <= result.keys()
    rows = read_table("out.csv")
    assert [row["t"] for row in rows] == list("123456")
    assert [row["y"] for row in rows] == ["yes", "no", "yes", "maybe", "yes", "no"]
    assert rows[0]["pred"] == "", "no prediction yet: -1 may be a label"
    assert rows[1]["pred"] == "yes"
    hits = sum(row["y"] == row["pred"] for row in rows)
    assert result["accuracy"] == hits / 6
    assert result["model_size"] == int(rows[-1]["balls"])


def test_run_is_the_library(mine, capsys):
    X = [[30, 0, 1, 0, 1.5], [41, 1, 0, 0, 2.5], [29, 0, 1, 0, 1.0]]
    X += [[55, 0, 0, 1, 9.0], [31, 0, 1, 0, 1.4], [44, 1, 0, 0, 2.2]]
    run = prequential(AutoAdj(), X, ["yes", "no", "yes", "maybe", "yes", "no"])
    _, out, _ = call(capsys, "run", "mine.csv", "--json")
    assert json.loads(out)["accuracy"] == run.accuracy
    assert json.loads(out)["model_size"] == run.n_balls


@pytest.mark.parametrize("method", ["base", "base-adj", "auto", "auto-adj"])
def test_every_method(mine, capsys, method):
    status, out, _ = call(capsys, "run", "mine.csv", "--method", method, "--scale", "unit")
    assert status == 0
    assert re.search(r"accuracy +0\.\d{6}", out)
    assert "6 examples, 5 attributes, 3 classes (mine.csv: CSV, header line)" in out


def test_budget_and_save(mine, capsys):
    arguments = ["run", "mine.csv", "--budget", "50%", "--save", "model", "--json"]
    status, out, _ = call(capsys, *arguments)
    assert status == 0
    assert json.loads(out)["budget"] == 3
    assert json.loads(out)["model_size"] <= 3
    model = AutoAdj.load("model")
    assert model.n_balls == json.loads(out)["model_size"]
    assert model.classes == ["yes", "no", "maybe"], "the labels of the input, not their numbers"


def noisy(path, n=600):
    """A file on which every option makes a difference."""
    generator = np.random.default_rng(1)
    X = generator.integers(0, (12, 12, 60), (n, 3))
    y = (X[:, :2].sum(axis=1) + generator.integers(0, 9, n)) // 9
    lines = ["a,b,c,label"] + [f"{r[0]},{r[1]},{r[2]},c{k}" for r, k in zip(X, y, strict=True)]
    path.write_text("\n".join(lines))


@pytest.mark.parametrize(
    "options",
    [
        ["--seed", "1", "--rate", "0.5"],
        ["--seed", "1", "--budget", "5"],
        ["--d-hat", "9"],
        ["--radius-rule", "plus"],
        ["--reading", "authors"],
        ["--reading", "literal"],
        ["--scale", "unit"],
        ["--scale", "minmax"],
        ["--categorical", "b"],
        ["--categorical", "2"],
        ["--head", "300"],
        ["--method", "auto"],
        ["--method", "base"],
        ["--method", "base-adj"],
    ],
)
def test_every_option_reaches_the_run(mine, capsys, options):
    noisy(mine / "noisy.csv")
    plain = {"--seed": ["--seed", "0", *options[2:]]}.get(options[0], [])
    results = []
    for arguments in (plain, options):
        status, _, err = call(capsys, "run", "noisy.csv", "--dump", "out.csv", *arguments)
        assert (status, err) == (0, "")
        results.append(Path("out.csv").read_text(encoding="utf-8"))
    assert results[0] != results[1]


def test_options_of_base_reach_the_run(mine, capsys):
    noisy(mine / "noisy.csv")
    sizes = []
    for constant in ("1", "40"):
        arguments = ["--method", "base", "--scale", "unit", "--covering-constant", constant]
        _, out, _ = call(capsys, "run", "noisy.csv", "--json", *arguments)
        sizes.append(json.loads(out)["model_size"])
        assert json.loads(out)["covering_constant"] == float(constant)
    assert sizes[0] != sizes[1]


def test_head_counts_what_it_reads(mine, capsys):
    _, out, _ = call(capsys, "run", "mine.csv", "--head", "3", "--json")
    assert json.loads(out)["n_classes"] == 2
    _, out, _ = call(capsys, "run", "mine.csv", "--head", "100", "--json")
    assert json.loads(out)["n_examples"] == 6


def test_interrupt_is_one_line_and_no_file(mine, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("abacoc.protocol.prequential_pieces", interrupted)
    status, out, err = call(capsys, "run", "mine.csv", "--dump", "out.csv")
    assert (status, out, err) == (130, "", "abacoc: interrupted\n")
    assert not Path("out.csv").exists()


@pytest.mark.posix
def test_closed_output(mine):
    command = f"{sys.executable} -m abacoc"
    for shell in (f"{command} run mine.csv >&-", f"{command} --help | true"):
        done = subprocess.run(shell, shell=True, cwd=mine, capture_output=True, text=True)
        assert "Traceback" not in done.stderr
    piped = f"{command} run mine.csv | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", piped], cwd=mine, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.posix
def test_nothing_but_ordinary_files_is_replaced(mine, capsys):
    os.mkfifo("pipe")
    Path("real.csv").write_text("old", encoding="utf-8")
    Path("link.csv").symlink_to("real.csv")
    status, _, err = call(capsys, "run", "mine.csv", "--dump", "pipe")
    assert status == 2
    assert "not an ordinary file" in err
    assert call(capsys, "run", "mine.csv", "--dump", "link.csv")[0] == 0
    assert Path("link.csv").is_symlink()
    assert Path("real.csv").read_text(encoding="utf-8").startswith("t,y,pred,balls")


def test_a_label_per_example_is_refused_unless_it_is_meant(mine, capsys):
    lines = [f"{i % 7},{i}.5" for i in range(300)]
    Path("regression.csv").write_text("\n".join(lines), encoding="utf-8")
    status, _, err = call(capsys, "run", "regression.csv")
    assert (status, "300 labels in 300 rows" in err) == (2, True)
    status, out, _ = call(capsys, "run", "regression.csv", "--label", "2")
    assert (status, "300 classes" in out) == (0, True)


def test_randomised_base_needs_two_classes(mine, capsys):
    arguments = ["run", "mine.csv", "--method", "base", "--vote", "randomized", "--scale", "unit"]
    status, _, err = call(capsys, *arguments)
    assert status == 2
    assert "labels 0 and 1" in err
    status, out, _ = call(capsys, *arguments, "--head", "3", "--json")
    assert status == 0
    assert json.loads(out)["n_examples"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv"], "no such file"),
        (["elektricity"], "did you mean electricity"),
        (["mine.csv", "--rate", "0"], "rate must be above 0"),
        (["mine.csv", "--rate", "1.5"], "rate must be above 0"),
        (["mine.csv", "--budget", "none"], "--budget is a number"),
        (["mine.csv", "--budget", "0%"], "--budget is a number"),
        (["mine.csv", "--budget", "1"], "at least 2 balls"),
        (["mine.csv", "--head", "0"], "--head must be at least 1"),
        (["mine.csv", "--method", "base", "--budget", "3"], "--budget is for auto and auto-adj"),
        (["mine.csv", "--method", "base", "--d-hat", "3"], "--d-hat is for auto and auto-adj"),
        (["mine.csv", "--vote", "majority"], "--vote is for base, not for auto-adj"),
        (["mine.csv", "--dump", "mine.csv"], "must be different files"),
        (["mine.csv", "--dump", "new", "--save", "new"], "must be different files"),
        (["mine.csv", "--method", "base", "--covering-constant", "0.5"], "at least 1"),
        (["mine.csv", "--method", "base", "--reading", "authors"], "no BASE"),
        (["mine.csv", "--dump", "nowhere/out.csv"], "no folder nowhere"),
        (["mine.csv", "--save", "."], "cannot be written"),
        (["missing.csv"], "row 2 .*column 3"),
        (["empty.csv"], "empty"),
        (["electricity", "--numeric", "day"], "its own options"),
    ],
)
def test_bad_input_is_one_line_and_status_2(mine, capsys, arguments, message):
    Path("missing.csv").write_text(CSV.replace("2.5", "?"), encoding="utf-8")
    Path("empty.csv").write_text("", encoding="utf-8")
    status, out, err = call(capsys, "run", *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(message, err), err
    assert sorted(p.name for p in mine.iterdir()) == ["empty.csv", "mine.csv", "missing.csv"]


def test_labels_with_commas_are_quoted_in_the_dump(mine, capsys):
    Path("odd.csv").write_text('x,label\n0,"a,b"\n1,"say ""c"""\n0,"a,b"\n', encoding="utf-8")
    assert call(capsys, "run", "odd.csv", "--dump", "out.csv")[0] == 0
    rows = read_table("out.csv")
    assert [row["y"] for row in rows] == ["a,b", 'say "c"', "a,b"]


def test_data_lists_and_describes(capsys):
    status, out, _ = call(capsys, "data")
    assert status == 0
    assert "electricity" in out
    assert "connect-4" in out
    status, out, _ = call(capsys, "data", "list", "sea")
    assert "SHA-256 67f731eb" in out
    status, out, _ = call(capsys, "data", "--json")
    assert {entry["name"] for entry in json.loads(out)} >= {"sea", "poker", "banana"}
    status, _, err = call(capsys, "data", "fetch")
    assert status == 2
    assert "fetch what?" in err
    status, _, err = call(capsys, "data", "fetch", "see")
    assert "did you mean sea" in err


def test_data_check_tells_right_from_wrong(data_folder, tmp_path, monkeypatch, capsys):
    assert call(capsys, "data", "check", "powersupply", "banana")[0] == 0
    content = (data_folder / "powersupply.arff").read_bytes()
    (tmp_path / "powersupply.arff").write_bytes(content.replace(b"117.4", b"117.5", 1))
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path))
    status, out, _ = call(capsys, "data", "check", "powersupply", "--json")
    assert status == 1
    assert "SHA-256" in json.loads(out)[0]["problems"][0]


def test_reproduce_draws_figure_1_from_what_the_install_brought(tmp_path, monkeypatch, capsys):
    """Without any data folder: banana comes inside the river package."""
    monkeypatch.setenv("ABACOC_DATA", str(tmp_path))
    status, out, _ = call(capsys, "reproduce", "--only", "fig1", "--output", tmp_path / "results")
    assert status == 0
    picture = tmp_path / "results" / "figures" / "figure1.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "compared, all equal to the committed ones" in out
    table = read_table(tmp_path / "results" / "reproduced" / "figure1.csv")
    assert [row["method"] for row in table] == ["BASE", "BASE-ADJ", "AUTO", "AUTO-ADJ"]
    stored = read_table(ROOT / "paper_results/reproduced/figure1.csv")
    assert table == stored, "the committed table is not what the command writes"
    status, _, err = call(capsys, "reproduce", "--only", "fig99")
    assert status == 2
    assert "the items are figure1" in err


def test_installed_command_answers(tmp_path):
    """The entry point, in a process of its own, without a terminal."""
    command = Path(sys.executable).with_name("abacoc")
    shown = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert "run" in shown.stdout
    generator = np.random.default_rng(0)
    X = generator.random((300, 2))
    lines = [f"{a!r},{b!r},{int(a > b)}" for a, b in X.tolist()]
    (tmp_path / "mine.csv").write_text("\n".join(lines))
    done = subprocess.run(
        [command, "run", "mine.csv"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr == "", "no bar where there is no terminal"
    assert "300 examples" in done.stdout


def test_readme_examples_run(mine):
    """Every Python block and every abacoc command of the README, in an empty folder."""
    text = (ROOT / "README.md").read_text()
    rows = [f"{i},{i * 37 % 101},{'abc'[i % 3]},{'yn'[i % 2]}\n" for i in range(40)]
    for name in ("mine.csv", "new.csv"):
        (mine / name).write_text("".join(["id,size,colour,class\n", *rows]))
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    assert "prequential" in code
    subprocess.run([sys.executable, "-c", code], cwd=mine, check=True, capture_output=True)
    commands = re.findall(r"^\.venv/bin/(abacoc .*)$", text, re.MULTILINE)
    assert len(commands) == 7
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        words = command.partition("#")[0].split()
        subprocess.run(words, cwd=mine, check=True, env={**os.environ, "PATH": path})
    assert (mine / "said.csv").is_file()
    assert (mine / "page.html").is_file()


def test_pieces_and_engines_write_the_same_dump(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{'xyz'[int(3 * a)]},{int(a > b)}" for a, b in rng.random((400, 2))]
    Path("mine.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    dumps = []
    for more in ([], ["--pieces", "37"], ["--engine", "reference"], ["--pieces", "1"]):
        status, _, err = call(
            capsys, "run", "mine.csv", "--dump", "out.csv", "--rate", "0.6", *more
        )
        assert (status, err) == (0, "")
        dumps.append(Path("out.csv").read_text(encoding="utf-8"))
    assert len(dumps[0].splitlines()) == 401
    assert len(set(dumps)) == 1
    assert call(capsys, "run", "mine.csv", "--head", "50", "--pieces", "7", "--json")[0] == 0
    for bad in (["--pieces", "0"], ["--pieces", "5", "--scale", "standard"]):
        status, out, err = call(capsys, "run", "mine.csv", *bad)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
    for held in ("sea", "generated:sea,n=100"):
        status, _, err = call(capsys, "run", held, "--pieces", "5")
        assert status == 2
        assert "--pieces is for files" in err


def test_too_little_memory_is_said_in_one_line(capsys, tmp_path, monkeypatch):
    def full(*_args, **_kwargs):
        raise MemoryError("no room for 4.0 GiB")

    (tmp_path / "mine.csv").write_text("1,a\n2,b\n")
    monkeypatch.setattr("abacoc.protocol.prequential_pieces", full)
    status, out, err = call(capsys, "run", str(tmp_path / "mine.csv"))
    assert (status, out) == (2, "")
    assert err == "abacoc: not enough memory: no room for 4.0 GiB\n"


def test_a_run_that_has_to_compile_first_says_so(capsys, tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text("1,a\n2,b\n")
    run = ("run", str(tmp_path / "mine.csv"))
    monkeypatch.setattr("abacoc.engine.kernels.OURS.must_compile", lambda: True)
    assert "compiling" in call(capsys, *run, "--engine", "compiled")[2]
    assert call(capsys, *run)[2] == ""  # the reference begins
    monkeypatch.undo()
    assert call(capsys, *run, "--engine", "compiled")[2] == ""


def test_who_served_is_told(capsys, monkeypatch):
    """An engine, the reference, or one after the other."""
    run = ("run", "generated:sea,n=3000")

    def told(*options):
        result = json.loads(call(capsys, *run, "--json", *options)[1])
        last = call(capsys, *run, *options)[1].splitlines()[-1]
        return result["engine"], result["by_reference"], last

    assert told() == ("compiled", 0, "engine       compiled")
    assert told("--engine", "reference") == ("reference", 0, "engine       reference")
    never = Kernels("never:never", "never:never")
    monkeypatch.setattr(never, "are_ready", lambda: False)
    monkeypatch.setattr("abacoc.engine.learners.OURS", never)
    assert told() == ("reference", 3000, "engine       reference")
    left = [5000, 5000]  # questions; there are a few per example

    def later():
        left[-1] -= 1
        if left[-1] < 0:
            left.pop()
            return True
        return False

    monkeypatch.setattr(never, "are_ready", later)
    engine, by_reference, last = told()
    assert (engine, 1000 < by_reference < 2500) == ("compiled", True)
    said = f"engine       reference for {by_reference:,} examples, then compiled"
    assert last == said


def test_help_needs_neither_numba_nor_numpy():
    code = (
        "import sys, abacoc.cli as c\n"
        "try: c.main(['bench', '--help'])\n"
        "except SystemExit: pass\n"
        "print({'numba', 'numpy', 'matplotlib', 'river'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "set()"
