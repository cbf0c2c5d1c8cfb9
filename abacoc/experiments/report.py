"""The report: all items, claims, proofs and deviations on one page, with where they come from.

It is written once, as Markdown for reading online; the page is made from that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from abacoc.experiments.claims import RULES, sets_used
from abacoc.experiments.items.item import Item, Table, origins, stored
from abacoc.experiments.items.page import page, slug
from abacoc.experiments.items.runs import Runs, runs_by_stream, short_commit
from abacoc.experiments.items.show import markdown
from abacoc.experiments.notebooks import ROOT
from abacoc.experiments.tables import read_rows
from abacoc.files import write_atomically

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
VERDICTS = {"not": "not reproduced", "partly": "partly reproduced"}
INTRODUCTION = """\
Every table, figure and claim of *The ABACOC Algorithm: a Novel Approach for Nonparametric
Classification of Data Streams* next to what this project finds. In pictures the paper's numbers are
hollow and ours are filled. A number is `recomputed now` if it was computed in the run that wrote
this page, `drawn now from stored runs` if only the table or picture was made anew, and `stored` if
all of it is from before; runs are counted over all methods on the streams of an item. Verdicts that
are `judged now` were judged on the runs at hand, new and stored."""


def write_report(
    folder: str | Path, recomputed: Collection[str] = (), since: datetime | None = None
) -> list[Path]:
    """Write ``report.html`` and ``README.md`` into the folder, from what is stored there.

    ``recomputed`` has the items that were just made. With ``since``, those that are made of runs
    count as recomputed only if their runs finished after that time, too.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = compose(folder, recomputed, since)
    written = [folder / "README.md", folder / "report.html"]
    for path, content in zip(written, (text, page(text, TITLE, folder)), strict=True):
        with write_atomically(path) as file:
            file.write(content)
    return written


def compose(folder: Path, recomputed: Collection[str], since: datetime | None) -> str:
    """The report in Markdown."""
    results = folder / "reproduced" / "results.csv"
    runs = runs_by_stream(results, since) if results.is_file() else {}
    items = {id: item for id in (*PAPER, *BEYOND, "ledger") if (item := stored(folder, id))}
    marks = {id: badge(item, recomputed, runs, since) for id, item in items.items()}
    parts = [f"# {TITLE}", INTRODUCTION, "## At a glance", _glance(items, marks)]
    parts += ["## Claims", _claims(folder, "claims" in recomputed)]
    for id in (*PAPER, *BEYOND):
        if id in items:
            parts += _section(items[id], marks[id])
    parts += _theory(folder, items.get("ledger"), marks.get("ledger", ""))
    parts += ["## Speed", _file(folder / "reproduced" / "bench_table.md", "`abacoc bench`")]
    parts += ["## Where this departs from the letter of the paper", _deviations()]
    parts += ["## Provenance", *_provenance(items, runs, results)]
    return "\n\n".join(part for part in parts if part) + "\n"


def badge(
    item: Item, recomputed: Collection[str], runs: Mapping[str, Runs], since: datetime | None
) -> str:
    """Whether the numbers of an item are new.

    >>> badge(Item("fig1", "Figure 1", from_runs=False), {"fig1"}, {}, None)
    'recomputed now'
    """
    if item.id not in recomputed:
        return "stored"
    if not item.from_runs or since is None:
        return "recomputed now"
    used = [runs[stream] for stream in item.streams if stream in runs]
    now, total = sum(r.now for r in used), sum(r.total for r in used)
    if now and now == total:
        return "recomputed now"
    return f"{now} of {total} runs recomputed now" if now else "drawn now from stored runs"


def _glance(items: Mapping[str, Item], marks: Mapping[str, str]) -> str:
    rows = []
    for id, item in items.items():
        sets = f"{len(item.streams)}" if item.from_runs else ""
        shown = "nothing yet" if item.missing and not item.streams else sets
        link = f"[{item.title}](#{slug(item.title)})"
        rows.append([link, shown, f"`{marks[id]}`", item.made.get("date", "")])
    if not rows:
        return "Nothing has been made yet: `abacoc reproduce` does it."
    return Table("", ["item", "streams", "numbers", "made"], rows).markdown()


def _claims(folder: Path, now: bool) -> str:
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
    mark = "judged now" if now else "stored"
    sets = f"Over {', '.join(used)}." if (used := sets_used(folder)) else ""
    return f"{len(rows)} claims: {told}. {sets} `{mark}`\n\n{RULES}\n\n{table.markdown()}"


def _section(item: Item, mark: str) -> list[str]:
    parts = [f"## {item.title}", f"`{mark}`"]
    parts += [f"![{picture.alt}](figures/{picture.file})" for picture in item.pictures]
    return [*parts, markdown(item)]


def _theory(folder: Path, ledger: Item | None, mark: str) -> list[str]:
    parts = ["## Theorem 1", _file(folder / "reproduced" / "theory_table.md", "the notebook")]
    for name, alt in (("theorem1_regret", "Regret against T"), ("one_ball", "Regret of one ball")):
        if (folder / "figures" / f"{name}.png").is_file():
            parts.append(f"![{alt}](figures/{name}.png)")
    if ledger:
        parts += _section(ledger, mark)
    return parts


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


def _provenance(
    items: Mapping[str, Item], runs: Mapping[str, Runs], results: Path
) -> Sequence[str]:
    made: dict[str, dict[str, str]] = {}
    for item in items.values():
        about = {name: value for name, value in item.made.items() if name != "date"}
        made.setdefault(repr(sorted(about.items())), about | {"items": ""})["items"] += (
            f" {item.id}"
        )
    parts = [f"This page was written on {datetime.now(UTC):%Y-%m-%d}."]
    for about in made.values():
        rows = [
            [name, short_commit(value) if name == "commit" else value]
            for name, value in about.items()
        ]
        parts.append(Table("", ["items made with", ""], rows).markdown())
    if runs:
        rows = [[stream, *told.cells()] for stream, told in runs.items()]
        head = ["stream", "runs", "recomputed now", "finished", "processor", "commit"]
        parts += ["### Runs", Table("", head, rows).markdown()]
    if results.is_file():
        parts += _not_there(results)
    absent = results.with_name("sets_not_here.csv")
    if absent.is_file() and (rows := [list(row.values()) for row in read_rows(absent)]):
        parts += [
            "### Sets that are not here",
            Table("", ["set", "how to get it"], rows).markdown(),
        ]
    if not origins(results):
        parts.append("Where the runs come from is not recorded.")
    return parts


def _not_there(results: Path) -> list[str]:
    """The runs without a result, counted by stream and method, with the first of their reasons."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for row in read_rows(results):
        if not row["accuracy"]:
            place = (row["stream"], row["method"], row.get("status", ""))
            reasons.setdefault(place, []).append(row.get("reason", ""))
    rows = [[*place, str(len(told)), told[0]] for place, told in reasons.items()]
    head = ["stream", "method", "status", "runs", "reason"]
    return ["### Runs that are not there", Table("", head, rows).markdown()] if rows else []
