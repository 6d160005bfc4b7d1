"""Byte ranges of files: ``PATH#bytes=A-B`` is the lines that start at the bytes A to B − 1."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt.streams.core.errors import DataError

_RANGE = re.compile(r"(.+)#bytes=([0-9]{1,18})-([0-9]{1,18})", re.DOTALL)
_MARK = "#bytes="
_HEAD_BYTES = 1 << 20


class ByteRange(NamedTuple):
    """A file, the first byte of a range in it, and the byte after the last.

    Examples
    --------
    >>> str(ByteRange("mail.svm", 100, 200))
    'mail.svm#bytes=100-200'
    """

    path: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.path}{_MARK}{self.start}-{self.stop}"


def byte_range(name: str) -> ByteRange | None:
    """Return the range that a name stands for; None for the name of a file.

    Raises
    ------
    DataError
        The range is malformed, or ends before it starts.

    Examples
    --------
    >>> byte_range("mail.svm#bytes=100-200")
    ByteRange(path='mail.svm', start=100, stop=200)
    >>> byte_range("mail.svm")
    """
    if _MARK not in name or os.path.exists(name):
        return None
    match = _RANGE.fullmatch(name)
    if match is None or int(match[2]) > int(match[3]):
        expected = "#bytes=A-B with numbers A <= B"
        raise DataError(name, f"is no byte range of a file: expected {expected}.")
    return ByteRange(match[1], int(match[2]), int(match[3]))


def path_of(name: str) -> str:
    """Return the path of the file that a name, perhaps with a range, stands for.

    Examples
    --------
    >>> path_of("mail.svm#bytes=0-9")
    'mail.svm'
    """
    part = byte_range(name)
    return name if part is None else part.path


def count_lines_before(part: ByteRange) -> int:
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
    with open(part.path, "rb") as file:
        while piece := file.read(min(rest, _HEAD_BYTES)):
            lines, rest = lines + piece.count(b"\n"), rest - len(piece)
    return lines


def error_in_file(error: DataError) -> DataError:
    """Return the error of a line of a range with the line's number in the file.

    The lines before the range are counted, which reads the file up to there.
    """
    part = byte_range(error.source)
    if part is None or error.line is None:
        return error
    problem = f"{error.problem} It is in the range {error.source}."
    return DataError(part.path, problem, count_lines_before(part) + error.line, error.column)


def record_starts(path: str, positions: Sequence[int]) -> list[int]:
    r"""Return the first start of a record at or after each position of a CSV file.

    A line end between double quotes ends no record. ``positions`` ascend. The file is read from its
    start; without a double quote in its first megabyte, line ends are taken for ends of records.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "a.csv")
    ...     _ = path.write_text('a,b\n"x\ny",2\nz,3\n')
    ...     record_starts(str(path), [0, 3, 6, 12])
    [0, 4, 12, 12]
    """
    with open(path, "rb") as file:
        if b'"' not in file.read(_HEAD_BYTES):
            return list(positions)
    starts: list[int] = []
    wanted = iter(positions)
    position, offset, quotes = next(wanted, None), 0, 0
    with open(path, "rb") as file:
        for line in file:
            while position is not None and position <= offset and quotes % 2 == 0:
                starts.append(offset)
                position = next(wanted, None)
            if position is None:
                return starts
            offset += len(line)
            quotes += line.count(b'"')
    return starts + [offset] * (len(positions) - len(starts))
