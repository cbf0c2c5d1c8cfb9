"""Where a notebook puts its tables and figures, and how a table looks in Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from abacoc.files import write_atomically

DPI = 150


class Output:
    """A folder with the tables below ``reproduced/`` and the pictures below ``figures/``."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def table(self, frame: pd.DataFrame, name: str) -> Path:
        """Write a table as CSV, numbers to six digits; its path.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Output(folder).table(pd.DataFrame({"a": [1 / 3], "b": ["x"]}), "t.csv")
        ...     path.read_text()
        'a,b\\n0.333333,x\\n'
        """
        text = frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")
        return self.text(text, name)

    def text(self, text: str, name: str) -> Path:
        """Write a text as it is; its path."""
        path = self._place("reproduced", name)
        with write_atomically(path) as file:
            file.write(text)
        return path

    def figure(self, figure: Any, name: str) -> Path:
        """Write a picture; its path."""
        path = self._place("figures", name)
        with write_atomically(path, "wb") as file:
            figure.savefig(file, format="png", dpi=DPI)
        return path

    def read(self, name: str) -> pd.DataFrame:
        """A table that another notebook wrote, every cell as it stands there; empty without one."""
        path = self.folder / "reproduced" / name
        return pd.read_csv(path, keep_default_na=False) if path.is_file() else pd.DataFrame()

    def _place(self, part: str, name: str) -> Path:
        (self.folder / part).mkdir(parents=True, exist_ok=True)
        return self.folder / part / name


def markdown(frame: pd.DataFrame) -> str:
    """A table in Markdown.

    >>> print(markdown(pd.DataFrame({"set": ["a|b"], "n": [1]})))
    | set | n |
    |---|---|
    | a\\|b | 1 |
    """
    cells = frame.astype(str).map(lambda cell: cell.replace("|", "\\|").replace("\n", " "))
    rows = [list(frame.columns), *cells.to_numpy().tolist()]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(frame.columns), *lines[1:]])


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows for JSON, which has no word for what is not a number but null.

    >>> records(pd.DataFrame({"a": [0.5, float("nan")], "b": [1, 2]}))
    [{'a': 0.5, 'b': 1}, {'a': None, 'b': 2}]
    """
    rows: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return rows
