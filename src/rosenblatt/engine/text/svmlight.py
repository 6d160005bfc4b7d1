"""Parser of svmlight text: labels and sparse rows in one compiled pass over the bytes.

The grammar of a line, after Joachims' SVMlight and LIBSVM::

    line  = [row] [blanks] ["#" comment]
    row   = label [" qid:" digits] {" " index ":" value}

Labels and values are decimal numbers (``-1``, ``+1``, ``0.5``, ``.5e-3``), separators are blanks
and tabs, lines end with LF or CRLF, and the last line may lack its end. In text without labels, a
row is ``["qid:" digits] index ":" value {" " index ":" value}``.

Every number is the float64 nearest to its decimal, as Python's ``float`` gives it: see
:mod:`rosenblatt.engine.text.decimals`. Numbers undecided there are parsed by ``float`` itself.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import inlined
from rosenblatt.engine.text.decimals import Bytes, Decimal, parse_decimal, parse_int
from rosenblatt.engine.text.scanning import (
    BLANK,
    MAX_TOKEN_BYTES,
    NEWLINE,
    RETURN,
    TAB,
    Fault,
    count_bytes,
    error_at,
    locate_line,
    newline_terminated,
    quote_token,
    rest_of_line,
    scanner,
    skip_blanks,
)
from rosenblatt.engine.text.written import read_written, tells_written
from rosenblatt.utils.long_numbers import NONE, LongNumbers

LARGEST_INDEX = 2**31 - 2
"""The largest index; the number of columns, one more, still fits 32 bits."""

_HASH, _COLON = (ord(c) for c in "#:")
_QID = tuple(b"qid:")


class Parsed(NamedTuple):
    r"""Rows of svmlight text: the arrays of a CSR matrix, and the start of each row.

    Row i holds ``data[indptr[i]:indptr[i + 1]]`` in the columns
    ``indices[indptr[i]:indptr[i + 1]]``, which strictly increase. Indices are as in the
    text: nothing is subtracted.

    Parameters
    ----------
    labels : float64 array of shape (rows,)
    data : float64 array of shape (entries,)
    indices : int32 array of shape (entries,)
    indptr : int64 array of shape (rows + 1,)
    starts : int64 array of shape (rows,)
        The position in the buffer of the first byte of each row.
    lines : int
        Number of lines, comments and blank lines included.
    plain : bool
        Whether all bytes are ASCII without NUL. (Others can only be in comments.)
    long : LongNumbers
        Numbers that their float does not tell, if they are asked for; columns are indices.

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
    long: LongNumbers = NONE


def parse(
    buffer: bytes | memoryview | Bytes,
    first_line: int = 1,
    *,
    labelled: bool = True,
    largest: int = LARGEST_INDEX,
    written: bool = False,
) -> Parsed:
    r"""Parse all rows of svmlight text, each number as exactly as Python's ``float``.

    Indices may be in any order within a row and are sorted; comments, blank lines and ``qid:N``
    are skipped. The time is linear in the size of the text (n log n in the entries where
    indices are not sorted).

    Parameters
    ----------
    buffer : bytes, memoryview or uint8 array of one dimension
        Whole lines. Nothing is copied if the last byte ends a line.
    first_line : int, default 1
        The number of the first line, for error messages.
    labelled : bool, default True
        Whether rows begin with a label; else all labels are 0.
    largest : int, default LARGEST_INDEX
        The largest index to accept, at most the default.
    written : bool, default False
        Whether to return the numbers that their float does not tell.

    Returns
    -------
    Parsed

    Raises
    ------
    TextError
        A token is malformed, an index is negative, repeated in its row or above ``largest``, a
        number is not finite, or a row has several labels. The error names the first of these.

    Examples
    --------
    >>> parsed = parse(b"+1 1:0.5 7:2  # a comment\n-1 qid:4 2:1e-3\n")
    >>> parsed.labels.tolist(), parsed.indptr.tolist()
    ([1.0, -1.0], [0, 2, 3])
    >>> parse(b"1:0.5 7:2\n2:3\n", labelled=False).indices.tolist()
    [1, 7, 2]
    >>> parse(b"1 1:2\n1 2\n")
    Traceback (most recent call last):
        ...
    rosenblatt.engine.text.scanning.TextError: line 2, column 3: found '2', expected index:value.
    """
    text = newline_terminated(buffer)
    max_rows, max_entries, plain = count_bytes(text, _COLON)
    out = Parsed(
        labels=np.empty(max_rows),
        data=np.empty(max_entries),
        indices=np.empty(max_entries, np.int32),
        indptr=np.empty(max_rows + 1, np.int64),
        starts=np.empty(max_rows, np.int64),
        lines=max_rows,
        plain=plain,
    )
    deferred = np.empty((max_rows + max_entries, 3), np.int64)
    long = np.empty((max_entries if written else 0, 3), np.int64)
    rows, n_deferred, n_long, increasing, error_begin = _scan(
        text, out[:5], deferred, long, labelled, largest
    )
    faults = _convert_deferred(text, deferred[:n_deferred], out)
    entries = int(out.indptr[rows])
    parsed = out._replace(
        labels=out.labels[:rows],
        data=out.data[:entries],
        indices=out.indices[:entries],
        indptr=out.indptr[: rows + 1],
        starts=out.starts[:rows],
    )
    if n_long:
        parsed = parsed._replace(long=_long_numbers(text, long[:n_long], parsed))
    if not increasing:
        parsed, repeated = _sort_indices(text, parsed, labelled)
        faults += repeated
    if error_begin >= 0:
        faults.append((error_begin, _explain_error(text, error_begin, labelled, largest)))
    if faults:
        raise error_at(text, *min(faults), first_line)
    return parsed


