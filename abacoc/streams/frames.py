"""Tables in memory: frames of pandas and polars, Arrow tables, arrays, and iterators of them.

Of a frame only its names and its columns as NumPy arrays are asked for, which all of them give; so
none of these libraries is needed here. A frame is taken as the CSV file is that it would be written
to: a column of numbers is one, one of words or of truth values is binarised.
"""

from __future__ import annotations

import importlib
import io
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from abacoc.limits import Limits
from abacoc.streams.cells import fault
from abacoc.streams.columns import Cells, ColumnSpec, Unfit, number_text
from abacoc.streams.form import Form
from abacoc.streams.source import Reader, Stretch, refuse_irregular
from abacoc.streams.table import CELL_BYTES, Table
from abacoc.wording import number

Columns = tuple[list[str], list[Any]]  # names, and columns that NumPy takes
_BATCH = 1 << 12  # examples of an iterator that are taken at a time
_EXACT = 1 << 53  # up to here a float64 holds every whole number


@dataclass
class Frame(Stretch):
    """Some rows of a table, column by column."""

    names: list[str]
    cells: list[Cells | Unfit]

    def __len__(self) -> int:
        return len(self.cells[0])


def _frames(source: str, tables: Iterable[Columns]) -> Iterator[Frame]:
    """Those that hold rows: an empty one says nothing of the kinds of its columns."""
    known: list[str] = []
    row = 0
    for names, columns in tables:
        if row and names != known:
            raise fault(source, f"other columns from row {row + 1} on than before")
        if len(names) != len(columns) or any(np.ndim(column) == 0 for column in columns):
            raise fault(source, "a table has columns of values, not single values")
        if columns and len(columns[0]):
            yield Frame(source, row, [], names, list(map(_cells, columns)))
            known, row = names, row + len(columns[0])


def read_frames(name: str, source: str, tables: Iterable[Columns], form: Form) -> Table:
    """The rows of tables with the same columns, one after the other."""
    form.refuse_given(source, "header", "delimiter", "trailing_comma")
    frames = _frames(source, tables)
    if (first := next(frames, None)) is None:
        raise fault(source, "an empty stream")
    specs = list(map(ColumnSpec, first.names))
    if len(specs) < (2 if form.model is None else 1):
        raise fault(source, "an attribute and the label are needed")
    if len(specs) > form.limits.columns:
        raise fault(source, f"more columns than {form.limits.said('columns')}")
    table = Table(Reader(source, chain([first], frames)), specs, first.cells, form)
    table.name, table.note = name, f"{source}: a table"
    return table


def columns_of(frame: Any) -> Columns | None:
    """Names and columns of a table; None if this is none.

    >>> columns_of({"x": [1, 2], "y": ["a", "b"]}), columns_of([1, 2])
    ((['x', 'y'], [[1, 2], ['a', 'b']]), None)
    """
    if hasattr(frame, "toarray"):  # of SciPy's sparse matrices one is a dictionary
        return None
    if isinstance(frame, Mapping):
        return [str(name) for name in frame], list(frame.values())
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):  # pandas: names may come twice
        return list(map(str, frame.columns)), [frame.iloc[:, i] for i in range(frame.shape[1])]
    if hasattr(frame, "get_columns"):  # polars
        return list(frame.columns), list(frame.get_columns())
    if hasattr(frame, "collect_schema"):  # before it is asked for anything: that would collect it
        raise ValueError("a lazy frame is no table yet: frame.collect() makes one")
    if hasattr(frame, "schema") and isinstance(getattr(frame, "columns", None), list):  # Arrow
        return list(frame.schema.names), list(frame.columns)
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "read_next_batch"):
        return columns_of(_needed("pyarrow").table(frame))
    return None


