"""Parser of svmlight text: labels and sparse rows in one pass of the core over the bytes.

The grammar of a line, after Joachims' SVMlight and LIBSVM::

    line  = [row] [blanks] ["#" comment]
    row   = label [" qid:" digits] {" " index ":" value}

Labels and values are decimal numbers (``-1``, ``+1``, ``0.5``, ``.5e-3``), separators are blanks
and tabs, lines end with LF or CRLF, and the last line may lack its end. In text without labels, a
row is ``["qid:" digits] index ":" value {" " index ":" value}``.

Every number is the float64 nearest to its decimal, as Python's ``float`` gives it: see
``src/core/text/decimals.h``. Numbers undecided there are parsed by ``float`` itself.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.engine.text.scanning import (
    MAX_TOKEN_BYTES,
    Bytes,
    Fault,
    error_at,
    locate_line,
    newline_terminated,
    quote_token,
    read_written,
    reason_of,
    rest_of_line,
    token_text,
)
from rosenblatt.utils.arrays import NDArray
from rosenblatt.utils.long_numbers import NONE, LongNumbers

LARGEST_INDEX = 2**31 - 2
"""The largest index; the number of columns, one more, still fits 32 bits."""


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
    arrays, (lines, plain), deferred, long, increasing, error_begin = core.scan_svmlight(
        text, labelled, largest, written
    )
    parsed = Parsed(*arrays, lines, plain)
    faults = _convert_deferred(text, deferred, parsed)
    if len(long):
        parsed = parsed._replace(long=_long_numbers(text, long, parsed))
    if not increasing:
        parsed, repeated = _sort_indices(text, parsed, labelled)
        faults += repeated
    if error_begin >= 0:
        faults.append((error_begin, _explain_error(text, error_begin, labelled, largest)))
    if faults:
        raise error_at(text, *min(faults), first_line)
    return parsed


# --- deferred numbers, unsorted rows, explanations of errors --------------------------------------


def _convert_deferred(text: Bytes, deferred: NDArray[np.int64], out: Parsed) -> list[Fault]:
    """Parse the deferred numbers; return faults for those that fit no float64."""
    if not len(deferred):
        return []
    raw = text.tobytes()
    target, _, begin, stop = deferred.T
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
    entries = long[:, 0]
    rows = np.searchsorted(parsed.indptr, entries, side="right") - 1
    columns = parsed.indices[entries].astype(np.int64)
    return LongNumbers(rows, columns, *read_written(text, long[:, 2:]))


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
    word = token_text(token)
    entry = re.match("0*([0-9]+):", word)
    if reasons is _ENTRY_REASONS and entry and _is_above(entry[1], largest):
        hint = f": {_HINT}" if largest < LARGEST_INDEX else ""
        return f"found {quote_token(token)}, expected an index of at most {largest}{hint}."
    return f"found {quote_token(token)}, {reason_of(word, reasons)}"


def _is_above(digits: str, largest: int) -> bool:
    return len(digits) > len(str(largest)) or int(digits) > largest
