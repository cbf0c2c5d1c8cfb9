"""The article as a PDF, the same bytes for the same tables: ``docs/article/build.py [FOLDER]``."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import typst

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Appended: first, this folder would hide the package `build`. `notebooks` has the package `paper`.
sys.path += [str(p) for p in (HERE, ROOT / "notebooks") if str(p) not in sys.path]

from article_numbers import Article, article  # noqa: E402

NAME = "abacoc-replication.pdf"
DATE = datetime(2026, 11, 20, tzinfo=UTC)  # of the text, and of the file


def compiled(content: Article) -> bytes:
    """The PDF, with the fonts that come with Typst and no others."""
    date = f"{DATE.day} {DATE:%B %Y}"
    told = json.dumps(content._asdict() | {"date": date}, allow_nan=False)
    pdf = typst.compile(
        str(HERE / "article.typ"),
        root=str(ROOT),
        format="pdf",
        ignore_system_fonts=True,
        sys_inputs={"article": told},
        timestamp=int(DATE.timestamp()),
    )
    assert isinstance(pdf, bytes)
    return pdf


def build(target: Path) -> Path:
    """Write the article into a folder, which is made if need be."""
    target.mkdir(parents=True, exist_ok=True)
    path = target / NAME
    path.write_bytes(compiled(article()))
    return path


if __name__ == "__main__":
    print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "_build" / "article"))
