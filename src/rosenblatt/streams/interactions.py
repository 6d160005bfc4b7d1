"""Interactions of named columns: one more column for each pair of columns of two groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.streams.core.batch import Batch, first_not_finite, first_occurrences
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.stream import Stream
from rosenblatt.streams.features.encoding import Vocabulary
from rosenblatt.streams.features.schema import check_distinct, in_group, unknown_column
from rosenblatt.utils.arrays import NDArray

_COLLISION = "but an interaction makes a column of this name: rename it."


class InteractionStream(Stream):
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

    def __init__(self, stream: Stream, interactions: tuple[str, ...]) -> None:
        super().__init__(stream.name, stream.format, info=stream.info)
        self.interactions = interactions
        if stream.feature_names is None:
            problem = "interactions need names of columns, and these columns have none."
            raise DataError(self.name, problem)
        self._stream, self._names = stream, stream.feature_names  # in JSON lines the names so far
        self._pairs = [_Interaction(*text.split("*")) for text in interactions]
        self.feature_names: list[str] = []
        if stream.sparse:
            self._vocabulary = Vocabulary()
            self.feature_names = self._vocabulary.names
        else:
            pairs = self._dense_columns(self._names)
            self._first, self._second = np.array(pairs, int).reshape(-1, 2).T

    @property
    def bad_rows(self) -> int:
        """Number of skipped rows of the stream below."""
        return self._stream.bad_rows

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
            add_products = _SparseProducts(
                self.name, self._names, self._pairs, self._vocabulary
            ).rows
        for batch in self._stream:
            self.index_base = self._stream.index_base
            X = add_products(batch.X)
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


class _PairEntries(NamedTuple):
    """Products of one interaction in a batch of CSR rows.

    Parameters
    ----------
    same : bool
        Whether both groups are one.
    first, second : int array of shape (products,)
        The CSR entries that are multiplied.
    column_pairs : list of (int, int)
        The distinct pairs of columns.
    first_products : list of int
        The first product of each distinct pair.
    pair_of_product : int array of shape (products,)
        The distinct pair of each product.
    """

    same: bool
    first: NDArray[Any]
    second: NDArray[Any]
    column_pairs: list[tuple[int, int]]
    first_products: list[int]
    pair_of_product: NDArray[Any]


class _SparseProducts:
    """Products of sparse rows, whose columns are created as names appear."""

    def __init__(
        self, source: str, names: list[str], pairs: list[_Interaction], vocabulary: Vocabulary
    ) -> None:
        self._source, self._names = source, names
        self._pairs, self._vocabulary = pairs, vocabulary
        self._plain_names: set[str] = set()
        self._product_names: set[str] = set()
        self._product_columns: dict[tuple[int, int, bool], int] = {}
        # the output columns of the input columns; a table's numbers exist before the first row
        self._columns = np.array(
            [self._new_column(n, self._plain_names, self._product_names) for n in names], int
        )

    def rows(self, X: Any) -> Any:
        from scipy.sparse import coo_array

        entry_rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        parts = [self._products(X, entry_rows, pair) for pair in self._pairs]
        self._add_new_columns(X, entry_rows, parts)
        rows, columns, data = [entry_rows], [self._columns[X.indices]], [X.data]
        for part in parts:
            product_columns = [self._product_columns[i, j, part.same] for i, j in part.column_pairs]
            rows.append(entry_rows[part.first])
            columns.append(np.array(product_columns, np.int64)[part.pair_of_product])
            with np.errstate(over="ignore"):
                data.append(X.data[part.first] * X.data[part.second])
        shape = (X.shape[0], len(self._vocabulary.names))
        cells = (np.concatenate(rows), np.concatenate(columns))
        return coo_array((np.concatenate(data), cells), shape=shape).tocsr()

    def _products(self, X: Any, entry_rows: NDArray[Any], pair: _Interaction) -> _PairEntries:
        first, second = self._entries(X, entry_rows, pair)
        both = np.stack([X.indices[first], X.indices[second]])
        keys, first_products, inverse = np.unique(
            both, axis=1, return_index=True, return_inverse=True
        )
        column_pairs = list(zip(*keys.tolist(), strict=True))
        return _PairEntries(
            pair.same, first, second, column_pairs, first_products.tolist(), inverse.ravel()
        )

    def _add_new_columns(self, X: Any, entry_rows: NDArray[Any], parts: list[_PairEntries]) -> None:
        """Create output columns, row by row: those of new input columns, then those of new pairs.

        Their order does not depend on how the rows are cut into batches.
        """
        old_width = len(self._columns)
        first_entry = first_occurrences(X.indices, X.shape[1])
        first_row = np.append(entry_rows, X.shape[0])[first_entry]
        new: list[tuple[int, int, int, Any]] = [
            (row, -1, j, None) for j, row in enumerate(first_row[old_width:].tolist(), old_width)
        ]
        for k, part in enumerate(parts):
            for (i, j), entry in zip(part.column_pairs, part.first_products, strict=True):
                if (i, j, part.same) not in self._product_columns:
                    new.append((int(entry_rows[part.first[entry]]), k, entry, (i, j, part.same)))
        self._columns = np.concatenate([self._columns, np.zeros(X.shape[1] - old_width, np.int64)])
        for _, _, j, pair in sorted(new, key=lambda part: part[:3]):
            if pair is None:
                self._columns[j] = self._new_column(
                    self._names[j], self._plain_names, self._product_names
                )
            else:
                name = pair_name(self._names[pair[0]], self._names[pair[1]], pair[2])
                self._product_columns[pair] = self._new_column(
                    name, self._product_names, self._plain_names
                )

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

    def _new_column(self, name: str, own: set[str], others: set[str]) -> int:
        """Return the column of a name; refuse a name of both an input column and a product."""
        if name in others:
            raise DataError(self._source, f"found the column {name!r}, {_COLLISION}")
        own.add(name)
        return self._vocabulary.column_of(name)
