"""Interactions of named columns: one more column for each pair of columns of two groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.text.hashing import SparseRows, sort_and_sum
from rosenblatt.streams.core.batch import Batch, CSRArrays, csr, first_not_finite, row_starts
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream, StreamView
from rosenblatt.streams.features.encoding import Vocabulary
from rosenblatt.streams.features.schema import check_distinct, in_group, unknown_column
from rosenblatt.utils.arrays import NDArray

_COLLISION = "but an interaction makes a column of this name: rename it."


class InteractionStream(StreamView):
    r"""Rows of a stream, with products of columns as further columns.

    An interaction ``a*b`` makes a column ``x*y`` for each x of the group a and each y of the group
    b: their product. A group is the column of that name, and those whose name continues it with
    ``=`` or ``.``: ``colour`` is ``colour=red`` and ``colour=blue``. A group with itself yields
    each pair once, its names in alphabetical order, and each column with itself. Dense products
    follow all other columns; sparse products get columns in the order of their first appearance.

    Parameters
    ----------
    stream : Stream
        Its columns have names.
    interactions : tuple of str
        Each ``"a*b"``.
    vocabulary : Vocabulary, optional
        The columns so far of sparse rows, those of products among them.

    Raises
    ------
    DataError
        The columns have no names, or a table has no column of a group: columns of JSON lines may
        appear later. Iterating raises it where a product overflows float64.

    Examples
    --------
    >>> from rosenblatt.streams import open_stream
    >>> stream = InteractionStream(open_stream("sklearn:wine"), ("alcohol*hue",))
    >>> stream.feature_names[-2:], next(iter(stream)).X[0, [0, 10, 13]].round(2).tolist()
    (['proline', 'alcohol*hue'], [14.23, 1.04, 14.8])
    """

    def __init__(
        self,
        stream: Stream,
        interactions: tuple[str, ...],
        vocabulary: Vocabulary | None = None,
    ) -> None:
        super().__init__(stream, interactions=interactions)
        if stream.feature_names is None:
            problem = "interactions need names of columns, and these columns have none."
            raise DataError(self.name, problem)
        self._names = stream.feature_names  # in JSON lines the names so far
        self._pairs = [_Interaction(*text.split("*")) for text in interactions]
        self.feature_names: list[str] = []
        if stream.sparse:
            self._vocabulary = Vocabulary() if vocabulary is None else vocabulary
            self.feature_names = self._vocabulary.names
        else:
            pairs = self._dense_columns(self._names)
            self._first, self._second = np.array(pairs, int).reshape(-1, 2).T

    def _dense_columns(self, names: list[str]) -> list[tuple[int, int]]:
        """Return the columns of each pair, and append the pairs' names to the others."""
        pairs = []
        for pair in self._pairs:
            first, second = (self._members(group, names) for group in pair)
            both = combinations_with_replacement(first, 2) if pair.same else product(first, second)
            pairs += list(both)
        product_names = [pair_name(names[i], names[j], False) for i, j in pairs]
        self.feature_names = [*names, *product_names]
        check_distinct(self.name, None, self.feature_names)
        return pairs

    def _members(self, group: str, names: list[str]) -> list[int]:
        members = [j for j, name in enumerate(names) if in_group(name, group)]
        if not members:
            raise DataError(self.name, unknown_column(group, "for the interactions", names))
        return sorted(members, key=names.__getitem__)

    def __iter__(self) -> Iterator[Batch]:
        add_products = self._products
        if self.sparse:
            sparse = _SparseProducts(self.name, self._names, self._pairs, self._vocabulary)
            add_products = sparse.rows
        for batch in self._stream:
            self.index_base = self._stream.index_base
            X = add_products(batch.rows)
            if (entry := first_not_finite(X)) is not None:
                row, j, _ = entry
                location = (
                    f"row {batch.first_row + row:,} (from 0), column {self.feature_names[j]!r}"
                )
                problem = "the product overflows float64: scale the columns down."
                raise DataError(self.name, f"{location}: {problem}")
            yield batch.replace(X=X, computed=True)

    def location(self, row: int) -> tuple[str, int | None]:
        """Return the file and the line of a row of the latest batch; None for an unknown line."""
        return self._stream.location(row)

    def _products(self, X: Any) -> Any:
        with np.errstate(over="ignore"):
            return np.concatenate([X, X[:, self._first] * X[:, self._second]], axis=1)


