"""The rows on their way to the learner: in order or mixed, until the end or until a signal."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rosenblatt.streams import Batch

ROWS = 4096
"""Rows of a batch of mixed rows."""


class Passes:
    """A stream that Ctrl-C or SIGTERM ends between two batches, with all before them learned.

    While the learner is at work the signal waits for the batch to end; while a batch is awaited it
    takes effect at once. In both cases the stream just ends, and :attr:`interrupted` is True.

    Parameters
    ----------
    stream : iterable of batches
    on_batch : callable
        ``on_batch(batch, examples, epoch, length)`` before a batch is learned, with the number of
        rows given out before, and :attr:`length`.
    on_end : callable
        ``on_end(epoch)`` when a whole pass was learned.
    epochs : int, default=0
        Passes made before.
    length : int or None, default=None
        Rows of each of them.

    Attributes
    ----------
    epochs : int
        Passes begun.
    examples : int
        Rows given out, over all passes.
    length : int or None
        Rows of one pass, where that is known: after the first, or if all are held in memory.
    waiting : bool
        Whether a batch is awaited, and the learner at rest.
    signal : int
        The signal that ended the stream; 0 where none did.
    ended : bool
        Whoever sets this wants no further pass.
    """

    def __init__(
        self,
        stream: Iterable[Batch],
        on_batch: Callable[[Batch, int, int, int | None], None],
        on_end: Callable[[int], None],
        epochs: int = 0,
        length: int | None = None,
    ) -> None:
        self.stream, self.on_batch, self.on_end = stream, on_batch, on_end
        self.epochs, self.length = epochs, length
        self.examples = epochs * (length or 0)
        self.waiting = self.ended = False
        self.signal = 0
        self._before: dict[int, Any] = {}

    @property
    def interrupted(self) -> bool:
        """Whether a signal ended the stream."""
        return self.signal != 0

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        if self.waiting:
            raise KeyboardInterrupt

    def __iter__(self) -> Iterator[Batch]:
        if self.interrupted or self.ended:
            return
        self.epochs += 1
        batches = iter(self.stream)
        while (batch := self._next(batches)) is not None:
            if self.length is None and isinstance(self.stream, Mixed):
                self.length = self.stream.length
            self.on_batch(batch, self.examples, self.epochs, self.length)
            self.examples += len(batch.y)
            yield batch
        if not self.interrupted:
            self.length = self.examples // self.epochs
            self.on_end(self.epochs)

    def _next(self, batches: Iterator[Batch]) -> Batch | None:
        try:
            self.waiting = True
            return None if self.interrupted else next(batches, None)
        except KeyboardInterrupt:
            return None
        finally:
            self.waiting = False


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
        from rosenblatt.streams.holding import gathered, some

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
        from rosenblatt.streams.holding import gathered

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
    from rosenblatt.streams.holding import some

    for start in range(0, batch.X.shape[0], most):
        yield some(batch, slice(start, start + most), batch.first_row + start)
