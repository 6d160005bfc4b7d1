"""Tables in memory, column by column: of pandas, polars, pyarrow, NumPy, dicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.streams.frames.cells import (
    Cells,
    ColumnName,
    NumberCells,
    OtherCells,
    cells_of_values,
    of_numpy,
)
from rosenblatt.utils.arrays import Array
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
    missing_cell : str
        What stands for a missing cell in a row that may lack columns, for messages; or empty.
    """

    is_named, is_text, missing_cell = True, False, ""

    def __init__(self, names: list[str], rows: int) -> None:
        self.names, self.rows = names, rows
        self._columns: dict[str, Cells] = {}

    def cells(self, name: str) -> Cells:
        """Return the cells of a column."""
        if name not in self._columns:
            self._columns[name] = self._read(name, ColumnName(SOURCE, name))
        return self._columns[name]

    @abstractmethod
    def _read(self, name: str, column: ColumnName) -> Cells: ...

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

    def __init__(self, X: Array) -> None:
        names = column_names(X)
        self.is_named = names is not None
        super().__init__(list(names or (f"x{j}" for j in range(X.shape[1]))), len(X))
        self._X = np.asarray(X)
        self._index = {name: j for j, name in enumerate(self.names)}

    def _read(self, name: str, column: ColumnName) -> Cells:
        values = self._X[:, self._index[name]]
        if values.dtype.kind in "iufb":
            return NumberCells(values)
        return cells_of_values(column, of_numpy(values))

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        return [dict(zip(self.names, row, strict=True)) for row in of_numpy(self._X)]


class DictTable(Table):
    """Rows of dicts; a key that some rows lack is a missing cell of these.

    Where all cells are text, as from ``csv.DictReader``, they are read as CSV is.

    Examples
    --------
    >>> table = DictTable([{"x": 1, "kind": "oak"}, {"x": 2}])
    >>> table.names, table.cells("kind").words().words, table.is_text
    (['x', 'kind'], ['oak', ''], False)
    """

    missing_cell = "None"

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        keys = rows[0].keys() if rows else {}.keys()
        names = dict.fromkeys(keys)
        for row in rows:
            if row.keys() != keys:
                names.update(dict.fromkeys(row))
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"keys of rows must be names of columns; got {name!r:.60}.")
        super().__init__([*names], len(rows))
        self._dicts = rows
        types = cell_types(rows)
        self.is_text = str in types and types <= {str, type(None)}

    def _read(self, name: str, column: ColumnName) -> Cells:
        return cells_of_values(column, [row.get(name) for row in self._dicts])

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

    def _read(self, name: str, column: ColumnName) -> Cells:
        return cells_of_values(column, self._texts)

    def objects(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        return [{self.names[0]: text} for text in self._texts]


def cell_types(rows: Sequence[Mapping[str, Any]]) -> set[type]:
    """Return the types of all cells.

    Examples
    --------
    >>> cell_types([{"x": 1}, {"x": 2.5}]) == {int, float}
    True
    """
    return set(map(type, chain.from_iterable(row.values() for row in rows)))


def words_of(table: Table, name: str) -> CategoryColumn:
    """Return the words of a column."""
    column, cells = ColumnName(SOURCE, name), table.cells(name)
    return cells.words(column) if isinstance(cells, OtherCells) else cells.words()
