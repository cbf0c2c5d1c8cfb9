"""The report: complete, self-contained, the same whenever it is made."""

import base64
import io
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from abacoc.grid.tables import read_rows
from paper.page import formula
from paper.report import TITLE, write_report
from paper.reproduce import make
from paper.summary import MOST_WORDS, first_page

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "paper_results" / "reproduced"
LONGEST = 80  # characters without a place to break the line
VOID = {"meta", "img", "br", "hr"}
COLUMNS = "published,published_effect,paper,paper_effect,raw,raw_effect"
CLAIMS = f"""id,item,where,sentence,test,{COLUMNS}
small,fig3,Section VI,AUTO-ADJ is the smallest,sizes,holds,0.1 | 0.2,1 of 2,0.3,open,0.4
worse,verify,Section VI,NN3 suffers,accuracies,—,,fails,0.5,fails,0.6
"""
PARTS = (
    *(TITLE, "AUTO-ADJ is the smallest", "1 of 2", "fails", "0.1 | 0.2"),
    *("abacoc verify", "the stated bound fails", "7 times", "9 hours", "Table I: the data sets"),
)


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []  # the code is not among them
        self.loose_tables = 0
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.loose_tables += self.tags[-1] != ("div", {"class": "scroll", "tabindex": "0"})
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "details"} & set(self.open):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def all(self, wanted: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == wanted]


