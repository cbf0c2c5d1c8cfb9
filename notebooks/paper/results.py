"""The table of results for notebooks, claims and the report: read, select, average."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abacoc.methods import EPOCHS


@dataclass(frozen=True)
class Result:
    """One run of Algorithm 5: what was asked, and what came out."""

    stream: str
    method: str
    rate: float
    seed: int
    scale: str
    settings: dict[str, Any]
    accuracy: float
    model_size: int
    model_share: float  # the size as a fraction of the stream
    n_examples: int
    seconds: float
    n_updates: int  # examples that were drawn to be learned

    @property
    def budget(self) -> float | None:
        """The limit of FIX as a share of the stream."""
        return self.settings.get("budget")


@dataclass(frozen=True)
class Mean:
    """A mean over seeds, the standard deviation between them, and how many there were."""

    value: float
    spread: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.3f}" + (f" ± {self.spread:.3f}" if self.n > 1 else "")


def mean(values: Iterable[float]) -> Mean:
    """The mean with its spread; NaN of nothing.

    >>> str(mean([0.5, 0.7]))
    '0.600 ± 0.141'
    """
    numbers = list(values)
    n = len(numbers)
    if n == 0:
        return Mean(math.nan, math.nan, 0)
    middle = math.fsum(numbers) / n
    squares = math.fsum((number - middle) ** 2 for number in numbers)
    return Mean(middle, math.sqrt(squares / (n - 1)) if n > 1 else 0.0, n)


class Results:
    """All results at hand."""

    def __init__(self, rows: Sequence[Result]) -> None:
        self.rows = list(rows)

    @classmethod
    def read(cls, path: str | Path) -> Results:
        """From the CSV file that the runner exports; rows without a result are left out.

        Runs of another epoch than today's are refused: their methods gave other answers.
        """
        rows = []
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if not row["accuracy"]:
                    continue
                if int(row["epoch"]) != (now := EPOCHS[row["method"]]):
                    raise ValueError(
                        f"{path} has runs of {row['method']} of epoch {row['epoch']}, now it is "
                        f"{now}: abacoc reproduce --profile full --update computes them anew"
                    )
                rows.append(
                    Result(
                        stream=row["stream"],
                        method=row["method"],
                        rate=float(row["rate"]),
                        seed=int(row["seed"]),
                        scale=row["scale"],
                        settings=json.loads(row["settings"] or "{}"),
                        accuracy=float(row["accuracy"]),
                        model_size=int(row["model_size"]),
                        model_share=float(row["model_share"]),
                        n_examples=int(row["n_examples"]),
                        seconds=float(row["seconds"] or "nan"),
                        n_updates=int(row["n_updates"]),
                    )
                )
        return cls(rows)

    def select(self, **wanted: Any) -> list[Result]:
        """The rows with these values; a setting that a row does not have is None."""
        return [
            row
            for row in self.rows
            if all(
                getattr(row, name, row.settings.get(name)) == value
                if hasattr(row, name)
                else row.settings.get(name) == value
                for name, value in wanted.items()
            )
        ]

    @property
    def streams(self) -> list[str]:
        """The streams, in order of appearance."""
        return list(dict.fromkeys(row.stream for row in self.rows))

    def accuracy(self, **wanted: Any) -> Mean:
        """Mean accuracy over seeds."""
        return mean(row.accuracy for row in self.select(**wanted))

    def share(self, **wanted: Any) -> Mean:
        """Mean model size over seeds, as a fraction of the stream."""
        return mean(row.model_share for row in self.select(**wanted))
