"""The report: all items, claims, proofs and deviations on one page.

It is written once, as Markdown for reading online; the page is made from that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from abacoc.files import write_atomically
from abacoc.grid.tables import read_rows
from paper.items.item import Item, Table, stored
from paper.items.page import page, slug
from paper.items.show import markdown
from paper.notebooks import ROOT
from paper.runs import label, read_if_there, streams_of_the_paper
from paper.verdicts import RULES, VERDICTS

TITLE = "ABACOC, published and reproduced"
PAPER = (
    "table1",
    "fig1",
    "fig2",
    "fig3",
    "table2",
    "table3",
    "fig4",
    "published",
    "identity",
    "ranks",
)
BEYOND = ("ablation", "drift", "wallclock")
INTRODUCTION = """\
Every table, figure and claim of *The ABACOC Algorithm: a Novel Approach for Nonparametric
Classification of Data Streams* next to what this project finds. In pictures the paper's numbers are
hollow and ours are filled. `abacoc reproduce` computes all of it again and compares."""


def write_report(folder: str | Path) -> list[Path]:
    """Write ``report.html`` and ``README.md`` into the folder, from what is stored there."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = compose(folder)
    written = [folder / "README.md", folder / "report.html"]
    for path, content in zip(written, (text, page(text, TITLE, folder)), strict=True):
        with write_atomically(path) as file:
            file.write(content)
    return written


def compose(folder: Path) -> str:
    """The report in Markdown: the same for the same numbers, wherever and whenever it is made."""
    items = {id: item for id in (*PAPER, *BEYOND, "ledger") if (item := stored(folder, id))}
    parts = [f"# {TITLE}", INTRODUCTION, "## At a glance", _glance(items)]
    parts += ["## Claims", _claims(folder)]
    for id in (*PAPER, *BEYOND):
        if id in items:
            parts += _section(items[id])
    parts += _theory(folder, items.get("ledger"))
    parts += ["## Speed", _file(folder / "reproduced" / "bench_table.md", "`abacoc bench`")]
    parts += ["## Where this departs from the letter of the paper", _deviations()]
    parts += _not_there(folder / "reproduced" / "results.csv")
    return "\n\n".join(part for part in parts if part) + "\n"


def _glance(items: Mapping[str, Item]) -> str:
    rows = []
    for item in items.values():
        sets = f"{len(item.streams)}" if item.from_runs else ""
        shown = "nothing yet" if item.missing and not item.streams else sets
        rows.append([f"[{item.title}](#{slug(item.title)})", shown])
    if not rows:
        return "Nothing has been made yet: `abacoc reproduce` does it."
    return Table("", ["item", "streams"], rows).markdown()


def _claims(folder: Path) -> str:
    path = folder / "claims.csv"
    if not path.is_file():
        return "The claims have not been checked yet: there is no `claims.csv`."
    # one word is enough in a table of verdicts, not in a sentence
    rows = [
        row | {"verdict": VERDICTS.get(row["verdict"], row["verdict"])} for row in read_rows(path)
    ]
    counted = Counter(row["verdict"] for row in rows)
    told = ", ".join(f"{n} `{verdict}`" for verdict, n in counted.most_common())
    shown = [[r["sentence"], r["where"], f"`{r['verdict']}`", r["result"], r["test"]] for r in rows]
    table = Table("", ["claim", "where", "verdict", "what came out", "how it is tested"], shown)
    used = [label(s) for s in streams_of_the_paper(read_if_there(folder / "reproduced"))]
    sets = f"Over {', '.join(used)}." if used else ""
    return f"{len(rows)} claims: {told}. {sets}\n\n{RULES}\n\n{table.markdown()}"


def _section(item: Item) -> list[str]:
    pictures = [f"![{picture.alt}](figures/{picture.file})" for picture in item.pictures]
    return [f"## {item.title}", *pictures, markdown(item)]


def _theory(folder: Path, ledger: Item | None) -> list[str]:
    parts = ["## Theorem 1", _file(folder / "reproduced" / "theory_table.md", "the notebook")]
    for name, alt in (("theorem1_regret", "Regret against T"), ("one_ball", "Regret of one ball")):
        if (folder / "figures" / f"{name}.png").is_file():
            parts.append(f"![{alt}](figures/{name}.png)")
    return parts + (_section(ledger) if ledger else [])


def _file(path: Path, maker: str) -> str:
    if not path.is_file():
        return f"Not measured yet: {maker} does it."
    return path.read_text(encoding="utf-8").strip()


def _deviations() -> str:
    """The file of that name, its headings two levels down."""
    path = ROOT / "DEVIATIONS.md"
    if not path.is_file():
        return "DEVIATIONS.md comes with a checkout of the project."
    _, _, rest = path.read_text(encoding="utf-8").partition("\n")
    return rest.strip().replace("\n## ", "\n### ")


def _not_there(results: Path) -> list[str]:
    """The runs without a result, counted by stream and method, with the first of their reasons."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for row in read_rows(results):
        if not row["accuracy"]:
            place = (row["stream"], row["method"], row.get("status", ""))
            reasons.setdefault(place, []).append(row.get("reason", ""))
    rows = [[*place, str(len(told)), told[0]] for place, told in reasons.items()]
    head = ["stream", "method", "status", "runs", "reason"]
    return ["## Runs that are not there", Table("", head, rows).markdown()] if rows else []
