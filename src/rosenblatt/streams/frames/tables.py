"""Tables in memory, column by column: of pandas, polars, pyarrow, NumPy, dicts."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.features.schema import check_distinct
from rosenblatt.streams.frames.cells import (
    Cells,
    NumberCells,
    OtherCells,
    Place,
    WordCells,
    cells_of_values,
    check_words,
    coded_words,
    encode_words,
)
from rosenblatt.utils.arrays import NDArray
from rosenblatt.utils.column_names import column_names

SOURCE = "X"
"""The rows in messages: the name of the argument."""


class Table(ABC):
    """Columns with names, read when they are asked for.

    Parameters
    ----------
    names : list of str
    rows : int

    Attributes
    ----------
    is_named : bool
        Whether the columns have names of their own, not numbers.
    is_text : bool
        Whether all cells are text whose kinds are unknown, as in CSV: then words may be numbers.
    has_any_columns : bool
        Whether a column that is not there is one whose cells are all missing.
    """

    is_named, is_text, has_any_columns = True, False, False

    def __init__(self, names: list[str], rows: int) -> None:
        self.names, self.rows = names, rows
        self._columns: dict[str, Cells] = {}

    def cells(self, name: str) -> Cells:
        """Return the cells of a column."""
        if name not in self._columns:
            self._columns[name] = self._read(name, Place(SOURCE, name))
        return self._columns[name]

    @abstractmethod
    def _read(self, name: str, place: Place) -> Cells: ...

    @abstractmethod
    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""


class Matrix(Table):
    """A matrix of NumPy; columns without names are ``x0``, ``x1`` and so on.

    Examples
    --------
    >>> table = Matrix(np.array([[1.0, 2.0]]))
    >>> table.names, table.cells("x1").numbers().tolist()
    (['x0', 'x1'], [2.0])
    """

    def __init__(self, X: NDArray[Any]) -> None:
        names = column_names(X)
        self.is_named = names is not None
        super().__init__(list(names or (f"x{j}" for j in range(X.shape[1]))), len(X))
        self._X = np.asarray(X)
        self._index = {name: j for j, name in enumerate(self.names)}

    def _read(self, name: str, place: Place) -> Cells:
        column = self._X[:, self._index[name]]
        if column.dtype.kind in "iufb":
            return NumberCells(column)
        return cells_of_values(place, column.tolist())

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        return [dict(zip(self.names, row, strict=True)) for row in self._X.tolist()]


class DictTable(Table):
    """Rows of dicts; a key that a row lacks is a missing cell.

    Where all cells are text, as from ``csv.DictReader``, they are read as CSV is.

    Examples
    --------
    >>> table = DictTable([{"x": 1, "kind": "oak"}, {"x": 2}])
    >>> table.names, table.cells("kind").words().words, table.is_text
    (['x', 'kind'], ['oak', ''], False)
    """

    has_any_columns = True

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        names: dict[str, None] = {}
        types: set[type] = set()
        for row in rows:
            names.update(dict.fromkeys(row))
            types.update(map(type, row.values()))
        super().__init__([*names], len(rows))
        self._dicts = rows
        self.is_text = str in types and types <= {str, type(None)}
        for name in self.names:
            if not isinstance(name, str):
                raise TypeError(f"keys of rows must be names of columns; got {name!r:.60}.")

    def _read(self, name: str, place: Place) -> Cells:
        return cells_of_values(place, [row.get(name) for row in self._dicts])

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        return [dict(row) for row in self._dicts]


class TextTable(Table):
    """A column of texts.

    Examples
    --------
    >>> TextTable("mail", ["see you"]).cells("mail").words().words
    ['see you']
    """

    def __init__(self, name: str, texts: list[str]) -> None:
        super().__init__([name], len(texts))
        self._texts = texts

    def _read(self, name: str, place: Place) -> Cells:
        return cells_of_values(place, self._texts)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        return [{self.names[0]: text} for text in self._texts]


class PandasTable(Table):
    """A DataFrame of pandas; its index does not count.

    Examples
    --------
    >>> import pandas as pd
    >>> table = PandasTable(pd.DataFrame({"x": [1, None], "kind": ["oak", "elm"]}))
    >>> table.cells("x").numbers().tolist(), table.cells("kind").words().words
    ([1.0, nan], ['oak', 'elm'])
    """

    def __init__(self, frame: Any) -> None:
        columns = list(frame.columns)
        self.is_named = any(isinstance(name, str) for name in columns)
        super().__init__([str(name) for name in columns], len(frame))
        check_distinct(SOURCE, None, self.names)
        self._frame = frame
        self._index = {name: j for j, name in enumerate(self.names)}

    def _read(self, name: str, place: Place) -> Cells:
        series = self._frame.iloc[:, self._index[name]]
        return pandas_cells(series, place)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        rows: list[dict[str, Any]] = self._frame.set_axis(self.names, axis=1).to_dict("records")
        return rows


def pandas_cells(series: Any, place: Place) -> Cells:
    """Return the cells of a Series of pandas."""
    pandas = sys.modules["pandas"]
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        values = series.array
        return coded_words(np.asarray(values.codes), list(values.categories), is_category=True)
    if dtype.kind in "iufb" and not isinstance(dtype, pandas.SparseDtype):
        if isinstance(dtype, np.dtype):
            return NumberCells(series.to_numpy())
        missing = series.isna().to_numpy()
        numpy_type = np.dtype(f"{dtype.kind}8" if dtype.kind in "iuf" else "bool")
        return NumberCells(series.to_numpy(dtype=numpy_type, na_value=0), missing)
    is_text = isinstance(dtype, pandas.StringDtype)
    if is_text or pandas.api.types.infer_dtype(series, skipna=True) == "string":
        codes, words = pandas.factorize(series)
        cells = coded_words(codes, list(words), is_category=False)
        check_words(place, cells)
        return cells
    if dtype.kind in "OiufbV":
        return cells_of_values(place, series.astype(object).tolist())
    return OtherCells(series.astype(object).tolist(), str(dtype))


class PolarsTable(Table):
    """A DataFrame of polars.

    Examples
    --------
    >>> import polars as pl
    >>> table = PolarsTable(pl.DataFrame({"x": [1, None], "kind": ["oak", "elm"]}))
    >>> table.cells("x").numbers().tolist(), table.cells("kind").words().words
    ([1.0, nan], ['oak', 'elm'])
    """

    def __init__(self, frame: Any) -> None:
        super().__init__(list(frame.columns), frame.height)
        self._frame = frame

    def _read(self, name: str, place: Place) -> Cells:
        return polars_cells(self._frame[name], place)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        rows: list[dict[str, Any]] = self._frame.to_dicts()
        return rows


def polars_cells(series: Any, place: Place) -> Cells:
    """Return the cells of a Series of polars."""
    polars = sys.modules["polars"]
    dtype = series.dtype
    if dtype.is_decimal():
        series, dtype = series.cast(polars.String).cast(polars.Float64), polars.Float64()
    if dtype.is_numeric() or dtype == polars.Boolean:
        if not series.null_count():
            return NumberCells(series.to_numpy())
        filled = series.fill_null(False if dtype == polars.Boolean else 0)
        return NumberCells(filled.to_numpy(), series.is_null().to_numpy())
    is_category = dtype in (polars.Categorical, polars.Enum)
    if is_category or dtype == polars.String:
        words = series.cast(polars.String)
        distinct = words.unique(maintain_order=True).drop_nulls()
        codes = words.cast(polars.Enum(distinct)).to_physical()
        codes = codes.cast(polars.Int64).fill_null(-1).to_numpy()
        return coded_words(codes, distinct.to_list(), is_category=is_category)
    if dtype == polars.Null:
        return cells_of_values(place, series.to_list())
    return OtherCells(series.to_list(), str(dtype))


class ArrowTable(Table):
    """A Table or RecordBatch of pyarrow.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = ArrowTable(pa.table({"x": [1, None], "kind": ["oak", "elm"]}))
    >>> table.cells("x").numbers().tolist(), table.cells("kind").words().words
    ([1.0, nan], ['oak', 'elm'])
    """

    def __init__(self, table: Any) -> None:
        super().__init__(list(table.schema.names), table.num_rows)
        check_distinct(SOURCE, None, self.names)
        self._table = table

    def _read(self, name: str, place: Place) -> Cells:
        return arrow_cells(self._table.column(name), place)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        rows: list[dict[str, Any]] = self._table.to_pylist()
        return rows


def arrow_cells(array: Any, place: Place) -> Cells:
    """Return the cells of an Array or ChunkedArray of pyarrow, as those of a Parquet file."""
    import pyarrow as pa

    from rosenblatt.streams.arrow.cells import CATEGORIES, NUMBERS, TEXTS, Column, is_any

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = array if isinstance(array, pa.Array) else pa.concat_arrays(array.chunks)
    array.validate(full=True)
    column = Column(*place, array, 0)
    if is_any(array.type, NUMBERS):
        is_plain = not array.null_count or pa.types.is_floating(array.type)
        if is_plain or pa.types.is_decimal(array.type):
            return NumberCells(column.numbers(has_missing=True))
        missing = array.is_null().to_numpy(zero_copy_only=False)
        filled = array.fill_null(False if pa.types.is_boolean(array.type) else 0)
        return NumberCells(filled.to_numpy(zero_copy_only=False), missing)
    if is_any(array.type, TEXTS, CATEGORIES):
        codes, words = column.words()
        return WordCells(codes, words)
    if pa.types.is_null(array.type):
        return cells_of_values(place, array.to_pylist())
    return OtherCells(array.to_pylist(), str(array.type))


# --- what rows are --------------------------------------------------------------------------------


class Texts(list[str]):
    """Rows that are texts."""


class Objects(list[dict[str, Any]]):
    """Rows of dicts that are no table: values are nested, or rows have keys of their own."""


def rows_of(rows: Any) -> Table | Objects | Texts:
    """Return rows as what they are: a table, objects or texts.

    Parameters
    ----------
    rows : DataFrame, Table, RecordBatch, matrix, dict, or sequence of dicts, texts or rows

    Raises
    ------
    TypeError
        They are nothing of these.
    DataError
        There are no rows, or two columns have one name.

    Examples
    --------
    >>> type(rows_of([{"x": 1}, {"x": 2}])).__name__, type(rows_of([{"x": [1]}])).__name__
    ('DictTable', 'Objects')
    >>> rows_of(["a text", "another"])
    ['a text', 'another']
    """
    read = _rows_of(rows)
    if read is None:
        raise TypeError(
            "rows must be a DataFrame of pandas or polars, a table of pyarrow, dicts, texts, or a "
            f"matrix of numbers; got {type(rows).__name__}."
        )
    count = read.rows if isinstance(read, Table) else len(read)
    if not count:
        raise DataError(SOURCE, "no rows.")
    return read


def _rows_of(rows: Any) -> Table | Objects | Texts | None:
    if isinstance(rows, Table | Objects | Texts):
        return rows
    for library, kinds in _KINDS.items():
        module = sys.modules.get(library)
        if module is None:
            continue
        for name, table_of in kinds.items():
            if isinstance(rows, getattr(module, name)):
                return table_of(rows)
    if isinstance(rows, np.ndarray):
        return Matrix(rows) if rows.ndim == 2 else _listed(rows.tolist())
    if isinstance(rows, Mapping):
        return _listed([rows])
    if isinstance(rows, str | bytes):
        raise TypeError("rows must be a list of texts, not one text: give [text].")
    if hasattr(rows, "__iter__") and not hasattr(rows, "nnz"):
        return _listed(list(rows))
    return None


def _texts_of_series(series: Any) -> Texts:
    return _texts(series.to_list())


def _texts_of_array(array: Any) -> Texts:
    return _texts(array.to_pylist())


def _texts(values: list[Any]) -> Texts:
    """Return texts; a missing one is empty. Bytes are a file's: of a mail, or of any text."""
    texts = []
    for row, value in enumerate(values):
        if isinstance(value, bytes):
            from rosenblatt.streams.formats.mail import extract_text

            value = extract_text(value)
        cells = cells_of_values(Place(SOURCE, "text"), [value])
        if not isinstance(cells, WordCells) and value is not None:
            raise TypeError(f"row {row:,} (from 0) must be a text; got {value!r:.60}.")
        texts.append(value or "")
    return Texts(texts)


