"""The tables: as text while measuring, and in Markdown from the files that were written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from abacoc.streams import Stream
from paper.bench.profiles import OURS, TITLES

LEGEND = """ours there: ours in examples/s on the same examples
ours/that:  ratio of the two speeds, the median over the rounds with the smallest and the largest
whole/that: the same with ours over the whole stream in place of the same examples
Who is too slow for the last examples does as many of them as its time allows.
All take turns in each round, in one process. Compilation and the conversion of data for others
are not timed. Its own variants are compared by the loop that predicts and learns, and nothing
else; against others ours also counts its checks, the labels and the score."""
# The four things that are timed.
PARTS = {
    "whole": "the whole stream, each example predicted and learned",
    "head": "its first examples, predicted and learned; ours on the same ones",
    "predict": "its last examples, predicted only, one call each; everybody holds {} points",
    "learn": "its last examples, predicted and learned, one call each; everybody holds {} points",
}
# column of the short table: part of the comparison, entrant, cell
COLUMNS = {
    "plain compiled scan": ("whole", "plain", "ratio"),
    "best compiled scan": ("whole", "scan", "ratio"),
    "reference": ("head", "reference", "ratio"),
    "River exact KNN, as full, one call each": ("predict", "river-lazy", "ratio"),
    "the same, ours over arrays": ("learn", "river-lazy", "whole_ratio"),
    "MOA lazy.kNN, as full, one call each": ("predict", "moa-knn", "ratio"),
}
AT = (
    '- "at": so many balls, where another could not do the whole stream in its time; '
    "no number: it took too long to be asked"
)


def number(value: float) -> str:
    """Three digits, or the whole number with commas where it is large; nothing without one.

    >>> number(0.01234), number(56.78), number(12345.6), number(float("nan"))
    ('0.0123', '56.8', '12,346', '')
    """
    if pd.isna(value):
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def speed_table(data: Stream, rows: pd.DataFrame) -> str:
    """One stream: one row per entrant, by what was timed."""
    lines = [
        f"{data.name}: {data.n_examples:,} examples, {data.n_attributes} attributes ({data.note}); "
        f"AUTO-ADJ ends with {rows.balls.iloc[0]:,} balls",
        f"  {'':26}{'examples':>10}{'examples/s':>13}{'ours there':>13}  {'ours/that':24}"
        "whole/that",
    ]
    for part, title in PARTS.items():
        own = rows[rows.part == part].sort_values(
            "entrant", key=lambda c: c.map(list(TITLES).index)
        )
        if len(own):
            lines.append(" " + title.format(f"{own.balls.iloc[0]:,}"))
            lines += map(_speed_line, own.to_dict("records"))
    scan = rows[(rows.part == "whole") & (rows.entrant == "plain") & (rows.rounds > 0)]
    for row in scan.to_dict("records"):  # each example against half as many balls as at the end
        rate = row["per_second"] * row["balls"] / 2 * data.n_attributes * 8 / 1e9
        lines.append(f"  the plain scan reads about {rate:.1f} GB/s of centres")
    return "\n".join(lines)


def _speed_line(row: Mapping[str, Any]) -> str:
    line, note = f"  {TITLES[row['entrant']]:26}", str(row["note"])
    if not row["rounds"]:
        return line + note
    line += f"{row['examples']:>10,}{number(row['per_second']):>13}"
    line += f"{number(row['ours_per_second']):>13}  {_spread(row, 'ratio'):24}"
    line = (line + _spread(row, "whole_ratio")).rstrip()
    return line + ("  one round" if row["rounds"] == 1 else "") + f"  {note}".rstrip()


def _spread(row: Mapping[str, Any], name: str) -> str:
    middle, low, high = (number(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return f"{middle} [{low} .. {high}]" if middle else ""


def growth_table(counts: pd.DataFrame) -> str:
    """Distance evaluations per example against balls."""
    lines = [
        "distances to centres that are evaluated per example (a scan: as many as balls)",
        f"  {'':12}{'examples':>11}{'balls':>10}{'last tenth':>12}{'all':>10}{'balls/last':>12}"
        f"{'bytes/ball':>12}",
    ]
    for c in counts.itertuples():
        lines.append(
            f"  {c.stream:12}{c.examples:>11,}{c.balls:>10,}"
            f"{number(c.evaluations):>12}{number(c.evaluations_overall):>10}"
            f"{number(c.balls / c.evaluations):>12}{c.bytes_per_ball:>12.0f}"
        )
    for law in counts.dropna().drop_duplicates("stream").itertuples():
        lines.append(
            f"  {law.stream}, last tenth: grows like balls^{law.exponent:.2f}, "
            f"by {law.per_tenfold:.2f} for ten times the balls"
        )
    return "\n".join(lines)


def short_table(speed: pd.DataFrame, growth: pd.DataFrame, machine: Mapping[str, str]) -> str:
    """The files of the benchmark in Markdown: speeds, then the laws of growth and the headline."""
    cells = speed.set_index(["stream", "part", "entrant"])
    lines = [
        f"| stream | balls | ours, examples/s | one call each | {' | '.join(COLUMNS)} |",
        f"|---|{'---:|' * (3 + len(COLUMNS))}",
    ]

    def cell(*place: str, name: str) -> float:
        return float(cells[name].get(place, float("nan")))

    for stream in speed.stream.unique():
        balls = cell(stream, "whole", OURS, name="balls")
        found = [stream, number(balls)]
        for entrant in (OURS, "one-at-a-time"):
            found.append(number(cell(stream, "whole", entrant, name="per_second")))
        for part, entrant, name in COLUMNS.values():
            ratio = number(cell(stream, part, entrant, name=name))
            held = cell(stream, part, entrant, name="balls")
            where = "" if held == balls else f" at {number(held)}"
            found.append(f"{ratio} x{where}" if ratio else "")
        lines.append(f"| {' | '.join(found)} |")
    lines += ["", AT]
    for stream, own in growth.groupby("stream", sort=False):
        few, many = own.iloc[0], own.iloc[-1]
        lines.append(
            f"- {stream}: {number(few.evaluations)} distances per example at {number(few.balls)} "
            f"balls, {number(many.evaluations)} at {number(many.balls)}: {many.per_tenfold:.2f} "
            f"times as many for ten times the balls; {many.bytes_per_ball:.0f} bytes per ball"
        )
    how = f"`abacoc bench --profile {machine['profile']}` on one core of {machine['processor']}"
    return "\n".join([*lines, f"- {machine['headline']}", f"- measured with {how}", ""])
