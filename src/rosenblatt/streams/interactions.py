"""Interactions of named columns: one more column for each product of columns of two or three."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations_with_replacement, product
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.text.crossing import cross, runs_of, split_interaction
from rosenblatt.engine.text.hashing import SparseRows, sort_and_sum
from rosenblatt.streams.core.batch import Batch, CSRArrays, csr, first_not_finite, row_starts
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import NO_FEATURES
from rosenblatt.streams.core.stream import Stream, StreamView
from rosenblatt.streams.features.schema import check_distinct, in_group, unknown_column
from rosenblatt.streams.features.vocabulary import Vocabulary
from rosenblatt.utils.arrays import Array, Matrix

_COLLISION = "but an interaction makes a column of this name: rename it."


class InteractionStream(StreamView):
    r"""Rows of a stream, with products of columns as further columns.

    An interaction ``a*b`` makes a column ``x*y`` for each x of the group a and each y of the group
    b: their product; ``a*b*c`` makes ``x*y*z``. A group is the column of that name, and those whose
    name continues it with ``=`` or ``.``: ``colour`` is ``colour=red`` and ``colour=blue``. A group
    with itself yields each product once, its names in alphabetical order, and that of each column
    with itself. Dense products follow all other columns; sparse products get columns in the order
    of their first appearance.

    Parameters
    ----------
    stream : Stream
        Its columns have names.
    interactions : tuple of str
        Each ``"a*b"`` or ``"a*b*c"``.
    vocabulary : Vocabulary, optional
        The columns so far of sparse rows, those of products among them.
    may_lack_groups : bool, default False
        Whether no row may have a feature of a group.

    Raises
    ------
    DataError
        The columns have no names, or a table has no column of a group. Iterating raises it where a
        product overflows float64, and after the last row if none has a feature of a group.

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
        *,
        may_lack_groups: bool = False,
    ) -> None:
        super().__init__(stream, interactions=interactions)
        if stream.feature_names is None:
            problem = "interactions need names of columns, and these columns have none."
            raise DataError(self.name, problem)
        self._may_lack_groups = may_lack_groups
        self._names = stream.feature_names  # in JSON lines the names so far
        self._interactions = [_Interaction(split_interaction(text)) for text in interactions]
        self.feature_names: list[str] = []
        if stream.sparse:
            self._vocabulary = Vocabulary() if vocabulary is None else vocabulary
            self.feature_names = self._vocabulary.names
        else:
            self._factors = self._dense_columns(self._names)

    def _dense_columns(self, names: list[str]) -> list[Array]:
        """Return the columns of the factors of each interaction, and append the products' names."""
        factors, product_names = [], []
        for one in self._interactions:
            members = {group: self._members(group, names) for group in one.groups}
            choices = (
                combinations_with_replacement(members[group], length)
                for group, length in zip(dict.fromkeys(one.groups), one.runs, strict=True)
            )
            chosen = [tuple(chain.from_iterable(parts)) for parts in product(*choices)]
            product_names += ["*".join(names[j] for j in columns) for columns in chosen]
            factors.append(np.array(chosen, int).reshape(-1, len(one.groups)).T)
        self.feature_names = [*names, *product_names]
        check_distinct(self.name, None, self.feature_names)
        return factors

    def _members(self, group: str, names: list[str]) -> list[int]:
        members = [j for j, name in enumerate(names) if in_group(name, group)]
        if not members:
            raise DataError(self.name, unknown_column(group, "for the interactions", names))
        return sorted(members, key=names.__getitem__)

    def __iter__(self) -> Iterator[Batch]:
        add_products = self._products
        if self.sparse:
            sparse = _SparseProducts(self.name, self._names, self._interactions, self._vocabulary)
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
        if not self._may_lack_groups:
            kinds = self.schema or {}
            for group in chain.from_iterable(one.groups for one in self._interactions):
                if kinds.get(group, "skip") in NO_FEATURES:  # a column of features may be empty
                    self._members(group, self._names)

    def location(self, row: int) -> tuple[str, int | None]:
        """Return the file and the line of a row of the latest batch; None for an unknown line."""
        return self._stream.location(row)

    def _products(self, X: Matrix) -> Matrix:
        with np.errstate(over="ignore"):
            products = [
                np.multiply.reduce([X[:, columns] for columns in factors])
                for factors in self._factors
            ]
        return np.concatenate([X, *products], axis=1)


class _Interaction(NamedTuple):
    """The groups of an interaction, equal ones side by side."""

    groups: tuple[str, ...]

    @property
    def runs(self) -> tuple[int, ...]:
        return runs_of(self.groups)


