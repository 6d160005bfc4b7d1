"""CSV and TSV text: tables whose cells a separator parts."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import DELIMITERS, LAYOUT_OPTIONS, TABLE_OPTIONS, Format, late

if TYPE_CHECKING:
    from rosenblatt.streams.core.options import ReadOptions

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
        from rosenblatt.streams.formats.records import BLANKS, is_blank_separated

        if is_blank_separated(rows, has_header=options.has_header):
            return "tsv", options._replace(separator=BLANKS)
        if options.has_header:
            return None, options
        tabs = {row.count(b"\t") for row in rows}
        if len(tabs) == 1 and tabs != {0}:  # texts have commas, too, but not equally many
            return "tsv", options
    return "csv", options


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
        cut_at_lines=True,
        open_lines=late("formats.delimited", "TableStream"),
        write=partial(
            late("arrow.writer", "write_table"), kind=f"{name.upper()} table", delimiter=delimiter
        ),
        written=f"{name.upper()} table",
        written_as="table",
    )
    for name, delimiter in DELIMITERS.items()
)
