"""Header and first rows of a CSV or TSV table, its chunks of records, and blanks as separator."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, NamedTuple

from rosenblatt.engine.text.delimited import CHECK_QUOTES, UNREADABLE
from rosenblatt.engine.text.scanning import complete_records
from rosenblatt.streams.core.errors import DataError, NoRowsError
from rosenblatt.streams.core.format import DECIMAL
from rosenblatt.streams.core.options import FIRST_ROWS, ReadOptions
from rosenblatt.streams.features.labels import NUMBER, WITH_COMMAS
from rosenblatt.streams.features.schema import separator_hint
from rosenblatt.streams.io.files import ChunkLoader, preloaded
from rosenblatt.streams.io.lines import LineBlock
from rosenblatt.streams.io.paths import byte_range
from rosenblatt.utils.words import count

_NO_HEADER = ". If this line is a row, not a header: --no-header, or --names a,b,c."
CUT_BETWEEN_RECORDS = "if the cell has line ends, --quotes (quotes=True) cuts between records."
"""Advice on a quoted cell that crosses the ends of a byte range."""

_MAX_RECORD_BYTES = 1 << 24  # limit of a record with quoted newlines


class Header(NamedTuple):
    r"""Header of a table, and its first rows.

    Parameters
    ----------
    names : list of str
        The columns.
    line : int
        The line of the names.
    lines : int
        Number of lines before the first record.
    rows : list of list of str
        The first records, up to 1,000.

    Examples
    --------
    >>> read_header("a.csv", LineBlock(1, b"x,y\n1,2\n"), ",").rows
    [['1', '2']]
    """

    names: list[str]
    line: int
    lines: int
    rows: list[list[str]]


def has_quoted_cells(head: LineBlock, delimiter: str) -> bool:
    r"""Return whether a quote at the begin of a cell of TSV encloses the cell.

    It does not if the first rows all have the same number of cells only when quotes are ordinary
    characters.

    Examples
    --------
    >>> has_quoted_cells(LineBlock(1, b'label\ttext\nham\t"Hi" said she\n'), "\t")
    False
    """
    lines = list(io.StringIO(head.text.decode(), newline="\n"))
    return _has_equal_rows(lines, delimiter, True) or not _has_equal_rows(lines, delimiter, False)


def _has_equal_rows(lines: list[str], delimiter: str, quoted: bool) -> bool:
    """Return whether all rows can be read, and have the same number of cells.

    A quoted cell of the last line may be cut there.
    """
    reader = _csv_reader(lines, delimiter, quoted)
    widths: set[int] = set()
    stop = 0
    try:
        for row in reader:
            widths |= {len(row)} if row else set()
            stop = reader.line_num
    except csv.Error as error:
        if stop + 1 < len(lines) or "unexpected end" not in str(error):
            return False
    return len(widths) <= 1


def _csv_reader(lines: Iterable[str], delimiter: str, quoted: bool) -> Any:
    return csv.reader(
        lines,
        delimiter=delimiter,
        strict=True,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )


def read_header(
    name: str,
    head: LineBlock,
    delimiter: str,
    options: ReadOptions | None = None,
    quoted: bool = True,
) -> Header:
    r"""Parse the header and the first rows from the first lines of a table.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    head : LineBlock
    delimiter : str
    options : ReadOptions, optional
        With ``header=False`` or with ``column_names``, the first line is a row; columns without
        names are ``c1``, ``c2``, … Without ``labelled``, rows may lack the column ``target``.
    quoted : bool, default True
        Whether cells may be in quotes.

    Raises
    ------
    DataError
        A column has no name or that of another, or the first line looks like a row of data: it
        has numbers other than the columns' own, counted from 0 or 1.

    Examples
    --------
    >>> read_header("a.csv", LineBlock(1, b'x1,"x 2",y\n1,2,3\n'), ",").names
    ['x1', 'x 2', 'y']
    >>> read_header("a.csv", LineBlock(1, b"1,2,3\n"), ",", ReadOptions(header=False)).names
    ['c1', 'c2', 'c3']
    """
    options = options or ReadOptions()
    lines = list(io.StringIO(head.text.decode(), newline="\n"))
    reader = _csv_reader(lines, delimiter, quoted)
    line = 1
    fields: list[str] = []
    try:
        while not fields:
            line = reader.line_num + 1
            fields = next(reader)
    except StopIteration:
        raise NoRowsError(name, "no rows.") from None
    except csv.Error as error:
        problem = UNREADABLE.format(error) + CHECK_QUOTES
        problem += separator_hint(lines[line - 1], delimiter)
        raise DataError(name, problem, line) from None
    if options.has_header:
        names = [field.strip() for field in fields]
        _check_names(name, line, names)
        begin = reader.line_num
    else:
        names = _names_of_fields(name, line, chain([fields], reader), options)
        begin = line - 1
    rows = islice(records_of_width(lines[begin:], len(names), delimiter, quoted), FIRST_ROWS)
    return Header(names, line, begin, list(rows))


def _check_names(name: str, line: int, names: list[str]) -> None:
    """Refuse a header with unnamed or repeated columns, or with numbers."""
    if names == ["sep=", ""]:
        problem = "found a line for Excel, which does not show it, expected the names of columns"
        raise DataError(name, f"{problem}: remove it, for instance with sed 1d.", line)
    if (number := number_in_header(names)) is not None:
        problem = f"found the number {number!r}, expected a header line with names of columns"
        raise DataError(name, f"{problem}{_NO_HEADER}", line)
    if "" in names:
        problem = f"column {names.index('') + 1} of the header has no name: name or remove it"
        if names[0] == "":
            problem += " (pandas writes its index so: to_csv(..., index=False) leaves it out, and "
            problem += "sed '1s/^/id/' names it: then --schema id:id)"
        raise DataError(name, f"{problem}{_NO_HEADER}", line)
    if len(set(names)) < len(names):
        repeated = next(column for column, number in Counter(names).items() if number > 1)
        raise DataError(name, f"found the column {repeated!r} twice: rename one{_NO_HEADER}", line)


def number_in_header(names: list[str]) -> str | None:
    """Return the first number among names, which are then those of a row; None if there is none.

    Numbers that count the columns from 0 or 1 are names.

    Examples
    --------
    >>> number_in_header(["x", "7"]), number_in_header(["0", "1", "y"])
    ('7', None)
    """
    numbers = [name for name in names if NUMBER.fullmatch(name) or WITH_COMMAS.fullmatch(name)]
    counted = [str(k) for k in range(len(numbers) + 1)]
    return None if numbers in ([], counted[:-1], counted[1:]) else numbers[0]


def _names_of_fields(
    name: str, line: int, records: Iterator[list[str]], options: ReadOptions
) -> list[str]:
    """Return the names of the columns of a table without a header line.

    Without names, the most frequent width of the first records decides their number. With names,
    unless bad rows are skipped, the first record decides which; else the first of a possible width.
    """
    names = [column.strip() for column in options.column_names]
    if not names:
        return _count_names(name, line, records, options)
    width = len(next(records))
    without_label = [column for column in names if column != options.target]
    widths = {len(names), len(names) if options.labelled else len(without_label)}
    if width not in widths and options.on_bad_row == "stop":
        listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        expected = f"the {count(len(names), 'column')} {listed}"
        problem = f"found {count(width, 'field')}, expected {expected}"
        remedy = "--names gives a name to each, and to no more"
        if has_numbered_names(names):
            remedy = "complete the row, or leave it out with --on-bad-row skip"
        raise DataError(name, f"{problem}: {remedy}.", line)
    with suppress(csv.Error, StopIteration):
        while width not in widths:
            width = len(next(records))
    return without_label if width < len(names) and width in widths else names


def _count_names(
    name: str, line: int, records: Iterator[list[str]], options: ReadOptions
) -> list[str]:
    """Return the names c1, c2, … for the most frequent width of the first records.

    A first record of another width is an error, unless bad rows are skipped.
    """
    widths: list[int] = []
    with suppress(csv.Error):
        widths.extend(len(record) for record in islice(records, FIRST_ROWS) if record)
    usual = Counter(widths).most_common(1)[0][0]
    if usual != widths[0] and options.on_bad_row == "stop":
        problem = f"found {widths[0]} fields, but most of the first rows have {usual}"
        remedy = "remove the line, or leave it out: --on-bad-row skip"
        raise DataError(name, f"{problem}: {remedy}.", line)
    return [f"c{k + 1}" for k in range(usual)]


def has_numbered_names(names: Sequence[str]) -> bool:
    """Return whether columns have the names of a table without a header line.

    Examples
    --------
    >>> has_numbered_names(["c1", "c2"]), has_numbered_names(["c1", "kind"])
    (True, False)
    """
    return list(names) == [f"c{k + 1}" for k in range(len(names))]


def records_of_width(
    lines: list[str], fields: int, delimiter: str, quoted: bool
) -> Iterator[list[str]]:
    r"""Yield the records with the right number of fields.

    After a malformed record, reading resumes at the next line. The last record may be cut within
    its quotes; the parser reports errors later.

    Examples
    --------
    >>> list(records_of_width(["1,2\n", "3\n", "4,5\n"], 2, ",", True))
    [['1', '2'], ['4', '5']]
    """
    begin = 0
    while begin < len(lines):
        rest = map(lines.__getitem__, range(begin, len(lines)))  # a slice would be a copy
        reader = _csv_reader(rest, delimiter, quoted)
        read = 0
        try:
            for row in reader:
                read = reader.line_num
                if len(row) == fields:
                    yield row
            return
        except csv.Error:
            begin += read + 1


def record_chunks(
    name: str, texts: Iterable[bytes], header_lines: int, delimiter: str, quoted: bool = True
) -> Iterator[ChunkLoader]:
    r"""Yield loaders of whole records, which may contain newlines in quotes.

    The lines of the header are blank, so that line numbers stay those of the source. A record whose
    quotes stay open for 16 MiB is cut there.

    Parameters
    ----------
    name : str
        The source as error messages name it.
    texts : iterable of bytes
        All lines of the source.
    header_lines : int
        Number of lines of the header.
    delimiter : str
    quoted : bool, default True
        Whether cells may be in quotes; else every line is a record.

    Raises
    ------
    DataError
        The source is a byte range that ends inside quotes, so that the next begins there. It is
        raised after the last record.

    Examples
    --------
    >>> texts = [b'x,y\n1,"a\n', b'b"\n2,c\n']
    >>> [load() for load in record_chunks("demo", texts, 1, ",")]
    [b'\n', b'1,"a\nb"\n2,c\n']
    """
    pending: list[bytes] = []
    is_open = False  # a quote, at the end of the text so far
    for text in texts:
        if header_lines:
            lines = text.split(b"\n", header_lines)
            skipped = len(lines) - 1
            text = b"\n" * skipped + (lines[-1] if skipped == header_lines else b"")
            header_lines -= skipped
        stop = len(text)
        if quoted and (is_open or b'"' in text):
            stop, is_open = complete_records(text, delimiter, is_open)
        if stop or sum(map(len, pending)) > _MAX_RECORD_BYTES:
            yield preloaded(b"".join([*pending, text[:stop]]))
            pending = []
        if stop < len(text):
            pending.append(text[stop:])
    if pending:
        yield preloaded(b"".join(pending))
    part = byte_range(name) if is_open else None
    if part is not None and part.stop < os.path.getsize(part.path):
        raise DataError(name, f"a quoted cell crosses its end: {CUT_BETWEEN_RECORDS}")


# --- columns between blanks -----------------------------------------------------------------------

BLANKS = " "
"""The separator that stands for any number of blanks and tabs."""

_QUOTED_OR_BLANKS = re.compile(rb'("[^"\n]*")|[ \t]+')
_CELL = re.compile(rb'"[^"]*"|[^\s"]+')
_NUMBER = re.compile(DECIMAL)
_TWO_NUMBERS = re.compile(rb" *" + _NUMBER.pattern + rb" +" + _NUMBER.pattern + rb"(?: |\Z)")
_OTHER_SEPARATORS = re.compile(rb"[,;|]")


def is_blank_separated(rows: list[bytes], *, has_header: bool) -> bool:
    r"""Return whether rows are a table whose cells have only blanks between them.

    Every row has the same number of cells, two or more, and no other separator; below a header,
    whose cells are no numbers, every row has a number. Rows with equally many tabs are so only if
    one cell between tabs begins with two numbers in each of them.

    Examples
    --------
    >>> is_blank_separated([b" 5.1  3.5 setosa", b"6.0 2.2  versicolor"], has_header=False)
    True
    >>> is_blank_separated([b"two words", b"or three"], has_header=True)
    False
    """
    cells = [_CELL.findall(row) for row in rows]
    widths = {len(one) for one in cells}
    unquoted = [re.sub(rb'"[^"]*"', b"", row) for row in rows]
    if len(widths) != 1 or widths == {1} or any(map(_OTHER_SEPARATORS.search, unquoted)):
        return False
    if len({row.count(b"\t") for row in rows}) == 1 and b"\t" in rows[0]:
        by_tabs = zip(*(row.split(b"\t") for row in rows), strict=True)
        if not any(all(map(_TWO_NUMBERS.match, column)) for column in by_tabs):
            return False
    numbers = [any(map(_NUMBER.fullmatch, one)) for one in cells]
    return not has_header or (len(rows) > 1 and not numbers[0] and all(numbers[1:]))


def with_tabs(text: bytes) -> bytes:
    r"""Return lines with one tab for the blanks between two cells, and none at the ends.

    Examples
    --------
    >>> with_tabs(b" 5.1  3.5 setosa\n")
    b'5.1\t3.5\tsetosa\n'
    """
    if b'"' in text:
        text = _QUOTED_OR_BLANKS.sub(lambda match: match[1] or b"\t", text)
    else:
        text = _QUOTED_OR_BLANKS.sub(b"\t", text)
    return re.sub(rb"^\t|\t(?=\r?$)", b"", text, flags=re.MULTILINE)
