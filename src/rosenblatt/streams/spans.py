"""A plain file cut at line ends: each span of it is read where it is worked on, in any thread."""

from __future__ import annotations

import codecs
import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass

_STEP = 1 << 16  # bytes searched for a line's end at a time


class _Handle:
    """An open file, closed when the last span of it is gone."""

    def __init__(self, path: str) -> None:
        self.number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def __del__(self) -> None:
        if hasattr(self, "number"):
            os.close(self.number)


@dataclass(frozen=True)
class Span:
    """Whole lines of a file, not read yet.

    Parameters
    ----------
    handle : open file
    start, stop : int
        Positions of the first byte, and behind the last.
    """

    handle: _Handle
    start: int
    stop: int

    def __call__(self) -> bytes:
        """The text, without a byte order mark.

        Raises
        ------
        OSError
            The file cannot be read, or has become shorter.
        """
        pieces, start = [], self.start
        while start < self.stop:  # one read gives 2 GB at most
            piece = os.pread(self.handle.number, self.stop - start, start)
            if not piece:
                raise OSError(errno.EIO, "it became shorter while it was read")
            pieces.append(piece)
            start += len(piece)
        text = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        return text if self.start else text.removeprefix(codecs.BOM_UTF8)


def spans(path: str, size: int) -> Iterator[Span]:
    """The file as it is now, in spans of whole lines of about ``size`` bytes; longer lines whole.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    handle = _Handle(path)
    start, end = 0, os.fstat(handle.number).st_size
    while start < end:
        stop = _line_end(handle, min(start + size, end), end)
        yield Span(handle, start, stop)
        start = stop


def _line_end(handle: _Handle, position: int, end: int) -> int:
    """Where the line of the byte before ``position`` ends."""
    position -= 1
    while position < end:
        piece = os.pread(handle.number, _STEP, position)
        newline = piece.find(b"\n")
        if newline >= 0:
            return min(position + newline + 1, end)
        if not piece:
            break
        position += len(piece)
    return end
