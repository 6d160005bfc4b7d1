"""Tables of pandas, polars and pyarrow: only a table of theirs shows that they are there."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from rosenblatt.streams.features.schema import check_distinct
from rosenblatt.streams.frames.cells import (
    Cells,
    ColumnName,
    NumberCells,
    OtherCells,
    WordCells,
    cells_of_values,
    check_words,
    coded_words,
    spelled,
)
from rosenblatt.streams.frames.tables import SOURCE, Table


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

    def _read(self, name: str, column: ColumnName) -> Cells:
        series = self._frame.iloc[:, self._index[name]]
        return pandas_cells(series, column)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        rows: list[dict[str, Any]] = self._frame.set_axis(self.names, axis=1).to_dict("records")
        return rows


def pandas_cells(series: Any, column: ColumnName) -> Cells:
    """Return the cells of a Series of pandas."""
    pandas = sys.modules["pandas"]
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        codes, words = np.asarray(series.array.codes), list(series.array.categories)
        if any(spelled(words[code]) is None for code in np.unique(codes[codes >= 0])):
            return cells_of_values(column, series.astype(object).tolist())
        return _words(column, codes, words, is_category=True)
    if dtype.kind in "iufb" and not isinstance(dtype, pandas.SparseDtype):
        if isinstance(dtype, np.dtype):
            return NumberCells(series.to_numpy())
        missing = series.isna().to_numpy()
        is_truth = dtype.kind == "b"
        numpy_type = np.dtype("bool" if is_truth else f"{dtype.kind}8")
        filled = series.to_numpy(dtype=numpy_type, na_value=False if is_truth else 0)
        return NumberCells(filled, missing)
    is_text = isinstance(dtype, pandas.StringDtype)
    if is_text or pandas.api.types.infer_dtype(series, skipna=True) == "string":
        codes, words = pandas.factorize(series)
        return _words(column, codes, list(words), is_category=False)
    if dtype.kind in "OiufbV":
        return cells_of_values(column, series.astype(object).tolist())
    return OtherCells(series.astype(object).tolist(), str(dtype))


def _words(column: ColumnName, codes: Any, words: list[Any], *, is_category: bool) -> WordCells:
    """Return words of pandas, which may be no text."""
    cells = coded_words(codes, words, is_category=is_category)
    check_words(column, cells)
    return cells


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

    def _read(self, name: str, column: ColumnName) -> Cells:
        return polars_cells(self._frame[name], column)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        rows: list[dict[str, Any]] = self._frame.to_dicts()
        return rows


def polars_cells(series: Any, column: ColumnName) -> Cells:
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
        return cells_of_values(column, series.to_list())
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

    def _read(self, name: str, column: ColumnName) -> Cells:
        return arrow_cells(self._table.column(name), column)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        rows: list[dict[str, Any]] = self._table.to_pylist()
        return rows


def arrow_cells(array: Any, column: ColumnName) -> Cells:
    """Return the cells of an Array or ChunkedArray of pyarrow, as those of a Parquet file."""
    import pyarrow as pa

    from rosenblatt.streams.arrow.cells import CATEGORIES, NUMBERS, TEXTS, Column, is_any

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = array if isinstance(array, pa.Array) else pa.concat_arrays(array.chunks)
    array.validate(full=True)
    reader = Column(*column, array, 0)
    if is_any(array.type, NUMBERS):
        is_plain = not array.null_count or pa.types.is_floating(array.type)
        if is_plain or pa.types.is_decimal(array.type):
            return NumberCells(reader.numbers(has_missing=True))
        missing = array.is_null().to_numpy(zero_copy_only=False)
        filled = array.fill_null(False if pa.types.is_boolean(array.type) else 0)
        return NumberCells(filled.to_numpy(zero_copy_only=False), missing)
    if is_any(array.type, TEXTS, CATEGORIES):
        codes, words = reader.words()
        return WordCells(codes, words)
    if pa.types.is_null(array.type):
        return cells_of_values(column, array.to_pylist())
    return OtherCells(array.to_pylist(), str(array.type))
