"""Ctrl-C and SIGTERM during a run: they end it between two batches."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from rosenblatt.cli.display.errors import Interruption

if TYPE_CHECKING:
    from rosenblatt.streams import Batch


class Signals:
    """Handler of SIGINT and SIGTERM, within a ``with`` block.

    While a batch is learned, a signal takes effect at its end; while one is read, at once. In both
    cases :meth:`batches` ends normally.

    Attributes
    ----------
    number : int
        Number of the signal that came; 0 if none did.
    is_waiting : bool
        Whether the next batch is being read, so that the learner is idle.
    """

    def __init__(self) -> None:
        self.number, self.is_waiting = 0, False
        self._old_handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._old_handlers[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        if self.is_waiting:
            raise Interruption

    def batches(self, stream: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches of a stream up to its end, or to a signal."""
        batches = iter(stream)
        while True:
            try:
                self.is_waiting = True
                batch = None if self.number else next(batches, None)
            except KeyboardInterrupt:
                return
            finally:
                self.is_waiting = False
            if batch is None:
                return
            yield batch
