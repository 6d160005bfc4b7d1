"""A random sample of rows, of bounded size, in one pass."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rosenblatt.utils.arrays import Array


class RowSample:
    """All rows of parallel arrays while they are few; of more, a uniform random sample.

    Algorithm R of Vitter 1985: row i of the stream, from 0, takes the place of a row by chance. The
    sample depends on the rows and their order, not on the batches.

    Parameters
    ----------
    capacity : int ≥ 1
        The most rows that are kept.

    Attributes
    ----------
    rows : int
        Rows so far.

    Examples
    --------
    >>> sample = RowSample(3)
    >>> sample.add(np.array([1, 2]), np.array([0.1, 0.2]))
    >>> [column.tolist() for column in sample.columns()]
    [[1, 2], [0.1, 0.2]]
    >>> sample.add(np.arange(3, 99), np.linspace(0.3, 9.8, 96))
    >>> sample.rows, sample.size, [len(column) for column in sample.columns()]
    (98, 3, [3, 3])
    """

    def __init__(self, capacity: int) -> None:
        self.capacity, self.rows = capacity, 0
        self._parts: list[tuple[Array, ...]] = []
        self._rng = np.random.default_rng(0)

    @property
    def size(self) -> int:
        """Number of rows that are kept."""
        return min(self.rows, self.capacity)

    def add(self, *columns: Array) -> None:
        """Add rows: an array of each column, with a row of the stream at each index."""
        n, first = len(columns[0]), self.rows
        self.rows += n
        appended = max(0, min(n, self.capacity - first))
        if appended:  # an empty part would have the next row copy all that are kept
            self._parts.append(tuple(column[:appended].copy() for column in columns))
        if appended < n:
            self._replace([column[appended:] for column in columns], first + appended)

    def _replace(self, columns: list[Array], first: int) -> None:
        """Replace kept rows by rows from index ``first`` on, each by chance."""
        indices = first + np.arange(len(columns[0]))
        slots = (self._rng.random(len(indices)) * (indices + 1)).astype(np.int64)
        taken = slots < self.capacity
        for kept, column in zip(self.columns(), columns, strict=True):
            kept[slots[taken]] = column[taken]  # of equal slots the last one stays

    def columns(self) -> tuple[Array, ...]:
        """Return the kept rows as an array of each column; () before the first row."""
        if len(self._parts) > 1:
            self._parts = [tuple(map(np.concatenate, zip(*self._parts, strict=True)))]
        return self._parts[0] if self._parts else ()

    def change(self, function: Callable[..., tuple[Array, ...]], capacity: int) -> None:
        """Replace the columns by a function of them, and keep at most ``capacity`` rows of them."""
        kept = self.size
        columns = function(*self.columns()) if self._parts else ()
        if kept > capacity:
            chosen = np.sort(self._rng.choice(kept, capacity, replace=False))
            columns = tuple(column[chosen] for column in columns)
        self.capacity = capacity
        self._parts = [columns] if columns else []
