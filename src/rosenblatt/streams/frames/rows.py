"""What rows in memory are: a table, objects or texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.formats.mail import extract_text
from rosenblatt.streams.frames.cells import is_missing
from rosenblatt.streams.frames.libraries import ArrowTable, PandasTable, PolarsTable
from rosenblatt.streams.frames.tables import SOURCE, DictTable, Matrix, Table, cell_types


class Texts(list[str | bytes]):
    """Rows that are texts; bytes are those of a file."""

    def words(self) -> list[str]:
        """Return the texts as words of a column."""
        return [text if isinstance(text, str) else extract_text(text) for text in self]


class Objects(list[dict[str, Any]]):
    """Rows of dicts that are no table: values are nested, or rows have keys of their own."""


def rows_of(rows: object) -> Table | Objects | Texts:
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


def _rows_of(rows: object) -> Table | Objects | Texts | None:
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
    """Return texts; a missing one is empty."""
    texts = Texts("" if is_missing(value) else value for value in values)
    for row, text in enumerate(texts):
        if not isinstance(text, str | bytes):
            raise TypeError(f"row {row:,} (from 0) must be a text; got {text!r:.60}.")
    return texts


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
    types = set(map(type, rows))
    if all(issubclass(one, Mapping) for one in types):
        return _dict_rows(rows)
    if all(issubclass(one, str | bytes) for one in types):
        return _texts(rows)
    if any(issubclass(one, str | bytes | Mapping) for one in types):
        return None
    try:
        X = np.asarray(rows)
    except ValueError:  # rows of different lengths
        return None
    return Matrix(X) if X.ndim == 2 else None


def _dict_rows(rows: list[Mapping[str, Any]]) -> Table | Objects:
    """Return a table where all rows have the same keys, and no value has parts; else objects."""
    keys = rows[0].keys()
    have_parts = any(issubclass(one, Mapping | list) for one in cell_types(rows))
    is_table = not have_parts and all(row.keys() == keys for row in rows)
    return DictTable(rows) if is_table else Objects(dict(row) for row in rows)