def _cells(column: Any) -> Cells | Unfit:
    """A column as an array of numbers, a gap being NaN, or as texts, a gap being empty."""
    values = np.asarray(column)
    kind = values.dtype.kind
    if values.ndim != 1:
        return Unfit(f"arrays of {values.ndim - 1} dimensions", len(values))
    if kind in "iu" and values.size and max(-int(values.min()), int(values.max())) > _EXACT:
        return list(map(str, values.tolist()))  # they may be names, which must not merge
    if kind in "iuf":
        return values.astype(np.float64)
    if kind in "mM":
        return ["" if text == "NaT" else text for text in values.astype(str).tolist()]
    pairs = [(value, _text(value)) for value in values.tolist()]
    if strange := [value for value, text in pairs if text is None]:
        return Unfit(type(strange[0]).__name__, len(values))
    known = [value for value, text in pairs if text]
    if known and all(map(_is_plain_number, known)):
        return np.array([float(value) if text else np.nan for value, text in pairs])
    return [text or "" for _, text in pairs]


def _is_plain_number(value: Any) -> bool:
    """Whether it is a number, and a whole one the same as a float64."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Number):
        return False
    return not isinstance(value, numbers.Integral) or abs(int(value)) <= _EXACT


def _text(value: Any) -> str | None:
    """A value as a CSV file has it; None if it has no place in one."""
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Number) and not isinstance(value, complex | np.complexfloating):
        return "" if value != value else number_text(value)  # type: ignore[arg-type]
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return None


def has_words(data: Any) -> bool:
    """Whether this is a frame with a column that is no numbers.

    >>> has_words({"x": [1, 2]}), has_words({"x": ["a", "b"]}), has_words([["a"]])
    (False, True, False)
    """
    found = columns_of(data)
    return found is not None and any(isinstance(_cells(column), list) for column in found[1])


def frames_of(data: Any, y: Any, limits: Limits) -> Iterator[Columns]:
    """Whatever is in memory, as tables; `ValueError` if it is nothing of the kind.

    Arrays and lists of rows have columns x1, x2 and so on, and a label of its own is the last.
    """
    if (table := _table(data, y, limits)) is not None:
        yield table
        return
    if y is not None:
        raise ValueError(f"labels of their own are for a table or a matrix, not {_named(data)}")
    try:
        items = iter(data)
    except TypeError:
        raise ValueError(
            f"{_named(data)} is no stream: give a file, a frame, a matrix and its labels, or an "
            "iterator of examples (x, y) or of such pieces"
        ) from None
    for first in items:
        is_pair = isinstance(first, tuple | list) and len(first) == 2
        if is_pair and _is_example(first[0]):
            yield from _of_examples(chain([first], items), isinstance(first[0], Mapping))
            return
        if isinstance(first, Mapping) and first and _is_example(first):
            yield from _of_records(chain([first], items), list(first))
            return
        rows, labels = first if is_pair else (first, None)
        if (piece := _table(rows, labels, limits)) is None:
            raise ValueError(f"an iterator gives examples (x, y) or tables, not {_named(first)}")
        yield piece


def _named(what: Any) -> str:
    return f"an object of type {type(what).__name__}"


def _is_example(x: Any) -> bool:
    """Whether this is one point rather than a matrix or a frame of them."""
    if isinstance(x, Mapping):
        return all(np.ndim(value) == 0 for value in x.values())
    return columns_of(x) is None and not hasattr(x, "toarray") and np.ndim(x) == 1


def _batches(items: Iterator[Any]) -> Iterator[tuple[int, list[Any]]]:
    """So many at a time, with the number of the first."""
    row = 1
    while batch := list(islice(items, _BATCH)):
        yield row, batch
        row += len(batch)


def _of_examples(items: Iterator[Any], named: bool) -> Iterator[Columns]:
    """Examples (x, y) in batches; of dictionaries those of the first batch name the attributes."""
    names: list[Any] = []
    for first, batch in _batches(items):
        for row, item in enumerate(batch, first):
            if not isinstance(item, tuple | list) or len(item) != 2:
                raise ValueError(f"row {row}: not an example (x, y)")
            if isinstance(item[0], Mapping) is not named:
                raise ValueError(f"row {row}: either all x are dictionaries, or none")
        if first == 1 and named:
            names = list(dict.fromkeys(name for x, _ in batch for name in x))
        elif first == 1:
            names = _numbered(len(batch[0][0]))
        known, rows = set(names), [[*(map(x.get, names) if named else x), y] for x, y in batch]
        for row, (cells, (x, _)) in enumerate(zip(rows, batch, strict=True), first):
            if named and (strange := x.keys() - known):
                raise ValueError(f"row {row}: an attribute {min(map(str, strange))!r} is new")
            if len(cells) != len(names) + 1:
                seen = number(len(cells) - 1, "attributes")
                raise ValueError(f"row {row}: {seen} where the first row has {len(names)}")
        yield [*map(str, names), "label"], list(map(_objects, zip(*rows, strict=True)))


def _of_records(items: Iterator[Any], names: list[Any]) -> Iterator[Columns]:
    """Rows that are dictionaries, in batches; the first names the columns."""
    for first, batch in _batches(items):
        for row, record in enumerate(batch, first):
            if not isinstance(record, Mapping) or record.keys() != set(names):
                raise ValueError(f"row {row}: a dictionary with the names of the first is expected")
        columns = [_objects([record[name] for record in batch]) for name in names]
        yield list(map(str, names)), columns


def _numbered(n: int) -> list[str]:
    return [f"x{i}" for i in range(1, n + 1)]


def _objects(values: Sequence[Any]) -> Any:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _table(data: Any, y: Any, limits: Limits) -> Columns | None:
    found = columns_of(data)
    if found is None and (matrix := _matrix(data, limits)) is not None:
        found = _numbered(matrix.shape[1]), list(matrix.T)
    if found is None or y is None:
        return found
    names, columns = found
    if isinstance(y, str | bytes) or np.ndim(y) > 1 or not hasattr(y, "__iter__"):
        raise ValueError("y has one label per row; label=NAME names a column of the table")
    labels = y if hasattr(y, "__array__") else _objects(list(y))
    if len(labels) != len(columns[0]):
        raise ValueError(f"{len(columns[0])} instances but {len(labels)} labels")
    return [*names, "label"], [*columns, labels]


def _matrix(data: Any, limits: Limits) -> Any:
    if hasattr(data, "toarray"):  # SciPy's sparse ones
        if data.shape[0] * data.shape[1] * CELL_BYTES > limits.matrix:
            raise fault("the sparse matrix", f"in full it takes more than {limits.said('matrix')}")
        return data.toarray()
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            raise ValueError(f"a matrix has two dimensions, not {data.ndim}")
        return data.astype(np.float64) if data.dtype.kind == "b" else data
    if not isinstance(data, list | tuple) or not data:
        return None
    first = data[0]
    if not isinstance(first, list | tuple | np.ndarray):
        return None  # frames
    if len(first) and (np.ndim(first[0]) > 0 or isinstance(first[0], Mapping)):
        return None  # examples (x, y), or pieces (X, y)
    if {len(row) if hasattr(row, "__len__") else 0 for row in data} != {len(first)}:
        raise ValueError("rows of different lengths")
    if not len(first):
        raise ValueError("rows without a value")
    matrix = np.empty((len(data), len(first)), dtype=object)
    matrix[:] = data
    return matrix


def parquet(content: bytes, source: str) -> Iterator[Columns]:
    """The table in the bytes of a Parquet file."""
    for name, reader in (("pyarrow.parquet", "read_table"), ("polars", "read_parquet")):
        try:
            read = getattr(importlib.import_module(name), reader)
        except ImportError:
            continue
        with _broken_told(source):
            table = read(io.BytesIO(content))
        yield columns_of(table) or ([], [])
        return
    raise fault(source, "a Parquet file: to read it, pip install pyarrow (the extra parquet)")


def parquet_pieces(path: str, rows: int) -> Iterator[Columns]:
    """The same, some rows at a time; it needs pyarrow."""
    refuse_irregular(path)
    module = _needed("pyarrow.parquet")
    with _broken_told(path), module.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=rows):
            yield columns_of(batch) or ([], [])


@contextmanager
def _broken_told(source: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # each library has its own
        reason = " ".join(str(error).split())[:120]
        message = f"a broken or truncated Parquet file, or none: {reason}"
        raise fault(source, message) from None


def _needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ValueError(f"this needs {name}: pip install pyarrow (the extra parquet)") from None
