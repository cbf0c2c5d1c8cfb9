"""Beyond the paper: what the readings, the scaling and d-hat change, one at a time.

The paper says that d-hat 'does not affect significantly the performance'; here is by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from paper.items.chosen import NO_RUNS, label
from paper.items.item import Given, Item, Picture, Table, kept, write_rows
from paper.items.style import NAMES, colour, marker, picture
from paper.normalised import OWN
from paper.results import Result, Results, mean

TITLE = "Ablation: readings, scalings and d-hat"
HARDLY = 0.02  # of accuracy: what 'hardly matters' may at most mean
SIZES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)  # ticks
WORDS = {"d_hat": "d-hat", "radius_rule": "radius rule", "covering_constant": "C-hat"}
HEAD = ["stream", "method", "variation", "accuracy", "default_accuracy", "size", "default_size"]


class Change(NamedTuple):
    """One run at rate 1 with one thing changed, beside the default."""

    stream: str
    method: str
    kind: str  # reading, d_hat, radius_rule, scale, ...
    value: str
    accuracy: float
    default: float
    size: float
    default_size: float

    @property
    def name(self) -> str:
        """What was changed, for people."""
        return f"{WORDS.get(self.kind, self.kind)} {self.value}"

    @property
    def gain(self) -> float:
        """Accuracy minus that of the default."""
        return self.accuracy - self.default


def make(given: Given) -> Item:
    """Every variation against the default, on every stream that has both."""
    found = changes(given.results)
    if not found:
        missing = NO_RUNS + " It needs runs at rate 1 with a setting or a scaling changed."
        return kept(Item("ablation", TITLE, missing=missing), given)
    _draw(given, found)
    rows = [
        [c.stream, c.method, c.name, c.accuracy, c.default, c.size, c.default_size] for c in found
    ]
    files = [write_rows(given, "ablation.csv", HEAD, rows)]
    shown = [_line(method, name, group) for method, name, group in _groups(found)]
    head = ["method", "variation", "streams", "median change", "from", "to", "size, median"]
    told = [
        "Everything runs at rate 1 with all labels, and one thing differs from the default "
        "(reading `paper`, d-hat 2, the scaling of the paper). Changes are in points of accuracy, "
        "sizes relative to the default's.",
        *_d_hat(found),
    ]
    pictures = [Picture("ablation.png", "Change of accuracy and model size by variation")]
    tables = [Table("Change against the default, over the streams", head, shown)]
    used = list(dict.fromkeys(c.stream for c in found))
    return kept(Item("ablation", TITLE, told, pictures, tables, files, streams=used), given)


def changes(results: Results) -> list[Change]:
    """All runs at rate 1 with exactly one thing changed whose default was run too."""
    found = []
    for row in results.select(rate=1.0, budget=None):
        changed = _changed(row)
        if row.method not in OWN or len(changed) != 1:
            continue
        same = results.select(stream=row.stream, method=row.method, rate=1.0)
        default = [other for other in same if not _changed(other)]
        if default:
            (kind, value), usual = changed[0], mean(other.accuracy for other in default)
            size = mean(other.model_size for other in default)
            ours = (row.accuracy, usual.value, row.model_size, size.value)
            found.append(Change(row.stream, row.method, kind, value, *ours))
    return found


def _changed(row: Result) -> list[tuple[str, str]]:
    usual = "unit" if row.method in OWN[:2] else "none"
    told = [
        (name, f"{v:g}" if isinstance(v, float) else str(v)) for name, v in row.settings.items()
    ]
    return told + ([("scale", row.scale)] if row.scale != usual else [])


def _order(change: Change) -> tuple[str, bool, float, str]:
    try:
        return change.kind, False, float(change.value), ""
    except ValueError:
        return change.kind, True, 0.0, change.value


def _groups(found: Sequence[Change]) -> list[tuple[str, str, list[Change]]]:
    keys = dict.fromkeys((c.method, c.name) for c in sorted(found, key=_order))
    return [
        (method, name, [c for c in found if (c.method, c.name) == (method, name)])
        for method, name in sorted(keys, key=lambda key: OWN.index(key[0]))
    ]


def _line(method: str, name: str, group: Sequence[Change]) -> list[str]:
    gains = {c.stream: 100 * c.gain for c in group}
    low, high = min(gains, key=gains.__getitem__), max(gains, key=gains.__getitem__)
    sizes = median(c.size / c.default_size for c in group)
    return [
        *(NAMES[method], name, str(len(group)), f"{median(gains.values()):+.1f}"),
        *(f"{gains[stream]:+.1f} on {label(stream)}" for stream in (low, high)),
        f"{sizes:.2f} ×",
    ]


def _d_hat(found: Sequence[Change]) -> list[str]:
    """Whether d-hat hardly matters."""
    told = []
    for method in ("auto", "auto-adj"):
        spans, near, ratios, values = {}, [], [], {2.0}
        for stream in dict.fromkeys(c.stream for c in found):
            mine = [c for c in found if (c.stream, c.method, c.kind) == (stream, method, "d_hat")]
            if mine:
                accuracies = [c.accuracy for c in mine] + [mine[0].default]
                sizes = [c.size for c in mine] + [mine[0].default_size]
                spans[stream] = max(accuracies) - min(accuracies)
                close = [c.accuracy for c in mine if c.value in ("1", "3")] + [mine[0].default]
                near.append(max(close) - min(close))
                ratios.append(max(sizes) / min(sizes))
                values |= {float(c.value) for c in mine}
        if not spans:
            continue
        worst, small = max(spans, key=spans.__getitem__), sum(s <= HARDLY for s in spans.values())
        share = small / len(spans)
        answer = "yes" if share == 1 else "mostly" if share > 0.5 else "no"
        told.append(
            f"**Does d-hat hardly matter for {NAMES[method]}? {answer.capitalize()}.** Between "
            f"{min(values):g} and {max(values):g} it moves the accuracy by at most "
            f"{100 * HARDLY:g} points on {small} of {len(spans)} streams; the most is "
            f"{100 * spans[worst]:.1f} points, on {label(worst)}. The model size changes by a "
            f"factor of {median(ratios):.1f} (median), at most {max(ratios):.1f}. Between 1 and 3, "
            f"the neighbours of the paper's 2, the accuracy moves by {100 * max(near):.1f} points "
            "at most."
        )
    return told


def _draw(given: Given, found: Sequence[Change]) -> None:
    names = list(dict.fromkeys(c.name for c in sorted(found, key=_order, reverse=True)))
    methods = [m for m in OWN if any(c.method == m for c in found)]
    path = given.output / "figures" / "ablation.png"
    size = (10.5, 1.6 + 0.34 * len(names))
    with picture(path, 1, 2, figsize=size, sharey=True) as (figure, (left, right)):
        for k, method in enumerate(methods):
            mine = [c for c in found if c.method == method]
            offset = 0.22 * ((len(methods) - 1) / 2 - k)  # a lane per method
            ys = [names.index(c.name) + offset for c in mine]
            look = {"marker": marker(method), "ls": "", "mew": 0, "ms": 6, "alpha": 0.75}
            look |= {"color": colour(method), "label": NAMES[method]}
            left.plot([100 * c.gain for c in mine], ys, **look)
            right.plot([c.size / c.default_size for c in mine], ys, **look)
        for axes, default in ((left, 0), (right, 1)):
            axes.axvline(default, color="0.4", lw=0.9, zorder=0)
            for y in range(len(names)):
                axes.axhline(y, color="0.93", lw=13, zorder=-1)
        left.set_yticks(range(len(names)), names)
        left.set_ylim(-0.7, len(names) - 0.3)
        left.set_xlabel("change of accuracy, in points")
        right.set_xlabel("model size relative to the default (logarithmic)")
        right.set_xscale("log")
        low, high = right.get_xlim()
        wide = high > 1000 * low  # then every second decade has room
        ticks = [10.0**e for e in range(-8, 9, 2)] if wide else SIZES
        right.set_xticks([x for x in ticks if low <= x <= high])
        right.xaxis.set_major_formatter(lambda x, _: f"{x:g} ×")
        right.xaxis.set_minor_formatter(lambda x, _: "")
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=4)
        left.set_title("one dot per stream; the line is the default", fontsize=9)
