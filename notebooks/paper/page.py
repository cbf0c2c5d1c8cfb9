"""One page of HTML that needs nothing else: own style, pictures inside, formulas as MathML."""

from __future__ import annotations

import base64
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from PIL import Image

# words between backquotes that are verdicts rather than code, and their looks
BADGES = {
    **{"holds": "good", "holds amended": "mixed", "fails": "bad", "not established": "bad"},
    **{"open": "open", "—": "open"},
}
STYLE = """
body { margin: 0 auto; max-width: 72rem; padding: 1rem 1rem 4rem; color: #1c1c1c;
  font: 16px/1.55 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: break-word; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2em 0 .6em; }
h2 { border-top: 1px solid #d5d5d5; padding-top: .9em; }
p, li { max-width: 50rem; }
nav { columns: 17rem; padding: .8rem 1rem; }
nav a { display: block; }
nav, th, pre, code, details { background: #f4f5f7; border-radius: 4px; }
a { color: #0a5a93; }
img { display: block; max-width: 100%; height: auto; }
img, .scroll, pre, details { margin: 1rem 0; }
.scroll, pre { overflow-x: auto; }
table { border-collapse: collapse; font-size: .84rem; line-height: 1.4; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid #e4e4e4; }
td.long { min-width: 12rem; }
code, pre { font: .88em/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
pre code { font-size: 1em; }
pre, summary { padding: .3rem .8rem; }
pre.said { white-space: pre-wrap; }
math { font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math",
  "DejaVu Math TeX Gyre", math, serif; font-size: 1.15em; }
msqrt > * { padding-top: .12em; }  /* a font without mathematics draws the root into the letters */
.badge { font-size: .78rem; padding: 0 .6em; border-radius: 1em; border: 1px solid;
  white-space: nowrap; }
@media (max-width: 40rem) { td.long { min-width: 8rem; } th, td { padding: .3rem .35rem; }
  nav { max-height: 6rem; overflow-y: auto; } }
.good { color: #00573f; } .mixed { color: #7a4d00; } .bad { color: #8f2d00; } .open { color: #444; }
"""


