"""Arrow's columns as rows with labels: columns of every kind, or a pair of lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.arrow.cells import (
    Column,
    is_categorical,
    is_integer,
    is_list,
    is_number,
    is_text,
)
from rosenblatt.streams.core.batch import Batch, csr, row_of
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.features.schema import (
    check_distinct,
    columns_of_kind,
    infer_kind,
    resolve_kinds,
    target_index,
    unknown_column,
)
from rosenblatt.streams.features.weights_ids import schema_column

if TYPE_CHECKING:
    import pyarrow as pa

    from rosenblatt.engine.text.categories import CategoryColumn


_BLOCK_CELLS = (
    1 << 15
)  # numbers that the nearest caches hold: so many are turned from columns into rows

SPARSE_COLUMNS = ("indices", "values")
"""The two list columns that hold sparse rows: for every row its columns, from 0, and its values."""


class ArrowLayout(NamedTuple):
    """Which columns of a table hold what.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    kinds : dict
        The columns that are read with their kinds; the pair has none.
    labelled : bool
        Whether labels and weights are wanted.
    sparse : bool
        Whether rows are sparse, in the columns :data:`SPARSE_COLUMNS`.
    """

    source: str
    kinds: dict[str, str]
    labelled: bool
    sparse: bool = False

    @property
    def columns(self) -> list[str]:
        """All columns that are read."""
        kept = [name for name, kind in self.kinds.items() if kind != "skip"]
        return [*SPARSE_COLUMNS, *kept] if self.sparse else kept

    def column_of_kind(self, kind: str) -> str | None:
        """The column of a kind of which there is one."""
        return next(iter(columns_of_kind(self.kinds, kind)), None)

    def rows(self, batch: pa.RecordBatch, first_row: int) -> Batch:
        """The rows of a record batch; of a table, its numbers.

        Parameters
        ----------
        batch : pyarrow.RecordBatch
            Not empty.
        first_row : int
            Its first row's number, from 0, for error messages.

        Returns
        -------
        Batch
            Sparse rows are as wide as their largest index needs; their values are the batch's own
            memory where they are float64 there.

        Raises
        ------
        DataError
            A value is null or not finite, or lists do not fit each other.
        """
        batch.validate(full=True)  # a damaged file's lists may point anywhere

        def column(name: str) -> Column:
            return Column(self.source, name, batch.column(name), first_row)

        label, weight, id = (self.column_of_kind(kind) for kind in ("label", "weight", "id"))
        numbers = [column(name) for name in columns_of_kind(self.kinds, "number")]
        return Batch(
            X=_sparse_rows(*map(column, SPARSE_COLUMNS))
            if self.sparse
            else _dense_rows(numbers, batch.num_rows),
            y=column(label).labels() if label is not None and self.labelled else None,
            first_row=first_row,
            weight=column(weight).weights() if weight is not None and self.labelled else None,
            ids=None if id is None else column(id).ids(),
        )

    def words(self, batch: pa.RecordBatch) -> dict[str, CategoryColumn]:
        """The categories and texts of a record batch, whose rows can be read."""
        return {
            name: Column(self.source, name, batch.column(name), 0).words()
            for name in columns_of_kind(self.kinds, "category", "text")
        }


def has_sparse_rows(schema: pa.Schema) -> bool:
    """Whether a table has sparse rows, as :data:`SPARSE_COLUMNS`."""
    return all(name in schema.names and is_list(schema.field(name).type) for name in SPARSE_COLUMNS)


def table_layout(
    source: str,
    schema: pa.Schema,
    options: ReadOptions,
    read_first_rows: Callable[[], pa.RecordBatch],
) -> ArrowLayout:
    """Find what the columns of a table hold.

    A pandas index that was written as a column is left out. Of what no setting tells, columns of
    numbers and booleans are numbers; of text and of dictionaries the first rows tell whether they
    are texts, else they are categories.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    schema : pyarrow.Schema
    options : Settings
        As in :func:`rosenblatt.streams.features.schema.resolve_kinds`.
    read_first_rows : callable
        ``first()`` has the first rows; called only if a column's type does not tell its kind.

    Raises
    ------
    DataError
        A name is there twice, no column has features or labels, or a column holds what its kind
        cannot be.
    """
    first_rows: list[pa.RecordBatch] = []

    def infer(name: str) -> str:
        if not is_categorical(schema.field(name).type) or is_number(schema.field(name).type):
            return "number"
        first_rows[:] = first_rows or [read_first_rows()]
        cells = first_rows[0].column(name).to_pylist()
        kind = infer_kind([str(cell) for cell in cells if cell is not None])
        return "category" if kind == "number" else kind  # text on purpose: a code

    kinds = resolve_kinds(source, None, _column_names(source, schema), options, infer)
    return _check_types(ArrowLayout(source, kinds, options.labelled), schema)


def sparse_layout(source: str, schema: pa.Schema, options: ReadOptions) -> ArrowLayout:
    """Find what stands beside sparse rows: every column is the label, the weight or the id.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    schema : pyarrow.Schema
    options : Settings
        ``target`` as in :func:`rosenblatt.streams.features.schema.target_index`; ``schema`` tells
        the weight and the id, which may be missing of rows without labels.

    Raises
    ------
    DataError
        There is no column for the labels, the weights or the ids, another one that is none of
        these, or one of a type that it cannot have.
    """
    others = [name for name in _column_names(source, schema) if name not in SPARSE_COLUMNS]
    kinds: dict[str, str] = {}
    for kind in ("weight", "id"):
        name = schema_column(options, kind)
        if name in others:
            others.remove(name)
            kinds[name] = kind
        elif name is not None and options.labelled:
            problem = unknown_column(name, f"of the kind {kind}", others)
            raise DataError(source, problem)
    if not others and options.labelled:
        problem = "has no column for the labels besides indices and values."
        raise DataError(source, problem)
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
        if not (is_number(inner) if name == "values" else is_integer(inner)):
            expected = "numbers" if name == "values" else "whole numbers"
            problem = f"column {name!r} holds lists of {inner}, expected lists of {expected}."
            raise DataError(source, problem)
    return _check_types(ArrowLayout(source, kinds, options.labelled, True), schema)


def _column_names(source: str, schema: pa.Schema) -> list[str]:
    """The columns but for an index of pandas."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    names = [name for name in schema.names if name not in index]
    check_distinct(source, None, names)
    return names


