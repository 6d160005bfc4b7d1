"""CSV and TSV text: tables whose cells a separator parts."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import DELIMITERS, LAYOUT_OPTIONS, TABLE_OPTIONS, Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.options import ReadOptions
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import Text

_NAME = rb' *"?[A-Za-z_][\w .()/%-]*"?[ \r]*'


def begins(delimiter: bytes, line: bytes, rows: list[bytes]) -> bool:
    """Return whether the first line names two columns or more.

    Examples
    --------
    >>> begins(b",", b"x1,x 2,y", []), begins(b",", b"5.1,3.5", [])
    (True, False)
    """
    names = line.split(delimiter)
    return len(names) > 1 and all(re.fullmatch(_NAME, name) for name in names)


def recognise_layout(rows: list[bytes], options: ReadOptions) -> tuple[str | None, ReadOptions]:
    """Return the format of a table without a known suffix, and its options, or None.

    Parameters
    ----------
    rows : list of bytes
        The first lines that are not blank; no format is clear by them alone.
    options : ReadOptions
        A separator, or ``header=False``, says that the source is a table. Else it is one if blanks
        alone separate its cells.
    """
    if options.separator is None:
        from rosenblatt.streams.formats.blanks import BLANKS, is_blank_separated

        if is_blank_separated(rows, has_header=options.has_header):
            return "tsv", options._replace(separator=BLANKS)
        if options.has_header:
            return None, options
        tabs = {row.count(b"\t") for row in rows}
        if len(tabs) == 1 and tabs != {0}:  # texts have commas, too, but not equally many
            return "tsv", options
    return "csv", options


def open_lines(format: str, text: Text) -> Stream:
    """Return the rows, sparse if they have categories, texts or hashed names."""
    from rosenblatt.streams.formats.delimited import TableStream

    return TableStream(text.source, format, text.head, text.options, text.vocabulary)


def write(format: str, stream: Stream, path: str | os.PathLike[str]) -> int:
    """Write the rows, dense, below a line with the names of their columns."""
    from rosenblatt.streams.writers.output import write_table

    return write_table(stream, path, f"{format.upper()} table", DELIMITERS[format])


FORMATS = tuple(
    Format(
        name=name,
        title="a table",
        contents="a table with a header: numbers, categories, texts, ids, weights",
        page="tables",
        options=(*TABLE_OPTIONS, *LAYOUT_OPTIONS),
        rank=30,
        suffixes=(f".{name}",),
        begins=partial(begins, delimiter.encode()),
        open_lines=partial(open_lines, name),
        write=partial(write, name),
        written=f"{name.upper()} table",
        written_as="table",
    )
    for name, delimiter in DELIMITERS.items()
)
