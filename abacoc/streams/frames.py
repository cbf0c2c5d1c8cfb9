"""Tables in memory: frames of pandas and polars, Arrow tables, arrays, and iterators of them.

Of a frame only its names and its columns as NumPy arrays are asked for, which all of them give; so
none of these libraries is needed here. A frame is taken as the CSV file is that it would be written
to: a column of numbers is one, one of words or of truth values is binarised.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from abacoc.limits import DEFAULT
from abacoc.streams.cells import fault
from abacoc.streams.columns import Cells, ColumnSpec, number_text
from abacoc.streams.form import Form
from abacoc.streams.table import CELL_BYTES, Chunk, Table

if TYPE_CHECKING:
    from abacoc.limits import Limits

Columns = tuple[list[str], list[Any]]  # names, and columns that NumPy takes
_BATCH = 1 << 12  # examples of an iterator that are taken at a time


class FrameReading:
    """Frames of the same columns, one after the other; see `readers.Source`."""

    def __init__(
        self,
        name: str,
        source: str,
        frames: Iterable[Columns],
        form: Form,
        limits: Limits | None = None,
        model: dict[str, Any] | None = None,
    ) -> None:
        form.refuse_given(source, "header", "delimiter", "trailing_comma")
        self.name, self.note, self.source, self.row = name, f"{source}: a table", source, 0
        self._frames = iter(frames)
        names, cells = next(self._frames, ([], []))
        if len(names) < 2 and model is None:
            raise fault(source, "an attribute and the label are needed")
        limits = limits or DEFAULT
        if len(names) > limits.columns:
            raise fault(source, f"more columns than {limits.said('columns')}")
        taken = [_cells(column, source, name) for name, column in zip(names, cells, strict=True)]
        firsts = [None if isinstance(part, np.ndarray) else _first(part) for part in taken]
        specs = [ColumnSpec(name) for name in names]
        self.rows = Table(source, specs, firsts, form, limits, model)
        self._names, self._waiting = names, taken

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """See `readers.Source`."""
        try:
            yield
        except MemoryError:
            raise fault(self.source, "not enough memory to read it") from None

    def next_rows(self, count: int) -> list[Chunk]:
        """The next frame, whatever its length."""
        cells = self._waiting or self._another()
        self._waiting = []
        return [self._taken(cells)] if cells and len(cells[0]) else []

    def _another(self) -> list[Cells]:
        for names, columns in self._frames:
            if names != self._names:
                raise fault(self.source, f"other columns from row {self.row + 1} on than before")
            if len(columns[0]):
                pairs = zip(names, columns, strict=True)
                return [_cells(column, self.source, name) for name, column in pairs]
        return []

    def _taken(self, cells: list[Cells]) -> Chunk:
        lengths = list(map(len, cells))
        if min(lengths) < max(lengths):
            raise fault(self.source, f"columns of {min(lengths)} and of {max(lengths)} rows")
        chunk = self.rows.take_cells(cells)
        if chunk is None:
            raise self._fault(cells)
        self.row += lengths[0]
        self.rows.refuse_too_large(lengths[0])
        return chunk

    def _fault(self, cells: list[Cells]) -> ValueError:
        for row in range(len(cells[0])):
            for i, part in enumerate(cells):
                cell = number_text(part[row]) if isinstance(part, np.ndarray) else part[row]
                if reason := self.rows.columns[i].complaint(cell.strip()):
                    name, at = self.rows.specs[i].name, self.row + row + 1
                    return fault(self.source, reason, row=at, column=i + 1, name=name)
        raise AssertionError("take() and complaint() disagree")


def _first(cells: Sequence[str]) -> str:
    return next((cell for cell in cells if cell), "")


def columns_of(frame: Any) -> Columns | None:
    """Names and columns of a table; None if this is none.

    >>> columns_of({"x": [1, 2], "y": ["a", "b"]})
    (['x', 'y'], [[1, 2], ['a', 'b']])
    >>> columns_of([1, 2]) is None
    True
    """
    if isinstance(frame, Mapping):
        return [str(name) for name in frame], list(frame.values())
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):  # pandas: names may come twice
        return list(map(str, frame.columns)), [frame.iloc[:, i] for i in range(frame.shape[1])]
    if hasattr(frame, "get_columns"):  # polars
        return list(frame.columns), list(frame.get_columns())
    if hasattr(frame, "schema") and isinstance(getattr(frame, "columns", None), list):  # Arrow
        return list(frame.schema.names), list(frame.columns)
    if hasattr(frame, "collect_schema"):
        raise ValueError("a lazy frame is no table yet: frame.collect() makes one")
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "read_next_batch"):
        return columns_of(_needed("pyarrow").table(frame))
    return None


def _cells(column: Any, source: str, name: str) -> Cells:
    """A column as an array of numbers, a gap being NaN, or as texts, a gap being empty."""
    values = np.asarray(column)
    kind = values.dtype.kind
    if values.ndim == 1 and kind in "iuf":
        return values.astype(np.float64)
    if values.ndim == 1 and kind in "mM":
        return ["" if text == "NaT" else text for text in values.astype(str).tolist()]
    if values.ndim == 1 and kind in "bUTO":
        objects = values.tolist()
        texts = [_text(value) for value in objects]
        if None not in texts:
            pairs = list(zip(objects, texts, strict=True))
            if {_is_number(value) for value, text in pairs if text} == {True}:
                return np.array([float(value) if text else np.nan for value, text in pairs])
            return [text or "" for text in texts]
    strange = next((v for v in values.ravel().tolist() if _text(v) is None), values.dtype)
    what = strange if isinstance(strange, np.dtype) else type(strange).__name__
    raise fault(source, f"holds {what}, neither numbers nor words: drop it", name=name, column=1)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Number) and not isinstance(value, bool | np.bool_)


def _text(value: Any) -> str | None:
    """A value as a CSV file has it; None if it has no place in one."""
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, numbers.Number) and not isinstance(value, complex | np.complexfloating):
        return "" if value != value else number_text(value)  # type: ignore[arg-type]
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return None


def frames_of(data: Any, y: Any, limits: Limits | None) -> Iterator[Columns]:
    """Whatever is in memory, as tables; `ValueError` if it is nothing of the kind.

    Arrays and lists of rows have columns x1, x2 and so on, and a label of its own is the last.
    """
    table = _table(data, y, limits or DEFAULT)
    if table is not None:
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
            rest = itertools.chain([first], items)
            while batch := list(itertools.islice(rest, _BATCH)):
                yield _of_examples(batch)
            return
        rows, labels = first if is_pair else (first, None)
        piece = _table(rows, labels, limits or DEFAULT)
        if piece is None:
            raise ValueError(f"an iterator gives examples (x, y) or tables, not {_named(first)}")
        yield piece


def _named(what: Any) -> str:
    return f"an object of type {type(what).__name__}"


def _is_example(x: Any) -> bool:
    """Whether this is one point rather than a matrix or a frame of them."""
    if isinstance(x, Mapping):
        return all(np.ndim(value) == 0 for value in x.values())
    return columns_of(x) is None and not hasattr(x, "toarray") and np.ndim(x) == 1


def _of_examples(batch: list[Any]) -> Columns:
    if all(isinstance(x, Mapping) for x, _ in batch):
        names: list[Any] = list(dict.fromkeys(name for x, _ in batch for name in x))
        rows = [[*(x.get(name) for name in names), y] for x, y in batch]
    else:
        rows = [[*x, y] for x, y in batch]
        names = [f"x{i}" for i in range(1, len(rows[0]))]
    widths = set(map(len, rows))
    if len(widths) > 1:
        raise ValueError(f"examples of {min(widths) - 1} and of {max(widths) - 1} attributes")
    return [*map(str, names), "label"], [_objects(part) for part in zip(*rows, strict=True)]


def _objects(values: Sequence[Any]) -> Any:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _table(data: Any, y: Any, limits: Limits) -> Columns | None:
    found = columns_of(data)
    if found is None and (matrix := _matrix(data, limits)) is not None:
        found = [f"x{i}" for i in range(1, matrix.shape[1] + 1)], list(matrix.T)
    if found is None or y is None:
        return found
    names, columns = found
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
        is_matrix, matrix = data.ndim == 2, data
    elif isinstance(data, list | tuple) and data and not isinstance(data[0], str | Mapping):
        first = data[0]
        if not isinstance(first, list | tuple | np.ndarray) or np.ndim(first[0]) > 0:
            return None  # examples (x, y), or frames
        if len({len(row) for row in data}) > 1:
            raise ValueError("rows of different lengths")
        matrix = np.empty((len(data), len(data[0])), dtype=object)
        matrix[:] = data
        is_matrix = True
    else:
        return None
    if not is_matrix:
        raise ValueError(f"a matrix has two dimensions, not {data.ndim}")
    return matrix.astype(np.float64) if matrix.dtype.kind == "b" else matrix


def parquet(content: bytes, source: str) -> Iterator[Columns]:
    """The table in the bytes of a Parquet file."""
    yield _parquet(source, lambda module, read: read(io.BytesIO(content)))


def parquet_pieces(path: str, rows: int) -> Iterator[Columns]:
    """The same, some rows at a time; it needs pyarrow."""
    try:
        with _needed("pyarrow.parquet").ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=rows):
                yield columns_of(batch) or ([], [])
    except OSError as error:
        raise fault(path, f"a broken or truncated Parquet file, or none: {error}") from None


def _parquet(source: str, read: Callable[[Any, Any], Any]) -> Columns:
    for name, reader in (("pyarrow.parquet", "read_table"), ("polars", "read_parquet")):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        try:
            return columns_of(read(module, getattr(module, reader))) or ([], [])
        except MemoryError:
            raise
        except Exception as error:
            reason = " ".join(str(error).split())[:120]
            raise fault(source, f"a broken or truncated Parquet file: {reason}") from None
    raise fault(source, "a Parquet file: to read it, pip install pyarrow (the extra parquet)")


def _needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ValueError(f"this needs {name}: pip install pyarrow (the extra parquet)") from None
