"""Errors of data that cannot be read, with their position in the source."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.streams.core.access import shown


class DataError(ValueError):
    """Data that cannot be read: the position, what is there, what was expected, what to do.

    Parameters
    ----------
    source : str
        The file's path as the caller wrote it, ``stdin``, or another source's name; of a URL
        without user, password and query, which may be secret.
    problem : str
        The message without the position.
    line : int or None, default None
        From 1; None where the problem has no line.
    column : int or None, default None
        Position in the line, in bytes from 1; None where unknown.

    Examples
    --------
    >>> str(DataError("mail.svm", "found 'x', expected index:value.", 3, 8))
    "mail.svm:3:8: found 'x', expected index:value."
    >>> str(DataError("mail.svm", "no rows."))
    'mail.svm: no rows.'
    """

    def __init__(
        self, source: str, problem: str, line: int | None = None, column: int | None = None
    ) -> None:
        source, problem = shown(source), shown(problem)
        super().__init__(source, problem, line, column)
        self.source, self.problem, self.line, self.column = source, problem, line, column

    def __str__(self) -> str:
        position = [str(part) for part in (self.source, self.line, self.column) if part is not None]
        return f"{':'.join(position)}: {self.problem}"


class NoRowsError(DataError):
    """A source without a single row: an error, except where it is one part of the data."""


def damaged_file(source: str, kind: str, error: Exception) -> DataError:
    """Return the error of a file that the reader of its format rejects.

    Examples
    --------
    >>> str(damaged_file("a.npy", "NumPy", ValueError("no magic")))
    'a.npy: cannot be read as NumPy: it is truncated, damaged or of another kind (no magic).'
    """
    reason = " ".join(str(error).split()).rstrip(".")
    problem = f"cannot be read as {kind}: it is truncated, damaged or of another kind ({reason})."
    return DataError(source, problem)


class TextFault(NamedTuple):
    """The first position of a row of text that cannot be read.

    Parameters
    ----------
    line, column : int
        From 1, within one text.
    message : str
    lines : int, default 1
        Lines of the whole row. 0: the row ends beyond the text, or its end is unknown.
    before : int, default 0
        Lines of the row before ``line``.
    row : bytes, default b""
        The row, without the end of its last line.
    """

    line: int
    column: int
    message: str
    lines: int = 1
    before: int = 0
    row: bytes = b""
