"""The report: complete, self-contained, the same whenever it is made."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from example import write_example
from paper.items import Given, drift, ledger

from paper.report import TITLE, write_report
from paper.reproduce import make

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 80  # characters without a place to break the line
VOID = {"meta", "img", "br", "hr"}
PARTS = (
    *(TITLE, "AUTO-ADJ is the smallest", "not reproduced", "partly reproduced", "7 times"),
    *("the stated bound fails", "lemma1-size", "What t_i counts"),
    *("airlines", "shares | sizes"),
)
CLAIMS = """id,where,sentence,test,result,verdict
small,Section VI,AUTO-ADJ is the smallest,shares | sizes,0.1 against 0.2,partly
worse,Section VI,NN3 suffers,accuracies,0.8 against 0.9,not
"""


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.loose_tables = 0
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            last = [(t, a) for t, a in self.tags][-1]
            self.loose_tables += last != ("div", {"class": "scroll", "tabindex": "0"})
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    results = write_example(folder / "reproduced", ["sea", "electricity"])
    for name in ("ledger.csv", "theory_table.md"):
        shutil.copy(ROOT / "paper_results" / "reproduced" / name, folder / "reproduced" / name)
    given = Given.read(results, folder, "tiny")
    for item in (drift, ledger):
        item.make(given)
    (folder / "claims.csv").write_text(CLAIMS)
    (folder / "reproduced" / "bench_table.md").write_text("| speed |\n|---|\n| 7 times |\n")
    written = write_report(folder)
    assert written == [folder / "README.md", folder / "report.html"]
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
    assert sum(tag == "img" for tag, _ in page.tags) == 1
    assert all(attributes["alt"] for tag, attributes in page.tags if tag == "img")


def test_links_lead_somewhere_and_headings_are_unique(html):
    page = Page(html)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"][1:] for tag, attributes in page.tags if tag == "a"]
    assert len(links) >= 10
    assert set(links) <= set(ids)


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
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert pictures == ["figures/drift.png"]
    assert all((folder / name).is_file() for name in pictures)
    assert "$" not in page  # formulas are formulas
    for place in (str(folder), str(ROOT)):
        assert place not in text
        assert place not in html


def test_report_of_an_empty_folder_says_what_is_missing(tmp_path):
    said = []
    assert make(tmp_path / "new", "report", "tiny", said.append) == ["report"]
    text = (tmp_path / "new" / "README.md").read_text(encoding="utf-8")
    for told in ("Nothing has been made yet", "no `claims.csv`", "Not measured yet"):
        assert told in text
    Page((tmp_path / "new" / "report.html").read_text(encoding="utf-8"))


def test_a_picture_that_is_gone_is_named(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "figures" / "drift.png").unlink()
    write_report(copy)
    assert (
        "the picture is missing: Accuracy and model size over time"
        in (copy / "report.html").read_text()
    )
