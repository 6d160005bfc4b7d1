"""Batches of a stream, shuffled or cut to other sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from rosenblatt.streams.core.batch import Batch, concat_batches, take_rows
from rosenblatt.utils.arrays import NDArray

SHUFFLED_BATCH_ROWS = 4096
"""Rows of a shuffled batch."""


class ShuffledBatches:
    """Rows of a stream in memory, in a new random order in every epoch.

    Parameters
    ----------
    stream : iterable of batches
    seed : int
    max_rows : int, default 4096
        Rows of a batch.
    passes : int, default 0
        Epochs of an earlier run: their orders are skipped.

    Attributes
    ----------
    length : int or None
        The number of all rows, once they have been read.
    """

    def __init__(
        self,
        stream: Iterable[Batch],
        seed: int,
        max_rows: int = SHUFFLED_BATCH_ROWS,
        passes: int = 0,
    ) -> None:
        self.stream, self.max_rows, self.passes = stream, max_rows, passes
        self.length: int | None = None
        self._seed = seed
        self._orders: Iterator[NDArray[np.int64]] = iter(())
        self._batch: Batch | None = None

    def __iter__(self) -> Iterator[Batch]:
        if self._batch is None:
            self._batch = concat_batches(self.stream)
            self.length = len(self._batch.y)
            self._orders = islice(shuffled_orders(self._seed, self.length), self.passes, None)
        order = next(self._orders)
        for start in range(0, len(order), self.max_rows):
            yield take_rows(self._batch, order[start : start + self.max_rows], start)


def shuffled_orders(seed: int, length: int) -> Iterator[NDArray[np.int64]]:
    """Yield the order of each epoch, without end.

    Examples
    --------
    >>> orders = shuffled_orders(0, 4)
    >>> next(orders).tolist(), next(orders).tolist()
    ([2, 0, 1, 3], [3, 2, 1, 0])
    """
    random = np.random.default_rng(seed)
    while True:
        yield random.permutation(length)


class SplitBatches:
    """Batches of a stream, cut where they have more than a maximum of rows.

    Parameters
    ----------
    stream : iterable of batches
    max_rows : int
        Rows of a batch.
    """

    def __init__(self, stream: Iterable[Batch], max_rows: int) -> None:
        self.stream, self.max_rows = stream, max_rows

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.stream:
            yield from _split(batch, self.max_rows)


class RechunkedBatches:
    """Rows of a stream in batches of one length.

    The rounding of a matrix product depends on the shapes, so the bits of a kernel learner depend
    on its batches, and the batches of a pipe on timing.

    Parameters
    ----------
    stream : iterable of batches
    length : int
        Rows of a batch; the last may have fewer.
    """

    def __init__(self, stream: Iterable[Batch], length: int) -> None:
        self.stream, self.length = stream, length

    def __iter__(self) -> Iterator[Batch]:
        pending: list[Batch] = []
        rows = 0
        for batch in self.stream:
            pending.append(batch)
            rows += len(batch.y)
            if rows < self.length:
                continue
            merged = concat_batches(pending).replace(first_row=pending[0].first_row)
            pieces = list(_split(merged, self.length))
            rows %= self.length
            pending = [pieces.pop()] if rows else []
            yield from pieces
        if pending:
            yield concat_batches(pending).replace(first_row=pending[0].first_row)


def _split(batch: Batch, max_rows: int) -> Iterator[Batch]:
    """Cut a batch into batches of at most ``max_rows`` rows."""
    for start in range(0, batch.rows.shape[0], max_rows):
        yield take_rows(batch, slice(start, start + max_rows), batch.first_row + start)
