"""Arrow's columns as rows with labels: numbers side by side, or a pair of lists as sparse rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.base import Batch
from rosenblatt.streams.beside import A_WEIGHT, ids_of, weights_of
from rosenblatt.streams.errors import DataError
from rosenblatt.streams.holding import csr, row_of
from rosenblatt.streams.names import check_distinct, target_place

if TYPE_CHECKING:
    import pyarrow as pa

_NEAR = 1 << 15  # numbers that the nearest caches hold: so many are turned from columns into rows

PAIR = ("indices", "values")
"""The two list columns that hold sparse rows: for every row its columns, from 0, and its values."""


class Layout(NamedTuple):
    """Which columns of a table hold what.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    features : list of str
        The columns with features; :data:`PAIR` where the rows are sparse.
    target : str or None
        The column with the labels.
    labelled : bool
        Whether the labels are wanted.
    sparse : bool
    weight, id : str or None
        The columns with the weights and the ids.
    """

    source: str
    features: list[str]
    target: str | None
    labelled: bool
    sparse: bool
    weight: str | None = None
    id: str | None = None

    def rows(self, batch: pa.RecordBatch, first_row: int) -> Batch:
        """The rows of a record batch.

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

        def column(name: str) -> _Column:
            return _Column(self.source, name, batch.column(name), first_row)

        columns = [column(name) for name in self.features]
        wanted = self.labelled
        return Batch(
            X=_sparse(*columns) if self.sparse else _dense(columns),
            y=column(self.target).labels() if self.target is not None and wanted else None,
            first_row=first_row,
            weight=column(self.weight).weights() if self.weight is not None and wanted else None,
            ids=None if self.id is None else column(self.id).ids(),
        )


def layout(
    source: str,
    schema: pa.Schema,
    target: str | None,
    labelled: bool,
    weight: str | None = None,
    id: str | None = None,
) -> Layout:
    """Find the features and the labels among a table's columns.

    A pandas index that was written as a column is left out.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    schema : pyarrow.Schema
    target : str or None
        As in :func:`rosenblatt.streams.names.target_place`; of sparse rows, the one column beside
        the pair where no name tells.
    labelled : bool
    weight, id : str, optional
        The columns with the weights and the ids; of rows without labels they may be missing.

    Raises
    ------
    DataError
        A name is there twice, no column has features or labels, or a column is neither numbers nor
        half of a pair of lists, or there is no column for the weights or the ids.
    """
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    names = [name for name in schema.names if name not in index]
    check_distinct(source, None, names)
    beside: dict[str, Any] = {}
    for kind, name in (("weight", weight), ("id", id)):
        if name in names:
            names.remove(name)
            _check_beside(source, kind, schema.field(name))
            beside[kind] = name
        elif name is not None and labelled:
            problem = f"no column {name!r} for the {kind}s; the columns are {', '.join(names)}."
            raise DataError(source, None, None, problem)
    return _found(source, schema, names, target, labelled)._replace(**beside)


def _check_beside(source: str, kind: str, field: pa.Field) -> None:
    """Refuse weights that are no numbers, and ids that are neither text nor whole numbers."""
    wanted = "numbers" if kind == "weight" else "text or whole numbers"
    inner = field.type
    if not (_is_number(inner) if kind == "weight" else _is_text(inner) or _is_whole(inner)):
        problem = f"column {field.name!r} holds {inner}, expected {kind}s: {wanted}."
        raise DataError(source, None, None, problem)


def _found(
    source: str, schema: pa.Schema, names: list[str], target: str | None, labelled: bool
) -> Layout:
    """The features and the labels among some columns."""
    if all(name in names and _is_list(schema.field(name).type) for name in PAIR):
        return _sparse_layout(source, schema, [n for n in names if n not in PAIR], target, labelled)
    has_label = bool(names) and (labelled or target in names)
    label = names.pop(target_place(source, None, names, target)) if has_label else None
    if not names:
        raise DataError(source, None, None, "has no columns with features.")
    for name in names:
        if not _is_number(schema.field(name).type):
            problem = (
                f"column {name!r} holds {schema.field(name).type}, expected numbers (or lists "
                "named indices and values): encode it as numbers, or leave it out."
            )
            raise DataError(source, None, None, problem)
    return _checked(Layout(source, names, label, labelled, False), schema)


