r"""Text of tables becomes numbers and coded words: one compiled pass over the bytes.

The grammar is RFC 4180's: a record is a line of fields, separated by one byte; a field may stand in
quotes, and then hold separators, ends of lines, and quotes, which are doubled::

    record = field {separator field} end
    field  = '"' {any byte but a quote, or two quotes} '"' | {any byte but separator and end}

Lines end with LF or CRLF, the last one may lack its end, and blank lines are passed over. A quote
within a field that does not begin with one is a letter like others. Blanks and tabs around a
field's content do not count.

Every number is the float64 nearest to its decimal, as in :mod:`rosenblatt.engine.text.svmlight`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.engine.intrinsics import at
from rosenblatt.engine.jit import fingerprint
from rosenblatt.engine.text.categories import Coded, coded
from rosenblatt.engine.text.decimals import Bytes, Decimal, decimal, part
from rosenblatt.engine.text.scanning import (
    BLANK,
    NEWLINE,
    RETURN,
    TAB,
    TextError,
    error_at,
    line_of,
    scanner,
    shown,
    survey,
    whole_lines,
)

_QUOTE = ord('"')
_LEAST_HARD = 6  # bytes of a number that is not decided at once, and its separator: 9e308,
_LEAST_DOUBLED = 5  # bytes of a field with doubled quotes, and its separator: """",


class Layout(NamedTuple):
    """What the fields of a table hold.

    Parameters
    ----------
    names : list of str
        What messages call the fields.
    numbers : int64 array of shape (fields,)
        The place of a field among the numbers; −1: it is none.
    words : int64 array of shape (fields,)
        The place of a field among the words; −1: it is none. What is neither is passed over.
    label : int
        The place of the labels among the words; −1: there are none.
    separator : int
        A byte.

    Examples
    --------
    >>> layout_of(["x", "kind"], ["x"], ["kind"], "kind").words.tolist()
    [-1, 0]
    """

    names: list[str]
    numbers: NDArray[np.int64]
    words: NDArray[np.int64]
    label: int
    separator: int


def layout_of(
    names: list[str],
    numbers: list[str],
    words: list[str],
    label: str | None,
    separator: str = ",",
) -> Layout:
    """The layout of a table whose columns have names.

    Parameters
    ----------
    names : list of str
        All columns.
    numbers, words : list of str
        Those of numbers and of words, in the order in which they are wanted.
    label : str or None
        The one of the ``words`` that is the label.
    separator : str, default ","
        Of one byte.

    Examples
    --------
    >>> layout_of(["b", "a"], ["a", "b"], [], None).numbers.tolist()
    [1, 0]
    """

    def places(wanted: list[str]) -> NDArray[np.int64]:
        place = {name: k for k, name in enumerate(wanted)}
        return np.array([place.get(name, -1) for name in names])

    place = -1 if label is None else words.index(label)
    return Layout(names, places(numbers), places(words), place, ord(separator))


class Parsed(NamedTuple):
    r"""Records of a table.

    Parameters
    ----------
    numbers : C-ordered float64 array of shape (rows, numbers)
    words : list of Coded
        A column each.
    labels : int32 array of shape (rows,)
        The codes of the labels; zeros where there are none.
    starts : int64 array of shape (rows,)
        The position in the buffer of the first byte of each record.
    lines : int
        How many lines there are, with blank ones.
    plain : bool
        Whether all bytes are ASCII, and none is NUL.

    Examples
    --------
    >>> parse(b"1,oak\n", layout_of(["x", "kind"], ["x"], ["kind"], None)).words[0].words
    ['oak']
    """

    numbers: NDArray[np.float64]
    words: list[Coded]
    labels: NDArray[np.int32]
    starts: NDArray[np.int64]
    lines: int
    plain: bool


