"""What the compiled readers of text share: a survey, blanks, and the place of what is wrong.

A reader's compiled scan says only *where* it cannot go on; plain Python then finds out why. The
text ends with a newline, which is part of no token: no scan runs over the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import compiled
from rosenblatt.engine.text.decimals import Bytes, subroutine

TAB, NEWLINE, RETURN, BLANK = (ord(c) for c in "\t\n\r ")

MAX_TOKEN_BYTES = 1000
"""Bytes of a token that are enough to say what is wrong with it."""

Fault = tuple[int, str]
"""Where a token begins, and what is wrong with it."""

F = TypeVar("F", bound=Callable[..., Any])


class TextError(ValueError):
    """A place in the text that cannot be read.

    Parameters
    ----------
    line, column : int
        Where the token begins, both from 1; the column counts bytes.
    message : str
    lines : int, default 1
        How many lines the row has that cannot be read; 0 where its end is not in the text.

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
    r"""The bytes as compiled scans take them: read-only, and ended by a newline.

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


# --- compiled ------------------------------------------------------------------------------------


def scanner(function: F) -> F:
    """Compiled without reference counts: nothing is allocated, and counting halves the speed."""
    return compiled(function, _nrt=False)


@scanner
def count_bytes(text: Bytes, mark: int, other: int) -> tuple[int, int, bool]:
    r"""How many newlines and how many of two other bytes there are, and whether all is plain.

    Plain is what is ASCII without NUL.

    Examples
    --------
    >>> count_bytes(np.frombuffer(b"1 a\tb\n", np.uint8), BLANK, TAB)
    (1, 2, True)
    """
    all_lines = all_marks = all_odd = 0
    one, two = np.uint8(mark), np.uint8(other)
    for start in range(0, len(text), 1 << 30):
        lines: Any = np.int32(0)  # narrow, so that many bytes are counted at once
        marks: Any = np.int32(0)
        odd: Any = np.int32(0)
        for i in range(start, min(start + (1 << 30), len(text))):
            byte = at(text, i)
            lines = np.int32(lines + (byte == NEWLINE))
            marks = np.int32(marks + ((byte == one) | (byte == two)))
            odd = np.int32(odd + ((byte == 0) | (byte >= 0x80)))
        all_lines, all_marks, all_odd = all_lines + lines, all_marks + marks, all_odd + odd
    return all_lines, all_marks, bool(all_odd == 0)


@subroutine
def skip_blanks(text: Bytes, i: int) -> int:
    """Where the blanks and tabs at i end."""
    while at(text, i) == BLANK or at(text, i) == TAB:
        i += 1
    return i


# --- what is wrong, and where --------------------------------------------------------------------


def rest_of_line(text: Bytes, begin: int) -> bytes:
    """The rest of the line, without its end."""
    stop = begin + int(np.argmax(text[begin:] == NEWLINE))
    return text[begin:stop].tobytes().removesuffix(b"\r")


def locate_line(text: Bytes, begin: int) -> tuple[int, int]:
    """How many lines come before that of ``begin``, and where it starts."""
    newlines = np.flatnonzero(text[:begin] == NEWLINE)
    return len(newlines), int(newlines[-1]) + 1 if len(newlines) else 0


def error_at(text: Bytes, begin: int, reason: str, first_line: int) -> TextError:
    """The error of the token at ``begin``, in a text that starts with line ``first_line``."""
    before, start = locate_line(text, begin)
    return TextError(first_line + before, begin - start + 1, reason)


def quote_token(token: bytes) -> str:
    """The token as an error message shows it: on one line, not too long."""
    text = token.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:37] + "...")
