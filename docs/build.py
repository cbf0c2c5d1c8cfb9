"""The site: ``make docs`` writes it into docs/_build/html/, for any browser and without a network.

What is a document in the repository already (results, theory, deviations, notebooks and so on) is
taken from where it is; this folder has the start page, the tutorials and the pages of the API.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import re
import runpy
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
import papermill
from myst_nb.core.read import read_myst_markdown_notebook

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT), str(ROOT / "notebooks")]

from abacoc.cli import COMMANDS, main  # noqa: E402
from paper.notebooks import tidy  # noqa: E402

check = runpy.run_path(str(DOCS / "links.py"))["check"]
LEXERS = {".py": "python", ".v": "coq", ".toml": "toml", ".json": "json", ".md": "markdown"}
ARTICLE = "abacoc-replication.pdf"  # plain HTML leads to it: it is no page of Sphinx
SAID = f'What this project found is written up in <a href="{ARTICLE}">an article</a> (PDF).'
WATCHED = {"banana": "banana", "sea": "generated:sea"}
LINK = re.compile(r"(\]\()((?!https?:|#)[^)\s#]+)(#[^)\s]*)?\)")
NAMED = re.compile(r"(?<![\[`])`((?:abacoc|theory|tests|notebooks|paper_results)/[\w./-]+\.\w+)`")
ENTRY = re.compile(r"^(?:[^`\n]* <)?/([\w./-]+)>?\n", re.MULTILINE)  # in a table of contents
LARGEST = 300_000  # bytes of a file that is shown on a page; a larger one is a download


def documents() -> dict[Path, str]:
    """The files that are pages, and how the site calls them."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("notebooks/*.ipynb"), ROOT / "paper_results/README.md"]
    found += [ROOT / "theory/README.md", ROOT / "theory/coq/mutants.md"]
    pages = {path: path.relative_to(ROOT).with_suffix("").as_posix() for path in found}
    for pattern in ("*.md", "api/*.md", "tutorials/*.md"):
        own = sorted(DOCS.glob(pattern))
        pages |= {path: path.relative_to(DOCS).with_suffix("").as_posix() for path in own}
    return pages


class Stage:
    """The folder that Sphinx reads: copies whose links lead to pages of the site."""

    def __init__(self, folder: Path, only: Iterable[str] = (), *, article: bool = False) -> None:
        self.folder, self.article = folder, article
        chosen = set(only) or set(documents().values())
        self.pages = {path: name for path, name in documents().items() if name in chosen}
        modules = [] if only else [*ROOT.glob("abacoc/**/*.py"), *ROOT.glob("theory/**/*.py")]
        self.modules = {path: f"{path.relative_to(ROOT).as_posix()}.md" for path in sorted(modules)}
        self.sources = dict(self.modules)  # and other files that a page names, as they are
        for path, name in self.pages.items():
            if path.suffix == ".ipynb":
                self._notebook(path, name)
            elif name.startswith("tutorials/"):
                self._tutorial(path, name)
            else:
                self._page(path, name)
        if article:
            self._write("article.md", f"# The article\n\n{SAID}\n")
        for path in list(self.sources):
            self._source(path)

    def _write(self, name: str, text: str) -> None:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def _page(self, path: Path, name: str) -> None:
        text = self._linked(path.read_text("utf-8"), path, name)
        if DOCS in path.parents:
            here = {*self.pages.values(), *["article"] * self.article}
            text = ENTRY.sub(lambda entry: entry[0] if entry[1] in here else "", text)
        if self.article:
            text = text.replace("<!-- article -->", SAID)
        if name == "cli":
            text += "".join(map(_help, COMMANDS))
        if name == "modules":
            text += "".join(map(_line, self.modules.items()))
        self._write(f"{name}.md", text)

    def _notebook(self, path: Path, name: str) -> None:
        """With the outputs that are committed, and a word on where they come from."""
        notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        said = any(cell.get("outputs") for cell in notebook.cells)
        note = "What is below is committed" if said else "**This notebook has not run**"
        note += f"; `abacoc reproduce --only {path.stem}` computes it again."
        note = f"```{{note}}\n{note}\n```"
        notebook.cells.insert(1, nbformat.v4.new_markdown_cell(note, id="note"))  # type: ignore
        self._cells(notebook, path, name)

    def _tutorial(self, path: Path, name: str) -> None:
        """Run anew, in a folder of its own."""
        notebook: Any = read_myst_markdown_notebook(path.read_text("utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            notebook = papermill.execute_notebook(
                notebook,
                None,
                cwd=folder,
                kernel_name="python3",
                progress_bar=False,
                # it would warn that it talks over loopback without encryption
                extra_arguments=["--log-level=CRITICAL"],
            )
        self._cells(tidy(notebook), path, name)

    def _cells(self, notebook: Any, path: Path, name: str) -> None:
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = self._linked(cell.source, path, name)
        target = self.folder / f"{name}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, target)  # type: ignore[no-untyped-call]

    def _linked(self, text: str, path: Path, name: str) -> str:
        """The text with its links; a file of the project that it names in code font is one too."""

        def leading(there: Path) -> str:
            here = (self.folder / name).parent
            return os.path.relpath(self.folder / self._place(there), here).replace(os.sep, "/")

        def link(found: re.Match[str]) -> str:
            there = (path.parent / found[2]).resolve()
            known = there.is_file() and there.is_relative_to(ROOT)
            return f"{found[1]}{leading(there)}{found[3] or ''})" if known else found[0]

        def named(found: re.Match[str]) -> str:
            there = ROOT / found[1]
            return f"[{found[0]}]({leading(there)})" if there.is_file() else found[0]

        return NAMED.sub(named, LINK.sub(link, text))

    def _place(self, path: Path) -> str:
        """Where a file of the project is on the stage: a page, a copy, or a page that lists it."""
        if path in documents():
            name = documents()[path]
            return name + (".ipynb" if name.startswith("tutorials/") else path.suffix)
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".png" or path.stat().st_size > LARGEST:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, self.folder / name)
            return name
        return self.sources.setdefault(path, f"{name}.md")

    def _source(self, path: Path) -> None:
        """A file as it is, with its syntax in colours."""
        lexer = LEXERS.get(path.suffix, "text")
        title = path.relative_to(ROOT).as_posix()
        code = f"{'`' * 8}{{code-block}} {lexer}\n:force:\n:linenos:\n\n{path.read_text('utf-8')}\n"
        head = "---\norphan: true\nno-search: true\n---\n"
        self._write(self.sources[path], f"{head}# `{title}`\n\n{code}{'`' * 8}\n")


