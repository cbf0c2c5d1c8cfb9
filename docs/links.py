"""What is broken in a folder of HTML pages that has to work by itself, without a network."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# In a style; a page that only shows such a text would be told of as well.
LOADED = re.compile(r"""(?:url\(|@import)\s*['"]?\s*(?:https?:)?//""")
FOLLOWED = ("canonical", "license", "author")  # by a click, unlike a style or an icon


class Found(NamedTuple):
    """What `check` found."""

    pages: int
    broken: list[str]  # page: what is wrong
    external: int  # links to other sites, which nobody has tried


class Page(HTMLParser):
    """The addresses that a page asks for, and those that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[tuple[bool, str]] = []  # whether it is loaded at once, and the address
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Whatever has an address or is one."""
        known = {name: value or "" for name, value in attributes}
        self.anchors |= {known.get("id", ""), known.get("name", "") if tag == "a" else ""}
        loaded = tag != "a" and known.get("rel") not in FOLLOWED
        names = ("href", "xlink:href", "src", "poster", *["data"] * (tag == "object"))
        found = [known[name] for name in names if name in known]
        found += [
            choice.split()[0] for choice in known.get("srcset", "").split(",") if choice.strip()
        ]
        self.links += [(loaded, address) for address in found]


def check(folder: Path) -> Found:
    """Every address inside the folder is there, and nothing is loaded from elsewhere."""
    folder, broken, external = folder.resolve(), [], 0
    texts = {p: p.read_text("utf-8") for p in folder.rglob("*") if p.suffix in (".html", ".css")}
    pages = {path: Page(text) for path, text in texts.items() if path.suffix == ".html"}
    for path, page in pages.items():
        for loaded, address in page.links:
            parts = urlsplit(address)
            if parts.netloc or parts.scheme in ("http", "https"):
                external += not loaded
                wrong = "loads" if loaded else ""
            elif parts.scheme:  # data:, mailto: and so on lead nowhere
                wrong = ""
            else:
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                there = target.is_relative_to(folder) and target.is_file()
                anchors = pages[target].anchors if target in pages else {unquote(parts.fragment)}
                missing = unquote(parts.fragment) not in anchors
                wrong = "no file" if not there else "no anchor" if missing else ""
            if wrong:
                broken.append(f"{path.relative_to(folder).as_posix()}: {wrong} {address}")
    styles = [path.relative_to(folder).as_posix() for path in texts if LOADED.search(texts[path])]
    broken += [f"{name}: a style loads from elsewhere" for name in styles]
    return Found(len(pages), sorted(set(broken)), external)