_TYPES_OF_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "number": (is_number, "numbers"),
    "category": (is_categorical, "categories: text, whole numbers or a dictionary of them"),
    "text": (is_categorical, "texts"),
    "label": (
        lambda type: is_categorical(type) or is_number(type),
        "labels: numbers, text or a dictionary of them",
    ),
    "weight": (is_number, "weights: numbers"),
    "id": (lambda type: is_text(type) or is_integer(type), "ids: text or whole numbers"),
}
"""What a column of each kind may hold, and what messages say of that."""


def _check_types(layout: ArrowLayout, schema: pa.Schema) -> ArrowLayout:
    """The layout, if the type of each column goes with its kind."""
    for name in layout.columns:
        kind = layout.kinds.get(name)
        if kind is None or (kind == "label" and not layout.labelled):
            continue
        fits, expected = _TYPES_OF_KINDS[kind]
        if not fits(schema.field(name).type):
            problem = f"column {name!r} holds {schema.field(name).type}, expected {expected}"
            hint = "" if kind == "label" else f": encode it, or leave it out: --schema {name}:skip"
            raise DataError(layout.source, f"{problem}{hint}.")
    return layout


def _dense_rows(columns: list[Column], rows: int) -> NDArray[np.float64]:
    X = np.empty((rows, len(columns)))
    numbers = [column.numbers() for column in columns]
    block = max(1, _BLOCK_CELLS // max(1, len(columns)))
    for start in range(0, len(X), block):
        block_rows = slice(start, start + block)
        for j, column in enumerate(numbers):
            X[block_rows, j] = column[block_rows]
    if not np.isfinite(X).all():
        row, j = np.argwhere(~np.isfinite(X))[0].tolist()
        problem = f"found {X[row, j]}, expected a finite number: fill it in, or leave the row out."
        raise columns[j].error(row, problem)
    return X


def _sparse_rows(indices: Column, values: Column) -> Any:
    indptr, flat_indices = indices.entries()
    ends, data = values.entries()
    if not np.array_equal(indptr, ends):
        row = int(np.argmax(np.diff(indptr) != np.diff(ends)))
        counts = f"found {np.diff(ends)[row]} values for {np.diff(indptr)[row]} indices."
        raise values.error(row, counts)
    data = data.astype(np.float64, copy=False)
    if not np.isfinite(data).all():
        entry = int(np.argmin(np.isfinite(data)))
        problem = f"found {data[entry]}, expected finite numbers."
        raise values.error(row_of(indptr, entry), problem)
    columns = _column_indices(indices, indptr, flat_indices)
    width = int(columns.max(initial=-1)) + 1
    X = csr(data, columns, indptr, width)
    if first_not_rising(columns, X.indptr) is None:
        return X
    X = X.copy()
    X.has_sorted_indices = False
    X.sort_indices()
    if (duplicate := first_not_rising(X.indices, indptr)) is not None:
        problem = (
            f"found the index {X.indices[duplicate]} twice: add up its values, or leave one out."
        )
        raise indices.error(row_of(indptr, duplicate), problem)
    return X


def _column_indices(
    column: Column, indptr: NDArray[Any], flat_indices: NDArray[Any]
) -> NDArray[np.int32]:
    from rosenblatt.engine.text.svmlight import LARGEST_INDEX

    low, high = int(flat_indices.min(initial=0)), int(flat_indices.max(initial=0))
    if low < 0 or high > LARGEST_INDEX:
        entry = int(np.argmax((flat_indices < 0) | (flat_indices > LARGEST_INDEX)))
        problem = f"found the index {flat_indices[entry]}, expected 0 to {LARGEST_INDEX}."
        raise column.error(row_of(indptr, entry), problem)
    return flat_indices.astype(np.int32, copy=False)


def first_not_rising(indices: NDArray[Any], indptr: NDArray[Any]) -> int | None:
    """The first entry whose index is not above the one before it in its row; None if all rise.

    Examples
    --------
    >>> first_not_rising(np.array([3, 5, 1, 4]), np.array([0, 2, 4]))
    >>> first_not_rising(np.array([3, 5, 1, 1]), np.array([0, 2, 4]))
    3
    """
    not_above = indices[1:] <= indices[:-1]
    starts = indptr[(indptr > 0) & (indptr < len(indices))]
    not_above[starts - 1] = False
    return int(np.argmax(not_above)) + 1 if not_above.any() else None
