"""A stream that Ctrl-C or SIGTERM ends between two batches."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from rosenblatt.streams.rechunk import ShuffledBatches

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


class InterruptibleStream:
    """A stream, iterated once per epoch, that SIGINT or SIGTERM ends between two batches.

    While a batch is learned, the signal takes effect at its end; while a batch is read, at once.
    In both cases the iteration ends normally, and :attr:`interrupted` is True.

    Parameters
    ----------
    stream : iterable of batches
    on_batch : callable
        ``on_batch(batch, examples, epoch, length)`` is called before each batch, with the number
        of rows yielded before it, the epoch, and :attr:`length`.
    epochs : int, default=0
        Epochs of an earlier run.
    length : int or None, default=None
        Rows of each of them.

    Attributes
    ----------
    epochs : int
        Epochs begun.
    examples : int
        Rows yielded, over all epochs.
    length : int or None
        Rows of one epoch: known after the first, or if all rows are in memory.
    is_waiting : bool
        Whether the next batch is being read, so that the learner is idle.
    signal : int
        Number of the signal that ended the stream; 0 if none did.
    stop_requested : bool
        Set from outside to prevent a further epoch.
    """

    def __init__(
        self,
        stream: Iterable[Batch],
        on_batch: Callable[[Batch, int, int, int | None], None],
        epochs: int = 0,
        length: int | None = None,
    ) -> None:
        self.stream, self.on_batch = stream, on_batch
        self.epochs, self.length = epochs, length
        self.examples = epochs * (length or 0)
        self.is_waiting = self.stop_requested = False
        self.signal = 0
        self._old_handlers: dict[int, Any] = {}

    @property
    def interrupted(self) -> bool:
        """True if a signal ended the stream."""
        return self.signal != 0

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._old_handlers[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        if self.is_waiting:
            raise KeyboardInterrupt

    def __iter__(self) -> Iterator[Batch]:
        if self.interrupted or self.stop_requested:
            return
        self.epochs += 1
        batches = iter(self.stream)
        while (batch := self._next(batches)) is not None:
            if self.length is None and isinstance(self.stream, ShuffledBatches):
                self.length = self.stream.length
            self.on_batch(batch, self.examples, self.epochs, self.length)
            self.examples += len(batch.y)
            yield batch
        if not self.interrupted:
            self.length = self.examples // self.epochs

    def _next(self, batches: Iterator[Batch]) -> Batch | None:
        try:
            self.is_waiting = True
            return None if self.interrupted else next(batches, None)
        except KeyboardInterrupt:
            return None
        finally:
            self.is_waiting = False
