"""File of skipped rows: rows that could not be parsed, with ``--on-bad-row skip``."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

import click

from rosenblatt.cli.display import fmt, terminal
from rosenblatt.cli.display.errors import BadData

if TYPE_CHECKING:
    from rosenblatt.streams import BadRow
    from rosenblatt.streams.core.bad_rows import OnBadRow
    from rosenblatt.streams.core.options import ReadOptions


class BadRowFile:
    """Writer of skipped rows, one JSON object per line, flushed after each.

    An existing file is replaced when the first row is written. Rows read again in later epochs are
    written once.

    Parameters
    ----------
    path : str

    Attributes
    ----------
    count : int
        Number of rows written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.count = 0
        self._first = ""
        self._latest: dict[str, int] = {}  # source -> number of its last row
        self._file: BinaryIO | None = None

    def __call__(self, bad: BadRow) -> None:
        """Write one row."""
        error = bad.error
        if bad.number <= self._latest.get(error.source, -1):
            return
        self._latest[error.source] = bad.number
        try:
            if self._file is None:
                self._file = open(self.path, "wb")  # noqa: SIM115  # until `close`
                self._first = str(error)
            self._file.write(format_bad_row(bad).encode())
            self._file.flush()
        except OSError as failure:  # of a full disk; it names no file
            raise OSError(failure.errno, failure.strerror, self.path) from failure
        self.count += 1

    def close(self) -> None:
        """Close the file, and print a warning if rows were skipped."""
        if self._file is not None:
            with suppress(OSError):  # reported by the write
                self._file.close()
        if self.count:
            skipped = f"skipped {fmt.count(self.count, 'row')} that could not be parsed"
            message = f"{skipped}, written to {self.path}. The first: {self._first}"
            terminal.print_line("warning", message, "bold yellow")


class MarkedRows:
    """Printer of a line for each bad row, so that lines of output and rows stay aligned.

    Parameters
    ----------
    policy : {"stop", "skip"} or callable
        A callable is called with each bad row, too.
    as_json : bool
        Whether the line is an object; else it is empty.

    Attributes
    ----------
    count : int
        Number of bad rows.
    """

    def __init__(self, policy: OnBadRow, as_json: bool) -> None:
        self.count = 0
        self._first = ""
        self._callback = policy if callable(policy) else None
        self._as_json = as_json

    def __call__(self, bad: BadRow) -> None:
        """Print the line of one row."""
        self.count += 1
        self._first = self._first or str(bad.error)
        record = {"prediction": None, "problem": str(bad.error)}
        click.echo(json.dumps(record, ensure_ascii=False) if self._as_json else "")
        if self._callback is not None:
            self._callback(bad)

    def check(self) -> None:
        """Raise an error that counts the bad rows, unless they were skipped on request.

        Raises
        ------
        BadData
        """
        if self.count and self._callback is None:
            rows = fmt.count(self.count, "row")
            mark = "has no prediction" if self._as_json else "is empty"
            raise BadData(
                f"{rows} could not be parsed: the line of each {mark}. The first: {self._first}"
            )


def format_bad_row(bad: BadRow) -> str:
    r"""Format a skipped row as a line of the file.

    Examples
    --------
    >>> from rosenblatt.streams import BadRow, DataError
    >>> format_bad_row(BadRow(DataError("a.svm", "found 'x'.", 3), "1 x", 3))
    '{"file": "a.svm", "line": 3, "column": null, "problem": "found \'x\'.", "row": "1 x"}\n'
    """
    error = bad.error
    record = {
        "file": error.source,
        "line": error.line,
        "column": error.column,
        "problem": error.problem,
        "row": bad.row,
    }
    return json.dumps(record) + "\n"


def check_bad_row_file(path: str) -> None:
    """Raise ValueError if a file does not start with a skipped row."""
    with open(path, "rb") as file:
        record = json.loads(file.readline(1 << 30) or b"null")
    if not isinstance(record, dict) or list(record) != ["file", "line", "column", "problem", "row"]:
        raise ValueError("no bad rows")


def count_bad_rows(read_options: ReadOptions) -> int:
    """Return the number of rows skipped so far."""
    return read_options.on_bad_row.count if isinstance(read_options.on_bad_row, BadRowFile) else 0
