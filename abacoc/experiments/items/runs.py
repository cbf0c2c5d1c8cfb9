"""Where and when the runs behind the items were made."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from abacoc.experiments.items.item import origins
from abacoc.experiments.tables import read_rows


@dataclass
class Runs:
    """The runs on one stream."""

    total: int = 0
    now: int = 0  # finished since the reproduction was started
    dates: set[str] = field(default_factory=set)
    processors: set[str] = field(default_factory=set)
    commits: set[str] = field(default_factory=set)

    def cells(self) -> list[str]:
        """For a table.

        >>> Runs(3, 0, {"2024-01-02", "2024-01-01"}, {"a"}, {"0123456789abcdef"}).cells()
        ['3', 'none', '2024-01-01 to 2024-01-02', 'a', '0123456789ab']
        """
        span = " to ".join(sorted({min(self.dates), max(self.dates)})) if self.dates else ""
        short = sorted(map(short_commit, self.commits))
        now = "all" if self.now == self.total else str(self.now or "none")
        return [str(self.total), now, span, ", ".join(sorted(self.processors)), ", ".join(short)]


def short_commit(commit: str) -> str:
    """Enough of a commit to find it, and whether the sources were changed since.

    >>> short_commit("0123456789abcdef, changed"), short_commit("unknown")
    ('0123456789ab, changed', 'unknown')
    """
    return commit[:12] + (", changed" if commit.endswith(", changed") else "")


def runs_by_stream(results: Path, since: datetime | None) -> dict[str, Runs]:
    """The finished runs of a table of results, counted by stream."""
    known = {row["key"]: row for row in origins(results)}
    found: dict[str, Runs] = {}
    for row in read_rows(results):
        if not row["accuracy"]:
            continue
        runs = found.setdefault(row["stream"], Runs())
        runs.total += 1
        origin = known.get(row.get("key", ""), {})
        if finished := origin.get("finished"):
            runs.dates.add(finished[:10])
            runs.now += since is not None and datetime.fromisoformat(finished) >= since
        runs.processors |= {origin["processor"]} if origin.get("processor") else set()
        runs.commits |= {origin["commit"]} if origin.get("commit") else set()
    return found
