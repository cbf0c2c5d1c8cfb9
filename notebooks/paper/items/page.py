"""A page of HTML that needs nothing else: pictures inside, own style, no script."""

from __future__ import annotations

import base64
import io
import itertools
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from paper.items.formula import STYLE as FORMULAS
from paper.items.formula import formula

# words between backquotes that are verdicts rather than code, and their looks
BADGES = {
    "reproduced": "good",
    "partly reproduced": "mixed",
    "not reproduced": "bad",
    "cannot be tested here": "open",
    "holds": "good",
    "holds amended": "mixed",
    "fails": "bad",
    "not established": "bad",
    "consistent": "good",
    "inconsistent": "bad",
    "cannot tell": "open",
}
SHORT, LONG = 28, 70  # a cell up to here stays on one line; from here on it gets some width

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem 1.5rem 4rem; color: #1c1c1c;
  background: #fff; font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; margin: 2.2em 0 .6em; }
h1 { margin-top: .6em; font-size: 1.9rem; }
h2 { border-top: 1px solid #d5d5d5; padding-top: .9em; font-size: 1.4rem; }
h3 { font-size: 1.1rem; }
p, li { max-width: 50rem; }
p:has(> img) { max-width: none; }
nav { columns: 15rem; padding: .8rem 1rem; background: #f4f5f7; border-radius: 6px; }
nav a { display: block; padding: .1rem 0; }
a { color: #0a5a93; }
img { display: block; max-width: 100%; height: auto; margin: 1rem 0; }
.scroll { overflow-x: auto; margin: 1rem 0; border: 1px solid #dcdcdc; border-radius: 4px; }
table { border-collapse: collapse; font-size: .84rem; line-height: 1.4; min-width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .32rem .7rem; overflow-wrap: break-word;
  border-bottom: 1px solid #ececec; }
th { background: #f4f5f7; }
tbody tr:hover { background: #fafaf2; }
td.short { white-space: nowrap; font-variant-numeric: tabular-nums; }
td.long { min-width: 15rem; }
code { font: .88em ui-monospace, "DejaVu Sans Mono", monospace; background: #f1f1f1;
  padding: .05em .3em; border-radius: 3px; }
blockquote { margin: 1rem 0; padding: .2rem 1rem; border-left: 4px solid #c9c9c9; }
.badge { display: inline-block; white-space: nowrap; font-size: .78rem; line-height: 1.5;
  padding: 0 .55em; border-radius: 1em; border: 1px solid; }
.good { color: #00573f; background: #e3f4ee; } .mixed { color: #7a4d00; background: #fdf1d8; }
.bad { color: #8f2d00; background: #fde6dc; } .open { color: #444; background: #eee; }
@media print { .scroll { overflow: visible; } nav { display: none; } }
"""


def page(markdown: str, title: str, folder: Path) -> str:
    """The Markdown as a page; pictures are looked for below the folder.

    >>> text = page("# A\\n\\n## B\\n\\n| x |\\n|---|\\n| `holds` |", "A", Path("."))
    >>> '<h2 id="b">B</h2>' in text, '<span class="badge good">holds</span>' in text
    (True, True)
    """
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    dollarmath_plugin(reader, renderer=lambda latex, options: formula(latex))
    renderer: Any = reader.renderer
    rules = renderer.rules
    rules["table_open"] = lambda *_: '<div class="scroll" tabindex="0"><table>\n'
    rules["table_close"] = lambda *_: "</table></div>\n"
    rules["code_inline"] = lambda tokens, i, *_: _code(tokens[i].content)
    rules["image"] = lambda tokens, i, *_: _image(tokens[i], folder)
    tokens = reader.parse(markdown)
    contents = _mark(tokens)
    body = renderer.render(tokens, reader.options, {})
    nav = "".join(f'<a href="#{id}">{escape(text)}</a>' for id, text in contents)
    first, found, rest = body.partition("<h2")  # the contents stand before the first section
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}{FORMULAS}</style>\n</head>\n<body>\n"
        f'{first}<nav aria-label="contents">{nav}</nav>\n{found}{rest}</body>\n</html>\n'
    )


def slug(text: str) -> str:
    """The address of a heading, as GitHub makes it.

    >>> slug("Table I: the data sets")
    'table-i-the-data-sets'
    """
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _mark(tokens: Sequence[Any]) -> list[tuple[str, str]]:
    """Addresses for the headings, widths for the cells; the sections."""
    sections = []
    for token, following in itertools.pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", slug(following.content))
            if token.tag == "h2":
                sections.append((slug(following.content), following.content))
        elif token.type == "td_open":
            size = len(following.content)
            if size <= SHORT or size >= LONG:
                token.attrSet("class", "short" if size <= SHORT else "long")
    return sections


def _code(text: str) -> str:
    look = BADGES.get(text) or ("mixed" if text.endswith("runs recomputed now") else "")
    if look:
        return f'<span class="badge {look}">{escape(text)}</span>'
    return f"<code>{escape(text)}</code>"


def _image(token: Any, folder: Path) -> str:
    alt = escape(token.content)
    path = folder / token.attrs["src"]
    if not path.is_file():
        return f"<em>[the picture is missing: {alt}]</em>"
    content = base64.b64encode(_small(path)).decode("ascii")
    return f'<img alt="{alt}" src="data:image/png;base64,{content}">'


def _small(picture: Path) -> bytes:
    """A drawing needs no more than 256 colours: a third of the bytes, and nobody sees it."""
    from PIL import Image

    buffer = io.BytesIO()
    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
