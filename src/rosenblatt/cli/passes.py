"""The rows on their way to the learner: in order or mixed, until the end or until Ctrl-C."""

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
    """A stream that Ctrl-C ends between two batches, with everything before them learned.

    While the learner is at work Ctrl-C waits for the batch to end; while a batch is awaited it
    takes effect at once. In both cases the stream just ends, and :attr:`interrupted` is True.

    Parameters
    ----------
    stream : iterable of batches
    on_batch : callable
        ``on_batch(batch, examples, epoch, length)`` before a batch is learned, with the number of
        rows given out before, and :attr:`length`.
    on_end : callable
        ``on_end(epoch)`` when a whole pass was learned.

    Attributes
    ----------
    epochs : int
        Passes begun.
    examples : int
        Rows given out, over all passes.
    length : int or None
        Rows of one pass, where that is known: after the first, or if all are held in memory.
    interrupted : bool
    """

    def __init__(
        self,
        stream: Iterable[Batch],
        on_batch: Callable[[Batch, int, int, int | None], None],
        on_end: Callable[[int], None],
    ) -> None:
        self.stream, self.on_batch, self.on_end = stream, on_batch, on_end
        self.epochs = self.examples = 0
        self.length: int | None = None
        self.interrupted = False
        self._reading = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True
        if self._reading:
            raise KeyboardInterrupt

    def __iter__(self) -> Iterator[Batch]:
        if self.interrupted:
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
            self._reading = True
            return None if self.interrupted else next(batches, None)
        except KeyboardInterrupt:
            return None
        finally:
            self._reading = False


class Mixed:
    """All rows of a stream, held in memory, in a new order every pass.

    Parameters
    ----------
    stream : iterable of batches
    seed : int
    most : int, default=4096
        Rows of a batch.

    Attributes
    ----------
    length : int or None
        Rows of all batches together, once they were read.
    """

    def __init__(self, stream: Iterable[Batch], seed: int, most: int = ROWS) -> None:
        import numpy as np

        self.stream, self.most = stream, most
        self.length: int | None = None
        self._random = np.random.default_rng(seed)
        self._all: Batch | None = None

    def __iter__(self) -> Iterator[Batch]:
        from rosenblatt.streams.holding import gathered, some

        if self._all is None:
            self._all = gathered(self.stream)
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
        from rosenblatt.streams.holding import some

        for batch in self.stream:
            for start in range(0, batch.X.shape[0], self.most):
                yield some(batch, slice(start, start + self.most), batch.first_row + start)
