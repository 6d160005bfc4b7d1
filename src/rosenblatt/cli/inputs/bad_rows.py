"""Rows that cannot be read, left out and written to a side file."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from rosenblatt.cli.display import fmt, terminal

if TYPE_CHECKING:
    from rosenblatt.streams import BadRow
    from rosenblatt.streams.core.options import ReadOptions


class BadRowFile:
    """Writes every row that is left out to a side file, at once, and tells of them in the end.

    The file begins anew with the first of them. Rows that are read again, in later passes, are
    written once.

    Parameters
    ----------
    path : str

    Attributes
    ----------
    count : int
        Rows written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.count = 0
        self._first = ""
        self._latest: dict[str, int] = {}  # of each source, the number of its latest row
        self._file: BinaryIO | None = None

    def __call__(self, bad: BadRow) -> None:
        """One more row.

        Raises
        ------
        OSError
            It cannot be written.
        """
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
        except OSError as failure:  # such as a full disk's, which names no file
            raise OSError(failure.errno, failure.strerror, self.path) from failure
        self.count += 1

    def close(self) -> None:
        """Tell what was left out, if anything was."""
        if self._file is not None:
            with suppress(OSError):  # it was told when it happened
                self._file.close()
        if self.count:
            skipped = f"left out {fmt.count(self.count, 'row')} that cannot be read"
            where = "it is" if self.count == 1 else "they are"
            message = f"{skipped}: {where} in {self.path}. The first: {self._first}"
            terminal.print_line("warning", message, "bold yellow")


def format_bad_row(bad: BadRow) -> str:
    r"""A line of the side file.

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
    """Refuse a file that could not be a side file of an earlier run.

    Raises
    ------
    ValueError
    """
    with open(path, "rb") as file:
        record = json.loads(file.readline(1 << 30) or b"null")
    if not isinstance(record, dict) or list(record) != ["file", "line", "column", "problem", "row"]:
        raise ValueError("no bad rows")


def count_bad_rows(read_options: ReadOptions) -> int:
    """How many rows were left out so far."""
    return read_options.on_bad_row.count if isinstance(read_options.on_bad_row, BadRowFile) else 0