class _Interaction(NamedTuple):
    """Names of the two groups of an interaction."""

    first: str
    second: str

    @property
    def same(self) -> bool:
        return self.first == self.second


def pair_name(first: str, second: str, same: bool) -> str:
    """Return the name of a product; within one group, the names are in alphabetical order."""
    return "*".join(sorted((first, second)) if same else (first, second))


_PLAIN, _PRODUCT, _OF_ONE_GROUP = range(3)  # kinds of output columns


class _SparseProducts:
    """Sparse rows and their products, whose columns are created as names appear."""

    def __init__(
        self, source: str, names: list[str], pairs: list[_Interaction], vocabulary: Vocabulary
    ) -> None:
        self._source, self._names = source, names
        self._pairs, self._vocabulary = pairs, vocabulary
        self._columns: dict[tuple[int, int, int], int] = {}
        self._is_product: dict[str, bool] = {}
        for j in range(len(names)):  # a table's numbers exist before the first row
            self._column(_PLAIN, j, j)

    def rows(self, X: CSRArrays) -> CSRArrays:
        """Return the rows with the products of their entries.

        New columns are created row by row, those of the row's entries first, so that their order
        does not depend on how the rows are cut into batches.
        """
        row_of_entry = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        entries = np.arange(len(row_of_entry))
        parts = [(entries, entries), *(self._entries(X, row_of_entry, p) for p in self._pairs)]
        kinds = [_PLAIN, *(_OF_ONE_GROUP if pair.same else _PRODUCT for pair in self._pairs)]
        left, right = (np.concatenate(factors) for factors in zip(*parts, strict=True))
        kind = np.repeat(kinds, [len(factor) for factor, _ in parts])
        order = np.argsort(row_of_entry[left], kind="stable")
        left, right, kind = left[order], right[order], kind[order]
        width = max(1, X.shape[1])
        keys = (kind * width + X.indices[left]) * width + X.indices[right]
        distinct, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        columns = np.zeros(len(distinct), np.int32)
        for k in np.argsort(first).tolist():
            pair, j = divmod(int(distinct[k]), width)
            columns[k] = self._column(*divmod(pair, width), j)
        for j in range(X.shape[1]):
            self._column(_PLAIN, j, j)
        with np.errstate(over="ignore"):
            data = np.where(kind == _PLAIN, 1.0, X.data[right]) * X.data[left]
        starts = row_starts(np.bincount(row_of_entry[left], minlength=X.shape[0]))
        width = len(self._vocabulary.names)
        bits = max(1, (width - 1).bit_length())
        columns, data, starts = sort_and_sum(SparseRows(columns[inverse], data, starts), bits)
        return csr(data, columns, starts, width)

    def _entries(
        self, X: Any, entry_rows: NDArray[Any], pair: _Interaction
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the entries of both factors of each product, row after row."""
        names = self._names[: X.shape[1]]
        left, right = (
            np.flatnonzero(np.array([in_group(name, group) for name in names], bool)[X.indices])
            for group in pair
        )
        first_right = np.searchsorted(entry_rows[right], np.arange(X.shape[0] + 1))
        times = np.diff(first_right)[entry_rows[left]]
        begins = np.repeat(np.cumsum(times) - times, times)
        left = np.repeat(left, times)
        right = right[first_right[entry_rows[left]] + np.arange(len(left)) - begins]
        if pair.same:
            once = left <= right
            left, right = left[once], right[once]
        return left, right

    def _column(self, kind: int, i: int, j: int) -> int:
        """Return the column of an entry or product; refuse a name of both kinds."""
        if (kind, i, j) not in self._columns:
            name, is_product = self._names[i], kind != _PLAIN
            if is_product:
                name = pair_name(name, self._names[j], kind == _OF_ONE_GROUP)
            if self._is_product.setdefault(name, is_product) != is_product:
                raise DataError(self._source, f"found the column {name!r}, {_COLLISION}")
            self._columns[kind, i, j] = self._vocabulary.column_of(name)
        return self._columns[kind, i, j]
