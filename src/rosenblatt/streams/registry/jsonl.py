"""JSON lines: one object a row."""

from __future__ import annotations

from rosenblatt.streams.core.format import TABLE_OPTIONS, Format, late


def begins(line: bytes, rows: list[bytes]) -> bool:
    """Return whether all rows begin with a brace.

    Examples
    --------
    >>> begins(b"{}", [b"{}"]), begins(b"", [])
    (True, False)
    """
    return bool(rows) and all(row.startswith(b"{") for row in rows)


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
        cut_at_lines=True,
        open_lines=late("formats.jsonl", "JsonLinesStream"),
    ),
)
