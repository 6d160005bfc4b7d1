"""Rows that cannot be read: the end of a stream, or left out, counted and handed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rosenblatt.streams.core.errors import BadLine, DataError


class BadRow(NamedTuple):
    """A row that was left out.

    Parameters
    ----------
    error : DataError
        Where it stands, and what is wrong with it.
    row : str
        The row as it stood, without the end of its line. Bytes that are not UTF-8 are kept:
        ``row.encode(errors="surrogateescape")`` has them. A row of Parquet or Arrow is JSON.
    number : int
        Its line, from 1; in Parquet and Arrow its row, from 0.

    Examples
    --------
    >>> bad = BadRow(DataError("a.svm", "found 'x', expected index:value.", 3, 3), "1 x", 3)
    >>> bad.error.problem, bad.row
    ("found 'x', expected index:value.", '1 x')
    """

    error: DataError
    row: str
    number: int


OnBadRow = str | Callable[[BadRow], None]
"""``"stop"``, ``"skip"``, or what is called with every row that is left out."""


class BadRows:
    """What becomes of the rows of a source that cannot be read.

    Parameters
    ----------
    source : str
        The source as error messages name it.
    on_bad_row : {"stop", "skip"} or callable
        What :func:`rosenblatt.streams.open_stream` was told.

    Attributes
    ----------
    skips : bool
        Whether rows are left out.
    count : int
        Rows left out since :meth:`begin`.

    Examples
    --------
    >>> rows = BadRows("a.svm", lambda bad: print(bad.error))
    >>> rows.leave_out(rows.of(BadLine(2, 3, "found 'x', expected index:value.", b"1 x"), 11))
    a.svm:12:3: found 'x', expected index:value.
    >>> rows.count
    1
    """

    def __init__(self, source: str, on_bad_row: OnBadRow = "stop") -> None:
        self._source = source
        self._callback = on_bad_row if callable(on_bad_row) else None
        self.skips = on_bad_row != "stop"
        self.begin()

    def begin(self) -> None:
        """Another pass over the source begins."""
        self.count = 0
        self._first: DataError | None = None
        self._deferred: list[BadRow] = []

    def of(self, bad: BadLine, first_line: int) -> BadRow:
        """The bad row that a line is, of a text that begins with line ``first_line``."""
        line = first_line + bad.line - 1
        text = bad.row.removesuffix(b"\r").decode(errors="surrogateescape")
        return BadRow(DataError(self._source, bad.message, line, bad.column), text, line)

    def defer(self, bad: list[BadRow]) -> None:
        """Keep rows until all bad ones of their text are known: see :meth:`settle`."""
        self._deferred += bad

    def flush(self, more: list[BadRow]) -> None:
        """Leave out the rows that wait, and more of the same text, in the order of their lines.

        Raises
        ------
        DataError
            Bad rows are not left out.
        """
        rows, self._deferred = [*self._deferred, *more], []
        for bad in sorted(rows, key=lambda bad: bad.number):
            self.skip(bad)

    def skip(self, bad: BadRow) -> None:
        """Count a row, and hand it on.

        Raises
        ------
        DataError
            Bad rows are not left out.
        """
        if not self.skips:
            raise bad.error
        self.count += 1
        self._first = self._first or bad.error
        if self._callback is not None:
            self._callback(bad)

    def end(self, rows: int, empty_message: str = "no rows.") -> None:
        """The pass is over.

        Parameters
        ----------
        rows : int
            Rows that were read.
        empty_message : str, default "no rows."
            What to say where there were none at all.

        Raises
        ------
        DataError
            There are none.
        """
        if rows:
            return
        if self._first is None:
            raise DataError(self._source, empty_message)
        problem = f"none of its {self.count:,} rows can be read. The first: {self._first.problem}"
        raise DataError(self._source, problem, self._first.line, self._first.column)
