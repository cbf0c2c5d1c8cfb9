"""The report: the claims and what became of them, for reading online; and all of it on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pandas as pd

from abacoc.files import write_atomically
from abacoc.grid.tables import read_rows
from paper.notebooks import FOLDER
from paper.output import markdown
from paper.page import Page, first_heading
from paper.runs import coverage, read_if_there, streams_of_the_paper
from paper.summary import first_page
from paper.verdicts import RULES, TITLES, counts

TITLE = "ABACOC, published and reproduced"
INTRODUCTION = """\
Every claim of *The ABACOC Algorithm: a Novel Approach for Nonparametric Classification of Data
Streams* and what this project finds. `abacoc reproduce` computes all of it again and compares."""
# The notebooks as one reads them: tables and figures of the paper, what lies beyond, the proofs.
ORDER = (
    *("table1", "figure1", "figure2", "figure3", "tables23", "figure4", "protocols", "identity"),
    *("competitors", "iblstreams", "hyperplane", "open_questions", "published", "ranks"),
    *("ablation", "drift", "wallclock", "frontier", "theorem1", "regret", "attained"),
    *("two_curves", "break_the_theorem", "regret_data", "ledger"),
)
COMMANDS = {"verify": "abacoc verify", "bench": "abacoc bench --profile full"}
COMMANDS |= {item: f"abacoc reproduce --only {item}" for item in ("claims", "fig1")}  # no runs


def write_report(folder: str | Path) -> list[Path]:
    """Write ``README.md`` and ``report.html`` into the folder, from what is stored there."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = compose(folder)
    written = [folder / "README.md", folder / "report.html"]
    for path, content in zip(written, (text, on_one_page(text, folder)), strict=True):
        with write_atomically(path) as file:
            file.write(content)
    return written


def compose(folder: Path) -> str:
    """The report in Markdown: the same for the same numbers, wherever and whenever it is made."""
    tables = folder / "reproduced"
    streams = streams_of_the_paper(read_if_there(tables))
    parts = [f"# {TITLE}", INTRODUCTION, coverage(streams) if streams else "", first_page(folder)]
    parts += ["## Claims", _claims(folder / "claims.csv")]
    parts += ["## Theory", _file(tables / "theory_table.md", "abacoc reproduce --only theorem1")]
    parts += ["## Speed", _file(tables / "bench_table.md", "abacoc bench")]
    if (models := tables / "bench_anatomy.md").is_file():
        parts += [_file(models, "")]
    if (soak := tables / "soak_table.md").is_file():
        parts += ["A long stream:", _file(soak, "")]
    if (successors := tables / "frontier_table.md").is_file():
        parts += ["## Beside methods that came after", _file(successors, "")]
    links = [f"- [{first_heading(_read(p))}](../notebooks/{p.name})" for p in _ordered(FOLDER)]
    parts += ["## Notebooks", "\n".join(links)]
    return "\n\n".join(part for part in parts if part) + "\n"


def on_one_page(text: str, folder: Path) -> str:
    """The report as HTML, and after it every notebook that was executed in the folder."""
    executed = _ordered(folder / "executed")
    page = Page(TITLE, {path.name: path.stem for path in executed})
    page.markdown(text)
    for path in executed:
        page.notebook(_read(path), path.stem)
    return page.html()


def command(item: str) -> str:
    """What to run for an item.

    >>> command("fig3"), command("verify")
    ('abacoc reproduce --only fig3 --profile full', 'abacoc verify')
    """
    return COMMANDS.get(item, f"abacoc reproduce --only {item} --profile full")


def _claims(path: Path) -> str:
    if not path.is_file():
        return "The claims have not been checked yet: there is no `claims.csv`."
    rows = read_rows(path)
    shown = pd.DataFrame(
        {"the paper says": row["sentence"]}
        | {title: f"`{row[column]}`" for column, title in TITLES.items()}
        | {f"effect, {title}": row[f"{column}_effect"] for column, title in TITLES.items()}
        | {"where": row["where"], "test": row["test"], "command": f"`{command(row['item'])}`"}
        for row in rows
    )
    return f"{len(rows)} claims: {counts(rows)}.\n\n{RULES}\n\n{markdown(shown)}"


def _file(path: Path, maker: str) -> str:
    if not path.is_file():
        return f"Not measured yet: `{maker}` does it."
    return path.read_text(encoding="utf-8").strip()


def _ordered(folder: Path) -> list[Path]:
    """The notebooks of a folder; one that is not known comes last."""
    known = {name: place for place, name in enumerate(ORDER)}
    return sorted(folder.glob("*.ipynb"), key=lambda path: (known.get(path.stem, 99), path.stem))


def _read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
