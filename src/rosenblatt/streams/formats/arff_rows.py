"""Header and rows of ARFF: the declared columns, and rows as records of CSV."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from rosenblatt.engine.text.delimited import TRUTHS, Layout, Parsed, parse
from rosenblatt.engine.text.scanning import TextError
from rosenblatt.streams.core.errors import DataError
from rosenblatt.streams.features.schema import check_distinct

_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"{{]+)\s*(.*)", re.IGNORECASE)
_QUOTED_VALUE = re.compile(rf"\s*(?:{_QUOTED})\s*")
_PLAIN_VALUE = re.compile(r"[^,'\"]*")
_ENTRY = re.compile(rf"\s*([0-9]{{1,18}})\s+({_QUOTED}|[^,\s'\"]+)\s*(,|$)")
_DATE = re.compile(rf"date(?:\s+({_QUOTED}|\S+))?\s*", re.IGNORECASE)
_DATA = re.compile(rb"@data[ \t\r]*", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)%")
_SPECIAL = re.compile(rb"[{?'\"%\\]")  # of a line that is no record of CSV as it is
_UNREADABLE = '""?'  # no record of CSV begins so

_KINDS = {"numeric": "number", "real": "number", "integer": "number", "string": "string"}


class Relation(NamedTuple):
    """The declared columns of a table.

    Parameters
    ----------
    kinds : dict
        The columns in order, and their kinds: number, category, string, or one of dates.
    defaults : tuple of str
        The cell of each column that a sparse row does not name: 0, the first of the categories, or
        nothing.
    lines : int
        The number of lines up to ``@data``.
    """

    kinds: dict[str, str]
    defaults: tuple[str, ...]
    lines: int


def line_of_data(text: bytes) -> int | None:
    r"""Return the number of the line ``@data``, or None.

    Examples
    --------
    >>> line_of_data(b"@relation r\n@DATA\n1\n"), line_of_data(b"@relation r\n")
    (2, None)
    """
    for number, line in enumerate(text.split(b"\n"), 1):
        if _DATA.fullmatch(line.strip()):
            return number
    return None


def read_relation(source: str, text: bytes) -> Relation:
    r"""Parse the header of an ARFF table.

    Parameters
    ----------
    source : str
        The table as error messages name it.
    text : bytes
        Its first lines, in UTF-8, with ``@data`` among them.

    Raises
    ------
    DataError
        A line cannot be read, a column is declared twice, is of the type ``relational`` or of a
        format of dates with another order than year, month and day, or no column is declared.

    Examples
    --------
    >>> header = b"@relation r\n@attribute 'the size' real\n@attribute kind {a, 'b c'}\n@data\n"
    >>> read_relation("a.arff", header)
    Relation(kinds={'the size': 'number', 'kind': 'category'}, defaults=('0', 'a'), lines=4)
    """
    names: list[str] = []
    kinds: list[str] = []
    defaults: list[str] = []
    lines = line_of_data(text) or 0
    for number, line in enumerate(text.decode().split("\n")[: lines - 1], 1):
        words = line.strip()
        if not words or words.startswith("%") or words.lower().startswith("@relation"):
            continue
        match = _ATTRIBUTE.fullmatch(words)
        if match is None:
            problem = f"found {words[:40]!r}, expected @attribute, a name and a type, or @data."
            raise DataError(source, problem, number)
        name = unquoted(match[1])
        kind, default = _read_type(source, number, name, _without_comment(match[2]))
        names.append(name)
        kinds.append(kind)
        defaults.append(default)
    if not names:
        raise DataError(source, "found no @attribute before @data: declare the columns.", lines)
    check_distinct(source, lines, names)
    return Relation(dict(zip(names, kinds, strict=True)), tuple(defaults), lines)


def _without_comment(type: str) -> str:
    """Return a type without the comment after it; a % before a quote or a bracket is no comment."""
    comment = _COMMENT.search(type, max(map(type.rfind, "'\"}")) + 1)
    return (type if comment is None else type[: comment.start()]).strip()


def _read_type(source: str, line: int, name: str, type: str) -> tuple[str, str]:
    """Return the kind of a declared type, and the cell that sparse rows leave out."""
    kind = _KINDS.get(type.lower())
    if kind is not None:
        return kind, "0" if kind == "number" else ""
    if type.startswith("{") and type.endswith("}"):
        values = _values(type[1:-1])
        if values is not None:
            return "number" if TRUTHS.keys() >= set(values) else "category", values[0]
    if (match := _DATE.fullmatch(type)) is not None:
        kind = _kind_of_date(unquoted(match[1] or "yyyy-MM-dd"))
        if kind is not None:
            return kind, ""
    expected = "numeric, real, integer, string, date or {a, b, …}"
    problem = f"column {name!r}: found the type {type[:40]!r}, expected {expected}"
    raise DataError(source, f"{problem}: convert the column, or declare it string.", line)


def _kind_of_date(format: str) -> str | None:
    """Return the kind of dates of a format of Java, or None."""
    order = "".join(dict.fromkeys(letter for letter in format if letter in "yMd"))
    if "MMM" in format and len(order) == 3:
        return "date"
    kinds = {"yMd": "date", "yM": "date", "dMy": "date-dmy", "Mdy": "date-mdy"}
    return kinds.get(order) if order else "time" if re.search("[Hh]", format) else None


def unquoted(word: str) -> str:
    r"""Return a word without its quotes, if it has any, and without backslashes.

    Line ends and tabs become blanks.

    Examples
    --------
    >>> unquoted("'it\\'s'"), unquoted('"a\\tb"'), unquoted("plain")
    ("it's", 'a b', 'plain')
    """
    if word[:1] not in ("'", '"'):
        return word
    inner = re.sub(r"\\[nrt]", " ", word[1:-1])
    return re.sub(r"\\(.)", r"\1", inner)


def _values(text: str) -> list[str] | None:
    """Return the values between commas, without quotes; "" for a missing one, None if malformed."""
    values: list[str] = []
    position = 0
    while position <= len(text):
        match = _QUOTED_VALUE.match(text, position) or _PLAIN_VALUE.match(text, position)
        assert match is not None  # a plain value may be empty
        end = match.end()
        if end < len(text) and text[end] != ",":
            return None
        value = match[0].strip()
        values.append("" if value == "?" else unquoted(value))
        position = end + 1
    return values


def as_csv(text: bytes, relation: Relation) -> bytes:
    r"""Return lines of ARFF as records of CSV, one line for each.

    A missing cell, ``?``, is empty; a sparse row has all cells; a comment is blank. A line that
    cannot be read is a record with wrong quotes.

    Parameters
    ----------
    text : bytes
        Whole lines. Bytes that are not UTF-8 stay.
    relation : Relation

    Examples
    --------
    >>> relation = Relation({"x": "number", "kind": "category"}, ("0", "a"), 4)
    >>> as_csv(b"1,'b, c'\n?,a\n{0 2}\n% end\n", relation)
    b'1,"b, c"\n,a\n2,a\n\n'
    """
    if not _SPECIAL.search(text):
        return text
    return b"\n".join(
        _line_as_csv(line, relation) if _SPECIAL.search(line) else line
        for line in text.split(b"\n")
    )


def parse_arff(text: bytes, relation: Relation, layout: Layout) -> Parsed:
    """Parse rows of ARFF, whose places are those in the text.

    Parameters
    ----------
    text : bytes
        Whole lines.
    relation : Relation
    layout : Layout
        Of records of CSV.

    Raises
    ------
    TextError
        A row cannot be read.
    """
    records = as_csv(text, relation)
    try:
        parsed = parse(records, layout)
    except TextError as error:
        line, record = (one.split(b"\n")[error.line - 1] for one in (text, records))
        if record != line:
            is_readable = not record.startswith(_UNREADABLE.encode())
            message = error.message if is_readable else _MALFORMED
            raise TextError(error.line, 1, message, error.lines) from None
        raise
    if records is text:
        return parsed
    ends, record_ends = (np.flatnonzero(np.frombuffer(t, np.uint8) == 10) for t in (text, records))
    lines = np.searchsorted(record_ends, parsed.starts)
    plain = text.isascii() and b"\0" not in text  # also of comments, which are no records
    return parsed._replace(starts=np.concatenate([[0], ends + 1])[lines], plain=plain)


_MALFORMED = (
    "found a row that cannot be read: expected values with commas between, and quotes around words "
    "with blanks, or {index value, …} with increasing indices from 0."
)


def _line_as_csv(line: bytes, relation: Relation) -> bytes:
    words = line.decode(errors="surrogateescape").strip()
    if words.startswith("%"):
        return b""
    is_sparse = words.startswith("{") and words.endswith("}")
    cells = _sparse_cells(words[1:-1], relation) if is_sparse else _values(words)
    if cells is None:
        return _UNREADABLE.encode() + line
    record = ",".join(
        f'"{c.replace(chr(34), chr(34) * 2)}"' if _needs_quotes(c) else c for c in cells
    )
    return record.encode(errors="surrogateescape")


def _needs_quotes(cell: str) -> bool:
    return "," in cell or '"' in cell


def _sparse_cells(text: str, relation: Relation) -> list[str] | None:
    """Return all cells of a sparse row, or None if it is malformed."""
    cells, position, mark, last = list(relation.defaults), 0, ",", -1
    if not text.strip():
        return cells
    while mark == ",":
        match = _ENTRY.match(text, position)
        if match is None or not last < int(match[1]) < len(cells):
            return None
        last, position, mark = int(match[1]), match.end(), match[3]
        cells[last] = "" if match[2] == "?" else unquoted(match[2])
    return cells