def _sparse_layout(
    source: str, schema: pa.Schema, beside: list[str], target: str | None, labelled: bool
) -> Layout:
    if not beside and labelled:
        problem = "has no column for the labels beside indices and values."
        raise DataError(source, None, None, problem)
    label = None
    if beside:
        wanted = target if labelled or target in beside else None
        label = beside.pop(target_place(source, None, beside, wanted))
    if beside:
        problem = (
            f"column {beside[0]!r} stands beside indices and values, and is not the label: put it "
            "into them, or leave it out."
        )
        raise DataError(source, None, None, problem)
    for name in PAIR:
        inner = schema.field(name).type.value_type
        if not (_is_number(inner) if name == "values" else _is_whole(inner)):
            wanted = "numbers" if name == "values" else "whole numbers"
            problem = f"column {name!r} holds lists of {inner}, expected lists of {wanted}."
            raise DataError(source, None, None, problem)
    return _checked(Layout(source, list(PAIR), label, labelled, True), schema)


def _checked(layout: Layout, schema: pa.Schema) -> Layout:
    """The layout, if the type of its label is one."""
    import pyarrow.types as types

    if layout.target is not None and layout.labelled:
        type = schema.field(layout.target).type
        inner = type.value_type if types.is_dictionary(type) else type
        if not (_is_number(inner) or _is_text(inner)):
            problem = (
                f"column {layout.target!r} holds {type}, expected labels: numbers, text or a "
                "dictionary of them."
            )
            raise DataError(layout.source, None, None, problem)
    return layout


def _is_list(type: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_list(type) or types.is_large_list(type))


def _is_whole(type: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(type))


def _is_number(type: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_integer(type) or types.is_floating(type) or types.is_boolean(type))


def _is_text(type: pa.DataType) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(type) or types.is_large_string(type) or types.is_string_view(type))


