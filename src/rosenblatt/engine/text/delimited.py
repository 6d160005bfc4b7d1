r"""Parser of CSV and TSV text: numbers and category columns in one pass of the core.

The grammar is RFC 4180's: a record is a line of fields, separated by one byte; a field may be in
quotes, and then contain separators, ends of lines, and doubled quotes::

    record = field {separator field} end
    field  = '"' {any byte but a quote, or two quotes} '"' | {any byte but separator and end}

Lines end with LF or CRLF, the last one may lack its end, and blank lines are skipped. A quote
inside a field that does not begin with one is an ordinary character. Blanks and tabs around a
field's content are ignored.

Every number is the float64 nearest to its decimal, as in :mod:`rosenblatt.engine.text.svmlight`;
true and false, in one of the spellings of :data:`TRUTHS`, are the numbers 1 and 0.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt._core import text as core
from rosenblatt.engine.text.categories import CategoryColumn, encode_categories
from rosenblatt.engine.text.scanning import (
    QUOTE,
    Bytes,
    TextError,
    error_at,
    locate_line,
    newline_terminated,
    quote_token,
    read_written,
    reason_of,
    token_text,
)
from rosenblatt.utils.arrays import NDArray
from rosenblatt.utils.long_numbers import NONE, LongNumbers
from rosenblatt.utils.words import option_value, schema_option

TRUTHS = dict.fromkeys(("True", "true", "TRUE"), 1.0) | dict.fromkeys(
    ("False", "false", "FALSE"), 0.0
)
"""Spellings of true and false, and their numbers."""

SPELLINGS = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
"""The usual spellings of a missing cell."""

UNREADABLE = "found a field that cannot be read ({}): "
CHECK_QUOTES = "check its quotes; --no-quotes reads them as any other character."

_COMMAS_AND_POINTS_SWAPPED = np.arange(256, dtype=np.uint8)
_COMMA, _POINT = ord(","), ord(".")
_COMMAS_AND_POINTS_SWAPPED[[_COMMA, _POINT]] = _POINT, _COMMA


class Layout(NamedTuple):
    """The layout of a table: which fields are numbers, which are words.

    Parameters
    ----------
    names : list of str
        Names of the fields, for messages.
    numbers : int64 array of shape (fields,)
        Index of a field among the numbers; −1: it is not a number.
    words : int64 array of shape (fields,)
        Index of a field among the words; −1: it is not a word. Other fields are skipped.
    label : int
        Index of the labels among the words; −1: there are none.
    separator : int
        A byte.
    missing : uint8 array
        Spellings of a missing number, each with a newline after it.
    decimal_comma : bool, default False
        Whether numbers have a comma, not a point, before their decimals.
    quote : int, default the double quote
        The byte that encloses fields; −1, which is no byte, for none.
    origin : str, default "of the header"
        Origin of the number of fields, for messages.
    written : bool, default False
        Whether to return the numbers that their float does not tell.

    Examples
    --------
    >>> make_layout(["x", "kind"], ["x"], ["kind"], "kind").words.tolist()
    [-1, 0]
    """

    names: list[str]
    numbers: NDArray[np.int64]
    words: NDArray[np.int64]
    label: int
    separator: int
    missing: Bytes
    decimal_comma: bool = False
    quote: int = QUOTE
    origin: str = "of the header"
    written: bool = False


def make_layout(
    names: list[str],
    numbers: list[str],
    words: list[str],
    label: str | None,
    separator: str = ",",
    missing: Sequence[str] = (),
    decimal_comma: bool = False,
    quoted: bool = True,
) -> Layout:
    """Return the layout of a table with named columns.

    Parameters
    ----------
    names : list of str
        All columns, in order.
    numbers, words : list of str
        The columns of numbers and of words, in the order of the output.
    label : str or None
        The label's column, one of ``words``.
    separator : str, default ","
        Of one byte.
    missing : sequence of str
        Cells of numbers that are read as NaN.
    decimal_comma : bool, default False
        As in :class:`Layout`; with decimal commas the separator is no comma.
    quoted : bool, default True
        Whether fields may be in quotes; else a quote is a character like any other.

    Examples
    --------
    >>> make_layout(["b", "a"], ["a", "b"], [], None).numbers.tolist()
    [1, 0]
    """
    order_of_numbers, order_of_words = (
        {name: k for k, name in enumerate(wanted)} for wanted in (numbers, words)
    )
    spellings = np.frombuffer("".join(f"{word}\n" for word in missing).encode(), np.uint8)
    spellings = _COMMAS_AND_POINTS_SWAPPED[spellings] if decimal_comma else spellings
    return Layout(
        names,
        numbers=np.array([order_of_numbers.get(name, -1) for name in names]),
        words=np.array([order_of_words.get(name, -1) for name in names]),
        label=-1 if label is None else words.index(label),
        separator=ord(separator),
        missing=spellings,
        decimal_comma=decimal_comma,
        quote=QUOTE if quoted else -1,
    )


class Parsed(NamedTuple):
    r"""Records of a table.

    Parameters
    ----------
    numbers : C-ordered float64 array of shape (rows, numbers)
    words : list of CategoryColumn
    labels : int32 array of shape (rows,)
        The codes of the labels; zeros if there are none.
    starts : int64 array of shape (rows,)
        The position in the buffer of the first byte of each record.
    lines : int
        Number of lines, blank lines included.
    plain : bool
        Whether all bytes are ASCII without NUL.
    long : LongNumbers
        Numbers that their float does not tell, if the layout asks for them.

    Examples
    --------
    >>> parse(b"1,oak\n", make_layout(["x", "kind"], ["x"], ["kind"], None)).words[0].words
    ['oak']
    """

    numbers: NDArray[np.float64]
    words: list[CategoryColumn]
    labels: NDArray[np.int32]
    starts: NDArray[np.int64]
    lines: int
    plain: bool
    long: LongNumbers = NONE


def parse(buffer: bytes | memoryview | Bytes, layout: Layout) -> Parsed:
    r"""Parse all records of a text without a header, each number as exactly as Python's ``float``.

    Parameters
    ----------
    buffer : bytes, memoryview or uint8 array of one dimension
        Whole records. Nothing is copied if the last byte ends a line.
    layout : Layout

    Returns
    -------
    Parsed

    Raises
    ------
    TextError
        A record has more or fewer fields than the layout, the quotes of a field are wrong, or a
        number is malformed or not finite. The error names the first of these; its line is the first
        line of the record.

    Examples
    --------
    >>> layout = make_layout(["x", "kind", "z"], ["x", "z"], ["kind"], "kind")
    >>> parse(b'1, "oak, old",.5\n-2,elm,1e3\n', layout)  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
        ...
    rosenblatt.engine.text.scanning.TextError: line 1, column 1: found 4 fields, expected the 3 of
    the header.
    >>> parsed = parse(b'1,"oak, old",.5\n-2,elm,1e3\n', layout)
    >>> parsed.numbers.tolist(), parsed.words[0].words, parsed.labels.tolist()
    ([[1.0, 0.5], [-2.0, 1000.0]], ['oak, old', 'elm'], [0, 1])
    >>> layout = make_layout(["x", "kind"], ["x"], ["kind"], None, ";", decimal_comma=True)
    >>> parsed = parse(b"1,5;oak, no. 2\n", layout)
    >>> parsed.numbers.tolist(), parsed.words[0].words
    ([[1.5]], ['oak, no. 2'])
    """
    text = newline_terminated(buffer)
    numeric = _COMMAS_AND_POINTS_SWAPPED[text] if layout.decimal_comma else text
    fields, (lines, plain), deferred, doubled, long, error_begin = core.scan_delimited(
        numeric,
        layout.numbers,
        layout.words,
        layout.separator,
        layout.quote,
        layout.missing,
        layout.written,
    )
    numbers, begins, stops, starts = fields
    rows = len(starts)
    faults = _convert_deferred(numeric, numbers, deferred) if len(deferred) else []
    faults += [error_begin] if error_begin >= 0 else []
    if faults:
        raise _record_error(text, starts, min(faults), layout)
    spelled = _undouble_quotes(text, stops, doubled) if len(doubled) else text
    cells = zip(begins[:, :rows], stops[:, :rows], strict=True)
    words = [encode_categories(spelled, begins, stops) for begins, stops in cells]
    return Parsed(
        numbers=numbers,
        words=words,
        labels=words[layout.label].codes if layout.label >= 0 else np.zeros(rows, np.int32),
        starts=starts,
        lines=lines,
        plain=plain,
        long=LongNumbers(long[:, 0], long[:, 1], *read_written(numeric, long[:, 2:])),
    )


# --- deferred numbers, doubled quotes, explanations of errors ------------------------------------


class _Cell(NamedTuple):
    """A field: its content, the position after it (−1: wrong quotes), and whether quotes double."""

    begin: int
    stop: int
    end: int
    doubled: bool


def _convert_deferred(
    text: Bytes, numbers: NDArray[np.float64], deferred: NDArray[np.int64]
) -> list[int]:
    """Parse the deferred numbers; return the positions of those that fit no float64."""
    too_large = []
    for row, column, begin, stop in deferred.tolist():
        numbers[row, column] = number = float(text[begin:stop].tobytes())
        if math.isinf(number):
            too_large.append(begin)
    return too_large


def _undouble_quotes(text: Bytes, stops: NDArray[np.int64], doubled: NDArray[np.int64]) -> Bytes:
    """Replace doubled quotes by one quote in the text, and adjust the ends of the words."""
    raw = bytearray(text)
    for row, word, begin, stop in doubled.tolist():
        single = raw[begin:stop].replace(b'""', b'"')
        stops[word, row] = begin + len(single)
        raw[begin : begin + len(single)] = single
    return newline_terminated(memoryview(raw))


def _record_error(
    text: Bytes, starts: NDArray[np.int64], error_begin: int, layout: Layout
) -> TextError:
    """Return the error of the record that contains a position."""
    start = int(starts[np.searchsorted(starts, error_begin, "right") - 1])
    begin, stop, reason = _explain_error(text, start, error_begin, layout)
    in_first_line = locate_line(text, begin)[0] == locate_line(text, start)[0]
    error = error_at(text, begin if in_first_line else start, reason, first_line=1)
    error.lines = 0 if stop == len(text) else text[start:stop].tobytes().count(b"\n") + 1
    return error


def _explain_error(
    text: Bytes, start: int, error_begin: int, layout: Layout
) -> tuple[int, int, str]:
    """Return the position of the error in a record, its end, and what is wrong."""
    marks = layout.separator, layout.quote
    cells = [_Cell(*core.parse_cell(text, start, *marks))]
    while cells[-1].end >= 0 and text[cells[-1].end] == layout.separator:
        cells.append(_Cell(*core.parse_cell(text, cells[-1].end + 1, *marks)))
    *_, (begin, stop, end, _) = cells
    if end < 0:
        if stop < len(text) and text[stop] != QUOTE:
            message = "it has a carriage return"
            return begin, stop, UNREADABLE.format(message) + "remove it, or quote the field."
        closed = stop < len(text)
        message = "text follows its closing quote" if closed else "its quote is never closed"
        return begin, stop, UNREADABLE.format(message) + CHECK_QUOTES
    if len(cells) != len(layout.names):
        problem = f"found {len(cells)} fields"
        return start, end, f"{problem}, expected the {len(layout.names)} {layout.origin}."
    begins = [start, *(cell.end + 1 for cell in cells[:-1])]
    field = bisect_right(begins, error_begin) - 1
    content = text[cells[field].begin : cells[field].stop].tobytes()
    mark = "," if layout.decimal_comma else "."
    is_free = layout.separator != _COMMA
    return begins[field], end, explain_number(content, layout.names[field], mark, is_free)


_FILL = "--impute mean (or zero, indicator) fills in missing cells"
_REASONS = (
    (r"|\?|na|n/a|null|none", "expected a number: fill it in, or leave the row out; {fill}."),
    (
        r"[+-]?(nan|inf|infinity)",
        "expected a finite number: fill it in, or leave the row out; {fill}.",
    ),
    (r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", "expected a number that fits a float64."),
    (
        r"[+-]?[0-9]+([.,][0-9]+)+",
        "expected a number{hint} remove the separators of thousands, or read the column as "
        "categories: {keep}.",
    ),
    (
        r".*",
        "expected a number: encode the column as numbers, or tell what it holds: "
        "{keep}; if the cell is missing: --missing {word}.",
    ),
)

_SWAPPED = str.maketrans(",.", ".,")


def explain_number(content: bytes, name: str, mark: str = ".", is_free: bool = False) -> str:
    """Return what is wrong with a cell of a column of numbers, and what to do.

    Parameters
    ----------
    content : bytes
        The cell.
    name : str
        The column.
    mark : {".", ","}, default "."
        The mark before decimals.
    is_free : bool, default False
        Whether the comma could be that mark: it does not separate columns.

    Examples
    --------
    >>> explain_number(b"1e999", "size")
    "column 'size': found '1e999', expected a number that fits a float64."
    """
    word = token_text(content)
    if mark == ",":
        word, hint = word.translate(_SWAPPED), " with a comma before its decimals:"
    else:
        hint = "; --decimal ',' reads a comma before decimals; else" if is_free else ":"
    reason, token = reason_of(word, _REASONS), quote_token(content)
    missing = option_value([token_text(content)[:40]]) if "," in token else token
    fill = _FILL if word in SPELLINGS else f"--missing={missing} reads it as a missing cell"
    problem = f"column {name!r}: found {token if content else 'nothing'}"
    keep = schema_option(name, "category")
    return f"{problem}, {reason.format(keep=keep, word=missing, hint=hint, fill=fill)}"