class Page:
    """What is rendered so far, and the sections that the contents are made of."""

    def __init__(self, title: str, sections: Mapping[str, str]) -> None:
        self.title, self.sections = title, sections  # by file name, addresses of what it becomes
        self.body: list[str] = []
        self.contents: list[tuple[str, str]] = []
        self.addresses: Counter[str] = Counter()
        self.heading = title  # the last one, which says what a picture shows
        self.reader = MarkdownIt("commonmark", {"html": False}).enable("table")
        dollarmath_plugin(self.reader, renderer=lambda latex, how: formula(latex, **how))
        rules: Any = self.reader.renderer.rules  # type: ignore[attr-defined]
        rules["table_open"] = lambda *_: '<div class="scroll" tabindex="0"><table>\n'
        rules["table_close"] = lambda *_: "</table></div>\n"
        rules["math_block"] = lambda tokens, i, *_: _block(tokens[i].content)
        rules["code_inline"] = lambda tokens, i, *_: _code(tokens[i].content)
        # the pictures of a notebook are among its outputs
        rules["image"] = lambda tokens, i, *_: f"<em>[{escape(tokens[i].content)}]</em>"

    def markdown(self, text: str, down: int = 0, first: str = "") -> None:
        """Add a text, its headings so many levels down; ``first`` is the address of its first."""
        tokens = self.reader.parse(text)
        for i, token in enumerate(tokens):
            inside = tokens[i + 1] if i + 1 < len(tokens) else token
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + down)}"
            if token.type == "heading_open":
                self._head(token, inside.content, first)
                first = ""
            elif token.type == "td_open" and len(inside.content) > 40:
                token.attrSet("class", "long")
            elif token.type == "inline":
                token.children = _without_dead_links(token.children or [], self.sections)
        self.body.append(self.reader.renderer.render(tokens, self.reader.options, {}))

    def _head(self, token: Token, text: str, address: str) -> None:
        address = address or slug(text)
        self.addresses[address] += 1
        if (count := self.addresses[address]) > 1:
            address = f"{address}-{count}"
        token.attrSet("id", address)
        self.heading = text
        if token.tag == "h2":
            self.contents.append((address, text))

    def notebook(self, notebook: Any, address: str) -> None:
        """Add a notebook that was executed: its text and outputs, its code folded."""
        for cell in notebook.cells:
            # parameters that were passed name folders of the machine; they are not the notebook's
            passed = "injected-parameters" in cell.metadata.get("tags", [])
            if cell.cell_type == "markdown":
                self.markdown(cell.source, down=1, first=address)
                address = ""
            elif cell.cell_type == "code" and cell.source.strip() and not passed:
                code = f"<pre><code>{escape(cell.source)}</code></pre>"
                self.body.append(f"<details><summary>code</summary>{code}</details>\n")
                for output in cell.outputs:
                    self._output(output)

    def _output(self, output: Any) -> None:
        if output.output_type == "stream" and output.name == "stdout":
            self.body.append(f'<pre class="said">{escape(output.text)}</pre>\n')
        elif output.output_type == "error":
            self.body.append(f"<pre>{escape(output.ename)}: {escape(output.evalue)}</pre>\n")
        data = output.get("data", {})  # in the order in which they say most
        if "image/png" in data:
            content = base64.b64encode(small(base64.b64decode(data["image/png"]))).decode("ascii")
            alt = escape(re.sub(r"[$`*]", "", self.heading))
            self.body.append(f'<img alt="{alt}" src="data:image/png;base64,{content}">\n')
        elif "text/markdown" in data:
            self.markdown(data["text/markdown"], down=1)
        elif tables := re.findall(r"<table.*?</table>", data.get("text/html", ""), re.DOTALL):
            self.body += map(_table, tables)
        elif "text/latex" in data:
            self.body.append(_block(data["text/latex"].strip("$ \n")))
        elif "text/plain" in data:
            self.body.append(f"<pre>{escape(data['text/plain'])}</pre>\n")

    def html(self) -> str:
        """The page, with its contents before the first section."""
        nav = "".join(f'<a href="#{id}">{escape(text)}</a>' for id, text in self.contents)
        first, found, rest = "".join(self.body).partition("<h2")
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f'{first}<nav aria-label="contents">{nav}</nav>\n{found}{rest}</body>\n</html>\n'
        )


def formula(latex: str, display_mode: bool = False, **_: object) -> str:
    """The formula as MathML, which browsers show without a network.

    >>> formula("x^2").partition("<mrow>")[2]
    '<msup><mi>x</mi><mn>2</mn></msup></mrow></math>'
    """
    return str(convert(latex, display="block" if display_mode else "inline"))


def slug(text: str) -> str:
    """The address of a heading, as GitHub makes it.

    >>> slug("Table I: the data sets")
    'table-i-the-data-sets'
    """
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def small(picture: bytes) -> bytes:
    """A drawing needs no more than 256 colours: a third of the bytes, and nobody sees it."""
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def first_heading(notebook: Any) -> str:
    """What a notebook is about."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return str(next(line.lstrip("# ") for line in text.split("\n") if line.startswith("#")))


def _block(latex: str) -> str:
    return f'<div class="scroll">{formula(latex, display_mode=True)}</div>\n'


def _code(text: str) -> str:
    if look := BADGES.get(text, "mixed" if re.fullmatch(r"\d+ of \d+", text) else ""):
        return f'<span class="badge {look}">{escape(text)}</span>'
    return f"<code>{escape(text)}</code>"


def _table(table: str) -> str:
    """A table of pandas: its looks are ours, and what is a formula in Jupyter is one here."""
    table = re.sub(r' (border|class|style)="[^"]*"', "", table)
    table = re.sub(r"\$([^$<]+)\$", lambda found: formula(unescape(found[1])), table)
    return f'<div class="scroll" tabindex="0">{table}</div>\n'


def _without_dead_links(tokens: Sequence[Token], sections: Mapping[str, str]) -> list[Token]:
    """A link to a file leads to the section that it became; without one only its words are left."""
    kept, dead = [], False
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrs["href"])
            if name := sections.get(Path(target).name):
                token.attrSet("href", f"#{name}")
            dead = not name and not target.startswith(("https://", "#"))
        if not (dead and token.type.startswith("link")):
            kept.append(token)
    return kept
