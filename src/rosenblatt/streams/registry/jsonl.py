"""JSON lines: one object a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.streams.core.format import TABLE_OPTIONS, Format

if TYPE_CHECKING:
    from rosenblatt.streams.core.stream import Stream
    from rosenblatt.streams.io.asked import Text


def begins(line: bytes, rows: list[bytes]) -> bool:
    """Return whether all rows begin with a brace.

    Examples
    --------
    >>> begins(b"{}", [b"{}"]), begins(b"", [])
    (True, False)
    """
    return bool(rows) and all(row.startswith(b"{") for row in rows)


def open_lines(text: Text) -> Stream:
    """Return the rows, with a column for each key."""
    from rosenblatt.streams.formats.jsonl import JsonLinesStream

    return JsonLinesStream(*text)


FORMATS = (
    Format(
        name="jsonl",
        title="JSON lines",
        contents="one JSON object a line, nested or flat",
        page="jsonlines",
        options=TABLE_OPTIONS,
        rank=40,
        suffixes=(".jsonl", ".ndjson"),
        begins=begins,
        open_lines=open_lines,
    ),
)
