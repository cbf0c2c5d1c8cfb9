"""What is broken in a folder of HTML pages that has to work by itself, without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# What a page loads by itself; a link that waits to be clicked may lead anywhere.
LOADED = re.compile(r"""url\(\s*['"]?\s*(?:https?:)?//|@import\s+['"]?\s*(?:https?:)?//""")


class Found(NamedTuple):
    """What `check` found."""

    pages: int
    broken: list[str]  # page: what is wrong
    external: int  # links to other sites, which nobody has tried


class Page(HTMLParser):
    """The addresses in a page, and those that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[tuple[bool, str]] = []  # whether it is loaded at once, and the address
        self.styles: list[str] = []
        self.within = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Whatever has an address or is one."""
        self.within = tag
        known = {name: value or "" for name, value in attributes}
        self.anchors |= {known.get("id", ""), known.get("name", "") if tag == "a" else ""}
        self.styles.append(known.get("style", ""))
        for name in ("href", "xlink:href", "src", "data", "poster"):
            if name in known and not (name == "data" and tag != "object"):
                # what a link tag names is a style, a font or an icon; those that are none are rel
                follows = tag == "a" or known.get("rel") in ("canonical", "license", "author")
                self.links.append((not follows, known[name]))
        for choice in known.get("srcset", "").split(","):
            if choice.strip():
                self.links.append((True, choice.split()[0]))

    def handle_data(self, data: str) -> None:
        """A style sheet inside the page."""
        if self.within == "style":
            self.styles.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Nothing is inside it any more."""
        self.within = ""


def check(folder: Path) -> Found:
    """Every address inside the folder is there, and nothing is loaded from elsewhere."""
    folder = folder.resolve()
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    broken, external = [], 0
    for path, page in pages.items():
        here = path.relative_to(folder).as_posix()
        for loaded, address in page.links:
            parts = urlsplit(address)
            if parts.netloc or parts.scheme in ("http", "https"):
                external += not loaded
                broken += [f"{here}: loads {address}"] * loaded
            elif not parts.scheme:  # data:, mailto: and so on lead nowhere
                wrong = _wrong(folder, pages, path, address)
                broken += (f"{here}: {why} {address}" for why in wrong)
        if any(map(LOADED.search, page.styles)):
            broken.append(f"{here}: a style loads from elsewhere")
    for path in sorted(folder.rglob("*.css")):
        if LOADED.search(path.read_text("utf-8")):
            broken.append(f"{path.relative_to(folder).as_posix()}: loads from elsewhere")
    return Found(len(pages), sorted(set(broken)), external)


def _wrong(folder: Path, pages: dict[Path, Page], path: Path, address: str) -> Iterator[str]:
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_relative_to(folder) or not target.is_file():
        yield "no file"
    elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield "no anchor"
