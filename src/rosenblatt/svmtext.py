"""Svmlight text becomes labels and sparse rows: one compiled pass over the bytes.

The grammar of a line, after Joachims' SVMlight and LIBSVM::

    line  = [row] [blanks] ["#" comment]
    row   = label [" qid:" digits] {" " index ":" value}

Labels and values are decimal numbers (``-1``, ``+1``, ``0.5``, ``.5e-3``), separators are blanks
and tabs, lines end with LF or CRLF, and the last line may lack its end.

Every number is the float64 nearest to its decimal, as Python's ``float`` gives it. Where the
mantissa is m ≤ 2⁵³ and the power of ten |e| ≤ 22, both m and 10^|e| are float64 numbers, so that
m · 10^e is one correctly rounded operation (Clinger 1990, "How to read floating point numbers
accurately", the fast path). All other numbers go through ``float`` itself.

The compiled scan only says *where* it cannot go on; plain Python then finds out why.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.jit import compiled

Bytes = NDArray[np.uint8]

LARGEST_INDEX = 2**31 - 2
"""The largest index: one more than it, the number of columns, still fits 32 bits."""

_TAB, _NEWLINE, _RETURN, _BLANK, _HASH, _COLON, _POINT, _PLUS, _MINUS, _ZERO, _NINE = (
    ord(c) for c in "\t\n\r #:.+-09"
)
_E, _CAPITAL_E, _QID = ord("e"), ord("E"), tuple(b"qid:")

_MOST_MANTISSA = 2**53
_MOST_POWER = 22
_POWERS = np.array([float(f"1e{e}") for e in range(_MOST_POWER + 1)])
_HUGE = 9 * 10**17  # a digit more still fits 64 bits


class Parsed(NamedTuple):
    r"""Rows of svmlight text: the arrays of a CSR matrix, and where each row began.

    Row i holds ``data[indptr[i]:indptr[i + 1]]`` in the columns
    ``indices[indptr[i]:indptr[i + 1]]``, which strictly increase. Indices are as written: nothing
    is subtracted from them.

    Parameters
    ----------
    labels : float64 array of shape (rows,)
    data : float64 array of shape (entries,)
    indices : int32 array of shape (entries,)
    indptr : int64 array of shape (rows + 1,)
    starts : int64 array of shape (rows,)
        The position in the buffer of the first byte of each row.

    Examples
    --------
    >>> parse(b"+1 3:0.5\n").indices.tolist()
    [3]
    """

    labels: NDArray[np.float64]
    data: NDArray[np.float64]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    starts: NDArray[np.int64]


class TextError(ValueError):
    """A place in the text that cannot be read.

    Parameters
    ----------
    line, column : int
        Where the token begins, both from 1; the column counts bytes.
    message : str

    Examples
    --------
    >>> str(TextError(3, 8, "found 'x', expected index:value."))
    "line 3, column 8: found 'x', expected index:value."
    """

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(line, column, message)
        self.line, self.column, self.message = line, column, message

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


def parse(buffer: bytes | memoryview | Bytes, first_line: int = 1) -> Parsed:
    r"""All rows of svmlight text, each number as exact as Python's ``float``.

    Indices may stand in any order within a row and are sorted; comments, blank lines and ``qid:N``
    are passed over. The time is linear in the size of the text (n log n in the entries where
    indices are not sorted).

    Parameters
    ----------
    buffer : bytes, memoryview or uint8 array of one dimension
        Whole lines. Nothing is copied if the last byte ends a line.
    first_line : int, default 1
        The number of the first line, for error messages.

    Returns
    -------
    Parsed

    Raises
    ------
    TextError
        A token is malformed, an index is negative, repeated in its row or above
        ``LARGEST_INDEX``, a number is not finite, or a row has several labels. The first such
        place is named.

    Examples
    --------
    >>> parsed = parse(b"+1 1:0.5 7:2  # a comment\n-1 qid:4 2:1e-3\n")
    >>> parsed.labels.tolist(), parsed.indptr.tolist()
    ([1.0, -1.0], [0, 2, 3])
    >>> parse(b"1 1:2\n1 x:2\n")
    Traceback (most recent call last):
        ...
    rosenblatt.svmtext.TextError: line 2, column 3: found 'x:2', expected a whole number before ':'.
    """
    text = np.frombuffer(buffer, np.uint8)
    if len(text) and text[-1] != _NEWLINE:
        text = np.append(text, np.uint8(_NEWLINE))
    text.flags.writeable = False  # one type, compiled once
    most_rows, most_entries = _bounds(text)
    room = Parsed(
        labels=np.empty(most_rows),
        data=np.empty(most_entries),
        indices=np.empty(most_entries, np.int32),
        indptr=np.empty(most_rows + 1, np.int64),
        starts=np.empty(most_rows, np.int64),
    )
    hard = np.empty((most_rows + most_entries, 3), np.int64)
    rows, hards, increasing, stuck = _scan(text, room, hard)
    faults = _convert(text, hard[:hards], room)
    entries = int(room.indptr[rows])
    sizes = rows, entries, entries, rows + 1, rows
    arrays: tuple[Any, ...] = room
    parsed = Parsed._make(array[:size] for array, size in zip(arrays, sizes, strict=True))
    if not increasing:
        parsed, repeated = _sorted(text, parsed)
        faults += repeated
    if stuck >= 0:
        faults.append((stuck, _why_stuck(text, stuck)))
    if faults:
        raise _error(text, *min(faults), first_line)
    return parsed


# --- compiled ------------------------------------------------------------------------------------
# The text ends with a newline, which is part of no token: no loop below runs over the end.

F = TypeVar("F", bound=Callable[..., Any])


def _scanner(function: F) -> F:
    """Compiled without reference counts: nothing is allocated, and counting halves the speed."""
    return compiled(function, _nrt=False)


@_scanner
def _bounds(text: Bytes) -> tuple[int, int]:
    """How many rows and entries there are at most: the newlines and the colons."""
    rows = entries = 0
    for byte in text:
        rows += byte == _NEWLINE
        entries += byte == _COLON
    return rows, entries


@_scanner
def _digits(text: Bytes, i: int, value: int) -> tuple[int, int]:
    """Where the digits at i stop, and the number that they continue; it stays at ``_HUGE``."""
    while _ZERO <= text[i] <= _NINE:
        value = min(10 * value + (int(text[i]) - _ZERO), _HUGE)
        i += 1
    return i, value


@_scanner
def _number(text: Bytes, begin: int) -> tuple[int, float, bool]:
    """Decimal at ``begin``: where it stops (there: it is none), its value, whether exact."""
    negative = text[begin] == _MINUS
    first = begin + 1 if negative or text[begin] == _PLUS else begin
    i, mantissa = _digits(text, first, 0)
    digits, power = i - first, 0
    if text[i] == _POINT:
        first = i + 1
        i, mantissa = _digits(text, first, mantissa)
        power = first - i
        digits -= power
    if digits == 0:
        return begin, 0.0, False
    if text[i] == _E or text[i] == _CAPITAL_E:
        falls = text[i + 1] == _MINUS
        first = i + 2 if falls or text[i + 1] == _PLUS else i + 1
        i, exponent = _digits(text, first, 0)
        if i == first:
            return begin, 0.0, False
        power += -exponent if falls else exponent
    if mantissa > _MOST_MANTISSA or abs(power) > _MOST_POWER:
        return i, 0.0, False
    value = mantissa / _POWERS[-power] if power < 0 else mantissa * _POWERS[power]
    return i, -value if negative else value, True


@_scanner
def _entry(text: Bytes, begin: int) -> tuple[int, int, float, bool]:
    """``index:value`` at ``begin``: where it stops (there: it is malformed), and its parts."""
    colon, index = _digits(text, begin, 0)
    if colon == begin or text[colon] != _COLON or index > LARGEST_INDEX:
        return begin, 0, 0.0, False
    i, value, exact = _number(text, colon + 1)
    if i == colon + 1 or not _ends_token(text, i):
        return begin, 0, 0.0, False
    return i, index, value, exact


@_scanner
def _after_blanks(text: Bytes, i: int) -> int:
    while text[i] == _BLANK or text[i] == _TAB:
        i += 1
    return i


@_scanner
def _after_qid(text: Bytes, begin: int) -> int:
    """Where the ``qid:N`` at ``begin`` stops; there: it is none."""
    for k in range(len(_QID)):
        if text[begin + k] != _QID[k]:
            return begin
    first = begin + len(_QID)
    i, _ = _digits(text, first, 0)
    return i if i > first and _ends_token(text, i) else begin


@_scanner
def _ends_token(text: Bytes, i: int) -> bool:
    if text[i] == _RETURN:
        return bool(text[i + 1] == _NEWLINE)
    return text[i] in (_BLANK, _NEWLINE, _TAB, _HASH)


@_scanner
def _scan(text: Bytes, room: Parsed, hard: NDArray[np.int64]) -> tuple[int, int, bool, int]:
    """Fill the arrays from the text.

    A number that needs ``float`` is noted in ``hard``: its place in ``data``, or −1 − its place in
    ``labels``; then where its token begins and stops.

    Returns the rows, the hard numbers, whether the indices of every row strictly increase, and the
    token where the scan got stuck (−1: nowhere). A row that it got stuck in counts, up to there.
    """
    labels, data, indices, indptr, starts = room
    rows = entries = hards = i = 0
    increasing = True
    indptr[0] = 0
    while i < len(text):
        i = _after_blanks(text, i)
        if not _ends_token(text, i):
            begin = i
            i, value, exact = _number(text, begin)
            if i == begin or not _ends_token(text, i):
                return rows, hards, increasing, begin
            labels[rows], starts[rows] = value, begin
            if not exact:
                hard[hards, 0], hard[hards, 1], hard[hards, 2] = -1 - rows, begin, i
                hards += 1
            rows += 1
            i = _after_blanks(text, _after_qid(text, _after_blanks(text, i)))
            before = -1
            while not _ends_token(text, i):
                begin = i
                i, index, value, exact = _entry(text, begin)
                if i == begin:
                    indptr[rows] = entries
                    return rows, hards, increasing, begin
                if not exact:
                    hard[hards, 0], hard[hards, 1], hard[hards, 2] = entries, begin, i
                    hards += 1
                data[entries], indices[entries] = value, index
                entries += 1
                increasing = increasing and index > before
                before = index
                i = _after_blanks(text, i)
            indptr[rows] = entries
        while text[i] != _NEWLINE:
            i += 1
        i += 1
    return rows, hards, increasing, -1


# --- what the scan leaves to plain Python: hard numbers, rows out of order, reasons --------------

Fault = tuple[int, str]
"""Where a token begins, and what is wrong with it."""


def _convert(text: Bytes, hard: NDArray[np.int64], room: Parsed) -> list[Fault]:
    """Fill in the hard numbers; the faults are those that no float64 can hold."""
    if not len(hard):
        return []
    raw = text.tobytes()
    target, begin, stop = hard.T
    tokens = [raw[a:b] for a, b in zip(begin.tolist(), stop.tolist(), strict=True)]
    values = np.array([float(token[token.find(b":") + 1 :]) for token in tokens])
    is_label = target < 0
    room.labels[-1 - target[is_label]] = values[is_label]
    room.data[target[~is_label]] = values[~is_label]
    return [
        (int(begin[k]), f"found {_shown(tokens[k])}, expected a number that fits a float64.")
        for k in np.flatnonzero(np.isinf(values))
    ]


def _sorted(text: Bytes, parsed: Parsed) -> tuple[Parsed, list[Fault]]:
    """Each row in the order of its indices; the fault is the first index that its row repeats."""
    row = np.repeat(np.arange(len(parsed.labels)), np.diff(parsed.indptr))
    order = np.lexsort((parsed.indices, row))
    indices = parsed.indices[order]
    repeats = order[1:][(indices[1:] == indices[:-1]) & (row[1:] == row[:-1])]
    faults = []
    if len(repeats):
        begin, token = _token_of(text, parsed, int(row[repeats.min()]), int(repeats.min()))
        faults.append((begin, f"found {_shown(token)}, but this row has that index already."))
    return parsed._replace(data=parsed.data[order], indices=indices), faults


def _token_of(text: Bytes, parsed: Parsed, row: int, entry: int) -> tuple[int, bytes]:
    """Where the token of an entry begins, and the token."""
    begin = int(parsed.starts[row])
    tokens = list(re.finditer(rb"[^ \t]+", _line_from(text, begin)))
    first = 2 if tokens[1][0].startswith(b"qid:") else 1
    token = tokens[first + entry - int(parsed.indptr[row])]
    return begin + token.start(), token[0]


def _line_from(text: Bytes, begin: int) -> bytes:
    """The rest of the line, without its end."""
    stop = begin + int(np.argmax(text[begin:] == _NEWLINE))
    return text[begin:stop].tobytes().removesuffix(b"\r")


def _line_of(text: Bytes, begin: int) -> tuple[int, int]:
    """How many lines come before that of ``begin``, and where it starts."""
    newlines = np.flatnonzero(text[:begin] == _NEWLINE)
    return len(newlines), int(newlines[-1]) + 1 if len(newlines) else 0


def _error(text: Bytes, begin: int, reason: str, first_line: int) -> TextError:
    before, start = _line_of(text, begin)
    return TextError(first_line + before, begin - start + 1, reason)


def _shown(token: bytes) -> str:
    """The token as an error message shows it: on one line, not too long."""
    shown = token.decode("utf-8", "backslashreplace")
    return repr(shown if len(shown) <= 40 else shown[:37] + "...")


_LABEL_REASONS = (
    (r".*,.*", "but a row has one label here: text with several labels a row cannot be read."),
    (r".*:.*", "expected a label before the first index:value."),
    (r"[+-]?(nan|inf|infinity)", "expected a finite label."),
    (r".*", "expected a number as the label."),
)
_ENTRY_REASONS = (
    (r"qid:.*", "expected qid:N with a whole number N, and that right after the label."),
    (r"[^:]*", "expected index:value."),
    (r"-[0-9]+:.*", "expected an index of 0 or more."),
    (r"[0-9]*[^0-9:].*:.*|:.*", "expected a whole number before ':'."),
    (r"[0-9]+:", "expected a number after ':'; the line may be torn."),
    (r"[0-9]+:[+-]?(nan|inf|infinity)", "expected a finite value."),
    (r"0*[0-9]{1,9}:.*", "expected a decimal number after ':'."),
    (r".*", f"expected an index of at most {LARGEST_INDEX} and a decimal number."),
)


def _why_stuck(text: Bytes, begin: int) -> str:
    """What is wrong with the token where the scan got stuck, and what was expected."""
    token = re.split(rb"[ \t#]", _line_from(text, begin))[0]
    before = text[_line_of(text, begin)[1] : begin].tobytes()
    reasons = _ENTRY_REASONS if before.strip(b" \t") else _LABEL_REASONS
    word = token.decode("utf-8", "backslashreplace").lower()
    reason = next(why for pattern, why in reasons if re.fullmatch(pattern, word, re.DOTALL))
    return f"found {_shown(token)}, {reason}"
