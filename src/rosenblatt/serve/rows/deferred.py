"""Rows that wait for a commit, with which they are written."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

MAX_ROWS = 1000
"""Predictions that are written with one commit."""
MAX_BYTES = 2**22
"""Bytes of them, but for the last one: a commit needs twice as much of the disk for a while."""
MAX_DEFERRED = 2**26
"""Bytes of predictions that wait for a commit; while the disk refuses, the oldest are dropped."""
ROW_BYTES = 300
"""Bytes of a row in memory, besides its content."""


T = TypeVar("T")


class Deferred(Generic[T]):
    """Rows that wait for a commit; the oldest go where they are too many bytes.

    Attributes
    ----------
    added, written : int
        Rows that were added, and those of them that waited no more when the last commit ended.
    """

    def __init__(self) -> None:
        self._rows: deque[tuple[T, int]] = deque()
        self._bytes = self.added = self.written = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: T, size: int) -> None:
        """Add a row of some bytes."""
        self.added += 1
        self._rows.append((row, size + ROW_BYTES))
        self._bytes += size + ROW_BYTES
        self._trim()

    def take(self) -> list[tuple[T, int]]:
        """Return the rows of the next commit, with their bytes, and remove them."""
        rows: list[tuple[T, int]] = []
        size = 0
        while self._rows and len(rows) < MAX_ROWS and size < MAX_BYTES:
            rows.append(self._rows.popleft())
            size += rows[-1][1]
        self._bytes -= size
        return rows

    def count_written(self) -> None:
        """Count the rows that :meth:`take` gave: their commit has ended."""
        self.written = self.added - len(self._rows)

    def give_back(self, rows: list[tuple[T, int]]) -> None:
        """Add rows again whose commit failed."""
        self._rows.extendleft(reversed(rows))
        self._bytes += sum(size for _, size in rows)
        self._trim()

    def _trim(self) -> None:
        while self._bytes > MAX_DEFERRED:
            self._bytes -= self._rows.popleft()[1]