class _Column(NamedTuple):
    """A column of a record batch, and what error messages say of it."""

    source: str
    name: str
    array: pa.Array
    first_row: int

    def error(self, row: int, problem: str) -> DataError:
        """The error of a row, which counts from 0 in the batch."""
        place = f"column {self.name!r}, row {self.first_row + row:,} (from 0)"
        return DataError(self.source, None, None, f"{place}: {problem}")

    def check_null(self) -> None:
        """Raise the error of the first row that has nothing."""
        if self.array.null_count:
            row = int(np.argmax(self.array.is_null().to_numpy(zero_copy_only=False)))
            raise self.error(row, "found null: fill it in, or leave the row out.")

    def numbers(self) -> NDArray[Any]:
        """One number a row."""
        self.check_null()
        numbers: NDArray[Any] = self.array.to_numpy(zero_copy_only=False)
        return numbers

    def entries(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Of lists: where each begins, and behind the last; and all entries, row after row."""
        self.check_null()
        offsets = self.array.offsets.to_numpy()
        flat = self.array.values.slice(offsets[0], offsets[-1] - offsets[0])
        indptr = offsets - offsets[0] if offsets[0] else offsets
        if flat.null_count:
            entry = int(np.argmax(flat.is_null().to_numpy(zero_copy_only=False)))
            problem = "found null in the list: fill it in, or leave it out."
            raise self.error(row_of(indptr, entry), problem)
        return indptr, flat.to_numpy(zero_copy_only=False)

    def weights(self) -> NDArray[np.float64] | None:
        """One weight a row; None where all are 1."""
        weights = self.numbers().astype(np.float64, copy=False)
        good = np.isfinite(weights) & (weights >= 0)
        if not good.all():
            row = int(np.argmin(good))
            raise self.error(row, f"found {weights[row]}, {A_WEIGHT}")
        return weights_of(weights)

    def ids(self) -> NDArray[np.object_] | None:
        """One id a row, empty where there is none; None where no row has one."""
        return ids_of(["" if one is None else one for one in self.array.to_pylist()])

    def labels(self) -> NDArray[Any]:
        """One label a row: int64, float64 or text."""
        import pyarrow as pa

        self.check_null()
        array = self.array
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
            self._replace(array=array).check_null()
        if _is_text(array.type):
            return self._words(array)
        if pa.types.is_floating(array.type):
            labels = np.asarray(array.to_numpy(), np.float64)
            if not np.isfinite(labels).all():
                row = int(np.argmin(np.isfinite(labels)))
                raise self.error(row, f"found {labels[row]}, expected a label.")
            return labels
        try:
            whole: NDArray[Any] = array.cast(pa.int64()).to_numpy()
        except pa.ArrowInvalid as error:
            problem = f"column {self.name!r}: a label is too large for 64 bits ({error})."
            raise DataError(self.source, None, None, problem) from error
        return whole

    def _words(self, array: pa.Array) -> NDArray[Any]:
        import pyarrow as pa

        if pa.types.is_string_view(array.type):
            array = array.cast(pa.large_string())
        coded = array.dictionary_encode()
        words, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
        for code, word in enumerate(words):
            if not word.strip() or "\0" in word:
                found = f"found {word!r}, expected a label."
                raise self.error(int(np.argmax(codes == code)), found)
        labels: NDArray[Any] = np.array(words)[codes]
        return labels


def _dense(columns: list[_Column]) -> NDArray[np.float64]:
    X = np.empty((len(columns[0].array), len(columns)))
    numbers = [column.numbers() for column in columns]
    block = max(1, _NEAR // len(columns))
    for start in range(0, len(X), block):
        rows = slice(start, start + block)
        for j, column in enumerate(numbers):
            X[rows, j] = column[rows]
    if not np.isfinite(X).all():
        row, j = np.argwhere(~np.isfinite(X))[0].tolist()
        problem = f"found {X[row, j]}, expected a finite number: fill it in, or leave the row out."
        raise columns[j].error(row, problem)
    return X


def _sparse(indices: _Column, values: _Column) -> Any:
    indptr, places = indices.entries()
    ends, data = values.entries()
    if not np.array_equal(indptr, ends):
        row = int(np.argmax(np.diff(indptr) != np.diff(ends)))
        found = f"found {np.diff(ends)[row]} values for {np.diff(indptr)[row]} indices."
        raise values.error(row, found)
    data = data.astype(np.float64, copy=False)
    if not np.isfinite(data).all():
        entry = int(np.argmin(np.isfinite(data)))
        problem = f"found {data[entry]}, expected finite numbers."
        raise values.error(row_of(indptr, entry), problem)
    columns = _places(indices, indptr, places)
    width = int(columns.max(initial=-1)) + 1
    X = csr(data, columns, indptr, width)
    if not_rising(columns, X.indptr) is None:
        return X
    X = X.copy()
    X.has_sorted_indices = False
    X.sort_indices()
    if (wrong := not_rising(X.indices, indptr)) is not None:
        problem = f"found the index {X.indices[wrong]} twice: add up its values, or leave one out."
        raise indices.error(row_of(indptr, wrong), problem)
    return X


def _places(column: _Column, indptr: NDArray[Any], places: NDArray[Any]) -> NDArray[np.int32]:
    from rosenblatt.svmtext import LARGEST_INDEX

    low, high = int(places.min(initial=0)), int(places.max(initial=0))
    if low < 0 or high > LARGEST_INDEX:
        entry = int(np.argmax((places < 0) | (places > LARGEST_INDEX)))
        problem = f"found the index {places[entry]}, expected 0 to {LARGEST_INDEX}."
        raise column.error(row_of(indptr, entry), problem)
    return places.astype(np.int32, copy=False)


def not_rising(indices: NDArray[Any], indptr: NDArray[Any]) -> int | None:
    """The first entry whose index is not above the one before it in its row; None if all rise.

    Examples
    --------
    >>> not_rising(np.array([3, 5, 1, 4]), np.array([0, 2, 4]))
    >>> not_rising(np.array([3, 5, 1, 1]), np.array([0, 2, 4]))
    3
    """
    wrong = indices[1:] <= indices[:-1]
    starts = indptr[(indptr > 0) & (indptr < len(indices))]
    wrong[starts - 1] = False
    return int(np.argmax(wrong)) + 1 if wrong.any() else None
