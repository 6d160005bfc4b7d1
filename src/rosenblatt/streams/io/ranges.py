"""Byte ranges of files: ``PATH#bytes=A-B`` is the lines that start at the bytes A to B − 1."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from rosenblatt.streams.core.errors import DataError

_RANGE = re.compile(r"(.+)#bytes=([0-9]{1,18})-([0-9]{1,18})", re.DOTALL)
_MARK = "#bytes="


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
