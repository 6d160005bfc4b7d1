"""Helpers of the compiled text parsers: counts of bytes, blanks, records, and error positions.

A compiled scan reports only *where* it stopped; plain Python then finds the reason. The text ends
with a newline, which is part of no token: no scan runs past the end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import compiled, inlined
from rosenblatt.engine.text.decimals import Bytes

TAB, NEWLINE, RETURN, BLANK, QUOTE = (ord(c) for c in '\t\n\r "')

MAX_TOKEN_BYTES = 1000
"""Bytes of a token that are read to explain an error."""

Fault = tuple[int, str]
"""The position of a token, and the error in it."""


class TextError(ValueError):
    """A malformed token in a text.

    Parameters
    ----------
    line, column : int
        Start of the token, both from 1; the column counts bytes.
    message : str
    lines : int, default 1
        Number of lines of the malformed row; 0 if its end is not in the text.

    Examples
    --------
    >>> str(TextError(3, 8, "found 'x', expected index:value."))
    "line 3, column 8: found 'x', expected index:value."
    """

    def __init__(self, line: int, column: int, message: str, lines: int = 1) -> None:
        super().__init__(line, column, message, lines)
        self.line, self.column, self.message, self.lines = line, column, message, lines

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


def newline_terminated(buffer: bytes | memoryview | Bytes) -> Bytes:
    r"""Return the bytes as a read-only array that ends with a newline, as compiled scans need it.

    Nothing is copied if the last byte ends a line.

    Examples
    --------
    >>> newline_terminated(b"1 2:3").tobytes()
    b'1 2:3\n'
    """
    text = np.frombuffer(buffer, np.uint8)
    if len(text) and text[-1] != NEWLINE:
        text = np.append(text, np.uint8(NEWLINE))
    text.flags.writeable = False  # one type, compiled once
    return text


def count_bytes(
    text: Bytes, mark: int, compare: Callable[..., Any] = np.equal
) -> tuple[int, int, bool]:
    r"""Count newlines and marks, and tell whether all bytes are ASCII without NUL.

    Parameters
    ----------
    text : uint8 array
    mark : int
    compare : ufunc, default np.equal
        Bytes for which ``compare(byte, mark)`` is true are marks.

    Examples
    --------
    >>> count_bytes(np.frombuffer(b"1 a\tb\n", np.uint8), BLANK, np.less_equal)
    (1, 3, True)
    """
    lines, marks, plain = 0, 0, True
    for start in range(0, len(text), 1 << 18):  # a part stays in the cache
        part = text[start : start + (1 << 18)]
        lines += int(np.count_nonzero(part == NEWLINE))
        marks += int(np.count_nonzero(compare(part, mark)))
        plain = plain and bool(part.view(np.int8).min() > 0)
    return lines, marks, plain


# --- compiled ------------------------------------------------------------------------------------


scanner = partial(compiled, _nrt=False)
"""Decorator of a loop over text. It counts no references: a scan allocates nothing, and counting
halves the speed."""


@inlined
def skip_blanks(text: Bytes, i: int) -> int:
    """Return the end of the blanks and tabs at i."""
    while at(text, i) == BLANK or at(text, i) == TAB:
        i += 1
    return i


@scanner
def _complete_records(text: Bytes, separator: int, quoted: bool) -> tuple[int, bool]:
    stop = i = 0
    if not quoted and len(text) and at(text, 0) == QUOTE:
        quoted, i = True, 1
    while i < len(text):
        if quoted:
            while i < len(text) and at(text, i) != QUOTE:
                i += 1
            quoted = i == len(text) or (i + 1 < len(text) and at(text, i + 1) == QUOTE)
            i += 1 + quoted
        else:
            while i < len(text) and at(text, i) != separator and at(text, i) != NEWLINE:
                i += 1
            if i < len(text) and at(text, i) == NEWLINE:
                stop = i + 1
            quoted = i + 1 < len(text) and at(text, i + 1) == QUOTE
            i += 1 + quoted
    return stop, quoted


def complete_records(text: bytes, separator: str, quoted: bool) -> tuple[int, bool]:
    r"""Return the end of the last complete record, and whether a quote is open after the text.

    Parameters
    ----------
    text : bytes
    separator : str
        Of one byte.
    quoted : bool
        Whether the text begins inside quotes.

    Examples
    --------
    >>> complete_records(b'1,oak\n2,"elm\n', ",", False)
    (6, True)
    >>> complete_records(b'old"\n', ",", True)
    (5, False)
    """
    stop, open_quote = _complete_records(np.frombuffer(text, np.uint8), ord(separator), quoted)
    return stop, open_quote


# --- errors and their positions ------------------------------------------------------------------


def rest_of_line(text: Bytes, begin: int) -> bytes:
    """Return the rest of the line, without its end."""
    stop = begin + int(np.argmax(text[begin:] == NEWLINE))
    return text[begin:stop].tobytes().removesuffix(b"\r")


def locate_line(text: Bytes, begin: int) -> tuple[int, int]:
    """Return the number of lines before the line of ``begin``, and the start of this line."""
    newlines = np.flatnonzero(text[:begin] == NEWLINE)
    return len(newlines), int(newlines[-1]) + 1 if len(newlines) else 0


def error_at(text: Bytes, begin: int, reason: str, first_line: int) -> TextError:
    """Return the error of the token at ``begin``; the text starts with line ``first_line``."""
    before, start = locate_line(text, begin)
    return TextError(first_line + before, begin - start + 1, reason)


def quote_token(token: bytes) -> str:
    """Return the token quoted for an error message: on one line, shortened to 40 characters."""
    text = token.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")
