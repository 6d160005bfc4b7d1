"""The torn end of SQLite's write-ahead log: frames of a commit that did not finish.

SQLite drops such frames when it opens the database, and says nothing. No commit that was answered
is among them. The format is that of SQLite's documentation, "WAL file format".
"""

from __future__ import annotations

import os
import struct

_HEADER, _FRAME = 32, 24
_MAGIC = (0x377F0682, 0x377F0683)


def torn_bytes(path: str | os.PathLike[str]) -> int:
    """Return how many bytes at the end of a write-ahead log belong to no finished commit.

    Frames of an older log, which a newer one has not yet written over, do not count.

    Examples
    --------
    >>> torn_bytes("there-is-no-such-log")
    0
    """
    try:
        with open(path, "rb") as file:
            return _walk(file.read())
    except FileNotFoundError:
        return 0


def _walk(log: bytes) -> int:
    if len(log) < _HEADER:
        return len(log)
    magic, _, page, _, *salts = struct.unpack(">6I", log[:24])
    if magic not in _MAGIC:
        return len(log)
    order = ">" if magic & 1 else "<"
    sums = _checksum(log[:24], (0, 0), order)
    if sums != struct.unpack(">2I", log[24:_HEADER]):
        return len(log)
    committed = position = _HEADER
    size = _FRAME + page
    while position < len(log):
        frame = log[position : position + size]
        if len(frame) >= 16 and list(struct.unpack(">2I", frame[8:16])) != salts:
            break  # of an older log
        if len(frame) < size:
            return len(log) - committed
        sums = _checksum(frame[_FRAME:], _checksum(frame[:8], sums, order), order)
        if sums != struct.unpack(">2I", frame[16:_FRAME]):
            return len(log) - committed
        position += size
        if struct.unpack(">I", frame[4:8])[0]:  # the last frame of a commit
            committed = position
    return position - committed


def _checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for j in range(0, len(words), 2):
        first = (first + words[j] + second) & 0xFFFFFFFF
        second = (second + words[j + 1] + first) & 0xFFFFFFFF
    return first, second
