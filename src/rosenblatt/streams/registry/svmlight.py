"""Svmlight text."""

from __future__ import annotations

import re

from rosenblatt.streams.core.format import DECIMAL, Format, late

_ENTRY = rb"[0-9]+:" + DECIMAL
_LABEL = DECIMAL + rb"(?:[ \t]+qid:[0-9]+)?"
_ROW = rb"(?:" + _LABEL + rb"|" + _ENTRY + rb")(?:[ \t]+" + _ENTRY + rb")*[ \t\r]*(?:#.*)?"


def begins(line: bytes, rows: list[bytes]) -> bool:
    """Return whether all rows are entries ``index:value``, with a label or without.

    Examples
    --------
    >>> begins(b"1 2:3", [b"1 2:3", b"4:5"]), begins(b"1", [b"1"])
    (True, False)
    """
    return any(b":" in row for row in rows) and all(re.fullmatch(_ROW, row) for row in rows)


FORMATS = (
    Format(
        name="svmlight",
        title="svmlight text",
        contents="svmlight text",
        page="svmlight",
        options=("index_base", "bits"),
        rank=10,
        suffixes=(".svm", ".svmlight", ".libsvm"),
        begins=begins,
        cut_at_lines=True,
        open_lines=late("formats.svmlight", "SvmlightStream"),
        write=late("writers.sparse_text", "write_svmlight"),
        written="svmlight text",
        written_as="lines",
    ),
)
