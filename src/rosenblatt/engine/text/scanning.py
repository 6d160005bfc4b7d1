"""Helpers of the text parsers: records, decimals as they are written, and error positions.

A scan of the core reports only *where* it stopped; plain Python then finds the reason. The text
ends with a newline, which is part of no token: no scan runs past the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.utils.arrays import Array, NDArray
from rosenblatt.utils.long_numbers import split_decimal

Bytes = NDArray[np.uint8]

NEWLINE, BLANK, QUOTE = (ord(c) for c in '\n "')

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
    r"""Return the bytes as a read-only array that ends with a newline, as scans need it.

    Nothing is copied if the last byte ends a line.

    Examples
    --------
    >>> newline_terminated(b"1 2:3").tobytes()
    b'1 2:3\n'
    """
    text = np.frombuffer(buffer, np.uint8)
    if len(text) and text[-1] != NEWLINE:
        text = np.append(text, np.uint8(NEWLINE))
    return text


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
    return core.complete_records(np.frombuffer(text, np.uint8), ord(separator), quoted)


_MOST_POWER = 9 * 10**17  # that of src/core/text/decimals.h, far beyond every float


def read_written(text: Bytes, spans: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    r"""Return digits and powers of the decimals in spans (start, end) of the text.

    Returns
    -------
    digits : int64 array, or of Python's integers where one has more than 18 digits
    powers : int64 array
        The numbers are digits · 10^powers.

    Examples
    --------
    >>> text = np.frombuffer(b"-0.125e1\n", np.uint8)
    >>> [numbers.tolist() for numbers in read_written(text, np.array([[0, 8]]))]
    [[-125], [-2]]
    """
    digits, powers, fits = core.read_written(text, np.ascontiguousarray(spans))
    if fits.all():
        return digits, powers
    exact = digits.astype(object)
    for k in np.flatnonzero(~fits).tolist():
        begin, stop = spans[k].tolist()
        exact[k], power = split_decimal(text[begin:stop].tobytes().decode())
        powers[k] = min(max(power, -_MOST_POWER), _MOST_POWER)
    return exact, powers


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


def reason_of(word: str, reasons: Iterable[tuple[str, str]]) -> str:
    """Return the reason of the first pattern that matches a whole word, in lower case."""
    return next(
        reason for pattern, reason in reasons if re.fullmatch(pattern, word.lower(), re.DOTALL)
    )


def token_text(token: bytes) -> str:
    """Return the token as text; bytes that are not UTF-8 are escaped."""
    return token.decode("utf-8", "backslashreplace")


def quote_token(token: bytes) -> str:
    """Return the token quoted for an error message: on one line, shortened to 40 characters."""
    text = token_text(token)
    return repr(text if len(text) <= 40 else text[:37] + "...")
