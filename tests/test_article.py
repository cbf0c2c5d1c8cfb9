"""The article says what the tables say: no typed number, guards that bite, the same bytes twice."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "article"
TEXT = re.sub(r"//.*", "", (FOLDER / "article.typ").read_text("utf-8"))
USED = re.findall(r"\bn\.(\w+)", TEXT)

# What may be typed, as it stands in the text, and why. A line that is not needed is an error.
NAMES = "what the paper or a data set calls it"
FORMULA = "the form of a formula; those of the theorems are compared with Coq by `_constants`"
RANGE = "a range or a value by definition, in the paper or in the theorem of Coq"
ALLOWED = {
    r"Theorem 1": NAMES,
    r"Lemma [12]": NAMES,
    r"Alg\. 2 and 3": NAMES,
    r"Figures? [1-4](\(a\)| and 4)?": NAMES,
    r"NN3|kddcup99|connect-4": NAMES,
    r"\bfigure3\b": "a function of figures.typ",
    r"norm\s+1": "Section VI.A of the paper: normalised by the Euclidean norm",
    r"of at least 1|at least 1\b": RANGE,
    r"diameter 1|which is 1 by assumption|is not the 1 of": RANGE,
    r"d >= 0|L >= 0|C >= 1|epsilon > 0|0 < epsilon <= 1|C(_S)? = 1\$": RANGE,
    r"\(1\+[dD]\)\\?/\(2\+[dD]\)|\(2\+D\)/\(1\+D\)": FORMULA,
    r"2\^d |2\^\(D\\/2\)|sqrt\(n\+1\)": FORMULA,
    r"k\^\(-1\\/\(2\+d_i\)\)|max\(m_s, 1\)|max\(1, ceil\(d\)\)": FORMULA,
    r"d\^\(1\\/\(2\+d\)\)": "the last line of the proof of Theorem 1",
    r"\$2 sqrt\(hat\(C\)\) thin 2\^\(d_i \+ 1\)|2\^\(d_i\)": "Lemma 2, and the end of its proof",
    r"ten times|a hundredth less": "two guards in `_figures` have the same arithmetic",
}
NUMBER = re.compile(
    r"\d|\b(five|six|seven|eight|nine|ten|eleven|twelve|thirteen|half|third|tenth|hundred\w*|thousand\w*"
    r"|million\w*|twice as)\b"
)


@pytest.fixture(scope="module")
def build():
    """The script, under another name: `build` is a package of its own."""
    spec = importlib.util.spec_from_file_location("article_build", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def numbers(build):
    return importlib.import_module("article_numbers")


def test_no_number_is_typed():
    text = re.sub(r"\bn\.\w+|@[\w-]+|<[\w-]+>|#import.*|style: \"\w+\"", "", TEXT)
    for allowed in ALLOWED:
        assert re.search(allowed, text), f"not needed any more: {allowed}"
        text = re.sub(allowed, "", text)
    assert [text[max(0, m.start() - 30) : m.end() + 20] for m in NUMBER.finditer(text)] == []


def test_every_number_is_used_and_known(numbers):
    content = numbers.article()
    assert set(USED) == set(content.numbers)
    assert numbers.numbers() == content.numbers
    assert all(content.numbers.values())
    assert set(re.findall(r"\bdata\.(\w+)", TEXT)) == set(content.data)


def test_every_reference_is_cited_and_every_label_is_there():
    keys = re.findall(r"^(\w+):$", (FOLDER / "references.yml").read_text("utf-8"), re.MULTILINE)
    labels = re.findall(r"<([\w-]+)>", TEXT)
    assert set(re.findall(r"@([\w-]+)", TEXT)) == {*keys, *labels}


# A table, what to find in its text, what to put there, and what changes in the article.
CHANGES = [
    ("protocols_gaps.csv", "0.0110336", "0.0210336", "six"),
    ("table2.csv", "0.682,0.1,0.592,0.691135", "0.682,0.1,0.592,0.692135", "rows"),
    ("identity_protocols.csv", "1108850,98,", "1108850,99,", "worst_rank"),
    (
        "identity_distances.csv",
        "paper,kddcup99,poker,0.15",
        "paper,kddcup99,poker,0.25",
        "distances",
    ),
    ("figure2_sets.csv", "paper,b,AUTO-ADJ,0.993713", "paper,b,AUTO-ADJ,0.793713", "best_sets"),
    ("figure3.csv", "VFDT,0.1,0.00874578", "VFDT,0.1,0.00974578", "figure3"),
    ("attained.csv", "1.05304", "1.06", "attained"),
    ("ledger.csv", "bound 439,254,275.6", "bound 449,254,275.6", "fraction_bound"),
    ("../claims.csv", "+0.086 [+0.084, +0.088]", "+0.076 [+0.074, +0.078]", "fix_clearly_paper"),
    ("../claims.csv", ",27 of 28,", ",26 of 28,", "claims"),
    ("coq/Statements.v", "1058/1000 * sqrt C", "1059/1000 * sqrt C", "ball"),
]
# The same, and a word of the sentence that is not true any more.
GUARDS = [
    ("protocols_gaps.csv", "0.0110336", "0.3110336", "the names do most"),
    ("table2.csv", "electricity,NN3,0.68,", "electricity,NN3,0.60,", "are inside"),
    ("table2.csv", "powersupply,NN3,0.348,", "powersupply,NN3,0.448,", "powersupply"),
    ("identity.csv", "4,4,fits,fits,fits", "4,4,open,fits,fits", "are inside|stay open"),
    ("identity_protocols.csv", "1663200,1593214,1,", "1663200,1593214,2,", "first by sizes"),
    ("competitors.csv", 'tuned",paper,0.1,8,5,0.874525', 'tuned",paper,0.1,8,5,0.7', "VFDT"),
    ("ledger.csv", "bound 439,254,275.6", "bound 539,254,275.6", "the stream breaks it"),
    ("../claims.csv", "trees,relative accuracy at four rates,holds", "trees,,fails", "CNN works"),
    ("coq/Statements.v", "1586/1000 * L)", "1586/1000 * L * L)", "sharper_theorem"),
]


@pytest.fixture
def tables(tmp_path):
    """A copy of the tables and of the two files of Coq that are read; and how to change them."""
    reproduced = tmp_path / "reproduced"
    shutil.copytree(ROOT / "paper_results" / "reproduced", reproduced)
    shutil.copy(ROOT / "paper_results" / "claims.csv", tmp_path)
    (reproduced / "coq").mkdir()
    for name in ("Statements.v", "assumptions.txt"):
        shutil.copy(ROOT / "theory" / "coq" / name, reproduced / "coq")

    def changed(table, before, after):
        text = (reproduced / table).read_text("utf-8")
        assert before in text
        (reproduced / table).write_text(text.replace(before, after), "utf-8")
        return tmp_path, reproduced / "coq"

    return changed


def test_a_changed_table_changes_the_text(tables, numbers):
    own = numbers.article()
    for table, before, after, _ in CHANGES:
        where = tables(table, before, after)
    other = numbers.article(*where)
    same = [
        key
        for *_, key in CHANGES
        if (own.numbers | own.data)[key] == (other.numbers | other.data)[key]
    ]
    assert same == []


@pytest.mark.parametrize(("table", "before", "after", "sentence"), GUARDS)
def test_a_sentence_that_is_not_true_any_more_is_not_said(
    table, before, after, sentence, tables, numbers
):
    with pytest.raises(ValueError, match=sentence):
        numbers.article(*tables(table, before, after))


def test_four_to_six_pages_the_same_twice(build, tmp_path):
    """Uncompressed objects of Typst's PDF: a page has its own, the tree of pages has the number."""
    pdf = build.build(tmp_path / "new").read_bytes()
    assert pdf.startswith(b"%PDF-")
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 4 <= pages <= 6
    assert re.findall(rb"/Type\s*/Pages\b[^>]*/Count (\d+)", pdf) == [b"%d" % pages]
    assert build.build(tmp_path).read_bytes() == pdf
    assert b"D:20261120000000" in pdf  # the date of the text, whenever it is built