# --- compiled ------------------------------------------------------------------------------------

_Arrays = tuple[
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
]
"""Labels, data, indices, indptr and starts of the result."""


@inlined
def _parse_entry(text: Bytes, begin: int, largest: int) -> tuple[int, Decimal]:
    """Parse ``index:value`` at ``begin``; the value stops at ``begin`` if it is malformed."""
    colon, index = parse_int(text, begin)
    if colon == begin or at(text, colon) != _COLON or index > largest:
        return 0, Decimal(begin, 0.0, False)
    value = parse_decimal(text, colon + 1)
    if value.stop == colon + 1 or not _ends_token(text, value.stop):
        return 0, Decimal(begin, 0.0, False)
    return index, value


@inlined
def _skip_qid(text: Bytes, begin: int) -> int:
    """Return the end of the ``qid:N`` at ``begin``, or ``begin`` if there is none."""
    for k in range(len(_QID)):
        if at(text, begin + k) != _QID[k]:
            return begin
    first = begin + len(_QID)
    i, _ = parse_int(text, first)
    return i if i > first and _ends_token(text, i) else begin


@inlined
def _after_colon(text: Bytes, i: int) -> int:
    """Return the position after the next colon."""
    while at(text, i) != _COLON:
        i += 1
    return i + 1


@inlined
def _ends_token(text: Bytes, i: int) -> bool:
    byte = at(text, i)
    if byte == RETURN:
        return bool(at(text, i + 1) == NEWLINE)
    return byte in (BLANK, NEWLINE, TAB, _HASH)


@scanner
def _scan(
    text: Bytes,
    out: _Arrays,
    deferred: NDArray[np.int64],
    long: NDArray[np.int64],
    labelled: bool,
    largest: int,
) -> tuple[int, int, int, bool, int]:
    """Write the arrays of ``out`` from the text.

    A number that needs ``float`` is deferred: its index in ``data``, or −1 − its index in
    ``labels``; then the start of its token, and its end. So are values that their float does not
    tell written to ``long``, unless it is empty.

    Return the number of rows, the numbers of deferred and of long numbers, whether the indices of
    every row strictly increase, and the start of the token where the scan stopped (−1: no error). A
    row with an error counts, up to there.
    """
    labels, data, indices, indptr, starts = out
    rows = entries = n_deferred = n_long = i = 0
    written = len(long) > 0
    increasing = True
    indptr[0] = 0
    while i < len(text):
        i = skip_blanks(text, i)
        if not _ends_token(text, i):
            begin, value, exact = i, 0.0, True
            if labelled:
                i, value, exact = parse_decimal(text, begin)
                if i == begin or not _ends_token(text, i):
                    return rows, n_deferred, n_long, increasing, begin
            labels[rows], starts[rows] = value, begin
            if not exact:
                deferred[n_deferred, 0], deferred[n_deferred, 1], deferred[n_deferred, 2] = (
                    -1 - rows,
                    begin,
                    i,
                )
                n_deferred += 1
            rows += 1
            i = skip_blanks(text, _skip_qid(text, skip_blanks(text, i)))
            before = -1
            while not _ends_token(text, i):
                begin = i
                index, (i, value, exact) = _parse_entry(text, begin, largest)
                if i == begin:
                    indptr[rows] = entries
                    return rows, n_deferred, n_long, increasing, begin
                if written and not tells_written(text, _after_colon(text, begin), i, value):
                    long[n_long, 0], long[n_long, 1], long[n_long, 2] = entries, begin, i
                    n_long += 1
                if not exact:
                    (
                        deferred[n_deferred, 0],
                        deferred[n_deferred, 1],
                        deferred[n_deferred, 2],
                    ) = entries, begin, i
                    n_deferred += 1
                data[entries], indices[entries] = value, index
                entries += 1
                increasing = increasing and index > before
                before = index
                i = skip_blanks(text, i)
            indptr[rows] = entries
        while at(text, i) != NEWLINE:
            i += 1
        i += 1
    return rows, n_deferred, n_long, increasing, -1


