"""Conversion of Arrow's columns to rows: columns of every kind, or two columns of lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.engine.text.svmlight import LARGEST_INDEX
from rosenblatt.streams.arrow.cells import CATEGORIES, DATES, LISTS, NUMBERS, TEXTS, Column, is_any
from rosenblatt.streams.core.batch import Batch, csr, first_not_finite, row_of
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.missing import FILL_IN
from rosenblatt.streams.core.options import DATE_KINDS, FEATURE_KINDS, WORD_KINDS, ReadOptions
from rosenblatt.streams.features.ids import could_count
from rosenblatt.streams.features.inference import Inference
from rosenblatt.streams.features.schema import (
    check_distinct,
    column_of_kind,
    columns_of_kind,
    infer_kind,
    resolve_kinds,
    target_index,
    unknown_column,
)
from rosenblatt.utils.arrays import Array, Matrix, NDArray
from rosenblatt.utils.words import count, schema_option

_BLOCK_CELLS = 1 << 15  # numbers transposed at a time, which fit the L2 cache

SPARSE_COLUMNS = ("indices", "values")
"""The two columns of lists of sparse rows: for every row its columns, from 0, and its values."""


class ArrowLayout(NamedTuple):
    """Roles of the columns of a table.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    kinds : dict
        The columns and their kinds, without the lists of sparse rows.
    labelled : bool
        Whether to read labels and weights.
    sparse : bool
        Whether rows are sparse, in :data:`SPARSE_COLUMNS`.
    missing : tuple of str
        Spellings of a missing cell; empty if missing numbers are errors.
    remarks : tuple of str
        As of :class:`rosenblatt.streams.Stream`.
    """

    source: str
    kinds: dict[str, str]
    labelled: bool
    sparse: bool = False
    missing: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        names = [name for name, kind in self.kinds.items() if kind != "skip"]
        return [*SPARSE_COLUMNS, *names] if self.sparse else names

    def rows(self, batch: pa.RecordBatch, first_row: int) -> Batch:
        """Convert a record batch; of a table, only its numbers.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
            Not empty.
        first_row : int
            The number of its first row, from 0, for error messages.

        Returns
        -------
        Batch
            Sparse rows are as wide as their largest index needs; float64 values are a view of the
            record batch. Missing numbers are NaN.

        Raises
        ------
        DataError
            A value is null or not finite, unless it may be missing, or the lengths of two lists
            differ.
        """
        batch.validate(full=True)  # offsets of a damaged file may be out of range

        def column(name: str) -> Column:
            return Column(self.source, name, batch.column(name), first_row)

        label, weight, id = (column_of_kind(self.kinds, kind) for kind in ("label", "weight", "id"))
        numbers = [column(name) for name in columns_of_kind(self.kinds, "number")]
        for name in columns_of_kind(self.kinds, *DATE_KINDS):
            column(name).check_dates(self.kinds[name], self.missing)
        return Batch(
            X=_sparse_rows(*map(column, SPARSE_COLUMNS))
            if self.sparse
            else _dense_rows(numbers, batch.num_rows, has_missing=bool(self.missing)),
            y=column(label).labels(self.missing) if label is not None and self.labelled else None,
            first_row=first_row,
            weight=column(weight).weights() if weight is not None and self.labelled else None,
            ids=None if id is None else column(id).ids(),
        )

    def words(self, batch: pa.RecordBatch) -> dict[str, CategoryColumn]:
        """Return the categories, texts and dates of a valid record batch."""
        return {
            name: Column(self.source, name, batch.column(name), 0).words()
            for name in columns_of_kind(self.kinds, *WORD_KINDS)
        }


def has_sparse_rows(schema: pa.Schema) -> bool:
    """Return whether a table has sparse rows, in :data:`SPARSE_COLUMNS`."""
    return all(
        name in schema.names and is_any(schema.field(name).type, LISTS) for name in SPARSE_COLUMNS
    )


def table_layout(
    source: str,
    schema: pa.Schema,
    options: ReadOptions,
    read_first_rows: Callable[[], pa.Table],
    added: Mapping[str, str],
) -> ArrowLayout:
    """Decide the roles of the columns of a table.

    An index that pandas wrote as a column is skipped. If no option decides the kind of a column, a
    column of numbers or booleans has numbers, one of dates or times these, and a column of text or
    a dictionary has dates, texts or categories, which is inferred from the first rows; a column of
    ids is left out (:mod:`rosenblatt.streams.features.ids`).

    Parameters
    ----------
    source : str
        The table as error messages name it.
    schema : pyarrow.Schema
    options : ReadOptions
        As in :func:`rosenblatt.streams.features.schema.resolve_kinds`.
    read_first_rows : callable
        Returns the first rows; called only if a column's type does not decide its kind.
    added : mapping
        The kinds of the columns that the path of the file has.

    Raises
    ------
    DataError
        A name occurs twice, no column has features or labels, or the type of a column does not
        suit its kind.
    """
    first_rows: list[pa.Table] = []
    cells_of: dict[str, list[str]] = {}
    missing = ("",) if options.imputer is None else options.imputer.spellings
    inference = Inference(options, missing)

    def infer(name: str) -> str:
        if name in added:
            return added[name]
        type = schema.field(name).type
        if is_any(type, DATES):
            return "time" if is_any(type, ("time",)) else "date"
        is_counted = is_any(type, ("integer", "floating"))
        could_be_id = is_counted and could_count(name) and not options.settled
        is_number = is_any(type, NUMBERS) or not is_any(type, CATEGORIES, CATEGORIES)
        if is_number and not could_be_id:
            return "number"
        first_rows[:] = first_rows or [read_first_rows()]
        cells = first_rows[0].column(name).to_pylist()
        filled = (cell for cell in cells if cell is not None and cell == cell)  # no NaN
        cells_of[name] = words = [*map(str, filled)]
        kind = "number" if is_number else infer_kind(words, missing, has_dates=not options.settled)
        if kind == "number" and not is_number:
            kind = "category"  # numbers stored as text are codes
        return inference.kind_of(name, words, kind)

    kinds = resolve_kinds(source, None, _column_names(source, schema), options, infer)
    kinds, remark = inference.decide(kinds, cells_of)
    spoken = tuple(filter(None, [*inference.remarks(kinds), remark]))
    spellings = () if options.imputer is None else options.imputer.spellings
    return _check_types(
        ArrowLayout(source, kinds, options.labelled, False, spellings, spoken), schema
    )


def sparse_layout(source: str, schema: pa.Schema, options: ReadOptions) -> ArrowLayout:
    """Decide the roles of the columns beside sparse rows: label, weight and id.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    schema : pyarrow.Schema
    options : ReadOptions
        ``target`` as in :func:`rosenblatt.streams.features.schema.target_index`; ``schema`` has
        the weight and the id, which may be missing in rows without labels.

    Raises
    ------
    DataError
        The column of labels, weights or ids is missing or has a wrong type, or there is another
        column.
    """
    others = [name for name in _column_names(source, schema) if name not in SPARSE_COLUMNS]
    kinds: dict[str, str] = {}
    for kind in ("weight", "id"):
        name = column_of_kind(options.schema, kind)
        if name in others:
            others.remove(name)
            kinds[name] = kind
        elif name is not None and options.labelled:
            raise DataError(source, unknown_column(name, f"of the kind {kind}", others))
    if not others and options.labelled:
        raise DataError(source, "has no column for the labels besides indices and values.")
    if others:
        use_target = options.labelled or options.target in others
        target = options.target if use_target else None
        kinds[others.pop(target_index(source, None, others, target))] = "label"
    if others:
        problem = (
            f"column {others[0]!r} is neither the label nor indices or values: add it to these "
            "lists, or leave it out."
        )
        raise DataError(source, problem)
    for name in SPARSE_COLUMNS:
        inner = schema.field(name).type.value_type
        types, expected = (
            (NUMBERS, "numbers") if name == "values" else (("integer",), "whole numbers")
        )
        if not is_any(inner, types):
            problem = f"column {name!r} holds lists of {inner}, expected lists of {expected}."
            raise DataError(source, problem)
    return _check_types(ArrowLayout(source, kinds, options.labelled, True), schema)


def _column_names(source: str, schema: pa.Schema) -> list[str]:
    """Return the columns without an index of pandas."""
    pandas = schema.pandas_metadata
    index = pandas.get("index_columns") if isinstance(pandas, dict) else None
    skipped = index if isinstance(index, list) else []
    names = [name for name in schema.names if name not in skipped]
    check_distinct(source, None, names)
    return names


_TYPES_OF_KINDS = {
    "number": (NUMBERS, (), "numbers"),
    "category": (
        CATEGORIES,
        CATEGORIES,
        "categories: text, whole numbers or a dictionary of them",
    ),
    "text": (CATEGORIES, CATEGORIES, "texts"),
    "date": ((*CATEGORIES, "date", "timestamp"), CATEGORIES, "dates: days, timestamps or text"),
    "date-dmy": (TEXTS, TEXTS, "dates: text with the day first"),
    "date-mdy": (TEXTS, TEXTS, "dates: text with the month first"),
    "time": ((*TEXTS, "time"), TEXTS, "times of day, or text"),
    "label": (
        (*CATEGORIES, *NUMBERS),
        CATEGORIES,
        "labels: numbers, text or a dictionary of them",
    ),
    "weight": (NUMBERS, (), "weights: numbers"),
    "id": ((*TEXTS, "integer"), (), "ids: text or whole numbers"),
}
"""Types of cells, of those of dictionaries, and the expectation in messages, for each kind."""


def _check_types(layout: ArrowLayout, schema: pa.Schema) -> ArrowLayout:
    """Return the layout; refuse a column whose type does not suit its kind."""
    for name in layout.columns:
        kind = layout.kinds.get(name)
        if kind is None or (kind == "label" and not layout.labelled):
            continue
        plain, in_dictionary, expected = _TYPES_OF_KINDS[kind]
        if kind in FEATURE_KINDS and layout.missing:
            plain = (*plain, "null")  # all of its cells are missing
        if not is_any(schema.field(name).type, plain, in_dictionary):
            problem = f"column {name!r} holds {schema.field(name).type}, expected {expected}"
            skip = f": encode it, or leave it out: {schema_option(name, 'skip')}"
            hint = "" if kind == "label" else skip
            raise DataError(layout.source, f"{problem}{hint}.")
    return layout


def _dense_rows(columns: list[Column], rows: int, *, has_missing: bool) -> NDArray[np.float64]:
    X = _pooled_array(rows, len(columns))
    numbers = [column.numbers(has_missing) for column in columns]
    block = max(1, _BLOCK_CELLS // max(1, len(columns)))
    for start in range(0, len(X), block):
        block_rows = slice(start, start + block)
        for j, column in enumerate(numbers):
            X[block_rows, j] = column[block_rows]
    filled = np.where(np.isnan(X), 0.0, X) if has_missing else X
    if (entry := first_not_finite(filled)) is not None:
        row, j, value = entry
        problem = f"found {value}, expected a finite number: fill it in, or leave the row out"
        problem += f"; {FILL_IN}." if np.isnan(value) else "."
        raise columns[j].error(row, problem)
    return X


def _pooled_array(rows: int, columns: int) -> NDArray[np.float64]:
    """Return an array in memory that pyarrow reuses: the first access to fresh memory is slow."""
    buffer = pa.allocate_buffer(8 * rows * columns)
    return np.ndarray((rows, columns), np.float64, buffer)


def _sparse_rows(indices: Column, values: Column) -> Matrix:
    indptr, flat_indices = indices.entries()
    ends, data = values.entries()
    if not np.array_equal(indptr, ends):
        row = int(np.argmax(np.diff(indptr) != np.diff(ends)))
        values_found, indices_found = np.diff(ends)[row], np.diff(indptr)[row]
        indices_words = "1 index" if indices_found == 1 else f"{indices_found} indices"
        counts = f"found {count(values_found, 'value')} for {indices_words}."
        raise values.error(row, counts)
    data = data.astype(np.float64, copy=False)
    if not np.isfinite(data).all():
        entry = int(np.argmin(np.isfinite(data)))
        raise values.error(row_of(indptr, entry), f"found {data[entry]}, expected finite numbers.")
    columns = _column_indices(indices, indptr, flat_indices)
    width = int(columns.max(initial=-1)) + 1
    X = csr(data, columns, indptr, width)
    if first_not_increasing(columns, X.indptr) is None:
        return X
    X = X.tocsr().copy()
    X.has_sorted_indices = False
    X.sort_indices()
    if (duplicate := first_not_increasing(X.indices, indptr)) is not None:
        problem = (
            f"found the index {X.indices[duplicate]} twice: add up its values, or leave one out."
        )
        raise indices.error(row_of(indptr, duplicate), problem)
    return X


def _column_indices(column: Column, indptr: Array, flat_indices: Array) -> NDArray[np.int32]:
    low, high = int(flat_indices.min(initial=0)), int(flat_indices.max(initial=0))
    if low < 0 or high > LARGEST_INDEX:
        entry = int(np.argmax((flat_indices < 0) | (flat_indices > LARGEST_INDEX)))
        problem = f"found the index {flat_indices[entry]}, expected 0 to {LARGEST_INDEX}."
        raise column.error(row_of(indptr, entry), problem)
    return flat_indices.astype(np.int32, copy=False)


def first_not_increasing(indices: Array, indptr: Array) -> int | None:
    """Return the first entry whose index does not increase within its row, or None.

    Examples
    --------
    >>> first_not_increasing(np.array([3, 5, 1, 4]), np.array([0, 2, 4]))
    >>> first_not_increasing(np.array([3, 5, 1, 1]), np.array([0, 2, 4]))
    3
    """
    not_above = indices[1:] <= indices[:-1]
    starts = indptr[(indptr > 0) & (indptr < len(indices))]
    not_above[starts - 1] = False
    return int(np.argmax(not_above)) + 1 if not_above.any() else None
