"""Hashing of named columns, with their interactions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.streams.core.batch import csr, first_not_finite
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import ReadOptions
from rosenblatt.streams.features.schema import in_group
from rosenblatt.utils.arrays import NDArray

if TYPE_CHECKING:
    from rosenblatt.engine.text.hashed_rows import SparseRows


class HashingEncoder:
    r"""Encoder that hashes the names of columns, as scikit-learn's ``FeatureHasher`` does.

    Interactions are those of :class:`rosenblatt.streams.interactions.InteractionStream`; the hash
    of a pair is that of :mod:`rosenblatt.engine.text.interactions`. Signed values that share a
    column are summed.

    Parameters
    ----------
    source : str
        The source as error messages name it.
    options : ReadOptions
        ``interactions``, and ``names``, which records the names.
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
    >>> from rosenblatt.engine.text.hashed_rows import SparseRows
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
        pairs = [interaction.split("*") for interaction in options.interactions]
        self._groups = list(dict.fromkeys(group for pair in pairs for group in pair))
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

    def rows(self, rows: SparseRows, names: list[str], first_row: int) -> Any:
        """Hash the columns of CSR rows.

        Parameters
        ----------
        rows : SparseRows
            Its columns are indices of ``names``.
        names : list of str
        first_row : int
            The number of the first row, from 0, for error messages.

        Returns
        -------
        csr_array of shape (rows, 2**bits)
        """
        from rosenblatt.engine.text.hashed_rows import sort_and_sum
        from rosenblatt.engine.text.murmur import murmur3_many

        hashes = murmur3_many([name.encode() for name in names])
        if self._names is not None:
            present = np.bincount(rows.columns, minlength=len(names)) > 0
            self._names.note(hashes[present], compress(names, present.tolist()), self._bits)
        hashed = rows._replace(columns=hashes[rows.columns])
        if self._groups:
            hashed = self._with_pairs(hashed, self._groups_of(names)[rows.columns], first_row)
        columns, data, indptr = sort_and_sum(hashed, self._bits)
        X = csr(data, columns, indptr, 1 << self._bits)
        if (entry := first_not_finite(X)) is not None:
            problem = "the sum of the values that share a hashed column overflows float64."
            raise DataError(self._source, f"row {first_row + entry[0]:,} (from 0): {problem}")
        return X

    def _groups_of(self, names: list[str]) -> NDArray[np.int16]:
        """Return the group of each name, −1 for none."""
        groups = np.full(len(names), -1, np.int16)
        for index, group in enumerate(self._groups):
            groups[[in_group(name, group) for name in names]] = index
        return groups

    def _with_pairs(
        self, rows: SparseRows, groups: NDArray[np.int16], first_row: int
    ) -> SparseRows:
        """Return the rows with the interactions of their features."""
        from rosenblatt.engine.text.interactions import RowError, add_pairs, encode_interactions

        table = None if self._names is None else self._names.known(self._bits)
        interactions = encode_interactions(self._interactions)
        try:
            crossed_rows, pairs = add_pairs(rows, groups, interactions, self._bits, table)
        except RowError as error:
            location = f"row {first_row + error.row:,} (from 0)"
            raise DataError(self._source, f"{location}: {error.reason}") from error
        if self._names is not None and table is not None:
            self._names.add(pairs)
        return crossed_rows
