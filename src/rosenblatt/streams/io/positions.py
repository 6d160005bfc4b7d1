"""Places in texts where lines and records start, of files on a disk and at URLs."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import BinaryIO, cast

from rosenblatt.streams.core.access import NO_ACCESS, Access
from rosenblatt.streams.io.paths import ByteRange
from rosenblatt.streams.io.remote import is_url, open_url

_HEAD_BYTES = 1 << 20


def open_bytes(
    path: str, access: Access = NO_ACCESS, start: int = 0, stop: int | None = None
) -> BinaryIO:
    """Open a file, or a URL, at a byte; of a URL only the bytes up to ``stop`` are there."""
    if is_url(path):
        file = open_url(path, access._replace(cache_bytes=0), start, stop)
        return cast(BinaryIO, io.BufferedReader(file, _HEAD_BYTES))
    local = open(path, "rb")  # noqa: SIM115  closed by the caller
    local.seek(start)
    return local


def count_lines_before(part: ByteRange, access: Access = NO_ACCESS) -> int:
    r"""Return the number of lines of the file that start before a range.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.svm")
    ...     _ = path.write_text("1 1:1\n" * 9)
    ...     [count_lines_before(ByteRange(str(path), start, 60)) for start in (0, 1, 6, 7)]
    [0, 1, 1, 2]
    """
    if part.start == 0:
        return 0
    lines, rest = 1, part.start - 1
    with open_bytes(part.path, access, 0, rest) as file:
        while piece := file.read(min(rest, _HEAD_BYTES)):
            lines, rest = lines + piece.count(b"\n"), rest - len(piece)
    return lines


def has_quotes(path: str, access: Access = NO_ACCESS) -> bool:
    """Return whether the first megabyte of a file has a double quote."""
    with open_bytes(path, access, 0, _HEAD_BYTES) as file:
        return b'"' in file.read(_HEAD_BYTES)


def record_starts(
    path: str, positions: Sequence[int], separator: str = ",", access: Access = NO_ACCESS
) -> list[int]:
    r"""Return the first start of a record at or after each position of a table with quoted cells.

    A line end in a quoted cell ends no record. ``positions`` ascend. The file is read from its
    start.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text('a,b\n"x\ny",2\nz,3\n')
    ...     record_starts(str(path), [0, 3, 6, 12])
    [0, 4, 12, 12]
    """
    from rosenblatt.engine.text.scanning import complete_records

    starts: list[int] = []
    offset, quoted = 0, False
    with open_bytes(path, access) as file:
        for position in positions:
            while offset < position or quoted:
                size = min(max(1, position - offset), _HEAD_BYTES)
                lines = file.read(size - 1) + file.readline()
                if not lines:
                    break
                _, quoted = complete_records(lines, separator, quoted)
                offset += len(lines)
            starts.append(offset)
    return starts


def is_in_quotes(
    path: str, position: int, separator: str = ",", access: Access = NO_ACCESS
) -> bool:
    r"""Return whether the first line at or after a position begins inside a quoted cell.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text('a,b\n"x\ny",2\nz,3\n')
    ...     [is_in_quotes(str(path), position) for position in (0, 4, 5, 8, 99)]
    [False, False, True, False, False]
    """
    line = 0
    if position > 0:
        with open_bytes(path, access, position - 1) as file:
            rest = file.readline()
        if not rest:
            return False
        line = position - 1 + len(rest)
    return record_starts(path, [position], separator, access) != [line]
