"""The one error of all readers: data that cannot be read, and where."""

from __future__ import annotations

from typing import NamedTuple


class DataError(ValueError):
    """Data that cannot be read: where, what was found, what was expected, what to do.

    Parameters
    ----------
    source : str
        The file's path as it was given, ``stdin``, or another source's name.
    line : int or None
        From 1; None where the problem has no line.
    column : int or None
        Position in the line, in bytes from 1; None where it is not known.
    problem : str
        The message without the place.

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
        super().__init__(source, problem, line, column)
        self.source, self.line, self.column, self.problem = source, line, column, problem

    def __str__(self) -> str:
        location = [str(part) for part in (self.source, self.line, self.column) if part is not None]
        return f"{':'.join(location)}: {self.problem}"


def damaged_file(source: str, kind: str, error: Exception) -> DataError:
    """The error of a file that what reads its kind cannot make sense of.

    Examples
    --------
    >>> str(damaged_file("a.npy", "NumPy", ValueError("no magic")))
    'a.npy: cannot be read as NumPy: it is truncated, damaged or of another kind (no magic).'
    """
    reason = " ".join(str(error).split()).rstrip(".")
    problem = f"cannot be read as {kind}: it is truncated, damaged or of another kind ({reason})."
    return DataError(source, problem)


class Fault(NamedTuple):
    """A place that cannot be read, its line and column from 1, and what to say of it.

    The whole row has ``lines`` lines, ``before`` of them before that of the fault; 0 lines: the row
    ends beyond the text, or is torn.
    """

    line: int
    column: int
    message: str
    lines: int = 1
    before: int = 0


class BadLine(NamedTuple):
    """A line with a fault, its number in its text, and the line itself, without its end."""

    line: int
    column: int
    message: str
    row: bytes
