"""Svmlight text becomes labels and sparse rows: one compiled pass over the bytes.

The grammar of a line, after Joachims' SVMlight and LIBSVM::

    line  = [row] [blanks] ["#" comment]
    row   = label [" qid:" digits] {" " index ":" value}

Labels and values are decimal numbers (``-1``, ``+1``, ``0.5``, ``.5e-3``), separators are blanks
and tabs, lines end with LF or CRLF, and the last line may lack its end.

Every number is the float64 nearest to its decimal, as Python's ``float`` gives it: see
:mod:`rosenblatt.decimals`. What is not decided there goes through ``float`` itself.

The compiled scan only says *where* it cannot go on; plain Python then finds out why.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.decimals import Bytes, Decimal, decimal, part, whole
from rosenblatt.jit import compiled, fingerprint
from rosenblatt.lanes import at

LARGEST_INDEX = 2**31 - 2
"""The largest index: one more than it, the number of columns, still fits 32 bits."""

_TAB, _NEWLINE, _RETURN, _BLANK, _HASH, _COLON = (ord(c) for c in "\t\n\r #:")
_QID = tuple(b"qid:")


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
    lines : int
        How many lines there are, with comments and blank ones.
    plain : bool
        Whether all bytes are ASCII, and none is NUL. (Others can only stand in comments.)

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
    lines: int
    plain: bool


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
    most_rows, most_entries, plain = _survey(text)
    room = Parsed(
        labels=np.empty(most_rows),
        data=np.empty(most_entries),
        indices=np.empty(most_entries, np.int32),
        indptr=np.empty(most_rows + 1, np.int64),
        starts=np.empty(most_rows, np.int64),
        lines=most_rows,
        plain=plain,
    )
    hard = np.empty((most_rows + most_entries, 3), np.int64)
    rows, hards, increasing, stuck = _scan(text, room, hard)
    faults = _convert(text, hard[:hards], room)
    entries = int(room.indptr[rows])
    parsed = room._replace(
        labels=room.labels[:rows],
        data=room.data[:entries],
        indices=room.indices[:entries],
        indptr=room.indptr[: rows + 1],
        starts=room.starts[:rows],
    )
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
def _survey(text: Bytes) -> tuple[int, int, bool]:
    """How many rows and entries there are at most, newlines and colons; whether it is plain."""
    all_rows = all_entries = all_odd = 0
    for start in range(0, len(text), 1 << 30):
        rows: Any = np.int32(0)  # narrow, so that many bytes are counted at once
        entries: Any = np.int32(0)
        odd: Any = np.int32(0)
        for i in range(start, min(start + (1 << 30), len(text))):
            byte = at(text, i)
            rows = np.int32(rows + (byte == _NEWLINE))
            entries = np.int32(entries + (byte == _COLON))
            odd = np.int32(odd + ((byte == 0) | (byte >= 0x80)))
        all_rows, all_entries, all_odd = all_rows + rows, all_entries + entries, all_odd + odd
    return all_rows, all_entries, bool(all_odd == 0)


@part
def _entry(text: Bytes, begin: int) -> tuple[int, Decimal]:
    """``index:value`` at ``begin``: the parts; the value stops at ``begin`` if it is malformed."""
    colon, index = whole(text, begin)
    if colon == begin or at(text, colon) != _COLON or index > LARGEST_INDEX:
        return 0, Decimal(begin, 0.0, False)
    value = decimal(text, colon + 1)
    if value.stop == colon + 1 or not _ends_token(text, value.stop):
        return 0, Decimal(begin, 0.0, False)
    return index, value


@part
def _after_blanks(text: Bytes, i: int) -> int:
    while at(text, i) == _BLANK or at(text, i) == _TAB:
        i += 1
    return i


@part
def _after_qid(text: Bytes, begin: int) -> int:
    """Where the ``qid:N`` at ``begin`` stops; there: it is none."""
    for k in range(len(_QID)):
        if at(text, begin + k) != _QID[k]:
            return begin
    first = begin + len(_QID)
    i, _ = whole(text, first)
    return i if i > first and _ends_token(text, i) else begin


@part
def _ends_token(text: Bytes, i: int) -> bool:
    byte = at(text, i)
    if byte == _RETURN:
        return bool(at(text, i + 1) == _NEWLINE)
    return byte in (_BLANK, _NEWLINE, _TAB, _HASH)


def _scan_of(stamp: str) -> Callable[..., tuple[int, int, bool, int]]:
    def scan(text: Bytes, room: Parsed, hard: NDArray[np.int64]) -> tuple[int, int, bool, int]:
        """Fill the arrays from the text.

        A number that needs ``float`` is noted in ``hard``: its place in ``data``, or −1 − its place
        in ``labels``; then where its token begins and stops.

        Returns the rows, the hard numbers, whether the indices of every row strictly increase, and
        the token where the scan got stuck (−1: nowhere). A row that it got stuck in counts, up to
        there.
        """
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        labels, data, indices, indptr, starts, _, _ = room
        rows = entries = hards = i = 0
        increasing = True
        indptr[0] = 0
        while i < len(text):
            i = _after_blanks(text, i)
            if not _ends_token(text, i):
                begin = i
                i, value, exact = decimal(text, begin)
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
                    index, (i, value, exact) = _entry(text, begin)
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
            while at(text, i) != _NEWLINE:
                i += 1
            i += 1
        return rows, hards, increasing, -1

    return _scanner(scan)


_scan = _scan_of(fingerprint(Decimal))


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
