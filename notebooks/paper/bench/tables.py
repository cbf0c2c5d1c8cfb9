"""The tables as text, for people."""

from __future__ import annotations

from collections.abc import Sequence

from paper.bench.data import Data
from paper.bench.growth import Count, Fit
from paper.bench.profiles import TITLES
from paper.bench.rows import PARTS, Row
from paper.bench.timing import Spread

LEGEND = """ours there: ours in examples/s on the same examples
ours/that:  ratio of the two speeds, the median over the rounds with the smallest and the largest
whole/that: the same with ours over the whole stream in place of the same examples
Who is too slow for the last examples does as many of them as its time allows.
All take turns in each round, in one process. Compilation and the conversion of data for others
are not timed. Its own variants are compared by the loop that predicts and learns, and nothing
else; against others ours also counts its checks, the labels and the score."""


SEARCHES = {"auto": "ours", "tree": "tree"}


def number(value: float) -> str:
    """Three digits, or the whole number with commas where it is large.

    >>> number(0.01234), number(56.78), number(12345.6)
    ('0.0123', '56.8', '12,346')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def ratio(value: Spread) -> str:
    """Median and spread.

    >>> ratio(Spread(12.34, 11.0, 2000.0))
    '12.3 [11 .. 2,000]'
    """
    return f"{number(value.median)} [{number(value.low)} .. {number(value.high)}]"


def speed_table(data: Data, rows: Sequence[Row]) -> str:
    """One stream: one row per entrant, by what was timed."""
    lines = [
        f"{data.name}: {len(data.X):,} examples, {data.X.shape[1]} attributes ({data.note}); "
        f"AUTO-ADJ ends with {rows[0].balls:,} balls",
        f"  {'':26}{'examples':>10}{'examples/s':>13}{'ours there':>13}  {'ours/that':24}"
        "whole/that",
    ]
    for part, title in PARTS.items():
        chosen = [row for name in TITLES for row in rows if (row.part, row.entrant) == (part, name)]
        if chosen:
            lines.append(" " + title.format(balls=f"{chosen[0].balls:,}"))
            lines += [_speed_line(row) for row in chosen]
    return "\n".join(lines)


def _speed_line(row: Row) -> str:
    start = f"  {TITLES[row.entrant]:26}"
    if row.per_second is None:
        return f"{start}{row.note}"
    line = f"{start}{row.examples:>10,}{number(row.per_second):>13}"
    if row.ratio is not None and row.ours_per_second is not None:
        line += f"{number(row.ours_per_second):>13}  {ratio(row.ratio):24}"
    if row.whole_ratio is not None:
        line += ratio(row.whole_ratio)
    if row.rounds == 1:
        line = f"{line.rstrip()}  one round"
    return f"{line.rstrip()}  {row.note}" if row.note else line.rstrip()


def growth_table(counts: Sequence[Count], fits: dict[str, Fit]) -> str:
    """Distance evaluations per example against balls."""
    lines = [
        "distances to centres that are evaluated per example (a scan: as many as balls)",
        f"  {'':18}{'examples':>11}{'balls':>10}{'last tenth':>12}{'all':>10}{'balls/last':>12}"
        f"{'bytes/ball':>12}",
    ]
    for c in counts:
        lines.append(
            f"  {c.stream:12}{SEARCHES[c.search]:6}{c.examples:>11,}{c.balls:>10,}"
            f"{number(c.evaluations):>12}{number(c.evaluations_overall):>10}"
            f"{number(c.balls / c.evaluations):>12}{c.bytes_per_ball:>12.0f}"
        )
    for stream, law in fits.items():
        lines.append(
            f"  {stream}, tree, last tenth: grows like balls^{law.exponent:.2f}, "
            f"by {law.per_tenfold:.2f} for ten times the balls"
        )
    return "\n".join(lines)