_KINDS: dict[str, dict[str, Callable[[Any], Table | Texts]]] = {
    "pandas": {"DataFrame": PandasTable, "Series": _texts_of_series},
    "polars": {"DataFrame": PolarsTable, "Series": _texts_of_series},
    "pyarrow": {
        "Table": ArrowTable,
        "RecordBatch": ArrowTable,
        "Array": _texts_of_array,
        "ChunkedArray": _texts_of_array,
    },
}


def _listed(rows: list[Any]) -> Table | Objects | Texts | None:
    if not rows:
        return Texts()
    if all(isinstance(row, Mapping) for row in rows):
        return _dict_rows(rows)
    if all(isinstance(row, str | bytes) for row in rows):
        return _texts(rows)
    if any(isinstance(row, str | bytes | Mapping) for row in rows):
        return None
    try:
        X = np.asarray(rows)
    except ValueError:  # rows of different lengths
        return None
    return Matrix(X) if X.ndim == 2 else None


def _dict_rows(rows: list[Mapping[str, Any]]) -> Table | Objects:
    """Return a table where all rows have the same keys, and no value has parts; else objects."""
    keys = rows[0].keys()
    are_flat = all(
        row.keys() == keys and not any(isinstance(cell, Mapping | list) for cell in row.values())
        for row in rows
    )
    return DictTable(rows) if are_flat else Objects(dict(row) for row in rows)


def words_of(table: Table, name: str) -> CategoryColumn:
    """Return the words of a column; of dicts that lack it, missing ones."""
    if name not in table.names and table.has_any_columns:
        return encode_words([""] * table.rows).words()
    place, cells = Place(SOURCE, name), table.cells(name)
    return cells.words(place) if isinstance(cells, OtherCells) else cells.words()