def notebook(name: str) -> nbformat.NotebookNode:
    """Formulas in its text, in a table of pandas and alone; what a run leaves of the machine."""
    picture = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(picture, "PNG")
    png = base64.b64encode(picture.getvalue()).decode()
    frame = pd.DataFrame({"step": ["one"], "says": [r"$x_i < 2^d$"]}).to_html()
    outputs = [
        new_output("stream", name="stdout", text="3 runs\n"),
        new_output("stream", name="stderr", text="/tmp/ipykernel_1/2.py:2: Warning\n"),
        new_output("execute_result", {"text/html": frame, "text/plain": "a table"}),
        new_output("display_data", {"image/png": png, "text/plain": "<Figure>"}),
        new_output("display_data", {"text/markdown": "`holds` for **all** $n$"}),
        new_output("execute_result", {"text/latex": r"$\displaystyle \frac{1}{2}$"}),
        new_output("execute_result", {"text/html": "<script>x</script>", "text/plain": "<b>"}),
        new_output("error", ename="ValueError", evalue="no", traceback=[f"{ROOT}/file.py"]),
    ]
    passed = new_code_cell(f'output = "{ROOT}"', metadata={"tags": ["injected-parameters"]})
    text = f"# Of {name}\n\nSee [another](table1.ipynb), [a file](../x.md), $\\epsilon$ and"
    text += "\n\n$$\\sqrt{T}$$"
    cells = [new_markdown_cell(text), passed, new_code_cell('cost = "$5"', outputs=outputs)]
    return new_notebook(cells=[*cells, new_markdown_cell("## The points\n\n## The points")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    for part in ("reproduced", "executed"):
        (folder / part).mkdir()
    shutil.copy(TABLES / "theory_table.md", folder / "reproduced")
    (folder / "claims.csv").write_text(CLAIMS)
    (folder / "reproduced" / "bench_table.md").write_text("| speed |\n|---|\n| 7 times |\n")
    (folder / "reproduced" / "soak_table.md").write_text("| soak |\n|---|\n| 9 hours |\n")
    for name in ("theorem1", "a_new_one", "table1"):
        nbformat.write(notebook(name), folder / "executed" / f"{name}.ipynb")
    assert write_report(folder) == [folder / "README.md", folder / "report.html"]
    return folder


@pytest.fixture(scope="module")
def html(folder) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_page_needs_nothing_else(html):
    page = Page(html)
    for tag, attributes in page.tags:
        assert tag not in ("script", "link", "iframe", "object", "embed", "base")
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("src", "srcset", "data", "poster"):
                assert value.startswith("data:image/png;base64,")
            if name == "href":
                assert value.startswith("#")
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_links_lead_somewhere_and_headings_are_unique(html):
    page = Page(html)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"][1:] for attributes in page.all("a")]
    assert set(links) <= set(ids)
    # the contents, then the list of notebooks, of which two were executed, then three links
    assert links[:7] == [
        "claims",
        "theory",
        "speed",
        "notebooks",
        "table1",
        "theorem1",
        "a_new_one",
    ]
    assert links[7:] == ["table1", "theorem1", *["table1"] * 3]


def test_nothing_can_run_out_of_the_page(html):
    page = Page(html)
    assert not page.loose_tables
    assert max(map(len, page.text.split())) <= LONGEST
    assert "overflow-x: auto" in html
    assert "max-width: 100%" in html  # of pictures


def test_all_parts_are_there_in_both_forms(folder, html):
    text, page = (folder / "README.md").read_text(encoding="utf-8"), Page(html).text
    for part in PARTS:
        assert part in text.replace("`", "").replace("\\|", "|"), part
        assert part in page, part
    heads = re.findall(r"^\| the paper says .*$", text, re.MULTILINE)
    assert len(heads) == 1
    # what stands beside the claim is its verdicts, so that they are seen on a small screen
    verdicts = "| the paper says | printed | paper | raw | effect,"
    assert heads[0].startswith(verdicts)
    for look, word in (("good", "holds"), ("mixed", "1 of 2"), ("bad", "fails"), ("open", "open")):
        assert f'<span class="badge {look}">{word}</span>' in html
    links = re.findall(r"\]\((.*)\)", text)
    assert len(links) == len(list((ROOT / "notebooks").glob("*.ipynb")))
    assert all((ROOT / "paper_results" / link).is_file() for link in links)


def test_outputs_are_shown_and_code_is_folded(html):
    page = Page(html)
    assert html.count("<details>") == 3
    for part in ("3 runs", "ValueError: no", "<b>", "one"):
        assert page.text.count(part) >= 3, part
    assert "a table" not in page.text  # it is shown as one
    pictures = page.all("img")
    assert [picture["alt"] for picture in pictures] == [
        "Of table1",
        "Of theorem1",
        "Of a_new_one",
    ]
    with Image.open(io.BytesIO(base64.b64decode(pictures[0]["src"].partition(",")[2]))) as image:
        assert (image.mode, image.size) == ("P", (256, 256))


def test_formulas_are_formulas(html):
    page = Page(html)
    assert "$" not in page.text
    assert [attributes["display"] for attributes in page.all("math")] == [
        *("inline", "block", "inline", "inline", "block")
    ] * 3


def test_nothing_tells_of_the_machine(folder, html):
    text = (folder / "README.md").read_text(encoding="utf-8")
    for place in (str(folder), str(ROOT), "/tmp/"):
        assert place not in text
        assert place not in html


@pytest.mark.parametrize("row", read_rows(TABLES / "ledger.csv"), ids=lambda row: row["id"])
def test_formulas_of_the_ledger_become_mathml(row):
    page = Page(formula(row["statement"]))
    assert page.tags[0][0] == "math"
    braces = row["statement"].count(r"\begin{cases}")  # each is a sign on the page
    assert not {"\\", "{", "}", "_"} & set(page.text.replace("{", "", braces))  # no command is left


def test_report_of_an_empty_folder_says_what_is_missing(tmp_path):
    make(tmp_path / "new", ["report"], lambda line: None)
    text = (tmp_path / "new" / "README.md").read_text(encoding="utf-8")
    assert "no `claims.csv`" in text
    assert text.count("Not measured yet") == 2
    Page((tmp_path / "new" / "report.html").read_text(encoding="utf-8"))


def test_committed_report_is_what_comes_out(tmp_path):
    shutil.copytree(ROOT / "paper_results" / "reproduced", tmp_path / "reproduced")
    shutil.copy(ROOT / "paper_results" / "claims.csv", tmp_path)
    write_report(tmp_path)
    assert (tmp_path / "README.md").read_bytes() == (ROOT / "paper_results/README.md").read_bytes()


def test_page_to_read_first_is_short_and_says_where_everything_comes_from():
    text = (ROOT / "paper_results/README.md").read_text("utf-8")
    page = text.partition("## Read this first")[2].partition("\n## ")[0]
    told = re.sub(r"\]\(.*?\)", "]", page)
    assert 300 < len(told.split()) <= MOST_WORDS
    parts = re.findall(r"\*\*(.*?)\.\*\*", page)
    assert parts == [
        *("Scope", "What came back", "What did not", "What we think happened", "What stays open")
    ]
    # a sentence ends with what it rests on: a link in brackets
    plain = re.sub(r"\*\*.*?\*\*", "", page)
    for sentence in re.split(r"\.\s", plain.strip() + "\n"):
        assert not sentence.strip() or sentence.endswith("))"), sentence
    links = re.findall(r"\]\((.*?)\)", page)
    files = [ROOT / "paper_results" / link for link in links if not link.startswith("#")]
    assert files
    assert all(file.is_file() for file in files)


def test_without_its_tables_there_is_no_page(tmp_path):
    (tmp_path / "reproduced").mkdir()
    assert first_page(tmp_path) == ""