def _line(module: tuple[Path, str]) -> str:
    """A module, its page, and the first line of its docstring."""
    path, page = module
    told = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
    return f"- [`{page.removesuffix('.md')}`]({page}): {told.replace('<', '&lt;')}\n"


def _help(command: str) -> str:
    """What ``abacoc COMMAND --help`` prints."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.suppress(SystemExit):
        main([command, "--help"])
    return f"\n## abacoc {command}\n\n```text\n{told.getvalue()}```\n"


def write_article(folder: Path) -> Path | None:
    """The article, if the project has one."""
    maker = DOCS / "article" / "build.py"
    if not maker.is_file():
        return None
    built: Path = runpy.run_path(str(maker))["build"](folder)
    return built


def build(target: Path, only: Iterable[str] = ()) -> int:
    """Write the site into the folder, which is emptied; 0 if nothing is wrong with it.

    With ``only``, these pages and no others, without the streams to watch: for tests. A page that
    is left out breaks the links that lead to it, so they are listed and not counted.
    """
    from sphinx.cmd.build import build_main

    began, only = time.perf_counter(), tuple(only)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    # the commands in the tutorials, and help of one width wherever it is written
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ |= {"COLUMNS": "88", "NO_COLOR": "1", "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        pdf = None if only else write_article(work)
        stage = Stage(work / "stage", only, article=pdf is not None)
        options = ["-q", "-b", "html", "-c", str(DOCS), "-d", str(work / "doctrees")]
        options += ["-D", "suppress_warnings=myst.xref_missing"] if only else ["-W"]
        status = build_main([*options, str(stage.folder), str(target)])
        if status:
            return status
        if pdf:
            shutil.copy(pdf, target / ARTICLE)
    (target / ".buildinfo").unlink()
    for name, stream in {} if only else WATCHED.items():
        (target / "watched").mkdir(exist_ok=True)
        with contextlib.redirect_stdout(io.StringIO()):
            status |= main(["watch", stream, "--out", str(target / "watched" / f"{name}.html")])
    found = check(target)
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    seconds = time.perf_counter() - began
    print(f"{found.pages} pages, {size / 1e6:.1f} MB, {seconds:.0f} s, {found.external} links out")
    print(f"{len(found.broken)} broken links", *found.broken, sep="\n  ")
    print(target / "index.html")
    return status or bool(found.broken and not only)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("target", nargs="?", type=Path, default=DOCS / "_build" / "html")
    parser.add_argument("--only", nargs="+", default=(), metavar="PAGE", help="for tests")
    options = parser.parse_args()
    sys.exit(build(options.target.resolve(), options.only))