# --- plain Python: deferred numbers, unsorted rows, explanations of errors ------------------------


def _convert_deferred(text: Bytes, deferred: NDArray[np.int64], out: Parsed) -> list[Fault]:
    """Parse the deferred numbers; return faults for those that fit no float64."""
    if not len(deferred):
        return []
    raw = text.tobytes()
    target, begin, stop = deferred.T
    tokens = [raw[a:b] for a, b in zip(begin.tolist(), stop.tolist(), strict=True)]
    values = np.array([float(token[token.find(b":") + 1 :]) for token in tokens])
    is_label = target < 0
    out.labels[-1 - target[is_label]] = values[is_label]
    out.data[target[~is_label]] = values[~is_label]
    return [
        (int(begin[k]), f"found {quote_token(tokens[k])}, expected a number that fits a float64.")
        for k in np.flatnonzero(np.isinf(values))
    ]


def _long_numbers(text: Bytes, long: NDArray[np.int64], parsed: Parsed) -> LongNumbers:
    """Return the values that their float does not tell."""
    entries, spans = long[:, 0], long[:, 1:].copy()
    raw = text.tobytes()
    spans[:, 0] = [raw.index(b":", begin) + 1 for begin in spans[:, 0].tolist()]
    rows = np.searchsorted(parsed.indptr, entries, side="right") - 1
    columns = parsed.indices[entries].astype(np.int64)
    return LongNumbers(rows, columns, *read_written(text, spans))


def _sort_indices(text: Bytes, parsed: Parsed, labelled: bool) -> tuple[Parsed, list[Fault]]:
    """Sort each row by index; the fault is the first repeated index."""
    row = np.repeat(np.arange(len(parsed.labels)), np.diff(parsed.indptr))
    order = np.lexsort((parsed.indices, row))
    indices = parsed.indices[order]
    repeats = order[1:][(indices[1:] == indices[:-1]) & (row[1:] == row[:-1])]
    faults = []
    if len(repeats):
        entry = int(repeats.min())
        begin, token = _locate_token(text, parsed, int(row[entry]), entry, labelled)
        faults.append((begin, f"found {quote_token(token)}, but this row has that index already."))
    return parsed._replace(data=parsed.data[order], indices=indices), faults


def _locate_token(
    text: Bytes, parsed: Parsed, row: int, entry: int, labelled: bool
) -> tuple[int, bytes]:
    """Return the start of the token of an entry, and the token."""
    begin = int(parsed.starts[row])
    tokens = list(re.finditer(rb"[^ \t]+", rest_of_line(text, begin)))
    first = 1 if labelled else 0
    first += tokens[first][0].startswith(b"qid:")
    token = tokens[first + entry - int(parsed.indptr[row])]
    return begin + token.start(), token[0]


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
    (r".*", "expected a decimal number after ':'."),
)
_HINT = "number the features without gaps, or set bits to hash them"


def _explain_error(text: Bytes, begin: int, labelled: bool, largest: int) -> str:
    """Return the error in the token where the scan stopped, and what was expected."""
    token = re.split(rb"[ \t#]", rest_of_line(text, begin)[:MAX_TOKEN_BYTES])[0]
    before = text[locate_line(text, begin)[1] : begin].tobytes()
    reasons = _ENTRY_REASONS if before.strip(b" \t") or not labelled else _LABEL_REASONS
    word = token.decode("utf-8", "backslashreplace").lower()
    entry = re.match("0*([0-9]+):", word)
    if reasons is _ENTRY_REASONS and entry and _is_above(entry[1], largest):
        hint = f": {_HINT}" if largest < LARGEST_INDEX else ""
        return f"found {quote_token(token)}, expected an index of at most {largest}{hint}."
    reason = next(why for pattern, why in reasons if re.fullmatch(pattern, word, re.DOTALL))
    return f"found {quote_token(token)}, {reason}"


def _is_above(digits: str, largest: int) -> bool:
    return len(digits) > len(str(largest)) or int(digits) > largest
