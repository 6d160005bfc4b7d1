"""TODO."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


ROWS = 4096
"""Rows of a batch of mixed rows."""


class Mixed:
    """All rows of a stream, held in memory, in a new order every pass.

    Parameters
    ----------
    stream : iterable of batches
    seed : int
    most : int, default=4096
        Rows of a batch.
    passes : int, default=0
        Passes made before: their orders are passed over.

    Attributes
    ----------
    length : int or None
        Rows of all batches together, once they were read.
    """

    def __init__(
        self, stream: Iterable[Batch], seed: int, most: int = ROWS, passes: int = 0
    ) -> None:
        import numpy as np

        self.stream, self.most, self.passes = stream, most, passes
        self.length: int | None = None
        self._random = np.random.default_rng(seed)
        self._all: Batch | None = None

    def __iter__(self) -> Iterator[Batch]:
        from rosenblatt.streams.core.batch import gathered, some

        if self._all is None:
            self._all = gathered(self.stream)
            for _ in range(self.passes):
                self._random.permutation(len(self._all.y))
        self.length = len(self._all.y)
        order = self._random.permutation(self.length)
        for start in range(0, self.length, self.most):
            yield some(self._all, order[start : start + self.most], start)


class Cut:
    """The batches of a stream, cut where they have more rows than one should wait for.

    Parameters
    ----------
    stream : iterable of batches
    most : int
        Rows of a batch.
    """

    def __init__(self, stream: Iterable[Batch], most: int) -> None:
        self.stream, self.most = stream, most

    def __iter__(self) -> Iterator[Batch]:
        for batch in self.stream:
            yield from _pieces(batch, self.most)


class Blocks:
    """The rows of a stream in batches of one length, however they came.

    A product of matrices is rounded by their shape, so a kernel learner's bits depend on its
    batches, and those of a pipe on the moment.

    Parameters
    ----------
    stream : iterable of batches
    length : int
        Rows of a batch; the last may have fewer.
    """

    def __init__(self, stream: Iterable[Batch], length: int) -> None:
        self.stream, self.length = stream, length

    def __iter__(self) -> Iterator[Batch]:
        from rosenblatt.streams.core.batch import gathered

        held: list[Batch] = []
        for batch in self.stream:
            held.append(batch)
            if sum(len(part.y) for part in held) < self.length:
                continue
            whole = gathered(held)._replace(first_row=held[0].first_row)
            pieces = list(_pieces(whole, self.length))
            held = [] if len(pieces[-1].y) == self.length else [pieces.pop()]
            yield from pieces
        if held:
            yield gathered(held)._replace(first_row=held[0].first_row)


def _pieces(batch: Batch, most: int) -> Iterator[Batch]:
    """A batch cut after every so many rows."""
    from rosenblatt.streams.core.batch import some

    for start in range(0, batch.X.shape[0], most):
        yield some(batch, slice(start, start + most), batch.first_row + start)
