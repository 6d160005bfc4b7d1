"""Rows with hashed names, their interactions and the n-grams of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, compress, permutations

import numpy as np

from rosenblatt.engine.text.categories import CategoryColumn
from rosenblatt.engine.text.crossing import split_interaction
from rosenblatt.engine.text.hashing import (
    RowError,
    SparseRows,
    add_products,
    encode_interactions,
    murmur3_many,
    sort_and_sum,
)
from rosenblatt.streams.core.batch import CSRArrays, choose_rows, csr, first_not_finite
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.features.ngrams import NgramHasher, add_rows
from rosenblatt.streams.features.schema import in_group, unknown_column
from rosenblatt.utils.arrays import NDArray


class HashingEncoder:
    r"""Encoder that hashes the names of columns, as scikit-learn's ``FeatureHasher`` does.

    Interactions are those of :class:`rosenblatt.streams.interactions.InteractionStream`; the hash
    of a pair is that of :mod:`rosenblatt.engine.text.hashing`. Signed values that share a
    column are summed.

    Parameters
    ----------
    source : str
        The source as error messages name it.
    options : ReadOptions
        ``interactions``; ``text``, the specs of n-grams; and ``names``, which records all names.
    bits : int
        There are 2^bits columns.
    texts : sequence of str
        Columns of texts, which have no interactions.

    Raises
    ------
    DataError
        A group of an interaction is a text, or part of another group. :meth:`rows` raises it for
        a row whose pairs are too many, or too large.

    Examples
    --------
    >>> from rosenblatt.engine.text.hashing import SparseRows
    >>> rows = SparseRows(np.array([0, 1], np.int32), np.array([3.0, 1.0]), np.array([0, 1, 2]))
    >>> X = HashingEncoder("demo", ReadOptions(), 4).rows(rows, ["size", "colour=red"], 0)
    >>> X.shape, X.indices.tolist(), X.data.tolist()
    ((2, 16), [6, 1], [-3.0, 1.0])
    """

    def __init__(
        self, source: str, options: ReadOptions, bits: int, texts: Sequence[str] = ()
    ) -> None:
        self._source, self._interactions = source, options.interactions
        self._bits, self._names = bits, options.names
        self._ngrams = NgramHasher(options.text, bits, options.names)
        products = map(split_interaction, options.interactions)
        self._groups = list(dict.fromkeys(chain.from_iterable(products)))
        self._seen: set[int] = set()  # groups with features
        self._first_names: list[str] = []
        self._check_groups(texts)

    def _check_groups(self, texts: Sequence[str]) -> None:
        for group in self._groups:
            if group in texts:
                problem = f"{group!r} holds texts, which have no interactions: name other columns."
                raise DataError(self._source, f"interactions: {problem}")
        for outer, inner in permutations(self._groups, 2):
            if in_group(inner, outer):
                problem = (
                    f"{inner!r} is part of {outer!r}, and a hashed column can be in one group "
                    "only: name groups that do not overlap, or leave out bits."
                )
                raise DataError(self._source, f"interactions: {problem}")

    def rows(
        self,
        rows: SparseRows,
        names: list[str],
        first_row: int,
        texts: Iterable[CategoryColumn] = (),
    ) -> CSRArrays:
        """Hash the columns of CSR rows, and add the n-grams of their texts.

        Parameters
        ----------
        rows : SparseRows
            Its columns are indices of ``names``.
        names : list of str
        first_row : int
            The number of the first row, from 0, for error messages.
        texts : iterable of CategoryColumn
            The texts of each column of texts.

        Returns
        -------
        CSRArrays of shape (rows, 2**bits)
        """
        hashes = murmur3_many([name.encode() for name in names])
        if self._names is not None:
            present = np.bincount(rows.columns, minlength=len(names)) > 0
            self._names.note(hashes[present], compress(names, present.tolist()), self._bits)
        hashed = rows._replace(columns=hashes[rows.columns])
        if self._groups:
            groups = self._groups_of(names)
            self._seen |= set(groups.tolist())
            self._first_names = self._first_names or names
            hashed = self._with_products(hashed, groups[rows.columns], first_row)
        columns, data, indptr = sort_and_sum(hashed, self._bits)
        X = csr(data, columns, indptr, 1 << self._bits)
        if (entry := first_not_finite(X)) is not None:
            problem = "the sum of the values that share a hashed column overflows float64."
            raise DataError(self._source, f"row {first_row + entry[0]:,} (from 0): {problem}")
        ngrams = [choose_rows(self._ngrams.rows(words), codes) for codes, words in texts]
        return add_rows([X, *ngrams], self._bits)

    def check_seen(self) -> None:
        """Refuse a group of an interaction that no row so far had features of.

        Raises
        ------
        DataError
        """
        for index, group in enumerate(self._groups):
            if index not in self._seen:
                problem = unknown_column(group, "for the interactions", self._first_names)
                raise DataError(self._source, problem)

    def _groups_of(self, names: list[str]) -> NDArray[np.int16]:
        """Return the group of each name, −1 for none."""
        groups = np.full(len(names), -1, np.int16)
        for index, group in enumerate(self._groups):
            groups[[in_group(name, group) for name in names]] = index
        return groups

    def _with_products(
        self, rows: SparseRows, groups: NDArray[np.int16], first_row: int
    ) -> SparseRows:
        """Return the rows with the interactions of their features."""
        table = None if self._names is None else self._names.known(self._bits)
        interactions = encode_interactions(self._interactions)
        try:
            crossed_rows, products = add_products(rows, groups, interactions, self._bits, table)
        except RowError as error:
            location = f"row {first_row + error.row:,} (from 0)"
            raise DataError(self._source, f"{location}: {error.reason}") from error
        if self._names is not None and table is not None:
            self._names.add(*products)
        return crossed_rows
