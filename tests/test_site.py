"""The site: what its checker of links finds, and that the site is built."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import abacoc
import abacoc_theory
from abacoc import streams

ROOT = Path(__file__).parents[1]
check = runpy.run_path(str(ROOT / "docs" / "links.py"))["check"]

GOOD = {
    "index.html": '<a href="a%20b/page.html#here">x</a> <a href="#top">y</a> <a href="https://e.org">z</a>'
    '<link rel="stylesheet" href="site.css?v=1"><img src="data:image/png;base64,AA">',
    "a b/page.html": '<h1 id="here">h</h1> <a href="../index.html">back</a> <a href="">itself</a>',
    "site.css": "body { background: url(picture.png) }",
}


def site(folder, **more):
    for name, text in (GOOD | {f"{key}.html": text for key, text in more.items()}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return check(folder)


def test_a_site_that_works_by_itself(tmp_path):
    assert site(tmp_path) == (2, [], 1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('<a href="none.html">x</a>', "no file none.html"),
        ('<img src="none.png">', "no file none.png"),
        ('<img srcset="site.css 1x, none.png 2x">', "no file none.png"),
        ('<iframe src="none.html"></iframe>', "no file none.html"),
        ('<a href="../elsewhere.html">x</a>', "no file ../elsewhere.html"),
        ('<a href="a%20b">x</a>', "no file a%20b"),
        ('<a href="index.html#here">x</a>', "no anchor index.html#here"),
        ('<a href="#none">x</a>', "no anchor #none"),
        ('<script src="https://e.org/s.js"></script>', "loads https://e.org/s.js"),
        ('<script src="//e.org/s.js"></script>', "loads //e.org/s.js"),
        ('<link rel="stylesheet" href="http://e.org/s.css">', "loads http://e.org/s.css"),
        ('<img src="https://e.org/i.png">', "loads https://e.org/i.png"),
        ("<style>@import 'https://e.org/s.css'</style>", "a style loads from elsewhere"),
        ('<p style="background: url(//e.org/i.png)"></p>', "a style loads from elsewhere"),
    ],
)
def test_what_is_broken_is_found(tmp_path, text, told):
    (tmp_path.parent / "elsewhere.html").write_text("")  # there, and not in the site
    assert site(tmp_path, bad=text).broken == [f"bad.html: {told}"]


def test_a_style_sheet_that_loads_from_elsewhere_is_found(tmp_path):
    (tmp_path / "more.css").write_text("@font-face { src: url('https://e.org/f.woff2') }")
    assert site(tmp_path).broken == ["more.css: a style loads from elsewhere"]


def build(target, *arguments):
    command = [sys.executable, str(ROOT / "docs" / "build.py"), str(target), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


PAGES = ("index", "README", "theory/README", "cli", "api", "api/learners", "api/scaling")


def test_some_pages(tmp_path):
    """No notebook runs here. What is broken are links to pages that are left out, no others."""
    (tmp_path / "stale.html").write_text("of the last time")
    done = build(tmp_path, "--only", *PAGES)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "stale.html").exists()
    left_out = re.compile(r"  [\w/]+\.html: no anchor #[\w/]+\.(md|ipynb)(#\w+)?")
    told = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert told
    assert [line for line in told if not left_out.fullmatch(line)] == []
    text = {name: (tmp_path / f"{name}.html").read_text("utf-8") for name in PAGES}
    assert "Algorithm 4" in text["api/learners"]
    assert 'id="abacoc.AutoAdj.predict"' in text["api/learners"]
    assert 'href="coq/Statements.v.html"' in text["theory/README"]
    assert "usage: abacoc run" in re.sub("<[^>]+>", "", text["cli"])
    assert "Theorem" in (tmp_path / "theory" / "coq" / "Statements.v.html").read_text("utf-8")


@pytest.mark.slow
def test_the_whole_site(tmp_path):
    done = build(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[1:] == ["0 broken links", str(tmp_path / "index.html")]
    known = "".join(path.read_text("utf-8") for path in (tmp_path / "api").glob("*.html"))
    for package in (abacoc, streams, abacoc_theory):
        for name in {*package.__all__} - {"READINGS", "__version__"}:
            home = getattr(package, name).__module__
            assert any(f'id="{place}.{name}"' in known for place in (package.__name__, home)), name
    for path in ROOT.glob("notebooks/*.ipynb"):
        text = (tmp_path / "notebooks" / f"{path.stem}.html").read_text("utf-8")
        assert 'class="cell_output' in text
        assert ("<img" in text) or ("<table" in text)
    assert "<math" in (tmp_path / "notebooks" / "ledger.html").read_text("utf-8")
    for name in ("own_stream", "drift", "break_theorem"):
        assert 'src="../_images/' in (tmp_path / "tutorials" / f"{name}.html").read_text("utf-8")
    assert not [p for p in tmp_path.rglob("*.html") if str(ROOT) in p.read_text("utf-8")]


@pytest.mark.slow
def test_the_same_pages_twice(tmp_path):
    """Those of a whole site are the same but for the speeds that the tutorials measure."""
    found = []
    for name in ("one", "two"):
        assert build(tmp_path / name, "--only", *PAGES, "notebooks/ledger").returncode == 0
        files = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        found.append({p.relative_to(tmp_path / name): p.read_bytes() for p in files})
    assert found[0].keys() == found[1].keys()
    assert [path for path in found[0] if found[0][path] != found[1][path]] == []
