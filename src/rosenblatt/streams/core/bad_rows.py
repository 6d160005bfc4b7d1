"""Rows that cannot be read: raised as errors, or skipped, counted and passed to a callback."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rosenblatt.streams.core.errors import DataError, NoRowsError, TextFault
from rosenblatt.utils.words import count


class BadRow(NamedTuple):
    """A row that cannot be read.

    Parameters
    ----------
    error : DataError
        Its position, and what is wrong with it.
    row : str
        The row as in the source, without the end of its line. Bytes that are not UTF-8 survive:
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
"""``"stop"``, ``"skip"``, or a function that is called with every skipped row."""


class InOrder:
    """Policy that skips bad rows, and calls a function between the rows before and after each.

    Batches end at bad rows. Without it, the function is called after a batch with the bad rows of
    the batch.

    Parameters
    ----------
    callback : callable
        It is called with each :class:`BadRow`.
    """

    def __init__(self, callback: Callable[[BadRow], None]) -> None:
        self._callback = callback

    def __call__(self, bad: BadRow) -> None:
        """Call the function."""
        self._callback(bad)


class BadRows:
    """Policy for the bad rows of one source, and their count.

    Parameters
    ----------
    source : str
        The source as error messages name it.
    on_bad_row : {"stop", "skip"} or callable
        The option of :func:`rosenblatt.streams.open_stream`.

    Attributes
    ----------
    skips : bool
        Whether bad rows are skipped.
    in_order : bool
        Whether batches end at bad rows.
    count : int
        Rows skipped since :meth:`begin`.

    Examples
    --------
    >>> rows = BadRows("a.svm", lambda bad: print(bad.error))
    >>> fault = TextFault(2, 3, "found 'x', expected index:value.", row=b"1 x")
    >>> rows.report(rows.bad_row(fault, 11))
    a.svm:12:3: found 'x', expected index:value.
    >>> rows.count
    1
    """

    def __init__(self, source: str, on_bad_row: OnBadRow = "stop") -> None:
        self._source = source
        self._callback = on_bad_row if callable(on_bad_row) else None
        self.skips = on_bad_row != "stop"
        self.in_order = isinstance(on_bad_row, InOrder)
        self.begin()

    def begin(self) -> None:
        """Begin another pass over the source."""
        self.count = 0
        self._first: DataError | None = None
        self._deferred: list[BadRow] = []

    def bad_row(self, fault: TextFault, first_line: int) -> BadRow:
        """Return the row of a fault in a text that begins with line ``first_line``."""
        line = first_line + fault.line - 1
        text = fault.row.removesuffix(b"\r").decode(errors="surrogateescape")
        return BadRow(DataError(self._source, fault.message, line, fault.column), text, line)

    def defer(self, bad: list[BadRow]) -> None:
        """Hold rows back until :meth:`report_all`, which has the other bad rows of their text."""
        self._deferred += bad

    def cut(
        self, numbers: Sequence[int], bad: list[BadRow]
    ) -> Iterator[tuple[slice, list[BadRow]]]:
        """Yield slices of the rows of a batch, and the bad rows to report after each.

        Parameters
        ----------
        numbers : sequence of int
            The numbers of the rows that can be read, ascending.
        bad : list of BadRow

        Examples
        --------
        >>> bad = [BadRow(DataError("a", "", k), "", k) for k in (2, 5)]
        >>> [(rows, len(some)) for rows, some in BadRows("a", "skip").cut([1, 3, 4], bad)]
        [(slice(0, 3, None), 2)]
        >>> [(rows, len(some)) for rows, some in BadRows("a", InOrder(print)).cut([1, 3, 4], bad)]
        [(slice(0, 1, None), 1), (slice(1, 3, None), 1), (slice(3, 3, None), 0)]
        """
        begin = 0
        if self.in_order:
            for one in sorted(bad, key=lambda one: one.number):
                end = bisect_left(numbers, one.number)
                yield slice(begin, end), [one]
                begin = end
            bad = []
        yield slice(begin, len(numbers)), bad

    def report_all(self, more: list[BadRow]) -> None:
        """Report the deferred rows and ``more`` of the same text, in the order of their lines.

        Raises
        ------
        DataError
            The option is "stop".
        """
        rows, self._deferred = [*self._deferred, *more], []
        for bad in sorted(rows, key=lambda bad: bad.number):
            self.report(bad)

    def report(self, bad: BadRow) -> None:
        """Count a row and pass it to the callback, or raise its error.

        Raises
        ------
        DataError
            The option is "stop".
        """
        if not self.skips:
            raise bad.error
        self.count += 1
        self._first = self._first or bad.error
        if self._callback is not None:
            self._callback(bad)

    def end(self, rows: int, empty_message: str = "no rows.") -> None:
        """End the pass; refuse a source without a single row that can be read.

        Parameters
        ----------
        rows : int
            Rows read.
        empty_message : str, default "no rows."
            The problem of a source without rows, good or bad.

        Raises
        ------
        DataError
            ``rows`` is 0.
        """
        if rows:
            return
        if self._first is None:
            raise NoRowsError(self._source, empty_message)
        problem = (
            f"none of its {count(self.count, 'row')} can be read. The first: {self._first.problem}"
        )
        raise DataError(self._source, problem, self._first.line, self._first.column)
