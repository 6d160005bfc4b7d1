r"""Parser of CSV and TSV text: numbers and category columns in one compiled pass.

The grammar is RFC 4180's: a record is a line of fields, separated by one byte; a field may be in
quotes, and then contain separators, ends of lines, and doubled quotes::

    record = field {separator field} end
    field  = '"' {any byte but a quote, or two quotes} '"' | {any byte but separator and end}

Lines end with LF or CRLF, the last one may lack its end, and blank lines are skipped. A quote
inside a field that does not begin with one is an ordinary character. Blanks and tabs around a
field's content are ignored.

Every number is the float64 nearest to its decimal, as in :mod:`rosenblatt.engine.text.svmlight`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import inlined
from rosenblatt.engine.text.categories import CategoryColumn, encode_categories
from rosenblatt.engine.text.decimals import Bytes, Decimal, parse_decimal
from rosenblatt.engine.text.delimited_errors import CHECK_QUOTES, UNREADABLE, explain_number
from rosenblatt.engine.text.scanning import (
    BLANK,
    NEWLINE,
    QUOTE,
    RETURN,
    TAB,
    TextError,
    count_bytes,
    error_at,
    locate_line,
    newline_terminated,
    scanner,
)
from rosenblatt.engine.text.written import read_written, tells_written
from rosenblatt.utils.long_numbers import NONE, LongNumbers

_MIN_DEFERRED_BYTES = 6  # bytes of a number that is not decided at once, and its separator: 9e308,
_MIN_DOUBLED_BYTES = 5  # bytes of a field with doubled quotes, and its separator: """",
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
    quoted : bool, default True
        Whether fields may be in quotes; else a quote is a character like any other.
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
    quoted: bool = True
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
    decimal_comma, quoted : bool
        As in :class:`Layout`; with decimal commas the separator is no comma.

    Examples
    --------
    >>> make_layout(["b", "a"], ["a", "b"], [], None).numbers.tolist()
    [1, 0]
    """

    def positions(wanted: list[str]) -> NDArray[np.int64]:
        position = {name: k for k, name in enumerate(wanted)}
        return np.array([position.get(name, -1) for name in names])

    position = -1 if label is None else words.index(label)
    spellings = np.frombuffer("".join(f"{word}\n" for word in missing).encode(), np.uint8)
    spellings = _COMMAS_AND_POINTS_SWAPPED[spellings] if decimal_comma else spellings
    index = positions(numbers), positions(words)
    return Layout(names, *index, position, ord(separator), spellings, decimal_comma, quoted)


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
    lines, quotes, plain = count_bytes(text, QUOTE)
    out = _Buffers(
        numbers=np.empty((lines, int(layout.numbers.max(initial=-1)) + 1)),
        begins=np.empty((int(layout.words.max(initial=-1)) + 1, lines), np.int64),
        stops=np.empty((int(layout.words.max(initial=-1)) + 1, lines), np.int64),
        starts=np.empty(lines, np.int64),
        deferred=np.empty((len(text) // _MIN_DEFERRED_BYTES + 1, 4), np.int64),
        doubled=np.empty((len(text) // _MIN_DOUBLED_BYTES + 1 if quotes else 0, 2), np.int64),
        long=np.empty((len(text) // _MIN_DEFERRED_BYTES + 1 if layout.written else 0, 4), np.int64),
    )
    fields = _Fields(
        layout.numbers, layout.words, layout.separator, _quote_of(layout), layout.missing
    )
    rows, n_deferred, doubles, n_long, error_begin = _scan(numeric, fields, out)
    faults = _convert_deferred(numeric, out, n_deferred)
    faults += [error_begin] if error_begin >= 0 else []
    if faults:
        raise _record_error(text, out.starts[: rows + (error_begin >= 0)], min(faults), layout)
    spelled = _undouble_quotes(text, out, doubles) if doubles else text
    cells = zip(out.begins[:, :rows], out.stops[:, :rows], strict=True)
    words = [encode_categories(spelled, begins, stops) for begins, stops in cells]
    return Parsed(
        numbers=out.numbers[:rows],
        words=words,
        labels=words[layout.label].codes if layout.label >= 0 else np.zeros(rows, np.int32),
        starts=out.starts[:rows],
        lines=lines,
        plain=plain,
        long=_long_numbers(numeric, out.long[:n_long]) if n_long else NONE,
    )


# --- compiled ------------------------------------------------------------------------------------


class _Buffers(NamedTuple):
    """Output of the scan.

    ``deferred`` has the numbers that need ``float``: row, column, start and end; so has ``long``
    those that their float does not tell, unless it is empty. ``doubled`` has the words with doubled
    quotes: column and row.
    """

    numbers: NDArray[np.float64]
    begins: NDArray[np.int64]
    stops: NDArray[np.int64]
    starts: NDArray[np.int64]
    deferred: NDArray[np.int64]
    doubled: NDArray[np.int64]
    long: NDArray[np.int64]


class _Fields(NamedTuple):
    numbers: NDArray[np.int64]
    words: NDArray[np.int64]
    separator: int
    quote: int
    missing: Bytes


class _Cell(NamedTuple):
    """A field: its content, the position after it (−1: wrong quotes), and whether quotes double."""

    begin: int
    stop: int
    end: int
    doubled: bool


class _Number(NamedTuple):
    """A number in a field: its start and value, and the end of the field (−1: malformed)."""

    begin: int
    decimal: Decimal
    end: int


@inlined
def _is_blank(byte: int, separator: int) -> bool:
    return bool(byte == BLANK or (byte == TAB and separator != TAB))


@inlined
def _skip_blanks(text: Bytes, i: int, separator: int) -> int:
    while _is_blank(at(text, i), separator):
        i += 1
    return i


@inlined
def _ends_line(text: Bytes, i: int) -> bool:
    byte = at(text, i)
    return bool(byte == NEWLINE or (byte == RETURN and at(text, i + 1) == NEWLINE))


@inlined
def _parse_number(text: Bytes, begin: int, separator: int, quote: int) -> _Number:
    """Parse the number in the field at ``begin``."""
    quoted = at(text, begin) == quote
    first = _skip_blanks(text, begin + quoted, separator)
    number = parse_decimal(text, first)
    end = _skip_blanks(text, number.stop, separator)
    if quoted:
        end = end + 1 if at(text, end) == QUOTE else first
    is_number = number.stop > first and (at(text, end) == separator or _ends_line(text, end))
    return _Number(first, number, end if is_number else -1)


@inlined
def _parse_cell(text: Bytes, begin: int, separator: int, quote: int) -> _Cell:
    """Parse the field at ``begin``."""
    doubled = False
    i = begin
    if at(text, i) == quote:
        begin = i = i + 1
        while i < len(text):
            if at(text, i) == QUOTE:
                if i + 1 == len(text) or at(text, i + 1) != QUOTE:
                    break
                doubled = True
                i += 1
            i += 1
        stop, end = i, i + 1
    else:
        byte = at(text, i)
        while byte != separator and byte != NEWLINE and byte != RETURN:
            i += 1
            byte = at(text, i)
        stop = end = i
    if end >= len(text) or not (at(text, end) == separator or _ends_line(text, end)):
        return _Cell(begin, stop, -1, doubled)
    while begin < stop and _is_blank(at(text, begin), separator):
        begin += 1
    while begin < stop and _is_blank(at(text, stop - 1), separator):
        stop -= 1
    return _Cell(begin, stop, end, doubled)


@inlined
def _skip_missing(text: Bytes, begin: int, fields: _Fields) -> int:
    """Return the end of the field at ``begin`` if it spells a missing number, else −1."""
    cell = _parse_cell(text, begin, fields.separator, fields.quote)
    i, is_equal = cell.begin, True
    for k in range(len(fields.missing)):
        byte = at(fields.missing, k)
        if byte != NEWLINE:
            is_equal = is_equal and i < cell.stop and at(text, i) == byte
            i += 1
        elif is_equal and i == cell.stop:
            return cell.end
        else:
            i, is_equal = cell.begin, True
    return -1


@scanner
def _scan(text: Bytes, fields: _Fields, out: _Buffers) -> tuple[int, int, int, int, int]:
    """Write ``out`` from the text.

    Return the numbers of records, of deferred numbers, of words with doubled quotes and of long
    numbers, and the start of the field where the scan stopped (−1: no error).
    """
    numbers, begins, stops, starts, deferred, doubled, long = out
    last, written = len(fields.numbers) - 1, len(long) > 0
    rows = n_deferred = doubles = n_long = i = 0
    while i < len(text):
        if _ends_line(text, i):
            i += 1 + (at(text, i) == RETURN)
            continue
        starts[rows] = i
        for field in range(last + 1):
            begin = i
            column, word = at(fields.numbers, field), at(fields.words, field)
            if column >= 0:
                first, number, i = _parse_number(text, begin, fields.separator, fields.quote)
                numbers[rows, column] = number.value
                if i < 0:
                    i = _skip_missing(text, begin, fields)
                    numbers[rows, column] = math.nan
                else:
                    if not number.exact:
                        deferred[n_deferred, 0], deferred[n_deferred, 1] = rows, column
                        deferred[n_deferred, 2], deferred[n_deferred, 3] = first, number.stop
                        n_deferred += 1
                    if written and not tells_written(text, first, number.stop, number.value):
                        long[n_long, 0], long[n_long, 1] = rows, column
                        long[n_long, 2], long[n_long, 3] = first, number.stop
                        n_long += 1
            else:
                cell = _parse_cell(text, begin, fields.separator, fields.quote)
                i = cell.end
                if word >= 0:
                    begins[word, rows], stops[word, rows] = cell.begin, cell.stop
                    if cell.doubled:
                        doubled[doubles, 0], doubled[doubles, 1] = word, rows
                        doubles += 1
            if i < 0 or _ends_line(text, i) != (field == last):
                return rows, n_deferred, doubles, n_long, begin
            i += 1
        i += at(text, i - 1) == RETURN
        rows += 1
    return rows, n_deferred, doubles, n_long, -1


# --- plain Python: deferred numbers, doubled quotes, explanations of errors ----------------------


def _convert_deferred(text: Bytes, out: _Buffers, n_deferred: int) -> list[int]:
    """Parse the deferred numbers; return the positions of those that fit no float64."""
    too_large = []
    for row, column, begin, stop in out.deferred[:n_deferred].tolist():
        out.numbers[row, column] = number = float(text[begin:stop].tobytes())
        if math.isinf(number):
            too_large.append(begin)
    return too_large


def _long_numbers(text: Bytes, long: NDArray[np.int64]) -> LongNumbers:
    """Return the numbers that their float does not tell."""
    return LongNumbers(long[:, 0], long[:, 1], *read_written(text, long[:, 2:]))


def _undouble_quotes(text: Bytes, out: _Buffers, doubles: int) -> Bytes:
    """Replace doubled quotes by one quote in the text, and adjust the ends of the words."""
    raw = bytearray(text)
    for word, row in out.doubled[:doubles].tolist():
        begin, stop = out.begins[word, row], out.stops[word, row]
        single = raw[begin:stop].replace(b'""', b'"')
        out.stops[word, row] = begin + len(single)
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
    marks = layout.separator, _quote_of(layout)
    cells = [_parse_cell_at(text, start, *marks)]
    while cells[-1].end >= 0 and at(text, cells[-1].end) == layout.separator:
        cells.append(_parse_cell_at(text, cells[-1].end + 1, *marks))
    *_, (begin, stop, end, _) = cells
    if end < 0:
        if stop < len(text) and at(text, stop) != QUOTE:
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


@scanner
def _parse_cell_at(text: Bytes, begin: int, separator: int, quote: int) -> _Cell:
    return _parse_cell(text, begin, separator, quote)


def _quote_of(layout: Layout) -> int:
    """Return the byte that encloses fields; −1, which is no byte, for none."""
    return QUOTE if layout.quoted else -1