def product_name(names: Sequence[str], runs: Sequence[int]) -> str:
    """Return the name of a product; within one group, the names are in alphabetical order.

    Parameters
    ----------
    names : sequence of str
        The factors.
    runs : sequence of int
        How many of them, one after the other, are of the same group.

    Examples
    --------
    >>> product_name(["b", "a"], (2,)), product_name(["b", "a"], (1, 1))
    ('a*b', 'b*a')
    """
    rest = iter(names)
    return "*".join(name for length in runs for name in sorted(next(rest) for _ in range(length)))


_PLAIN: tuple[int, ...] = (1,)  # the runs of an entry that is no product


class _SparseProducts:
    """Sparse rows and their products, whose columns are created as names appear."""

    def __init__(
        self,
        source: str,
        names: list[str],
        interactions: list[_Interaction],
        vocabulary: Vocabulary,
    ) -> None:
        self._source, self._names = source, names
        self._interactions, self._vocabulary = interactions, vocabulary
        self._kinds = list(dict.fromkeys([_PLAIN, *(one.runs for one in interactions)]))
        self._columns: dict[tuple[int, ...], int] = {}
        self._is_product: dict[str, bool] = {}
        for j in range(len(names)):  # a table's numbers exist before the first row
            self._column(0, [j])

    def rows(self, X: CSRArrays) -> CSRArrays:
        """Return the rows with the products of their entries.

        New columns are created row by row, those of the row's entries first, so that their order
        does not depend on how the rows are cut into batches.
        """
        row_of_entry = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        parts = [[np.arange(len(row_of_entry))], *(self._entries(X, p) for p in self._interactions)]
        kinds = [0, *(self._kinds.index(one.runs) for one in self._interactions)]
        kind = np.repeat(kinds, [len(factors[0]) for factors in parts])
        entries = np.full((max(map(len, parts)), len(kind)), -1)  # −1: no such factor
        stops = np.cumsum([len(factors[0]) for factors in parts])
        for factors, stop in zip(parts, stops.tolist(), strict=True):
            for position, factor in enumerate(factors):
                entries[position, stop - len(factor) : stop] = factor
        order = np.argsort(row_of_entry[entries[0]], kind="stable")
        entries, kind = entries[:, order], kind[order]
        columns_in = np.append(X.indices, -1)[entries]
        first, inverse = _distinct(kind, columns_in, max(1, X.shape[1]))
        columns = np.zeros(len(first), np.int32)
        for k in np.argsort(first).tolist():
            own = columns_in[:, first[k]]
            columns[k] = self._column(int(kind[first[k]]), own[own >= 0].tolist())
        for j in range(X.shape[1]):
            self._column(0, [j])
        with np.errstate(over="ignore"):
            data = np.multiply.reduce(np.append(X.data, 1.0)[entries])
        starts = row_starts(np.bincount(row_of_entry[entries[0]], minlength=X.shape[0]))
        width = len(self._vocabulary.names)
        bits = max(1, (width - 1).bit_length())
        columns, data, starts = sort_and_sum(SparseRows(columns[inverse], data, starts), bits)
        return csr(data, columns, starts, width)

    def _entries(self, X: Matrix, interaction: _Interaction) -> list[Array]:
        """Return the entries of the factors of each product, row after row."""
        names = self._names[: X.shape[1]]
        members = {
            group: np.array([in_group(name, group) for name in names], bool)[X.indices]
            for group in interaction.groups
        }
        return cross(X.indptr, [members[g] for g in interaction.groups], interaction.runs)

    def _column(self, kind: int, factors: list[int]) -> int:
        """Return the column of an entry or product; refuse a name of both kinds."""
        key = (kind, *factors)
        if key not in self._columns:
            name, is_product = self._names[factors[0]], kind != 0
            if is_product:
                name = product_name([self._names[j] for j in factors], self._kinds[kind])
            if self._is_product.setdefault(name, is_product) != is_product:
                raise DataError(self._source, f"found the column {name!r}, {_COLLISION}")
            self._columns[key] = self._vocabulary.column_of(name)
        return self._columns[key]


def _distinct(kind: Array, columns: Array, width: int) -> tuple[Array, Array]:
    """Return the first position of each product, and the product at each position.

    Parameters
    ----------
    kind : array of shape (n,)
    columns : array of shape (factors, n)
        −1: there is no such factor.
    width : int
        Columns are smaller.
    """
    codes, size = kind, int(kind.max(initial=0)) + 1
    for factor in columns:
        if size * (width + 1) >= 2**63:
            _, codes = np.unique(codes, return_inverse=True)
            size = len(codes)
        codes, size = codes * (width + 1) + factor + 1, size * (width + 1)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return first, inverse
