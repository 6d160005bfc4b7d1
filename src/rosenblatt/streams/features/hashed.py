"""Rows whose columns have names, with the names hashed, and crossed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.streams.core.batch import csr, row_of
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.core.options import Settings
from rosenblatt.streams.features.schema import is_of

if TYPE_CHECKING:
    from rosenblatt.engine.text.hashed_rows import Entries


class HashedRows:
    r"""Rows of named columns with their names hashed, as scikit-learn's ``FeatureHasher`` does.

    Interactions cross columns as :class:`rosenblatt.streams.interactions.CrossedStream` does, and a
    pair has the hash that :mod:`rosenblatt.engine.text.interactions` makes of two. Values that
    share a column are added up, with their signs.

    Parameters
    ----------
    source : str
        The source as error messages name it.
    settings : Settings
        ``interactions`` are crossed; ``names`` takes the names as they are met.
    bits : int
        There are 2^bits columns.
    texts : sequence of str
        Columns of texts: these do not cross.

    Raises
    ------
    DataError
        An interaction crosses a text, or has a group that is a part of another. :meth:`rows`
        raises it for a row whose pairs are too many, or too large.

    Examples
    --------
    >>> from rosenblatt.engine.text.murmur import Entries
    >>> rows = Entries(np.array([0, 1], np.int32), np.array([3.0, 1.0]), np.array([0, 1, 2]))
    >>> found = HashedRows("demo", Settings(), 4).rows(rows, ["size", "colour=red"], 0)
    >>> found.shape, found.indices.tolist(), found.data.tolist()
    ((2, 16), [6, 1], [-3.0, 1.0])
    """

    def __init__(
        self, source: str, settings: Settings, bits: int, texts: Sequence[str] = ()
    ) -> None:
        self._source, self._interactions = source, settings.interactions
        self._bits, self._noted = bits, settings.names
        pairs = [interaction.split("*") for interaction in settings.interactions]
        self._groups = list(dict.fromkeys(group for pair in pairs for group in pair))
        self._check(texts)

    def _check(self, texts: Sequence[str]) -> None:
        for group in self._groups:
            if group in texts:
                problem = f"{group!r} has texts, which do not cross: name other columns."
                raise DataError(self._source, None, None, f"interactions: {problem}")
        for whole, part in permutations(self._groups, 2):
            if is_of(part, whole):
                problem = (
                    f"{part!r} is a part of {whole!r}, and a hashed column crosses in one group "
                    "only: name groups apart, or leave out bits."
                )
                raise DataError(self._source, None, None, f"interactions: {problem}")

    def rows(self, rows: Entries, names: list[str], first_row: int) -> Any:
        """The rows with hashed columns.

        Parameters
        ----------
        rows : Entries
            Its columns are places in ``names``.
        names : list of str
        first_row : int
            The number of the first row, from 0, for error messages.

        Returns
        -------
        csr_array of shape (rows, 2**bits)
        """
        from rosenblatt.engine.text.hashed_rows import in_order
        from rosenblatt.engine.text.murmur import murmur3s

        hashes = murmur3s([name.encode() for name in names])
        if self._noted is not None:
            met = np.bincount(rows.columns, minlength=len(names)) > 0
            self._noted.note(hashes[met], compress(names, met.tolist()), self._bits)
        hashed = rows._replace(columns=hashes[rows.columns])
        if self._groups:
            hashed = self._crossed(hashed, self._groups_of(names)[rows.columns], first_row)
        columns, data, indptr = in_order(hashed, self._bits)
        if not np.isfinite(data).all():
            row = first_row + row_of(indptr, int(np.argmin(np.isfinite(data))))
            problem = "values of names that share a column add up to what fits no float64."
            raise DataError(self._source, None, None, f"row {row:,} (from 0): {problem}")
        return csr(data, columns, indptr, 1 << self._bits)

    def _groups_of(self, names: list[str]) -> NDArray[np.int16]:
        """The group of each name, −1 for none."""
        groups = np.full(len(names), -1, np.int16)
        for place, group in enumerate(self._groups):
            groups[[is_of(name, group) for name in names]] = place
        return groups

    def _crossed(self, rows: Entries, groups: NDArray[np.int16], first_row: int) -> Entries:
        """The rows with their pairs."""
        from rosenblatt.engine.text.interactions import RowError, crossings, with_pairs

        known = None if self._noted is None else self._noted.known(self._bits)
        crossed = crossings(self._interactions)
        try:
            found, pairs = with_pairs(rows, groups, crossed, self._bits, known)
        except RowError as wrong:
            place = f"row {first_row + wrong.row:,} (from 0)"
            raise DataError(self._source, None, None, f"{place}: {wrong.reason}") from wrong
        if self._noted is not None and known is not None:
            self._noted.add(pairs)
        return found
