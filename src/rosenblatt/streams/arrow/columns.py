"""Arrow's columns as rows with labels: columns of every kind, or a pair of lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.arrow.cells import Column, is_list, is_number, is_text, is_whole, is_word
from rosenblatt.streams.core.batch import Batch, csr, row_of
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import Settings
from rosenblatt.streams.features.schema import (
    check_distinct,
    inferred,
    no_column,
    of_kind,
    settled,
    target_place,
)
from rosenblatt.streams.features.weights_ids import column_of

if TYPE_CHECKING:
    import pyarrow as pa

    from rosenblatt.engine.text.categories import Coded


_NEAR = 1 << 15  # numbers that the nearest caches hold: so many are turned from columns into rows

PAIR = ("indices", "values")
"""The two list columns that hold sparse rows: for every row its columns, from 0, and its values."""


class Layout(NamedTuple):
    """Which columns of a table hold what.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    kinds : dict
        The columns that are read with their kinds; the pair has none.
    labelled : bool
        Whether labels and weights are wanted.
    pair : bool
        Whether rows are sparse, in the columns :data:`PAIR`.
    """

    source: str
    kinds: dict[str, str]
    labelled: bool
    pair: bool = False

    @property
    def columns(self) -> list[str]:
        """All columns that are read."""
        kept = [name for name, kind in self.kinds.items() if kind != "skip"]
        return [*PAIR, *kept] if self.pair else kept

    def the(self, kind: str) -> str | None:
        """The column of a kind of which there is one."""
        return next(iter(of_kind(self.kinds, kind)), None)

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

        label, weight, id = (self.the(kind) for kind in ("label", "weight", "id"))
        numbers = [column(name) for name in of_kind(self.kinds, "number")]
        return Batch(
            X=_sparse(*map(column, PAIR)) if self.pair else _dense(numbers, batch.num_rows),
            y=column(label).labels() if label is not None and self.labelled else None,
            first_row=first_row,
            weight=column(weight).weights() if weight is not None and self.labelled else None,
            ids=None if id is None else column(id).ids(),
        )

    def words(self, batch: pa.RecordBatch) -> dict[str, Coded]:
        """The categories and texts of a record batch, whose rows can be read."""
        return {
            name: Column(self.source, name, batch.column(name), 0).words()
            for name in of_kind(self.kinds, "category", "text")
        }


def is_pair(schema: pa.Schema) -> bool:
    """Whether a table has sparse rows, as :data:`PAIR`."""
    return all(name in schema.names and is_list(schema.field(name).type) for name in PAIR)


def table_layout(
    source: str, schema: pa.Schema, settings: Settings, first: Callable[[], pa.RecordBatch]
) -> Layout:
    """Find what the columns of a table hold.

    A pandas index that was written as a column is left out. Of what no setting tells, columns of
    numbers and booleans are numbers; of text and of dictionaries the first rows tell whether they
    are texts, else they are categories.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    schema : pyarrow.Schema
    settings : Settings
        As in :func:`rosenblatt.streams.features.schema.settled`.
    first : callable
        ``first()`` has the first rows; called only if a column's type does not tell its kind.

    Raises
    ------
    DataError
        A name is there twice, no column has features or labels, or a column holds what its kind
        cannot be.
    """
    known: list[pa.RecordBatch] = []

    def infer(name: str) -> str:
        if not is_word(schema.field(name).type) or is_number(schema.field(name).type):
            return "number"
        known[:] = known or [first()]
        cells = known[0].column(name).to_pylist()
        found = inferred([str(cell) for cell in cells if cell is not None])
        return "category" if found == "number" else found  # text on purpose: a code

    kinds = settled(source, None, _names(source, schema), settings, infer)
    return _checked(Layout(source, kinds, settings.labelled), schema)


def pair_layout(source: str, schema: pa.Schema, settings: Settings) -> Layout:
    """Find what stands beside sparse rows: every column is the label, the weight or the id.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    schema : pyarrow.Schema
    settings : Settings
        ``target`` as in :func:`rosenblatt.streams.features.schema.target_place`; ``schema`` tells
        the weight and the id, which may be missing of rows without labels.

    Raises
    ------
    DataError
        There is no column for the labels, the weights or the ids, another one that is none of
        these, or one of a type that it cannot have.
    """
    beside = [name for name in _names(source, schema) if name not in PAIR]
    kinds: dict[str, str] = {}
    for kind in ("weight", "id"):
        name = column_of(settings, kind)
        if name in beside:
            beside.remove(name)
            kinds[name] = kind
        elif name is not None and settings.labelled:
            problem = no_column(name, f"of the kind {kind}", beside)
            raise DataError(source, None, None, problem)
    if not beside and settings.labelled:
        problem = "has no column for the labels beside indices and values."
        raise DataError(source, None, None, problem)
    if beside:
        known = settings.labelled or settings.target in beside
        target = settings.target if known else None
        kinds[beside.pop(target_place(source, None, beside, target))] = "label"
    if beside:
        problem = (
            f"column {beside[0]!r} stands beside indices and values, and is not the label: put it "
            "into them, or leave it out."
        )
        raise DataError(source, None, None, problem)
    for name in PAIR:
        inner = schema.field(name).type.value_type
        if not (is_number(inner) if name == "values" else is_whole(inner)):
            wanted = "numbers" if name == "values" else "whole numbers"
            problem = f"column {name!r} holds lists of {inner}, expected lists of {wanted}."
            raise DataError(source, None, None, problem)
    return _checked(Layout(source, kinds, settings.labelled, True), schema)


def _names(source: str, schema: pa.Schema) -> list[str]:
    """The columns but for an index of pandas."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    names = [name for name in schema.names if name not in index]
    check_distinct(source, None, names)
    return names


_EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "number": (is_number, "numbers"),
    "category": (is_word, "categories: text, whole numbers or a dictionary of them"),
    "text": (is_word, "texts"),
    "label": (
        lambda type: is_word(type) or is_number(type),
        "labels: numbers, text or a dictionary of them",
    ),
    "weight": (is_number, "weights: numbers"),
    "id": (lambda type: is_text(type) or is_whole(type), "ids: text or whole numbers"),
}
"""What a column of each kind may hold, and what messages say of that."""


def _checked(layout: Layout, schema: pa.Schema) -> Layout:
    """The layout, if the type of each column goes with its kind."""
    for name in layout.columns:
        kind = layout.kinds.get(name)
        if kind is None or (kind == "label" and not layout.labelled):
            continue
        fits, wanted = _EXPECTED[kind]
        if not fits(schema.field(name).type):
            problem = f"column {name!r} holds {schema.field(name).type}, expected {wanted}"
            hint = "" if kind == "label" else f": encode it, or leave it out: --schema {name}:skip"
            raise DataError(layout.source, None, None, f"{problem}{hint}.")
    return layout


def _dense(columns: list[Column], rows: int) -> NDArray[np.float64]:
    X = np.empty((rows, len(columns)))
    numbers = [column.numbers() for column in columns]
    block = max(1, _NEAR // max(1, len(columns)))
    for start in range(0, len(X), block):
        near = slice(start, start + block)
        for j, column in enumerate(numbers):
            X[near, j] = column[near]
    if not np.isfinite(X).all():
        row, j = np.argwhere(~np.isfinite(X))[0].tolist()
        problem = f"found {X[row, j]}, expected a finite number: fill it in, or leave the row out."
        raise columns[j].error(row, problem)
    return X


def _sparse(indices: Column, values: Column) -> Any:
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


def _places(column: Column, indptr: NDArray[Any], places: NDArray[Any]) -> NDArray[np.int32]:
    from rosenblatt.engine.text.svmlight import LARGEST_INDEX

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