def parse(buffer: bytes | memoryview | Bytes, layout: Layout) -> Parsed:
    r"""All records of a text, without a header, each number as exact as Python's ``float``.

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
        A record has more or fewer fields than the layout, a field's quotes are wrong, or a number
        is none, or not finite. The first such place is named: its line is that where the record
        begins.

    Examples
    --------
    >>> layout = layout_of(["x", "kind", "z"], ["x", "z"], ["kind"], "kind")
    >>> parsed = parse(b'1, "oak, old",.5\n-2,elm,1e3\n', layout)
    Traceback (most recent call last):
        ...
    rosenblatt.engine.text.scanning.TextError: line 1, column 1: found 4 fields, expected the 3 of
    the header.
    >>> parsed = parse(b'1,"oak, old",.5\n-2,elm,1e3\n', layout)
    >>> parsed.numbers.tolist(), parsed.words[0].words, parsed.labels.tolist()
    ([[1.0, 0.5], [-2.0, 1000.0]], ['oak, old', 'elm'], [0, 1])
    """
    text = whole_lines(buffer)
    lines, quotes, plain = survey(text, _QUOTE, _QUOTE)
    room = _Room(
        numbers=np.empty((lines, int(layout.numbers.max(initial=-1)) + 1)),
        begins=np.empty((int(layout.words.max(initial=-1)) + 1, lines), np.int64),
        stops=np.empty((int(layout.words.max(initial=-1)) + 1, lines), np.int64),
        starts=np.empty(lines, np.int64),
        hard=np.empty((len(text) // _LEAST_HARD + 1, 4), np.int64),
        doubled=np.empty((len(text) // _LEAST_DOUBLED + 1 if quotes else 0, 2), np.int64),
    )
    fields = _Fields(layout.numbers, layout.words, layout.separator)
    rows, hards, doubles, stuck = _scan(text, fields, room)
    faults = _convert(text, room, hards) + ([stuck] if stuck >= 0 else [])
    if faults:
        raise _error(text, room.starts[: rows + (stuck >= 0)], min(faults), layout)
    spelled = _single(text, room, doubles) if doubles else text
    cells = zip(room.begins[:, :rows], room.stops[:, :rows], strict=True)
    words = [coded(spelled, begins, stops) for begins, stops in cells]
    return Parsed(
        numbers=room.numbers[:rows],
        words=words,
        labels=words[layout.label].codes if layout.label >= 0 else np.zeros(rows, np.int32),
        starts=room.starts[:rows],
        lines=lines,
        plain=plain,
    )


# --- compiled ------------------------------------------------------------------------------------


class _Room(NamedTuple):
    """What the scan fills.

    ``hard`` are the numbers that need ``float``: row, place, and where the number begins and stops.
    ``doubled`` are the words with doubled quotes: place and row.
    """

    numbers: NDArray[np.float64]
    begins: NDArray[np.int64]
    stops: NDArray[np.int64]
    starts: NDArray[np.int64]
    hard: NDArray[np.int64]
    doubled: NDArray[np.int64]


class _Fields(NamedTuple):
    numbers: NDArray[np.int64]
    words: NDArray[np.int64]
    separator: int


class _Cell(NamedTuple):
    """A field: its content, the position behind it (−1: its quotes are wrong), doubled quotes."""

    begin: int
    stop: int
    end: int
    doubled: bool


class _Number(NamedTuple):
    """A number in a field: where it begins, and the position behind the field (−1: it is none)."""

    begin: int
    decimal: Decimal
    end: int


@part
def _is_blank(byte: int, separator: int) -> bool:
    return bool(byte == BLANK or (byte == TAB and separator != TAB))


@part
def _after_blanks(text: Bytes, i: int, separator: int) -> int:
    while _is_blank(at(text, i), separator):
        i += 1
    return i


@part
def _ends_line(text: Bytes, i: int) -> bool:
    byte = at(text, i)
    return bool(byte == NEWLINE or (byte == RETURN and at(text, i + 1) == NEWLINE))


@part
def _number(text: Bytes, begin: int, separator: int) -> _Number:
    """The number in the field at ``begin``."""
    quoted = at(text, begin) == _QUOTE
    first = _after_blanks(text, begin + quoted, separator)
    number = decimal(text, first)
    end = _after_blanks(text, number.stop, separator)
    if quoted:
        end = end + 1 if at(text, end) == _QUOTE else first
    is_number = number.stop > first and (at(text, end) == separator or _ends_line(text, end))
    return _Number(first, number, end if is_number else -1)


@part
def _cell(text: Bytes, begin: int, separator: int) -> _Cell:
    """The field at ``begin``."""
    doubled = False
    i = begin
    if at(text, i) == _QUOTE:
        begin = i = i + 1
        while i < len(text):
            if at(text, i) == _QUOTE:
                if i + 1 == len(text) or at(text, i + 1) != _QUOTE:
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


def _scan_of(stamp: str) -> Callable[..., tuple[int, int, int, int]]:
    def scan(text: Bytes, fields: _Fields, room: _Room) -> tuple[int, int, int, int]:
        """Fill the room from the text.

        Returns the records, the hard numbers, the words with doubled quotes, and the field where
        the scan got stuck (−1: nowhere).
        """
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        numbers, begins, stops, starts, hard, doubled = room
        last = len(fields.numbers) - 1
        rows = hards = doubles = i = 0
        while i < len(text):
            if _ends_line(text, i):
                i += 1 + (at(text, i) == RETURN)
                continue
            starts[rows] = i
            for field in range(last + 1):
                begin = i
                place, word = at(fields.numbers, field), at(fields.words, field)
                if place >= 0:
                    first, number, i = _number(text, begin, fields.separator)
                    numbers[rows, place] = number.value
                    if not number.exact and i >= 0:
                        hard[hards, 0], hard[hards, 1] = rows, place
                        hard[hards, 2], hard[hards, 3] = first, number.stop
                        hards += 1
                else:
                    cell = _cell(text, begin, fields.separator)
                    i = cell.end
                    if word >= 0:
                        begins[word, rows], stops[word, rows] = cell.begin, cell.stop
                        if cell.doubled:
                            doubled[doubles, 0], doubled[doubles, 1] = word, rows
                            doubles += 1
                if i < 0 or _ends_line(text, i) != (field == last):
                    return rows, hards, doubles, begin
                i += 1
            i += at(text, i - 1) == RETURN
            rows += 1
        return rows, hards, doubles, -1

    return scanner(scan)


_scan = _scan_of(fingerprint(Decimal, TextError))


def _whole_of(stamp: str) -> Callable[[Bytes, int, bool], tuple[int, bool]]:
    def whole(text: Bytes, separator: int, quoted: bool) -> tuple[int, bool]:
        stamp  # noqa: B018  # a closure cell: it enters the key of the disk cache
        stop = i = 0
        if not quoted and len(text) and at(text, 0) == _QUOTE:
            quoted, i = True, 1
        while i < len(text):
            if quoted:
                while i < len(text) and at(text, i) != _QUOTE:
                    i += 1
                quoted = i == len(text) or (i + 1 < len(text) and at(text, i + 1) == _QUOTE)
                i += 1 + quoted
            else:
                while i < len(text) and at(text, i) != separator and at(text, i) != NEWLINE:
                    i += 1
                if i < len(text) and at(text, i) == NEWLINE:
                    stop = i + 1
                quoted = i + 1 < len(text) and at(text, i + 1) == _QUOTE
                i += 1 + quoted
        return stop, quoted

    return scanner(whole)


_whole = _whole_of(fingerprint(Decimal))


def whole_records(text: bytes, separator: str, quoted: bool) -> tuple[int, bool]:
    r"""Where the last record that ends in a text stops, and whether a quote is open at its end.

    Parameters
    ----------
    text : bytes
    separator : str
        Of one byte.
    quoted : bool
        Whether the text begins within quotes.

    Examples
    --------
    >>> whole_records(b'1,oak\n2,"elm\n', ",", False)
    (6, True)
    >>> whole_records(b'old"\n', ",", True)
    (5, False)
    """
    return _whole(np.frombuffer(text, np.uint8), ord(separator), quoted)


# --- what the scan leaves to plain Python: hard numbers, doubled quotes, reasons -----------------


def _convert(text: Bytes, room: _Room, hards: int) -> list[int]:
    """Fill in the hard numbers; where those begin that fit no float64."""
    too_large = []
    for row, place, begin, stop in room.hard[:hards].tolist():
        room.numbers[row, place] = number = float(text[begin:stop].tobytes())
        if math.isinf(number):
            too_large.append(begin)
    return too_large


def _single(text: Bytes, room: _Room, doubles: int) -> Bytes:
    """The text with doubled quotes as one quote, and words that stop where they now do."""
    raw = bytearray(text)
    for word, row in room.doubled[:doubles].tolist():
        begin, stop = room.begins[word, row], room.stops[word, row]
        single = raw[begin:stop].replace(b'""', b'"')
        room.stops[word, row] = begin + len(single)
        raw[begin : begin + len(single)] = single
    return whole_lines(memoryview(raw))


def _error(text: Bytes, starts: NDArray[np.int64], place: int, layout: Layout) -> TextError:
    """The error of the record with that place."""
    start = int(starts[np.searchsorted(starts, place, "right") - 1])
    begin, stop, reason = _why_stuck(text, start, place, layout)
    in_first_line = line_of(text, begin)[0] == line_of(text, start)[0]
    error = error_at(text, begin if in_first_line else start, reason, first_line=1)
    error.lines = 0 if stop == len(text) else text[start:stop].tobytes().count(b"\n") + 1
    return error


def _why_stuck(text: Bytes, start: int, place: int, layout: Layout) -> tuple[int, int, str]:
    """What is wrong with a record: where, and where it, or the fault, ends."""
    cells = [_cell_at(text, start, layout.separator)]
    while cells[-1].end >= 0 and at(text, cells[-1].end) == layout.separator:
        cells.append(_cell_at(text, cells[-1].end + 1, layout.separator))
    *_, (begin, stop, end, _) = cells
    if end < 0:
        why = "its quote is never closed"
        if stop < len(text):
            behind = at(text, stop) == _QUOTE
            why = "text stands behind its closing quote" if behind else "a carriage return is in it"
        return begin, stop, f"found a field that cannot be read ({why}): check its quotes."
    if len(cells) != len(layout.names):
        found = f"found {len(cells)} fields"
        return start, end, f"{found}, expected the {len(layout.names)} of the header."
    begins = [start, *(cell.end + 1 for cell in cells[:-1])]
    field = bisect_right(begins, place) - 1
    content, name = text[cells[field].begin : cells[field].stop].tobytes(), layout.names[field]
    word = content.decode("utf-8", "backslashreplace").lower()
    reason = next(why for pattern, why in _REASONS if re.fullmatch(pattern, word, re.DOTALL))
    found = f"found {shown(content) if content else 'nothing'}"
    return begins[field], end, f"column {name!r}: {found}, {reason.format(name=name)}"


_REASONS = (
    (r"", "expected a number: fill it in, or leave the row out."),
    (r"[+-]?(nan|inf|infinity)", "expected a finite number: fill it in, or leave the row out."),
    (r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", "expected a number that fits a float64."),
    (
        r".*",
        "expected a number: encode the column as numbers, or tell what it holds: "
        "--schema {name}:category.",
    ),
)


@scanner
def _cell_at(text: Bytes, begin: int, separator: int) -> _Cell:
    return _cell(text, begin, separator)
